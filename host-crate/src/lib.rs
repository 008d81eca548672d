//! evenkeel runs graph algorithms on any Vulkan GPU and keeps the load even.
//!
//! A [`graph::Graph`] comes from a file or a generator, a [`device::Device`] is a GPU or the CPU, and an [`algorithm`] is
//! prepared once for a graph and then run from any source. Every answer can be held against an [`oracle`].
//!
//! ```
//! use evenkeel::algorithm::{Bfs, BfsConfig, Source};
//! use evenkeel::device::{Device, DeviceOptions};
//! use evenkeel::{graph::generate::Generator, oracle};
//!
//! fn main() -> evenkeel::Result<()> {
//!     let graph = "rmat:scale=10".parse::<Generator>()?.generate()?;
//!     let device = Device::open("cpu", &DeviceOptions::default())?; // "auto" takes the best GPU there is
//!     let source = Source::MaxDegree.find(&graph)?;
//!
//!     let mut bfs = Bfs::prepare(&device, &graph.csr, &BfsConfig::default())?;
//!     let run = bfs.run(source)?;
//!     println!("{} levels in {:?}", run.iterations, run.total);
//!     assert_eq!(bfs.depths()?, oracle::bfs::depths(&graph.csr, source));
//!     Ok(())
//! }
//! ```
//!
//! Data walks one way: file → [`graph`] → [`device`] buffers → [`strategy`] → [`algorithm`] → [`oracle`] → [`report`]. Lower
//! modules know nothing of upper ones: `graph` has no device in it, `device` no graphs.

pub mod algorithm;
pub mod atomic_file;
pub mod device;
pub mod engine;
pub mod error;
pub mod graph;
pub mod oracle;
pub mod report;
pub mod strategy;
pub mod tuning;

pub use error::{Error, Result};

/// The README's example is tested like any other.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// So are the tile set and the schedule that this page adds.
#[cfg(doctest)]
#[doc = include_str!("../../docs/programming-model.md")]
struct ProgrammingModel;

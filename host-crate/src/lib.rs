//! evenkeel runs graph algorithms on any Vulkan GPU and keeps the load balanced.
//!
//! A [`graph::Graph`] comes from a program's own edges, a file or a generator, a [`device::Device`] is a GPU or the CPU, and an [`algorithm`]
//! is a line:
//!
//! ```
//! use evenkeel::{
//!     algorithm::{BfsConfig, PageRankConfig},
//!     device::Device,
//!     graph::Graph,
//! };
//!
//! fn main() -> evenkeel::Result<()> {
//!     let friends = Graph::from_edges([("ann", "bob"), ("bob", "cem"), ("dan", "bob")])?;
//!     let graph = Device::auto()?.load(&friends); // the best GPU there is, else the CPU
//!
//!     let ranks = graph.run(PageRankConfig::default())?;
//!     for (node, rank) in ranks.top(2) {
//!         println!("{node}: {rank}");
//!     }
//!     let tree = graph.run_from("ann", BfsConfig::default())?;
//!     assert_eq!(tree.of("cem")?.map(|depth| depth.real()), Some(2.0));
//!     Ok(())
//! }
//! ```
//!
//! An algorithm can also be prepared once for a graph and then run on any input, and every answer can be checked against an [`oracle`]:
//!
//! ```
//! use evenkeel::algorithm::{Algorithm, Bfs, BfsConfig, Source};
//! use evenkeel::device::{Device, DeviceOptions};
//! use evenkeel::{graph::generate::Generator, oracle};
//!
//! fn main() -> evenkeel::Result<()> {
//!     let graph = "rmat:scale=10".parse::<Generator>()?.generate()?;
//!     let device = Device::open("cpu", &DeviceOptions::default())?; // "auto" takes the best GPU there is
//!     let source = Source::MaxDegree.find(&graph)?;
//!
//!     let mut bfs = Bfs::prepare(&device, &graph.csr, &BfsConfig::default())?;
//!     let run = bfs.run(&source)?;
//!     println!("{} levels in {:?}", run.iterations, run.total);
//!     assert_eq!(bfs.answer()?.depths, oracle::bfs::depths(&graph.csr, source));
//!     Ok(())
//! }
//! ```
//!
//! Data flows one way: file → [`graph`] → [`device`] buffers, by the [`engine`] → [`strategy`] → [`algorithm`] → [`oracle`] →
//! [`report`]. A lower module imports nothing from a higher one: `graph` knows no device, `device` no graph.
//!
//! The default features are `tables`, which reads Parquet and Arrow files, and `cluster`, which runs several workers. Without them the
//! library builds none of the crates that only these need. The command `evenkeel` is the crate `evenkeel-cli`.

// Its tests share made-up reports with the command's, whose crate knows it by this name.
#[cfg(test)]
extern crate self as evenkeel;

pub mod algorithm;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod device;
pub mod engine;
pub mod graph;
pub mod report;
pub mod settings;
pub mod strategy;

pub use evenkeel_base::{Error, Result, atomic_file, error};
#[doc(hidden)]
pub use evenkeel_base::{machine, numerals, phase};
#[doc(inline)]
pub use evenkeel_oracle as oracle;
pub use evenkeel_types::UNREACHED;

/// The examples of the documentation are tested like any others.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// See [`Readme`].
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
struct Library;

/// See [`Readme`].
#[cfg(doctest)]
#[doc = include_str!("../docs/programming-model.md")]
struct ProgrammingModel;

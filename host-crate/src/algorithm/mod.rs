//! Algorithms: what is computed, and how an answer is checked. Each is a file here, one in the kernels, and one in
//! [`crate::oracle`].
//!
//! ```
//! use evenkeel::algorithm::{Distances, Sssp, SsspConfig};
//! use evenkeel::device::{Device, DeviceOptions};
//! use evenkeel::{graph::generate::Generator, oracle::dijkstra};
//!
//! let town = "road:nodes=400,lengths=true".parse::<Generator>()?.generate()?;
//! let device = Device::open("cpu", &DeviceOptions::default())?;
//! let mut sssp = Sssp::prepare(&device, &town.csr, &SsspConfig::default())?;
//! for source in [0, 399] {
//!     sssp.run(source)?;
//!     assert_eq!(sssp.distances()?, Distances::U32(dijkstra::whole(&town.csr, source)?));
//! }
//! # Ok::<(), evenkeel::Error>(())
//! ```

pub mod apsp;
pub mod bfs;
pub mod color;
pub mod pagerank;
mod pull;
pub mod source;
pub mod spmm;
pub mod spmv;
pub mod sssp;

pub use apsp::{AllPairs, Apsp, ApspConfig};
pub use bfs::{Bfs, BfsConfig};
pub use color::{Color, ColorConfig};
pub use pagerank::{PageRank, PageRankConfig};
pub use source::Source;
pub use spmm::{Spmm, SpmmConfig};
pub use spmv::{Precision, Spmv, SpmvConfig};
pub use sssp::{Distances, Sssp, SsspConfig};

use crate::strategy::LoopRun;
use std::time::Duration;

/// An algorithm that can be asked for by name.
pub struct Algorithm {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// What it computes, in a line.
    pub summary: &'static str,
}

/// All algorithms.
pub const ALGORITHMS: &[Algorithm] = &[
    apsp::ALGORITHM,
    bfs::ALGORITHM,
    color::ALGORITHM,
    pagerank::ALGORITHM,
    spmm::ALGORITHM,
    spmv::ALGORITHM,
    sssp::ALGORITHM,
];

/// What one run of an algorithm took.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// From the first submission until the result is ready on the device.
    pub total: Duration,
    /// What of that the device was busy.
    pub kernel: Duration,
    /// How many times the loop went round.
    pub iterations: u32,
}

impl From<LoopRun> for Run {
    fn from(run: LoopRun) -> Self {
        Self { total: run.total, kernel: run.kernel, iterations: run.header.iteration }
    }
}

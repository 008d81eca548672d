//! Algorithms: what is computed, and how an answer is checked. Each is a file here, one in the kernels, and one in
//! [`crate::oracle`].

pub mod bfs;
pub mod source;
pub mod sssp;

pub use bfs::{Bfs, BfsConfig};
pub use source::Source;
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
pub const ALGORITHMS: &[Algorithm] = &[bfs::ALGORITHM, sssp::ALGORITHM];

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
        Self { total: run.total, kernel: run.kernel, iterations: run.control.iteration }
    }
}

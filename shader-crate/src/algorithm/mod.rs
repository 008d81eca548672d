//! The kernels that belong to a single algorithm, one file or folder each.

pub mod apsp;
pub mod bfs;
pub mod color;
pub mod components;
pub mod mst;
pub mod pagerank;
pub mod spmm;
pub mod spmv;

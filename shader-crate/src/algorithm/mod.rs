//! The kernels that belong to one algorithm alone: a file or folder each.

pub mod apsp;
pub mod bfs;
pub mod color;
pub mod pagerank;
pub mod spmm;
pub mod spmv;

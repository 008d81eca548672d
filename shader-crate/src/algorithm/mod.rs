//! The kernels that belong to a single algorithm, one file or folder each.

// First, because its registry is used by others.
#[macro_use]
pub mod spmv;

pub mod apsp;
pub mod betweenness;
pub mod bfs;
pub mod color;
pub mod communities;
pub mod components;
pub mod degree;
pub mod eigenvector;
pub mod kcore;
pub mod many;
pub mod mst;
pub mod pagerank;
pub mod spgemm;
pub mod spmm;
pub mod triangles;

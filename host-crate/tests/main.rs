//! The tests of the library, in one program: it is linked once, and its tests share one open device and the
//! device's pipelines. `cargo test --release --test all traversal::` runs one module.
//!
//! The CPU device has a program of its own (`cpu_device/`), which also runs in debug builds and under Miri.

mod adaptive;
mod api_edge;
mod api_edge_run;
mod apsp;
mod atomic_file;
mod betweenness;
mod classics;
mod closeness;
mod coloring;
mod common;
mod communities;
mod components;
mod csr;
mod device;
mod foreign_files;
mod formats;
mod generators;
mod kcore;
mod long_loops;
mod many_sources;
mod memory;
mod mst;
mod pagerank;
mod partitioned_analytics;
mod partitioned_products;
mod partitioned_undirected;
mod partitions;
mod path;
mod primitives;
mod real_files;
mod reference;
mod schedules;
mod spgemm;
mod traversal;
mod triangles;

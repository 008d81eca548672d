//! Any bytes as a binary graph: what opens must be whole, with every row inside of the columns.

#![no_main]

use evenkeel::graph::formats;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Ok(graph) = formats::parse_binary(Path::new(evenkeel_fuzz::NAME), bytes) {
        let nodes = graph.csr.nodes();
        let edges: usize = (0..nodes).map(|node| graph.csr.neighbours(node).len()).sum();
        assert_eq!(edges, graph.csr.edges() as usize);
        assert!(graph.csr.columns.iter().all(|column| *column < nodes));
    }
});

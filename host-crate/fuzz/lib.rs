//! What the fuzz targets share: a text of any kind is parsed, and what parses must be a graph that can be built.
//! Run one with `cargo +nightly fuzz run --fuzz-dir host-crate/fuzz edge_list`.

use evenkeel::{
    Result,
    graph::{
        Csr,
        csr::BuildOptions,
        formats::{self, Format, Parsed},
    },
};
use std::path::Path;

/// The name that errors get.
pub const NAME: &str = "fuzz";

// Building allocates memory by the number of nodes; a claim of millions would only slow the search for flaws down.
const MOST_NODES_BUILT: u32 = 1 << 16;

/// Parses a text, as the format's target does with each input.
pub fn parse(format: Format, bytes: &[u8]) {
    check(formats::parse(format, Path::new(NAME), bytes));
}

/// Checks that what was parsed is a graph.
pub fn check(parsed: Result<Parsed>) {
    let Ok(parsed) = parsed else { return };
    let nodes = parsed.edges.nodes;
    if nodes <= MOST_NODES_BUILT {
        Csr::from_edges(parsed.edges, BuildOptions::default()).expect("what parses can be built");
        for node in 0..nodes {
            assert_eq!(parsed.ids.index(parsed.ids.id(node), nodes), Some(node));
        }
    }
}

//! What the fuzz targets share: bytes of any kind are parsed, and what parses must be a graph.
//! `FORMAT=edge-list cargo +nightly fuzz run --fuzz-dir host-crate/fuzz format` searches one format; with
//! `CARGO_PROFILE_RELEASE_DEBUG=1`, a backtrace has lines.

use evenkeel::graph::{
    BuildOptions, Csr,
    formats::{self, Columns, Format, Loaded},
};
use std::path::Path;

/// The name that errors get.
pub const NAME: &str = "fuzz";

// Building allocates memory by the number of nodes; a claim of millions would only slow the search for flaws down.
const MOST_NODES_BUILT: u32 = 1 << 16;

/// Parses bytes as a format and checks what comes out. Where a graph has two files, what stands before the first zero byte is
/// the first, and what follows it the second.
pub fn parse(format: Format, bytes: &[u8]) {
    parse_columns(format, bytes, None);
}

/// Parses bytes whose columns of edges the user names, and checks the graph.
pub fn parse_columns(format: Format, bytes: &[u8], columns: Option<&Columns>) {
    let mut files: Vec<&[u8]> = bytes.splitn(2, |byte| *byte == 0).collect();
    files.resize(2, &[]);
    let files: &[&[u8]] = if format.files() == 1 { &[bytes] } else { &files };
    let (nodes, ids) = match formats::parse_columns(format, Path::new(NAME), files, columns) {
        Err(_) => return,
        Ok(Loaded::Graph(graph)) => {
            let nodes = graph.csr.nodes();
            let edges: usize = (0..nodes).map(|node| graph.csr.neighbours(node).len()).sum();
            assert_eq!(edges, graph.csr.edges() as usize);
            assert!(graph.csr.columns().iter().all(|column| *column < nodes));
            (nodes, graph.ids)
        }
        Ok(Loaded::Edges(parsed)) => {
            let nodes = parsed.edges.nodes;
            if nodes > MOST_NODES_BUILT {
                return;
            }
            Csr::from_edges(parsed.edges, BuildOptions::default()).expect("what parses can be built");
            (nodes, parsed.ids)
        }
    };
    for node in 0..nodes {
        assert_eq!(ids.find(&ids.name(node).to_string(), nodes), Some(node));
    }
}

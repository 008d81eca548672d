//! From a file to a graph: read it, let the caller overrule what it says of directions, and build the rows.

use super::{
    Csr, Graph,
    csr::{BuildOptions, BuildReport},
    formats::{self, Format, Listing, Loaded, Parsed},
    transform,
};
use crate::Result;
use std::path::Path;

/// Whether the edges of a file have a direction, when the caller knows better than the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Each edge that the file lists leads one way, as it is listed.
    Directed,
    /// Each edge that the file lists leads both ways.
    Undirected,
}

/// How to open a file. The default believes the file and keeps every edge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The format; found by content and name when absent.
    pub format: Option<Format>,
    /// Overrules what the file says or, where it says nothing, the format's habit.
    pub direction: Option<Direction>,
    /// What to do with the edges. `symmetrise` is the same as [`Direction::Undirected`].
    pub build: BuildOptions,
}

/// Opens a graph file, and says what was changed on the way.
///
/// # Errors
/// When the file cannot be read, is not of its format, or does not fit 32-bit indices.
pub fn open(path: &Path, options: &OpenOptions) -> Result<(Graph, BuildReport)> {
    let name = formats::graph_name(path);
    match formats::load(path, options.format)? {
        Loaded::Parsed(parsed) => build(name, parsed, options),
        Loaded::Graph(graph) => adapt(Graph { name, ..graph }, options),
    }
}

fn wants_undirected(options: &OpenOptions, file_says: bool) -> bool {
    let asked = options.direction.map_or(file_says, |direction| direction == Direction::Undirected);
    asked || options.build.symmetrise
}

fn build(name: String, parsed: Parsed, options: &OpenOptions) -> Result<(Graph, BuildReport)> {
    let undirected = wants_undirected(options, parsed.listing != Listing::Directed);
    let symmetrise = undirected && parsed.listing != Listing::UndirectedBothWays;
    let (csr, report) = Csr::from_edges(parsed.edges, BuildOptions { symmetrise, ..options.build })?;
    Ok((Graph { name, csr, ids: parsed.ids, directed: !undirected }, report))
}

/// Makes of a graph that was stored or generated as one what the options ask for; untouched, and mapped still, when it is that
/// already.
///
/// # Errors
/// When the result does not fit 32-bit indices.
pub fn adapt(mut graph: Graph, options: &OpenOptions) -> Result<(Graph, BuildReport)> {
    let undirected = wants_undirected(options, !graph.directed);
    let symmetrise = undirected && graph.directed;
    graph.directed = !undirected;
    let asked = BuildOptions { symmetrise, ..options.build };
    if asked == BuildOptions::default() {
        let edges = u64::from(graph.csr.edges());
        return Ok((graph, BuildReport { edges_given: edges, edges_stored: edges, ..BuildReport::default() }));
    }
    transform::rebuild(&graph, asked)
}

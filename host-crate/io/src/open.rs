//! Opens a graph file: reads it, lets the caller override its direction, and builds the rows.

use crate::formats::{
    self, Columns, Compression, DirectionSource, Format, Listing, Loaded, LoadedFile, Parsed, Recognised,
};
use evenkeel_base::{Result, phase};
use evenkeel_graph::{BuildOptions, BuildReport, Csr, Graph, transform};
use std::path::Path;

/// The direction of a file's edges, where the caller overrides the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Every listed edge is one directed edge.
    Directed,
    /// Every listed edge is stored in both directions.
    Undirected,
}

/// How a file is opened. The default follows the file and keeps every edge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// The format; found by content and name when absent.
    pub format: Option<Format>,
    /// Which columns hold the edges; found by the header when absent. Formats that are no tables refuse it.
    pub columns: Option<Columns>,
    /// Overrides what the file states or, where it states nothing, the format's default.
    pub direction: Option<Direction>,
    /// How the edges are changed. `symmetrise` has the same effect as [`Direction::Undirected`].
    pub build: BuildOptions,
}

/// Opens a graph file, or standard input where the path is `-`, and reports what it was taken for and what was changed while
/// building the rows.
///
/// # Errors
/// When the file cannot be read, is not of its format, or does not fit 32-bit node ids or the memory.
pub fn open(path: &Path, options: &OpenOptions) -> Result<(Graph, BuildReport)> {
    let name = formats::graph_name(path);
    let LoadedFile { loaded, format, compression } = formats::load(path, options.format, options.columns.as_ref())?;
    let (table, stated, weight_remark) = match &loaded {
        Loaded::Edges(parsed) => (parsed.table.clone(), parsed.direction_stated, parsed.weight_remark.clone()),
        Loaded::Graph(_) => (None, true, None),
    };
    let (graph, report) = match loaded {
        Loaded::Edges(parsed) => build(name, parsed, options)?,
        Loaded::Graph(graph) => adapt(Graph { name, ..graph }, options)?,
    };
    let direction = match (options.direction, stated) {
        (Some(_), _) => DirectionSource::Asked,
        (None, true) => DirectionSource::Stated,
        (None, false) => DirectionSource::Assumed,
    };
    let recognised =
        Recognised::new(format.name(), compression.map(Compression::extension), &graph.ids, table, direction);
    for (what, value) in recognised.lines(graph.directed) {
        tracing::info!("{}: {what}: {value}", path.display());
    }
    Ok((graph, BuildReport { recognised: Some(recognised), weight_remark, ..report }))
}

fn wants_undirected(options: &OpenOptions, file_says: bool) -> bool {
    let asked = options.direction.map_or(file_says, |direction| direction == Direction::Undirected);
    asked || options.build.symmetrise
}

fn build(name: String, parsed: Parsed, options: &OpenOptions) -> Result<(Graph, BuildReport)> {
    let undirected = wants_undirected(options, parsed.listing != Listing::Directed);
    let symmetrise = undirected && parsed.listing != Listing::UndirectedBothWays;
    let _phase = phase::begin("building rows", "");
    let (csr, report) = Csr::from_edges(parsed.edges, BuildOptions { symmetrise, ..options.build })?;
    let csr = match parsed.dimensions {
        Some(dimensions) if !undirected => csr.with_dimensions(dimensions)?,
        _ => csr,
    };
    Ok((Graph { name, csr, ids: parsed.ids, directed: !undirected }, report))
}

/// Applies the options to a graph that was stored as a CSR or generated. A graph that needs no change is returned as it is, and
/// stays mapped.
///
/// # Errors
/// When there is no memory for the result.
pub fn adapt(mut graph: Graph, options: &OpenOptions) -> Result<(Graph, BuildReport)> {
    let undirected = wants_undirected(options, !graph.directed);
    let symmetrise = undirected && graph.directed;
    graph.directed = !undirected;
    let asked = BuildOptions { symmetrise, ..options.build };
    if asked == BuildOptions::default() {
        let edges = graph.csr.edges();
        return Ok((graph, BuildReport { edges_given: edges, edges_stored: edges, ..BuildReport::default() }));
    }
    transform::rebuild(&graph, asked)
}

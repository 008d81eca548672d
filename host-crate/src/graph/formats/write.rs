//! Writing graphs to files: which format takes which graph, and what is said about what a format cannot hold.

use super::{
    Format, adjacency, binary, coloring, compression::Sink, dimacs, edge_list, konect, ldbc, matrix_market, metis, pace,
};
use crate::{
    Error, Result,
    graph::{Graph, NodeIds, Weights},
};
use rayon::prelude::*;
use std::{
    io::{self, Write},
    path::Path,
};

/// Writes a graph to a file in the given format, or the one its name tells; compressed when the name ends in `.gz`, `.xz` or
/// `.zst`. The file appears whole or not at all. For LDBC the file of nodes is written beside it.
///
/// What a format has no place for and a reader can do without (weights in a colouring problem, nodes without edges in an edge
/// list) is left out with a warning.
///
/// # Errors
/// When the format cannot hold the graph, its name is not told, or writing fails.
pub fn write(graph: &Graph, path: &Path, format: Option<Format>) -> Result<()> {
    let format = format_to_write(path, format)?;
    check_fits(graph, format)?;
    warn_of_losses(graph, path, format);
    match format {
        Format::MatrixMarket => write_file(graph, path, matrix_market::write),
        Format::EdgeList => write_file(graph, path, edge_list::write),
        Format::Dimacs => write_file(graph, path, dimacs::write),
        Format::Pace => write_file(graph, path, pace::write),
        Format::Coloring => write_file(graph, path, coloring::write),
        Format::Metis => write_file(graph, path, metis::write),
        Format::Konect => write_file(graph, path, konect::write),
        Format::Adjacency => write_file(graph, path, adjacency::write),
        Format::Binary => write_file(graph, path, binary::write),
        Format::Ldbc => {
            write_file(graph, &ldbc::vertex_paths(path)[0], ldbc::write_vertices)?;
            write_file(graph, path, ldbc::write_edges)
        }
    }
}

/// The given format, or the one that the name of a file to be written tells.
///
/// # Errors
/// When there is neither.
pub fn format_to_write(path: &Path, format: Option<Format>) -> Result<Format> {
    format.or_else(|| Format::of_path(path)).ok_or_else(|| {
        let known = Format::ALL.map(Format::name).join(", ");
        Error::Usage(format!("{}: its name does not tell a format; name one of {known}", path.display()))
    })
}

type Writer = fn(&Graph, &mut dyn Write) -> io::Result<()>;

fn write_file(graph: &Graph, path: &Path, writer: Writer) -> Result<()> {
    let mut sink = Sink::create(path)?;
    writer(graph, &mut sink).map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
    sink.finish(path)
}

/// Refuses what would come back as another graph.
fn check_fits(graph: &Graph, format: Format) -> Result<()> {
    let undirected_only = matches!(format, Format::Pace | Format::Coloring | Format::Metis);
    if undirected_only && graph.directed {
        return Err(Error::Graph(format!(
            "the format {format} holds undirected graphs only, and this one is directed"
        )));
    }
    if matches!(format, Format::Dimacs | Format::Metis) && matches!(graph.csr.weights, Weights::F32(_)) {
        return Err(Error::Graph(format!("the format {format} holds whole weights only, and these are reals")));
    }
    let loops = || (0..graph.csr.nodes()).into_par_iter().any(|node| graph.csr.neighbours(node).contains(&node));
    if format == Format::Metis && loops() {
        return Err(Error::Graph(format!("the format {format} holds no self-loops; drop them first")));
    }
    Ok(())
}

fn warn_of_losses(graph: &Graph, path: &Path, format: Format) {
    let path = path.display();
    let named = matches!(format, Format::EdgeList | Format::Ldbc | Format::Adjacency | Format::Binary);
    if !named && matches!(graph.ids, NodeIds::Listed(_)) {
        tracing::warn!("{path}: {format} counts nodes from 1; their ids are left out");
    }
    let weightless = matches!(format, Format::Pace | Format::Coloring | Format::Adjacency);
    if weightless && graph.csr.weights != Weights::None {
        tracing::warn!("{path}: {format} has no weights; they are left out");
    }
    if matches!(format, Format::Dimacs | Format::Ldbc | Format::Adjacency) && !graph.directed {
        tracing::warn!("{path}: {format} does not say that a graph is undirected; read it as such");
    }
    if format == Format::EdgeList {
        let isolated = isolated_nodes(graph);
        if isolated > 0 {
            tracing::warn!("{path}: {isolated} nodes without edges have no place in an edge list");
        }
    }
}

fn isolated_nodes(graph: &Graph) -> usize {
    let mut reached: Vec<bool> =
        (0..graph.csr.nodes()).into_par_iter().map(|node| graph.csr.degree(node) > 0).collect();
    for target in graph.csr.columns.iter() {
        reached[*target as usize] = true;
    }
    reached.iter().filter(|reached| !**reached).count()
}

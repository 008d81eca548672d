//! The graph that an algorithm of undirected graphs works on.

use crate::{
    Error, Result,
    graph::{BuildOptions, Csr, Graph, NodeIds, Weights, transform},
};
use rayon::prelude::*;
use std::borrow::Cow;

/// Warns of edges from a node to itself, where they are going to be ignored.
pub(super) fn warn_of_self_loops(graph: &Graph) {
    let count = graph.csr.self_loops();
    if count > 0 {
        tracing::warn!("{}: edges from a node to itself are ignored: {count}", graph.name);
    }
}

/// The graph without weights and without edges from a node to itself, if every edge has its reverse. `what` begins the rest of the
/// message if one has not: "colours are", as they are of undirected graphs.
pub(super) fn undirected<'a>(csr: &'a Csr, what: &str) -> Result<Cow<'a, Csr>> {
    let plain = match csr.weights() {
        Weights::None => Cow::Borrowed(csr),
        _ => Cow::Owned(csr.without_weights()),
    };
    if !plain.is_symmetric() {
        return Err(Error::Graph(format!(
            "an edge has no reverse, and {what} of undirected graphs: take each edge both ways (--undirected)"
        )));
    }
    if plain.self_loops() == 0 {
        return Ok(plain);
    }
    let ids = NodeIds::Counted { first: 0 };
    let graph = Graph { name: String::new(), csr: plain.into_owned(), ids, directed: false };
    Ok(Cow::Owned(transform::drop_self_loops(&graph)?.0.csr))
}

/// Returns the undirected graph with parallel edges merged into one.
pub(super) fn simple<'a>(csr: &'a Csr, what: &str) -> Result<Cow<'a, Csr>> {
    let undirected = undirected(csr, what)?;
    let is_repeated = |node: u32| undirected.neighbours(node).windows(2).any(|pair| pair[0] == pair[1]);
    if !(0..undirected.nodes()).into_par_iter().any(is_repeated) {
        return Ok(undirected);
    }
    let ids = NodeIds::Counted { first: 0 };
    let graph = Graph { name: String::new(), csr: undirected.into_owned(), ids, directed: false };
    let options = BuildOptions { merge_parallel_edges: true, ..BuildOptions::default() };
    Ok(Cow::Owned(transform::rebuild(&graph, options)?.0.csr))
}

//! One shortest path, and the nodes within some hops of a node. BFS and SSSP do the work, and stop when the target is settled: what lies
//! beyond it is not looked at.

use super::{Distances, paths, prelude::*, prepare_on};
use crate::algorithm::{Bfs, BfsConfig, Sssp, SsspConfig};
use evenkeel_types::UNREACHED;

/// A shortest path.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// Its nodes, from the first to the last; the same node may be both.
    pub nodes: Vec<u32>,
    /// The distance of each from the first.
    pub distances: Vec<Value>,
}

impl Route {
    /// The length of the whole path.
    pub fn length(&self) -> Option<Value> {
        self.distances.last().copied()
    }
}

/// Finds one shortest path, by weights or by edges; none where there is no path. Of several it is the same one every time. Returns what the
/// search took, too.
///
/// # Errors
/// [`Error::Usage`] when there is no such node; as SSSP and BFS.
pub fn shortest_path(graph: &SharedGraph, from: u32, to: u32, by_weights: bool) -> Result<(Option<Route>, Run)> {
    let (csr, is_cpu) = (graph.csr(), graph.device().info().kind == DeviceKind::Cpu);
    if to >= csr.nodes() {
        return Err(Error::Usage(format!("there is no node {to} to go to: the graph has {} nodes", csr.nodes())));
    }
    // On a GPU, those that look for a target.
    let strategy = |name: &'static str| if is_cpu { "auto" } else { name };
    let (distances, run) = if by_weights {
        let config = SsspConfig { strategy: strategy("near-far").parse()?, ..SsspConfig::default() };
        let mut sssp = Sssp::prepare_to(graph, &config, Some(to))?;
        let run = sssp.run(&from)?;
        (sssp.answer()?.distances.up_to(to), run)
    } else {
        let config = BfsConfig { strategy: strategy("direction").parse()?, ..BfsConfig::default() };
        let mut bfs = Bfs::prepare_to(graph, &config, Some(to))?;
        let run = bfs.run(&from)?;
        (Distances::U32(bfs.answer()?.depths).up_to(to), run)
    };
    let column = distances.column();
    if column.value(to as usize).is_none() {
        return Ok((None, run));
    }
    let parents = match &distances {
        Distances::U32(depths) if !by_weights => {
            paths::parents(csr, &[from], (depths, UNREACHED), |depth, _| depth.checked_add(1))
        }
        distances => distances.parents(csr, &[from]),
    };
    let Some(nodes) = paths::path(&parents, &[from], to) else {
        return Err(Error::Device("the distances that were found do not lead back to the first node".into()));
    };
    let distances = nodes.iter().filter_map(|node| column.value(*node as usize)).collect();
    Ok((Some(Route { nodes, distances }), run))
}

/// Finds the nodes within some hops of a node, with the fewest hops to each: the nearest first, and of these in the order of the graph.
///
/// # Errors
/// [`Error::Usage`] when there is no such node; as BFS.
pub fn neighbourhood(graph: &SharedGraph, from: u32, hops: u32) -> Result<(Vec<(u32, u32)>, Run)> {
    let config = BfsConfig { max_depth: Some(hops), ..BfsConfig::default() };
    let mut bfs = prepare_on::<Bfs>(graph, &config)?;
    let run = bfs.run(&from)?;
    let depths = (0..).zip(bfs.answer()?.depths);
    let mut near: Vec<(u32, u32)> = depths.filter(|(_, depth)| *depth != UNREACHED).collect();
    near.sort_by_key(|(node, depth)| (*depth, *node));
    Ok((near, run))
}

/// What is wrong with a path according to the oracles: its length, or an edge that is not there; none where it is right.
///
/// # Errors
/// As [`Sssp::reference`].
pub fn check_path(
    graph: &Graph,
    route: Option<&Route>,
    (from, to): (u32, u32),
    by_weights: bool,
) -> Result<Option<Mismatch>> {
    let expected = match by_weights {
        true => Sssp::reference(graph, &from, &SsspConfig::default())?.distances,
        false => Distances::U32(oracle::bfs::depths(&graph.csr, from)),
    };
    let (expected, found) = (expected.column().value(to as usize), route.and_then(Route::length));
    let text = |length: Option<Value>| length.map_or("no path".to_owned(), |length| length.to_string());
    if expected != found {
        return Ok(Some(Mismatch { node: to, expected: text(expected), found: text(found) }));
    }
    let Some(route) = route else { return Ok(None) };
    let ends = (route.nodes.first().copied(), route.nodes.last().copied());
    if ends != (Some(from), Some(to)) {
        let found = format!("a path from {:?} to {:?}", ends.0, ends.1);
        return Ok(Some(Mismatch { node: to, expected: format!("a path from {from} to {to}"), found }));
    }
    let steps = route.nodes.windows(2).zip(route.distances.windows(2));
    let wrong = steps.into_iter().find(|(nodes, distances)| !has_edge(&graph.csr, nodes, distances, by_weights));
    Ok(wrong.map(|(nodes, distances)| Mismatch {
        node: nodes[1],
        expected: format!("an edge from {} of the length between {} and {}", nodes[0], distances[0], distances[1]),
        found: "none".into(),
    }))
}

/// Whether there is an edge between two nodes that is as long as their distances say.
fn has_edge(csr: &Csr, nodes: &[u32], distances: &[Value], by_weights: bool) -> bool {
    csr.row(nodes[0]).filter(|edge| csr.columns()[*edge] == nodes[1]).any(|edge| {
        let weight = match csr.weights() {
            Weights::U32(weights) if by_weights => f64::from(weights[edge]),
            Weights::F32(weights) if by_weights => f64::from(weights[edge]),
            _ => 1.0,
        };
        match (distances[0], distances[1]) {
            (Value::Real(before), Value::Real(after)) => before + weight as f32 == after,
            (before, after) => before.real() + weight == after.real(),
        }
    })
}

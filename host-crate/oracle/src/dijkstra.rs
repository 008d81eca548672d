//! Shortest paths by Dijkstra's algorithm with a binary heap; a graph without weights weighs 1 everywhere.
//!
//! Reals are added in f32 or in f64, edge by edge from the source. Rounding is monotone, so the smallest sum over all paths is the same in
//! whatever order edges are relaxed, and a kernel's answer must agree to the bit.

use super::Mismatch;
use evenkeel_base::{Error, Result};
use evenkeel_graph::{Csr, Weights};
use std::{borrow::Cow, cmp::Reverse, collections::BinaryHeap};

pub use super::UNREACHABLE;

/// Distances from `source` over whole weights.
///
/// # Errors
/// When the weights are reals, or a distance is `u32::MAX` or more.
pub fn whole(csr: &Csr, source: u32) -> Result<Vec<u32>> {
    narrow(&wide(csr, source)?)
}

/// Distances from `source` over whole weights in 64 bits; `u64::MAX` for nodes that cannot be reached.
///
/// # Errors
/// When the weights are reals.
pub fn wide(csr: &Csr, source: u32) -> Result<Vec<u64>> {
    if let Weights::F32(_) = csr.weights() {
        return Err(Error::Graph("whole distances were asked of a graph with real weights".into()));
    }
    let weight = |edge| csr.weights().real(edge) as u64;
    Ok(search(csr, source, (0, u64::MAX), |distance, edge| distance + weight(edge), |distance| distance))
}

/// Distances of 64 bits in 32.
///
/// # Errors
/// When one is `u32::MAX` or more.
pub fn narrow(distances: &[u64]) -> Result<Vec<u32>> {
    let narrow = |(node, &distance): (usize, &u64)| match distance {
        u64::MAX => Ok(UNREACHABLE),
        _ if distance < u64::from(UNREACHABLE) => Ok(distance as u32),
        _ => Err(Error::Graph(format!("the distance of node {node} is {distance}, more than 32 bits hold"))),
    };
    distances.iter().enumerate().map(narrow).collect()
}

/// Right distances, for [`check_parents`].
pub enum Lengths<'a> {
    /// Over whole weights; `u64::MAX` for nodes that cannot be reached.
    Whole(Cow<'a, [u64]>),
    /// Over real weights; infinite for nodes that cannot be reached.
    Real(&'a [f32]),
    /// Over real weights, in double precision.
    Double(&'a [f64]),
}

impl Lengths<'_> {
    fn is_reached(&self, node: u32) -> bool {
        match self {
            Self::Whole(all) => all[node as usize] != u64::MAX,
            Self::Real(all) => all[node as usize] != f32::INFINITY,
            Self::Double(all) => all[node as usize] != f64::INFINITY,
        }
    }

    /// Whether the way over the edge is as long as the distance of the node it leads to.
    fn is_tight(&self, csr: &Csr, node: u32, edge: usize) -> bool {
        let (node, neighbour, weight) = (node as usize, csr.columns()[edge] as usize, csr.weights().real(edge));
        match self {
            Self::Whole(all) => all[node].checked_add(weight as u64) == Some(all[neighbour]),
            Self::Real(all) => all[node] + weight as f32 == all[neighbour],
            Self::Double(all) => all[node] + weight == all[neighbour],
        }
    }
}

/// Whether `parents` is a tree of shortest paths, or one for each source: sources and unreachable nodes have [`UNREACHABLE`], every other node has a parent
/// with an edge to it that is as long as their distances differ, and following parents leads to a source.
///
/// # Errors
/// With the first node whose parent is wrong.
pub fn check_parents(csr: &Csr, sources: &[u32], lengths: &Lengths<'_>, parents: &[u32]) -> Result<(), Mismatch> {
    let nodes = csr.nodes();
    let parent_of = |node: u32| parents.get(node as usize).copied();
    let mut has_edge = vec![false; nodes as usize];
    for node in (0..nodes).filter(|&node| lengths.is_reached(node)) {
        for edge in csr.row(node) {
            let neighbour = csr.columns()[edge];
            has_edge[neighbour as usize] |= parent_of(neighbour) == Some(node) && lengths.is_tight(csr, node, edge);
        }
    }
    let wrong = |node: u32, expected: &str| {
        let found = parent_of(node).map_or("no value".to_owned(), |parent| parent.to_string());
        Mismatch { node, expected: expected.to_owned(), found }
    };
    for node in 0..nodes {
        match sources.contains(&node) || !lengths.is_reached(node) {
            true if parent_of(node) != Some(UNREACHABLE) => return Err(wrong(node, "none")),
            false if !has_edge[node as usize] => return Err(wrong(node, "a neighbour on a shortest path")),
            _ => {}
        }
    }
    // What each node's parents are known to lead to: nothing yet, the node whose parents are being followed, or the source.
    let mut seen_from = vec![UNREACHABLE; nodes as usize];
    sources.iter().for_each(|source| seen_from[*source as usize] = nodes);
    for start in (0..nodes).filter(|node| !sources.contains(node) && lengths.is_reached(*node)) {
        let mut node = start;
        while seen_from[node as usize] == UNREACHABLE {
            seen_from[node as usize] = start;
            node = parents[node as usize];
        }
        if seen_from[node as usize] == start {
            return Err(wrong(start, "one whose parents lead to the source"));
        }
    }
    Ok(())
}

/// Distances from `source` over real weights; whole ones are taken as reals.
///
/// # Errors
/// When a weight is negative.
pub fn real(csr: &Csr, source: u32) -> Result<Vec<f32>> {
    let weight = |edge: usize| csr.weights().real(edge) as f32;
    refuse_negative(csr)?;
    // The bits of non-negative reals order as the reals do.
    let key = |distance: f32| u64::from(distance.to_bits());
    Ok(search(csr, source, (0.0, f32::INFINITY), |distance, edge| distance + weight(edge), key))
}

/// Distances from `source` over real weights, added in double precision.
///
/// # Errors
/// When a weight is negative.
pub fn double(csr: &Csr, source: u32) -> Result<Vec<f64>> {
    refuse_negative(csr)?;
    let extend = |distance: f64, edge: usize| distance + csr.weights().real(edge);
    Ok(search(csr, source, (0.0, f64::INFINITY), extend, f64::to_bits))
}

fn refuse_negative(csr: &Csr) -> Result<()> {
    let weight = |edge: usize| csr.weights().real(edge);
    match (0..csr.columns().len()).find(|&edge| weight(edge) < 0.0) {
        Some(edge) => Err(Error::Graph(format!("edge {edge} has the negative weight {}", weight(edge)))),
        None => Ok(()),
    }
}

fn search<D: Copy + PartialOrd>(
    csr: &Csr,
    source: u32,
    (zero, unreachable): (D, D),
    extend: impl Fn(D, usize) -> D,
    key: impl Fn(D) -> u64,
) -> Vec<D> {
    let mut distances = vec![unreachable; csr.nodes() as usize];
    let mut heap = BinaryHeap::from([Reverse((key(zero), source))]);
    distances[source as usize] = zero;
    while let Some(Reverse((at, node))) = heap.pop() {
        let distance = distances[node as usize];
        if at > key(distance) {
            continue; // A shorter path was found after this one was pushed.
        }
        for edge in csr.row(node) {
            let (neighbour, further) = (csr.columns()[edge], extend(distance, edge));
            if further < distances[neighbour as usize] {
                distances[neighbour as usize] = further;
                heap.push(Reverse((key(further), neighbour)));
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1, 0 → 2, 1 → 2, 2 → 1, 2 → 3; 4 is alone.
    fn graph(weights: Weights) -> Csr {
        let (row_offsets, columns) = (vec![0, 2, 3, 5, 5, 5], vec![1, 2, 2, 1, 3]);
        Csr::new(row_offsets, columns, weights).unwrap()
    }

    #[test]
    fn whole_and_real_distances() {
        let weighted = graph(Weights::U32(vec![9, 2, 1, 3, 10].into()));
        assert_eq!(whole(&weighted, 0).unwrap(), [0, 5, 2, 12, UNREACHABLE]);
        assert_eq!(real(&weighted, 0).unwrap(), [0.0, 5.0, 2.0, 12.0, f32::INFINITY]);
        assert_eq!(whole(&graph(Weights::None), 0).unwrap(), [0, 1, 1, 2, UNREACHABLE]);
        let zeros = graph(Weights::F32(vec![0.0, -0.0, 0.0, 0.0, 0.5].into()));
        assert_eq!(real(&zeros, 0).unwrap(), [0.0, 0.0, 0.0, 0.5, f32::INFINITY]);
    }

    #[test]
    fn reals_are_rounded_at_every_edge() {
        let path = graph(Weights::F32(vec![9e9, 16_777_216.0, 0.0, 1.0, 1.0].into()));
        assert_eq!(real(&path, 0).unwrap()[1], 16_777_216.0, "2^24 + 1 is not a float");
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let far = graph(Weights::U32(vec![u32::MAX - 1, u32::MAX - 2, 0, 9, 2].into()));
        assert!(whole(&far, 0).unwrap_err().to_string().contains("node 3 is 4294967295"));
        assert!(whole(&graph(Weights::F32(vec![1.0; 5].into())), 0).is_err());
        assert_eq!(wide(&far, 0).unwrap()[3], 4_294_967_295);
        let negative = graph(Weights::F32(vec![1.0, 1.0, 1.0, -1.0, 1.0].into()));
        assert!(real(&negative, 0).unwrap_err().to_string().contains("edge 3"));
    }

    #[test]
    fn any_tree_of_shortest_paths_passes_and_nothing_else() {
        const NONE: u32 = UNREACHABLE;
        // The nodes 1 and 2 are at the same distance, with edges of weight 0 both ways.
        let csr = graph(Weights::U32(vec![2, 2, 0, 0, 10].into()));
        let distances = wide(&csr, 0).unwrap();
        assert_eq!(distances, [0, 2, 2, 12, u64::MAX]);
        let lengths = Lengths::Whole(distances.into());
        let check = |parents: &[u32]| check_parents(&csr, &[0], &lengths, parents).map_err(|mismatch| mismatch.node);
        assert_eq!(check(&[NONE, 0, 0, 2, NONE]), Ok(()));
        assert_eq!(check(&[NONE, 2, 0, 2, NONE]), Ok(()));
        assert_eq!(check(&[NONE, 2, 1, 2, NONE]), Err(1), "a circle");
        assert_eq!(check(&[NONE, 0, 0, 1, NONE]), Err(3), "no such edge");
        assert_eq!(check(&[NONE, 0, 0, NONE, NONE]), Err(3), "reachable");
        assert_eq!(check(&[1, 0, 0, 2, NONE]), Err(0), "the source has none");
        assert_eq!(check(&[NONE, 0, 0, 2, 3]), Err(4), "unreachable");
        assert_eq!(check(&[NONE, 0, 0, 2]), Err(4), "too short");
        let detour = graph(Weights::F32(vec![9.0, 0.5, 1.0, 3.0, 1.0].into()));
        let distances = real(&detour, 0).unwrap();
        let check =
            |parents: &[u32]| check_parents(&detour, &[0], &Lengths::Real(&distances), parents).map_err(|it| it.node);
        assert_eq!(check(&[NONE, 2, 0, 2, NONE]), Ok(()));
        assert_eq!(check(&[NONE, 0, 0, 2, NONE]), Err(1), "a longer way");
    }
}

//! Shortest paths from their lengths alone: the parents of all nodes, found on the host when the distances are known, and the path
//! to one node.
//!
//! An edge is tight when its start's distance and its weight come to its end's distance. Any tight edge from a nearer node leads back to
//! the source. Where weights are 0, or so small that rounding swallows them, both ends are at the same distance, and tight edges can
//! form a cycle; nodes that have no other are reached in waves, so that each gets a parent that has one already.

use crate::graph::Csr;
use evenkeel_types::UNREACHED;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// The parent of every node on a shortest path from the nearest source; [`UNREACHED`] for sources and for nodes that were not reached.
/// `along` adds the edge at a place of the columns to a distance, and gives none where the sum does not fit. The same distances give the
/// same parents, whatever the threads.
pub(super) fn parents<D: Copy + PartialOrd + Sync>(
    csr: &Csr,
    sources: &[u32],
    (distances, unreached): (&[D], D),
    along: impl Fn(D, usize) -> Option<D> + Sync,
) -> Vec<u32> {
    let is_reached = |node: u32| distances[node as usize] != unreached;
    // A sum of reals can be infinite, and then it is no path.
    let is_tight = |node: u32, edge: usize| {
        let sum = along(distances[node as usize], edge).filter(|sum| *sum != unreached);
        sum.is_some_and(|sum| sum == distances[csr.columns()[edge] as usize])
    };
    let found: Vec<AtomicU32> = (0..csr.nodes()).map(|_| AtomicU32::new(UNREACHED)).collect();
    (0..csr.nodes()).into_par_iter().filter(|&node| is_reached(node)).for_each(|node| {
        for edge in csr.row(node) {
            let neighbour = csr.columns()[edge] as usize;
            if distances[node as usize] < distances[neighbour] && is_tight(node, edge) {
                found[neighbour].fetch_min(node, Relaxed);
            }
        }
    });
    let mut parents: Vec<u32> = found.into_iter().map(AtomicU32::into_inner).collect();
    let mut sources = sources.to_vec();
    sources.sort_unstable();
    let is_source = |node: u32| sources.binary_search(&node).is_ok();
    let has_parent = |parents: &[u32], node: u32| is_source(node) || parents[node as usize] != UNREACHED;
    let (mut wave, rest): (Vec<u32>, Vec<u32>) =
        (0..csr.nodes()).filter(|&node| is_reached(node)).partition(|&node| has_parent(&parents, node));
    if rest.is_empty() {
        return parents;
    }
    while let Some(node) = wave.pop() {
        for edge in csr.row(node) {
            let neighbour = csr.columns()[edge];
            if !has_parent(&parents, neighbour) && is_tight(node, edge) {
                parents[neighbour as usize] = node;
                wave.push(neighbour);
            }
        }
    }
    parents
}

/// The nodes from a source to the target; none where parents do not lead back to a source.
pub(super) fn path(parents: &[u32], sources: &[u32], target: u32) -> Option<Vec<u32>> {
    let mut nodes = vec![target];
    let mut node = target;
    while !sources.contains(&node) {
        node = parents[node as usize];
        // Parents that were not checked may go round in a circle.
        if node as usize >= parents.len() || nodes.len() == parents.len() {
            return None;
        }
        nodes.push(node);
    }
    nodes.reverse();
    Some(nodes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Weights;

    #[test]
    fn a_cycle_of_weight_zero_leads_back_to_the_source() {
        // 0 →5→ 1, then 1 →0→ 2 →0→ 3 →0→ 2 and 3 →0→ 1; 4 is alone.
        let weights = Weights::U32(vec![5, 0, 0, 0, 0].into());
        let csr = Csr::new(vec![0, 1, 2, 3, 5, 5], vec![1, 2, 3, 1, 2], weights).unwrap();
        let Weights::U32(weights) = csr.weights() else { panic!("whole weights") };
        let distances = [0u32, 5, 5, 5, UNREACHED];
        let found = parents(&csr, &[0], (&distances, UNREACHED), |distance, edge| distance.checked_add(weights[edge]));
        assert_eq!(found, [UNREACHED, 0, 1, 2, UNREACHED]);
        assert_eq!(path(&found, &[0], 3), Some(vec![0, 1, 2, 3]));
        assert_eq!((path(&found, &[0], 0), path(&found, &[0], 4)), (Some(vec![0]), None));
        assert_eq!(path(&[UNREACHED, 2, 1], &[0], 1), None, "a circle");
        let distances = [0.0, f32::MAX, f32::INFINITY];
        let chain = Csr::new(vec![0, 1, 2, 2], vec![1, 2], Weights::F32(vec![f32::MAX; 2].into())).unwrap();
        let found = parents(&chain, &[0], (&distances, f32::INFINITY), |distance, _| Some(distance + f32::MAX));
        assert_eq!(found, [UNREACHED, 0, UNREACHED], "a sum that is infinite");
    }
}

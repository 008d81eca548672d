//! Shortest paths by Dijkstra's algorithm with a binary heap; a graph without weights weighs 1 everywhere.
//!
//! Reals are added in f32, edge by edge from the source. Rounding is monotone, so the smallest sum over all paths is the same in
//! whatever order edges are relaxed, and a kernel's answer must agree to the bit.

use crate::{
    Error, Result,
    graph::{Csr, Weights},
};
use std::{cmp::Reverse, collections::BinaryHeap};

pub use super::UNREACHABLE;

/// Distances from `source` over whole weights.
///
/// # Errors
/// When the weights are reals, or a distance is `u32::MAX` or more.
pub fn whole(csr: &Csr, source: u32) -> Result<Vec<u32>> {
    if let Weights::F32(_) = csr.weights() {
        return Err(Error::Graph("whole distances were asked of a graph with real weights".into()));
    }
    let weight = |edge| csr.weights().real(edge) as u64;
    let distances = search(csr, source, (0, u64::MAX), |distance, edge| distance + weight(edge), |distance| distance);
    let narrow = |(node, distance)| match distance {
        u64::MAX => Ok(UNREACHABLE),
        _ if distance < u64::from(UNREACHABLE) => Ok(distance as u32),
        _ => Err(Error::Graph(format!("the distance of node {node} is {distance}, more than 32 bits hold"))),
    };
    distances.into_iter().enumerate().map(narrow).collect()
}

/// Distances from `source` over real weights; whole ones are taken as reals.
///
/// # Errors
/// When a weight is negative.
pub fn real(csr: &Csr, source: u32) -> Result<Vec<f32>> {
    let weight = |edge: usize| csr.weights().real(edge) as f32;
    if let Some(edge) = (0..csr.columns().len()).find(|&edge| weight(edge) < 0.0) {
        return Err(Error::Graph(format!("edge {edge} has the negative weight {}", weight(edge))));
    }
    // The bits of non-negative reals order as the reals do.
    let key = |distance: f32| u64::from(distance.to_bits());
    Ok(search(csr, source, (0.0, f32::INFINITY), |distance, edge| distance + weight(edge), key))
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
        let negative = graph(Weights::F32(vec![1.0, 1.0, 1.0, -1.0, 1.0].into()));
        assert!(real(&negative, 0).unwrap_err().to_string().contains("edge 3"));
    }
}

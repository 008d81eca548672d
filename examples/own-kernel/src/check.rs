//! Finds the same facts by a plain loop over the edges, one node after another.

use crate::finder::Facts;
use evenkeel::graph::{Csr, Graph, Weights};
use kernels::NOBODY;

/// The first node that the kernels have something wrong about, in words.
pub fn first_mismatch(graph: &Graph, facts: &Facts) -> Option<String> {
    let csr = &graph.csr;
    let heaviest: Vec<_> = (0..csr.nodes()).map(|node| heaviest_edge(csr, node)).collect();
    (0..csr.nodes()).find_map(|node| {
        let index = node as usize;
        let found = (facts.heaviest[index], facts.neighbours[index], facts.climbs[index]);
        let expected = (heaviest[index].0, heaviest[index].1, climb(&heaviest, facts, node));
        let (degree, error) = weighted_degree(csr, node);
        // Written so that what is not a number is wrong.
        let right = found == expected && (f64::from(facts.degrees[index]) - degree).abs() <= error;
        (!right).then(|| {
            format!(
                "node {}: weighted degree {}, expected {degree}; heaviest edge, neighbour and climb {found:?}, expected {expected:?}",
                graph.ids.name(node),
                facts.degrees[index]
            )
        })
    })
}

fn weight(csr: &Csr, edge: usize) -> f32 {
    match csr.weights() {
        Weights::None => 1.0,
        Weights::U32(weights) => weights[edge] as f32,
        Weights::F32(weights) => weights[edge],
    }
}

/// The sum of a node's weights, and how far off single precision may be: a rounding for each addition.
fn weighted_degree(csr: &Csr, node: u32) -> (f64, f64) {
    let weights = || csr.row(node).map(|edge| f64::from(weight(csr, edge)));
    let size: f64 = weights().map(f64::abs).sum();
    (weights().sum(), csr.degree(node) as f64 * f64::from(f32::EPSILON) * size)
}

/// The weight of a node's heaviest edge and its end; of several the end with the smallest number.
fn heaviest_edge(csr: &Csr, node: u32) -> (f32, u32) {
    let mut heaviest = (f32::NEG_INFINITY, NOBODY);
    for edge in csr.row(node) {
        let (weight, end) = (weight(csr, edge), csr.columns()[edge]);
        if weight > heaviest.0 || (weight == heaviest.0 && end < heaviest.1) {
            heaviest = (weight, end);
        }
    }
    heaviest
}

/// One more than the next node's climb, which is checked in its turn. Weights grow along a climb, so none leads back.
fn climb(heaviest: &[(f32, u32)], facts: &Facts, node: u32) -> u32 {
    let (weight, next) = heaviest[node as usize];
    if next == NOBODY || heaviest[next as usize].0 <= weight { 0 } else { 1 + facts.climbs[next as usize] }
}

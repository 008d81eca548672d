//! Degrees, edge by edge, with the bounds that sums of weights have.

use super::spmv::{Bounded, sum};
use evenkeel_graph::Csr;

/// The degree of each node: how many edges leave it, lead to it, or both; or the sums of their weights. Where directions do not count, every
/// edge is stored both ways, but for one from a node to itself, which is around it twice.
pub fn degrees(csr: &Csr, leaving: bool, leading: bool, weighted: bool, directed: bool) -> Vec<Bounded> {
    let mut around = vec![Vec::new(); csr.nodes() as usize];
    for node in 0..csr.nodes() {
        for edge in csr.row(node) {
            let (target, weight) = (csr.columns()[edge], if weighted { csr.weights().real(edge) } else { 1.0 });
            let is_loop = node == target;
            if leaving {
                around[node as usize].push(weight);
            }
            if leading && (!leaving || directed || is_loop) {
                around[target as usize].push(weight);
            }
        }
    }
    around.iter().map(|weights| sum(weights)).collect()
}

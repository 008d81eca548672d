//! Triangles one after the other, by the algorithm "forward" (Schank and Wagner 2005): nodes come in the order of falling degrees, each
//! has a list of the neighbours that came before it, and a triangle is what the lists of two neighbours have in common. An edge counts
//! whatever its direction; edges from a node to itself and parallel edges do not.

use super::Mismatch;
use evenkeel_graph::Csr;
use std::cmp::{Ordering, Reverse};

/// The neighbours of each node, in either direction.
pub(super) fn neighbourhoods(csr: &Csr) -> Vec<Vec<u32>> {
    let mut around = vec![Vec::new(); csr.nodes() as usize];
    for node in 0..csr.nodes() {
        for &other in csr.neighbours(node).iter().filter(|other| **other != node) {
            around[node as usize].push(other);
            around[other as usize].push(node);
        }
    }
    for list in &mut around {
        list.sort_unstable();
        list.dedup();
    }
    around
}

/// Calls `visit` with the corners of each triangle once.
fn visit(around: &[Vec<u32>], mut visit: impl FnMut([u32; 3])) {
    let mut order: Vec<u32> = (0..around.len() as u32).collect();
    order.sort_by_key(|&node| (Reverse(around[node as usize].len()), node));
    let mut place = vec![0; around.len()];
    (0u32..).zip(&order).for_each(|(at, &node)| place[node as usize] = at);
    // The places of the neighbours that came before, which are sorted because they come in order.
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); around.len()];
    for &node in &order {
        for &other in around[node as usize].iter().filter(|other| place[**other as usize] > place[node as usize]) {
            let [mut own, mut its] = [node, other].map(|node| before[node as usize].iter().peekable());
            while let (Some(&&a), Some(&&b)) = (own.peek(), its.peek()) {
                match a.cmp(&b) {
                    Ordering::Less => _ = own.next(),
                    Ordering::Greater => _ = its.next(),
                    Ordering::Equal => {
                        visit([order[a as usize], node, other]);
                        own.next();
                        its.next();
                    }
                }
            }
            before[other as usize].push(place[node as usize]);
        }
    }
}

/// The number of triangles that each node is in.
pub fn counts(csr: &Csr) -> Vec<u64> {
    let mut counts = vec![0; csr.nodes() as usize];
    visit(&neighbourhoods(csr), |corners| corners.map(|node| node as usize).iter().for_each(|&node| counts[node] += 1));
    counts
}

/// The number of triangles.
pub fn total(csr: &Csr) -> u64 {
    let mut total = 0;
    visit(&neighbourhoods(csr), |_| total += 1);
    total
}

/// The local clustering coefficient of each node by LDBC Graphalytics' rule: of the pairs of different neighbours, in either order, the
/// part that has an edge from the first to the second; 0 for a node with fewer than two neighbours.
pub fn clustering(csr: &Csr) -> Vec<f64> {
    let has = |from: u32, to: u32| u64::from(csr.neighbours(from).binary_search(&to).is_ok());
    let around = neighbourhoods(csr);
    let mut edges = vec![0u64; around.len()];
    visit(&around, |[a, b, c]| {
        for (node, one, other) in [(a, b, c), (b, c, a), (c, a, b)] {
            edges[node as usize] += has(one, other) + has(other, one);
        }
    });
    let share = |(edges, around): (u64, &Vec<u32>)| match around.len() as f64 {
        few if few < 2.0 => 0.0,
        neighbours => edges as f64 / (neighbours * (neighbours - 1.0)),
    };
    edges.into_iter().zip(&around).map(share).collect()
}

/// The first node whose coefficient differs by more than the rounding of a division.
pub fn first_mismatch(expected: &[f64], found: &[f64]) -> Option<Mismatch> {
    let is_close = |(expected, found): (&f64, &f64)| (expected - found).abs() <= 1e-12;
    if expected.len() == found.len() && expected.iter().zip(found).all(is_close) {
        return None;
    }
    super::first_mismatch(expected, found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{Weights, generate::Generator};

    fn generated(text: &str) -> Csr {
        text.parse::<Generator>().unwrap().generate().unwrap().csr
    }

    #[test]
    fn closed_forms() {
        for nodes in [1u64, 2, 3, 4, 17] {
            let complete = generated(&format!("complete:nodes={nodes}"));
            let total_expected = nodes * nodes.saturating_sub(1) * nodes.saturating_sub(2) / 6;
            assert_eq!(total(&complete), total_expected);
            assert_eq!(counts(&complete), vec![3 * total_expected / nodes; nodes as usize]);
            assert_eq!(clustering(&complete), vec![if nodes > 2 { 1.0 } else { 0.0 }; nodes as usize]);
        }
        for graph in ["grid:rows=5,cols=7", "star:nodes=20", "chain:nodes=9"] {
            assert_eq!((total(&generated(graph)), clustering(&generated(graph)).iter().sum::<f64>()), (0, 0.0));
        }
    }

    #[test]
    fn loops_and_parallel_edges_do_not_count() {
        // A triangle with a tail, every edge twice, and edges to themselves.
        let (row_offsets, columns) =
            (vec![0, 5, 9, 15, 17, 17], vec![0, 1, 1, 2, 2, 0, 0, 2, 2, 0, 0, 1, 1, 3, 3, 2, 2]);
        let csr = Csr::new(row_offsets, columns, Weights::None).unwrap();
        assert_eq!(counts(&csr), [1, 1, 1, 0, 0]);
        assert_eq!(clustering(&csr), [1.0, 1.0, 1.0 / 3.0, 0.0, 0.0]);
    }

    #[test]
    fn directions_count_for_coefficients() {
        // 0 → 1 → 2 → 0, and 1 → 0: node 2 has both edges between its neighbours, the others one of two.
        let csr = Csr::new(vec![0, 1, 3, 4], vec![1, 0, 2, 0], Weights::None).unwrap();
        assert_eq!((total(&csr), clustering(&csr)), (1, vec![0.5, 0.5, 1.0]));
        assert_eq!(first_mismatch(&[0.5, 0.5], &[0.5, 0.25]).unwrap().to_string(), "node 1: expected 0.5, found 0.25");
        assert_eq!(first_mismatch(&[0.5], &[0.5]), None);
    }
}

//! Minimum spanning forests by Kruskal's algorithm (1956): edges in the order of their weights, each taken if its ends are not connected yet.
//! Edges of equal weight keep the order of the graph, so there is one answer. Directions do not count.

use evenkeel_graph::{Csr, Weights};

/// The edges of the forest, as their places among the graph's edges, in ascending order.
pub fn kruskal(csr: &Csr) -> Vec<u64> {
    let mut edges: Vec<(u32, u64)> = Vec::new();
    for source in 0..csr.nodes() {
        edges.extend(csr.row(source).map(|place| (source, place as u64)));
    }
    // Stable sorts: edges of the same weight stay in the order of the graph.
    match csr.weights() {
        Weights::None => {}
        Weights::U32(weights) => edges.sort_by_key(|(_, place)| weights[*place as usize]),
        Weights::F32(weights) => {
            edges.sort_by(|(_, one), (_, other)| weights[*one as usize].total_cmp(&weights[*other as usize]));
        }
    }
    let mut trees: Vec<u32> = (0..csr.nodes()).collect();
    let mut forest = Vec::new();
    for (source, place) in edges {
        let (one, other) = (find(&mut trees, source), find(&mut trees, csr.columns()[place as usize]));
        if one != other {
            trees[one as usize] = other;
            forest.push(place);
        }
    }
    forest.sort_unstable();
    forest
}

/// The root of a node's tree; the path to it is halved on the way.
fn find(trees: &mut [u32], mut node: u32) -> u32 {
    while trees[node as usize] != node {
        trees[node as usize] = trees[trees[node as usize] as usize];
        node = trees[node as usize];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{BuildOptions, EdgeList, EdgeWeights};

    fn csr(nodes: u32, symmetrise: bool, edges: &[(u32, u32, f32)]) -> Csr {
        let weights = EdgeWeights::F32(edges.iter().map(|edge| edge.2).collect());
        let (sources, targets) = edges.iter().map(|edge| (edge.0, edge.1)).unzip();
        let options = BuildOptions { symmetrise, ..BuildOptions::default() };
        Csr::from_edges(EdgeList { nodes, sources, targets, weights }, options).unwrap().0
    }

    fn weights(csr: &Csr) -> Vec<f32> {
        let Weights::F32(weights) = csr.weights() else { panic!("real weights") };
        kruskal(csr).into_iter().map(|place| weights[place as usize]).collect()
    }

    #[test]
    fn a_cycle_loses_its_heaviest_edge() {
        let cycle: Vec<(u32, u32, f32)> =
            (0..5).map(|node| (node, (node + 1) % 5, [3.0, 1.0, 9.0, 2.0, 5.0][node as usize])).collect();
        for symmetrise in [false, true] {
            let mut found = weights(&csr(5, symmetrise, &cycle));
            found.sort_by(f32::total_cmp);
            assert_eq!(found, [1.0, 2.0, 3.0, 5.0]);
        }
    }

    #[test]
    fn parallel_edges_negative_weights_and_edges_to_oneself() {
        let graph = csr(5, false, &[(0, 1, 4.0), (0, 1, -2.5), (1, 0, 3.0), (2, 2, -9.0), (3, 4, 0.0)]);
        assert_eq!(weights(&graph), [-2.5, 0.0]);
        assert!(kruskal(&csr(1, false, &[])).is_empty() && kruskal(&csr(0, false, &[])).is_empty());
    }

    /// None of the n^(n - 2) trees of a small complete graph is lighter.
    #[test]
    fn no_tree_is_lighter() {
        for seed in 0..40u32 {
            let draw = |edge: u32| f32::from(((seed * 31 + edge).wrapping_mul(2_654_435_761) >> 24) as u8) - 100.0;
            let pairs: Vec<(u32, u32)> = (0..5).flat_map(|one| (one + 1..5).map(move |other| (one, other))).collect();
            let edges: Vec<_> = pairs.iter().zip(0..).map(|(pair, edge)| (pair.0, pair.1, draw(edge))).collect();
            let connects = |chosen: u32| {
                let mut trees: Vec<u32> = (0..5).collect();
                for (one, other, _) in (0..10).filter(|edge| (chosen >> edge) & 1 > 0).map(|edge| edges[edge as usize])
                {
                    let (one, other) = (find(&mut trees, one), find(&mut trees, other));
                    trees[one as usize] = other;
                }
                (0..5).all(|node| find(&mut trees, node) == find(&mut trees, 0))
            };
            let weight = |chosen: u32| {
                (0..10).filter(|edge| (chosen >> edge) & 1 > 0).map(|edge| edges[edge as usize].2).sum::<f32>()
            };
            let trees = (0..1024u32).filter(|chosen| chosen.count_ones() == 4 && connects(*chosen));
            let lightest = trees.map(weight).min_by(f32::total_cmp).unwrap();
            assert_eq!(weights(&csr(5, true, &edges)).into_iter().sum::<f32>(), lightest);
        }
    }
}

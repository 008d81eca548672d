//! Label propagation by LDBC Graphalytics' rule, with a map of counts for each node.

use evenkeel_graph::Csr;
use std::{cmp::Reverse, collections::HashMap};

/// The label of each node after so many iterations, or as soon as none changes. In each of them a node takes the label that most of its
/// neighbours have, of several the smallest. Both ends of an edge are neighbours of the other; in a graph that has every edge both ways, each
/// pair is one edge.
pub fn labels(csr: &Csr, iterations: u32) -> Vec<u32> {
    let mut labels: Vec<u32> = (0..csr.nodes()).collect();
    for _ in 0..iterations {
        let mut counts = vec![HashMap::<u32, u64>::new(); labels.len()];
        for node in 0..csr.nodes() {
            for neighbour in csr.neighbours(node) {
                *counts[node as usize].entry(labels[*neighbour as usize]).or_default() += 1;
                if !csr.is_symmetric() {
                    *counts[*neighbour as usize].entry(labels[node as usize]).or_default() += 1;
                }
            }
        }
        let most = |counts: &HashMap<u32, u64>| {
            counts.iter().max_by_key(|(label, count)| (**count, Reverse(**label))).map(|(label, _)| *label)
        };
        let next: Vec<u32> = counts.iter().zip(&labels).map(|(counts, label)| most(counts).unwrap_or(*label)).collect();
        if next == labels {
            break;
        }
        labels = next;
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{Weights, generate::Generator};

    fn generated(text: &str) -> Csr {
        text.parse::<Generator>().unwrap().generate().unwrap().csr
    }

    #[test]
    fn a_star_swaps_its_labels() {
        let star = generated("star:nodes=5");
        assert_eq!(labels(&star, 0), [0, 1, 2, 3, 4]);
        assert_eq!(labels(&star, 1), [1, 0, 0, 0, 0]);
        assert_eq!(labels(&star, 2), [0, 1, 1, 1, 1]);
        assert_eq!(labels(&star, 3), labels(&star, 1));
    }

    #[test]
    fn a_clique_is_one_community() {
        // In the first iteration node 0 takes label 1, and all others label 0.
        assert_eq!(labels(&generated("complete:nodes=6"), 1), [1, 0, 0, 0, 0, 0]);
        assert_eq!(labels(&generated("complete:nodes=6"), 10), [0; 6]);
    }

    #[test]
    fn an_edge_in_both_directions_counts_twice() {
        // 0 ⇄ 2, 1 → 2, 1 → 3, 2 → 3: node 2 has label 0 twice and 1 and 3 once.
        let csr = Csr::new(vec![0, 1, 3, 5, 5], vec![2, 2, 3, 0, 3], Weights::None).unwrap();
        assert_eq!(labels(&csr, 1), [2, 2, 0, 1]);
        // Node 2 has the labels 2, 2, 2 and 1; node 3 has 2 and 0.
        assert_eq!(labels(&csr, 2), [0, 0, 2, 0]);
    }

    #[test]
    fn nodes_without_edges_and_with_edges_to_themselves_keep_their_labels() {
        let csr = Csr::new(vec![0, 1, 1], vec![0], Weights::None).unwrap();
        assert_eq!(labels(&csr, 5), [0, 1]);
        assert_eq!(labels(&Csr::new(vec![0], vec![], Weights::None).unwrap(), 5), [0u32; 0]);
    }
}

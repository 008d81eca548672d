//! Components by textbook algorithms: weak ones by union-find (Galler and Fischer 1964), strong ones by Tarjan's depth-first search (1972),
//! without recursion, because a path may be as long as the graph. A component is named by its smallest node.

use evenkeel_graph::Csr;

/// The smallest node that each node is connected with when directions do not count.
pub fn weak(csr: &Csr) -> Vec<u32> {
    let mut parents: Vec<u32> = (0..csr.nodes()).collect();
    for source in 0..csr.nodes() {
        for &target in csr.neighbours(source) {
            let (a, b) = (find(&mut parents, source), find(&mut parents, target));
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    (0..csr.nodes()).map(|node| find(&mut parents, node)).collect()
}

/// The root of a node's tree; the path to it is halved on the way.
fn find(parents: &mut [u32], mut node: u32) -> u32 {
    while parents[node as usize] != node {
        parents[node as usize] = parents[parents[node as usize] as usize];
        node = parents[node as usize];
    }
    node
}

/// The smallest node of each node's strongly connected component.
pub fn strong(csr: &Csr) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let nodes = csr.nodes() as usize;
    // The order in which nodes were found, the earliest that each can go back to, and the component of those that are done.
    let (mut found, mut low, mut components) = (vec![NONE; nodes], vec![NONE; nodes], vec![NONE; nodes]);
    let (mut open, mut calls, mut count) = (Vec::new(), Vec::new(), 0);
    for first in 0..csr.nodes() {
        if found[first as usize] == NONE {
            calls.push((first, 0));
        }
        while let Some((node, edge)) = calls.pop() {
            let this = node as usize;
            if edge == 0 {
                (found[this], low[this]) = (count, count);
                count += 1;
                open.push(node);
            } else {
                // The call for the edge before has returned, or there was none.
                let before = csr.neighbours(node)[edge - 1] as usize;
                if components[before] == NONE {
                    low[this] = low[this].min(low[before]);
                }
            }
            match csr.neighbours(node).get(edge) {
                Some(&next) => {
                    calls.push((node, edge + 1));
                    if found[next as usize] == NONE {
                        calls.push((next, 0));
                    }
                }
                None if low[this] == found[this] => {
                    let begin = open.iter().rposition(|other| *other == node).unwrap_or_default();
                    let members = open.split_off(begin);
                    let smallest = members.iter().copied().min().unwrap_or(node);
                    members.into_iter().for_each(|member| components[member as usize] = smallest);
                }
                None => {}
            }
        }
    }
    components
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{BuildOptions, EdgeList, EdgeWeights};

    fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
        let (sources, targets) = edges.into_iter().unzip();
        let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
        Csr::from_edges(list, BuildOptions::default()).unwrap().0
    }

    #[test]
    fn directions_do_not_count_for_weak_components() {
        let graph = csr(7, [(1, 0), (2, 1), (5, 3), (3, 3)]);
        assert_eq!(weak(&graph), [0, 0, 0, 3, 4, 3, 6]);
        assert_eq!(strong(&graph), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!((weak(&csr(0, [])).len(), strong(&csr(0, [])).len()), (0, 0));
    }

    #[test]
    fn nodes_on_a_cycle_reach_each_other() {
        // Two cycles with an edge from one to the other, a tail, and a node alone.
        let edges = [(4, 1), (1, 6), (6, 4), (6, 2), (2, 5), (5, 2), (5, 0), (0, 0)];
        assert_eq!(strong(&csr(8, edges)), [0, 1, 2, 3, 1, 2, 1, 7]);
        assert_eq!(weak(&csr(8, edges)), [0, 0, 0, 3, 0, 0, 0, 7]);
    }

    #[test]
    fn a_path_of_a_million_nodes_needs_no_stack() {
        const NODES: u32 = 1_000_000;
        let path = csr(NODES, (1..NODES).map(|node| (node - 1, node)));
        assert!(strong(&path).into_iter().eq(0..NODES));
        let ring = csr(NODES, (0..NODES).map(|node| (node, (node + 1) % NODES)));
        assert!(strong(&ring).into_iter().chain(weak(&ring)).all(|component| component == 0));
    }

    /// Floyd and Warshall's transitive closure says the same of random graphs.
    #[test]
    fn strong_components_are_those_of_the_transitive_closure() {
        for seed in 0..200u32 {
            let nodes = 1 + seed % 9;
            let draw = |place: u32| (seed * 7919 + place * 104_729).wrapping_mul(2_654_435_761) >> 16;
            let graph = csr(nodes, (0..seed % 14).map(|edge| (draw(2 * edge) % nodes, draw(2 * edge + 1) % nodes)));
            let n = nodes as usize;
            let mut reach = vec![vec![false; n]; n];
            for node in 0..nodes {
                reach[node as usize][node as usize] = true;
                graph.neighbours(node).iter().for_each(|end| reach[node as usize][*end as usize] = true);
            }
            for via in 0..n {
                for from in 0..n {
                    for to in 0..n {
                        reach[from][to] |= reach[from][via] && reach[via][to];
                    }
                }
            }
            let smallest = |node: usize| (0..n).find(|other| reach[node][*other] && reach[*other][node]).unwrap();
            let expected: Vec<u32> = (0..n).map(|node| smallest(node) as u32).collect();
            assert_eq!(strong(&graph), expected, "{graph:?}");
        }
    }
}

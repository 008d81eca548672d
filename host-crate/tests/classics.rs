//! The classic formulations: what is particular to each, beyond what every strategy is held to in `traversal.rs`; and the update
//! that the first version of the two phases loses.

use crate::common;
use evenkeel::{
    algorithm::{Algorithm, Bfs, BfsConfig, Distances, Sssp, SsspConfig},
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, Weights,
        generate::Generator,
        weights::{WeightSource, assign},
    },
    oracle::{self, Mismatch, dijkstra},
    settings::Configured,
};

fn csr(nodes: u32, edges: &[(u32, u32)], weights: EdgeWeights) -> Csr {
    let (sources, targets) = edges.iter().copied().unzip();
    Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
}

fn generate(text: &str) -> Csr {
    let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
    assign(&mut graph, WeightSource::Random { low: 0, high: 99, seed: 2 }).unwrap();
    graph.csr
}

#[test]
fn each_is_for_its_own_algorithm() {
    for name in ["parallel", "queue", "scan"] {
        assert!(name.parse::<Configured<Bfs>>().is_ok() && name.parse::<Configured<Sssp>>().is_err());
    }
    assert!("two-phase".parse::<Configured<Sssp>>().is_ok());
    assert!("two-phase".parse::<Configured<Bfs>>().is_err());
}

#[test]
fn a_queue_may_be_longer_than_a_workgroup_sweeps_and_than_it_sweeps_again() {
    // 600 nodes, then 300,000: more than 512 blocks of 512.
    let tree = (1..=600u32).flat_map(|child| {
        let leaves = (0..500).map(move |leaf| (child, 601 + (child - 1) * 500 + leaf));
        [(0, child)].into_iter().chain(leaves)
    });
    let edges: Vec<_> = tree.collect();
    let nodes = 601 + 600 * 500;
    // Behind the last leaf one more node, so that the long queue is read, not only written.
    let csr = csr(nodes + 1, &[&edges[..], &[(nodes - 1, nodes)]].concat(), EdgeWeights::None);
    let expected = oracle::bfs::depths(&csr, 0);
    assert_eq!(expected[nodes as usize], 3);
    for device in common::devices() {
        for strategy in ["parallel", "queue", "scan"] {
            let config = BfsConfig { strategy: strategy.parse().unwrap(), ..BfsConfig::default() };
            let mut bfs = Bfs::prepare(&device, &csr, &config).unwrap();
            for _ in 0..2 {
                let run = bfs.run(&0).unwrap();
                assert_eq!(oracle::first_mismatch(&expected, &bfs.answer().unwrap().depths), None, "{strategy}");
                assert_eq!(run.iterations, 4, "{strategy}");
            }
        }
        common::finish(&device);
    }
}

#[test]
fn coarser_threads_find_the_same_in_as_many_iterations() {
    for device in common::devices() {
        for csr in [generate("rmat:scale=10"), generate("road:nodes=1500")] {
            let expected = Distances::U32(dijkstra::whole(&csr, 3).unwrap());
            let iterations = [1, 2, 7, 64, 1024].map(|coarsen| {
                let strategy = format!("two-phase:coarsen={coarsen}").parse().unwrap();
                let config = SsspConfig { strategy, ..SsspConfig::default() };
                let mut sssp = Sssp::prepare(&device, &csr, &config).unwrap();
                let run = sssp.run(&3).unwrap();
                assert!(sssp.answer().unwrap().distances == expected, "{coarsen} on {device:?}");
                run.iterations
            });
            // Costs change between the phases alone, so that it makes no difference who comes first.
            assert!(iterations.iter().all(|count| *count == iterations[0]), "{iterations:?} on {device:?}");
        }
        common::finish(&device);
    }
}

#[test]
fn coarsening_is_checked() {
    let refused = |text: &str| text.parse::<Configured<Sssp>>().map(|_| ()).map_err(|error| error.to_string());
    assert_eq!(refused("two-phase:coarsen=4"), Ok(()));
    assert!(refused("node:coarsen=4").unwrap_err().contains("node has no settings"));
    assert!(refused("two-phase:coarsen=0").unwrap_err().contains("0 is not in 1..=1024"));
}

/// The two phases as they run on a GPU, all invocations of a dispatch in step. Without the atomic minimum every invocation reads
/// the cost to be of a neighbour before any writes it, and of those that write the last one stays.
fn in_step(csr: &Csr, source: u32, atomic: bool) -> Vec<u32> {
    let Weights::U32(weights) = csr.weights() else { panic!("whole weights are needed") };
    let mut costs = vec![u32::MAX; csr.nodes() as usize];
    costs[source as usize] = 0;
    let mut updating = costs.clone();
    let mut mask = vec![source];
    while !mask.is_empty() {
        let edges = mask.iter().flat_map(|node| csr.row(*node).map(move |edge| (*node, edge)));
        let relaxed = edges.map(|(node, edge)| (csr.columns()[edge] as usize, costs[node as usize] + weights[edge]));
        let lower: Vec<_> = relaxed.filter(|(neighbour, cost)| *cost < updating[*neighbour]).collect();
        for (neighbour, cost) in lower {
            updating[neighbour] = if atomic { updating[neighbour].min(cost) } else { cost };
        }
        let fell = |node: &u32| updating[*node as usize] < costs[*node as usize];
        mask = (0..csr.nodes()).filter(fell).collect();
        mask.iter().for_each(|node| costs[*node as usize] = updating[*node as usize]);
    }
    costs
}

#[test]
fn a_lost_update_is_caught() {
    // Over node 1 it is 2 to node 3, over node 2 it is 6. Both relax in the same dispatch, and 2 writes last.
    let diamond = csr(4, &[(0, 1), (0, 2), (1, 3), (2, 3)], EdgeWeights::U32(vec![1, 1, 1, 5]));
    let expected = dijkstra::whole(&diamond, 0).unwrap();
    let mismatch = oracle::first_mismatch(&expected, &in_step(&diamond, 0, false));
    assert_eq!(mismatch, Some(Mismatch { node: 3, expected: "2".into(), found: "6".into() }));
    assert_eq!(oracle::first_mismatch(&expected, &in_step(&diamond, 0, true)), None);
}

#[test]
fn updates_are_lost_on_graphs_that_nobody_made_for_it() {
    let csr = generate("rmat:scale=10");
    let expected = dijkstra::whole(&csr, 3).unwrap();
    let lost = in_step(&csr, 3, false);
    assert!(oracle::first_mismatch(&expected, &lost).is_some());
    // What is lost is a shorter way: no distance is too small, so that only a comparison finds it.
    assert!(lost.iter().zip(&expected).all(|(found, expected)| found >= expected));
    assert_eq!(oracle::first_mismatch(&expected, &in_step(&csr, 3, true)), None);
}

//! How long a traversal takes when the graph is on the device: BFS and SSSP with every strategy, on a skewed graph, a grid
//! and a road network. A sample is the sum of the runs' own times, from the first submission until the answer is ready on the
//! device. Every answer is checked before it is timed; rates are of the edges that leave the nodes reached.
//!
//! `target` is BFS with one invocation a node on a grid of 1,024 × 1,024 from a corner, whatever the size of the others: 2,047
//! levels of which none has much work, so that it measures what a level costs.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{Bfs, Source, Sssp},
    graph::Graph,
    oracle::bfs::{UNREACHABLE, depths},
    strategy::{self, Operator},
};
use evenkeel_benches::{Subject, device, generate, grid, group, scale_or, weighted};

/// The edges that leave the nodes reached, which are the same for every algorithm here.
fn reached_edges(graph: &Graph, source: u32) -> u64 {
    let depths = depths(&graph.csr, source);
    let reached = |node: &u32| depths[*node as usize] != UNREACHABLE;
    (0..graph.csr.nodes()).filter(reached).map(|node| u64::from(graph.csr.degree(node))).sum()
}

fn traversals(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), grid(scale), format!("road:nodes={}", 1u64 << scale)] {
        let graph = weighted(&text);
        let source = Source::MaxDegree.find(&graph).expect("a graph with nodes");
        let (bfs, sssp) = (Subject::<Bfs>::new(&graph, source), Subject::<Sssp>::new(&graph, source));
        let mut group = group(criterion, &text, reached_edges(&graph, source));
        for strategy in strategy::of(Operator::Bfs, device.info()) {
            bfs.measure(&mut group, &format!("bfs/{}", strategy.name), &device, strategy.name, |run| run.total);
        }
        for strategy in strategy::of(Operator::SsspU32, device.info()) {
            sssp.measure(&mut group, &format!("sssp/{}", strategy.name), &device, strategy.name, |run| run.total);
        }
        group.finish();
    }
}

fn target(criterion: &mut Criterion) {
    let name = "grid:rows=1024,cols=1024";
    let (device, graph) = (device(), generate(name));
    let mut group = group(criterion, "target", reached_edges(&graph, 0));
    Subject::<Bfs>::new(&graph, 0).measure(&mut group, name, &device, "node", |run| run.total);
    group.finish();
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = traversals, target
}
criterion_main!(benches);

//! The CPU device as an engine: BFS, SSSP, PageRank, communities, betweenness from two sources and closeness from 64, with `auto` on graphs of
//! a million nodes, a skewed one, a road network and a uniform one, and on com-dblp where `EVENKEEL_DATA` names the folder of real graphs.
//! `EVENKEEL_BENCH_SCALE` sets another size. Every answer is checked before it is timed. docs/measurements.md has the same beside the GAP
//! Benchmark Suite.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{
        Betweenness, Bfs, Closeness, Communities, PageRank, PathSources, Seeds, Source, Sssp, betweenness::Scope,
    },
    device::{Device, DeviceOptions},
    graph::{
        Direction, Graph, OpenOptions, open,
        weights::{WeightSource, assign},
    },
};
use evenkeel_benches::{Subject, generate, group, scale_or};
use std::{env, path::Path};

/// Weights as the benchmark suite has them.
const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 255, seed: 0 };

fn graphs() -> Vec<Graph> {
    let (scale, nodes) = (scale_or(20), 1u64 << scale_or(20));
    let texts = [format!("rmat:scale={scale}"), format!("road:nodes={nodes}"), format!("er:nodes={nodes},degree=8")];
    let mut graphs: Vec<Graph> = texts.iter().map(|text| generate(text)).collect();
    if let Some(folder) = env::var_os("EVENKEEL_DATA") {
        let options = OpenOptions { direction: Some(Direction::Undirected), ..OpenOptions::default() };
        let path = Path::new(&folder).join("social/com-dblp.tsv.gz");
        graphs.push(open(&path, &options).expect("com-dblp").0);
    }
    for graph in &mut graphs {
        assign(graph, WEIGHTS).expect("weights");
    }
    graphs
}

fn cpu(criterion: &mut Criterion) {
    let device = Device::open("cpu", &DeviceOptions::default()).expect("the CPU device is always there");
    println!("on {}, {}", device.info().name, device.info().driver);
    for graph in &graphs() {
        let source = Source::MaxDegree.find(graph).expect("a graph with nodes");
        let mut group = group(criterion, &graph.name, graph.csr.edges());
        Subject::<Bfs>::new(graph, source).measure(&mut group, "bfs", &device, "auto", |run| run.total);
        Subject::<Sssp>::new(graph, source).measure(&mut group, "sssp", &device, "auto", |run| run.total);
        let sources = PathSources { nodes: vec![0, source], scope: Scope::Sample, directed: false };
        Subject::<Betweenness>::new(graph, sources)
            .measure(&mut group, "betweenness", &device, "auto", |run| run.total);
        Subject::<PageRank>::new(graph, Seeds::default())
            .measure(&mut group, "pagerank", &device, "auto", |run| run.total);
        Subject::<Communities>::new(graph, ()).measure(&mut group, "communities", &device, "auto", |run| run.total);
        let sources: Vec<u32> = (0..64).map(|number| number * (graph.csr.nodes() / 64)).collect();
        Subject::<Closeness>::new(graph, sources).measure(&mut group, "closeness", &device, "auto", |run| run.total);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = cpu
}
criterion_main!(benches);

//! How long it takes to make a graph, to build its rows from an edge list, and to turn it round; in edges a second.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use evenkeel::graph::{BuildOptions, Csr, EdgeList, EdgeWeights, statistics::Statistics, transform::transpose};
use evenkeel_benches::generate;
use std::hint::black_box;

fn generators(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("generate");
    group.sample_size(10);
    for text in [
        "rmat:scale=18",
        "graph500:scale=18",
        "er:nodes=262144,degree=16",
        "grid:rows=1024,cols=1024",
        "road:nodes=1048576",
        "complete:nodes=2048",
    ] {
        group.throughput(Throughput::Elements(generate(text).csr.edges()));
        group.bench_function(text, |bencher| bencher.iter(|| generate(black_box(text))));
    }
    group.finish();
}

/// The upper half of a graph's edges, as a file would list them.
fn listed(csr: &Csr) -> EdgeList {
    let upper = |u: u32| csr.neighbours(u).iter().filter(move |&&v| u < v).map(move |&v| (u, v));
    let (sources, targets) = (0..csr.nodes()).flat_map(upper).unzip();
    EdgeList { nodes: csr.nodes(), sources, targets, weights: EdgeWeights::None }
}

fn rows(criterion: &mut Criterion) {
    let graph = generate("rmat:scale=18");
    let edges = listed(&graph.csr);
    let mut group = criterion.benchmark_group("rows");
    group.sample_size(10);
    group.throughput(Throughput::Elements(graph.csr.edges()));
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    group.bench_function("from_edges", |bencher| {
        bencher.iter_batched(|| edges.clone(), |edges| Csr::from_edges(edges, options), BatchSize::LargeInput);
    });
    group.bench_function("transpose", |bencher| bencher.iter(|| transpose(black_box(&graph.csr))));
    group.bench_function("statistics", |bencher| bencher.iter(|| Statistics::of(black_box(&graph))));
    group.finish();
}

criterion_group!(benches, generators, rows);
criterion_main!(benches);

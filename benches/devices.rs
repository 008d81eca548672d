//! What the CPU device is worth: BFS, SSSP and SpMV with every strategy on the CPU device and on a software Vulkan, which use
//! the same processor, and beside them the oracle, a plain program on one thread. The graph is `rmat:scale=18` unless
//! `EVENKEEL_BENCH_SCALE` says otherwise. Every answer is checked before it is timed.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{Bfs, DenseVector, FrontEnd, Source, Spmv, Sssp, spmv::random_vector},
    device::{Device, DeviceKind, DeviceOptions},
    graph::Graph,
};
use evenkeel_benches::{Subject, generate, group, scale_or, weighted};
use std::hint::black_box;

/// The CPU device, and a software Vulkan where there is one, with the names that the benchmarks have.
fn devices() -> Vec<(&'static str, Device)> {
    let open = |selector: &str| Device::open(selector, &DeviceOptions::default()).expect("a device that is listed");
    let mut devices = vec![("cpu", open("cpu"))];
    match Device::list().iter().position(|info| info.kind == DeviceKind::Software && info.missing.is_empty()) {
        Some(index) => devices.push(("software", open(&index.to_string()))),
        None => println!("there is no software Vulkan to compare with"),
    }
    for (name, device) in &devices {
        println!("{name} is {}, {}", device.info().name, device.info().driver);
    }
    devices
}

/// Times the oracle, and every alternative on every device.
fn compare<A: FrontEnd>(criterion: &mut Criterion, graph: &Graph, input: A::Input) {
    let subject = Subject::<A>::new(graph, input);
    let mut group = group(criterion, A::ABOUT.name, graph.csr.edges());
    group.bench_function("oracle", |bencher| bencher.iter(|| black_box(subject.oracle())));
    for (name, device) in &devices() {
        let alternatives = A::alternatives().into_iter().filter(|it| it.about.runs_on(device.info()));
        for alternative in alternatives.map(|it| it.about.name) {
            subject.measure(&mut group, &format!("{name}/{alternative}"), device, alternative, |run| run.total);
        }
    }
    group.finish();
}

fn traversals(criterion: &mut Criterion) {
    let graph = weighted(&format!("rmat:scale={}", scale_or(18)));
    let source = Source::MaxDegree.find(&graph).expect("a graph with nodes");
    compare::<Bfs>(criterion, &graph, source);
    compare::<Sssp>(criterion, &graph, source);
}

fn products(criterion: &mut Criterion) {
    let graph = generate(&format!("rmat:scale={}", scale_or(18)));
    let x = DenseVector::from(random_vector(graph.csr.nodes() as usize, 0));
    compare::<Spmv>(criterion, &graph, x);
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = traversals, products
}
criterion_main!(benches);

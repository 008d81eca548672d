//! How long it takes to find out how a graph hangs together, when the graph is on the device: triangles, components, core numbers and
//! spanning forests by every strategy, on a skewed graph, a uniform one and a grid of 2 to the power of `EVENKEEL_BENCH_SCALE` nodes. A
//! sample is the sum of the time that the device was busy. Every answer is checked before it is timed.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{Components, FrontEnd, KCore, Mst, Triangles},
    device::Device,
    graph::Graph,
};
use evenkeel_benches::{Group, Subject, device, grid, group, scale_or, weighted};

fn structure(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), format!("er:nodes={},degree=8", 1u64 << scale), grid(scale)] {
        let graph = weighted(&text);
        let mut group = group(criterion, &text, graph.csr.edges());
        measure_all::<Triangles>(&mut group, &device, &graph);
        measure_all::<Components>(&mut group, &device, &graph);
        measure_all::<KCore>(&mut group, &device, &graph);
        measure_all::<Mst>(&mut group, &device, &graph);
        group.finish();
    }
}

fn measure_all<A: FrontEnd<Input = ()>>(group: &mut Group<'_>, device: &Device, graph: &Graph) {
    let subject = Subject::<A>::new(graph, ());
    for alternative in A::alternatives().iter().filter(|it| it.about.runs_on(device.info())) {
        let name = alternative.about.name;
        subject.measure(group, &format!("{}/{name}", A::ABOUT.name), device, name, |run| run.kernel);
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = structure
}
criterion_main!(benches);

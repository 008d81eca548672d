//! How long it takes to find components and spanning forests when the graph is on the device: Afforest and all edges under every schedule,
//! and forests with all edges at once or light ones first, on a skewed graph, a random one and a grid of 2 to the power of
//! `EVENKEEL_BENCH_SCALE` nodes. A sample is the sum of the time that the device was busy. Every
//! answer is checked before it is timed.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{Components, Mst},
    engine::schedule::Schedule,
};
use evenkeel_benches::{Subject, device, grid, group, scale_or, weighted};

fn structure(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), format!("er:nodes={},degree=8", 1u64 << scale), grid(scale)] {
        let graph = weighted(&text);
        let mut group = group(criterion, &text, graph.csr.edges().into());
        let subject = Subject::<Components>::new(&graph, ());
        let under = Schedule::ALL.iter().map(|schedule| format!("all-edges:{}", schedule.name()));
        for strategy in ["afforest".to_owned()].into_iter().chain(under) {
            subject.measure(&mut group, &format!("components/{strategy}"), &device, &strategy, |run| run.kernel);
        }
        let forests = Subject::<Mst>::new(&graph, ());
        for strategy in ["boruvka", "light-first"] {
            forests.measure(&mut group, &format!("mst/{strategy}"), &device, strategy, |run| run.kernel);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = structure
}
criterion_main!(benches);

//! How long it takes to find out how closely a graph is knit, when the graph is on the device: triangles by every strategy, on a skewed
//! graph, a uniform one and a grid. A sample is the sum of the time that the device was busy. Every answer is checked before it is timed.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::algorithm::{Algorithm, Triangles};
use evenkeel_benches::{Subject, device, generate, grid, group, scale_or};

fn structure(criterion: &mut Criterion) {
//! How long it takes to find components when the graph is on the device: Afforest and all edges under every schedule, on a skewed graph, a
//! random one and a grid of 2 to the power of `EVENKEEL_BENCH_SCALE` nodes. A sample is the sum of the time that the device was busy. Every
//! answer is checked before it is timed.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{algorithm::Components, engine::schedule::Schedule};
use evenkeel_benches::{Subject, device, generate, grid, group, scale_or};

fn components(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), format!("er:nodes={},degree=8", 1u64 << scale), grid(scale)] {
        let graph = generate(&text);
        let mut group = group(criterion, &text, graph.csr.edges().into());
        let triangles = Subject::<Triangles>::new(&graph, ());
        for strategy in Triangles::alternatives() {
            let name = strategy.about.name;
            triangles.measure(&mut group, &format!("triangles/{name}"), &device, name, |run| run.kernel);
        let subject = Subject::<Components>::new(&graph, ());
        let under = Schedule::ALL.iter().map(|schedule| format!("all-edges:{}", schedule.name()));
        for strategy in ["afforest".to_owned()].into_iter().chain(under) {
            subject.measure(&mut group, &format!("components/{strategy}"), &device, &strategy, |run| run.kernel);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = structure
    targets = components
}
criterion_main!(benches);

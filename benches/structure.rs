//! How long it takes to find out how closely a graph is knit, when the graph is on the device: triangles and core numbers by every
//! strategy, on a skewed graph, a uniform one and a grid. A sample is the sum of the time that the device was busy. Every answer is
//! checked before it is timed.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::algorithm::{Algorithm, KCore, Triangles};
use evenkeel_benches::{Subject, device, generate, grid, group, scale_or};

fn structure(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), format!("er:nodes={},degree=8", 1u64 << scale), grid(scale)] {
        let graph = generate(&text);
        let mut group = group(criterion, &text, graph.csr.edges().into());
        let triangles = Subject::<Triangles>::new(&graph, ());
        for strategy in Triangles::alternatives() {
            let name = strategy.about.name;
            triangles.measure(&mut group, &format!("triangles/{name}"), &device, name, |run| run.kernel);
        }
        let cores = Subject::<KCore>::new(&graph, ());
        for strategy in KCore::alternatives() {
            let name = strategy.about.name;
            cores.measure(&mut group, &format!("kcore/{name}"), &device, name, |run| run.kernel);
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

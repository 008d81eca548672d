//! How long it takes to colour a graph that is on the device: by every strategy, and by those that take a schedule under every schedule, on a
//! skewed graph, a uniform one and a grid of 2 to the power of `EVENKEEL_BENCH_SCALE` nodes. A sample is the sum of the time that the device was
//! busy. Every answer is checked before it is timed; rates are of edges.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::algorithm::{Color, FrontEnd, color::names_with_schedules};
use evenkeel_benches::{Subject, device, generate, grid, group, scale_or};

fn color(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    let is_elsewhere =
        |name: &str| Color::alternatives().iter().any(|it| it.about.name == name && !it.about.runs_on(device.info()));
    for text in [format!("rmat:scale={scale}"), format!("er:nodes={},degree=8", 1u64 << scale), grid(scale)] {
        let graph = generate(&text);
        let subject = Subject::<Color>::new(&graph, ());
        let mut group = group(criterion, &text, graph.csr.edges());
        for name in names_with_schedules().into_iter().filter(|name| !is_elsewhere(name)) {
            subject.measure(&mut group, &name, &device, &name, |run| run.kernel);
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = color
}
criterion_main!(benches);

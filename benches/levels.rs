//! What each variant of a level of BFS costs when it searches all levels, beside `adaptive`, which chooses one for each: on a skewed graph, a
//! uniform one and a grid of 2 to the power of `EVENKEEL_BENCH_SCALE` nodes. A variant is held by a model of one leaf. A sample is the sum of the
//! time that the device was busy. Every answer is checked before it is timed; rates are of the edges of the graph.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{Bfs, BfsConfig, Source},
    settings::Configured,
    strategy::adaptive::{Adaptive, Model, Node, Variant},
};
use evenkeel_benches::{Subject, device, generate, grid, group, scale_or};

/// A search whose every level is searched by one variant.
fn always(variant: Variant) -> BfsConfig {
    let model = Model::new("one", Node::Leaf(Some(variant)), variant.family());
    let strategy = Adaptive { model: Some(model.into()), ..Adaptive::default() };
    BfsConfig { strategy: Configured::new(strategy).expect("settings of adaptive"), ..BfsConfig::default() }
}

fn levels(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), format!("er:nodes={},degree=8", 1u64 << scale), grid(scale)] {
        let graph = generate(&text);
        let source = Source::MaxDegree.find(&graph).expect("a graph with nodes");
        let subject = Subject::<Bfs>::new(&graph, source);
        let mut group = group(criterion, &text, graph.csr.edges());
        for variant in Variant::all() {
            let name = variant.to_string().replace(' ', "/");
            subject.measure_with(&mut group, &name, &device, &always(variant), |run| run.kernel);
        }
        subject.measure(&mut group, "adaptive", &device, "adaptive", |run| run.kernel);
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = levels
}
criterion_main!(benches);

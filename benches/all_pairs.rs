//! How long all-pairs shortest paths take when the graph is on the device: the dense strategies with whole and real weights on a
//! matrix of 2 to the power of `EVENKEEL_BENCH_SCALE` nodes, beside what the device can relax when nothing has to be loaded
//! (`roof`); and on a sparse graph all sources at once beside one after the other. Whole distances are checked before they are
//! timed, from a few nodes.
//!
//! The sparse graph is the file that `EVENKEEL_BENCH_GRAPH` names, with unit weights, or else a random one as large as
//! soc-sign-bitcoinotc would be at the scale.

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use evenkeel::{
    algorithm::{Algorithm, Apsp, ApspConfig, Distances, Sssp, SsspConfig},
    device::Device,
    graph::{
        Csr, Graph, OpenOptions, open,
        weights::{WeightSource, assign},
    },
    oracle::dijkstra,
};
use evenkeel_benches::{device, generate, scale_or};
use evenkeel_fused::roof::{RELAXED, RelaxRoof, RoofParams};
use evenkeel_kernels::algorithm::apsp::Length;
use std::{env, path::Path, time::Duration};

/// 256 nodes.
const SCALE: u32 = 8;
const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// A group whose rate is of so many relaxations.
fn group<'c>(criterion: &'c mut Criterion, name: &str, relaxations: u64) -> Group<'c> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(relaxations));
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

fn prepared(device: &Device, csr: &Csr, strategy: &str) -> Apsp {
    let mut apsp = Apsp::prepare(device, csr, &ApspConfig { strategy: strategy.parse().expect("a strategy") })
        .expect("the graph fits");
    apsp.run(&()).expect("a run");
    let nodes = csr.nodes() as usize;
    if let Distances::U32(found) = apsp.answer().expect("distances").distances {
        for source in [0, nodes / 2, nodes - 1] {
            let expected = dijkstra::whole(csr, source as u32).expect("distances of 32 bits");
            assert!(found[source * nodes..][..nodes] == expected, "{strategy} is wrong from node {source}");
        }
    }
    apsp
}

fn bench(group: &mut Group<'_>, name: &str, mut apsp: Apsp) {
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|runs| (0..runs).map(|_| apsp.run(&()).expect("a run").total).sum());
    });
}

fn dense(criterion: &mut Criterion) {
    let device = device();
    println!("on {}", device.info().name);
    let nodes = 1u64 << scale_or(SCALE);
    let mut graph = generate(&format!("er:nodes={nodes},degree={}", nodes / 16));
    assign(&mut graph, WEIGHTS).expect("weights");
    let real = graph.csr.with_weights(graph.csr.weights().to_f32()).unwrap();
    let mut group = group(criterion, &format!("dense, {nodes} nodes"), nodes * nodes * nodes);
    for strategy in ["floyd-warshall", "blocked"] {
        bench(&mut group, &format!("{strategy}/whole"), prepared(&device, &graph.csr, strategy));
        bench(&mut group, &format!("{strategy}/real"), prepared(&device, &real, strategy));
    }
    group.finish();
}

/// As many invocations as fill a GPU several times, and for a CPU few enough.
fn roof(criterion: &mut Criterion) {
    let device = device();
    let (invocations, rounds) = if device.info().kind.is_cpu() { (1 << 10, 1 << 10) } else { (1 << 20, 1 << 12) };
    let words = device.buffer::<u32>("words", invocations).expect("a buffer");
    let relaxations = invocations as u64 * rounds * u64::from(RELAXED);
    let mut group = group(criterion, "roof", relaxations);
    for (length, step) in [(Length::Short, 3), (Length::Whole, 3), (Length::Real, 1e-3f32.to_bits())] {
        let params = RoofParams { rounds: rounds as u32, step };
        let launch = RelaxRoof { length, words: &words };
        // SAFETY: each invocation writes one element of the result.
        let record = device.record("roof", |recorder| unsafe { recorder.launch(&launch, params, invocations) });
        let mut recording = record.expect("a recording");
        group.bench_function(length.name(), |bencher| {
            bencher.iter_custom(|runs| (0..runs).map(|_| recording.run().expect("a run")).sum());
        });
    }
    group.finish();
}

fn sparse_graph() -> Graph {
    match env::var_os("EVENKEEL_BENCH_GRAPH") {
        Some(path) => {
            let mut graph = open(Path::new(&path), &OpenOptions::default()).expect("a graph").0;
            graph.csr = graph.csr.without_weights();
            graph
        }
        None => generate(&format!("er:nodes={},degree=7.3", (1u64 << scale_or(SCALE)) * 5881 / 8192)),
    }
}

fn sparse(criterion: &mut Criterion) {
    let (device, graph) = (device(), sparse_graph());
    let csr = &graph.csr;
    let relaxations = u64::from(csr.nodes()) * u64::from(csr.edges());
    let mut group = group(criterion, &format!("sparse, {}", graph.name), relaxations);
    bench(&mut group, "all sources at once", prepared(&device, csr, "sssp"));
    bench(&mut group, "blocked", prepared(&device, csr, "blocked"));
    let mut sssp = Sssp::prepare(&device, csr, &SsspConfig::default()).expect("the graph fits");
    group.bench_function("one source after the other", |bencher| {
        let mut all = || (0..csr.nodes()).map(|source| sssp.run(&source).expect("a run").total).sum::<Duration>();
        bencher.iter_custom(|runs| (0..runs).map(|_| all()).sum());
    });
    group.finish();
}

// Pictures and the default's hundred thousand resamples would take longer than the runs.
criterion_group! {
    name = benches;
    config = Criterion::default().without_plots().nresamples(10_000);
    targets = dense, roof, sparse
}
criterion_main!(benches);

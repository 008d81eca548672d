//! What the CPU device is worth: BFS, SSSP and SpMV with every strategy on the CPU device and on a software Vulkan, which use
//! the same processor, and beside them the oracle, a plain program on one thread. The graph is `rmat:scale=18` unless
//! `EVENKEEL_BENCH_SCALE` says otherwise. Every answer is checked before it is timed.

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use evenkeel::{
    algorithm::{
        Algorithm, Bfs, BfsConfig, DenseVector, Distances, Run, Source, Spmv, SpmvConfig, Sssp, SsspConfig,
        spmv::random_vector,
    },
    device::{Device, DeviceKind, DeviceOptions},
    engine::schedule::Schedule,
    graph::weights::{WeightSource, assign},
    oracle,
    strategy::{self, Operator},
};
use evenkeel_benches::{generate, scale_or};
use std::{hint::black_box, time::Duration};

const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// The CPU device, and a software Vulkan where there is one, with the names that the benchmarks have.
fn devices() -> Vec<(&'static str, Device)> {
    let open = |selector: &str| Device::open(selector, &DeviceOptions::default()).expect("a device that is listed");
    let mut devices = vec![("cpu", open("cpu"))];
    match Device::list().into_iter().find(|info| info.kind == DeviceKind::Software && info.missing.is_empty()) {
        Some(software) => devices.push(("software", open(&software.index.to_string()))),
        None => println!("there is no software Vulkan to compare with"),
    }
    for (name, device) in &devices {
        println!("{name} is {}, {}", device.info().name, device.info().driver);
    }
    devices
}

fn group<'c>(criterion: &'c mut Criterion, name: &str, edges: u32) -> Group<'c> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(edges.into()));
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

/// Times what `prepare` makes ready, by the runs' own clock.
fn measure<T>(group: &mut Group<'_>, name: String, prepare: impl Fn() -> T, mut run: impl FnMut(&mut T) -> Run) {
    let mut prepared = None;
    group.bench_function(name, |bencher| {
        let ready = prepared.get_or_insert_with(&prepare);
        bencher.iter_custom(|runs| (0..runs).map(|_| run(ready).total).sum());
    });
}

fn traversals(criterion: &mut Criterion) {
    let mut graph = generate(&format!("rmat:scale={}", scale_or(18)));
    assign(&mut graph, WEIGHTS).expect("weights");
    let (devices, csr) = (devices(), &graph.csr);
    let source = Source::MaxDegree.find(&graph).expect("a graph with nodes");

    let depths = oracle::bfs::depths(csr, source);
    let mut bfs_group = group(criterion, "bfs", csr.edges());
    bfs_group.bench_function("oracle", |bencher| bencher.iter(|| black_box(oracle::bfs::depths(csr, source))));
    for (name, device) in &devices {
        for strategy in strategy::of(Operator::Bfs) {
            let config = BfsConfig { strategy: strategy.name.parse().unwrap(), ..BfsConfig::default() };
            let prepare = || {
                let mut bfs = Bfs::prepare(device, csr, &config).expect("the graph fits");
                bfs.run(&source).expect("a run");
                assert!(
                    bfs.answer().expect("depths").depths == depths,
                    "{name} gives wrong depths by {}",
                    strategy.name
                );
                bfs
            };
            let run = |bfs: &mut Bfs| bfs.run(&source).expect("a run");
            measure(&mut bfs_group, format!("{name}/{}", strategy.name), prepare, run);
        }
    }
    bfs_group.finish();

    let dijkstra = || oracle::dijkstra::whole(csr, source).expect("distances of 32 bits");
    let distances = Distances::U32(dijkstra());
    let mut sssp_group = group(criterion, "sssp", csr.edges());
    sssp_group.bench_function("oracle", |bencher| bencher.iter(|| black_box(dijkstra())));
    for (name, device) in &devices {
        for strategy in strategy::of(Operator::SsspU32) {
            let config = SsspConfig { strategy: strategy.name.parse().unwrap() };
            let prepare = || {
                let mut sssp = Sssp::prepare(device, csr, &config).expect("the graph fits");
                sssp.run(&source).expect("a run");
                let found = sssp.answer().expect("distances");
                assert!(found == distances, "{name} gives wrong distances by {}", strategy.name);
                sssp
            };
            let run = |sssp: &mut Sssp| sssp.run(&source).expect("a run");
            measure(&mut sssp_group, format!("{name}/{}", strategy.name), prepare, run);
        }
    }
    sssp_group.finish();
}

fn products(criterion: &mut Criterion) {
    let graph = generate(&format!("rmat:scale={}", scale_or(18)));
    let (devices, csr) = (devices(), &graph.csr);
    let x = random_vector(csr.nodes() as usize, 0);
    let (expected, input) = (oracle::spmv::product(csr, &x), DenseVector::from(x.as_slice()));
    let mut group = group(criterion, "spmv", csr.edges());
    group.bench_function("oracle", |bencher| bencher.iter(|| black_box(oracle::spmv::product(csr, &x))));
    for (name, device) in &devices {
        for schedule in Schedule::ALL {
            let prepare = || {
                let config =
                    SpmvConfig { schedule: schedule.name().parse().expect("a schedule"), ..SpmvConfig::default() };
                let mut spmv = Spmv::prepare(device, csr, &config).expect("the matrix fits");
                spmv.run(&input).expect("a run");
                let found = spmv.answer().expect("a product").rows;
                let wrong = oracle::spmv::first_mismatch(&expected, &found, oracle::spmv::SINGLE);
                assert!(wrong.is_none(), "{name} gives a wrong product by {}", schedule.name());
                spmv
            };
            let run = |spmv: &mut Spmv| spmv.run(&input).expect("a run");
            measure(&mut group, format!("{name}/{}", schedule.name()), prepare, run);
        }
    }
    group.finish();
}

// Pictures and the default's hundred thousand resamples would take longer than the runs.
criterion_group! {
    name = benches;
    config = Criterion::default().without_plots().nresamples(10_000);
    targets = traversals, products
}
criterion_main!(benches);

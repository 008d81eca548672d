//! How long products take when the matrices are on the device: sparse times vector and sparse times 32 columns under every
//! schedule, on a skewed graph and a grid. A sample is the sum of the time that the device was busy. Every answer is checked
//! before it is timed.
//!
//! Beside `merge-path` stands `merge-path-by-hand`, which does the same without the programming model (`fused/`): the two should
//! take the same time.

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use evenkeel::{
    algorithm::{Algorithm, DenseMatrix, DenseVector, Spmm, SpmmConfig, Spmv, SpmvConfig, spmv::random_vector},
    device::{Buffer, Device, Recording},
    engine::schedule::Schedule,
    engine::{DeviceGraph, DeviceRows},
    graph::Csr,
    oracle::spmv::{SINGLE, first_mismatch, first_mismatch_of_matrix, product},
};
use evenkeel_benches::{device, generate, scale};
use evenkeel_fused::{FusedParams, FusedSpmv, PART};
use std::time::Duration;

fn products(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale());
    println!("on {}", device.info().name);
    let (rows, cols) = (1u64 << (scale / 2), 1u64 << scale.div_ceil(2));
    for text in [format!("rmat:scale={scale}"), format!("grid:rows={rows},cols={cols}")] {
        let graph = generate(&text);
        let mut group = criterion.benchmark_group(&text);
        // Few samples of many runs each, so that all schedules together take about a minute.
        group.sample_size(10).sampling_mode(SamplingMode::Flat);
        group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
        group.throughput(Throughput::Elements(u64::from(graph.csr.edges())));
        vectors(&mut group, &device, &graph.csr);
        matrices(&mut group, &device, &graph.csr);
        group.finish();
    }
}

type Group<'c> = BenchmarkGroup<'c, WallTime>;

fn schedules() -> impl Iterator<Item = &'static str> {
    Schedule::ALL.iter().map(|schedule| schedule.name()).chain(["auto"])
}

fn vectors(group: &mut Group<'_>, device: &Device, csr: &Csr) {
    let x = random_vector(csr.nodes() as usize, 1);
    let (expected, input) = (product(csr, &x), DenseVector::from(x.as_slice()));
    for schedule in schedules() {
        let config = SpmvConfig { schedule: schedule.parse().expect("a schedule"), ..SpmvConfig::default() };
        let mut spmv = Spmv::prepare(device, csr, &config).expect("the matrix fits");
        spmv.run(&input).expect("a run");
        let found = spmv.answer().expect("a product").rows;
        assert!(first_mismatch(&expected, &found, SINGLE).is_none(), "{} gives a wrong product", config.schedule);
        group.bench_function(format!("spmv/{}", config.schedule), |bencher| {
            bencher.iter_custom(|runs| (0..runs).map(|_| spmv.run(&input).expect("a run").kernel).sum());
        });
    }
    let mut fused = Fused::prepare(device, csr, &x);
    fused.recording.run().expect("a run");
    let found: Vec<f64> = device.download(&fused.y).expect("a product").into_iter().map(f64::from).collect();
    assert!(first_mismatch(&expected, &found, SINGLE).is_none(), "the product by hand is wrong");
    group.bench_function("spmv/merge-path-by-hand", |bencher| {
        bencher.iter_custom(|runs| (0..runs).map(|_| fused.recording.run().expect("a run")).sum());
    });
}

fn matrices(group: &mut Group<'_>, device: &Device, csr: &Csr) {
    for schedule in schedules() {
        let config = SpmmConfig { schedule: schedule.parse().expect("a schedule"), ..SpmmConfig::default() };
        let mut spmm = Spmm::prepare(device, csr, &config).expect("the matrices fits");
        let columns = config.columns as usize;
        let b = DenseMatrix::from(random_vector(csr.nodes() as usize * columns, 2));
        spmm.run(&b).expect("a run");
        let found = spmm.answer().expect("a product").elements;
        let wrong = first_mismatch_of_matrix(csr, b.elements(), &found, columns);
        assert!(wrong.is_none(), "{} gives a wrong product", config.schedule);
        group.bench_function(format!("spmm/{}", config.schedule), |bencher| {
            bencher.iter_custom(|runs| (0..runs).map(|_| spmm.run(&b).expect("a run").kernel).sum());
        });
    }
}

/// The product by hand, ready to run.
struct Fused {
    y: Buffer<f32>,
    recording: Recording,
}

impl Fused {
    /// Of a matrix of ones, as the graphs here are.
    fn prepare(device: &Device, csr: &Csr, x: &[f32]) -> Self {
        let (rows, entries) = (csr.nodes(), csr.edges());
        let parts = (rows + entries).div_ceil(PART);
        // As many rows are over at an item as have their entries and their own ends before it.
        let over = |item: u32| {
            let mut row = 0..rows;
            while !row.is_empty() {
                let middle = row.start + (row.end - row.start) / 2;
                let past = csr.row_offsets()[middle as usize + 1] + middle >= item;
                row = if past { row.start..middle } else { middle + 1..row.end };
            }
            row.start
        };
        let bounds: Vec<u32> = (0..=parts).map(|part| over((part * PART).min(rows + entries))).collect();
        let matrix = DeviceGraph::upload(device, csr).expect("the matrix fits");
        let buffer = |name: &str, elements: &[f32]| device.buffer_from(name, elements).expect("a buffer fits");
        let (values, x) = (buffer("values", &vec![1.0; entries as usize]), buffer("x", x));
        let (pieces, y) = (buffer("pieces", &vec![0.0; 2 * parts as usize]), buffer("y", &vec![0.0; rows as usize]));
        let bounds = device.buffer_from("bounds", &bounds).expect("the bounds fits");
        let recording = device
            .record("spmv by hand", |recorder| {
                let launch =
                    FusedSpmv { matrix: &matrix, values: &values, x: &x, bounds: &bounds, pieces: &pieces, y: &y };
                let params = |finish| FusedParams { rows, entries, parts, finish };
                // SAFETY: the parameters are the lengths of the buffers.
                unsafe { recorder.launch(&launch, params(0), parts as usize * 256) };
                // SAFETY: the parameters are the lengths of the buffers.
                unsafe { recorder.launch(&launch, params(1), parts as usize) };
            })
            .expect("a recording");
        Self { y, recording }
    }
}

// Pictures and the default's hundred thousand resamples would take longer than the runs.
criterion_group! {
    name = benches;
    config = Criterion::default().without_plots().nresamples(10_000);
    targets = products
}
criterion_main!(benches);

//! How long products take when the matrices are on the device: sparse times vector and sparse times 32 columns under every
//! schedule, on a skewed graph and a grid. A sample is the sum of the time that the device was busy. Every answer is checked
//! before it is timed.
//!
//! Beside `merge-path` stands `merge-path-by-hand`, which does the same without the programming model (`fused/`): the two should
//! take the same time.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{DenseMatrix, DenseVector, Spmm, SpmmConfig, Spmv, spmv::random_vector},
    device::{Buffer, Device, Recording},
    engine::schedule::Schedule,
    engine::{DeviceGraph, DeviceRows},
    graph::{Csr, Graph},
    oracle::spmv::{SINGLE, first_mismatch, product},
};
use evenkeel_benches::{Group, Subject, device, generate, grid, group, measure, scale_or};
use evenkeel_fused::{FusedParams, FusedSpmv, PART};

fn products(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale_or(12));
    for text in [format!("rmat:scale={scale}"), grid(scale)] {
        let graph = generate(&text);
        let mut group = group(criterion, &text, graph.csr.edges());
        let nodes = graph.csr.nodes() as usize;
        let x = random_vector(nodes, 1);
        let vectors = Subject::<Spmv>::new(&graph, DenseVector::from(x.as_slice()));
        let columns = SpmmConfig::default().columns as usize;
        let matrices = Subject::<Spmm>::new(&graph, DenseMatrix::from(random_vector(nodes * columns, 2)));
        let schedules: Vec<_> = Schedule::ALL.iter().map(|schedule| schedule.name()).chain(["auto"]).collect();
        for schedule in &schedules {
            vectors.measure(&mut group, &format!("spmv/{schedule}"), &device, schedule, |run| run.kernel);
        }
        by_hand(&mut group, &device, &graph, &x);
        for schedule in &schedules {
            matrices.measure(&mut group, &format!("spmm/{schedule}"), &device, schedule, |run| run.kernel);
        }
        group.finish();
    }
}

fn by_hand(group: &mut Group<'_>, device: &Device, graph: &Graph, x: &[f32]) {
    let prepare = || {
        let mut fused = Fused::prepare(device, &graph.csr, x);
        fused.recording.run().expect("a run");
        let found: Vec<f64> = device.download(&fused.y).expect("a product").into_iter().map(f64::from).collect();
        let wrong = first_mismatch(&product(&graph.csr, x), &found, SINGLE);
        assert!(wrong.is_none(), "the product by hand is wrong");
        fused
    };
    measure(group, "spmv/merge-path-by-hand", prepare, |fused| fused.recording.run().expect("a run"));
}

/// The product by hand, ready to run.
struct Fused {
    y: Buffer<f32>,
    recording: Recording,
}

impl Fused {
    /// Prepares the product with a matrix of ones, which the graphs here are.
    fn prepare(device: &Device, csr: &Csr, x: &[f32]) -> Self {
        let (rows, entries) = (csr.nodes(), csr.narrow_edges().expect("the matrix is small"));
        let offsets = csr.row_offsets().expect("the matrix is small");
        let parts = (rows + entries).div_ceil(PART).max(1);
        // The schedule does the same: with many short rows, a workgroup takes four parts.
        let groups = if entries < 6 * rows && parts >= 1 << 14 { parts.div_ceil(4) } else { parts };
        // As many rows are over at an item as have their entries and their own ends before it.
        let over = |item: u32| {
            let mut row = 0..rows;
            while !row.is_empty() {
                let middle = row.start + (row.end - row.start) / 2;
                let past = offsets[middle as usize + 1] + middle >= item;
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
                unsafe { recorder.launch(&launch, params(0), groups as usize * 256) };
                // SAFETY: the parameters are the lengths of the buffers.
                unsafe { recorder.launch(&launch, params(1), parts as usize) };
            })
            .expect("a recording");
        Self { y, recording }
    }
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = products
}
criterion_main!(benches);

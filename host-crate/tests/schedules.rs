//! Every schedule, on every device: products of sparse matrices of every shape, with vectors and with dense matrices, against
//! the double-precision oracle.

use crate::common;
use evenkeel::{
    algorithm::{
        Algorithm, DenseMatrix, DenseVector, Precision, Spmm, SpmmConfig,
        spmv::{Spmv, SpmvConfig, random_vector},
    },
    device::Device,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, OpenOptions, generate::Generator, open},
    oracle::spmv::{Bounded, DOUBLE, SINGLE, first_mismatch, first_mismatch_of_matrix, product},
};
use proptest::prelude::*;

/// All schedules, groups narrower and wider than a subgroup, and the choices by rows.
fn schedules() -> Vec<String> {
    let others = ["group-mapped:1", "group-mapped:4", "group-mapped:256"].map(str::to_owned);
    Spmv::alternatives().into_iter().map(|schedule| schedule.about.name.to_owned()).chain(others).collect()
}

fn csr(nodes: u32, edges: &[(u32, u32)]) -> Csr {
    let (sources, targets) = edges.iter().copied().unzip();
    let weights = EdgeWeights::F32(random_vector(edges.len(), 7));
    Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
}

fn check(device: &Device, csr: &Csr, what: &str) {
    let x = random_vector(csr.nodes() as usize, 1);
    let expected = product(csr, &x);
    // A software device takes seconds for each where a matrix is large.
    let step = if csr.edges() < 500_000 { 1 } else { 3 };
    for (turn, schedule) in schedules().into_iter().enumerate().step_by(step) {
        let context = format!("{what}, {schedule} on {device:?}");
        check_vector(device, csr, &schedule, Precision::Single, (&x, &expected), &context);
        if device.info().float64 {
            check_vector(device, csr, &schedule, Precision::Double, (&x, &expected), &context);
        }
        // One four of columns that is not full, and more than a team has in one go.
        for columns in common::share(&[3, 70], 2, turn + csr.nodes() as usize) {
            check_matrix(device, csr, &schedule, columns, &context);
        }
    }
}

/// `x` is the vector, and its product is to be `expected`.
fn check_vector(
    device: &Device,
    csr: &Csr,
    schedule: &str,
    precision: Precision,
    (x, expected): (&[f32], &[Bounded]),
    context: &str,
) {
    let unit = if precision == Precision::Single { SINGLE } else { DOUBLE };
    let config = SpmvConfig { schedule: schedule.parse().unwrap(), precision };
    let mut spmv = Spmv::prepare(device, csr, &config).unwrap();
    let input = DenseVector::from(x);
    let answers = [(); 2].map(|()| {
        spmv.run(&input).unwrap();
        let y = spmv.answer().unwrap().rows;
        assert_eq!(first_mismatch(expected, &y, unit), None, "{precision:?}, {context}");
        y
    });
    assert!(answers[0] == answers[1], "{precision:?}, {context}: two runs, two answers");
}

fn check_matrix(device: &Device, csr: &Csr, schedule: &str, columns: u32, context: &str) {
    let mut spmm = Spmm::prepare(device, csr, &SpmmConfig { schedule: schedule.parse().unwrap(), columns }).unwrap();
    let b = random_vector(csr.nodes() as usize * columns as usize, 2);
    spmm.run(&DenseMatrix::from(b.clone())).unwrap();
    let c = spmm.answer().unwrap().elements;
    assert_eq!(first_mismatch_of_matrix(csr, &b, &c, columns as usize), None, "{columns} columns, {context}");
}

#[test]
fn matrices_of_every_shape() {
    let row = |row: u32, length: u32| (0..length).map(move |column| (row, column));
    let shapes = [
        ("one row, nothing in it", csr(1, &[])),
        ("one entry", csr(1, &[(0, 0)])),
        ("rows with nothing in them", csr(5000, &[])),
        ("one dense row", csr(9000, &row(4321, 9000).collect::<Vec<_>>())),
        ("the first and the last row dense", csr(6000, &row(0, 6000).chain(row(5999, 6000)).collect::<Vec<_>>())),
        ("one dense column", csr(9000, &(0..9000).map(|row| (row, 17)).collect::<Vec<_>>())),
        (
            "a row longer than a part",
            csr(2000, &row(3, 1792).chain(row(4, 1791)).chain(row(5, 1793)).collect::<Vec<_>>()),
        ),
        ("many rows, few entries", csr(40_000, &[(0, 1), (20_000, 2), (39_999, 3)])),
        ("every row one entry", csr(4000, &(0..4000).map(|row| (row, 3999 - row)).collect::<Vec<_>>())),
        ("rows that end with a part", csr(2048, &(0..2048).flat_map(|line| row(line, 6)).collect::<Vec<_>>())),
    ];
    for device in common::devices() {
        for (shape, csr) in &shapes {
            check(&device, csr, shape);
        }
        common::finish(&device);
    }
}

#[test]
fn generated_matrices() {
    for device in common::devices() {
        for text in ["rmat:scale=13", "er:nodes=5000,degree=6", "grid:rows=60,cols=70", "star:nodes=30000"] {
            let graph = text.parse::<Generator>().unwrap().generate().unwrap();
            check(&device, &graph.csr, text);
        }
        common::finish(&device);
    }
}

#[test]
fn random_matrices() {
    for device in common::devices() {
        let config = ProptestConfig { cases: common::cases(12), failure_persistence: None, ..Default::default() };
        let edges = (1u32..4000).prop_flat_map(|nodes| {
            // Squaring crowds entries into the first rows: some long, many empty.
            let crowded =
                (0..nodes).prop_map(move |node| (u64::from(node) * u64::from(node) / u64::from(nodes)) as u32);
            (Just(nodes), prop::collection::vec((crowded, 0..nodes), 0..6000))
        });
        let run = |(nodes, edges): (u32, Vec<(u32, u32)>)| {
            check(&device, &csr(nodes, &edges), "random");
            Ok(())
        };
        proptest::test_runner::TestRunner::new(config).run(&edges, run).unwrap();
        common::finish(&device);
    }
}

#[test]
fn real_matrices() {
    let Some(data) = common::data() else { return };
    for device in common::devices() {
        for entry in std::fs::read_dir(data.join("matrix")).unwrap() {
            let path = entry.unwrap().path();
            let (graph, _) = open(&path, &OpenOptions::default()).unwrap();
            check(&device, &graph.csr, &graph.name);
        }
        common::finish(&device);
    }
}

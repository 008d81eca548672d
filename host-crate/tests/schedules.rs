//! Every schedule, on every device: products of sparse matrices of every shape and layout, with vectors and with dense matrices,
//! against the double-precision oracle.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{
        Algorithm, Bfs, BfsConfig, DenseMatrix, DenseVector, FrontEnd, Precision, Reorder, Spmm, SpmmConfig, plan,
        spmm::{MatrixOptions, MatrixProduct},
        spmv::{MatrixLayout, Product, Spmv, SpmvConfig, VectorOptions, random_vector},
    },
    device::{Device, DeviceOptions},
    graph::{
        BuildOptions, Csr, Dimensions, EdgeList, EdgeWeights, Graph, NodeIds, OpenOptions, Weights,
        generate::Generator, open,
    },
    oracle::spmv::{Bounded, DOUBLE, SINGLE, first_mismatch, first_mismatch_of_matrix, product, sum},
};
use proptest::prelude::*;

/// All schedules, groups narrower and wider than a subgroup, chunks of a tile for all lanes and of one for each, and the choices by rows.
fn schedules() -> Vec<String> {
    let others = [
        "group-mapped:1",
        "group-mapped:4",
        "group-mapped:256",
        "dynamic:1",
        "dynamic:256",
        "stealing:1",
        "stealing:256",
    ];
    let others = others.map(str::to_owned);
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
    // A software device takes seconds for each where a matrix is large: another part of them for each matrix.
    let (all, first) = (schedules(), csr.nodes() as usize);
    let taken = if csr.edges() < 4_000 { all } else { common::share(&all, 4, first) };
    for (turn, schedule) in taken.into_iter().enumerate() {
        let context = format!("{what}, {schedule} on {device:?}");
        let config = |precision, layout| SpmvConfig {
            schedule: schedule.parse().unwrap(),
            precision,
            layout,
            reorder: Reorder::None,
        };
        check_vector(device, csr, &config(Precision::Single, MatrixLayout::Csr), (&x, &expected), &context);
        if device.info().float64 {
            check_vector(device, csr, &config(Precision::Double, MatrixLayout::Csr), (&x, &expected), &context);
        }
        let precision = if device.info().float64 && turn % 2 == 1 { Precision::Double } else { Precision::Single };
        check_vector(device, csr, &config(precision, MatrixLayout::CooRows), (&x, &expected), &context);
        for layout in common::share(&[MatrixLayout::Coo, MatrixLayout::Csc], 2, turn + csr.nodes() as usize) {
            if device.info().float_atomics {
                check_vector(device, csr, &config(Precision::Single, layout), (&x, &expected), &context);
            }
        }
        let precisions = [(Precision::Single, MatrixLayout::Csr), (Precision::Double, MatrixLayout::Csr)];
        let layouts = [(Precision::Single, MatrixLayout::Coo), (Precision::Single, MatrixLayout::Csc)];
        for (precision, layout) in common::share(&[precisions, layouts].concat(), 4, turn + csr.edges() as usize) {
            let has_atomics = layout == MatrixLayout::Csr || device.info().float_atomics;
            if has_atomics && (precision == Precision::Single || device.info().float64) {
                let config = SpmvConfig { reorder: Reorder::Degree, ..config(precision, layout) };
                check_vector(device, csr, &config, (&x, &expected), &context);
            }
        }
        // One four of columns that is not full, and more than a team has in one go.
        for (columns, reorder) in common::share(
            &[(3, Reorder::None), (70, Reorder::None), (3, Reorder::Degree), (70, Reorder::Degree)],
            2,
            turn + csr.nodes() as usize,
        ) {
            check_matrix(device, csr, &schedule, columns, reorder, &context);
        }
    }
}

/// A matrix that is not square.
fn rectangle(rows: u32, columns: u32, entries: &[(u32, u32)]) -> Csr {
    csr(rows.max(columns), entries).with_dimensions(Dimensions { rows, columns }).unwrap()
}

/// The product of a matrix that is not square, in single precision, entry by entry.
fn product_of_entries(csr: &Csr, x: &[f32]) -> Vec<Bounded> {
    let rows = (0..csr.dimensions().rows).map(|row| {
        let term = |edge: usize| csr.weights().real(edge) * f64::from(x[csr.columns()[edge] as usize]);
        sum(&csr.row(row).map(term).collect::<Vec<_>>())
    });
    rows.collect()
}

/// A schedule that gives an invocation a long row to itself, or a small group or a workgroup several, is refused where a driver stops long loops.
fn check_refusal(device: &Device, error: &Error, context: &str) {
    assert!(device.info().loop_limit.is_some() && matches!(error, Error::Unsupported(_)), "{context}: {error}");
    // One workgroup may take all chunks.
    let takes_rows = ["thread-mapped", "group-mapped", "dynamic", "stealing"].iter().any(|name| context.contains(name));
    assert!(takes_rows, "{context}: {error}");
}

/// `x` is the vector, and its product is to be `expected`.
fn check_vector(device: &Device, csr: &Csr, config: &SpmvConfig, (x, expected): (&[f32], &[Bounded]), context: &str) {
    let SpmvConfig { precision, layout, reorder, .. } = *config;
    let unit = if precision == Precision::Single { SINGLE } else { DOUBLE };
    let planned = match plan::<Spmv>(device.info(), csr, config) {
        Err(error) => return check_refusal(device, &error, context),
        Ok(plan) => plan.bytes(),
    };
    let mut spmv = match Spmv::prepare(device, csr, config) {
        Err(error) => return check_refusal(device, &error, context),
        Ok(prepared) => prepared,
    };
    assert!(spmv.session().memory().bytes() <= planned, "{layout:?}, {context}");
    let input = DenseVector::from(x);
    let answers = [(); 2].map(|()| {
        spmv.run(&input).unwrap();
        let y = spmv.answer().unwrap().rows;
        assert_eq!(y.len(), expected.len(), "{context}");
        assert_eq!(first_mismatch(expected, &y, unit), None, "{precision:?}, {layout:?}, {reorder:?}, {context}");
        y
    });
    // Atomic additions come in any order.
    assert!(layout.adds_atomically() || answers[0] == answers[1], "{precision:?}, {context}: two runs, two answers");
}

fn check_matrix(device: &Device, csr: &Csr, schedule: &str, columns: u32, reorder: Reorder, context: &str) {
    let config = SpmmConfig { schedule: schedule.parse().unwrap(), columns, reorder };
    let mut spmm = match Spmm::prepare(device, csr, &config) {
        Err(error) => return check_refusal(device, &error, context),
        Ok(prepared) => prepared,
    };
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
            csr(2000, &(1759..=1761).chain(1791..=1793).flat_map(|length| row(length, length)).collect::<Vec<_>>()),
        ),
        ("many rows, few entries", csr(40_000, &[(0, 1), (20_000, 2), (39_999, 3)])),
        ("every row one entry", csr(4000, &(0..4000).map(|row| (row, 3999 - row)).collect::<Vec<_>>())),
        // Of merge-path a part has 1,760 entries and ends of rows, and of nonzero-split 1,792 entries.
        ("short rows that end with a part", csr(2048, &(0..2048).flat_map(|line| row(line, 4)).collect::<Vec<_>>())),
        ("rows that end with a part", csr(1024, &(0..1024).flat_map(|line| row(line, 10)).collect::<Vec<_>>())),
        ("rows that end with entries", csr(2048, &(0..2048).flat_map(|line| row(line, 7)).collect::<Vec<_>>())),
    ];
    for (turn, device) in common::devices().into_iter().enumerate() {
        for (shape, csr) in &common::share(&shapes, 3, turn) {
            check(&device, csr, shape);
        }
        common::finish(&device);
    }
}

#[test]
fn matrices_that_are_not_square() {
    let scattered = |rows: u32, columns: u32, count: u32| -> Vec<(u32, u32)> {
        (0..count).map(|entry| (entry.wrapping_mul(7919) % rows, entry.wrapping_mul(104_729) % columns)).collect()
    };
    let shapes = [
        ("a row", rectangle(1, 3000, &scattered(1, 3000, 2000))),
        ("a column", rectangle(3000, 1, &scattered(3000, 1, 2000))),
        ("wide", rectangle(300, 9000, &scattered(300, 9000, 5000))),
        ("tall", rectangle(9000, 300, &scattered(9000, 300, 5000))),
        ("wide, without entries", rectangle(2, 700, &[])),
    ];
    for device in common::devices() {
        for (turn, (shape, csr)) in shapes.iter().enumerate() {
            let Dimensions { rows, columns } = csr.dimensions();
            let x = random_vector(columns as usize, 1);
            let expected = product_of_entries(csr, &x);
            for schedule in common::share(&schedules(), 3, turn) {
                let context = format!("{shape}, {schedule} on {device:?}");
                for layout in [MatrixLayout::Csr, MatrixLayout::CooRows, MatrixLayout::Coo, MatrixLayout::Csc] {
                    let config = SpmvConfig { schedule: schedule.parse().unwrap(), layout, ..SpmvConfig::default() };
                    if !layout.adds_atomically() || device.info().float_atomics {
                        check_vector(&device, csr, &config, (&x, &expected), &context);
                    }
                }
                let config = SpmmConfig { schedule: schedule.parse().unwrap(), columns: 3, reorder: Reorder::Auto };
                let mut spmm = match Spmm::prepare(&device, csr, &config) {
                    Err(error) => {
                        check_refusal(&device, &error, &context);
                        continue;
                    }
                    Ok(prepared) => prepared,
                };
                let b = random_vector(columns as usize * 3, 2);
                spmm.run(&DenseMatrix::from(b.clone())).unwrap();
                let c = spmm.answer().unwrap().elements;
                assert_eq!(c.len(), rows as usize * 3, "{context}");
                for column in 0..3 {
                    let of = |all: &[f32]| all.iter().skip(column).step_by(3).copied().collect::<Vec<_>>();
                    let found: Vec<f64> = of(&c).into_iter().map(f64::from).collect();
                    assert_eq!(first_mismatch(&product_of_entries(csr, &of(&b)), &found, SINGLE), None, "{context}");
                }
            }
        }
        common::finish(&device);
    }
}

#[test]
fn what_needs_a_graph_refuses_a_rectangle() {
    let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let wide = rectangle(2, 3, &[(1, 2)]);
    let refusal = Bfs::prepare(&device, &wide, &BfsConfig::default()).err().unwrap().to_string();
    assert!(refusal.contains("2 rows and 3 columns, and bfs needs a graph"), "{refusal}");
    let config = SpmvConfig { reorder: Reorder::Degree, ..SpmvConfig::default() };
    let refusal = Spmv::prepare(&device, &wide, &config).err().unwrap().to_string();
    assert!(refusal.contains("--reorder none"), "{refusal}");
    let mut spmv = Spmv::prepare(&device, &wide, &SpmvConfig::default()).unwrap();
    let refusal = spmv.run(&DenseVector::from(vec![1.0f32; 2])).unwrap_err().to_string();
    assert!(refusal.contains("x has 2 elements, and the matrix 3 columns"), "{refusal}");
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
fn layouts_that_add_atomically_refuse_double_precision() {
    for device in common::devices() {
        for layout in [MatrixLayout::Coo, MatrixLayout::Csc] {
            let config = SpmvConfig { precision: Precision::Double, layout, ..SpmvConfig::default() };
            let refusal = Spmv::prepare(&device, &csr(2, &[(0, 1)]), &config).err();
            let is_refused = matches!(refusal, Some(evenkeel::Error::Usage(_) | evenkeel::Error::Device(_)));
            assert!(is_refused, "{layout:?} on {device:?}: {refusal:?}");
        }
        common::finish(&device);
    }
}

const LONG: u32 = 60_000;

/// A row of [`LONG`] entries, which is the last of as many rows.
fn long_row(weights: Weights) -> Graph {
    let mut row_offsets = vec![0; LONG as usize];
    row_offsets.push(LONG);
    let csr = Csr::new(row_offsets, (0..LONG).collect::<Vec<_>>(), weights).unwrap();
    Graph { name: "long".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
}

/// The terms of that row.
fn terms(graph: &Graph, x: impl Fn(usize) -> f32) -> Vec<f32> {
    (0..LONG as usize).map(|edge| graph.csr.weights().real(edge) as f32 * x(edge)).collect()
}

/// What kernels may make of the terms, in single precision: one after the other, from the last to the first, and eight sums.
fn sums(terms: &[f32]) -> [f32; 3] {
    let eighth = |first: usize| terms.iter().skip(first).step_by(8).sum::<f32>();
    [terms.iter().sum(), terms.iter().rev().sum(), (0..8).map(eighth).sum()]
}

/// Checks that `is_right` takes every sum of the terms of a long row, and neither nothing nor, where sums are exact, one that lacks a term.
fn check_long_row(terms: &[f32], exact: bool, is_right: impl Fn(f32) -> bool) {
    assert!(sums(terms).into_iter().all(&is_right));
    assert!(!is_right(0.0));
    for lacking in [0, 1, 7919, LONG as usize - 1].into_iter().filter(|_| exact) {
        let rest: Vec<f32> = terms.iter().enumerate().filter(|(term, _)| *term != lacking).map(|(_, x)| *x).collect();
        assert!(!sums(&rest).into_iter().any(&is_right), "without term {lacking}");
    }
}

#[test]
fn what_a_long_row_lacks_is_found() {
    let whole = |edge: u32| 1 + edge.wrapping_mul(7919) % 9;
    let weights = [
        (Weights::None, true),
        (Weights::U32((0..LONG).map(whole).collect::<Vec<_>>().into()), true),
        (Weights::F32((0..LONG).map(|edge| whole(edge) as f32).collect::<Vec<_>>().into()), true),
        (Weights::F32(random_vector(LONG as usize, 3).into()), false),
        (Weights::F32(vec![0.1; LONG as usize].into()), false),
    ];
    for (weights, exact) in weights {
        let graph = long_row(weights);
        let x = Spmv::input(&VectorOptions::default(), &graph, &SpmvConfig::default()).unwrap();
        let expected = Spmv::reference(&graph, &x, &SpmvConfig::default()).unwrap();
        check_long_row(&terms(&graph, |column| x.elements()[column] as f32), exact, |sum| {
            let rows = (1..LONG).map(|_| 0.0).chain([sum.into()]).collect();
            Spmv::check(&Product { rows, precision: Precision::Single }, &expected, &graph, &x).is_none()
        });
        let config = SpmmConfig { columns: 2, ..SpmmConfig::default() };
        let b = Spmm::input(&MatrixOptions::default(), &graph, &config).unwrap();
        let [other, _, _] = sums(&terms(&graph, |column| b.elements()[2 * column]));
        check_long_row(&terms(&graph, |column| b.elements()[2 * column + 1]), exact, |sum| {
            let elements = (2..2 * LONG).map(|_| 0.0).chain([other, sum]).collect();
            Spmm::check(&MatrixProduct { elements, columns: 2 }, &(), &graph, &b).is_none()
        });
    }
}

#[test]
fn vectors_of_different_seeds_have_nothing_in_common() {
    let drawn = [0, 1, 2].map(|seed| random_vector(1000, seed));
    assert!(drawn.iter().flatten().all(|element| *element != 0.0 && element.abs() <= 1.0));
    let sorted = drawn.map(|mut vector| {
        vector.sort_unstable_by(f32::total_cmp);
        vector
    });
    assert!(sorted[0] != sorted[1] && sorted[1] != sorted[2] && sorted[0] != sorted[2]);
    let negative = sorted[0].iter().filter(|element| **element < 0.0).count();
    assert!((400..600).contains(&negative), "{negative} of 1000 are negative");
}

#[test]
fn real_matrices() {
    let Some(data) = common::data() else { return };
    let files = std::fs::read_dir(data.join("matrix")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files.collect();
    files.sort();
    for (turn, device) in common::devices().into_iter().enumerate() {
        for path in common::share(&files, 4, turn) {
            let (graph, _) = open(&path, &OpenOptions::default()).unwrap();
            check(&device, &graph.csr, &graph.name);
        }
        common::finish(&device);
    }
}

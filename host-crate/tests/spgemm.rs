//! Sparse products by every schedule, on every device, against the oracle: matrices of every shape, random ones, and blocks of rows.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{
        Algorithm, FrontEnd, Precision, Spgemm, SpgemmConfig, plan,
        spgemm::{ProductValues, RightMatrix, SparseProduct},
        spmv::random_vector,
    },
    device::{Device, DeviceKind, DeviceOptions},
    engine::primitive::Sort,
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, Weights, generate::Generator},
};
use proptest::prelude::*;

/// All schedules, groups of one invocation and of a workgroup, and the form for the CPU device.
fn schedules(device: &Device) -> Vec<String> {
    let others = ["group-mapped:1", "group-mapped:256"].map(str::to_owned);
    let runs = |about: &evenkeel::strategy::About| about.runs_on(device.info());
    let all = Spgemm::alternatives().into_iter().map(|schedule| schedule.about).filter(runs);
    all.map(|about| about.name.to_owned()).chain(others).collect()
}

fn csr(nodes: u32, edges: &[(u32, u32)], weights: EdgeWeights) -> Csr {
    let (sources, targets) = edges.iter().copied().unzip();
    Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
}

fn weighted(nodes: u32, edges: &[(u32, u32)]) -> Csr {
    csr(nodes, edges, EdgeWeights::F32(random_vector(edges.len(), 7)))
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn graph(csr: &Csr) -> Graph {
    Graph { csr: csr.clone(), ..common::graph(1, [], true) }
}

/// The product, which is right, and has the same bits in a second run.
fn product(device: &Device, csr: &Csr, config: &SpgemmConfig, context: &str) -> Option<SparseProduct> {
    let planned = plan::<Spgemm>(device.info(), csr, config);
    let mut spgemm = common::unless_too_long(device, Spgemm::prepare(device, csr, config))?;
    assert!(spgemm.session().memory().bytes() <= planned.unwrap().bytes(), "{context}");
    spgemm.run(&()).unwrap();
    let first = spgemm.answer().unwrap();
    let graph = graph(csr);
    let expected = Spgemm::reference(&graph, &(), config).unwrap();
    assert_eq!(Spgemm::check(&first, &expected, &graph, &()), None, "{context}");
    spgemm.run(&()).unwrap();
    assert!(spgemm.answer().unwrap() == first, "{context}: two runs, two answers");
    Some(first)
}

/// One in three schedules, those whose turn it is.
fn check(device: &Device, csr: &Csr, what: &str, turn: usize) {
    let schedules: Vec<_> = schedules(device).into_iter().enumerate().collect();
    for (turn, schedule) in common::share(&schedules, 3, turn) {
        let precisions = [Precision::Single, Precision::Double];
        let matrices = [RightMatrix::Itself, RightMatrix::Transposed];
        // A fraction of all products, so that there are several blocks.
        let blocks = [None, Some(97)];
        for (kind, by) in common::share(&matrices, 2, turn).into_iter().enumerate() {
            for block_products in common::share(&blocks, 2, turn / 2 + kind) {
                for precision in common::share(&precisions, 2, turn + what.len()) {
                    if precision == Precision::Double && !device.info().float64 {
                        continue;
                    }
                    let schedule = schedule.parse().unwrap();
                    let config = SpgemmConfig { schedule, by, precision, block_products };
                    product(device, csr, &config, &format!("{what}, {config:?} on {device:?}"));
                }
            }
        }
    }
}

#[test]
fn matrices_of_every_shape() {
    let row = |row: u32, length: u32| (0..length).map(move |column| (row, column));
    let column = |column: u32, length: u32| (0..length).map(move |row| (row, column));
    let shapes = [
        ("no row", weighted(0, &[])),
        ("one row, nothing in it", weighted(1, &[])),
        ("one entry", weighted(1, &[(0, 0)])),
        ("rows with nothing in them", weighted(700, &[])),
        ("entries without products", weighted(300, &[(0, 1), (2, 3), (4, 299)])),
        ("edges to themselves alone", weighted(500, &(0..500).map(|node| (node, node)).collect::<Vec<_>>())),
        ("parallel edges", weighted(3, &[(0, 1), (0, 1), (0, 1), (1, 2), (1, 2), (1, 1), (2, 0)])),
        ("one dense row", weighted(900, &row(321, 900).collect::<Vec<_>>())),
        ("one dense column", weighted(900, &column(17, 900).collect::<Vec<_>>())),
        ("a dense row and a dense column", weighted(300, &row(0, 300).chain(column(0, 300)).collect::<Vec<_>>())),
        ("a dense matrix, whose entries have many products", generated("complete:nodes=60")),
        ("a permutation", weighted(2100, &(0..2100).map(|node| (node, 2099 - node)).collect::<Vec<_>>())),
        ("a grid", generated("grid:rows=20,cols=30")),
        ("a skewed matrix", generated("rmat:scale=7,directed=true")),
    ];
    for (turn, device) in common::devices().into_iter().enumerate() {
        for (turn, (shape, csr)) in common::share(&shapes, 2, turn).iter().enumerate() {
            check(&device, csr, shape, turn);
        }
        common::finish(&device);
    }
}

#[test]
fn the_cpu_device_multiplies_every_shape() {
    let cpu = Device::open("cpu", &DeviceOptions::default()).unwrap();
    for text in ["star:nodes=300", "rmat:scale=8,directed=true", "complete:nodes=40", "chain:nodes=2"] {
        for by in [RightMatrix::Itself, RightMatrix::Transposed] {
            let config = SpgemmConfig { by, ..SpgemmConfig::default() };
            product(&cpu, &generated(text), &config, text).unwrap();
        }
    }
}

#[test]
fn devices_and_blocks_agree_where_sums_are_exact() {
    let edges: Vec<(u32, u32)> = (0..4000u32).map(|edge| (edge * 7919 % 200, edge * 104_729 % 200)).collect();
    let whole = EdgeWeights::U32(edges.iter().map(|(from, to)| 1 + (from * 3 + to) % 9).collect());
    let csr = csr(200, &edges, whole);
    let mut answers = Vec::new();
    for device in common::devices() {
        for (schedule, block_products) in [("merge-path", None), ("radix-binned", Some(5000)), ("auto", None)] {
            let schedule = schedule.parse().unwrap();
            let config = SpgemmConfig { schedule, block_products, ..SpgemmConfig::default() };
            answers.extend(product(&device, &csr, &config, "whole weights"));
        }
    }
    assert!(answers.len() > 2 && answers.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn an_entry_may_be_zero() {
    let edges = [(0, 1), (0, 2), (1, 3), (2, 3)];
    let csr = csr(4, &edges, EdgeWeights::F32(vec![1.0, 1.0, 2.0, -2.0]));
    for device in common::devices() {
        let found = product(&device, &csr, &SpgemmConfig::default(), "cancelled").unwrap();
        let expected =
            SparseProduct { rows: vec![0], columns: vec![3], values: ProductValues::Single(vec![0.0]), products: 2 };
        assert_eq!(found, expected, "{device:?}");
        assert_eq!(found.compression(), 2.0);
    }
}

#[test]
fn what_does_not_fit_is_refused_with_the_numbers() {
    let csr = Csr::new(vec![0, 2, 3], vec![0, 1, 1], Weights::None).unwrap();
    let options = DeviceOptions { memory_limit: Some(100), ..DeviceOptions::default() };
    let small = Device::open("cpu", &options).unwrap();
    for schedule in ["merge-path", "gustavson-cpu"] {
        // The dense rows of threads need room for a few nodes alone.
        let csr = if schedule == "merge-path" { csr.clone() } else { generated("star:nodes=100") };
        let config = SpgemmConfig { schedule: schedule.parse().unwrap(), ..SpgemmConfig::default() };
        let refused = Spgemm::prepare(&small, &csr, &config);
        assert!(matches!(refused, Err(Error::Memory(reason)) if reason.contains("100 B")), "{schedule}");
    }
    for device in common::devices().iter().filter(|device| device.info().kind != DeviceKind::Cpu) {
        let config = SpgemmConfig { schedule: "gustavson-cpu".parse().unwrap(), ..SpgemmConfig::default() };
        let refused = Spgemm::prepare(device, &csr, &config);
        assert!(matches!(refused, Err(Error::Usage(reason)) if reason.contains("CPU device alone")));
    }
}

#[test]
fn pairs_are_sorted_and_equal_keys_keep_their_order() {
    for device in common::devices() {
        for (length, bits) in [(0usize, 8u32), (1, 0), (5, 4), (2047, 9), (2048, 12), (2049, 3), (70_001, 17)] {
            let keys: Vec<u32> =
                (0..length as u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 7) & ((1 << bits) - 1)).collect();
            let sort = Sort::new(&device, length).unwrap();
            let payloads: Vec<u32> = (0..length as u32).collect();
            device.upload(&sort.pairs[0].keys, 0, &keys).unwrap();
            device.upload(&sort.pairs[0].payloads, 0, &payloads).unwrap();
            let mut sorted = 0;
            device.record("sort", |recorder| sorted = sort.record(recorder, 0, length, bits)).unwrap().run().unwrap();
            let mut expected: Vec<(u32, u32)> = keys.into_iter().zip(payloads).collect();
            expected.sort_by_key(|(key, _)| *key);
            let pairs = &sort.pairs[sorted];
            let found =
                device.download(&pairs.keys).unwrap().into_iter().zip(device.download(&pairs.payloads).unwrap());
            assert!(found.collect::<Vec<_>>() == expected, "{length} pairs of {bits} bits on {device:?}");
        }
        common::finish(&device);
    }
}

fn any_matrix() -> impl Strategy<Value = Csr> {
    (1u32..60).prop_flat_map(|nodes| {
        proptest::collection::vec((0..nodes, 0..nodes), 0..400).prop_map(move |edges| weighted(nodes, &edges))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(common::cases(32)))]

    #[test]
    fn random_matrices(csr in any_matrix(), block in 1u32..500, turn in 0usize..64) {
        for device in common::devices() {
            let all = schedules(&device);
            let schedule = all[turn % all.len()].parse().unwrap();
            let by = if turn % 2 == 0 { RightMatrix::Itself } else { RightMatrix::Transposed };
            let block_products = (turn % 3 == 0).then_some(block);
            let config = SpgemmConfig { schedule, by, block_products, ..SpgemmConfig::default() };
            product(&device, &csr, &config, &format!("{config:?} on {device:?}"));
        }
    }
}

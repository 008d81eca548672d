//! Components, PageRank and products of graphs in one, two and more partitions, against the oracles. Partitions are made small by the device's
//! option, so that rows are cut, too.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{
        Algorithm, Components, ComponentsConfig, DenseMatrix, DenseVector, FrontEnd, PageRank, PageRankConfig,
        Precision, Reorder, Seeds, Spmm, SpmmConfig, plan,
        spmv::{MatrixLayout, Spmv, SpmvConfig, random_vector},
    },
    device::{Device, DeviceOptions},
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds, PartitionOptions, Partitions, generate::Generator,
    },
    oracle::{
        components, first_mismatch,
        pagerank::{self, TOLERANCE, ranks},
        spmv::{self, DOUBLE, SINGLE, first_mismatch_of_matrix, product},
    },
};
use std::{fmt::Debug, sync::OnceLock};

/// Schedules of all kinds: those that leave long rows whole, that cut them, and that sort them.
const SCHEDULES: [&str; 9] = [
    "thread-mapped",
    "group-mapped:8",
    "merge-path",
    "merge-path-thread",
    "nonzero-split",
    "radix-binned",
    "dynamic",
    "stealing:4",
    "auto",
];

fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets): (Vec<u32>, Vec<u32>) = edges.into_iter().unzip();
    let weights = EdgeWeights::F32(random_vector(sources.len(), 7));
    Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

/// About half of the edges, some of them with their reverses.
fn one_way(whole: &Csr) -> Csr {
    let ends = |node: u32| whole.neighbours(node).iter().map(move |end| (node, *end));
    csr(whole.nodes(), (0..whole.nodes()).flat_map(ends).filter(|(source, target)| (source * 7 + target * 3) % 5 < 2))
}

/// Random and skewed graphs, a row that is cut, directed ones, and some without edges or nodes.
fn graphs() -> Vec<(&'static str, Csr)> {
    vec![
        ("random", generated("er:nodes=1500,degree=8")),
        ("skewed", generated("rmat:scale=10")),
        ("star", generated("star:nodes=9000")),
        ("directed", one_way(&generated("rmat:scale=10"))),
        ("a row to all", csr(6000, (0..6000).map(|node| (7, node)).chain((0..5999).map(|node| (node, node + 1))))),
        ("no edge", csr(9000, [])),
        ("no node", csr(0, [])),
    ]
}

/// The most bytes of a partition: the graphs have one, a few and many of them.
const LIMITS: [Option<u64>; 3] = [None, Some(32_000), Some(7_000)];

/// Devices of each kind, with each of the limits.
fn devices() -> &'static [(Option<u64>, Device)] {
    static DEVICES: OnceLock<Vec<(Option<u64>, Device)>> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let open = |limit: Option<u64>| {
            let options = DeviceOptions { partition_bytes: limit, ..DeviceOptions::default() };
            let cpu = ["cpu", "cpu:subgroup=32"].map(|name| Device::open(name, &options).unwrap());
            cpu.into_iter().chain(common::device_with(options)).map(move |device| (limit, device))
        };
        LIMITS.into_iter().flat_map(open).collect()
    })
}

/// Calls `check` for each graph on devices of each kind, whole and in partitions. Unless it is a sweep, a graph has every other device.
fn for_each_case(check: impl Fn(&Device, &Csr, &str)) {
    for (turn, (name, csr)) in graphs().into_iter().enumerate() {
        let partitions = |limit: Option<u64>| Partitions::plan(&csr, PartitionOptions::new(limit.unwrap_or(u64::MAX)));
        let counts = LIMITS.map(|limit| partitions(limit).list().len());
        for (limit, device) in common::share(devices(), 3, turn) {
            let count = partitions(limit).list().len();
            check(&device, &csr, &format!("{name} in {count} partitions on {device:?}"));
            common::finish(&device);
        }
        let is_cut = counts[0] == 1 && (2..5).contains(&counts[1]) && counts[2] > 4;
        assert!(is_cut || csr.nodes() == 0, "{name} has {counts:?} partitions");
    }
}

#[test]
fn components_of_partitions() {
    for_each_case(|device, csr, what| {
        for (strong, expected) in [(false, components::weak(csr)), (true, components::strong(csr))] {
            for name in ["afforest", "all-edges", "all-edges:merge-path", "all-edges:radix-binned", "auto"] {
                let config = ComponentsConfig { strategy: name.parse().unwrap(), strong };
                let mut found = match Components::prepare(device, csr, &config) {
                    Err(Error::Usage(_)) if strong && name == "afforest" && !csr.is_symmetric() => continue,
                    Err(Error::Unsupported(_)) if device.info().loop_limit.is_some() => continue,
                    prepared => prepared.unwrap(),
                };
                for _ in 0..2 {
                    found.run(&()).unwrap();
                    let labels = found.answer().unwrap().0;
                    assert_eq!(first_mismatch(&expected, &labels), None, "{what}, {config:?}");
                }
            }
        }
    });
}

/// Whether the CPU device runs a form of its own, which reads the graph of the host.
fn is_native(found: &PageRank) -> bool {
    found.session().method() == Some("pull-cpu")
}

#[test]
fn ranks_of_partitions() {
    for_each_case(|device, csr, what| {
        let config = PageRankConfig { iterations: 8, ..PageRankConfig::default() };
        let expected = ranks(csr, config.damping, config.iterations);
        let schedules: Vec<_> = SCHEDULES.into_iter().enumerate().collect();
        for (turn, schedule) in common::share(&schedules, 2, csr.nodes() as usize + what.len()) {
            // A tolerance that is never reached: the loop of the device has as many iterations.
            let tolerance = (turn % 2 == 1).then_some(1e-30);
            let reorder = if turn % 3 == 0 { Reorder::None } else { Reorder::Degree };
            let config = PageRankConfig { schedule: schedule.parse().unwrap(), reorder, tolerance, ..config.clone() };
            let Some(mut found) = common::unless_too_long(device, PageRank::prepare(device, csr, &config)) else {
                continue;
            };
            let chunks = found.session().memory().buffers.iter().filter(|(name, bytes)| name == "chunks" && *bytes > 0);
            if what.starts_with("skewed") && reorder == Reorder::Degree && !is_native(&found) {
                let is_cut = device.info().partition_bytes.is_some();
                assert!(chunks.count() > usize::from(is_cut), "{what}, {config:?}");
            }
            for _ in 0..2 {
                found.run(&Seeds::default()).unwrap();
                let ranks = found.answer().unwrap().ranks;
                let mismatch = pagerank::first_mismatch(&expected, &ranks, TOLERANCE);
                assert_eq!(mismatch, None, "{what}, {config:?}");
            }
        }
    });
}

#[test]
fn products_of_partitions() {
    for_each_case(|device, csr, what| {
        let x = random_vector(csr.nodes() as usize, 1);
        let expected = product(csr, &x);
        let layouts = [
            (Precision::Single, MatrixLayout::Csr),
            (Precision::Double, MatrixLayout::Csr),
            (Precision::Single, MatrixLayout::Csc),
        ];
        for (turn, schedule) in SCHEDULES.into_iter().enumerate() {
            for (precision, layout) in common::share(&layouts, 2, turn) {
                let has_atomics = layout == MatrixLayout::Csr || device.info().float_atomics;
                if !has_atomics || precision == Precision::Double && !device.info().float64 {
                    continue;
                }
                let (schedule, reorder) = (schedule.parse().unwrap(), Reorder::Auto);
                let config = SpmvConfig { schedule, precision, layout, reorder };
                let Some(mut found) = common::unless_too_long(device, Spmv::prepare(device, csr, &config)) else {
                    continue;
                };
                let unit = if precision == Precision::Single { SINGLE } else { DOUBLE };
                for _ in 0..2 {
                    found.run(&DenseVector::from(x.clone())).unwrap();
                    let rows = found.answer().unwrap().rows;
                    assert_eq!(spmv::first_mismatch(&expected, &rows, unit), None, "{what}, {config:?}");
                }
            }
        }
    });
}

#[test]
fn products_of_partitions_with_a_matrix() {
    for_each_case(|device, csr, what| {
        for (turn, schedule) in SCHEDULES.into_iter().enumerate() {
            let columns = if turn % 2 == 0 { 3 } else { 18 };
            let b = random_vector(csr.nodes() as usize * columns as usize, 2);
            let config = SpmmConfig { schedule: schedule.parse().unwrap(), columns, reorder: Reorder::Auto };
            let Some(mut found) = common::unless_too_long(device, Spmm::prepare(device, csr, &config)) else {
                continue;
            };
            found.run(&DenseMatrix::from(b.clone())).unwrap();
            let elements = found.answer().unwrap().elements;
            let mismatch = first_mismatch_of_matrix(csr, &b, &elements, columns as usize);
            assert_eq!(mismatch, None, "{what}, {config:?}");
        }
    });
}

#[test]
fn offsets_of_64_bits_are_taken() {
    for_each_case(|device, csr, what| {
        let (wide, x) = (common::widened(csr), random_vector(csr.nodes() as usize, 3));
        for (strong, expected) in [(false, components::weak(csr)), (true, components::strong(csr))] {
            let mut found =
                Components::prepare(device, &wide, &ComponentsConfig { strong, ..Default::default() }).unwrap();
            found.run(&()).unwrap();
            assert_eq!(first_mismatch(&expected, &found.answer().unwrap().0), None, "{what}");
        }
        for reorder in [Reorder::None, Reorder::Degree] {
            let config = PageRankConfig { iterations: 4, reorder, ..PageRankConfig::default() };
            let mut found = PageRank::prepare(device, &wide, &config).unwrap();
            found.run(&Seeds::default()).unwrap();
            let expected = ranks(csr, config.damping, config.iterations);
            assert_eq!(pagerank::first_mismatch(&expected, &found.answer().unwrap().ranks, TOLERANCE), None, "{what}");
        }
        let mut found = Spmv::prepare(device, &wide, &SpmvConfig::default()).unwrap();
        found.run(&DenseVector::from(x.clone())).unwrap();
        let expected = product(csr, &x);
        assert_eq!(spmv::first_mismatch(&expected, &found.answer().unwrap().rows, SINGLE), None, "{what}");
        let mut found = Spmm::prepare(device, &wide, &SpmmConfig { columns: 1, ..SpmmConfig::default() }).unwrap();
        found.run(&DenseMatrix::from(x.clone())).unwrap();
        let mismatch = first_mismatch_of_matrix(csr, &x, &found.answer().unwrap().elements, 1);
        assert_eq!(mismatch, None, "{what}");
    });
}

#[test]
fn a_list_of_entries_is_refused_before_anything_is_allocated() {
    let csr = generated("rmat:scale=8");
    let options = DeviceOptions { partition_bytes: Some(csr.edges()), ..DeviceOptions::default() };
    let device = Device::open("cpu", &options).unwrap();
    let config = SpmvConfig { layout: MatrixLayout::Coo, ..SpmvConfig::default() };
    let planned = plan::<Spmv>(device.info(), &csr, &config).map(|_| ());
    for refused in [planned, Spmv::prepare(&device, &csr, &config).map(|_| ())] {
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("layout coo takes only one; take one of csr, csc"), "{error}");
    }
}

/// Prepares on devices with too little memory for the arrays of all edges, which take so many bytes an edge. `config` is what the memory is
/// found with.
fn streamed<A: FrontEnd<Config: Debug>>(csr: &Csr, config: &A::Config, edge_bytes: u64, check: impl Fn(&mut A, &str)) {
    let partition_bytes = Some(4 * csr.edges() / 9);
    let options = DeviceOptions { partition_bytes, ..DeviceOptions::default() };
    let unlimited = Device::open("cpu:subgroup=32", &options).unwrap();
    let needed = A::prepare(&unlimited, csr, config).unwrap().session().memory().bytes();
    let options = DeviceOptions { memory_limit: Some(needed - edge_bytes * csr.edges() / 2), ..options };
    let emulated = Device::open("cpu:subgroup=32", &options).unwrap();
    for device in common::device_with(options).into_iter().chain([emulated]) {
        let what = format!("{} {config:?} on {device:?}", A::ABOUT.name);
        let Some(mut prepared) = common::unless_too_long(&device, A::prepare(&device, csr, config)) else { continue };
        let layout = prepared.session().memory().layout.clone().unwrap_or_else(|| panic!("{what} is not streamed"));
        assert!(
            layout.contains("streamed") && prepared.session().memory().bytes() <= device.info().available(),
            "{what}"
        );
        let planned = plan::<A>(device.info(), csr, config).unwrap();
        assert!(planned.layout.is_some() && planned.bytes() <= device.info().available(), "{what}");
        // What slots hold after a run is not what they held before it.
        (0..3).for_each(|_| check(&mut prepared, &what));
        common::finish(&device);
    }
}

/// Graphs with enough edges that they, and not the nodes, decide about the memory.
fn graphs_to_stream() -> Vec<(&'static str, Csr)> {
    vec![
        ("skewed", generated("rmat:scale=10")),
        ("directed", one_way(&generated("rmat:scale=11"))),
        ("a row to all", csr(3000, (0..60_000).map(|edge| (if edge % 3 == 0 { 7 } else { edge % 2999 }, edge / 20)))),
    ]
}

#[test]
fn ranks_of_what_exceeds_the_memory() {
    for (name, csr) in graphs_to_stream() {
        let (one, seeds) = (Seeds::default(), Seeds::new([(1, 1.0), (5, 2.0)]).unwrap());
        for (schedule, tolerance) in [("auto", None), ("merge-path", Some(1e-30)), ("thread-mapped", None)] {
            let (schedule, iterations) = (schedule.parse().unwrap(), 5);
            let config = PageRankConfig { schedule, iterations, tolerance, ..PageRankConfig::default() };
            let graph =
                Graph { name: name.into(), csr: csr.clone(), ids: NodeIds::Counted { first: 0 }, directed: true };
            let expected = [&one, &seeds].map(|seeds| PageRank::reference(&graph, seeds, &config).unwrap());
            streamed::<PageRank>(&csr, &config, 4, |found, what| {
                for (seeds, expected) in [&one, &seeds].into_iter().zip(&expected) {
                    let run = found.run(seeds).unwrap();
                    assert!(run.streamed_bytes > 0 && run.iterations == iterations, "{what}, {name}: {run:?}");
                    let mismatch = PageRank::check(&found.answer().unwrap(), expected, &graph, seeds);
                    assert!(mismatch.is_none(), "{what}, {name}: {mismatch:?}");
                }
            });
        }
    }
}

#[test]
fn products_of_what_exceeds_the_memory() {
    for (name, csr) in graphs_to_stream() {
        let x = random_vector(csr.nodes() as usize, 1);
        let expected = product(&csr, &x);
        for (schedule, precision, layout) in [
            ("auto", Precision::Single, MatrixLayout::Csr),
            ("merge-path", Precision::Double, MatrixLayout::Csr),
            ("nonzero-split", Precision::Single, MatrixLayout::Csc),
        ] {
            let config = SpmvConfig { schedule: schedule.parse().unwrap(), precision, layout, ..SpmvConfig::default() };
            let unit = if precision == Precision::Single { SINGLE } else { DOUBLE };
            streamed::<Spmv>(&csr, &config, 4 + 4 * (1 + u64::from(precision == Precision::Double)), |found, what| {
                let run = found.run(&DenseVector::from(x.clone())).unwrap();
                assert!(run.streamed_bytes > 0, "{what}, {name}");
                let rows = found.answer().unwrap().rows;
                assert_eq!(spmv::first_mismatch(&expected, &rows, unit), None, "{what}, {name}");
            });
        }
        let b = random_vector(3 * csr.nodes() as usize, 2);
        let config = SpmmConfig { columns: 3, ..SpmmConfig::default() };
        streamed::<Spmm>(&csr, &config, 8, |found, what| {
            assert!(found.run(&DenseMatrix::from(b.clone())).unwrap().streamed_bytes > 0, "{what}, {name}");
            let elements = found.answer().unwrap().elements;
            assert_eq!(first_mismatch_of_matrix(&csr, &b, &elements, 3), None, "{what}, {name}");
        });
    }
}

#[test]
fn components_of_what_exceeds_the_memory() {
    for (name, csr) in graphs_to_stream() {
        for (strong, expected) in [(false, components::weak(&csr)), (true, components::strong(&csr))] {
            for strategy in ["all-edges", "all-edges:merge-path", "auto"] {
                let config = ComponentsConfig { strategy: strategy.parse().unwrap(), strong };
                streamed::<Components>(&csr, &config, 4, |found, what| {
                    assert!(found.run(&()).unwrap().streamed_bytes > 0, "{what}, {name}");
                    assert_eq!(first_mismatch(&expected, &found.answer().unwrap().0), None, "{what}, {name}");
                    assert!(strategy != "auto" || found.session().method() == Some("all-edges"), "{what}, {name}");
                });
            }
        }
    }
}

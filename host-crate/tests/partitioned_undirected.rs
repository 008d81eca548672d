//! Cores, spanning forests and triangles of graphs in one, two and more partitions, against the oracles. Partitions are made small by the
//! device's option, so that rows are cut, too.

use crate::{
    common,
    partitions::{bytes_for, devices, generated, weighted},
};
use evenkeel::{
    Error,
    algorithm::{
        Algorithm, KCore, KCoreConfig, Mst, MstConfig, NodeTriangles, PerNode, Triangles, TrianglesConfig, plan,
    },
    device::{Device, DeviceOptions},
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds},
    oracle,
};

fn csr(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Csr {
    let (sources, targets) = edges.into_iter().unzip();
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Csr::from_edges(EdgeList { nodes, sources, targets, weights: EdgeWeights::None }, options).unwrap().0
}

/// A ring around a node whose row is long, with parallel edges and edges to themselves.
fn wheel(rim: u32) -> Csr {
    let around = |node| [(node, (node + 1) % rim), (node, rim), (rim, node), (node, rim), (node, node)];
    csr(rim + 1, (0..rim).flat_map(around))
}

/// Skewed and even graphs, one that is taken away from both ends, rows that must be cut, and a graph without edges.
fn graphs() -> Vec<(&'static str, Csr)> {
    vec![
        ("skewed", generated("rmat:scale=6")),
        ("star", generated("star:nodes=200")),
        ("grid", generated("grid:rows=8,cols=9")),
        ("chain", generated("chain:nodes=80")),
        ("wheel", wheel(70)),
        ("no edge", csr(300, [])),
    ]
}

/// The graphs of the other tests, and one whose partitions have more edges than a workgroup processes at a time.
fn with_large() -> Vec<(&'static str, Csr)> {
    graphs().into_iter().chain([("large", generated("rmat:scale=9"))]).collect()
}

/// Calls `check` for each graph in 1, 2 and 7 partitions on devices of each kind: unless it is a full run, a graph has one device in three for
/// each number of partitions.
fn for_each_case(graphs: Vec<(&str, Csr)>, check: impl Fn(&Device, &Csr, &str)) {
    for (turn, (name, csr)) in graphs.into_iter().enumerate() {
        for (place, wanted) in common::share(&[1, 2, 7], 2, turn).into_iter().enumerate() {
            let (bytes, count) = if wanted == 1 { (1 << 40, 1) } else { bytes_for(&csr, wanted) };
            assert!(count >= wanted, "{name} has {count} partitions");
            for device in common::share(&devices(bytes), 3, turn + place) {
                check(&device, &csr, &format!("{name} in {count} partitions on {device:?}"));
                common::finish(&device);
            }
        }
    }
}

#[test]
fn cores_of_partitions() {
    for_each_case(graphs(), |device, csr, what| {
        let expected = oracle::kcore::cores(csr);
        for (strategy, k, runs) in [("peel", None, 2), ("peel", Some(2), 1), ("auto", None, 1)] {
            let config = KCoreConfig { strategy: strategy.parse().unwrap(), k };
            let mut found = KCore::prepare(device, csr, &config).unwrap();
            for _ in 0..runs {
                found.run(&()).unwrap();
                let nodes = found.answer().unwrap().nodes;
                let of_k = |core: &u32| k.map_or(*core, |k| u32::from(*core >= k));
                assert_eq!(nodes, expected.iter().map(of_k).collect::<Vec<_>>(), "{what}, {config:?}");
            }
        }
    });
}

#[test]
fn cores_from_above_take_one_partition() {
    let csr = generated("rmat:scale=8");
    let device = Device::open("cpu", &partitions_of(csr.edges())).unwrap();
    let config = KCoreConfig { strategy: "h-index".parse().unwrap(), k: None };
    let planned = plan::<KCore>(device.info(), &csr, &config).map(|_| ());
    for refused in [planned, KCore::prepare(&device, &csr, &config).map(|_| ())] {
        let Err(Error::Unsupported(reason)) = refused else { panic!("{refused:?}") };
        assert!(reason.contains("partitions, as none may exceed"), "{reason}");
        assert!(reason.ends_with("strategy h-index takes only one; take one of peel, auto"), "{reason}");
    }
}

#[test]
fn forests_of_partitions() {
    for_each_case(with_large(), |device, csr, what| {
        for csr in [csr.clone(), weighted(csr), one_way(csr)] {
            let ids = NodeIds::Counted { first: 0 };
            let graph = Graph { name: what.to_owned(), csr, ids, directed: true };
            let expected = Mst::reference(&graph, &(), &MstConfig::default()).unwrap();
            for strategy in ["boruvka", "light-first", "auto"] {
                let config = MstConfig { strategy: strategy.parse().unwrap() };
                let mut found = Mst::prepare(device, &graph.csr, &config).unwrap();
                for _ in 0..2 {
                    found.run(&()).unwrap();
                    let mismatch = Mst::check(&found.answer().unwrap(), &expected, &graph, &());
                    assert_eq!(mismatch, None, "{what}, {config:?}");
                }
            }
        }
    });
}

/// About half of the edges, with real weights, some of them negative.
fn one_way(whole: &Csr) -> Csr {
    let ends = |node: u32| whole.neighbours(node).iter().map(move |end| (node, *end));
    let edges = (0..whole.nodes()).flat_map(ends).filter(|(source, target)| (source * 7 + target * 3) % 5 < 3);
    let (sources, targets): (Vec<u32>, Vec<u32>) = edges.unzip();
    let weights = EdgeWeights::F32((0..sources.len()).map(|edge| (edge * 37 % 91) as f32 - 20.5).collect());
    let list = EdgeList { nodes: whole.nodes(), sources, targets, weights };
    Csr::from_edges(list, BuildOptions::default()).unwrap().0
}

#[test]
fn triangles_of_partitions() {
    for_each_case(with_large(), |device, csr, what| {
        for (directed, csr) in [(false, csr.clone()), (true, one_way(csr))] {
            let graph = Graph { name: what.to_owned(), csr, ids: NodeIds::Counted { first: 0 }, directed };
            let asked = if directed { vec![PerNode::Lcc] } else { vec![PerNode::None, PerNode::Count, PerNode::Lcc] };
            for per_node in asked {
                let expected = Triangles::reference(&graph, &(), &triangles("auto", per_node)).unwrap();
                for strategy in common::share(&["binary-search", "bitmap:heavy=1", "bitmap", "auto"], 2, what.len()) {
                    // Where all nodes are heavy, there are too many of them to be quick.
                    if strategy == "bitmap:heavy=1" && what.starts_with("large") {
                        continue;
                    }
                    let config = triangles(strategy, per_node);
                    let prepared = Triangles::prepare(device, &graph.csr, &config);
                    let Some(mut found) = common::unless_too_long(device, prepared) else { continue };
                    for _ in 0..2 {
                        found.run(&()).unwrap();
                        let answer = found.answer().unwrap();
                        let mismatch = Triangles::check(&answer, &expected, &graph, &());
                        assert_eq!(mismatch, None, "{what}, {config:?}, directed: {directed}");
                        assert_eq!(matches!(answer.nodes, NodeTriangles::None), per_node == PerNode::None);
                    }
                }
            }
        }
    });
}

fn triangles(strategy: &str, per_node: PerNode) -> TrianglesConfig {
    TrianglesConfig { strategy: strategy.parse().unwrap(), per_node }
}

#[test]
fn parallel_edges_count_once_wherever_a_row_is_cut() {
    let csr = wheel(60);
    let graph = Graph { name: "wheel".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: false };
    let expected = Triangles::reference(&graph, &(), &triangles("auto", PerNode::Count)).unwrap();
    for bytes in (40..=100).step_by(4) {
        let device = Device::open("cpu", &partitions_of(bytes)).unwrap();
        for strategy in ["binary-search", "bitmap:heavy=1"] {
            let mut found = Triangles::prepare(&device, &graph.csr, &triangles(strategy, PerNode::Count)).unwrap();
            found.run(&()).unwrap();
            assert_eq!(found.answer().unwrap(), expected, "{strategy} in partitions of {bytes} bytes");
        }
    }
}

fn partitions_of(bytes: u64) -> DeviceOptions {
    DeviceOptions { partition_bytes: Some(bytes), ..DeviceOptions::default() }
}

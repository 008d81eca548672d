//! Building and transforming CSRs against models that are as plain as can be: sorted sets and maps of edges.

use crate::common::widened;
use evenkeel::{
    Error,
    graph::{
        BuildOptions, BuildReport, Csr, EdgeList, EdgeWeights, Graph, NodeIds, Weights,
        statistics::Statistics,
        transform::{rebuild, transpose},
    },
};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// An edge of the model: source, target, weight. The tests' weights are small and whole, so f64 holds each of them.
type Edge = (u32, u32, f64);

#[derive(Clone, Copy, Debug)]
enum Kind {
    None,
    U32,
    F32,
}

fn edge_list(nodes: u32, edges: &[Edge], kind: Kind) -> EdgeList {
    let weights = match kind {
        Kind::None => EdgeWeights::None,
        Kind::U32 => EdgeWeights::U32(edges.iter().map(|edge| edge.2.abs() as u32).collect()),
        Kind::F32 => EdgeWeights::F32(edges.iter().map(|edge| edge.2 as f32).collect()),
    };
    EdgeList {
        nodes,
        sources: edges.iter().map(|edge| edge.0).collect(),
        targets: edges.iter().map(|edge| edge.1).collect(),
        weights,
    }
}

/// The edges of a CSR, row by row, with 0 for the weight where there is none.
fn edges_of(csr: &Csr) -> Vec<Edge> {
    let weight = |edge: usize| match csr.weights() {
        Weights::None => 0.0,
        Weights::U32(weights) => f64::from(weights[edge]),
        Weights::F32(weights) => f64::from(weights[edge]),
    };
    (0..csr.nodes()).flat_map(|u| csr.row(u).map(move |edge| (u, csr.columns()[edge], weight(edge)))).collect()
}

fn model(edges: &[Edge], kind: Kind, options: BuildOptions) -> (Vec<Edge>, BuildReport) {
    let weight = |weight: f64| match kind {
        Kind::None => 0.0,
        Kind::U32 => weight.abs(),
        Kind::F32 => weight,
    };
    let mut stored = Vec::new();
    for &(u, v, w) in edges.iter().filter(|edge| !(options.drop_self_loops && edge.0 == edge.1)) {
        stored.push((u, v, weight(w)));
        if options.symmetrise && u != v {
            stored.push((v, u, weight(w)));
        }
    }
    let before = stored.len();
    if options.symmetrise || options.merge_parallel_edges {
        let mut lightest = BTreeMap::<(u32, u32), f64>::new();
        for (u, v, w) in stored {
            lightest.entry((u, v)).and_modify(|kept| *kept = kept.min(w)).or_insert(w);
        }
        stored = lightest.into_iter().map(|((u, v), w)| (u, v, w)).collect();
    }
    stored.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let self_loops = edges.iter().filter(|edge| edge.0 == edge.1).count() as u64;
    let report = BuildReport {
        edges_given: edges.len() as u64,
        self_loops_dropped: if options.drop_self_loops { self_loops } else { 0 },
        parallel_edges_merged: (before - stored.len()) as u64,
        edges_stored: stored.len() as u64,
        ..BuildReport::default()
    };
    (stored, report)
}

fn graph(csr: Csr) -> Graph {
    Graph { name: "graph".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
}

fn any_edges() -> impl Strategy<Value = (u32, Vec<Edge>)> {
    // Few nodes, so that self-loops, duplicates and reverses abound; none at all now and then.
    (0u32..40).prop_flat_map(|nodes| {
        let most = if nodes == 0 { 0 } else { 200 };
        let edge = (0..nodes.max(1), 0..nodes.max(1), (-4i32..5).prop_map(f64::from));
        (Just(nodes), prop::collection::vec(edge, 0..=most))
    })
}

fn any_width() -> impl Strategy<Value = fn(Csr) -> Csr> {
    prop_oneof![Just((|csr| csr) as fn(Csr) -> Csr), Just((|csr| widened(&csr)) as fn(Csr) -> Csr)]
}

fn any_options() -> impl Strategy<Value = BuildOptions> {
    any::<[bool; 3]>().prop_map(|[symmetrise, drop_self_loops, merge_parallel_edges]| BuildOptions {
        symmetrise,
        drop_self_loops,
        merge_parallel_edges,
    })
}

fn any_kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::None), Just(Kind::U32), Just(Kind::F32)]
}

proptest! {
    #[test]
    fn rows_are_those_of_the_model((nodes, edges) in any_edges(), options in any_options(), kind in any_kind(), width in any_width()) {
        let (csr, report) = Csr::from_edges(edge_list(nodes, &edges, kind), options).unwrap();
        let (expected, expected_report) = model(&edges, kind, options);
        prop_assert_eq!(csr.nodes(), nodes);
        prop_assert_eq!(edges_of(&csr), expected);
        prop_assert_eq!(&report, &expected_report);
        // A graph is put through the same builder as an edge list.
        let plain = Csr::from_edges(edge_list(nodes, &edges, kind), BuildOptions::default()).unwrap().0;
        let (rebuilt, rebuilt_report) = rebuild(&graph(width(plain)), options).unwrap();
        prop_assert_eq!((rebuilt.csr, rebuilt_report), (csr, report));
    }

    #[test]
    fn transposing_reverses_and_twice_is_nothing((nodes, edges) in any_edges(), kind in any_kind(), width in any_width()) {
        let build = |edges: &[Edge]| {
            width(Csr::from_edges(edge_list(nodes, edges, kind), BuildOptions::default()).unwrap().0)
        };
        let reversed: Vec<Edge> = edges.iter().map(|&(u, v, w)| (v, u, w)).collect();
        let csr = build(&edges);
        let transposed = transpose(&csr).unwrap();
        prop_assert_eq!(&transposed, &build(&reversed));
        prop_assert_eq!(&transpose(&transposed).unwrap(), &csr);
        prop_assert_eq!(csr.has_symmetric_weights(), edges_of(&csr) == edges_of(&transposed));
        let structure = |csr: &Csr| (0..nodes).map(|node| csr.neighbours(node).to_vec()).collect::<Vec<_>>();
        prop_assert_eq!(csr.is_symmetric(), structure(&csr) == structure(&transposed));
    }

    #[test]
    fn statistics_are_those_counted_by_hand((nodes, edges) in any_edges(), options in any_options(), kind in any_kind(), width in any_width()) {
        let csr = width(Csr::from_edges(edge_list(nodes, &edges, kind), options).unwrap().0);
        let edges = edges_of(&csr);
        let statistics = Statistics::of(&graph(csr.clone()));
        let pairs: BTreeSet<(u32, u32)> = edges.iter().map(|edge| (edge.0, edge.1)).collect();
        let touched: BTreeSet<u32> = edges.iter().flat_map(|edge| [edge.0, edge.1]).collect();
        prop_assert_eq!(statistics.self_loops, edges.iter().filter(|edge| edge.0 == edge.1).count() as u64);
        prop_assert_eq!(statistics.parallel_edges, (edges.len() - pairs.len()) as u64);
        prop_assert_eq!(statistics.nodes_without_edges, u64::from(nodes) - touched.len() as u64);
        let mut degrees: Vec<usize> = (0..nodes).map(|u| edges.iter().filter(|edge| edge.0 == u).count()).collect();
        let highest = degrees.iter().max().map(|max| degrees.iter().position(|degree| degree == max).unwrap() as u32);
        prop_assert_eq!(csr.max_degree_node(), highest);
        degrees.sort_unstable();
        prop_assert_eq!(statistics.degrees.is_some(), nodes > 0);
        if let Some(found) = statistics.degrees {
            let last = degrees.len() - 1;
            let quartiles = [found.min, found.lower_quartile, found.median, found.upper_quartile, found.max];
            prop_assert_eq!(quartiles.map(|degree| degree as usize), [0, 1, 2, 3, 4].map(|quarter| degrees[last * quarter / 4]));
            let mean = edges.len() as f64 / degrees.len() as f64;
            let variance = degrees.iter().map(|&degree| (degree as f64 - mean).powi(2)).sum::<f64>() / degrees.len() as f64;
            prop_assert!((found.mean - mean).abs() < 1e-9 && (found.standard_deviation - variance.sqrt()).abs() < 1e-6);
            prop_assert_eq!(found.histogram.iter().map(|bin| bin.nodes).sum::<u64>(), u64::from(nodes));
            for bin in found.histogram {
                let range = bin.from as usize..=bin.to as usize;
                prop_assert_eq!(bin.nodes, degrees.iter().filter(|&degree| range.contains(degree)).count() as u64);
            }
        }
    }
}

/// Large enough for many buckets and blocks, with one row that has a third of all edges, in an order that is not the rows'.
fn large_edges() -> Vec<Edge> {
    let nodes = 50_021u64;
    let end = |index: u64| (index * index % 1_000_003 % nodes) as u32;
    let source = |index: u64| if index.is_multiple_of(3) { 49_999 } else { end(index) };
    (0..300_000).map(|index| (source(index), end(7 * index + 1), (index % 5) as f64)).collect()
}

#[test]
fn any_number_of_threads_and_any_order_give_the_same_rows() {
    let edges = large_edges();
    let shuffled: Vec<Edge> = (0..edges.len()).map(|index| edges[index * 7919 % edges.len()]).collect();
    for kind in [Kind::None, Kind::U32, Kind::F32] {
        let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
        for options in [options, BuildOptions::default()] {
            let (expected, expected_report) = model(&edges, kind, options);
            for (threads, edges) in [(1, &edges), (3, &shuffled), (16, &edges)] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let list = edge_list(50_021, edges, kind);
                let (csr, report) = pool.install(|| Csr::from_edges(list, options)).unwrap();
                assert!(edges_of(&csr) == expected, "{kind:?} {options:?} with {threads} threads");
                assert_eq!(report, expected_report);
            }
        }
    }
}

#[test]
fn a_value_for_each_edge_comes_in_the_order_of_the_columns() {
    let (csr, _) = Csr::from_edges(edge_list(50_021, &large_edges(), Kind::None), BuildOptions::default()).unwrap();
    let values = csr.map_edges(|u, v| u64::from(u) << 32 | u64::from(v)).unwrap();
    let expected: Vec<u64> = edges_of(&csr).iter().map(|edge| u64::from(edge.0) << 32 | u64::from(edge.1)).collect();
    assert!(values == expected);
}

#[test]
fn the_extremes_of_reals_keep_their_order_and_bits() {
    let weights = vec![f32::INFINITY, -1.0, 0.0, f32::MIN_POSITIVE, -0.0, f32::NEG_INFINITY, f32::MAX, f32::MIN];
    let list =
        EdgeList { nodes: 2, sources: vec![0; 8], targets: vec![1; 8], weights: EdgeWeights::F32(weights.clone()) };
    let (csr, _) = Csr::from_edges(list, BuildOptions::default()).unwrap();
    let mut sorted = weights;
    sorted.sort_by(f32::total_cmp);
    let Weights::F32(found) = csr.weights() else { panic!("no weights") };
    let bits = |weights: &[f32]| weights.iter().map(|weight| weight.to_bits()).collect::<Vec<u32>>();
    assert_eq!(bits(found), bits(&sorted));
}

#[test]
fn what_is_no_graph_is_refused_with_the_numbers() {
    let refusal = |list: EdgeList| match Csr::from_edges(list, BuildOptions::default()) {
        Err(Error::Graph(message)) => message,
        other => panic!("{other:?}"),
    };
    let edges = [(0, 1, 0.0), (1, 5, 0.0), (9, 0, 0.0)];
    assert_eq!(refusal(edge_list(5, &edges, Kind::None)), "the edge 1 → 5 has an end outside the 5 nodes");
    assert_eq!(refusal(edge_list(0, &edges[..1], Kind::None)), "the edge 0 → 1 has an end outside the 0 nodes");
    let mut list = edge_list(10, &edges, Kind::None);
    list.targets.pop();
    assert_eq!(refusal(list), "an edge list of 3 sources, 2 targets and 3 weights");
    let too_many = edge_list(u32::MAX, &[], Kind::None);
    assert_eq!(refusal(too_many), "4294967295 nodes are too many: 32-bit indices allow 4294967294");
    let mut list = edge_list(10, &edges, Kind::F32);
    list.weights = EdgeWeights::F32(vec![0.0, f32::NAN, 0.0]);
    assert_eq!(refusal(list), "the weight of the edge 1 → 5 is not a number");
}

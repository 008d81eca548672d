//! The library's edge: safe calls with wrong input end in an error that names the place, never in undefined behaviour or a
//! silent wrong answer.

#![forbid(unsafe_code)]

use evenkeel::graph::{
    BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds, OpenOptions, Skew, Weights, formats, open,
};
use std::path::Path;

fn refused(row_offsets: Vec<u32>, columns: Vec<u32>, weights: Weights) -> String {
    Csr::new(row_offsets, columns, weights).unwrap_err().to_string()
}

#[test]
fn a_graph_of_wrong_offsets_is_refused() {
    let offsets = |row_offsets: Vec<u32>| refused(row_offsets, vec![1, 0], Weights::None);
    assert!(offsets(vec![]).contains("there are no row offsets"));
    assert_eq!(offsets(vec![1, 2, 2]), "the row offsets start at 1, not at 0");
    assert_eq!(offsets(vec![0, 2, 1, 2]), "the row offsets fall from 2 to 1 at row 1");
    assert_eq!(offsets(vec![0, 1, 3]), "the row offsets end at 3, but there are 2 columns");
    assert_eq!(offsets(vec![0, 1, 1]), "the row offsets end at 1, but there are 2 columns");
    assert_eq!(offsets(vec![0]), "the row offsets end at 0, but there are 2 columns");
}

#[test]
fn a_graph_of_wrong_columns_is_refused() {
    let columns = |columns: Vec<u32>| refused(vec![0, 1, 3, 3], columns, Weights::None);
    assert_eq!(columns(vec![2, 0, 3]), "row 1 has the column 3, but there are 3 nodes");
    assert_eq!(columns(vec![u32::MAX, 0, 2]), "row 0 has the column 4294967295, but there are 3 nodes");
    assert_eq!(columns(vec![2, 3, 0]), "row 1 has the column 3, but there are 3 nodes");
    assert_eq!(columns(vec![2, 2, 0]), "the columns of row 1 are not in ascending order");
}

#[test]
fn a_graph_of_wrong_weights_is_refused() {
    let weights = |weights: Weights| refused(vec![0, 1, 3], vec![1, 0, 1], weights);
    assert_eq!(weights(Weights::U32(vec![1, 2].into())), "there are 2 weights for 3 columns");
    assert_eq!(weights(Weights::F32(vec![1.0; 4].into())), "there are 4 weights for 3 columns");
    assert_eq!(weights(Weights::U32(vec![].into())), "there are 0 weights for 3 columns");
    let not_a_number = Weights::F32(vec![1.0, 1.0, f32::NAN].into());
    assert_eq!(weights(not_a_number.clone()), "the weight of edge 2, in row 1, is not a number");
    let csr = Csr::new(vec![0, 1, 3], vec![1, 0, 1], Weights::None).unwrap();
    assert!(csr.with_weights(not_a_number).is_err() && csr.with_weights(Weights::U32(vec![1].into())).is_err());
    assert!(csr.with_weights(Weights::U32(vec![1, 2, 3].into())).is_ok());
}

/// Every combination of small arrays: what is taken over can be read without a panic.
#[test]
fn whatever_is_taken_over_can_be_read() {
    let values =
        |length: u32| (0..4u32.pow(length)).map(move |digits| (0..length).map(move |at| digits >> (2 * at) & 3));
    let mut taken = 0;
    for row_offsets in (0..4).flat_map(values) {
        for columns in (0..4).flat_map(values) {
            let (row_offsets, columns): (Vec<u32>, Vec<u32>) = (row_offsets.clone().collect(), columns.collect());
            let Ok(csr) = Csr::new(row_offsets, columns, Weights::None) else { continue };
            let rows: Vec<&[u32]> = (0..csr.nodes()).map(|node| csr.neighbours(node)).collect();
            assert_eq!(rows.concat(), csr.columns());
            assert!(rows.concat().iter().all(|column| *column < csr.nodes()));
            let reverse = |u: usize, v: u32| rows[v as usize].iter().filter(|end| **end == u as u32).count();
            let forth = |u: usize, v: u32| rows[u].iter().filter(|end| **end == v).count();
            let pairs = || (0..rows.len()).flat_map(|u| (0..csr.nodes()).map(move |v| (u, v)));
            assert_eq!(csr.is_symmetric(), pairs().all(|(u, v)| reverse(u, v) == forth(u, v)), "{rows:?}");
            taken += 1;
        }
    }
    assert!(taken > 20, "{taken}");
}

fn undirected(edges: &[(u32, u32, u32)]) -> Csr {
    let (sources, targets) = edges.iter().map(|(source, target, _)| (*source, *target)).unzip();
    let weights = EdgeWeights::U32(edges.iter().map(|(_, _, weight)| *weight).collect());
    let options = BuildOptions { symmetrise: true, ..BuildOptions::default() };
    Csr::from_edges(EdgeList { nodes: 5, sources, targets, weights }, options).unwrap().0
}

#[derive(Debug, PartialEq)]
struct Facts {
    symmetric: bool,
    symmetric_weights: bool,
    skew: Skew,
    max_degree_node: Option<u32>,
    self_loops: u64,
    weight_range: Option<(f64, f64)>,
}

fn facts(csr: &Csr) -> Facts {
    Facts {
        symmetric: csr.is_symmetric(),
        symmetric_weights: csr.has_symmetric_weights(),
        skew: csr.skew(),
        max_degree_node: csr.max_degree_node(),
        self_loops: csr.self_loops(),
        weight_range: csr.weight_range(),
    }
}

#[test]
fn facts_are_those_of_the_arrays_and_survive_a_file() {
    let built = undirected(&[(0, 1, 7), (1, 2, 3), (2, 2, 9), (1, 3, 4)]);
    let expected = || Facts {
        symmetric: true,
        symmetric_weights: true,
        skew: Skew { mean: 1.4, highest: 3 },
        max_degree_node: Some(1),
        self_loops: 1,
        weight_range: Some((3.0, 9.0)),
    };
    assert_eq!(facts(&built), expected(), "stated by the builder");
    let found =
        Csr::new(built.row_offsets().unwrap().to_vec(), built.columns().to_vec(), built.weights().clone()).unwrap();
    assert_eq!(facts(&found), expected(), "found in the arrays");
    let weights = Weights::F32(vec![0.5, -2.0, 1.0].into());
    let one_way = Csr::new(vec![0, 1, 2, 3], vec![1, 2, 0], weights).unwrap();
    let unequal = Facts {
        symmetric: false,
        symmetric_weights: false,
        skew: Skew { mean: 1.0, highest: 1 },
        max_degree_node: Some(0),
        self_loops: 0,
        weight_range: Some((-2.0, 1.0)),
    };
    assert_eq!(facts(&one_way), unequal);
    let empty = Csr::new(vec![0], vec![], Weights::None).unwrap();

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.ekg");
    for (csr, directed) in [(built, false), (found, true), (one_way, true), (empty, false)] {
        let expected = facts(&csr);
        let graph = Graph { name: "graph".into(), csr, ids: NodeIds::Counted { first: 0 }, directed };
        formats::write(&graph, &path, None).unwrap();
        let read = open(&path, &OpenOptions::default()).unwrap().0;
        assert_eq!((facts(&read.csr), read.directed), (expected, directed));
        assert_eq!(read.csr, graph.csr);
    }
}

#[test]
fn a_graph_that_is_said_to_be_undirected_and_is_not_is_not_written() {
    let csr = Csr::new(vec![0, 1, 1], vec![1], Weights::None).unwrap();
    let graph = Graph { name: "graph".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: false };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.ekg");
    let error = formats::write(&graph, &path, None).unwrap_err();
    assert!(error.to_string().contains("not every edge has its reverse"), "{error}");
    assert!(!path.exists());
}

/// A file of version 1 of the binary format, which has no facts: 0 → 1, 0 → 2, 2 → 0, weights 5, 6 and 7, ids from 1.
fn version_1() -> Vec<u8> {
    let mut bytes = b"EVENKEEL".to_vec();
    bytes.extend([1u32, 1 | 2].map(u32::to_le_bytes).concat());
    bytes.extend([3u64, 3, 1].map(u64::to_le_bytes).concat());
    bytes.resize(60, 0);
    let mut checksum = flate2::Crc::new();
    checksum.update(&bytes);
    bytes.extend(checksum.sum().to_le_bytes());
    for section in [&[0u32, 2, 2, 3][..], &[1, 2, 0], &[5, 6, 7]] {
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        bytes.extend(section.iter().flat_map(|value| value.to_le_bytes()));
    }
    bytes
}

#[test]
fn a_file_of_the_version_without_facts_opens() {
    let loaded = formats::parse("binary".parse().unwrap(), Path::new("old.ekg"), &[&version_1()]).unwrap();
    let formats::Loaded::Graph(graph) = loaded else { panic!("a binary file holds a graph") };
    assert_eq!((graph.csr.row_offsets().unwrap(), graph.csr.columns()), (&[0, 2, 2, 3][..], &[1, 2, 0][..]));
    assert_eq!((graph.directed, graph.ids), (true, NodeIds::Counted { first: 1 }));
    let expected = Facts {
        symmetric: false,
        symmetric_weights: false,
        skew: Skew { mean: 1.0, highest: 2 },
        max_degree_node: Some(0),
        self_loops: 0,
        weight_range: Some((5.0, 7.0)),
    };
    assert_eq!(facts(&graph.csr), expected);
}

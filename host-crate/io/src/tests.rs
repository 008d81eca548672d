//! What is read and written does not depend on the width of a graph's offsets.

use crate::{OpenOptions, formats, open};
use evenkeel_graph::{
    Csr, Graph, NodeIds, OffsetsView, PartitionOptions, Partitions, Weights, generate::Generator,
    offsets::testing::in_both_widths, weights::assign,
};

fn is_wide(csr: &Csr) -> bool {
    matches!(csr.offsets(), OffsetsView::Wide(_))
}

/// Makes a graph with narrow offsets, and again with wide ones.
fn both(make: impl Fn() -> Graph) -> [Graph; 2] {
    let graphs = in_both_widths(make);
    assert_eq!([is_wide(&graphs[0].csr), is_wide(&graphs[1].csr)], [false, true]);
    assert_eq!(graphs[0].csr, graphs[1].csr);
    graphs
}

fn generated(text: &str, weights: &str) -> Graph {
    let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
    assign(&mut graph, weights.parse().unwrap()).unwrap();
    graph
}

#[test]
fn files_of_every_format_that_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let original = generated("rmat:scale=7,edge-factor=4", "random:1..99");
    let [_, wide] = both(|| generated("rmat:scale=7,edge-factor=4", "random:1..99"));
    for format in formats::Format::all().filter(|format| format.is_written()) {
        let [of_narrow, of_wide] = [("narrow", &original), ("wide", &wide)].map(|(name, graph)| {
            let path = folder.path().join(name);
            formats::write(graph, &path, Some(format)).unwrap();
            path
        });
        let bytes = |path| std::fs::read(path).unwrap();
        let is_binary = format.name() == "binary";
        assert_eq!(bytes(&of_narrow) == bytes(&of_wide), !is_binary, "{format}");
        let options = OpenOptions { format: Some(format), ..OpenOptions::default() };
        let read = |path: &std::path::Path| open(path, &options).unwrap().0;
        if is_binary {
            assert_eq!([read(&of_narrow).csr, read(&of_wide).csr], [original.csr.clone(), original.csr.clone()]);
            assert_eq!([&of_narrow, &of_wide].map(|path| is_wide(&read(path).csr)), [false, true]);
            // Only the offsets differ, and they are half as long.
            let more = bytes(&of_wide).len() - bytes(&of_narrow).len();
            assert_eq!(more, (129 * 8usize).next_multiple_of(64) - (129 * 4usize).next_multiple_of(64));
        } else {
            both(|| read(&of_wide));
        }
    }
}

/// A graph with more edges than 32 bits count, all to node 0: its columns are a hole in a file, which takes no space. It reads 17 GB of zeros,
/// and is run in a release build with as much memory free for the file cache.
#[test]
fn more_edges_than_32_bits_count() {
    if std::env::var_os("EVENKEEL_LARGE").is_none() {
        eprintln!("skipped: a graph of 17 GB is read when EVENKEEL_LARGE is set");
        return;
    }
    use std::{fs::File, io::Write};
    let folder = tempfile::tempdir().unwrap();
    let (small, large) = (folder.path().join("small.ekg"), folder.path().join("large.ekg"));
    // The header of a small wide graph with as many nodes is changed to that of the large one.
    let [offsets, long]: [Vec<u64>; 2] = [vec![0, 1, 2, 3, 3], vec![0, 1 << 31, 1 << 31, (1 << 32) + 5, (1 << 32) + 6]];
    let csr = Csr::new_wide(offsets, vec![0; 3], Weights::None).unwrap();
    let graph = Graph { name: "hole".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true };
    formats::write(&graph, &small, None).unwrap();
    let header = formats::binary_header(&std::fs::read(&small).unwrap(), (1 << 32) + 6, 2);
    let mut file = File::create(&large).unwrap();
    file.write_all(&header).unwrap();
    file.write_all(bytemuck::cast_slice(&long)).unwrap();
    file.set_len(128 + 4 * ((1 << 32) + 6)).unwrap();
    drop(file);
    let (graph, report) = open(&large, &OpenOptions::default()).unwrap();
    let csr = &graph.csr;
    assert_eq!((csr.edges(), report.edges_stored, csr.nodes()), ((1 << 32) + 6, (1 << 32) + 6, 4));
    assert_eq!((csr.degree(2), csr.max_degree_node()), ((1 << 31) + 5, Some(2)));
    assert_eq!((csr.row(3), csr.neighbours(3)), ((1 << 32) + 5..(1 << 32) + 6, &[0][..]));
    let partitions = Partitions::plan(csr, PartitionOptions { limit_bytes: 4 << 30, row_alignment: 1 });
    let sizes: Vec<_> =
        partitions.list().iter().map(|part| (part.rows.clone(), part.edge_count(), part.is_cut)).collect();
    let full = 1 << 30;
    let expected = [
        (0..1, full, true),
        (0..1, full, true),
        (1..2, 0, false),
        (2..3, full, true),
        (2..3, full, true),
        (2..3, 5, true),
    ];
    assert_eq!(sizes[..6], expected);
    assert_eq!(sizes[6..], [(3..4, 1, false)]);
    assert_eq!(partitions.full_offsets(&partitions.list()[6]).unwrap().as_ref(), [0, 0, 0, 0, 1]);
    assert!(!csr.is_symmetric());
    assert_eq!(csr.self_loops(), 1 << 31);
}

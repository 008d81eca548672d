//! Every format, through the library's front door: random graphs come back as they were written, no bytes make a parser
//! panic, what parses can be built. Real files are in `real_files.rs`.

use crate::common::{self, widened};
use evenkeel::{
    Result,
    graph::{
        BuildOptions, Csr, Direction, EdgeList, EdgeWeights, Graph, Names, NodeIds, NodeName, OpenOptions, Weights,
        formats::{self, Columns, Compression, Format, Loaded},
        open,
    },
};
use proptest::{collection::vec, num, prelude::*, sample};
use std::{collections::BTreeSet, path::Path};

/// A graph as it looks from outside: the ids of its nodes, and its edges as ends and the bits of the weight.
#[derive(Debug, PartialEq)]
struct Seen {
    ids: Vec<u64>,
    edges: Vec<(u64, u64, Option<Weight>)>,
    directed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Weight {
    Whole(u32),
    Real(u32),
}

fn number(graph: &Graph, node: u32) -> u64 {
    let NodeName::Number(number) = graph.ids.name(node) else { panic!("node {node} has a name") };
    number
}

fn seen(graph: &Graph) -> Seen {
    let mut edges = Vec::new();
    for node in 0..graph.csr.nodes() {
        for position in graph.csr.row(node) {
            let weight = match graph.csr.weights() {
                Weights::None => None,
                Weights::U32(column) => Some(Weight::Whole(column[position])),
                Weights::F32(column) => Some(Weight::Real(column[position].to_bits())),
            };
            edges.push((number(graph, node), number(graph, graph.csr.columns()[position]), weight));
        }
    }
    edges.sort_unstable();
    Seen { ids: (0..graph.csr.nodes()).map(|node| number(graph, node)).collect(), edges, directed: graph.directed }
}

fn counts_from_one(format: Format) -> bool {
    !["edge-list", "ldbc", "adjacency", "binary"].contains(&format.name())
}

/// What a graph should look like when it comes back from a file of this format.
fn expected(graph: &Graph, format: Format) -> Seen {
    let mut graph = graph.clone();
    if counts_from_one(format) {
        graph.ids = NodeIds::Counted { first: 1 };
    }
    match format.name() {
        "pace" | "coloring" | "adjacency" => graph.csr = graph.csr.without_weights(),
        "dimacs" if graph.csr.weights().is_none() => {
            let ones = Weights::U32(vec![1; graph.csr.edges() as usize].into());
            graph.csr = graph.csr.with_weights(ones).unwrap();
        }
        _ => {}
    }
    let mut seen = seen(&graph);
    if format.name() == "edge-list" {
        seen.ids.retain(|id| seen.edges.iter().any(|(source, target, _)| source == id || target == id));
    }
    seen
}

fn can_hold(graph: &Graph, format: Format) -> bool {
    let loops = || (0..graph.csr.nodes()).any(|node| graph.csr.neighbours(node).contains(&node));
    let real = matches!(graph.csr.weights(), Weights::F32(_));
    match format.name() {
        "pace" | "coloring" => !graph.directed,
        "metis" => !graph.directed && !real && !loops(),
        "dimacs" => !real,
        _ => true,
    }
}

fn direction_must_be_told(format: Format) -> bool {
    ["dimacs", "ldbc", "adjacency"].contains(&format.name())
}

fn weights(edges: usize) -> impl Strategy<Value = EdgeWeights> {
    let finite = num::f32::NORMAL | num::f32::SUBNORMAL | num::f32::ZERO | num::f32::POSITIVE | num::f32::NEGATIVE;
    prop_oneof![
        Just(EdgeWeights::None),
        vec(any::<u32>(), edges).prop_map(EdgeWeights::U32),
        vec(finite, edges).prop_map(EdgeWeights::F32),
    ]
}

fn ids(nodes: u32) -> impl Strategy<Value = NodeIds> {
    let listed = proptest::collection::btree_set(any::<u64>(), nodes as usize);
    prop_oneof![
        Just(NodeIds::Counted { first: 0 }),
        Just(NodeIds::Counted { first: 1 }),
        listed.prop_map(|ids| NodeIds::from_ascending(ids.into_iter().collect())),
    ]
}

/// Graphs of every kind: empty, with lone nodes, self-loops and parallel edges, with and without directions and weights, with
/// 32- and 64-bit offsets.
fn graphs() -> impl Strategy<Value = Graph> {
    let shapes = (0_u32..40, 0_usize..120, any::<bool>(), any::<[bool; 2]>());
    let parts = shapes.prop_flat_map(|(nodes, edges, directed, [drop_self_loops, wide])| {
        let edges = if nodes == 0 { 0 } else { edges };
        let ends = || vec(0..nodes.max(1), edges);
        (Just((nodes, directed, drop_self_loops, wide)), ends(), ends(), weights(edges), ids(nodes))
    });
    parts.prop_map(|((nodes, directed, drop_self_loops, wide), sources, targets, weights, ids)| {
        let options = BuildOptions { symmetrise: !directed, drop_self_loops, ..BuildOptions::default() };
        let (csr, _) = Csr::from_edges(EdgeList { nodes, sources, targets, weights }, options).unwrap();
        let csr = if wide { widened(&csr) } else { csr };
        Graph { name: "graph".to_string(), csr, ids, directed }
    })
}

fn file_name(format: Format, compression: Option<Compression>) -> String {
    let ending = format.extensions().first().unwrap_or(&"neighbours");
    match compression {
        None => format!("graph.{ending}"),
        Some(compression) => format!("graph.{ending}.{}", compression.extension()),
    }
}

fn compressions() -> impl Strategy<Value = Option<Compression>> {
    proptest::option::of(sample::select(Compression::ALL.into_iter().filter(|it| it.is_written()).collect::<Vec<_>>()))
}

proptest! {
    #[test]
    fn graphs_come_back_as_they_were_written(graph in graphs(), compression in compressions()) {
        let folder = tempfile::tempdir().unwrap();
        for format in Format::all().filter(|format| format.is_written()) {
            let path = folder.path().join(file_name(format, compression));
            let named = format.extensions().is_empty().then_some(format);
            let written = formats::write(&graph, &path, named);
            prop_assert_eq!(written.is_ok(), can_hold(&graph, format), "{}: {:?}", format, written);
            prop_assert_eq!(path.exists(), written.is_ok());
            if written.is_err() {
                continue;
            }
            let direction = if graph.directed { Direction::Directed } else { Direction::Undirected };
            let direction = direction_must_be_told(format).then_some(direction);
            let options = OpenOptions { format: named, direction, ..OpenOptions::default() };
            let (read, _) = open(&path, &options).unwrap();
            prop_assert_eq!(seen(&read), expected(&graph, format), "{}", format);
            prop_assert_eq!(&read.name, if named.is_none() { "graph" } else { "graph.neighbours" });
        }
    }

    #[test]
    fn a_binary_graph_is_the_same_to_the_bit(graph in graphs()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.ekg");
        formats::write(&graph, &path, None).unwrap();
        let (read, report) = open(&path, &OpenOptions::default()).unwrap();
        prop_assert_eq!(report.edges_stored, graph.csr.edges());
        prop_assert_eq!((read.csr, read.ids, read.directed), (graph.csr, graph.ids, graph.directed));
    }

    #[test]
    fn a_binary_graph_can_be_changed_on_opening(graph in graphs()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.ekg");
        formats::write(&graph, &path, None).unwrap();
        let build = BuildOptions { drop_self_loops: true, merge_parallel_edges: true, ..BuildOptions::default() };
        let options = OpenOptions { direction: Some(Direction::Undirected), build, ..OpenOptions::default() };
        let (read, report) = open(&path, &options).unwrap();
        prop_assert!(!read.directed && read.csr.has_symmetric_weights());
        prop_assert_eq!(report.edges_given, graph.csr.edges());
        for node in 0..read.csr.nodes() {
            prop_assert!(read.csr.neighbours(node).iter().all(|neighbour| *neighbour != node));
            prop_assert!(read.csr.neighbours(node).is_sorted_by(|a, b| a < b));
        }
    }
}

/// Names that a careless writer would spoil: with separators, quotes, marks of comments, words of headers.
fn nasty_names(nodes: u32) -> impl Strategy<Value = NodeIds> {
    let text = |characters: Vec<char>| characters.into_iter().collect();
    let telling: Vec<char> = " \t\r\n,;|\"#%a0é\u{feff}".chars().collect();
    let words = ["source", "target", "weight", "0", "1", "01", "-1", "1.5", "nan", "\u{feff}u", "v"];
    let nasty = prop_oneof![
        vec(sample::select(telling), 0..5).prop_map(text),
        vec(any::<char>(), 0..5).prop_map(text),
        sample::select(words.to_vec()).prop_map(str::to_owned),
    ];
    vec(nasty, nodes as usize).prop_map(move |names| {
        let mut names: BTreeSet<String> = names.into_iter().collect();
        // Some came twice.
        names.extend((0..nodes as usize - names.len()).map(|number| format!("another {number}")));
        NodeIds::Named(Names::from_ascending(names.iter().map(String::as_str)))
    })
}

/// The edges of a graph by the names of their ends, with the bits of the weights.
fn edges_by_name(graph: &Graph) -> Vec<(String, String, u64)> {
    let name = |node| graph.ids.name(node).to_string();
    let edges = (0..graph.csr.nodes()).flat_map(|node| {
        let row = graph.csr.row(node);
        row.map(move |edge| (name(node), name(graph.csr.columns()[edge]), graph.csr.weights().real(edge).to_bits()))
    });
    let mut edges: Vec<_> = edges.collect();
    edges.sort();
    edges
}

proptest! {
    #[test]
    fn names_come_back_from_an_edge_list(graph in graphs().prop_filter("it has nodes", |graph| graph.csr.nodes() > 0), ids in nasty_names(40)) {
        let graph = Graph { ids, ..graph };
        let folder = tempfile::tempdir().unwrap();
        for ending in ["txt", "csv.gz", "CSV", "tsv"] {
            let path = folder.path().join(format!("graph.{ending}"));
            formats::write(&graph, &path, None).unwrap();
            let undirected = (ending != "txt" && !graph.directed).then_some(Direction::Undirected);
            let (read, _) = open(&path, &OpenOptions { direction: undirected, ..OpenOptions::default() }).unwrap();
            prop_assert_eq!(edges_by_name(&read), edges_by_name(&graph));
            prop_assert_eq!(read.directed, graph.directed);
        }
    }
}

#[test]
fn a_table_is_written_as_its_ending_says() {
    let weights = EdgeWeights::U32(vec![3, 4]);
    let edges = EdgeList { nodes: 3, sources: vec![0, 1], targets: vec![1, 2], weights };
    let (csr, _) = Csr::from_edges(edges, BuildOptions::default()).unwrap();
    let ids = NodeIds::Named(Names::from_ascending(["a b", "c,d", "e\tf\n\"g\""]));
    let mut graph = Graph { name: String::new(), csr, ids, directed: true };
    let folder = tempfile::tempdir().unwrap();
    let written = |graph: &Graph, name: &str| {
        let path = folder.path().join(name);
        formats::write(graph, &path, None).unwrap();
        std::fs::read_to_string(path).unwrap()
    };
    assert_eq!(written(&graph, "g.csv"), "source,target,weight\na b,\"c,d\",3\n\"c,d\",\"e\tf\n\"\"g\"\"\",4\n");
    assert_eq!(written(&graph, "g.tsv"), "source\ttarget\tweight\na b\tc,d\t3\nc,d\t\"e\tf\n\"\"g\"\"\"\t4\n");
    graph.ids = NodeIds::Counted { first: 7 };
    assert_eq!(written(&graph, "g.csv"), "source,target,weight\n7,8,3\n8,9,4\n");
    assert_eq!(written(&graph, "g.txt"), "# Directed graph\n# Nodes: 3 Edges: 2\n7 8 3\n8 9 4\n");
}

/// Parses bytes as a format; where that has two files, the part before the first zero byte is the first.
fn parse(format: Format, bytes: &[u8]) -> Result<Loaded> {
    let files: Vec<&[u8]> = match format.files() {
        1 => vec![bytes],
        _ => {
            let middle = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
            vec![&bytes[..middle], &bytes[middle..][usize::from(middle < bytes.len())..]]
        }
    };
    formats::parse(format, Path::new("test"), &files)
}

/// Checks that what parses is a graph: every edge has a weight or none has, and every end is a node.
pub fn check_survives(format: Format, bytes: &[u8]) -> Result<(), TestCaseError> {
    check_loaded(format, bytes, parse(format, bytes))
}

fn check_loaded(format: Format, bytes: &[u8], loaded: Result<Loaded>) -> Result<(), TestCaseError> {
    let (nodes, ids) = match loaded {
        Err(_) => return Ok(()),
        Ok(Loaded::Graph(graph)) => (graph.csr.nodes(), graph.ids),
        Ok(Loaded::Edges(parsed)) if parsed.edges.nodes < 1 << 16 => {
            let nodes = parsed.edges.nodes;
            let built = Csr::from_edges(parsed.edges, BuildOptions::default());
            prop_assert!(built.is_ok(), "{}: {:?} of {:?}", format, built, String::from_utf8_lossy(bytes));
            (nodes, parsed.ids)
        }
        Ok(Loaded::Edges(_)) => return Ok(()),
    };
    prop_assert!((0..nodes).all(|node| ids.find(&ids.name(node).to_string(), nodes) == Some(node)));
    Ok(())
}

/// The bytes of a valid file, or of two joined as [`parse`] expects them.
fn written(graph: &Graph, format: Format) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("graph.e");
    formats::write(graph, &path, Some(format)).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    if format.files() == 2 {
        bytes.push(0);
        bytes.extend(std::fs::read(folder.path().join("graph.v")).unwrap());
    }
    bytes
}

#[derive(Clone, Debug)]
pub struct Mutation {
    place: sample::Index,
    removed: usize,
    inserted: Vec<u8>,
}

pub fn mutations() -> impl Strategy<Value = Vec<Mutation>> {
    let telling: Vec<Vec<u8>> = [
        "0",
        "-1",
        "4294967295",
        "4294967296",
        "18446744073709551615",
        "18446744073709551616",
        "1e39",
        "nan",
        ".",
        " ",
        "\n",
        "\r\n",
        ",",
        "%",
        "#",
        "c ",
        "p ",
        "a ",
        "e ",
        "x",
        "\0",
        "\u{fffd}",
    ]
    .iter()
    .map(|text| text.as_bytes().to_vec())
    .collect();
    let inserted = prop_oneof![sample::select(telling), vec(any::<u8>(), 0..4)];
    let mutation = (any::<sample::Index>(), 0_usize..4, inserted);
    vec(mutation.prop_map(|(place, removed, inserted)| Mutation { place, removed, inserted }), 1..5)
}

pub fn mutated(mut bytes: Vec<u8>, mutations: &[Mutation]) -> Vec<u8> {
    for Mutation { place, removed, inserted } in mutations {
        let start = place.index(bytes.len() + 1);
        let end = (start + removed).min(bytes.len());
        bytes.splice(start..end, inserted.iter().copied());
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(common::cases(1000)))]

    #[test]
    fn parsers_survive_arbitrary_bytes(bytes in vec(any::<u8>(), 0..300)) {
        for format in Format::all() {
            check_survives(format, &bytes)?;
        }
        let _ = Format::detect(Path::new("test"), &bytes);
    }

    #[test]
    fn parsers_survive_arbitrary_text(text in "[-0-9 \t\n,.%#a-fpswxy]{0,300}") {
        for format in Format::all() {
            check_survives(format, text.as_bytes())?;
        }
        let _ = Format::detect(Path::new("test"), text.as_bytes());
    }

    #[test]
    fn edge_lists_survive_arbitrary_tables(text in "(source,target\n|u;v;w\n|\u{feff})?[-0-9 \t\r\n,;|\"#%.a-cé:]{0,300}") {
        check_survives("edge-list".parse().unwrap(), text.as_bytes())?;
    }

    #[test]
    fn tables_survive_arbitrary_columns(
        columns in "((source|target|weight)=(a|b|\"|1|2|3|99999999999999999999)?,?){1,3}|.{0,30}",
        text in "(a,b,c\n|source,target\n|\\{\"a\": 1, \"b\": 2\\}\n)?[0-9 \t\r\n,;\"#a-c]{0,200}",
    ) {
        match columns.parse::<Columns>() {
            Err(error) => prop_assert_eq!(error.exit_status(), 2),
            Ok(columns) => for format in Format::all().filter(|format| format.has_columns()) {
                let loaded = formats::parse_columns(format, Path::new("test"), &[text.as_bytes()], Some(&columns));
                check_loaded(format, text.as_bytes(), loaded)?;
            }
        }
    }

    #[test]
    fn parsers_survive_damaged_files(graph in graphs(), mutations in mutations()) {
        for format in Format::all().filter(|format| format.is_written()) {
            if can_hold(&graph, format) {
                check_survives(format, &mutated(written(&graph, format), &mutations))?;
            }
        }
    }
}

#[test]
fn an_unknown_ending_is_an_error_that_lists_formats() {
    let graph = Graph {
        name: String::new(),
        csr: Csr::new(vec![0], vec![], Weights::None).unwrap(),
        ids: NodeIds::Counted { first: 0 },
        directed: true,
    };
    let error = formats::write(&graph, Path::new("graph.xlsx"), None).unwrap_err();
    assert_eq!(error.exit_status(), 2);
    assert!(error.to_string().contains("name one of matrix-market, edge-list"), "{error}");
}

#[test]
fn an_ldbc_graph_without_its_nodes_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("alone.e");
    std::fs::write(&path, "1 2\n").unwrap();
    let error = open(&path, &OpenOptions::default()).unwrap_err();
    assert!(error.to_string().contains("its nodes should be beside it in"), "{error}");
    assert_eq!(error.exit_status(), 3);
}

#[test]
fn a_forced_direction_overrules_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("path.graph");
    std::fs::write(&path, "3 2\n2\n1 3\n2\n").unwrap();
    let stored = |direction| {
        let (graph, report) = open(&path, &OpenOptions { direction, ..OpenOptions::default() }).unwrap();
        (graph.directed, report.edges_stored, report.parallel_edges_merged)
    };
    assert_eq!(stored(None), (false, 4, 0));
    assert_eq!(stored(Some(Direction::Undirected)), (false, 4, 0));
    assert_eq!(stored(Some(Direction::Directed)), (true, 4, 0));
}

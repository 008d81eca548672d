//! Formats that are read and not written: files that NetworkX, SciPy and pyarrow wrote, and that no damage to them makes a parser panic.

use super::formats::{check_survives, mutated, mutations};
use evenkeel::graph::{
    Graph, OpenOptions, Weights,
    formats::{Format, Recognised},
    open,
};
use proptest::{collection::vec, prelude::*, sample};
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn opened(name: &str) -> (Graph, Recognised) {
    let (graph, report) = open(&path(name), &OpenOptions::default()).unwrap();
    (graph, report.recognised.unwrap())
}

/// The edges by the names of their ends, with their weights, and all names.
fn seen(graph: &Graph) -> (Vec<String>, Vec<(String, String, f32)>) {
    let name = |node: u32| graph.ids.name(node).to_string();
    let weight = |position: usize| match graph.csr.weights() {
        Weights::None => 1.0,
        Weights::U32(column) => column[position] as f32,
        Weights::F32(column) => column[position],
    };
    let edges = |node: u32| {
        let row = graph.csr.row(node);
        row.map(move |position| (name(node), name(graph.csr.columns()[position]), weight(position)))
    };
    ((0..graph.csr.nodes()).map(name).collect(), (0..graph.csr.nodes()).flat_map(edges).collect())
}

fn check(name: &str, format: &str, nodes: &[&str], edges: &[(&str, &str, f32)]) {
    let (graph, recognised) = opened(name);
    let edges: Vec<_> = edges.iter().map(|(from, to, weight)| (from.to_string(), to.to_string(), *weight)).collect();
    assert_eq!(seen(&graph), (nodes.iter().map(ToString::to_string).collect(), edges), "{name}");
    assert_eq!((recognised.format, graph.directed), (format, true), "{name}");
}

#[test]
fn graphs_of_networkx() {
    let edges = [("Ann & ä", "bob", 3.0), ("bob", "Ann & ä", 2.5)];
    for (name, format) in [
        ("networkx.graphml", "graphml"),
        ("networkx.gml", "gml"),
        ("networkx.net", "pajek"),
        ("networkx.json", "node-link"),
    ] {
        check(name, format, &["Ann & ä", "bob", "lone"], &edges);
    }
}

#[test]
fn matrices_of_scipy() {
    for name in ["scipy-csr.npz", "scipy-csc.npz", "scipy-coo.npz"] {
        check(name, "npz", &["0", "1", "2"], &[("0", "1", 2.5), ("1", "2", 3.0), ("2", "0", 1.0)]);
    }
    check("scipy-stored.npz", "npz", &["0", "1", "2"], &[("0", "1", 2.0), ("1", "2", 3.0), ("2", "0", 1.0)]);
    assert!(matches!(opened("scipy-stored.npz").0.csr.weights(), Weights::U32(_)));
}

#[test]
fn tables_of_pyarrow() {
    let numbers = [("0", "3", 4.0), ("1", "0", 3.0), ("3", "0", 2.0), ("3", "1", 1.5)];
    for (name, format) in [("numbers.parquet", "parquet"), ("numbers.arrows", "arrow")] {
        check(name, format, &["0", "1", "3"], &numbers);
        let table = opened(name).1.table.unwrap();
        assert_eq!((table.source.as_str(), table.target.as_str()), ("3 (src)", "2 (dst)"));
    }
    let names = [("alice", "dave", 4.0), ("bob", "alice", 3.0), ("dave", "alice", 2.0), ("dave", "bob", 1.0)];
    for (name, format) in [("names.parquet", "parquet"), ("names.arrow", "arrow"), ("names.feather", "arrow")] {
        check(name, format, &["alice", "bob", "dave"], &names);
        assert!(matches!(opened(name).0.csr.weights(), Weights::U32(_)));
    }
}

#[test]
fn columns_are_chosen_by_name_or_number() {
    for name in ["numbers.parquet", "numbers.arrows"] {
        let with = |columns: &str| {
            let options = OpenOptions { columns: Some(columns.parse().unwrap()), ..OpenOptions::default() };
            open(&path(name), &options)
        };
        let (graph, _) = with("source=1,target=dst,weight=id").unwrap();
        assert_eq!(
            seen(&graph).1,
            [("0", "1", 0.0), ("1", "0", 1.0), ("2", "0", 2.0), ("3", "3", 3.0)].map(|(from, to, weight)| (
                from.to_owned(),
                to.to_owned(),
                weight
            ),)
        );
        let error = with("source=who,target=2").unwrap_err();
        assert_eq!(error.exit_status(), 3);
        assert!(error.to_string().ends_with("there is 'id', 'dst', 'src', 'weight'"), "{error}");
        let error = with("source=weight,target=2").unwrap_err();
        assert!(error.to_string().contains("the column 'weight' is of the type Float64"), "{error}");
    }
}

/// Every file of another tool, and its format.
fn files() -> Vec<(Format, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(path("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let read = |path: &PathBuf| (Format::of_path(path).unwrap(), std::fs::read(path).unwrap());
    paths.iter().map(read).collect()
}

/// Pieces of text that mean something to one of the formats.
const WORDS: &[&str] = &[
    "<graphml>",
    "</graphml>",
    "<graph edgedefault='directed'>",
    "</graph>",
    "<node id='a'/>",
    "<node id='b'>",
    "</node>",
    "<edge source='a' target='b'>",
    "</edge>",
    "<data key='w'>",
    "</data>",
    "<key id='w' for='edge' attr.name='weight'>",
    "</key>",
    "<default>",
    "</default>",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&amp;",
    "&#0;",
    "<!DOCTYPE x [<!ENTITY y 'z'>]>",
    "graph",
    "digraph",
    "strict",
    "subgraph",
    "node",
    "edge",
    "[",
    "]",
    "{",
    "}",
    "->",
    "--",
    ";",
    "=",
    ":",
    "+",
    "\\",
    "/*",
    "*/",
    "//",
    "id",
    "label",
    "source",
    "target",
    "weight",
    "len",
    "directed",
    "1",
    "0",
    "2",
    "-1",
    "3.5",
    "1e300",
    "\"a\"",
    "\"",
    "a",
    "b",
    "#",
    "\n",
    "*Vertices 2",
    "*Arcs",
    "*Edges",
    "*Arcslist",
    "*Network x",
    "%",
    " ",
    "\t",
    ",",
    "\"nodes\":",
    "\"links\":",
    "\"id\":",
    "\"source\":",
    "\"target\":",
    "\"weight\":",
    "null",
    "true",
    "\u{feff}",
    "ä",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn parsers_survive_damaged_files_of_other_tools(mutations in mutations()) {
        for (format, bytes) in files() {
            check_survives(format, &mutated(bytes, &mutations))?;
        }
    }

    #[test]
    fn parsers_survive_files_that_end_early(place in any::<sample::Index>()) {
        for (format, bytes) in files() {
            check_survives(format, &bytes[..place.index(bytes.len())])?;
        }
    }

    #[test]
    fn parsers_survive_words_in_any_order(words in vec(sample::select(WORDS), 0..60)) {
        for format in Format::all() {
            check_survives(format, words.concat().as_bytes())?;
            check_survives(format, words.join(" ").as_bytes())?;
        }
    }
}

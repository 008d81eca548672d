//! Real graphs: where `EVENKEEL_DATA` names a folder with them, every file opens and has the nodes and edges it should.
//! Edge lists are counted a second time by a plain sequential reader that shares no code with the library's.

use evenkeel::graph::{
    BuildReport, Direction, Graph, NodeIds, OpenOptions, Weights,
    formats::{self, Format},
    open,
};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
};

/// Path, nodes, edges that the file lists, whether they have a direction.
const FILES: &[(&str, u32, u64, bool)] = &[
    ("road/USA-road-d.NY.gr.gz", 264_346, 733_846, true),
    ("road/FLA.pace.gr.xz", 1_070_376, 1_343_951, false),
    ("road/rome99.gr", 3_353, 8_870, true),
    ("web/cnr-2000.el.xz", 325_557, 3_216_152, true),
    ("social/com-dblp.tsv.gz", 317_080, 1_049_866, true),
    ("social/soc-Slashdot0902.el.gz", 82_168, 948_464, true),
    ("social/ego-Facebook.txt", 4_039, 88_234, true),
    ("social/wiki-Vote.txt", 7_115, 103_689, true),
    ("social/soc-sign-bitcoinotc.csv", 5_881, 35_592, true),
    ("matrix/1138_bus.mtx", 1_138, 2_596, false),
    ("matrix/NotreDame_www.mtx.gz", 325_729, 929_849, true),
    ("matrix/USPowerGrid.mtx", 4_941, 6_594, false),
    ("matrix/add32.mtx", 4_960, 23_884, true),
    ("matrix/bcsstk09.mtx", 1_083, 9_760, false),
    ("matrix/ca-GrQc.mtx", 5_242, 14_496, false),
    ("matrix/cage8.mtx", 1_015, 11_003, true),
    ("matrix/chesapeake.mtx", 39, 170, false),
    ("matrix/commanche.mtx", 7_920, 19_800, false),
    ("matrix/jazz.mtx", 198, 2_742, false),
    ("matrix/lesmis.mtx", 77, 254, false),
    ("mesh/4elt.graph", 15_606, 2 * 45_878, false),
    ("mesh/PGPgiantcompo.graph", 10_680, 2 * 24_316, false),
    ("mesh/karate.graph", 34, 2 * 78, false),
    ("mesh/foodweb-baydry.konect", 128, 2_137, true),
    ("coloring/DSJC125.1_ans_5_lb_None_ub_None.col", 125, 736, false),
    ("coloring/DSJC250.5_ans_None_lb_26_ub_28.col", 250, 15_668, false),
    ("coloring/anna_ans_11_lb_None_ub_None.col", 138, 986, false),
    ("coloring/david_ans_11_lb_None_ub_None.col", 87, 812, false),
    ("coloring/fpsol2.i.1_ans_65_lb_None_ub_None.col", 496, 11_654, false),
    ("coloring/games120_ans_9_lb_None_ub_None.col", 120, 1_276, false),
    ("coloring/homer_ans_13_lb_None_ub_None.col", 561, 3_258, false),
    ("coloring/le450_15a_ans_15_lb_None_ub_None.col", 450, 8_168, false),
    ("coloring/le450_25a_ans_25_lb_None_ub_None.col", 450, 8_260, false),
    ("coloring/le450_5a_ans_5_lb_5_ub_5.col", 450, 5_714, false),
    ("coloring/miles500_ans_20_lb_None_ub_None.col", 128, 2_340, false),
    ("coloring/mulsol.i.1_ans_49_lb_None_ub_None.col", 197, 3_925, false),
    ("coloring/myciel5_ans_6_lb_None_ub_None.col", 47, 236, false),
    ("coloring/queen13_13_ans_13_lb_None_ub_None.col", 169, 6_656, false),
    ("coloring/queen8_8_ans_9_lb_None_ub_None.col", 64, 1_456, false),
    ("coloring/school1_ans_14_lb_None_ub_None.col", 385, 19_095, false),
    ("coloring/zeroin.i.1_ans_49_lb_None_ub_None.col", 211, 4_100, false),
    ("reference/ldbc/example/example-directed.e", 10, 17, true),
    ("reference/ldbc/example/example-undirected.e", 9, 12, true),
    ("reference/ldbc/sssp/dir-input.e", 10, 13, true),
    ("reference/ldbc/sssp/undir-input.e", 12, 14, true),
    ("reference/p2p-Gnutella31/p2p-31.e.gz", 62_586, 147_892, true),
];

/// Lines of neighbours, which have to be asked for: path, nodes, edges.
const NEIGHBOURS: &[(&str, u32, u64)] = &[
    ("reference/ldbc/bfs/dir-input", 10, 17),
    ("reference/ldbc/bfs/undir-input", 10, 28),
    ("reference/ldbc/cdlp/dir-input", 8, 18),
    ("reference/ldbc/cdlp/undir-input", 8, 26),
    ("reference/ldbc/lcc/dir-input", 10, 17),
    ("reference/ldbc/lcc/undir-input", 9, 24),
    ("reference/ldbc/pr/dir-input", 50, 246),
    ("reference/ldbc/pr/undir-input", 50, 226),
    ("reference/ldbc/wcc/dir-input", 8, 10),
    ("reference/ldbc/wcc/undir-input", 8, 14),
    ("reference/ldbc/example/example-directed-input", 10, 17),
    ("reference/ldbc/example/example-undirected-input", 9, 24),
];

/// The folder of real graphs, if there is one.
fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("EVENKEEL_DATA").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: EVENKEEL_DATA names no folder of real graphs");
    }
    folder
}

fn opened(path: &Path, options: &OpenOptions) -> (Graph, BuildReport) {
    open(path, options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_listed_file_has_its_nodes_and_edges() {
    let Some(data) = data() else { return };
    for (name, nodes, edges, directed) in FILES {
        let (graph, report) = opened(&data.join(name), &OpenOptions::default());
        assert_eq!((graph.csr.nodes(), report.edges_given, graph.directed), (*nodes, *edges, *directed), "{name}");
        assert!(graph.directed || graph.csr.has_symmetric_weights(), "{name}");
        if graph.directed {
            assert_eq!(report.edges_stored, *edges, "{name}");
        }
    }
    let options = OpenOptions { format: "adjacency".parse().ok(), ..OpenOptions::default() };
    for (name, nodes, edges) in NEIGHBOURS {
        let (graph, report) = opened(&data.join(name), &options);
        assert_eq!((graph.csr.nodes(), report.edges_given), (*nodes, *edges), "{name}");
    }
}

#[test]
fn nodes_are_called_what_the_files_call_them() {
    let Some(data) = data() else { return };
    let ids = |name: &str| opened(&data.join(name), &OpenOptions::default()).0.ids;
    assert_eq!(ids("road/rome99.gr"), NodeIds::Counted { first: 1 });
    assert_eq!(ids("matrix/lesmis.mtx"), NodeIds::Counted { first: 0 });
    assert_eq!(ids("social/ego-Facebook.txt"), NodeIds::Counted { first: 0 });
    assert_eq!(ids("reference/p2p-Gnutella31/p2p-31.e.gz"), NodeIds::Counted { first: 1 });
    assert_eq!(ids("social/wiki-Vote.txt").name(7_114).to_string(), "8297");
    assert_eq!(ids("reference/ldbc/example/example-undirected.e").name(0).to_string(), "2");
}

#[test]
fn weights_are_of_the_kind_the_files_have() {
    let Some(data) = data() else { return };
    let csr = |name: &str| opened(&data.join(name), &OpenOptions::default()).0.csr;
    let weights = |name: &str| csr(name).weights().clone();
    assert!(matches!(weights("road/USA-road-d.NY.gr.gz"), Weights::U32(_)));
    assert!(matches!(weights("reference/p2p-Gnutella31/p2p-31.e.gz"), Weights::U32(_)));
    assert!(matches!(weights("matrix/jazz.mtx"), Weights::U32(_)));
    assert!(matches!(weights("social/com-dblp.tsv.gz"), Weights::None));
    assert!(matches!(weights("mesh/foodweb-baydry.konect"), Weights::F32(_)));
    assert_eq!(csr("social/soc-sign-bitcoinotc.csv").weight_range(), Some((-10.0, 10.0)));
}

/// Nodes and edges of a list of pairs, counted the plain way.
fn counted(path: &Path) -> (usize, u64) {
    let reader = BufReader::new(flate2::read::MultiGzDecoder::new(File::open(path).unwrap()));
    let (mut nodes, mut edges) = (Vec::new(), 0);
    for line in reader.lines() {
        let line = line.unwrap();
        let mut fields = line.split_whitespace().map(|field| field.parse::<u64>().unwrap());
        let (Some(source), Some(target)) = (fields.next(), fields.next()) else { continue };
        nodes.extend([source, target]);
        edges += 1;
    }
    nodes.sort_unstable();
    nodes.dedup();
    (nodes.len(), edges)
}

#[test]
fn the_corpus_opens_and_counts_right() {
    let Some(data) = data() else { return };
    let entries = std::fs::read_dir(data.join("corpus")).unwrap();
    let paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert_eq!(paths.len(), 144);
    let options = OpenOptions { direction: Some(Direction::Undirected), ..OpenOptions::default() };
    for path in paths {
        let (graph, report) = opened(&path, &options);
        let (nodes, edges) = counted(&path);
        assert_eq!((graph.csr.nodes() as usize, report.edges_given), (nodes, edges), "{}", path.display());
    }
}

#[test]
fn a_real_graph_survives_every_format_that_can_hold_it() {
    let Some(data) = data() else { return };
    let (mut graph, _) = opened(&data.join("matrix/jazz.mtx"), &OpenOptions::default());
    graph.csr = graph.csr.without_weights();
    let folder = tempfile::tempdir().unwrap();
    for format in Format::all().filter(|format| format.is_written()) {
        let path = folder.path().join("jazz.e");
        formats::write(&graph, &path, Some(format)).unwrap();
        let direction = Some(Direction::Undirected);
        let (read, _) = opened(&path, &OpenOptions { format: Some(format), direction, ..OpenOptions::default() });
        assert!(read.csr.offsets() == graph.csr.offsets());
        assert_eq!(read.csr.columns(), graph.csr.columns());
    }
}

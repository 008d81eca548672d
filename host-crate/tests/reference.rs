//! Real graphs and published answers, on every device: LDBC Graphalytics' own small graphs and p2p-Gnutella31 with their
//! expected depths, distances and ranks, and every other file against the oracles. The folder is named by `EVENKEEL_DATA`; its
//! graphs are not ours to redistribute.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{
        Algorithm, Bfs, BfsConfig, Distances, NodeTriangles, PageRank, PageRankConfig, PerNode, Precision, Seeds,
        Source, Sssp, SsspConfig, Triangles, TrianglesConfig,
    },
    device::Device,
    engine::schedule::Choice,
    graph::{Direction, Graph, OpenOptions, formats::Format, open},
    oracle,
    strategy::{self, Operator},
};
use std::{
    io::Read,
    path::{Path, PathBuf},
};

fn graph(path: &Path, direction: Option<Direction>, format: Option<Format>) -> Graph {
    open(path, &OpenOptions { direction, format, ..Default::default() }).unwrap().0
}

fn text(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap();
    let mut text = String::new();
    match path.extension().is_some_and(|extension| extension == "gz") {
        true => flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).map(|_| ()).unwrap(),
        false => text = String::from_utf8(bytes).unwrap(),
    }
    text
}

/// An answer file: `id value` in each line, where 9223372036854775807 and infinity mean not reached.
fn answers(path: &Path, graph: &Graph) -> Vec<f64> {
    let mut values = vec![f64::NAN; graph.csr.nodes() as usize];
    for line in text(path).lines().filter(|line| !line.trim().is_empty()) {
        let (id, value) = line.split_once(char::is_whitespace).unwrap();
        let value: f64 = value.trim().to_lowercase().replace("infinity", "inf").parse().unwrap();
        let node = graph.ids.find(id, graph.csr.nodes()).unwrap();
        values[node as usize] = if value >= i64::MAX as f64 { f64::INFINITY } else { value };
    }
    assert!(values.iter().all(|value| !value.is_nan()), "{} leaves out a node", path.display());
    values
}

fn bfs_config(strategy: &str) -> BfsConfig {
    BfsConfig { strategy: strategy.parse().unwrap(), ..BfsConfig::default() }
}

fn sssp_config(strategy: &str) -> SsspConfig {
    SsspConfig { strategy: strategy.parse().unwrap(), ..SsspConfig::default() }
}

fn depths(device: &Device, graph: &Graph, source: u64, strategy: &str) -> Vec<f64> {
    let mut bfs = Bfs::prepare(device, &graph.csr, &bfs_config(strategy)).unwrap();
    bfs.run(&Source::Node(source.to_string()).find(graph).unwrap()).unwrap();
    bfs.answer()
        .unwrap()
        .depths
        .into_iter()
        .map(|depth| if depth == u32::MAX { f64::INFINITY } else { f64::from(depth) })
        .collect()
}

fn distances(device: &Device, graph: &Graph, source: u64, strategy: &str) -> Vec<f64> {
    let mut sssp = Sssp::prepare(device, &graph.csr, &sssp_config(strategy)).unwrap();
    sssp.run(&Source::Node(source.to_string()).find(graph).unwrap()).unwrap();
    match sssp.answer().unwrap().distances {
        Distances::U32(words) => {
            words.into_iter().map(|word| if word == u32::MAX { f64::INFINITY } else { f64::from(word) }).collect()
        }
        Distances::F32(reals) => reals.into_iter().map(f64::from).collect(),
        Distances::U64(_) | Distances::F64(_) => panic!("no distance needs 64 bits"),
    }
}

/// Holds the ranks under every schedule against an answer file, by LDBC's own tolerance.
fn check_ranks(device: &Device, graph: &Graph, iterations: u32, path: &Path) {
    let expected = answers(path, graph);
    for schedule in Choice::all().iter().map(Choice::to_string).chain(["auto".to_owned()]) {
        for precision in [Precision::Single, Precision::Double] {
            if precision == Precision::Double && !device.info().float64 {
                continue;
            }
            let schedule = schedule.parse().unwrap();
            let config = PageRankConfig { schedule, iterations, precision, ..PageRankConfig::default() };
            let mut pagerank = PageRank::prepare(device, &graph.csr, &config).unwrap();
            pagerank.run(&Seeds::default()).unwrap();
            let found = pagerank.answer().unwrap().ranks;
            let mismatch = oracle::pagerank::first_mismatch(&expected, &found, oracle::pagerank::TOLERANCE);
            assert_eq!(mismatch, None, "{}, {config:?} on {device:?}", path.display());
        }
    }
}

/// Holds the local clustering coefficients by every strategy against an answer file.
fn check_coefficients(device: &Device, graph: &Graph, path: &Path) {
    let expected = answers(path, graph);
    for strategy in ["binary-search", "bitmap", "bitmap:heavy=2", "auto"] {
        let config = TrianglesConfig { strategy: strategy.parse().unwrap(), per_node: PerNode::Lcc };
        let mut triangles = Triangles::prepare(device, &graph.csr, &config).unwrap();
        triangles.run(&()).unwrap();
        let NodeTriangles::Coefficients(found) = triangles.answer().unwrap().nodes else { panic!("no coefficients") };
        assert_close(&found, &expected, &format!("{} by {strategy} on {device:?}", path.display()));
    }
}

/// Holds every strategy against published answers; `found` runs one.
fn assert_answers(device: &Device, operator: Operator, found: impl Fn(&str) -> Vec<f64>, expected: &[f64], what: &str) {
    for strategy in strategy::of(operator, device.info()) {
        assert_close(&found(strategy.name), expected, &format!("{what} by {}", strategy.name));
    }
}

fn assert_close(found: &[f64], expected: &[f64], what: &str) {
    for (node, (found, expected)) in found.iter().zip(expected).enumerate() {
        let close = found == expected || (found - expected).abs() <= 1e-5 * expected.abs();
        assert!(close, "{what}: node {node} is {found}, expected {expected}");
    }
}

#[test]
fn ldbc_answers() {
    let Some(data) = common::data() else { return };
    let ldbc = data.join("reference/ldbc");
    for device in common::devices() {
        for (name, direction) in [("dir", Direction::Directed), ("undir", Direction::Undirected)] {
            let input = graph(&ldbc.join(format!("bfs/{name}-input")), Some(direction), "adjacency".parse().ok());
            let expected = answers(&ldbc.join(format!("bfs/{name}-output")), &input);
            assert_answers(
                &device,
                Operator::Bfs,
                |strategy| depths(&device, &input, 1, strategy),
                &expected,
                &format!("bfs/{name}"),
            );
            let input = graph(&ldbc.join(format!("sssp/{name}-input.e")), Some(direction), None);
            let expected = answers(&ldbc.join(format!("sssp/{name}-output")), &input);
            assert_answers(
                &device,
                Operator::SsspU32,
                |strategy| distances(&device, &input, 1, strategy),
                &expected,
                &format!("sssp/{name}"),
            );
        }
        // As many iterations as the properties beside the graphs say; the damping is 0.85 in all of them.
        for (name, direction, iterations) in [("dir", Direction::Directed, 14), ("undir", Direction::Undirected, 26)] {
            let input = graph(&ldbc.join(format!("pr/{name}-input")), Some(direction), "adjacency".parse().ok());
            check_ranks(&device, &input, iterations, &ldbc.join(format!("pr/{name}-output")));
            let input = graph(&ldbc.join(format!("lcc/{name}-input")), Some(direction), "adjacency".parse().ok());
            check_coefficients(&device, &input, &ldbc.join(format!("lcc/{name}-output")));
        }
        for (name, direction, source) in
            [("example-directed", Direction::Directed, 1), ("example-undirected", Direction::Undirected, 2)]
        {
            let folder = ldbc.join("example");
            let input = graph(&folder.join(format!("{name}.e")), Some(direction), None);
            let expected = answers(&folder.join(format!("{name}-BFS")), &input);
            assert_answers(
                &device,
                Operator::Bfs,
                |strategy| depths(&device, &input, source, strategy),
                &expected,
                name,
            );
            let expected = answers(&folder.join(format!("{name}-SSSP")), &input);
            assert_answers(
                &device,
                Operator::SsspU32,
                |strategy| distances(&device, &input, source, strategy),
                &expected,
                name,
            );
            check_ranks(&device, &input, 2, &folder.join(format!("{name}-PR")));
            check_coefficients(&device, &input, &folder.join(format!("{name}-LCC")));
        }
        common::finish(&device);
    }
}

#[test]
fn p2p_gnutella31_answers() {
    let Some(data) = common::data() else { return };
    let folder = data.join("reference/p2p-Gnutella31");
    let file = |direction| graph(&folder.join("p2p-31.e.gz"), Some(direction), None);
    for device in common::devices_in_turn(1) {
        check_ranks(&device, &file(Direction::Undirected), 10, &folder.join("p2p-31-PR.gz"));
        common::finish(&device);
    }
    let directions = [("", Direction::Undirected), ("-directed", Direction::Directed)];
    for (turn, (suffix, direction)) in directions.into_iter().enumerate() {
        let input = file(direction);
        for device in common::devices_in_turn(turn) {
            let expected = answers(&folder.join(format!("p2p-31-BFS{suffix}.gz")), &input);
            assert_answers(
                &device,
                Operator::Bfs,
                |strategy| depths(&device, &input, 6, strategy),
                &expected,
                &format!("BFS{suffix}"),
            );
            let expected = answers(&folder.join(format!("p2p-31-SSSP{suffix}.gz")), &input);
            assert_answers(
                &device,
                Operator::SsspU32,
                |strategy| distances(&device, &input, 6, strategy),
                &expected,
                &format!("SSSP{suffix}"),
            );
            common::finish(&device);
        }
    }
}

/// All files below a folder that hold a graph.
fn graph_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            files.extend(graph_files(&entry));
        } else if entry.file_name().is_some_and(|name| name != "README.md") {
            files.push(entry);
        }
    }
    files.sort();
    files
}

/// One in eight strategies where a graph is small, and where that would take minutes on a software device, one. Eight files in a row have all
/// of them.
fn strategies(device: &Device, graph: &Graph, operator: Operator, turn: usize) -> Vec<&'static str> {
    let few = if graph.csr.edges() < 30_000 { usize::MAX } else { 1 };
    let all = strategy::of(operator, device.info()).map(|strategy| strategy.name);
    all.skip(turn % 8).step_by(8).take(few).collect()
}

#[test]
fn every_file_agrees_with_the_oracles() {
    let Some(data) = common::data() else { return };
    let files = graph_files(&data).into_iter().filter(|file| !file.starts_with(data.join("reference")));
    for (turn, file) in files.enumerate() {
        let graph = graph(&file, None, None);
        let source = Source::MaxDegree.find(&graph).unwrap();
        let ranking = PageRankConfig { iterations: 3, ..PageRankConfig::default() };
        let ranks = oracle::pagerank::ranks(&graph.csr, ranking.damping, ranking.iterations);
        let depths = oracle::bfs::depths(&graph.csr, source);
        // After eight files the strategies have another device.
        for device in &common::devices_in_turn(turn + turn / 8) {
            let mut pagerank = PageRank::prepare(device, &graph.csr, &ranking).unwrap();
            pagerank.run(&Seeds::default()).unwrap();
            let found = pagerank.answer().unwrap().ranks;
            let mismatch = oracle::pagerank::first_mismatch(&ranks, &found, oracle::pagerank::TOLERANCE);
            assert_eq!(mismatch, None, "PageRank on {} on {device:?}", file.display());
            let what = |strategy: &str| format!("{} by {strategy} on {device:?}", file.display());
            for strategy in strategies(device, &graph, Operator::Bfs, turn) {
                let prepared = Bfs::prepare(device, &graph.csr, &bfs_config(strategy));
                let Some(mut bfs) = common::unless_too_long(device, prepared) else { continue };
                bfs.run(&source).unwrap();
                let mismatch = oracle::first_mismatch(&depths, &bfs.answer().unwrap().depths);
                assert_eq!(mismatch, None, "BFS: {}", what(strategy));
            }
            for strategy in strategies(device, &graph, Operator::SsspU32, turn) {
                check_sssp(device, &graph, source, strategy, &what(strategy));
            }
            common::finish(device);
        }
    }
}

fn check_sssp(device: &Device, graph: &Graph, source: u32, strategy: &str, what: &str) {
    let signed = evenkeel::graph::weights::first_negative(graph).is_some();
    match Sssp::prepare(device, &graph.csr, &sssp_config(strategy)) {
        Err(Error::Unsupported(reason)) if device.info().loop_limit.is_some() => {
            assert!(reason.contains("rounds"), "{what}: {reason}");
        }
        Err(error) => assert!(signed && error.to_string().contains("negative"), "{what}: {error}"),
        Ok(mut sssp) => {
            assert!(!signed, "{what} has negative weights");
            sssp.run(&source).unwrap();
            let mismatch = match sssp.answer().unwrap().distances {
                Distances::U32(found) => {
                    oracle::first_mismatch(&oracle::dijkstra::whole(&graph.csr, source).unwrap(), &found)
                }
                Distances::F32(found) => {
                    oracle::first_mismatch(&oracle::dijkstra::real(&graph.csr, source).unwrap(), &found)
                }
                Distances::U64(found) => {
                    oracle::first_mismatch(&oracle::dijkstra::wide(&graph.csr, source).unwrap(), &found)
                }
                Distances::F64(found) => {
                    oracle::first_mismatch(&oracle::dijkstra::double(&graph.csr, source).unwrap(), &found)
                }
            };
            assert_eq!(mismatch, None, "SSSP: {what}");
        }
    }
}

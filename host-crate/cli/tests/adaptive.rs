//! The levels of searches and their models on the command line, and what is refused.

use assert_cmd::assert::OutputAssertExt;
use evenkeel::{
    graph::{Csr, generate::Generator},
    oracle,
};
use std::{fs, path::Path, process::Command};

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn evenkeel(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.current_dir(folder).args(arguments.split(' '));
    command
}

fn printed(folder: &Path, arguments: &str) -> String {
    let output = evenkeel(folder, arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, arguments: &str, status: i32) -> String {
    let output = evenkeel(folder, arguments).assert().code(status).get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// The frontiers of all levels are the nodes reached, whatever the strategy; an adaptive run names the variants it took.
#[test]
fn levels_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let graph = generated("rmat:scale=9");
    let depths = oracle::bfs::depths(&graph, 5);
    let reached: Vec<u32> = (0..graph.nodes()).filter(|node| depths[*node as usize] != u32::MAX).collect();
    let edges: u64 = reached.iter().map(|node| u64::from(graph.degree(*node))).sum();
    fs::write(
        folder.join("two.tree"),
        "evenkeel level model 1\nif frontier <= 1\nvertex-push subgroup\nelse\nvertex-pull workgroup\n",
    )
    .unwrap();
    fs::write(folder.join("stays.tree"), "evenkeel level model 1\nlist-push-resident list\n").unwrap();
    let selected = std::env::var("EVENKEEL_TEST_DEVICE").unwrap_or_else(|_| "auto".into());
    for (strategy, first, second) in [
        ("node", "node", "node"),
        ("merge-path", "merge-path", "merge-path"),
        ("edge-list --count workgroup", "edge-list workgroup", "edge-list workgroup"),
        ("adaptive --model two.tree", "vertex-push subgroup", "vertex-pull workgroup"),
        ("adaptive --model stays.tree", "list-push-resident list", "list-push-resident list"),
    ] {
        let run = "--runs 2 --source 5 --levels levels.csv";
        printed(folder, &format!("bfs rmat:scale=9 --device {selected} --strategy {strategy} {run}"));
        let mut reader = csv::Reader::from_path(folder.join("levels.csv")).unwrap();
        let levels: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let sum = |column: usize| levels.iter().map(|level| level[column].parse::<u64>().unwrap()).sum::<u64>();
        assert_eq!((sum(1), sum(3)), (reached.len() as u64, edges), "{strategy}");
        assert_eq!(levels.last().unwrap()[2].parse::<usize>().unwrap(), reached.len(), "{strategy}");
        assert_eq!((&levels[0][4], &levels[1][4]), (first, second));
        assert!(levels.iter().all(|level| level[5].parse::<f64>().unwrap() > 0.0), "{strategy}: {levels:?}");
    }
    assert!(
        refused(folder, "bfs star --device cpu --strategy hierarchical --levels l.csv", 2)
            .contains("does not record its levels")
    );
    assert!(refused(folder, "bfs star --device cpu --levels -", 2).contains("goes to a file"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("broken.tree"), "evenkeel level model 1\nif nodes <= many\n").unwrap();
    let run = |options: &str, status| refused(folder, &format!("bfs star --device cpu {options}"), status);
    assert!(run("--strategy adaptive --model broken.tree", 2).contains("broken.tree:2: 'many' is no number"));
    assert!(run("--strategy adaptive --model none.tree", 2).contains("none.tree"));
    assert!(run("--strategy node --count subgroup", 2).contains("--count is for strategy edge-list and "));
    assert!(
        run("--strategy vertex-push --virtual-warp 4", 2).contains("--virtual-warp is for strategy vertex-push-warp")
    );
    assert!(run("--strategy vertex-push-warp --virtual-warp 6", 2).contains("2, 4, 8, 16, 32"));
    assert!(run("--strategy vertex-push --model broken.tree", 2).contains("broken.tree"));
    assert!(refused(folder, "sssp star --device cpu --strategy edge-list", 2).contains("there is node, "));
}

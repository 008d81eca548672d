//! Measured levels and trained trees as files and pages, and measuring that is interrupted.

use crate::{
    pages::{Made, check_in_browser, check_page, column, same, tables},
    papers,
};
use assert_cmd::assert::OutputAssertExt;
use serde_json::Value;
use std::{
    fs,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
    sync::LazyLock,
};
use tempfile::TempDir;

fn inside(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

/// A table of levels with other times, from which a tree is grown that has two leaves: small frontiers are listed, large ones pulled.
fn with_a_rule(csv: &str) -> String {
    let mut lines = csv.lines();
    let header = lines.next().unwrap();
    let names: Vec<&str> = header.split(',').collect();
    let place = |name: &str| names.iter().position(|it| *it == name).unwrap();
    let (frontier, first) = (place("frontier"), place("edge-list atomic"));
    let row = |line: &str| {
        // Some graphs have a comma in their name.
        let (graph, rest) =
            line.strip_prefix('"').map_or_else(|| line.split_once(','), |it| it.split_once("\",")).unwrap();
        let mut cells: Vec<&str> = [graph].into_iter().chain(rest.split(',')).collect();
        let small = cells[frontier];
        cells[first..].fill("100");
        cells[place("list-push-warp list")] = small;
        cells[place("vertex-pull-warp list")] = "10";
        cells[0] = graph.split(':').next().unwrap();
        cells.join(",")
    };
    [header.to_owned()].into_iter().chain(lines.map(row)).collect::<Vec<_>>().join("\n") + "\n"
}

/// The pages of measured levels and of a tree.
static PAGES: LazyLock<(TempDir, Vec<Made>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (levels, rule) = (inside(&folder, "levels.csv"), inside(&folder, "rule.csv"));
    let tree = inside(&folder, "my.tree");
    let graphs = ["rmat:scale=6", "grid:rows=5,cols=5", "star:nodes=40"];
    let measure =
        [&["measure-levels"], &graphs[..], &["--sources", "1", "--device", "cpu", "--output", &levels]].concat();
    let commands = [("levels", measure, 3), ("tree", vec!["train", &rule, "--output", &tree], 4)];
    let made = commands.into_iter().map(|(name, mut arguments, charts)| {
        let [html, svg, json] = ["html", "svg", "json"].map(|ending| inside(&folder, &format!("{name}.{ending}")));
        arguments.extend(["--html", &html, "--svg", &svg, "--json", &json]);
        if name == "tree" {
            fs::write(&rule, with_a_rule(&fs::read_to_string(&levels).unwrap())).unwrap();
        }
        papers(&arguments).assert().success();
        let read = |path: &str| fs::read_to_string(path).unwrap();
        let json: Value = serde_json::from_str(&read(&json)).unwrap();
        Made { name, html: read(&html), svg: read(&svg), json, charts }
    });
    let made = made.collect();
    (folder, made)
});

fn made(name: &str) -> &'static Made {
    PAGES.1.iter().find(|made| made.name == name).unwrap()
}

#[test]
fn every_page_is_one_file_with_its_pictures() {
    PAGES.1.iter().for_each(|made| check_page(made, 0));
}

#[test]
fn a_browser_shows_every_page_without_complaint() {
    check_in_browser(PAGES.0.path(), &PAGES.1);
}

#[test]
fn measured_levels_and_their_tree_are_those_of_the_files() {
    let (folder, _) = &*PAGES;
    let mut csv = fs::read_to_string(folder.path().join("levels.csv")).unwrap();
    csv.retain(|letter| letter != '"');
    let tables_of_levels = tables(&made("levels").html);
    let rows: usize = tables_of_levels.values().map(|rows| rows.len() - 1).sum();
    assert_eq!((tables_of_levels.len(), rows), (3, csv.lines().count() - 1));
    let names: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let ways: Vec<usize> = (0..names.len()).filter(|it| names[*it].starts_with("vertex-push ")).collect();
    let fastest = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        ways.iter().map(|place| cells[*place].parse::<f64>().unwrap()).fold(f64::INFINITY, f64::min)
    };
    let star: Vec<f64> = csv.lines().filter(|line| line.starts_with("star")).map(fastest).collect();
    assert!(ways.len() == 3 && same(&column(&tables_of_levels["star:nodes=40"], "vertex-push"), &star));

    let model = fs::read_to_string(folder.path().join("my.tree")).unwrap();
    let lines = model.lines().skip(1).map(str::trim).filter(|line| !line.starts_with('#') && *line != "else");
    let tree = &tables(&made("tree").html)["The tree"];
    assert_eq!((tree.len() - 1, lines.clone().count()), (3, 3));
    for (row, line) in tree[1..].iter().zip(lines) {
        let (question, variant) = (line.strip_prefix("if ").and_then(|it| it.split(' ').next()), line);
        assert!(row[2].starts_with(question.unwrap_or(variant)), "{row:?} is {line}");
    }
}

#[test]
fn a_table_is_not_written_over_a_graph() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("roads.gr");
    let roads = "p sp 2 1\na 1 2 5\n";
    fs::write(&path, roads).unwrap();
    let same = format!("{}/../{}/roads.gr", folder.path().display(), folder.path().file_name().unwrap().display());
    let mut command = papers(&["measure-levels", path.to_str().unwrap(), "--output", &same]);
    let output = command.assert().code(2).get_output().clone();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("would overwrite the graph"), "{message}");
    assert_eq!(fs::read_to_string(&path).unwrap(), roads);
}

#[cfg(unix)]
#[test]
fn interrupted_measuring_writes_what_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let table = inside(&folder, "levels.csv");
    let arguments = ["measure-levels", "star:nodes=40", "grid:rows=60,cols=60", "--sources", "20", "--device", "cpu"];
    let mut measuring = papers(&[&arguments[..], &["--output", &table, "-v"]].concat());
    let mut child = measuring.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("star:nodes=40: ")), "the first graph was not measured");
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    let rest = lines.collect::<Vec<_>>().join("\n");
    assert!(rest.contains("warning: ending after what is under way"), "{rest}");
    assert_eq!(child.wait().unwrap().code(), Some(143), "{rest}");
    let csv = fs::read_to_string(&table).unwrap();
    let of = |graph: &str| csv.lines().filter(|line| line.contains(graph)).count();
    // All of the first graph, and not all of the second, which has 64 levels for most of its searches.
    assert!(of("star") >= 40 && of("grid") < 640, "{csv}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

//! From measuring levels to an adaptive run, and what is refused on the way.

use crate::{evenkeel, papers};
use assert_cmd::assert::OutputAssertExt;
use evenkeel::strategy::adaptive::{Feature, Variant};
use std::{fs, path::Path, process::Command};

fn within(folder: &Path, arguments: &str) -> Command {
    let words: Vec<_> = arguments.split(' ').collect();
    let mut command = if words[0] == "bfs" { evenkeel(&words) } else { papers(&words) };
    command.current_dir(folder);
    command
}

fn printed(folder: &Path, arguments: &str) -> String {
    let output = within(folder, arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, arguments: &str, status: i32) -> String {
    let output = within(folder, arguments).assert().code(status).get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// Measured, trained and run: as CSV and as Parquet, and with either family of variants.
#[test]
fn from_measuring_to_an_adaptive_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let device = std::env::var("EVENKEEL_TEST_DEVICE").unwrap_or_else(|_| "cpu".into());
    let graphs = "rmat:scale=7 grid:rows=9,cols=30 star:nodes=400 er:nodes=300,degree=4";
    let measure = format!("measure-levels {graphs} --sources 2 --max-levels 9 --device {device}");
    assert!(printed(folder, &format!("{measure} -o levels.csv")).contains(" levels of 4 graphs in levels.csv"));
    printed(folder, &format!("{measure} --seed 7 -o levels.parquet"));
    let rows = fs::read_to_string(folder.join("levels.csv")).unwrap();
    assert_eq!(rows.lines().next().unwrap().split(',').count(), 5 + Feature::ALL.len() + Variant::all().len() + 1);
    assert!(rows.lines().filter(|line| line.starts_with("\"grid")).count() == 2 * 9, "{rows}");

    // A time that is infinite is refused with its line, and nothing is written.
    let mut cells: Vec<&str> = rows.lines().nth(3).unwrap().rsplitn(4, ',').collect();
    cells[1] = "inf";
    let infinite = cells.into_iter().rev().collect::<Vec<_>>().join(",");
    let with_it: Vec<&str> =
        rows.lines().enumerate().map(|(line, text)| if line == 3 { infinite.as_str() } else { text }).collect();
    fs::write(folder.join("infinite.csv"), with_it.join("\n")).unwrap();
    let error = refused(folder, "train infinite.csv -o infinite.tree --html infinite.html", 3);
    assert!(error.contains("infinite.csv:4: list-push-resident list is inf"), "{error}");
    assert!(!folder.join("infinite.tree").exists() && !folder.join("infinite.html").exists());

    for family in ["fifteen", "listed"] {
        let text = printed(folder, &format!("train levels.csv levels.parquet --ways {family} -o {family}.tree"));
        assert!(text.contains("grown on 3 graphs") && text.contains("\noracle "), "{text}");
        let tree = fs::read_to_string(folder.join(format!("{family}.tree"))).unwrap();
        assert!(tree.starts_with("evenkeel level model 1\n# Measured on "), "{tree}");
        let run =
            format!("bfs rmat:scale=9 --strategy adaptive --model {family}.tree --device {device} --validate --json -");
        let report: serde_json::Value = serde_json::from_str(&printed(folder, &run)).unwrap();
        assert_eq!((&report["valid"], &report["config"]["model"]), (&true.into(), &family.into()));
    }
    // As the paper does it: levels are divided, so that all graphs are known.
    let options = "--variants five --features paper-best --criterion gini --split levels --html paper.html";
    let text = printed(folder, &format!("train levels.csv levels.parquet {options} -o paper.tree"));
    assert!(text.contains(" levels of 4 graphs\n") && text.contains("levels of these graphs\n"), "{text}");
    let page = fs::read_to_string(folder.join("paper.html")).unwrap();
    assert!(page.contains("other levels of the same 4 graphs"));
    let switching =
        format!("measure-switching levels.csv --model paper.tree --levels 8 --runs 2 --device {device} --json -");
    let measured: serde_json::Value = serde_json::from_str(&printed(folder, &switching)).unwrap();
    assert_eq!(
        (&measured["levels"], &measured["decisions"], measured["device"].as_array().unwrap().len()),
        (&8.into(), &3.into(), 4)
    );
    assert_eq!(measured["host"]["levels"].as_u64().unwrap() as usize, rows.lines().count() - 1);
    assert!(measured["host"]["mean_ns"].as_f64().unwrap() > 0.0);

    let again = |tables: &str| printed(folder, &format!("train {tables} --seed 3 -o -"));
    assert_eq!(
        again("levels.csv levels.parquet"),
        again("levels.csv levels.parquet"),
        "the same seed gives the same model"
    );
}

/// What `train` says of a model that was grown in another way, and of collections that it has not seen.
#[test]
fn models_are_judged_in_more_ways_than_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let graphs =
        "rmat:scale=6 rmat:scale=7,directed=true grid:rows=5,cols=9 grid:rows=9,cols=4 star:nodes=90 star:nodes=9";
    let measure = format!("measure-levels {graphs} --sources 2 --max-levels 4 --device cpu -o levels.csv --json -");
    let measured: serde_json::Value = serde_json::from_str(&printed(folder, &measure)).unwrap();
    let of = |graph: usize, key: &str| measured[graph][key].clone();
    assert_eq!((of(0, "collection"), of(0, "directed"), of(0, "nodes")), ("rmat".into(), false.into(), 64.into()));
    assert_eq!(
        (of(1, "collection"), of(1, "directed"), of(2, "collection")),
        ("rmat".into(), true.into(), "grid".into())
    );

    let train =
        "train levels.csv --variants fifteen --degrees all --criterion gini --leave-one-out --json - -o gini.tree";
    let judged: serde_json::Value = serde_json::from_str(&printed(folder, train)).unwrap();
    let names = |key: &str| judged[key].as_array().unwrap().clone();
    assert_eq!(["training", "tuning", "test"].map(|set| names(set).len()), [4, 1, 1]);
    assert_eq!(
        (&judged["criterion"], &judged["degrees"], judged["size"]["depth"].is_u64()),
        (&"gini".into(), &"all".into(), true)
    );
    let tree = fs::read_to_string(folder.join("gini.tree")).unwrap();
    let without_comment = tree.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(judged["model"].as_str(), Some(without_comment.as_str()));
    let left_out = names("left_out");
    assert_eq!(
        left_out.iter().map(|it| it["collection"].as_str().unwrap()).collect::<Vec<_>>(),
        ["grid", "rmat", "star"]
    );
    assert!(left_out.iter().all(|it| it["graphs"] == 2 && it["scores"][1]["average"].as_f64().unwrap() >= 1.0));
    assert_eq!(names("scores").len(), 2 + 15);
    let levels = |key: &str| names(key).iter().map(|it| it["levels"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(levels("accuracy_by_level"), judged["accuracy"]["levels"].as_u64().unwrap());
    assert_eq!(levels("accuracy_by_phase"), levels("accuracy_by_level"));

    let held_out = printed(folder, "train levels.csv --hold-out star -o star.tree --html tree.html");
    assert!(held_out.contains("tested on 2 graphs, 4 searches: star:nodes=9"), "{held_out}");
    assert!(fs::read_to_string(folder.join("tree.html")).unwrap().contains("Levels of the test graphs"));
    assert!(refused(folder, "train levels.csv --hold-out road -o road.tree", 2).contains("there is grid, rmat"));

    // A file that is no graph is left out, unless nothing else is there.
    fs::write(folder.join("broken.mtx"), "nonsense\n").unwrap();
    let measure = "measure-levels broken.mtx star:nodes=9 --sources 1 --device cpu -o some.csv --json -";
    let measured: serde_json::Value = serde_json::from_str(&printed(folder, measure)).unwrap();
    assert!(measured[0]["refused"].as_str().unwrap().contains("broken.mtx:1"), "{measured}");
    assert_eq!((&measured[0]["collection"], &measured[1]["graph"]), (&"files".into(), &"star:nodes=9".into()));
    for graphs in ["broken.mtx", "broken.mtx broken.mtx"] {
        refused(
            folder,
            &format!("measure-levels {graphs} --device cpu -o none.csv"),
            if graphs.contains(' ') { 2 } else { 3 },
        );
    }
    assert!(!folder.join("none.csv").exists());
}

/// The trees that come with the program are what the tables beside them give, to the byte.
#[test]
fn shipped_trees_grow_again_from_the_kept_tables() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host-crate/models");
    let files = |folder: &Path| {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let grown: Vec<String> = files(&models)
        .iter()
        .filter(|path| path.is_dir())
        .map(|folder| {
            let mut train = within(&models, "train --output -");
            let text = train.args(files(folder)).assert().success().get_output().stdout.clone();
            let shipped = fs::read_to_string(folder.with_extension("tree")).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), shipped, "{}", folder.display());
            folder.file_name().unwrap().to_string_lossy().into_owned()
        })
        .collect();
    assert!(grown.iter().any(|name| name == "software"), "{grown:?}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    assert!(refused(folder, "train none.csv -o model.tree", 3).contains("none.csv"));
    fs::write(folder.join("other.csv"), "a,b\n1,2\n").unwrap();
    assert!(
        refused(folder, "train other.csv -o model.tree", 3)
            .contains("other.csv:1: the columns are not those of this version")
    );
    assert!(!folder.join("model.tree").exists());
    assert!(
        refused(folder, "measure-levels star --virtual-warp 3 --device cpu -o l.csv", 2).contains("--virtual-warp")
    );
}

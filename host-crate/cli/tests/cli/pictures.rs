//! Pages and pictures: every command that makes one, read as XML and compared with what the command says in JSON, and opened in a browser.

use super::*;
use crate::pages::{Made, check_in_browser, check_page, chromium, column, numbers, same, tables};
use std::sync::LazyLock;

/// A page of each kind, made once.
static PAGES: LazyLock<(TempDir, Vec<Made>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let graphs = ["rmat:scale=6", "grid:rows=5,cols=5"];
    let commands: [(&'static str, Vec<&str>, bool, usize); 6] = [
        ("run", vec!["bfs", "rmat:scale=8", "--strategy", "node", "--runs", "3", "--device", "cpu"], true, 5),
        ("schedule", vec!["spmv", "rmat:scale=6", "--validate", "--device", "cpu"], true, 3),
        ("compare", vec!["compare", "sssp", "rmat:scale=6", "--runs", "3", "--device", "cpu"], true, 1),
        ("graphs", vec!["compare", "spmv", graphs[0], graphs[1], "--device", "cpu"], true, 3),
        ("balance", vec!["balance", "bfs", "rmat:scale=8"], true, 3),
        ("info", vec!["info", "rmat:scale=8", "--split"], true, 2),
    ];
    let made = commands.into_iter().map(|(name, mut arguments, has_json, charts)| {
        let [html, svg, json] = ["html", "svg", "json"].map(|ending| inside(&folder, &format!("{name}.{ending}")));
        arguments.extend(["--html", &html, "--svg", &svg]);
        if has_json {
            arguments.extend(["--json", &json]);
        }
        printed(evenkeel(&arguments));
        let read = |path: &str| fs::read_to_string(path).unwrap();
        let json = if has_json { serde_json::from_str(&read(&json)).unwrap() } else { Value::Null };
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
    for made in &PAGES.1 {
        check_page(made, usize::from(made.name == "graphs"));
    }
}

#[test]
fn a_run_has_the_numbers_of_its_json() {
    let Made { html, json, .. } = made("run");
    let tables = tables(html);
    for (heading, path) in [("total ms", "/total_ms"), ("kernel ms", "/kernel_ms"), ("iterations", "/iterations")] {
        assert!(same(&column(&tables["Runs"], heading), &numbers(&json["runs"], path)), "{heading}");
    }
    let profile = &json["profile"];
    assert!(same(&column(&tables["Kernels"], "share"), &numbers(&profile["kernels"], "/share")));
    assert!(same(&column(&tables["Kernels"], "calls"), &numbers(&profile["kernels"], "/calls")));
    assert!(same(&column(&tables["Iterations"], "device ms"), &numbers(&profile["steps_ms"], "")));
    assert!(same(&column(&tables["Frontier"], "frontier"), &numbers(&profile["levels"], "/frontier")));
    assert!(same(&column(&tables["Memory"], "bytes"), &numbers(&json["buffers"], "/bytes")));
    // The levels are those of the search, the steps those of its iterations, and the buffers are the memory.
    let reached: f64 = column(&tables["Frontier"], "frontier").iter().sum();
    assert_eq!(Some(reached), json["reached"].as_f64());
    assert_eq!(column(&tables["Iterations"], "iteration").len() as u64, json["median"]["iterations"].as_u64().unwrap());
    let bytes: f64 = column(&tables["Memory"], "bytes").iter().sum();
    assert_eq!(Some(bytes), json["memory_bytes"].as_f64());
    assert!(made("schedule").html.contains("every value agrees with the sequential oracle"));
}

#[test]
fn a_run_without_pictures_is_not_timed_step_by_step() {
    let report = json(evenkeel(&["bfs", "star", "--device", "cpu", "--json", "-"]));
    assert!(report.get("profile").is_none() && report["buffers"][0]["bytes"].is_u64(), "{report}");
}

#[test]
fn a_comparison_has_a_bar_for_each_strategy_and_marks_the_best() {
    let Made { html, json, .. } = made("compare");
    let rows = &tables(html)["sssp on rmat:scale=6"];
    assert!(same(&column(rows, "median ms"), &numbers(json, "/median/total_ms")));
    assert!(same(&column(rows, "ratio"), &numbers(json, "/ratio")));
    let runs = |entry: &Value| numbers(&entry["runs"], "/total_ms");
    let fastest = json.as_array().unwrap().iter().map(|it| runs(it).into_iter().reduce(f64::min).unwrap());
    assert!(same(&column(rows, "fastest ms"), &fastest.collect::<Vec<_>>()));
    let best = json.as_array().unwrap().iter().filter(|it| it["ratio"] == 1.0).count();
    assert_eq!((html.matches("★ best").count(), html.matches("<tr class=\"best\">").count()), (best, best));
    // Several graphs have a picture of all first, with a legend.
    let graphs = &made("graphs").svg;
    assert!(["rmat:scale=6", "grid:rows=5,cols=5", "merge-path"].iter().all(|name| graphs.contains(name)), "{graphs}");
}

#[test]
fn a_balance_has_all_invocations_of_each_strategy() {
    let Made { html, json, .. } = made("balance");
    let (tables, strategies) = (tables(html), json["strategies"].as_array().unwrap());
    let uneven = numbers(&json["strategies"], "/max_over_mean/invocations");
    assert!(same(&column(&tables["Unevenness"], "invocations"), &uneven));
    assert!(same(&column(&tables["Lanes"], "busy"), &numbers(&json["strategies"], "/simd_efficiency")));
    for (row, strategy) in tables["Distribution of work"][1..].iter().zip(strategies) {
        let shown: f64 = row[1..].iter().map(|cell| cell.parse::<f64>().unwrap()).sum();
        let counted: f64 = numbers(&strategy["dispatches"], "/invocations/count").iter().sum();
        assert_eq!((row[0].as_str(), shown), (strategy["strategy"].as_str().unwrap(), counted));
        assert_eq!(numbers(&strategy["shares"], "").iter().sum::<f64>(), counted);
    }
}

#[test]
fn a_graph_has_its_degrees() {
    let Made { html, json, .. } = made("info");
    let (tables, degrees) = (tables(html), &json["degrees"]);
    assert!(same(&column(&tables["Degrees"], "nodes"), &numbers(&degrees["histogram"], "/nodes")));
    assert!(same(&column(&tables["Degrees"], "degree from"), &numbers(&degrees["histogram"], "/from")));
    assert_eq!(column(&tables["Degrees"], "nodes of this degree and more")[0], json["nodes"].as_f64().unwrap());
    assert!(same(
        &column(&tables["Degrees after splitting"], "nodes"),
        &numbers(&json["split"]["histogram"], "/nodes")
    ));
}

#[test]
fn a_page_goes_where_it_can_be_and_never_over_the_graph() {
    let (folder, roads) = roads();
    for command in [vec!["sssp"], vec!["compare", "sssp"], vec!["balance", "bfs"], vec!["info"]] {
        for option in ["--html", "--svg"] {
            let message = refused(evenkeel(&[&command[..], &[&roads, option, &roads]].concat()), 2);
            assert!(message.contains("would overwrite the graph"), "{message}");
            let nowhere = inside(&folder, "no/such/page");
            let message = refused(evenkeel(&[&command[..], &[&roads, option, &nowhere]].concat()), 3);
            assert!(message.contains("no/such"), "{message}");
            let both = [&command[..], &[&roads, option, "-", "--json", "-"]].concat();
            assert!(refused(evenkeel(&both), 2).contains("standard output"));
        }
        let page = printed(evenkeel(&[&command[..], &[&roads, "--html", "-"]].concat()));
        assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    }
    assert_eq!(fs::read_to_string(&roads).unwrap(), ROADS);
}

#[test]
fn a_browser_shows_every_page_without_complaint() {
    check_in_browser(PAGES.0.path(), &PAGES.1);
}

#[test]
fn a_browser_draws_pages_light_and_dark() {
    let (folder, _) = &*PAGES;
    let picture = folder.path().join("shot.png");
    let shot = format!("--screenshot={}", picture.display());
    for file in ["run.html", "run.svg"] {
        let draw = |scheme: &str| {
            let scheme = format!("--blink-settings=preferredColorScheme={scheme}");
            chromium(&folder.path().join(file), &[&shot, "--window-size=900,1200", &scheme])
                .map(|_| fs::read(&picture).unwrap())
        };
        let (Some(dark), Some(light)) = (draw("0"), draw("1")) else { return };
        assert!(dark.len() > 5_000 && light.len() > 5_000 && dark != light, "{file}");
    }
}

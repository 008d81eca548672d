//! Pages and pictures: every command that makes one, read as XML and compared with what the command says in JSON, and opened in a browser.

use super::*;
use quick_xml::{Reader, events::Event};
use std::{collections::BTreeMap, env, sync::LazyLock};

/// The tables of a page by the headings of their sections, each a row of cells. A number is as it is, not as it is shown.
fn tables(page: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let (mut reader, mut tables) = (Reader::from_str(page), BTreeMap::<String, Vec<Vec<String>>>::new());
    let (mut heading, mut within, mut value) = (String::new(), String::new(), None);
    loop {
        match reader.read_event().expect("the page is well-formed") {
            Event::Start(tag) => {
                within = tag.name().as_ref().to_owned();
                let rows = tables.entry(heading.clone()).or_default();
                match within.as_str() {
                    "h2" => heading.clear(),
                    "tr" => rows.push(Vec::new()),
                    "th" | "td" => rows.last_mut().unwrap().push(String::new()),
                    "data" => value = tag.attributes().map(|it| it.unwrap().value.into_owned()).next(),
                    _ => {}
                }
            }
            Event::Text(text) if within == "h2" => heading += text.trim(),
            Event::Text(text) if ["th", "td", "data"].contains(&&*within) => {
                let cell = tables.get_mut(&heading).and_then(|rows| rows.last_mut()).and_then(|row| row.last_mut());
                *cell.unwrap() += &value.take().unwrap_or_else(|| text.trim().to_owned());
            }
            Event::End(_) => within.clear(),
            Event::Eof => {
                tables.retain(|_, rows| !rows.is_empty());
                return tables;
            }
            _ => {}
        }
    }
}

/// A column of numbers of a table.
fn column(rows: &[Vec<String>], heading: &str) -> Vec<f64> {
    let place = rows[0].iter().position(|it| it == heading).unwrap_or_else(|| panic!("no {heading} in {:?}", rows[0]));
    rows[1..].iter().map(|row| row[place].parse().unwrap()).collect()
}

/// Whether these are the same numbers, to the last digit but one: JSON is not read more exactly.
fn same(shown: &[f64], written: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs();
    shown.len() == written.len() && shown.iter().zip(written).all(close)
}

/// The numbers at a path of each object of an array.
fn numbers(array: &Value, path: &str) -> Vec<f64> {
    array.as_array().unwrap().iter().map(|it| it.pointer(path).and_then(Value::as_f64).unwrap()).collect()
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

/// A page of each kind, made once: its name, its text, the SVG, and the JSON where the command writes one.
struct Made {
    name: &'static str,
    html: String,
    svg: String,
    json: Value,
    charts: usize,
}

static PAGES: LazyLock<(TempDir, Vec<Made>)> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let (levels, rule) = (inside(&folder, "levels.csv"), inside(&folder, "rule.csv"));
    let tree = inside(&folder, "my.tree");
    let graphs = ["rmat:scale=6", "grid:rows=5,cols=5", "star:nodes=40"];
    let measure =
        [&["measure-levels"], &graphs[..], &["--sources", "1", "--device", "cpu", "--output", &levels]].concat();
    let commands: [(&'static str, Vec<&str>, bool, usize); 8] = [
        ("run", vec!["bfs", "rmat:scale=8", "--strategy", "node", "--runs", "3", "--device", "cpu"], true, 5),
        ("schedule", vec!["spmv", "rmat:scale=6", "--validate", "--device", "cpu"], true, 3),
        ("compare", vec!["compare", "sssp", "rmat:scale=6", "--runs", "3", "--device", "cpu"], true, 1),
        ("graphs", vec!["compare", "spmv", graphs[0], graphs[1], "--device", "cpu"], true, 3),
        ("balance", vec!["balance", "bfs", "rmat:scale=8"], true, 3),
        ("info", vec!["info", "rmat:scale=8", "--split"], true, 2),
        ("levels", measure, true, 3),
        ("tree", vec!["train", &rule, "--output", &tree], true, 4),
    ];
    let made = commands.into_iter().map(|(name, mut arguments, has_json, charts)| {
        let [html, svg, json] = ["html", "svg", "json"].map(|ending| inside(&folder, &format!("{name}.{ending}")));
        arguments.extend(["--html", &html, "--svg", &svg]);
        if has_json {
            arguments.extend(["--json", &json]);
        }
        if name == "tree" {
            fs::write(&rule, with_a_rule(&fs::read_to_string(&levels).unwrap())).unwrap();
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
    for Made { name, html, svg, charts, .. } in &PAGES.1 {
        assert!(html.starts_with("<!DOCTYPE html>") && !tables(html).is_empty(), "{name}");
        assert_eq!(html.matches("<svg ").count(), *charts, "{name}");
        assert_eq!(html.matches("role=\"img\" aria-label=\"").count(), *charts, "{name}");
        assert!(html.matches("<table>").count() >= *charts - usize::from(*name == "graphs"), "{name}");
        // Nothing is loaded: the only addresses are the names of XML.
        let addresses = html.matches("://").count() - html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
        assert!(addresses == 0 && !html.contains("<script") && !html.contains("url("), "{name}");
        assert!(svg.starts_with("<svg ") && svg.contains("prefers-color-scheme: dark"), "{name}");
        let first = &html[html.find("<svg ").unwrap()..];
        let (drawn, in_page) = (svg.split_once("</style>").unwrap().1.trim(), first.split_once('>').unwrap().1.trim());
        assert!(in_page.starts_with(drawn), "the picture of {name} is the first of the page");
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

/// A headless Chromium, or none, which is said; with `EVENKEEL_REQUIRE_CHROMIUM` set, that is a failure.
fn chromium(page: &Path, options: &[&str]) -> Option<Output> {
    let profile = tempfile::tempdir().unwrap();
    let user_data = format!("--user-data-dir={}", profile.path().display());
    // The pages are the program's own, and containers have no sandbox to give.
    let common =
        ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"];
    let address = format!("file://{}", page.display());
    let names = [env::var("EVENKEEL_CHROMIUM").unwrap_or_default(), "chromium".into(), "google-chrome".into()];
    let run = |name: &String| Command::new(name).args(common).arg(&user_data).args(options).arg(&address).output().ok();
    let output = names.iter().filter(|name| !name.is_empty()).find_map(run);
    if output.is_none() {
        assert!(env::var_os("EVENKEEL_REQUIRE_CHROMIUM").is_none(), "there is no Chromium");
        eprintln!("skipped: there is no Chromium");
    }
    output
}

/// What a browser makes of a page, and what it complains about.
fn opened(page: &Path) -> Option<(String, Vec<String>)> {
    let output = chromium(page, &["--dump-dom"])?;
    let complaints = stderr(&output).lines().filter(|line| line.contains(":CONSOLE")).map(str::to_owned).collect();
    Some((stdout(&output), complaints))
}

#[test]
fn a_browser_shows_every_page_without_complaint() {
    let (folder, pages) = &*PAGES;
    // A page with a flaw, which must be found.
    let flawed = folder.path().join("flawed.html");
    fs::write(&flawed, "<!DOCTYPE html><title>x</title><script>console.error('a flaw')</script>").unwrap();
    let Some((_, complaints)) = opened(&flawed) else { return };
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    for Made { name, html, charts, .. } in pages {
        let (dom, complaints) = opened(&folder.path().join(format!("{name}.html"))).unwrap();
        assert!(complaints.is_empty(), "{name}: {complaints:?}");
        assert_eq!((dom.matches("<svg ").count(), dom.matches("</svg>").count()), (*charts, *charts), "{name}");
        // The browser has the same tables, texts of charts and numbers as the file: it mended nothing.
        for part in ["<table>", "</table>", "<tr", "</td>", "</text>", "<rect", "<circle", "<polyline", "<section>"] {
            let in_file = html.matches(part).count();
            assert_eq!(dom.matches(part).count(), in_file, "{part} of {name}");
        }
        let values = |text: &str| -> Vec<String> {
            text.split("<data value=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        assert!(!values(html).is_empty() && values(&dom) == values(html), "{name}");
    }
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

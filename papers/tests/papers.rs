//! What the pages say of the papers, and of the program itself, is what the kept results say: reports are made again from them, and compared.
//! With `EVENKEEL_UPDATE_PAGES` set, they are written instead.

use assert_cmd::Command;
use evenkeel::{
    algorithm::{self, Part, Values},
    device::{Device, DeviceOptions},
    graph::generate::Generator,
};
use std::{
    env, fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_evenkeel-papers"))
}

/// Compares a file with what it should hold, or writes it.
fn compare(path: &Path, text: impl AsRef<[u8]>, wrong: &mut Vec<String>) {
    if fs::read(path).is_ok_and(|kept| kept == text.as_ref()) {
        return;
    }
    match env::var_os("EVENKEEL_UPDATE_PAGES") {
        Some(_) => fs::write(path, text).unwrap(),
        None => wrong.push(format!("{} is not what the kept results say", path.display())),
    }
}

/// Makes the report of the kept results of a paper in another folder, and compares its files. Gives the folder with them.
fn made_again(paper: &str, kept: &Path, folder: &Path, wrong: &mut Vec<String>) -> PathBuf {
    let made = folder.join(paper);
    fs::create_dir(&made).unwrap();
    let files = |folder: &Path| fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect::<Vec<PathBuf>>();
    let is_measured =
        |file: &&PathBuf| [".json", ".zst", ".parquet"].iter().any(|ending| file.to_string_lossy().ends_with(ending));
    for file in files(kept).iter().filter(is_measured) {
        fs::copy(file, made.join(file.file_name().unwrap())).unwrap();
    }
    program()
        .args(["reproduce", paper, "--scale", "paper", "--report-only", "--folder"])
        .arg(folder)
        .assert()
        .success();
    // The same results as a table: who wants it has it from the command.
    fs::remove_file(made.join("results.csv")).unwrap();
    for file in files(&made) {
        compare(&kept.join(file.file_name().unwrap()), fs::read(&file).unwrap(), wrong);
    }
    for lost in files(kept).into_iter().filter(|file| !made.join(file.file_name().unwrap()).exists()) {
        match env::var_os("EVENKEEL_UPDATE_PAGES") {
            Some(_) => fs::remove_file(&lost).unwrap(),
            None => wrong.push(format!("{} is of no report", lost.display())),
        }
    }
    made
}

/// Puts a report between the marks of a page.
fn insert(page: &str, begin: &str, end: &str, report: &str) -> String {
    let (before, rest) = page.split_once(begin).unwrap_or_else(|| panic!("no page has {begin}"));
    let (_, after) = rest.split_once(end).unwrap_or_else(|| panic!("nothing ends {begin}"));
    format!("{before}{begin}\n{report}{end}{after}")
}

#[test]
fn the_reports_of_the_papers_are_those_of_the_kept_results() {
    let (folder, kept) = (TempDir::new().unwrap(), root().join("docs/results/papers"));
    let (mut wrong, mut page) = (Vec::new(), fs::read_to_string(root().join("docs/papers.md")).unwrap());
    let papers: Vec<String> =
        fs::read_dir(&kept).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!papers.is_empty());
    for paper in papers {
        let made = made_again(&paper, &kept.join(&paper), folder.path(), &mut wrong);
        let report = fs::read_to_string(made.join("report.md")).unwrap();
        let report = report.replace("](", &format!("](results/papers/{paper}/"));
        let (begin, end) = (format!("<!-- results/papers/{paper} -->\n"), format!("<!-- end of {paper} -->"));
        page = insert(&page, &begin, &end, &report);
    }
    compare(&root().join("docs/papers.md"), &page, &mut wrong);
    assert!(wrong.is_empty(), "{}; `cargo xtask docs` renews them", wrong.join(", "));
}

#[test]
fn the_measurements_in_the_pages_are_those_of_the_kept_results() {
    let (folder, kept) = (TempDir::new().unwrap(), root().join("docs/results/measurements"));
    let mut wrong = Vec::new();
    let made = made_again("measurements", &kept, folder.path(), &mut wrong);
    let is_part = |path: &Path| path.extension().is_some_and(|ending| ending == "md") && !path.ends_with("report.md");
    let parts = fs::read_dir(&made).unwrap().map(|it| it.unwrap().path()).filter(|path| is_part(path));
    let parts: Vec<String> = parts.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let mut shown = Vec::new();
    for (page, results) in
        [("docs/measurements.md", "results/measurements"), ("README.md", "docs/results/measurements")]
    {
        let path = root().join(page);
        let mut text = fs::read_to_string(&path).unwrap();
        let marked =
            text.lines().filter_map(|line| line.strip_prefix("<!-- results/measurements/")?.strip_suffix(" -->"));
        for name in marked.map(str::to_owned).collect::<Vec<String>>() {
            if !parts.contains(&name) {
                wrong.push(format!("{page} has {name}, which the report has not"));
                continue;
            }
            let report = fs::read_to_string(made.join(format!("{name}.md"))).unwrap();
            let report = report.replace("](", &format!("]({results}/"));
            let (begin, end) = (format!("<!-- results/measurements/{name} -->\n"), format!("<!-- end of {name} -->"));
            text = insert(&text, &begin, &end, &report);
            shown.push(name);
        }
        compare(&path, &text, &mut wrong);
    }
    // What is shown nowhere need not be made.
    wrong.extend(parts.iter().filter(|part| !shown.contains(part)).map(|part| format!("no page has {part}")));
    assert!(wrong.is_empty(), "{}; `cargo xtask docs` renews them", wrong.join(", "));
}

#[test]
fn what_was_measured_is_not_measured_again() {
    let folder = TempDir::new().unwrap();
    let reproduce = |more: &[&str]| {
        let mut command = program();
        command.args(["reproduce", "pathak", "--device", "cpu", "--folder"]).arg(folder.path()).args(more);
        command.assert()
    };
    let nothing = reproduce(&["--report-only"]).code(2);
    assert!(String::from_utf8_lossy(&nothing.get_output().stderr).contains("nothing was measured yet"));
    let first = reproduce(&[]).success();
    let text = String::from_utf8_lossy(&first.get_output().stdout).into_owned();
    assert!(text.contains("The blocked form is a massive improvement"), "{text}");
    let results = folder.path().join("pathak/results.json");
    let kept = fs::read_to_string(&results).unwrap();
    let csv = fs::read_to_string(folder.path().join("pathak/results.csv")).unwrap();
    assert!(csv.starts_with("algorithm,strategy,graph,nodes,edges,device,driver,version,total_ms"), "{csv}");
    assert!(csv.lines().count() > 60, "{csv}");
    for picture in ["bfs.svg", "sssp.svg", "apsp.svg", "report.html"] {
        assert!(fs::metadata(folder.path().join("pathak").join(picture)).unwrap().len() > 1000, "{picture}");
    }
    // One experiment is missing: it is measured again, and no other.
    let mut object: serde_json::Value = serde_json::from_str(&kept).unwrap();
    let records = object["records"].as_array_mut().unwrap();
    let position = records.iter().position(|record| record["experiment"] == "bfs 1").unwrap();
    let removed = records.remove(position);
    let before = records.clone();
    fs::write(&results, object.to_string()).unwrap();
    reproduce(&[]).success();
    let object: serde_json::Value = serde_json::from_str(&fs::read_to_string(&results).unwrap()).unwrap();
    let records = object["records"].as_array().unwrap();
    assert_eq!(records[..before.len()], before[..]);
    assert_eq!((records.len(), &records[before.len()]["command"]), (before.len() + 1, &removed["command"]));
    let other = reproduce(&["--scale", "paper"]).code(2);
    assert!(String::from_utf8_lossy(&other.get_output().stderr).contains("holds results of --scale small"));
}

/// A cell of the table of growth: the time, the rate and the memory of an algorithm on a graph.
fn growth_cell(row: &serde_json::Value) -> String {
    let (ms, edges) = (row["median_ms"].as_f64().unwrap(), row["edges_taken"].as_f64().unwrap());
    let memory = row["memory_bytes"].as_f64().unwrap() / f64::from(1 << 30);
    let digits = |number: f64| match number {
        number if number < 10.0 => format!("{number:.2}"),
        number if number < 100.0 => format!("{number:.1}"),
        number => format!("{number:.0}"),
    };
    format!("{} ms, {} G/s, {} GiB", digits(ms), digits(edges / ms / 1e6), digits(memory))
}

#[test]
fn the_growth_and_the_streams_in_the_page_are_those_of_the_kept_results() {
    let path = root().join("docs/scale.md");
    let kept = fs::read_to_string(root().join("docs/results/scale/growth.json")).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&kept).unwrap();
    let mut table =
        "| graph | nodes | edges | BFS | SSSP | PageRank |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    let mut graphs: Vec<&str> = rows.iter().map(|row| row["graph"].as_str().unwrap()).collect();
    graphs.dedup();
    for graph in graphs {
        let of = |algorithm: &str| rows.iter().find(|row| row["graph"] == graph && row["algorithm"] == algorithm);
        let cell = |algorithm: &str| of(algorithm).map_or("-".to_owned(), growth_cell);
        let size = |name: &str| format!("{:.1} M", of("bfs").unwrap()[name].as_f64().unwrap() / 1e6);
        let cells = [graph.to_owned(), size("nodes"), size("edges"), cell("bfs"), cell("sssp"), cell("pagerank")];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    let page = fs::read_to_string(&path).unwrap();
    let page = insert(&page, "<!-- results/scale/growth -->\n", "<!-- end of growth -->", &format!("{table}\n"));
    let kept = fs::read_to_string(root().join("docs/results/scale/streamed.json")).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&kept).unwrap();
    let mut table =
        "| | `--memory` | time | kernels | copied | rate | times the copies alone | all on the device |\n".to_owned();
    table += "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    for row in &rows {
        let number = |name: &str| row[name].as_f64().unwrap();
        let (bytes, ms) = (number("streamed_bytes"), number("median_ms"));
        let cells = [
            format!("`{}`", row["algorithm"].as_str().unwrap()),
            row["memory"].as_str().unwrap().to_owned(),
            format!("{ms:.0} ms"),
            format!("{:.1} ms", number("kernel_ms")),
            format!("{:.1} GiB", bytes / f64::from(1 << 30)),
            format!("{:.1} GB/s", bytes / ms / 1e6),
            format!("{:.2}", number("copy_bytes_per_s") * ms / 1e3 / bytes),
            format!("{:.2} ms", number("whole_ms")),
        ];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    let (begin, end) = ("<!-- results/scale/streamed -->\n", "<!-- end of streamed -->");
    let page = insert(&page, begin, end, &format!("{table}\n"));
    let mut wrong = Vec::new();
    compare(&path, &page, &mut wrong);
    assert!(wrong.is_empty(), "{}; `cargo xtask docs` renews it", wrong.join(", "));
}

/// What every algorithm finds on a chain of three nodes, and the options that it alone has.
#[test]
fn the_algorithms_in_the_page_are_those_of_the_registry() {
    let graph = "chain:nodes=3".parse::<Generator>().unwrap().generate().unwrap();
    let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let mut table = "| command | finds | columns | options of its own |\n| --- | --- | --- | --- |\n".to_owned();
    for handle in algorithm::all() {
        let mut setup = handle.setup();
        let problem = setup.on(&graph).unwrap();
        let mut prepared = problem.prepare(&device).unwrap();
        prepared.run().unwrap();
        let answer = prepared.answer().unwrap();
        let column = |column: &algorithm::Column<'_>| {
            let kind = match column.values {
                Values::U32(_) => "u32",
                Values::U64(_) => "u64",
                Values::F32(_) => "f32",
                Values::F64(_) => "f64",
                Values::Nodes(_) => "node",
            };
            format!("`{}` ({kind})", column.name)
        };
        let columns: Vec<String> = answer.columns().iter().map(column).collect();
        drop((answer, prepared));
        drop(problem);
        let option =
            |key: &evenkeel::settings::Key<'_>| key.readers().is_empty().then(|| format!("`--{}`", key.name()));
        let mut options = Vec::new();
        for part in [Part::Input, Part::Config, Part::Tables] {
            options.extend(setup.settings(part).keys().iter().filter_map(option));
        }
        let about = handle.described();
        let cells = [format!("`{}`", about.name), about.summary.to_owned(), columns.join(", "), options.join(", ")];
        table += &format!("| {} |\n", cells.join(" | "));
    }
    let path = root().join("docs/command-line.md");
    let page = fs::read_to_string(&path).unwrap();
    let page = insert(&page, "<!-- algorithms -->\n", "<!-- end of algorithms -->", &format!("{table}\n"));
    let mut wrong = Vec::new();
    compare(&path, page, &mut wrong);
    assert_eq!(wrong, Vec::<String>::new());
}

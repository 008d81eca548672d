//! What the pages say of the papers is what the kept results say: reports are made again from them, and compared. With `EVENKEEL_UPDATE_PAGES`
//! set, they are written instead.

use assert_cmd::Command;
use std::{
    env, fs,
    path::{Path, PathBuf},
};
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn evenkeel() -> Command {
    Command::new(env!("CARGO_BIN_EXE_evenkeel"))
}

/// Compares a file with what it should hold, or writes it.
fn compare(path: &Path, text: &str, wrong: &mut Vec<String>) {
    if fs::read_to_string(path).is_ok_and(|kept| kept == text) {
        return;
    }
    match env::var_os("EVENKEEL_UPDATE_PAGES") {
        Some(_) => fs::write(path, text).unwrap(),
        None => wrong.push(format!("{} is not what the kept results say", path.display())),
    }
}

#[test]
fn the_reports_of_the_papers_are_those_of_the_kept_results() {
    let (folder, kept) = (TempDir::new().unwrap(), root().join("docs/results/papers"));
    let (mut wrong, mut page) = (Vec::new(), fs::read_to_string(root().join("docs/papers.md")).unwrap());
    let papers: Vec<String> =
        fs::read_dir(&kept).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    assert!(!papers.is_empty());
    for paper in papers {
        let made = folder.path().join(&paper);
        fs::create_dir(&made).unwrap();
        fs::copy(kept.join(&paper).join("results.json"), made.join("results.json")).unwrap();
        evenkeel()
            .args(["reproduce", &paper, "--scale", "paper", "--report-only", "--folder"])
            .arg(folder.path())
            .assert()
            .success();
        for file in fs::read_dir(&made).unwrap().map(|it| it.unwrap().path()) {
            compare(
                &kept.join(&paper).join(file.file_name().unwrap()),
                &fs::read_to_string(&file).unwrap(),
                &mut wrong,
            );
        }
        let report = fs::read_to_string(made.join("report.md")).unwrap();
        let report = report.replace("](", &format!("](results/papers/{paper}/"));
        let (begin, end) = (format!("<!-- results/papers/{paper} -->\n"), format!("<!-- end of {paper} -->"));
        let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("docs/papers.md has no {begin}"));
        let (_, after) = rest.split_once(&end).unwrap();
        page = format!("{before}{begin}\n{report}{end}{after}");
    }
    compare(&root().join("docs/papers.md"), &page, &mut wrong);
    assert!(wrong.is_empty(), "{}; `cargo xtask docs` renews them", wrong.join(", "));
}

#[test]
fn what_was_measured_is_not_measured_again() {
    let folder = TempDir::new().unwrap();
    let reproduce = |more: &[&str]| {
        let mut command = evenkeel();
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

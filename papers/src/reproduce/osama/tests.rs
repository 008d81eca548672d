//! What follows from results that were made up.

use super::{
    super::{Scale, finding::Verdict, testing::record},
    *,
};
use serde_json::{Value, json};
use std::{fs, path::Path};

/// What `compare` writes of some schedules.
fn entries(rows: u32, entries: u32, times: &[(&str, f64)]) -> Value {
    let entry = |(schedule, time): &(&str, f64)| {
        json!({
            "strategy": schedule, "graph": { "nodes": rows, "edges": entries }, "valid": true,
            "median": { "kernel_ms": time, "total_ms": 2.0 * time },
        })
    };
    times.iter().map(entry).collect()
}

/// The findings of two matrices, by what the paper says: a small one for thread-mapped, and a large one for merge-path.
fn findings(others: &Value) -> impl Fn(&str) -> (Verdict, String) + use<> {
    let timed = |[thread, group, merge, chosen]: [f64; 4]| {
        let times = [thread, group, merge, merge, 9.0, 9.0, 8.0, thread, chosen, chosen];
        all().into_iter().zip(times).collect::<Vec<_>>()
    };
    let refused = json!([{ "strategy": "merge-path", "graph": {}, "refused": "no atomic additions" }]);
    let records = [
        record("spmv a.mtx", &entries(400, 900, &timed([1.0, 2.0, 4.0, 1.0]))),
        record("spmv of/b.mtx.gz", &entries(90_000, 900_000, &timed([8.0, 4.0, 2.0, 4.0]))),
        record("spmv wrong.mtx", &Value::Null),
        record("coo a.mtx", &entries(400, 900, &[("thread-mapped", 3.0)])),
        record("csc a.mtx", &refused),
        record("spgemm a.mtx", &entries(400, 900, &[("thread-mapped", 3.0), ("stealing", 5.0)])),
    ];
    let folder = tempfile::tempdir().unwrap();
    let kept = json!({ "scale": "small", "records": records, "others": others });
    fs::write(folder.path().join("results.json"), kept.to_string()).unwrap();
    let parts = parts(&Results::open(folder.path(), Scale::Small).unwrap());
    move |says| {
        let mut findings = parts.iter().flat_map(|part| &part.findings);
        let finding = findings.find(|it| it.says.contains(says)).unwrap_or_else(|| panic!("nothing says {says}"));
        (finding.verdict, finding.here.clone())
    }
}

#[test]
fn findings_follow_from_the_times() {
    let others = json!({ "cusparse": { "a": 4.0, "b": 16.0 }, "cub": { "a.mtx": 4.0, "of/b": 1.0 } });
    let of = findings(&others);
    assert_eq!(
        of("2.5 % longer"),
        (Verdict::Fails, "merge-path-thread 1.414 times CUB's time, merge-path 1.414".into())
    );
    assert_eq!(of("92 %"), (Verdict::Fails, "merge-path-thread on 50 % of 2 matrices, merge-path on 50 %".into()));
    assert_eq!(
        of("depends on the matrix"),
        (Verdict::Holds, "thread-mapped on 1, group-mapped on 0, merge-path on 1 of 2 matrices".into())
    );
    assert_eq!(of("2.7 times"), (Verdict::Direction, "4.00 times on 2 matrices".into()));
    assert_eq!(of("39 times"), (Verdict::Direction, "4.0 times at most".into()));
    let here =
        "1.41 times the time of the best of the three, within 10 % of it on 1 of 2 matrices; 1.00 times that of auto";
    assert_eq!(of("selects the fastest"), (Verdict::Fails, here.into()));
    let alone =
        "1.41 times as fast as thread-mapped, 1.41 times as fast as group-mapped, 1.41 times as fast as merge-path";
    assert_eq!(of("combined"), (Verdict::Holds, alone.into()));
    assert_eq!(
        of("alpha"),
        (Verdict::Holds, "1.00 times the best of the three, 1.00 with the best thresholds here".into())
    );
    let dynamic = "dynamic on 2 matrices, faster than all of the three on 0, 0.18 times as fast in the mean; \
                   stealing on 2 matrices, faster than all of the three on 0, 0.50 times as fast in the mean";
    assert_eq!(of("Static and dynamic"), (Verdict::Holds, dynamic.into()));
    assert_eq!(of("two sparse matrices"), (Verdict::Holds, "2 products, 0 of them wrong".into()));
    assert_eq!(of("CSR, CSC and COO"), (Verdict::Fails, "1 refused: no atomic additions".into()));
}

#[test]
fn what_no_file_says_of_others_is_not_measured() {
    let of = findings(&json!({}));
    for says in ["2.5 % longer", "92 %", "2.7 times", "39 times"] {
        assert_eq!(of(says).0, Verdict::NotComparable, "{says}");
    }
    assert_eq!(of("depends on the matrix").0, Verdict::Holds);
}

#[test]
fn all_matrices_of_a_folder_are_measured() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("of")).unwrap();
    for name in ["z.mtx", "of/b c.mtx.gz", "a.ekg", "cusparse.csv", "a.txt"] {
        fs::write(folder.path().join(name), "").unwrap();
    }
    let list = experiments(&Setting {
        scale: Scale::Small,
        data: Some(folder.path().to_owned()),
        folder: "reproduced".into(),
    });
    let names: Vec<&str> = list.iter().take(4).map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["spmv a.ekg", "spmv of/b c.mtx.gz", "spmv z.mtx", "spmv rmat:scale=6"]);
    assert_eq!(list[1].words[2], folder.path().join("of/b c.mtx.gz").to_string_lossy());
}

#[test]
fn lines_are_those_of_the_documentation() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/programming-model.md");
    let page = fs::read_to_string(page).unwrap();
    for (schedule, cub, paper, own) in LINES {
        let cub = cub.map_or(String::new(), |cub| cub.to_string());
        let row = format!("| {schedule} | {cub} | {paper} | {own} |");
        assert!(page.contains(&row), "{row}");
    }
    let lines = |row: &str| row.rsplit('|').nth(1).and_then(|lines| lines.trim().parse::<u32>().ok());
    let counts = |row: &&str| row.starts_with("| merge-path |") || row.starts_with("| shared: ");
    // The first table behind the mark is that of schedules, and a blank line ends it.
    let schedules =
        page.lines().skip_while(|line| !line.starts_with("| schedule | CUB's kernel")).take_while(|it| !it.is_empty());
    let merge_path: Option<u32> = schedules.filter(counts).map(lines).sum();
    assert_eq!(merge_path, Some(SCHEDULE_LINES));
}

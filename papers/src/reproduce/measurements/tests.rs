//! The claims of the documentation against the kept results, and what follows from results that were made up.

use super::{
    super::{
        Scale,
        experiment::Setting,
        finding::{Part, Verdict},
        results::Results,
    },
    claims::{CLAIMS, Claim},
    *,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// Words with one blank between them: where a line ends is no matter.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What is not measured yet stands as that in the page; once all experiments were run, a claim that nothing was measured for is wrong.
#[test]
fn what_the_pages_claim_is_in_them_and_holds() {
    let results = Results::open(&root().join("docs/results/measurements"), Scale::Paper).unwrap();
    let setting = Setting { scale: Scale::Paper, data: None, folder: PathBuf::new() };
    let is_complete = plan::experiments(&setting).iter().all(|it| results.get(&it.name).is_some());
    let mut wrong = Vec::new();
    for Claim { page, text, check, .. } in CLAIMS {
        let held = fs::read_to_string(root().join(page)).unwrap();
        if !words(&held).contains(&words(text)) {
            wrong.push(format!("{page} does not say: {text}"));
        }
        match check(&results) {
            Some((true, _)) => {}
            None if !is_complete => {}
            Some((false, here)) => wrong.push(format!("{page} says: {text}; but: {here}")),
            None => wrong.push(format!("{page} says: {text}; but nothing was measured for it")),
        }
    }
    assert!(wrong.is_empty(), "change the claims in claims.rs and in the pages:\n{}", wrong.join("\n"));
}

/// A made-up record of some strategies.
fn record(experiment: &str, times: &[(&str, f64)], more: &Value) -> Value {
    let entry = |(strategy, time): &(&str, f64)| {
        let mut entry = json!({
            "strategy": strategy, "graph": { "name": "G", "nodes": 10, "edges": 20 }, "device": { "name": "D" },
            "median": { "total_ms": time, "kernel_ms": time, "iterations": 4 },
        });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        entry
    };
    json!({
        "experiment": experiment, "command": "evenkeel", "device": "D", "version": "1", "seconds": 1.0, "status": 0,
        "result": times.iter().map(entry).collect::<Vec<_>>(),
    })
}

fn opened(records: &[Value], peers: &Value) -> Results {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("results.json"), json!({ "scale": "paper", "records": records }).to_string()).unwrap();
    fs::write(folder.path().join("peers.json"), peers.to_string()).unwrap();
    Results::open(folder.path(), Scale::Paper).unwrap()
}

fn gunrock(algorithm: &str, milliseconds: &Value) -> Value {
    json!({ "figures": [{ "program": "Gunrock 2", "algorithm": algorithm, "milliseconds": milliseconds }] })
}

fn finding(parts: &[Part], part: &str, says: &str) -> (Verdict, String) {
    let part = parts.iter().find(|it| it.name == part).unwrap_or_else(|| panic!("there is no part {part}"));
    let finding = part.findings.iter().find(|it| it.says.contains(says)).unwrap();
    (finding.verdict, finding.here.clone())
}

#[test]
fn claims_follow_from_the_times() {
    let times = [("node", 20.0), ("merge-path", 2.0), ("direction", 1.0), ("auto", 1.05)];
    let slow = [("node", 4.0), ("direction", 1.0), ("auto", 1.5)];
    let both = [record("bfs rmat 20", &times, &json!({})), record("bfs com-dblp", &slow, &json!({}))];
    let peers = gunrock("bfs", &json!({ "rmat 20": 4.2, "er 2^22": 1.0 }));
    let of_one = parts(&opened(&both[..1], &peers));
    let at_most = finding(&of_one, "bfs", "at most 1.2 times");
    assert_eq!(at_most, (Verdict::Holds, "1.05× as long on rmat 20".into()));
    assert_eq!(finding(&of_one, "bfs", "faster than Gunrock"), (Verdict::Holds, "4× as fast on rmat 20".into()));
    let balance = finding(&of_one, "bfs", "decides");
    assert_eq!(
        balance,
        (Verdict::Holds, "merge-path is 10 times as fast as node on rmat 20; README.md says so".into())
    );
    let of_both = parts(&opened(&both, &peers));
    let at_most = finding(&of_both, "bfs", "at most 1.2");
    assert_eq!(at_most, (Verdict::Fails, "1.05× as long on rmat 20, 1.5× on com-dblp".into()));
    assert_eq!(finding(&of_both, "bfs", "GAPBS"), (Verdict::NotComparable, "not measured".into()));
    let fastest = finding(&of_both, "bfs", "few levels");
    let here = "beside the fastest: 1× as long on rmat 20; docs/strategies.md says so";
    assert_eq!(fastest, (Verdict::Holds, here.into()));
}

#[test]
fn tables_have_what_was_measured_and_what_others_took() {
    let records = [
        record(
            "color er 2^22",
            &[("speculative", 3.0), ("auto", 3.0)],
            &json!({ "colors": 7, "method": "speculative" }),
        ),
        record("components rmat 20", &[("auto", 0.5)], &json!({ "components": 402_632 })),
        record("checked bfs", &[("auto", 0.5)], &json!({ "valid": false })),
    ];
    let peers = json!({
        "figures": [{
            "program": "Gunrock 2", "algorithm": "color", "milliseconds": { "er 2^22": "over a minute" },
            "colors": { "er 2^22": 30 },
        }],
        "answers": [{
            "algorithm": "components", "figure": "components", "values": { "rmat 20": 402_632, "rmat 22": 1 },
        }],
    });
    let parts = parts(&opened(&records, &peers));
    let color = parts.iter().find(|part| part.name == "color").unwrap();
    let rows: Vec<String> =
        color.data.rows.iter().map(|row| row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" | ")).collect();
    let expected = [
        "speculative | 3",
        "auto | 3",
        "auto takes | speculative",
        "auto, colours | 7",
        "Gunrock 2 | over a minute",
        "Gunrock 2, colours | 30",
    ];
    assert_eq!(rows, expected);
    assert_eq!(finding(&parts, "structure", "sequential"), (Verdict::Holds, "1 of 1 are".into()));
    assert_eq!(finding(&parts, "checked", "oracle"), (Verdict::Fails, "0 of 1 are right".into()));
}

#[test]
fn every_claim_belongs_to_a_part_and_experiments_have_names_of_their_own() {
    let results = Results::open(&root().join("docs/results/measurements"), Scale::Paper).unwrap();
    let names: BTreeSet<&str> = parts(&results).iter().map(|part| part.name).collect();
    let lost: Vec<&str> = CLAIMS.iter().filter(|claim| !names.contains(claim.part)).map(|claim| claim.text).collect();
    assert!(lost.is_empty(), "{lost:?}");
    // Files of all graphs that may be there, one of them in a folder within.
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("road")).unwrap();
    for file in ["road/USA-road-d.NY.gr.gz", "com-dblp.tsv.gz", "cnr-2000.el.xz"] {
        fs::write(folder.path().join(file), "").unwrap();
    }
    for (scale, graphs) in [(Scale::Small, 4), (Scale::Paper, 11)] {
        let experiments =
            plan::experiments(&Setting { scale, data: Some(folder.path().into()), folder: PathBuf::new() });
        assert_eq!(experiments.iter().filter(|experiment| experiment.name.starts_with("bfs ")).count(), graphs);
        for experiment in &experiments {
            let words = ["evenkeel"].into_iter().chain(experiment.words.iter().map(String::as_str));
            evenkeel_cli::command().try_get_matches_from(words).unwrap_or_else(|error| panic!("{error}"));
        }
        let names: BTreeSet<&str> = experiments.iter().map(|experiment| experiment.name.as_str()).collect();
        assert_eq!(names.len(), experiments.len());
        // The exact betweenness of a large graph would take days.
        let betweenness = experiments.iter().filter(|it| it.words[0] == "betweenness");
        assert!(betweenness.into_iter().all(|it| it.words.iter().any(|word| word.starts_with("--source"))));
    }
}

//! Results that were made up, for the tests of papers.

use super::{
    Scale,
    finding::{Part, Verdict},
    results::Results,
};
use serde_json::{Value, json};
use std::fs;

/// A record as `results.json` has it.
pub fn record(experiment: &str, result: &Value) -> Value {
    json!({
        "experiment": experiment, "command": "evenkeel", "device": "a device", "version": "0.1.0", "seconds": 1.0, "status": 0,
        "result": result,
    })
}

/// The verdict and the numbers of each finding of a part, from these records.
pub fn findings(parts: fn(&Results) -> Vec<Part>, records: &[Value], part: &str) -> Vec<(Verdict, String)> {
    let folder = tempfile::tempdir().unwrap();
    let kept = json!({ "scale": "small", "records": records });
    fs::write(folder.path().join("results.json"), kept.to_string()).unwrap();
    let results = Results::open(folder.path(), Scale::Small).unwrap();
    let part = parts(&results).into_iter().find(|it| it.name == part).unwrap();
    part.findings.into_iter().map(|finding| (finding.verdict, finding.here)).collect()
}

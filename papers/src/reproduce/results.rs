//! What was measured: a record for each experiment, kept in a file as soon as it is there.

use super::{Scale, experiment::Experiment};
use evenkeel::{Error, Result, graph::formats::read_text};
use evenkeel_cli::output::Output;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// One experiment and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Its name within the paper.
    pub experiment: String,
    /// The command.
    pub command: String,
    /// The device it ran on.
    pub device: String,
    /// The version of evenkeel that ran it.
    pub version: String,
    /// How long the whole command took.
    pub seconds: f64,
    /// Its exit status.
    pub status: i32,
    /// What it said on the way.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub message: Option<String>,
    /// What it wrote for `--json`; null where it wrote nothing.
    pub result: Value,
}

/// The records of a paper.
#[derive(Debug)]
pub struct Results {
    path: PathBuf,
    kept: Kept,
    files: BTreeMap<String, Value>,
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    scale: String,
    records: Vec<Record>,
    /// By the name of a program, its milliseconds by the names of graphs.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    others: BTreeMap<String, BTreeMap<String, f64>>,
}

/// What a file has of another program.
#[derive(Deserialize)]
struct Elsewhere {
    matrix: String,
    milliseconds: f64,
}

/// Programs whose times a file of the folder of graphs may have: `cusparse.csv`.
const OTHERS: [&str; 2] = ["cub", "cusparse"];

impl Results {
    /// Opens what is in a folder, which is made if it is not there. Results that are kept for long may be compressed.
    pub fn open(folder: &Path, scale: Scale) -> Result<Self> {
        fs::create_dir_all(folder).map_err(Error::io(folder))?;
        let path = folder.join("results.json");
        let scale = format!("{scale:?}").to_lowercase();
        let kept = match [path.clone(), folder.join("results.json.zst")].iter().find(|path| path.exists()) {
            Some(path) => serde_json::from_str::<Kept>(&read_text(path)?).map_err(|error| {
                Error::Usage(format!("{} is not a file of results ({error}); take another --folder", path.display()))
            })?,
            None => Kept { scale: scale.clone(), records: Vec::new(), others: BTreeMap::new() },
        };
        if kept.scale != scale {
            let reason =
                format!("{} holds results of --scale {}; take that, or another --folder", path.display(), kept.scale);
            return Err(Error::Usage(reason));
        }
        Ok(Self { path, kept, files: others_of(folder)? })
    }

    /// Another file of the folder, by its name without `.json`: figures that no experiment measures.
    pub fn file(&self, name: &str) -> Option<&Value> {
        self.files.get(name)
    }

    /// Whether an experiment was measured on a device of this name. One that failed is tried again.
    pub fn has(&self, experiment: &Experiment, device: &str) -> bool {
        let command = experiment.command();
        let is_it = |record: &Record| record.command == command && record.device == device && record.is_settled();
        self.kept.records.iter().any(is_it)
    }

    /// Adds a record, in place of an older one of the same experiment, and writes the file.
    pub fn keep(&mut self, record: Record) -> Result<()> {
        self.kept.records.retain(|it| it.experiment != record.experiment);
        self.kept.records.push(record);
        Output::create(&self.path)?.write_json(&self.kept)
    }

    /// Keeps the times that other programs took, from the files of a folder that have them: columns `matrix` and `milliseconds`.
    pub fn take_others(&mut self, folder: &Path) -> Result<()> {
        let mut others = BTreeMap::new();
        for program in OTHERS {
            let path = folder.join(format!("{program}.csv"));
            if !path.is_file() {
                continue;
            }
            let wrong = |reason: String| Error::Usage(format!("{}: {reason}", path.display()));
            let mut file = csv::Reader::from_path(&path).map_err(|error| wrong(error.to_string()))?;
            let mut times = BTreeMap::new();
            for line in file.deserialize() {
                let Elsewhere { matrix, milliseconds } = line.map_err(|error| wrong(error.to_string()))?;
                if !(milliseconds > 0.0 && milliseconds.is_finite()) {
                    return Err(wrong(format!("{matrix} takes {milliseconds} milliseconds, which is no time")));
                }
                times.insert(matrix, milliseconds);
            }
            others.insert(program.to_owned(), times);
        }
        if others.is_empty() || others == self.kept.others {
            return Ok(());
        }
        self.kept.others = others;
        Output::create(&self.path)?.write_json(&self.kept)
    }

    /// The milliseconds that another program took with a graph, if a file said so.
    pub fn other(&self, program: &str, graph: &str) -> Option<f64> {
        self.kept.others.get(program)?.get(graph).copied()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kept.records.is_empty()
    }

    /// All records.
    pub fn records(&self) -> &[Record] {
        &self.kept.records
    }

    /// The record of an experiment, if it was run.
    pub fn get(&self, experiment: &str) -> Option<&Record> {
        self.kept.records.iter().find(|record| record.experiment == experiment)
    }

    /// What an experiment measured for a strategy or schedule.
    pub fn entry(&self, experiment: &str, strategy: &str) -> Option<&Value> {
        self.get(experiment)?.entries().into_iter().find(|entry| entry["strategy"] == strategy)
    }

    /// A number of that entry, by its JSON pointer.
    pub fn number(&self, experiment: &str, strategy: &str, pointer: &str) -> Option<f64> {
        self.entry(experiment, strategy)?.pointer(pointer)?.as_f64()
    }

    /// The median time of a strategy or schedule in an experiment.
    pub fn time(&self, experiment: &str, strategy: &str) -> Option<f64> {
        self.number(experiment, strategy, "/median/total_ms")
    }
}

/// All files of a folder that have JSON, but for the results themselves.
fn others_of(folder: &Path) -> Result<BTreeMap<String, Value>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(Error::io(folder))?.flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_none_or(|ending| ending != "json") || name == "results" {
            continue;
        }
        let bytes = fs::read(&path).map_err(Error::io(&path))?;
        let wrong = |error| Error::Usage(format!("{} is not JSON: {error}", path.display()));
        files.insert(name, serde_json::from_slice(&bytes).map_err(wrong)?);
    }
    Ok(files)
}

impl Record {
    /// Whether running it again would say nothing new: it went well, or was refused.
    fn is_settled(&self) -> bool {
        matches!(self.status, 0 | 4)
    }

    /// What was measured: one entry, or those of a comparison.
    pub fn entries(&self) -> Vec<&Value> {
        match &self.result {
            Value::Array(entries) => entries.iter().collect(),
            Value::Null => Vec::new(),
            one => vec![one],
        }
    }
}

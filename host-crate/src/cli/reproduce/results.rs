//! What was measured: a record for each experiment, kept in a file as soon as it is there.

use super::{Scale, experiment::Experiment};
use crate::{Error, Result, cli::output::Output};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{
    fs, io,
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
}

/// The file.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    scale: String,
    records: Vec<Record>,
}

impl Results {
    /// Opens what is in a folder, which is made if it is not there.
    pub fn open(folder: &Path, scale: Scale) -> Result<Self> {
        let failed = |path: &Path| {
            let path = path.to_path_buf();
            move |source: io::Error| Error::Io { path, source }
        };
        fs::create_dir_all(folder).map_err(failed(folder))?;
        let path = folder.join("results.json");
        let scale = format!("{scale:?}").to_lowercase();
        let kept = match fs::read(&path) {
            Ok(bytes) => serde_json::from_slice::<Kept>(&bytes).map_err(|error| {
                Error::Usage(format!("{} is not a file of results ({error}); take another --folder", path.display()))
            })?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Kept { scale: scale.clone(), records: Vec::new() },
            Err(error) => return Err(failed(&path)(error)),
        };
        if kept.scale != scale {
            let reason =
                format!("{} holds results of --scale {}; take that, or another --folder", path.display(), kept.scale);
            return Err(Error::Usage(reason));
        }
        Ok(Self { path, kept })
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

//! An experiment: a command, run by a process of its own as anybody would.

use super::{Scale, results::Record};
use crate::COMMAND;
use anyhow::Context;
use evenkeel::Error;
use serde_json::Value;
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// What a paper's experiments depend on.
pub struct Setting {
    /// How large the graphs are.
    pub scale: Scale,
    /// Where files of the papers' graphs may be.
    pub data: Option<PathBuf>,
    /// Where the results of the paper go, and files that one experiment writes for another.
    pub folder: PathBuf,
}

impl Setting {
    /// The one of two values that is for the scale.
    pub fn pick<T>(&self, small: T, paper: T) -> T {
        match self.scale {
            Scale::Small => small,
            Scale::Paper => paper,
        }
    }

    /// The path of a file, given by its names with and without compression, or a generator where it is not there.
    pub fn file_or(&self, names: &[&str], generator: &str) -> String {
        self.file(names).unwrap_or_else(|| generator.to_owned())
    }

    /// The path of a file in the folder of data or in a folder within it, given by its names with and without compression.
    pub fn file(&self, names: &[&str]) -> Option<String> {
        let data = self.data.as_ref()?;
        let folders = folders(data);
        let places = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
        let found = places.into_iter().find(|path| path.is_file())?;
        // Of the current folder the name alone, as a person would type it.
        Some(found.strip_prefix(".").unwrap_or(&found).to_string_lossy().into_owned())
    }
}

/// A command, and what its result is asked for by.
pub struct Experiment {
    /// Its name within the paper.
    pub name: String,
    /// The words of the command after the program's name, less where the result goes.
    pub words: Vec<String>,
    /// Whether it reads what earlier ones wrote, so that it must be repeated when one of them was.
    pub reads_others: bool,
}

/// What is in a folder, in the order of names; nothing where it cannot be read.
pub fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path()).collect();
    paths.sort();
    paths
}

/// A folder, and those in it.
pub fn folders(folder: &Path) -> Vec<PathBuf> {
    let within = entries(folder).into_iter().filter(|path| path.is_dir());
    [folder.to_path_buf()].into_iter().chain(within).collect()
}

impl Experiment {
    /// An experiment whose command is written as on a command line. A graph with blanks in its name must be a word of `graphs`, for each of
    /// which the command has a `{}`.
    pub fn new(name: impl Into<String>, command: &str, graphs: &[&str]) -> Self {
        let mut graphs = graphs.iter();
        let word = |word: &str| match word {
            "{}" => graphs.next().map_or_else(String::new, |graph| (*graph).to_owned()),
            other => other.to_owned(),
        };
        Self { name: name.into(), words: command.split_whitespace().map(word).collect(), reads_others: false }
    }

    /// Runs after the earlier experiments, whose results it reads.
    pub fn after_others(self) -> Self {
        Self { reads_others: true, ..self }
    }

    /// The command as a person would type it.
    pub fn command(&self) -> String {
        let program = if self.is_own() { "evenkeel-papers" } else { "evenkeel" };
        format!("{program} {}", self.words.join(" "))
    }

    /// Whether the command is one of this program, and not of `evenkeel`.
    fn is_own(&self) -> bool {
        self.words.first().is_some_and(|word| ["measure-levels", "measure-switching", "train"].contains(&word.as_str()))
    }

    /// Runs it on the device that `selector` means. A command that fails is a result too: a refusal is one of the findings. A lost device is
    /// none, and ends the whole.
    pub fn run(&self, selector: &str, device: &str) -> anyhow::Result<Record> {
        let begin = Instant::now();
        let program = env::current_exe().context("this program does not know its own file")?;
        let mut command = Command::new(program);
        command
            .args((!self.is_own()).then_some(COMMAND))
            .args(&self.words)
            .args(["--json", "-", "--quiet"])
            .stdin(Stdio::null());
        let has_device = self.words.first().is_some_and(|word| !["info", "train"].contains(&word.as_str()));
        if has_device && !self.words.iter().any(|word| word == "--device") {
            command.args(["--device", selector]);
        }
        let output = command.output().with_context(|| format!("{} did not start", self.command()))?;
        let message = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        let result = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        if message.contains("the device was lost") {
            return Err(Error::Lost(self.command()).into());
        }
        Ok(Record {
            experiment: self.name.clone(),
            command: self.command(),
            device: device.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seconds: begin.elapsed().as_secs_f64(),
            status: output.status.code().unwrap_or(-1),
            message: (!message.is_empty()).then_some(message),
            result,
        })
    }
}

//! Where results go: standard output, or a file that appears whole or not at all.

pub use evenkeel::graph::formats::is_standard;
use evenkeel::{
    Error, Result,
    atomic_file::{AtomicFile, destination},
};
use serde::Serialize;
use std::{
    io::{self, BufWriter, Stdout, Write},
    path::{Path, PathBuf},
};

/// An output that is open. It is opened before the work begins, so that a folder that cannot be written to is found out then.
pub struct Output {
    path: PathBuf,
    target: Target,
}

enum Target {
    Standard(BufWriter<Stdout>),
    File(AtomicFile),
}

/// Whether one of these files is standard output, for which there can be but one; an error names the `options`.
pub fn takes_standard<'a>(paths: impl IntoIterator<Item = &'a Path>, options: &str) -> Result<bool> {
    match paths.into_iter().filter(|path| is_standard(path)).count() {
        count @ (0 | 1) => Ok(count > 0),
        _ => Err(Error::Usage(format!("only one of {options} can be - (standard output)"))),
    }
}

impl Output {
    /// Opens standard output for `-`, and a file for anything else.
    pub fn create(path: &Path) -> Result<Self> {
        let target = match is_standard(path) {
            true => Target::Standard(BufWriter::with_capacity(1 << 18, io::stdout())),
            false => Target::File(AtomicFile::create(path)?),
        };
        let path = if is_standard(path) { PathBuf::from("standard output") } else { path.to_path_buf() };
        Ok(Self { path, target })
    }

    /// Opens the output of an option, if the option was given.
    pub fn create_if(path: Option<&Path>) -> Result<Option<Self>> {
        path.map(Self::create).transpose()
    }

    /// Writes everything there is to write, and gives the file its name.
    pub fn write(self, write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>) -> Result<()> {
        let Self { path, target } = self;
        let failed = |source| Error::Io { path, source };
        match target {
            Target::Standard(mut writer) => write(&mut writer).and_then(|()| writer.flush()).map_err(failed),
            Target::File(mut file) => {
                write(&mut file).map_err(failed)?;
                file.finish()
            }
        }
    }

    /// Writes an object as JSON, and finishes the file.
    pub fn write_json(self, object: &impl Serialize) -> Result<()> {
        self.write(|writer| {
            serde_json::to_writer_pretty(&mut *writer, object)?;
            writeln!(writer)
        })
    }
}

/// Refuses, before anything is opened, two options that name the same file, and one that names a file of the input. Each option has its path,
/// if it was given.
pub fn refuse_same_files(outputs: &[(&str, Option<&Path>)], inputs: &[PathBuf]) -> Result<()> {
    let given = outputs.iter().filter_map(|(option, path)| Some((*option, (*path)?)));
    let files: Vec<(&str, PathBuf)> =
        given.filter(|(_, path)| !is_standard(path)).map(|(option, path)| (option, destination(path))).collect();
    let inputs: Vec<PathBuf> = inputs.iter().map(|path| destination(path)).collect();
    for (number, (option, path)) in files.iter().enumerate() {
        if inputs.contains(path) {
            return Err(Error::Usage(format!("{option} {} would overwrite the graph", path.display())));
        }
        if let Some((other, _)) = files[..number].iter().find(|(_, other)| other == path) {
            return Err(Error::Usage(format!("{other} and {option} both name {}", path.display())));
        }
    }
    Ok(())
}

/// Writes an object where `--json` says, if it was given, and prints a text unless that is standard output or `quiet` is set.
pub fn write_json_or_print(
    json: Option<Output>,
    object: &impl Serialize,
    quiet: bool,
    text: impl FnOnce() -> String,
) -> Result<()> {
    let shown = !quiet && !json.as_ref().is_some_and(|output| matches!(output.target, Target::Standard(_)));
    json.map_or(Ok(()), |output| output.write_json(object))?;
    if shown { print(&text()) } else { Ok(()) }
}

/// Prints to standard output.
pub fn print(text: &str) -> Result<()> {
    Output::create(Path::new("-"))?.write(|writer| writer.write_all(text.as_bytes()))
}

//! `cargo xtask portability`: what can be known of devices that are not here.
//!
//! 1. Mesa's driver for AMD compiles every module for GPUs that are not in the machine, and tells their registers.
//! 2. SPIRV-Cross translates every module to the languages of other systems.
//! 3. Every strategy of every algorithm runs on the software devices that there are, and each answer is checked.
//!
//! What comes of it is kept in `docs/results/portability` and shown in `docs/devices.md`.

mod amd;
mod page;
mod runs;
mod translate;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Where the results are kept, below the workspace's root.
const FOLDER: &str = "docs/results/portability";
const REGISTERS: &str = "registers.csv";
const RESULTS: &str = "results.json";

/// The page that shows them.
const PAGE: &str = "docs/devices.md";

/// What it is run with.
#[derive(clap::Args)]
pub struct Options {
    /// Keep the results, and renew the tables in the documentation
    #[arg(long, conflicts_with = "sample")]
    write: bool,
    /// Run each algorithm on one graph a device, a different one on each, instead of on all
    #[arg(long)]
    sample: bool,
    /// The command to run
    #[arg(long, value_name = "FILE", default_value = "target/release/evenkeel")]
    program: PathBuf,
}

/// Everything that was found out.
#[derive(Debug, Default, PartialEq)]
struct Results {
    registers: Vec<amd::Registers>,
    rest: Rest,
}

/// What is kept as JSON.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Rest {
    compiled: Vec<amd::Family>,
    translated: Vec<translate::Language>,
    ran: Vec<runs::Device>,
}

/// Tries everything; what fails is an error. With `write` the results are kept and the page is renewed, else they must be those that are kept.
pub fn run(root: &Path, options: &Options) -> Result<()> {
    let program = root.join(&options.program);
    ensure!(program.is_file(), "there is no {}: `cargo build --release` makes it", program.display());
    let modules = modules(root)?;
    let mut failures = Vec::new();
    let (compiled, registers) = amd::compile(&program, root, &mut failures)?;
    let translated = translate::all(&modules, &mut failures)?;
    let ran = runs::all(&program, options.sample, &mut failures)?;
    let results = Results { registers, rest: Rest { compiled, translated, ran } };
    println!("{}", page::text(&results));
    if !failures.is_empty() {
        bail!("{} failures:\n  {}", failures.len(), failures.join("\n  "));
    }
    if options.write {
        results.write(root)?;
        let page = root.join(PAGE);
        let text = crate::page::renewed(&fs::read_to_string(&page)?, "portability", &page::text(&results))?;
        return Ok(fs::write(page, text)?);
    }
    let kept = Results::read(root)?;
    if kept.drivers() != results.drivers() {
        println!("nothing failed; other drivers than these are in {FOLDER}, so it is not compared");
        return Ok(());
    }
    let mut results = results;
    if options.sample {
        // These counts are of all graphs.
        for (device, kept) in results.rest.ran.iter_mut().zip(&kept.rest.ran) {
            device.right = kept.right;
        }
    }
    ensure!(kept == results, "{FOLDER} is not what was found: `cargo xtask portability --write` renews it and {PAGE}");
    println!("all is as in {FOLDER}");
    Ok(())
}

impl Results {
    fn read(root: &Path) -> Result<Self> {
        let read = |file: &str| {
            let path = root.join(FOLDER).join(file);
            fs::read_to_string(&path).with_context(|| path.display().to_string())
        };
        Ok(Self { registers: amd::from_csv(&read(REGISTERS)?)?, rest: from_json(&read(RESULTS)?)? })
    }

    fn write(&self, root: &Path) -> Result<()> {
        let folder = root.join(FOLDER);
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(REGISTERS), amd::to_csv(&self.registers))?;
        Ok(fs::write(folder.join(RESULTS), serde_json::to_string_pretty(&self.rest)? + "\n")?)
    }

    /// The names and versions of all that was tried with: another version may well find something else.
    fn drivers(&self) -> Vec<&str> {
        let Rest { compiled, translated, ran } = &self.rest;
        let compiled = compiled.iter().map(|family| &family.driver);
        let ran = ran.iter().map(|device| &device.driver);
        compiled.chain(ran).chain(translated.iter().map(|language| &language.tool)).map(String::as_str).collect()
    }
}

/// The committed modules.
fn modules(root: &Path) -> Result<Vec<PathBuf>> {
    let mut modules = Vec::new();
    for package in crate::PACKAGES {
        let folder = root.join(package).join("spirv");
        let files = evenkeel_build::manifest::files(&folder)?;
        modules.extend(files.into_iter().map(|(_, path)| path).filter(|path| path.extension() == Some("spv".as_ref())));
    }
    ensure!(!modules.is_empty(), "there are no modules");
    Ok(modules)
}

/// Seconds after which a command is ended: a driver may hang.
const TIMEOUT: &str = "180";

/// A program with a limit on its time; it then ends with status 124.
fn timed(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", TIMEOUT]).arg(program);
    command
}

/// Runs a command that [`timed`] made; that its program is not there is an error with the package to install.
fn output(command: &mut Command, package: &str) -> Result<Output> {
    let output = command.output().context("`timeout` cannot be run: `apt install coreutils`")?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.code() != Some(127), "{}: `apt install {package}`", message.trim());
    Ok(output)
}

/// A file of a driver, or an error with the package to install.
fn driver_file(folder: &str, begins: &str, package: &str) -> Result<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_it = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with(begins) && name.ends_with(".json")
    };
    let found = entries.filter(is_it).min();
    let found = found.with_context(|| format!("there is no {folder}/{begins}*.json: `apt install {package}`"))?;
    Ok(found.display().to_string())
}

fn from_json<T: DeserializeOwned>(text: &str) -> Result<T> {
    Ok(serde_json::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_what_is_kept() {
        let root = crate::root();
        let page = fs::read_to_string(root.join(PAGE)).unwrap();
        let text = page::text(&Results::read(root).unwrap());
        let renewed = crate::page::renewed(&page, "portability", &text).unwrap();
        assert!(page == renewed, "`cargo xtask portability --write` renews {PAGE}");
    }

    #[test]
    fn what_is_missing_names_the_package() {
        let message = driver_file("/nowhere", "lvp_icd", "mesa-vulkan-drivers").unwrap_err().to_string();
        assert!(message.contains("apt install mesa-vulkan-drivers"), "{message}");
        let message = output(&mut timed("no-such-tool"), "a-package").unwrap_err().to_string();
        assert!(message.contains("apt install a-package"), "{message}");
    }
}

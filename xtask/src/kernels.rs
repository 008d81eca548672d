//! `cargo xtask kernels`: the modules in their folder, with the manifest that says what they were made from.

use crate::{compile::compile, finish::finish, toolchain::Toolchain};
use anyhow::{Context, Result, ensure};
use evenkeel_build::manifest::{MANIFEST, Package};
use std::{collections::BTreeMap, ffi::OsString, fs, path::Path};

/// Compiles the kernels of a package into `folder`. Files that stay the same are not touched, and those of kernels that are
/// gone are removed.
pub fn build(package: &Package, folder: &Path) -> Result<()> {
    let sources = package.hash()?;
    let modules = compile(&Toolchain::find(package)?, package, count(&package.committed()))?;
    ensure!(package.hash()? == sources, "a source was edited during the build: build again");
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for name in contents(folder)?.into_keys() {
        let path = folder.join(name);
        let kernel = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if is_module(&path) && !modules.contains_key(kernel) {
            fs::remove_file(&path).with_context(|| path.display().to_string())?;
        }
    }
    for (kernel, module) in &modules {
        let module = finish(module).with_context(|| format!("the module of the kernel `{kernel}`"))?;
        write(&folder.join(kernel).with_extension("spv"), &module)?;
    }
    // The manifest comes last: modules that were not all written are never taken for current.
    write(&folder.join(MANIFEST), package.manifest(folder)?.as_bytes())?;
    println!("{} kernels in {}", modules.len(), folder.display());
    Ok(())
}

/// Fails, naming the files, when the committed kernels of a package are not what a rebuild gives.
pub fn check(package: &Package) -> Result<()> {
    let committed = package.committed();
    let rebuilt = tempfile::tempdir()?;
    build(package, rebuilt.path())?;
    let differences = differences(&contents(&committed)?, &contents(rebuilt.path())?).join("\n  ");
    let folder = committed.display();
    ensure!(
        differences.is_empty(),
        "{folder} is not what a rebuild gives:\n  {differences}\nrun `cargo xtask kernels`"
    );
    println!("{folder} is what a rebuild gives, to the byte");
    Ok(())
}

/// Fails when the committed kernels of a package are not those that its manifest records for the present sources. It compiles nothing, so it
/// cannot tell whether the manifest is honest: [`check`] does.
pub fn recorded(package: &Package) -> Result<()> {
    let committed = package.committed();
    let manifest = committed.join(MANIFEST);
    let recorded = fs::read_to_string(&manifest).with_context(|| manifest.display().to_string())?;
    let folder = committed.display();
    ensure!(
        recorded == package.manifest(&committed)?,
        "{folder} is not of these sources: run `cargo xtask kernels` and commit what it writes"
    );
    println!("{folder} is of these sources, as its manifest records");
    Ok(())
}

pub type Contents = BTreeMap<OsString, Vec<u8>>;

/// How many modules a folder has: none where there is no folder yet.
fn count(folder: &Path) -> usize {
    contents(folder).map_or(0, |contents| contents.keys().filter(|name| is_module(Path::new(name))).count())
}

fn is_module(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "spv")
}

/// The files in a folder, by name.
pub fn contents(folder: &Path) -> Result<Contents> {
    let mut contents = Contents::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if let Some(name) = path.file_name() {
            contents.insert(name.to_owned(), fs::read(&path).with_context(|| path.display().to_string())?);
        }
    }
    Ok(contents)
}

fn differences(committed: &Contents, rebuilt: &Contents) -> Vec<String> {
    let missing = rebuilt.keys().filter(|name| !committed.contains_key(*name)).map(|name| (name, "is missing"));
    let present = committed.iter().filter_map(|(name, content)| match rebuilt.get(name) {
        None => Some((name, "belongs to no kernel")),
        Some(other) if other != content => Some((name, "differs")),
        Some(_) => None,
    });
    missing.chain(present).map(|(name, trouble)| format!("{} {trouble}", name.display())).collect()
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|present| present == content) {
        return Ok(());
    }
    fs::write(path, content).with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::{Contents, differences};

    fn folder(files: &[(&str, &str)]) -> Contents {
        files.iter().map(|(name, content)| (name.into(), content.as_bytes().to_vec())).collect()
    }

    #[test]
    fn names_each_difference() {
        let committed = folder(&[("manifest.toml", "1"), ("bfs.spv", "old"), ("gone.spv", "x"), ("same.spv", "s")]);
        let rebuilt = folder(&[("manifest.toml", "1"), ("bfs.spv", "new"), ("added.spv", "x"), ("same.spv", "s")]);
        let expected = ["added.spv is missing", "bfs.spv differs", "gone.spv belongs to no kernel"];
        assert_eq!(differences(&committed, &rebuilt), expected);
        assert!(differences(&rebuilt, &rebuilt).is_empty());
    }
}

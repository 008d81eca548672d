//! `cargo xtask dependencies`: every crate that is built, by whatever part of the workspace, is from crates.io and has a licence that
//! may be combined with evenkeel's. Crates in several versions are listed.
//!
//! `cargo deny` would check the same and more, but is a large program of its own that CI would have to build. Advisories are not checked.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::{collections::BTreeMap, path::Path, process::Command};

/// Licences that ask for no more than their own text and names.
const LICENCES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "NCSA",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "bzip2-1.0.6",
];

const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Workspaces with a lock file of their own.
const WORKSPACES: [&str; 2] = ["Cargo.toml", "examples/own-kernel/Cargo.toml"];

pub fn check(root: &Path) -> Result<()> {
    for manifest in WORKSPACES {
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["metadata", "--format-version", "1", "--locked", "--manifest-path"]).arg(root.join(manifest));
        let output = cargo.output().context("cargo cannot be run")?;
        ensure!(output.status.success(), "cargo metadata: {}", String::from_utf8_lossy(&output.stderr));
        let metadata: Value = serde_json::from_slice(&output.stdout)?;
        let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
        let troubles: Vec<String> = packages.iter().filter_map(trouble).collect();
        if !troubles.is_empty() {
            bail!("dependencies of {manifest}:\n  {}", troubles.join("\n  "));
        }
        println!("{manifest}: {} crates, each from crates.io and under a licence that is allowed", packages.len());
        for (name, versions) in duplicates(packages) {
            println!("  {name} in {} versions: {}", versions.len(), versions.join(", "));
        }
    }
    Ok(())
}

/// What is wrong with a package, if something is.
fn trouble(package: &Value) -> Option<String> {
    let text = |field: &str| package[field].as_str();
    let (name, version) = (text("name")?, text("version")?);
    // What has no source is in the repository.
    let source = text("source")?;
    if source != CRATES_IO {
        return Some(format!("{name} {version} is from {source}"));
    }
    match text("license") {
        None => Some(format!("{name} {version} names no licence")),
        Some(licence) if is_allowed(licence) => None,
        Some(licence) => Some(format!("{name} {version} is under {licence}")),
    }
}

/// Whether an SPDX expression can be fulfilled with the licences that are allowed. `AND` binds more than `OR`; older crates write `/`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let (allowed, rest) = any(&words);
    allowed && rest.is_empty()
}

/// Alternatives; and the words after them.
fn any<'w>(words: &'w [&'w str]) -> (bool, &'w [&'w str]) {
    let (mut allowed, mut rest) = every(words);
    while let ["OR", more @ ..] = rest {
        let (other, after) = every(more);
        (allowed, rest) = (allowed || other, after);
    }
    (allowed, rest)
}

fn every<'w>(words: &'w [&'w str]) -> (bool, &'w [&'w str]) {
    let (mut allowed, mut rest) = one(words);
    while let ["AND", more @ ..] = rest {
        let (other, after) = one(more);
        (allowed, rest) = (allowed && other, after);
    }
    (allowed, rest)
}

fn one<'w>(words: &'w [&'w str]) -> (bool, &'w [&'w str]) {
    match words {
        ["(", inner @ ..] => match any(inner) {
            (allowed, [")", rest @ ..]) => (allowed, rest),
            _ => (false, &[]),
        },
        [licence, "WITH", exception, rest @ ..] => {
            (LICENCES.contains(&format!("{licence} WITH {exception}").as_str()), rest)
        }
        [licence, rest @ ..] => (LICENCES.contains(licence), rest),
        [] => (false, &[]),
    }
}

/// The crates that are there more than once, with their versions.
fn duplicates(packages: &[Value]) -> BTreeMap<&str, Vec<&str>> {
    let mut versions = BTreeMap::<&str, Vec<&str>>::new();
    for package in packages {
        if let (Some(name), Some(version)) = (package["name"].as_str(), package["version"].as_str()) {
            versions.entry(name).or_default().push(version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    versions
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn one_alternative_is_enough_and_all_parts_count() {
        for allowed in
            ["MIT", "MIT/Apache-2.0", "GPL-3.0 OR MIT", "(MIT OR GPL-3.0) AND NCSA", "Apache-2.0 WITH LLVM-exception"]
        {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Zlib) AND GPL-3.0", "(MIT", "MIT Zlib"] {
            assert!(!is_allowed(refused), "{refused}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let package = |source: Value, license: Value| json!({ "name": "a", "version": "1.0.0", "source": source, "license": license });
        assert_eq!(trouble(&package(json!(CRATES_IO), json!("MIT"))), None);
        assert_eq!(trouble(&package(Value::Null, Value::Null)), None);
        assert_eq!(trouble(&package(json!("git+https://x"), json!("MIT"))).unwrap(), "a 1.0.0 is from git+https://x");
        assert_eq!(trouble(&package(json!(CRATES_IO), json!("GPL-3.0"))).unwrap(), "a 1.0.0 is under GPL-3.0");
        assert_eq!(trouble(&package(json!(CRATES_IO), Value::Null)).unwrap(), "a 1.0.0 names no licence");
    }

    #[test]
    fn crates_in_several_versions_are_listed() {
        let package = |name: &str, version: &str| json!({ "name": name, "version": version });
        let packages = [package("a", "1"), package("b", "1"), package("a", "2")];
        assert_eq!(duplicates(&packages), BTreeMap::from([("a", vec!["1", "2"])]));
    }
}

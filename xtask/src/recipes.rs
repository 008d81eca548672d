//! `cargo xtask recipes`: follows the recipes of CONTRIBUTING.md to the letter, in a copy of the repository.
//!
//! A recipe is a section whose heading is one of [`RECIPES`]. Its fenced blocks say by their info string what is done with them:
//!
//! - ```` ```rust file=PATH ```` is the whole of a new file;
//! - ```` ```rust insert=PATH after="TEXT" ```` is put behind the first line of an existing file that contains TEXT;
//! - ```` ```rust replace=PATH line="TEXT" ```` takes the place of that line;
//! - ```` ```sh ```` has commands, of which each line must succeed; one that begins with `git` or with a comment is not run.
//!
//! Other blocks are for the reader alone. A recipe fails when it touches more files than its concept may take. Files that a
//! command writes, such as compiled modules, do not count; those that only get a `mod` line, which Rust asks for, are counted apart.

use crate::kernels::contents;
use anyhow::{Context, Result, ensure};
use std::{
    collections::BTreeSet,
    env, fs,
    path::{self, Component, Path, PathBuf},
    process::Command,
};

/// The heading of each recipe, and the most files that it may touch.
const RECIPES: [(&str, usize); 6] = [
    ("Add a schedule", 2),
    ("Add an algorithm", 4),
    ("Add an option to an algorithm", 1),
    ("Add an output format", 2),
    ("Add a strategy", 4),
    ("Add a graph format", 2),
];

/// What is another in the copy: a file, a text of it, and what takes its place. The command has a name of its own, so that tests that run
/// meanwhile keep theirs; the library is compiled fast, since the graphs of recipes are small.
const CHANGED: [(&str, &str, &str); 2] = [
    ("host-crate/cli/Cargo.toml", "name = \"evenkeel\"", "name = \"evenkeel-of-recipes\""),
    (".cargo/config.toml", "evenkeel.opt-level = 1", "evenkeel.opt-level = 0"),
];

/// The page with the recipes.
const PAGE: &str = "CONTRIBUTING.md";

/// The modules of evenkeel's own kernels.
const MODULES: &str = "shader-crate/spirv";

/// What one block of a recipe does.
#[derive(Debug, PartialEq)]
enum Step {
    Create { path: String, text: String },
    Insert { path: String, after: String, text: String },
    Replace { path: String, line: String, text: String },
    Run { command: String },
}

/// Follows all recipes in one copy of the repository, which shares the target folder, and in it the dependencies.
pub fn check(root: &Path) -> Result<()> {
    let page = fs::read_to_string(root.join(PAGE)).context(PAGE)?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let target = path::absolute(target)?;
    let mut recipes = Vec::new();
    for (heading, limit) in RECIPES {
        let steps = section(&page, heading).with_context(|| format!("{PAGE} has no section `{heading}`"))?;
        let steps = steps_of(steps).with_context(|| format!("the recipe `{heading}`"))?;
        let (files, declarations) = (files(&steps).len(), declarations(&steps).len());
        ensure!(files <= limit, "the recipe `{heading}` touches {files} files, and {limit} must do");
        let is_complete = files > 0 && steps.iter().any(|step| matches!(step, Step::Run { .. }));
        ensure!(is_complete, "the recipe `{heading}` has no file or no command");
        recipes.push((heading, files, declarations, steps));
    }
    // Always in the same place, so that cargo finds there what an earlier run has built.
    let copy = target.join("recipes");
    if copy.exists() {
        fs::remove_dir_all(&copy)?;
    }
    copy_repository(root, &copy)?;
    mark_version(&copy)?;
    for (file, old, new) in CHANGED {
        let path = copy.join(file);
        let text = fs::read_to_string(&path).context(file)?;
        ensure!(text.contains(old), "{file} has no `{old}`");
        fs::write(&path, text.replacen(old, new, 1))?;
    }
    // What all recipes add is built together, once.
    for run in [false, true] {
        for (heading, _, _, steps) in &recipes {
            for step in steps.iter().filter(|step| matches!(step, Step::Run { .. }) == run) {
                step.follow(&copy, &target).with_context(|| format!("the recipe `{heading}`"))?;
            }
        }
    }
    // The recipes compiled every kernel of the copy, so this needs no other build.
    let unchanged = unchanged_modules(&root.join(MODULES), &copy.join(MODULES))?;
    println!("the {unchanged} modules of {MODULES} are what a rebuild gives, to the byte");
    for (heading, files, declarations, _) in &recipes {
        println!("the recipe `{heading}` works, touches {files} files and declares modules in {declarations} more");
    }
    Ok(())
}

/// How many modules there are in `committed`, all of which must be the same in `rebuilt`.
fn unchanged_modules(committed: &Path, rebuilt: &Path) -> Result<usize> {
    let (mut modules, rebuilt) = (contents(committed)?, contents(rebuilt)?);
    modules.retain(|name, _| Path::new(name).extension().is_some_and(|extension| extension == "spv"));
    for (name, module) in &modules {
        let is_same = rebuilt.get(name) == Some(module);
        ensure!(is_same, "{} is not what a rebuild gives: run `cargo xtask kernels`", name.display());
    }
    ensure!(!modules.is_empty(), "there are no modules in {}", committed.display());
    Ok(modules.len())
}

/// The files that the steps create or change, but for those of [`declarations`].
fn files(steps: &[Step]) -> BTreeSet<&str> {
    let is_declaration = |line: &str| line.trim_start_matches("pub ").starts_with("mod ") && line.ends_with(';');
    let changed = steps.iter().filter_map(|step| match step {
        Step::Create { path, .. } | Step::Replace { path, .. } => Some(path.as_str()),
        Step::Insert { path, text, .. } if !text.lines().all(is_declaration) => Some(path),
        _ => None,
    });
    changed.collect()
}

/// The files in which the steps declare modules and change nothing else.
fn declarations(steps: &[Step]) -> BTreeSet<&str> {
    let inserted = steps.iter().filter_map(|step| match step {
        Step::Insert { path, .. } => Some(path.as_str()),
        _ => None,
    });
    inserted.filter(|path| !files(steps).contains(path)).collect()
}

impl Step {
    fn follow(&self, copy: &Path, target: &Path) -> Result<()> {
        match self {
            Self::Create { path, text } => {
                let path = copy.join(path);
                ensure!(!path.exists(), "{} is there already", path.display());
                fs::create_dir_all(path.parent().context("a file is in a folder")?)?;
                fs::write(path, text)?;
            }
            Self::Insert { path, after: found, text } | Self::Replace { path, line: found, text } => {
                let (file, kept) = (copy.join(path), usize::from(matches!(self, Self::Insert { .. })));
                let old = fs::read_to_string(&file).with_context(|| path.clone())?;
                fs::write(file, renewed(&old, found, kept, text).with_context(|| path.clone())?)?;
            }
            Self::Run { command } => {
                println!("$ {command}");
                let mut shell = Command::new("bash");
                shell.args(["-ec", command]).current_dir(copy).env("CARGO_TARGET_DIR", target);
                let status = shell.status()?;
                ensure!(status.success(), "`{command}` failed: {status}");
            }
        }
        Ok(())
    }
}

/// A text with lines put behind the first one that contains `found`, where one is kept, or in its place, indented like it.
fn renewed(text: &str, found: &str, kept: usize, lines: &str) -> Result<String> {
    let mut all: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = all.iter().position(|line| line.contains(found));
    let at = at.with_context(|| format!("no line contains `{found}`"))?;
    let indent = all[at][..all[at].len() - all[at].trim_start().len()].to_owned();
    all.splice(at + kept..at + 1, lines.lines().map(|line| format!("{indent}{line}")));
    Ok(all.join("\n") + "\n")
}

/// The text below a heading of the second level, up to the next one.
fn section<'a>(page: &'a str, heading: &str) -> Option<&'a str> {
    let (_, rest) = page.split_once(&format!("\n## {heading}\n"))?;
    Some(rest.split_once("\n## ").map_or(rest, |(section, _)| section))
}

/// The steps of a section, from its fenced blocks.
fn steps_of(section: &str) -> Result<Vec<Step>> {
    let mut steps = Vec::new();
    let section = format!("\n{section}");
    let mut rest = &section[..];
    while let Some((_, block)) = rest.split_once("\n```") {
        let (info, _) = block.split_once('\n').context("a block begins with a line")?;
        let block = &block[info.len()..];
        let end = block.find("\n```\n").with_context(|| format!("the block `{info}` does not end"))?;
        let text = block[1..=end].to_owned();
        rest = &block[end + "\n```".len()..];
        if info.trim() == "sh" {
            let is_run = |line: &&str| !(line.trim().is_empty() || line.starts_with('#') || line.starts_with("git "));
            steps.extend(text.lines().filter(is_run).map(|line| Step::Run { command: line.to_owned() }));
        } else if let Some(path) = attribute(info, "file") {
            steps.push(Step::Create { path: inside(&path)?, text });
        } else if let Some(path) = attribute(info, "insert") {
            let after = attribute(info, "after").with_context(|| format!("`{info}` does not say `after`"))?;
            steps.push(Step::Insert { path: inside(&path)?, after, text });
        } else if let Some(path) = attribute(info, "replace") {
            let line = attribute(info, "line").with_context(|| format!("`{info}` does not say `line`"))?;
            steps.push(Step::Replace { path: inside(&path)?, line, text });
        }
    }
    Ok(steps)
}

/// A value in an info string: `name=value` or `name="value"`, in which `\"` stands for a quotation mark.
fn attribute(info: &str, name: &str) -> Option<String> {
    let rest = info.split_once(&format!(" {name}="))?.1;
    let Some(quoted) = rest.strip_prefix('"') else { return rest.split(' ').next().map(str::to_owned) };
    let quoted = quoted.replace("\\\"", "\0");
    quoted.split_once('"').map(|(value, _)| value.replace('\0', "\""))
}

/// A path that stays inside the repository.
fn inside(path: &str) -> Result<String> {
    let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    ensure!(is_inside, "`{path}` is not a path inside the repository");
    Ok(path.to_owned())
}

/// Copies what git would commit, with changes that are not committed yet.
fn copy_repository(root: &Path, copy: &Path) -> Result<()> {
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .context("git")?;
    ensure!(listed.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listed.stderr));
    for name in String::from_utf8(listed.stdout)?.split_terminator('\0') {
        let (from, to) = (root.join(name), copy.join(name));
        // A file that was removed and is not yet committed is still listed.
        if from.is_file() {
            fs::create_dir_all(to.parent().context("a file is in a folder")?)?;
            // With its time, so that cargo sees what is new.
            fs::copy(&from, &to).with_context(|| name.to_owned())?;
            fs::File::options().write(true).open(&to)?.set_modified(fs::metadata(&from)?.modified()?)?;
        }
    }
    Ok(())
}

/// Gives the crates of the copy a version of their own. Cargo tells crates of two workspaces in one target folder apart by name, version and
/// place in the workspace; with the same version it would take what was built of the one for the other.
fn mark_version(copy: &Path) -> Result<()> {
    for file in ["Cargo.toml", "Cargo.lock"] {
        let path = copy.join(file);
        let text = fs::read_to_string(&path).context(file)?;
        let mut marked = String::new();
        let mut before = "";
        for line in text.lines() {
            let is_crate = before.starts_with("name = \"evenkeel") || before == "name = \"xtask\"";
            let is_own = is_crate || before == "[workspace.package]";
            match line.strip_prefix("version = \"").filter(|_| is_own) {
                Some(version) => marked += &format!("version = \"{version}").replace("\"0.1.", "\"0.1.9"),
                None => marked += line,
            }
            marked.push('\n');
            before = line;
        }
        ensure!(marked != text, "{file} has no version of evenkeel's crates to mark");
        fs::write(&path, marked)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Step, declarations, files, mark_version, renewed, section, steps_of, unchanged_modules};
    use std::fs;

    const PAGE: &str = r#"# Contributing

## Add a schedule

Write a file:

```rust file=src/schedule/mine.rs
# not a heading
pub struct Mine;
```

and name it:

```rust insert=src/schedule/mod.rs after="mod merge_path;"
mod mine;
```

```text
Nothing is done with this.
```

```sh
# A comment.
git commit
grep --quiet Mine src/schedule/mine.rs
test "$(cat src/schedule/mod.rs)" = "$(printf 'mod merge_path;\nmod mine;\nmod other;')"
```

## Add an algorithm

Text.
"#;

    fn steps() -> Vec<Step> {
        steps_of(section(PAGE, "Add a schedule").unwrap()).unwrap()
    }

    #[test]
    fn a_section_has_its_steps_in_order() {
        let steps = steps();
        assert_eq!(files(&steps).into_iter().collect::<Vec<_>>(), ["src/schedule/mine.rs"]);
        assert_eq!(declarations(&steps).into_iter().collect::<Vec<_>>(), ["src/schedule/mod.rs"]);
        assert_eq!(
            steps[0],
            Step::Create { path: "src/schedule/mine.rs".into(), text: "# not a heading\npub struct Mine;\n".into() }
        );
        assert_eq!(steps.len(), 4, "{steps:?}");
        assert_eq!(section(PAGE, "Add an algorithm").unwrap().trim(), "Text.");
        assert_eq!(section(PAGE, "Add a cat"), None);
    }

    #[test]
    fn steps_are_followed_and_the_first_that_fails_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::create_dir_all(root.join("src/schedule")).unwrap();
        fs::write(root.join("src/schedule/mod.rs"), "mod merge_path;\nmod other;\n").unwrap();
        let follow = |step: &Step| step.follow(root, &root.join("target"));
        for step in &steps() {
            follow(step).unwrap();
        }
        let twice = follow(&steps()[0]).unwrap_err().to_string();
        assert!(twice.contains("is there already"), "{twice}");
        let failed = follow(&Step::Run { command: "grep --quiet Yours src/schedule/mine.rs".into() }).unwrap_err();
        assert!(failed.to_string().contains("Yours"), "{failed}");
        let line = Step::Insert { path: "src/schedule/mod.rs".into(), after: "mod cat;".into(), text: String::new() };
        assert!(format!("{:#}", follow(&line).unwrap_err()).contains("no line contains `mod cat;`"));
    }

    #[test]
    fn the_crates_of_the_copy_have_a_version_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("Cargo.toml", "[workspace.package]\nversion = \"0.1.0\"\nother = { version = \"0.1.0\" }\n");
        write("Cargo.lock", "name = \"evenkeel-types\"\nversion = \"0.1.2\"\nname = \"syn\"\nversion = \"0.1.0\"\n");
        mark_version(folder.path()).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(
            read("Cargo.toml").starts_with("[workspace.package]\nversion = \"0.1.90\"\nother = { version = \"0.1.0\"")
        );
        assert!(
            read("Cargo.lock").contains("\"0.1.92\"") && read("Cargo.lock").contains("\"syn\"\nversion = \"0.1.0\"")
        );
        assert!(mark_version(&folder.path().join("nowhere")).is_err());
    }

    #[test]
    fn a_module_that_a_rebuild_changes_is_named() {
        let (committed, rebuilt) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        assert!(unchanged_modules(committed.path(), rebuilt.path()).is_err());
        for folder in [&committed, &rebuilt] {
            fs::write(folder.path().join("bfs.spv"), "the same").unwrap();
        }
        fs::write(rebuilt.path().join("hub.spv"), "of a recipe").unwrap();
        assert_eq!(unchanged_modules(committed.path(), rebuilt.path()).unwrap(), 1);
        fs::write(committed.path().join("bfs.spv"), "another").unwrap();
        let error = unchanged_modules(committed.path(), rebuilt.path()).unwrap_err().to_string();
        assert!(error.contains("bfs.spv is not what a rebuild gives"), "{error}");
    }

    #[test]
    fn a_registry_line_counts_where_a_module_alone_does_not() {
        let block = |line: &str| format!("```rust insert=mod.rs after=\"A\"\n{line}\n```\n");
        let count = |lines: &[&str]| {
            let steps = steps_of(&lines.iter().map(|line| block(line)).collect::<String>()).unwrap();
            (files(&steps).len(), declarations(&steps).len())
        };
        assert_eq!(count(&["pub mod b;"]), (0, 1));
        assert_eq!(count(&["mod b;", "B = \"b\";"]), (1, 0));
        assert_eq!(count(&["mod b { const C: u32 = 1; }"]), (1, 0));
    }

    #[test]
    fn lines_are_inserted_with_the_indentation_of_those_before() {
        let text = "registry! {\n    A = \"a\",\n}\n";
        assert_eq!(
            renewed(text, "A = ", 1, "B = \"b\",\n").unwrap(),
            "registry! {\n    A = \"a\",\n    B = \"b\",\n}\n"
        );
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        for (block, reason) in [
            ("```rust file=../a.rs\n```\n", "inside the repository"),
            ("```rust file=/a.rs\n```\n", "inside the repository"),
            ("```rust insert=a.rs\n```\n", "does not say `after`"),
            ("```rust file=a.rs\n", "does not end"),
        ] {
            let error = steps_of(block).unwrap_err().to_string();
            assert!(error.contains(reason), "{block}: {error}");
        }
    }
}

//! `cargo xtask loc`: the lines of code of each schedule, strategy and algorithm, and of the whole project, as Markdown.
//!
//! A schedule, strategy or algorithm is a file or folder of its name, in the kernels and on the host. Lines of code are those that
//! are neither empty nor comment, import or test.
//!
//! The first table has the figures of Osama et al., Table 1, beside ours. The paper counts the SpMV kernel that its reader
//! writes for a schedule; here that kernel is one text for all schedules.

use crate::{
    page::{renewed, table},
    sources::{self, Sources, module, without_tests},
};
use anyhow::{Context, Result};
use std::{collections::BTreeMap, fs, path::Path};

/// The paper's Table 1: the name of a schedule here, and the lines of its kernel in CUB and in the paper.
const TABLE_1: [(&str, &str, &str); 3] =
    [("group-mapped", "", "30"), ("merge-path", "503", "36"), ("thread-mapped", "22", "21")];

/// The folders with production code: what a user of evenkeel builds, then what its developers do.
const PRODUCTION: [&str; 16] = [
    "shared-types/src",
    "shader-crate/src",
    "shader-crate/macro/src",
    "shader-crate/build/src",
    "host-crate/base/src",
    "host-crate/graph/src",
    "host-crate/io/src",
    "host-crate/oracle/src",
    "host-crate/workgroups/src",
    "host-crate/src",
    "host-crate/cli/src",
    "host-crate/fuzz",
    "benches",
    "examples",
    "python",
    "xtask/src",
];

/// The page of the documentation with the tables.
const PAGE: &str = "docs/programming-model.md";

/// Prints all tables, or of another checkout the last; `write` renews the page.
pub fn run(root: &Path, other: Option<&Path>, write: bool) -> Result<()> {
    if write {
        fs::write(root.join(PAGE), renewed(&fs::read_to_string(root.join(PAGE))?, "loc", &tables(root)?)?)?;
    }
    if other.is_none() {
        println!("{}", tables(root)?);
    }
    print!("{}", totals(other.unwrap_or(root))?);
    Ok(())
}

/// The tables of schedules, strategies and algorithms.
fn tables(root: &Path) -> Result<String> {
    let kernels = &sources::read(&root.join("shader-crate/src"))?;
    let mut host = sources::read(&root.join("host-crate/src"))?;
    let oracles = sources::read(&root.join("host-crate/oracle/src"))?;
    host.extend(
        oracles.into_iter().filter(|(file, _)| file != "lib.rs").map(|(file, text)| (format!("oracle/{file}"), text)),
    );
    let host = &host;
    let spmv = kernels.get("algorithm/spmv.rs").and_then(|text| function(text, "spmv"));
    let kernel = count(spmv.context("there is no SpMV kernel")?).to_string();
    let schedules = entries(&[(kernels, "schedule")]).into_iter().map(|row| {
        let known = TABLE_1.iter().find(|known| known.0 == row[0]);
        let (cub, paper) = known.map_or(("", ""), |(_, cub, paper)| (cub, paper));
        let kernel = if row[0].starts_with(SHARED) { "" } else { &kernel };
        vec![row[0].clone(), cub.to_owned(), paper.to_owned(), kernel.to_owned(), row[1].clone()]
    });
    Ok([
        table(&["schedule", "CUB's kernel", "the paper's kernel", "our kernel", "own"], schedules),
        table(&["strategy", "kernels", "host"], entries(&[(kernels, "strategy"), (host, "strategy")])),
        table(
            &["algorithm", "kernels", "host", "oracle"],
            entries(&[(kernels, "algorithm"), (host, "algorithm"), (host, "oracle")]),
        ),
    ]
    .join("\n"))
}

/// The lines of production code of the whole project: raw and of code, both without tests.
fn totals(root: &Path) -> Result<String> {
    let mut rows = Vec::new();
    let mut add = |name: &str, [raw, code]: [usize; 2]| rows.push(vec![name.into(), raw.to_string(), code.to_string()]);
    let mut all = [0, 0];
    for folder in PRODUCTION.iter().filter(|folder| root.join(folder).is_dir()) {
        let sources = sources::read(&root.join(folder))?;
        // A file of this name is declared under `#[cfg(test)]`.
        let files = sources.iter().filter(|(file, _)| !file.ends_with("tests.rs") && !file.contains("target/"));
        let sum =
            |[raw, code]: [usize; 2], (_, text): (_, &String)| [raw + without_tests(text).len(), code + count(text)];
        let lines = files.fold([0, 0], sum);
        all = [all[0] + lines[0], all[1] + lines[1]];
        add(folder, lines);
    }
    add("all", all);
    Ok(table(&["folder", "lines without tests", "lines of code"], rows))
}

/// Before the name of what is there for others in the folder, and is none of what the folder is about.
const SHARED: &str = "shared: ";

/// A row for each name in these folders: its lines of code in each of them. A registry names what the folders are about: `"NAME"`
/// behind `name:`, `=` or `About::new(`. What has no such name is shared, and comes last.
fn entries(folders: &[(&Sources, &str)]) -> Vec<Vec<String>> {
    let mut lines = BTreeMap::<String, Vec<usize>>::new();
    let mut registry = String::new();
    for (side, (sources, folder)) in folders.iter().enumerate() {
        for (file, text) in sources.iter().filter(|(file, _)| module(file)[0] == *folder) {
            registry.extend(text.chars().filter(|letter| !letter.is_whitespace()));
            if let Some(entry) = module(file).get(1) {
                lines.entry(entry.replace('_', "-")).or_insert_with(|| vec![0; folders.len()])[side] += count(text);
            }
        }
    }
    let is_named = |name: &str| {
        ["name:", "=", "About::new("].iter().any(|before| registry.contains(&format!("{before}\"{name}\"")))
    };
    let (named, shared): (Vec<_>, Vec<_>) = lines.into_iter().partition(|(name, _)| is_named(name));
    let shared = shared.into_iter().map(|(name, lines)| (format!("{SHARED}{name}"), lines));
    let row =
        |(name, lines): (String, Vec<usize>)| [name].into_iter().chain(lines.iter().map(usize::to_string)).collect();
    named.into_iter().chain(shared).map(row).collect()
}

/// A public function at the margin, with its attributes.
fn function<'a>(source: &'a str, name: &str) -> Option<&'a str> {
    let starts = [format!("\npub fn {name}("), format!("\npub fn {name}<")];
    let signature = starts.iter().find_map(|start| source.find(start))?;
    let end = signature + source[signature..].find("\n}\n")? + 2;
    let is_attribute = |line: &&str| line.starts_with('#');
    let attributes: usize = source[..signature].rsplit('\n').take_while(is_attribute).map(|line| line.len() + 1).sum();
    Some(&source[signature + 1 - attributes..end])
}

/// The lines of code of a formatted source: what is neither empty, nor a comment, an import, or a test.
fn count(source: &str) -> usize {
    let mut lines = without_tests(source).into_iter();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let is_import = code.starts_with("use ") || code.starts_with("pub use ");
        if is_import && !line.ends_with(';') {
            lines.by_ref().find(|line| line.ends_with(';'));
        } else if !(is_import || code.is_empty() || code.starts_with("//")) {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{PAGE, count, entries, function, renewed, tables, without_tests};

    const SOURCE: &str = r#"//! What the file is.

use super::Join;
use crate::{
    lane::Lane,
    tiles::TileSet,
};

/// Doubles.
#[kernel(threads = 256)]
#[inline]
pub fn double(
    lane: Lane,
) {
    // Why.
    let word = 1; // What follows code is on its line.

    store(2 * word);
}

const SEVEN: u32 = 7;

#[cfg(test)]
mod tests {
    use super::double;

    #[test]
    fn doubles() {
        double();
    }
}

/// Another.
pub fn doubled() {}
"#;

    #[test]
    fn counts_neither_comments_nor_imports_nor_tests() {
        assert_eq!(count(SOURCE), 8 + 1 + 1);
        assert_eq!(count("#[cfg(test)]\nmod tests;\nconst A: u32 = 1;\n"), 1);
        assert_eq!(count("// a\n\n    /// b\n"), 0);
        assert_eq!(without_tests(SOURCE).len(), SOURCE.lines().count() - 9);
    }

    #[test]
    fn a_function_has_its_attributes_and_nothing_else() {
        let double = function(SOURCE, "double").unwrap();
        assert!(double.starts_with("#[kernel") && double.ends_with("\n}"), "{double}");
        assert_eq!(count(double), 8);
        assert_eq!(function(SOURCE, "halve"), None);
    }

    #[test]
    fn an_entry_is_a_file_or_a_folder_on_each_side() {
        let sources = |files: &[(&str, &str)]| {
            files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
        };
        let kernels = sources(&[
            ("strategy/mod.rs", "mod even; mod odd; mod parts;"),
            ("strategy/even/mod.rs", "use super::Cut;\nfn a() {}\n"),
            ("strategy/even/push.rs", "fn b() {}\nfn c() {}\n"),
            ("strategy/odd.rs", "const NAME: &str = \"odd\"; use super::even::a;\nfn d() {}\n"),
            ("strategy/in_parts.rs", "fn e() {}\nfn f() {}\nfn g() {}\n"),
            ("schedule/even.rs", "fn h() {}\n"),
        ]);
        let host = sources(&[
            ("strategy/mod.rs", "name: \"even\""),
            ("strategy/even.rs", "use crate::strategy::Strategy;\nfn i() {}\n"),
        ]);
        let found = entries(&[(&kernels, "strategy"), (&host, "strategy")]);
        assert_eq!(found, [["even", "3", "1"], ["odd", "2", "0"], ["shared: in-parts", "3", "0"]]);
    }

    #[test]
    fn the_documentation_has_the_tables_as_they_are() {
        let page = std::fs::read_to_string(crate::root().join(PAGE)).unwrap();
        let renewed = renewed(&page, "loc", &tables(crate::root()).unwrap()).unwrap();
        assert!(page == renewed, "`cargo xtask loc --write` renews the tables of {PAGE}");
    }
}

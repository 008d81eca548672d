//! `cargo xtask loc`: the lines of code of each schedule, strategy and algorithm, and of the whole project, as Markdown.
//!
//! A schedule, strategy or algorithm is a file or folder of its name, in the kernels and on the host. Beside its own lines stand
//! those of the shared files of the same folders that it uses, directly or through others, found from the imports. Lines of
//! code are those that are neither empty nor comment, import or test.
//!
//! The first table has the figures of Osama et al., Table 1, beside ours. The paper counts the SpMV kernel that its reader
//! writes for a schedule; here that kernel is one text for all schedules.

use crate::sources::{self, Sources, imports, module, reexports};
use anyhow::{Context, Result, ensure};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// The paper's Table 1: the name of a schedule here, and the lines of its kernel in CUB and in the paper.
const TABLE_1: [(&str, &str, &str); 3] =
    [("group-mapped", "", "30"), ("merge-path", "503", "36"), ("thread-mapped", "22", "21")];

/// The folders with production code: what a user of evenkeel builds, then what its developers do.
const PRODUCTION: [&str; 10] = [
    "shared-types/src",
    "shader-crate/src",
    "shader-crate/macro/src",
    "shader-crate/build/src",
    "host-crate/src",
    "host-crate/fuzz",
    "benches",
    "examples",
    "python",
    "xtask/src",
];

/// The folders whose entries of one name belong together: a crate, and the folder in it.
type Side = (&'static str, &'static str);
const KERNELS: &str = "shader-crate/src";
const HOST: &str = "host-crate/src";

/// The tables of schedules, strategies and algorithms.
pub fn tables(root: &Path) -> Result<String> {
    let crates = Crates::read(root)?;
    let spmv = crates.text(KERNELS, "algorithm/spmv.rs")?;
    let kernel = function(spmv, "spmv").or_else(|| function(spmv, "spmv_f32")).context("there is no SpMV kernel")?;
    let kernel = count(kernel);

    let mut text = String::new();
    let schedules = crates.entries(&[(KERNELS, "schedule")])?;
    heading(&mut text, &["schedule", "CUB's kernel", "the paper's kernel", "our kernel", "own", "shared"]);
    for entry in schedules.iter().filter(|entry| !entry.is_shared) {
        let (_, cub, paper) = TABLE_1.iter().find(|row| row.0 == entry.name).unwrap_or(&("", "", ""));
        let cells = [cub.to_string(), paper.to_string(), kernel.to_string(), entry.lines[0].to_string()];
        row(&mut text, &entry.name, &cells, entry.uses_lines);
    }
    shared(&mut text, &schedules, 3);
    for (title, sides) in [
        ("strategy", &[(KERNELS, "strategy"), (HOST, "strategy")][..]),
        ("algorithm", &[(KERNELS, "algorithm"), (HOST, "algorithm"), (HOST, "oracle")]),
    ] {
        let entries = crates.entries(sides)?;
        text.push('\n');
        heading(&mut text, &[&[title][..], &["kernels", "host", "oracle"][..sides.len()], &["shared"]].concat());
        for entry in entries.iter().filter(|entry| !entry.is_shared) {
            row(
                &mut text,
                &entry.name,
                &entry.lines.iter().map(usize::to_string).collect::<Vec<_>>(),
                entry.uses_lines,
            );
        }
        shared(&mut text, &entries, 0);
    }
    Ok(text)
}

/// The lines of production code of the whole project: raw and of code, both without tests.
pub fn totals(root: &Path) -> Result<String> {
    let mut text = String::new();
    heading(&mut text, &["folder", "lines without tests", "lines of code"]);
    let mut totals = [0, 0];
    for folder in PRODUCTION.iter().filter(|folder| root.join(folder).is_dir()) {
        let sources = sources::read(&root.join(folder))?;
        // A file of this name is declared under `#[cfg(test)]`.
        let files = sources.iter().filter(|(file, _)| !file.ends_with("tests.rs") && !file.contains("target/"));
        let lines =
            files.fold([0, 0], |[raw, code], (_, text)| [raw + without_tests(text).count(), code + count(text)]);
        totals = [totals[0] + lines[0], totals[1] + lines[1]];
        let _ = writeln!(text, "| {folder} | {} | {} |", lines[0], lines[1]);
    }
    let _ = writeln!(text, "| all | {} | {} |", totals[0], totals[1]);
    Ok(text)
}

/// What stands before and after the tables in a page of the documentation.
const BEGIN: &str = "<!-- cargo xtask loc -->\n";
const END: &str = "<!-- end -->\n";

/// The pages whose tables are not those of the sources, with the text that they should have.
pub fn document(root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let tables = tables(root)?;
    let mut is_anywhere = false;
    let mut stale = BTreeMap::new();
    for page in fs::read_dir(root.join("docs"))? {
        let page = page?.path();
        if page.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&page).with_context(|| page.display().to_string())?;
            if let Some(renewed) = renewed(&text, &tables) {
                is_anywhere = true;
                if renewed != text {
                    stale.insert(page, renewed);
                }
            }
        }
    }
    ensure!(is_anywhere, "no page in docs has a place for the tables: {}", BEGIN.trim());
    Ok(stale)
}

/// A page with these tables in their place, if it has one.
fn renewed(page: &str, tables: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{tables}\n{END}{after}"))
}

fn heading(text: &mut String, columns: &[&str]) {
    let _ = writeln!(text, "| {} |\n| ---{} |", columns.join(" | "), " | ---:".repeat(columns.len() - 1));
}

fn row(text: &mut String, name: &str, cells: &[String], shared: usize) {
    let _ = writeln!(text, "| {name} | {} | {shared} |", cells.join(" | "));
}

/// A row for each file that several share.
fn shared(text: &mut String, entries: &[Entry], empty_columns: usize) {
    for entry in entries.iter().filter(|entry| entry.is_shared) {
        let lines = entry.lines.iter().map(usize::to_string);
        let cells: Vec<_> = vec![String::new(); empty_columns].into_iter().chain(lines).collect();
        row(text, &format!("shared: {}", entry.name), &cells, entry.uses_lines);
    }
}

/// A file or folder of a name in one or more folders.
struct Entry {
    name: String,
    /// The lines of code in each of the folders.
    lines: Vec<usize>,
    /// Whether it is there for others in the folder, and is none of what the folder is about.
    is_shared: bool,
    /// The lines of code of the other entries that it uses.
    uses_lines: usize,
}

/// The sources of the kernels and of the host.
struct Crates(BTreeMap<&'static str, Sources>);

impl Crates {
    fn read(root: &Path) -> Result<Self> {
        let read = |folder: &'static str| Ok((folder, sources::read(&root.join(folder))?));
        Ok(Self([KERNELS, HOST].into_iter().map(read).collect::<Result<_>>()?))
    }

    fn text(&self, krate: &str, file: &str) -> Result<&str> {
        let text = self.0.get(krate).and_then(|sources| sources.get(file));
        text.map(String::as_str).with_context(|| format!("{krate} has no {file}"))
    }

    /// What is in these folders, by name. A registry names what a folder is about: `"NAME"` behind `name:` or `=`. What has no
    /// such name is shared if another entry imports it, or if it is in one of several folders alone.
    fn entries(&self, sides: &[Side]) -> Result<Vec<Entry>> {
        let mut lines = BTreeMap::<String, Vec<usize>>::new();
        let mut uses = BTreeMap::<(usize, String), BTreeSet<String>>::new();
        let mut registry = String::new();
        for (side, (krate, folder)) in sides.iter().enumerate() {
            let sources = &self.0[krate];
            let exports = reexports("mod.rs", self.text(krate, &format!("{folder}/mod.rs"))?)?;
            for (file, text) in sources {
                let [first, entry, ..] = &module(file)[..] else { continue };
                if first != folder {
                    continue;
                }
                registry += text;
                lines.entry(entry.clone()).or_insert_with(|| vec![0; sides.len()])[side] += count(text);
                let used = uses.entry((side, entry.clone())).or_default();
                for import in imports(crate_name(krate), file, text)? {
                    if let [first, name, ..] = &import.path[..]
                        && first == folder
                    {
                        let exported = exports.iter().find(|(exported, _)| exported == name);
                        used.insert(exported.map_or(name, |(_, path)| &path[0]).clone());
                    }
                }
            }
            registry += self.text(krate, &format!("{folder}/mod.rs"))?;
        }
        for ((_, name), used) in &mut uses {
            used.retain(|other| other != name && lines.contains_key(other));
        }
        let is_shared = |name: &str| {
            let dashed = name.replace('_', "-");
            let is_named = ["name: ", "= "].iter().any(|before| registry.contains(&format!("{before}\"{dashed}\"")));
            let is_used = uses.values().any(|used| used.contains(name));
            let is_on_one_side = sides.len() > 1 && lines[name].iter().filter(|lines| **lines > 0).count() == 1;
            !is_named && (is_used || is_on_one_side)
        };
        let entries = lines.iter().map(|(name, own)| {
            // What it uses is counted on the side where it is used.
            let used_on = |side: usize| -> usize {
                closure(&uses, side, name, &is_shared).iter().map(|other| lines[other][side]).sum()
            };
            let uses_lines = (0..sides.len()).map(used_on).sum();
            Entry { name: name.replace('_', "-"), lines: own.clone(), is_shared: is_shared(name), uses_lines }
        });
        Ok(entries.collect())
    }
}

/// All entries that one uses on a side, directly or through others; but not what a shared one uses of those that are not.
fn closure(
    uses: &BTreeMap<(usize, String), BTreeSet<String>>,
    side: usize,
    name: &str,
    is_shared: &impl Fn(&str) -> bool,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![name.to_owned()];
    while let Some(current) = open.pop() {
        let through_shared = current != name && is_shared(&current);
        for other in uses.get(&(side, current)).into_iter().flatten() {
            if other != name && (is_shared(other) || !through_shared) && found.insert(other.clone()) {
                open.push(other.clone());
            }
        }
    }
    found
}

/// The name by which a crate's own code may call it.
fn crate_name(krate: &str) -> &'static str {
    if krate == KERNELS { "evenkeel_kernels" } else { "evenkeel" }
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

/// The lines of a formatted source that are no test.
fn without_tests(source: &str) -> impl Iterator<Item = &str> {
    let mut lines = source.lines();
    std::iter::from_fn(move || {
        loop {
            let line = lines.next()?;
            if line != "#[cfg(test)]" {
                return Some(line);
            }
            // To the end of the item, which the formatter puts at the margin.
            lines.by_ref().find(|line| *line == "}" || (line.ends_with(';') && !line.starts_with(' ')));
        }
    })
}

/// The lines of code of a formatted source: what is neither empty, nor a comment, an import, or a test.
fn count(source: &str) -> usize {
    let mut lines = without_tests(source);
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
    use super::{BEGIN, Crates, END, HOST, KERNELS, count, document, function, renewed, without_tests};

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
        assert_eq!(without_tests(SOURCE).count(), SOURCE.lines().count() - 9);
    }

    #[test]
    fn a_function_has_its_attributes_and_nothing_else() {
        let double = function(SOURCE, "double").unwrap();
        assert!(double.starts_with("#[kernel") && double.ends_with("\n}"), "{double}");
        assert_eq!(count(double), 8);
        assert_eq!(function(SOURCE, "halve"), None);
    }

    #[test]
    fn an_entry_is_a_file_or_a_folder_on_each_side_with_what_it_uses() {
        let sources = |files: &[(&str, &str)]| {
            files.iter().map(|(file, text)| ((*file).to_owned(), (*text).to_owned())).collect()
        };
        let kernels = sources(&[
            ("strategy/mod.rs", "mod even; mod odd; mod parts; mod deep;\npub use parts::Cut;"),
            ("strategy/even/mod.rs", "use super::Cut;\nfn a() {}\n"),
            ("strategy/even/push.rs", "fn b() {}\nfn c() {}\n"),
            ("strategy/odd.rs", "const NAME: &str = \"odd\"; use super::even::a;\nfn d() {}\n"),
            ("strategy/parts.rs", "use super::deep::e;\nfn e() {}\nfn f() {}\nfn g() {}\n"),
            ("strategy/deep.rs", "fn h() {}\n"),
        ]);
        let host = sources(&[
            ("strategy/mod.rs", "name: \"even\""),
            ("strategy/even.rs", "use crate::strategy::Strategy;\nfn i() {}\n"),
        ]);
        let crates = Crates([(KERNELS, kernels), (HOST, host)].into());
        let entries = crates.entries(&[(KERNELS, "strategy"), (HOST, "strategy")]).unwrap();
        let found: Vec<_> =
            entries.iter().map(|entry| (&*entry.name, &entry.lines[..], entry.is_shared, entry.uses_lines)).collect();
        assert_eq!(
            found,
            [
                ("deep", &[1, 0][..], true, 0),
                ("even", &[3, 1], false, 4),
                ("odd", &[2, 0], false, 3 + 4),
                ("parts", &[3, 0], true, 1),
            ]
        );
    }

    /// What merge-path is made of is not one short file.
    #[test]
    fn merge_path_has_its_parts_and_segments() {
        let crates = Crates::read(crate::root()).unwrap();
        let entries = crates.entries(&[(KERNELS, "schedule")]).unwrap();
        let find = |name: &str| entries.iter().find(|entry| entry.name == name).unwrap();
        let parts = ["parts", "segments"].map(|name| find(name).lines[0]);
        assert!(find("merge-path").uses_lines >= parts[0] + parts[1]);
    }

    #[test]
    fn a_page_has_the_tables_between_its_marks() {
        assert_eq!(renewed("Text.\n", "table\n"), None);
        let page = format!("Text.\n{BEGIN}old\n{END}More.\n");
        assert_eq!(renewed(&page, "table\n").unwrap(), format!("Text.\n{BEGIN}\ntable\n\n{END}More.\n"));
    }

    #[test]
    fn the_documentation_has_the_tables_as_they_are() {
        let stale = document(crate::root()).unwrap();
        assert!(stale.is_empty(), "`cargo xtask loc --write` renews the tables of {:?}", stale.keys());
    }
}

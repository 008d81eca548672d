//! `cargo xtask loc`: the lines of code of each schedule, beside those of the paper (Osama et al., Table 1).
//!
//! The paper counts the SpMV kernel that its reader writes for a schedule: a line for each line as the formatter leaves it,
//! without comments and imports. Here that kernel is one text for all schedules. What a schedule takes by itself, and what
//! several share, is counted the same way.

use anyhow::{Context, Result};
use std::{fmt::Write as _, fs, path::Path};

/// The paper's Table 1: a schedule, the name it has here, and the lines of its kernel in CUB and in the paper.
const TABLE_1: [(&str, &str, Option<usize>, &str); 5] = [
    ("merge-path", "merge_path", Some(503), "36"),
    ("thread-mapped", "thread_mapped", Some(22), "21"),
    ("group-mapped", "group_mapped", None, "30"),
    ("warp-mapped, as group-mapped:32", "group_mapped", None, "30 (free)"),
    ("block-mapped, as group-mapped:256", "group_mapped", None, "30 (free)"),
];

/// The table, as Markdown.
pub fn table(root: &Path) -> Result<String> {
    let kernels = root.join("shader-crate/src");
    let kernel = count(function(&read(&kernels.join("spmv.rs"))?, "spmv_f32").context("spmv.rs has no spmv_f32")?);
    let (schedules, shared): (Vec<_>, Vec<_>) =
        files(&kernels.join("schedule"))?.into_iter().partition(|(_, text)| is_schedule(text));

    let mut table = "| schedule | CUB | the paper's kernel | our kernel | our schedule |\n".to_owned();
    table += "| --- | ---: | ---: | ---: | ---: |\n";
    let mut row = |name: &str, cub: &str, paper: &str, kernel: &str, schedule: &str| {
        let _ = writeln!(table, "| {name} | {cub} | {paper} | {kernel} | {schedule} |");
    };
    let kernel = kernel.to_string();
    for (name, file, cub, paper) in TABLE_1 {
        let cub = cub.map_or(String::new(), |lines| lines.to_string());
        let (_, text) = schedules.iter().find(|(found, _)| found == file).with_context(|| format!("no {file}.rs"))?;
        let own = TABLE_1.iter().find(|line| line.1 == file).is_some_and(|line| line.0 == name);
        row(name, &cub, paper, &kernel, &if own { count(text).to_string() } else { "free".to_owned() });
    }
    for (file, text) in schedules.iter().filter(|(file, _)| TABLE_1.iter().all(|line| line.1 != file)) {
        row(&file.replace('_', "-"), "", "", &kernel, &count(text).to_string());
    }
    for (file, text) in &shared {
        row(&format!("shared: {file}.rs"), "", "", "", &count(text).to_string());
    }
    Ok(table)
}

/// Whether a file is a schedule: it distributes by itself, or says what is cut into equal parts.
fn is_schedule(text: &str) -> bool {
    ["\nimpl Distribute for ", "\nimpl Cut for "].iter().any(|start| text.contains(start))
}

/// The source files of a folder, by name without the ending.
fn files(folder: &Path) -> Result<Vec<(String, String)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) {
            files.push((name.to_owned(), read(&path)?));
        }
    }
    files.sort();
    Ok(files)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| path.display().to_string())
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
    let mut lines = source.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let code = line.trim_start();
        let is_import = code.starts_with("use ") || code.starts_with("pub use ");
        if is_import && !line.ends_with(';') {
            lines.by_ref().find(|line| line.ends_with(';'));
        } else if line == "#[cfg(test)]" {
            // To the end of the item, which the formatter puts at the margin.
            lines.by_ref().find(|line| *line == "}" || (line.ends_with(';') && !line.starts_with(' ')));
        } else if !(is_import || code.is_empty() || code.starts_with("//")) {
            count += 1;
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{count, function, table};
    use std::{fs, path::Path};

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
    }

    #[test]
    fn a_function_has_its_attributes_and_nothing_else() {
        let double = function(SOURCE, "double").unwrap();
        assert!(double.starts_with("#[kernel") && double.ends_with("\n}"), "{double}");
        assert_eq!(count(double), 8);
        assert_eq!(function(SOURCE, "halve"), None);
    }

    #[test]
    fn the_documentation_has_the_table_as_it_is() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let table = table(root).unwrap();
        let page = fs::read_to_string(root.join("docs/programming-model.md")).unwrap();
        assert!(
            page.contains(&table),
            "docs/programming-model.md should have the table of `cargo xtask loc`:\n{table}"
        );
    }
}

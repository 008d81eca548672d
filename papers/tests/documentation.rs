//! The pages are true: every command in them is run, and prints what the page says it prints.
//!
//! - A block of `text` that begins with `$ ` is a session: each command is run by a shell, in a folder of its own for each page, and what
//!   follows is what it prints. Times, rates, memory and the device differ from machine to machine: there only the form is compared.
//! - The lines of a block of `sh` that begin with `evenkeel` are run too, and so are whole here-documents; they must end with status 0.
//! - A block of `sh ignore` is for large graphs or another machine: its commands and options must exist.
//! - A line `…` stands for any lines. A comment `<!-- file NAME`, which readers do not see, has a file that the commands find.
//!
//! With `EVENKEEL_UPDATE_PAGES` set, what sessions print is written into the pages instead.

use evenkeel::device::{Device, DeviceOptions};
use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
    sync::LazyLock,
};
use tempfile::TempDir;

/// Words at the beginning of lines that say something else on each machine and in each run.
const VARYING: [&str; 6] = ["device", "time", "rate", "memory", "info", "warning"];

const ELLIPSIS: &str = "…";

/// The processor in the pages, in place of the one that a command names.
const CPU: &str = "Intel(R) Xeon(R) Processor";

/// A folder with the programs of the pages: the laboratory, and the command that is within it.
fn programs() -> &'static Path {
    static FOLDER: LazyLock<TempDir> = LazyLock::new(|| {
        let folder = TempDir::new().unwrap();
        let laboratory = env!("CARGO_BIN_EXE_evenkeel-papers");
        for (name, word) in [("evenkeel", "evenkeel "), ("evenkeel-papers", "")] {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\nexec '{laboratory}' {word}\"$@\"\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        folder
    });
    FOLDER.path()
}

struct Page {
    path: PathBuf,
    lines: Vec<String>,
    folder: TempDir,
}

/// The lines of a block, between its fences.
struct Block {
    info: String,
    begin: usize,
    end: usize,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn pages() -> Vec<Page> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = docs.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    paths.push(root().join("README.md"));
    paths.sort();
    let page = |path: PathBuf| {
        let lines = fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
        let page = Page { path, lines, folder: TempDir::new().unwrap() };
        page.write_files();
        // Some commands name files of the project.
        std::os::unix::fs::symlink(root().join("host-crate"), page.folder.path().join("host-crate")).unwrap();
        page
    };
    paths.into_iter().map(page).collect()
}

impl Page {
    fn name(&self) -> String {
        self.path.file_name().unwrap().to_string_lossy().into_owned()
    }

    fn write_files(&self) {
        let mut lines = self.lines.iter();
        while let Some(line) = lines.next() {
            let Some(name) = line.strip_prefix("<!-- file ") else { continue };
            let content: Vec<&str> = lines.by_ref().map(String::as_str).take_while(|line| *line != "-->").collect();
            fs::write(self.folder.path().join(name), content.join("\n") + "\n").unwrap();
        }
    }

    fn blocks(&self) -> Vec<Block> {
        let (mut blocks, mut open): (Vec<Block>, Option<(String, usize)>) = (Vec::new(), None);
        for (number, line) in self.lines.iter().enumerate() {
            let Some(info) = line.strip_prefix("```") else { continue };
            open = match open.take() {
                Some((info, begin)) => {
                    blocks.push(Block { info, begin, end: number });
                    None
                }
                None => Some((info.to_owned(), number + 1)),
            };
        }
        blocks
    }

    fn run(&self, command: &str) -> Output {
        let path = format!("{}:{}", programs().display(), env::var("PATH").unwrap_or_default());
        let mut shell = Command::new("bash");
        shell.args(["-o", "pipefail", "-c", command]).current_dir(self.folder.path());
        shell.env("PATH", path).env("XDG_CACHE_HOME", self.folder.path()).env("COLUMNS", "120").output().unwrap()
    }
}

/// The commands of a session with the lines that follow each.
fn session(lines: &[String]) -> Vec<(String, Vec<String>)> {
    let mut commands: Vec<(String, Vec<String>)> = Vec::new();
    let mut continued = false;
    for line in lines {
        match (line.strip_prefix("$ "), commands.last_mut()) {
            (Some(command), _) if !continued => commands.push((command.to_owned(), Vec::new())),
            (_, Some((command, _))) if continued => *command += &format!("\n{line}"),
            (_, Some((_, output))) => output.push(line.clone()),
            _ => panic!("a session begins with a command: {line}"),
        }
        continued = line.ends_with('\\');
    }
    commands
}

/// Whether a line is of a table of times: it has several decimal fractions.
fn is_of_times(line: &str) -> bool {
    let is_fraction = |word: &&str| word.contains('.') && word.starts_with(|first: char| first.is_ascii_digit());
    line.split_whitespace().filter(is_fraction).count() >= 3
}

/// A line without what differs from run to run.
fn shape(line: &str) -> String {
    let varies = VARYING.iter().any(|word| line.starts_with(word)) || is_of_times(line);
    if varies && line.starts_with("device") {
        return "device".to_owned();
    }
    let words = line.split_whitespace().map(|word| {
        let is_number = word.starts_with(|first: char| first.is_ascii_digit());
        match is_number && (varies || word.contains('.')) {
            true => "#".to_owned(),
            false => word.replace(|character: char| "─═━█▏▎▍▌▋▊▉░".contains(character), ""),
        }
    });
    let words: Vec<String> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn shapes<'a>(lines: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut lines: Vec<(bool, String)> = lines.into_iter().map(|line| (is_of_times(line), shape(line))).collect();
    // A table may be in the order of its times, which differs where the machine is busy.
    lines.chunk_by_mut(|line, next| line.0 && next.0).for_each(<[_]>::sort);
    let mut shapes: Vec<String> = lines.into_iter().map(|(_, shape)| shape).collect();
    while shapes.last().is_some_and(String::is_empty) {
        shapes.pop();
    }
    shapes
}

/// Whether the lines are those expected, where `…` stands for any.
fn matches(printed: &[String], expected: &[String]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, first) => first.is_none(),
        (Some((any, rest)), _) if any.trim() == ELLIPSIS => {
            (0..=printed.len()).any(|skipped| matches(&printed[skipped..], rest))
        }
        (Some((line, rest)), Some((first, others))) => line == first && matches(others, rest),
        (Some(_), None) => false,
    }
}

#[test]
fn sessions_print_what_the_pages_say() {
    let update = env::var_os("EVENKEEL_UPDATE_PAGES").is_some();
    let cpu = Device::open("cpu", &DeviceOptions::default()).unwrap().info().name.clone();
    let mut wrong = Vec::new();
    for page in pages() {
        let mut lines = page.lines.clone();
        // From the last to the first, so that places stay what they are; but run from the first to the last.
        let mut changes: Vec<(usize, usize, Vec<String>)> = Vec::new();
        for block in page.blocks() {
            let content = &page.lines[block.begin..block.end];
            if block.info == "sh" {
                run_shell_lines(&page, content, &mut wrong);
            }
            if block.info != "text" || !content.first().is_some_and(|line| line.starts_with("$ ")) {
                continue;
            }
            let mut written = Vec::new();
            for (command, expected) in session(content) {
                let output = page.run(&format!("{{ {command}\n}} 2>&1"));
                let printed = String::from_utf8_lossy(&output.stdout).replace(&cpu, CPU);
                let is_right = matches(&shapes(printed.lines()), &shapes(expected.iter().map(String::as_str)));
                if !is_right {
                    let expected = expected.join("\n");
                    wrong.push(format!("{}: {command}\nprints\n{printed}where the page has\n{expected}", page.name()));
                }
                written.extend(format!("$ {command}").lines().map(str::to_owned));
                match is_right || expected.iter().any(|line| line.trim() == ELLIPSIS) {
                    true => written.extend(expected),
                    false => written.extend(printed.lines().map(str::to_owned)),
                }
            }
            changes.push((block.begin, block.end, written));
        }
        if update {
            for (begin, end, written) in changes.into_iter().rev() {
                lines.splice(begin..end, written);
            }
            if lines != page.lines {
                fs::write(&page.path, lines.join("\n") + "\n").unwrap();
            }
        }
    }
    assert!(update || wrong.is_empty(), "{} commands:\n\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Runs the lines that use the program, and here-documents as a whole.
fn run_shell_lines(page: &Page, lines: &[String], wrong: &mut Vec<String>) {
    let mut lines = lines.iter();
    while let Some(line) = lines.next() {
        let mut command = line.clone();
        if let Some((_, end)) = line.split_once("<<") {
            let end = end.trim().trim_matches('\'').to_owned();
            for line in lines.by_ref() {
                command += &format!("\n{line}");
                if *line == end {
                    break;
                }
            }
        }
        while command.ends_with('\\') {
            command += &format!("\n{}", lines.next().map_or("", String::as_str));
        }
        let used = command.starts_with("evenkeel") || command.contains("| evenkeel ") || command.contains("<<");
        if !used {
            continue;
        }
        let output = page.run(&command);
        if !output.status.success() {
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            wrong.push(format!("{}: {command}\nends with {}: {error}", page.name(), output.status));
        }
    }
}

#[test]
fn commands_for_other_machines_exist() {
    let mut checked = 0;
    for page in pages() {
        for block in page.blocks().iter().filter(|block| block.info == "sh ignore") {
            for line in &page.lines[block.begin..block.end] {
                let programs = ["evenkeel-papers ", "evenkeel "];
                let found = programs.iter().find_map(|program| Some((*program, line.split_once(program)?.1)));
                let Some((program, command)) = found else { continue };
                let words: Vec<&str> = command.split('#').next().unwrap_or_default().split_whitespace().collect();
                let depth = if ["compare", "balance"].contains(&words[0]) { 2 } else { 1 };
                let help = page.run(&format!("{program}{} --help", words[..depth].join(" ")));
                assert!(help.status.success(), "{}: {line}", page.name());
                let help = String::from_utf8_lossy(&help.stdout).into_owned();
                for option in words.iter().filter_map(|word| word.strip_prefix("--")) {
                    let option = option.split('=').next().unwrap_or_default();
                    assert!(help.contains(&format!("--{option}")), "{}: {line}: there is no --{option}", page.name());
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 0, "there is nothing to check");
}

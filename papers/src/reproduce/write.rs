//! The files of a report: a page, its pictures, the results as a table, and the same as text for documents.

use super::{
    Paper,
    finding::{Finding, Part, RULE, Verdict},
    results::{Record, Results},
};
use evenkeel::Result;
use evenkeel_cli::{
    output::Output,
    report::html::{Cell, Data, Page, Section, chart::as_file},
};
use serde_json::Value;
use std::{fmt::Write as _, path::Path};

/// Writes all of them into a folder.
pub fn all(paper: &Paper, folder: &Path, results: &Results, parts: &[Part]) -> Result<()> {
    for part in parts {
        if let Some(chart) = &part.chart {
            text(&folder.join(format!("{}.svg", part.name)), &as_file(&chart.svg()))?;
        }
    }
    text(&folder.join("report.html"), &page(paper, results, parts).html())?;
    text(&folder.join("report.md"), &markdown(paper, parts))?;
    if paper.is_own() {
        for part in parts {
            text(&folder.join(format!("{}.md", part.name)), &body(paper, part))?;
        }
    }
    csv(&folder.join("results.csv"), results)
}

fn text(path: &Path, text: &str) -> Result<()> {
    Output::create(path)?.write(|writer| writer.write_all(text.as_bytes()))
}

/// What is printed at the end.
pub fn summary(paper: &Paper, folder: &Path, parts: &[Part]) -> String {
    let findings = || parts.iter().flat_map(|part| &part.findings);
    let mut text = format!("{}\n", paper.cite);
    for finding in findings() {
        let _ = writeln!(text, "  {:18}  {}: {}", finding.verdict, finding.says, finding.here);
    }
    let count = |verdict: Verdict| (findings().filter(|finding| finding.verdict == verdict).count(), verdict);
    let counts = Verdict::ALL.map(count).into_iter().filter(|(count, _)| *count > 0);
    let counts: Vec<String> = counts.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    let _ = writeln!(text, "{}: {}", counts.join(", "), folder.join("report.html").display());
    if !paper.is_own() {
        let _ = writeln!(text, "{RULE}");
    }
    text
}

fn page(paper: &Paper, results: &Results, parts: &[Part]) -> Page {
    let mut devices: Vec<&str> = results.records().iter().map(|record| record.device.as_str()).collect();
    devices.dedup();
    let version = results.records().first().map_or(env!("CARGO_PKG_VERSION"), |record| &record.version);
    let mut page = Page::new(paper.cite, version);
    if !paper.is_own() {
        page = page.fact("measured by the paper on", paper.device);
    }
    page = page.fact("measured here on", devices.join(", "));
    let rows = parts.iter().flat_map(|part| part.findings.iter().map(|finding| row(part, finding)));
    let [says, here, verdict] = paper.headings();
    let findings = Section::new("Findings").data(Data::new(&["part", says, here, verdict]).rows(rows));
    page = page.section(if paper.is_own() { findings } else { findings.text(RULE) });
    for part in parts {
        let mut section = Section::new(&part.title).text(&part.text).data(part.data.clone());
        if let Some(chart) = &part.chart {
            section = section.chart(chart);
        }
        page = page.section(section);
    }
    let commands = results.records().iter().map(|it| vec![Cell::text(&it.command), Cell::real(it.seconds, 1)]);
    page.section(Section::new("Commands").data(Data::new(&["command", "seconds"]).rows(commands)))
}

fn row(part: &Part, finding: &Finding) -> Vec<Cell> {
    [part.title.as_str(), finding.says, &finding.here, &finding.verdict.to_string()].map(Cell::text).into()
}

/// A table with more rows is not repeated in Markdown.
const LONGEST: usize = 40;

/// The report as Markdown, from which documents take it.
fn markdown(paper: &Paper, parts: &[Part]) -> String {
    parts.iter().map(|part| format!("### {}\n\n{}", part.title, body(paper, part))).collect()
}

/// A part of it without its heading.
fn body(paper: &Paper, part: &Part) -> String {
    let mut text = format!("{}\n\n", part.text);
    if part.chart.is_some() {
        let _ = writeln!(text, "![{}]({}.svg)\n", part.title, part.name);
    }
    if !part.findings.is_empty() {
        let row = |it: &Finding| [it.says, &it.here, &it.verdict.to_string()].map(escaped).into();
        let rows: Vec<Vec<String>> = part.findings.iter().map(row).collect();
        table(&mut text, &paper.headings().map(str::to_owned), &rows);
    }
    if part.data.rows.len() > LONGEST {
        let _ = writeln!(text, "The table, of {} rows, is in [report.html](report.html).\n", part.data.rows.len());
        return text;
    }
    let headings: Vec<String> = part.data.headings.iter().map(|it| escaped(it)).collect();
    let cells = |row: &Vec<Cell>| row.iter().map(|cell| escaped(&cell.to_string())).collect();
    table(&mut text, &headings, &part.data.rows.iter().map(cells).collect::<Vec<_>>());
    text
}

/// Appends a table; nothing where no row was measured.
fn table(text: &mut String, headings: &[String], rows: &[Vec<String>]) {
    if rows.is_empty() {
        return;
    }
    let _ = writeln!(text, "| {} |", headings.join(" | "));
    let _ = writeln!(text, "|{}", " --- |".repeat(headings.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text.push('\n');
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

/// A line for each entry of each record.
fn csv(path: &Path, results: &Results) -> Result<()> {
    Output::create(path)?.write(|writer| {
        let mut csv = csv::Writer::from_writer(writer);
        csv.write_record(COLUMNS.iter().map(|(name, _)| *name).chain(["status", "message", "command"]))?;
        for record in results.records() {
            let entries = record.entries();
            if entries.is_empty() {
                csv.write_record(cells(record, &Value::Null))?;
            }
            for entry in entries {
                csv.write_record(cells(record, entry))?;
            }
        }
        csv.flush()
    })
}

/// The columns of an entry, by JSON pointers.
const COLUMNS: [(&str, &str); 13] = [
    ("algorithm", "/algorithm"),
    ("strategy", "/strategy"),
    ("graph", "/graph/name"),
    ("nodes", "/graph/nodes"),
    ("edges", "/graph/edges"),
    ("device", "/device/name"),
    ("driver", "/device/driver"),
    ("version", "/version"),
    ("total_ms", "/median/total_ms"),
    ("kernel_ms", "/median/kernel_ms"),
    ("iterations", "/median/iterations"),
    ("memory_bytes", "/memory_bytes"),
    ("refused", "/refused"),
];

fn cells(record: &Record, entry: &Value) -> Vec<String> {
    let cell = |pointer: &str| match entry.pointer(pointer) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let columns = COLUMNS.iter().map(|(_, pointer)| cell(pointer));
    let message = record.message.clone().unwrap_or_default();
    columns.chain([record.status.to_string(), message, record.command.clone()]).collect()
}

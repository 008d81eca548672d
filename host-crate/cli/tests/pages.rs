//! Pages as the tests read them: as XML, beside the JSON that a command writes, and in a browser.

use quick_xml::{Reader, events::Event};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env, fs,
    path::Path,
    process::{Command, Output},
};

/// The tables of a page by the headings of their sections, each a row of cells. A number is as it is, not as it is shown.
pub fn tables(page: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let (mut reader, mut tables) = (Reader::from_str(page), BTreeMap::<String, Vec<Vec<String>>>::new());
    let (mut heading, mut within, mut value) = (String::new(), String::new(), None);
    loop {
        match reader.read_event().expect("the page is well-formed") {
            Event::Start(tag) => {
                within = tag.name().as_ref().to_owned();
                let rows = tables.entry(heading.clone()).or_default();
                match within.as_str() {
                    "h2" => heading.clear(),
                    "tr" => rows.push(Vec::new()),
                    "th" | "td" => rows.last_mut().unwrap().push(String::new()),
                    "data" => value = tag.attributes().map(|it| it.unwrap().value.into_owned()).next(),
                    _ => {}
                }
            }
            Event::Text(text) if within == "h2" => heading += text.trim(),
            Event::Text(text) if ["th", "td", "data"].contains(&&*within) => {
                let cell = tables.get_mut(&heading).and_then(|rows| rows.last_mut()).and_then(|row| row.last_mut());
                *cell.unwrap() += &value.take().unwrap_or_else(|| text.trim().to_owned());
            }
            Event::End(_) => within.clear(),
            Event::Eof => {
                tables.retain(|_, rows| !rows.is_empty());
                return tables;
            }
            _ => {}
        }
    }
}

/// A column of numbers of a table.
pub fn column(rows: &[Vec<String>], heading: &str) -> Vec<f64> {
    let place = rows[0].iter().position(|it| it == heading).unwrap_or_else(|| panic!("no {heading} in {:?}", rows[0]));
    rows[1..].iter().map(|row| row[place].parse().unwrap()).collect()
}

/// Whether these are the same numbers, to the last digit but one: JSON is not read more exactly.
pub fn same(shown: &[f64], written: &[f64]) -> bool {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs();
    shown.len() == written.len() && shown.iter().zip(written).all(close)
}

/// The numbers at a path of each object of an array.
pub fn numbers(array: &Value, path: &str) -> Vec<f64> {
    array.as_array().unwrap().iter().map(|it| it.pointer(path).and_then(Value::as_f64).unwrap()).collect()
}

/// A page: its name, its text, the SVG, and the JSON where the command writes one.
pub struct Made {
    pub name: &'static str,
    pub html: String,
    pub svg: String,
    pub json: Value,
    pub charts: usize,
}

/// Checks that a page is one file with its pictures, and with a table for each, or for all but one.
pub fn check_page(Made { name, html, svg, charts, .. }: &Made, without_table: usize) {
    assert!(html.starts_with("<!DOCTYPE html>") && !tables(html).is_empty(), "{name}");
    assert_eq!(html.matches("<svg ").count(), *charts, "{name}");
    assert_eq!(html.matches("role=\"img\" aria-label=\"").count(), *charts, "{name}");
    assert!(html.matches("<table>").count() >= *charts - without_table, "{name}");
    // Nothing is loaded: the only addresses are the names of XML.
    let addresses = html.matches("://").count() - html.matches("xmlns=\"http://www.w3.org/2000/svg\"").count();
    assert!(addresses == 0 && !html.contains("<script") && !html.contains("url("), "{name}");
    assert!(svg.starts_with("<svg ") && svg.contains("prefers-color-scheme: dark"), "{name}");
    let first = &html[html.find("<svg ").unwrap()..];
    let (drawn, in_page) = (svg.split_once("</style>").unwrap().1.trim(), first.split_once('>').unwrap().1.trim());
    assert!(in_page.starts_with(drawn), "the picture of {name} is the first of the page");
}

/// A headless Chromium, or none, which is said; with `EVENKEEL_REQUIRE_CHROMIUM` set, that is a failure.
pub fn chromium(page: &Path, options: &[&str]) -> Option<Output> {
    let profile = tempfile::tempdir().unwrap();
    let user_data = format!("--user-data-dir={}", profile.path().display());
    // The pages are the program's own, and containers have no sandbox to give.
    let common =
        ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"];
    let address = format!("file://{}", page.display());
    let names = [env::var("EVENKEEL_CHROMIUM").unwrap_or_default(), "chromium".into(), "google-chrome".into()];
    let run = |name: &String| Command::new(name).args(common).arg(&user_data).args(options).arg(&address).output().ok();
    let output = names.iter().filter(|name| !name.is_empty()).find_map(run);
    if output.is_none() {
        assert!(env::var_os("EVENKEEL_REQUIRE_CHROMIUM").is_none(), "there is no Chromium");
        eprintln!("skipped: there is no Chromium");
    }
    output
}

/// What a browser makes of a page, and what it complains about.
fn opened(page: &Path) -> Option<(String, Vec<String>)> {
    let output = chromium(page, &["--dump-dom"])?;
    let complaints = String::from_utf8_lossy(&output.stderr)
        .lines()
        .filter(|line| line.contains(":CONSOLE"))
        .map(str::to_owned)
        .collect();
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), complaints))
}

/// Checks that a browser shows these pages of a folder without complaint, where there is one.
pub fn check_in_browser(folder: &Path, pages: &[Made]) {
    // A page with a flaw, which must be found.
    let flawed = folder.join("flawed.html");
    fs::write(&flawed, "<!DOCTYPE html><title>x</title><script>console.error('a flaw')</script>").unwrap();
    let Some((_, complaints)) = opened(&flawed) else { return };
    assert_eq!(complaints.len(), 1, "{complaints:?}");
    for Made { name, html, charts, .. } in pages {
        let (dom, complaints) = opened(&folder.join(format!("{name}.html"))).unwrap();
        assert!(complaints.is_empty(), "{name}: {complaints:?}");
        assert_eq!((dom.matches("<svg ").count(), dom.matches("</svg>").count()), (*charts, *charts), "{name}");
        // The browser has the same tables, texts of charts and numbers as the file: it mended nothing.
        for part in ["<table>", "</table>", "<tr", "</td>", "</text>", "<rect", "<circle", "<polyline", "<section>"] {
            let in_file = html.matches(part).count();
            assert_eq!(dom.matches(part).count(), in_file, "{part} of {name}");
        }
        let values = |text: &str| -> Vec<String> {
            text.split("<data value=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
        };
        assert!(!values(html).is_empty() && values(&dom) == values(html), "{name}");
    }
}

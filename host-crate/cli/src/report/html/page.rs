//! The frame of every page: what the report is about, then sections with a picture and the numbers behind it.

use super::{
    chart::{Chart, as_file, printable},
    palette,
};
use evenkeel::{device::memory::Bytes, numerals::grouped};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::fmt::Display;

/// A report to look at.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// What the page is about.
    pub title: String,
    /// What is known of it in a few words each: a name and a text.
    pub facts: Vec<(String, String)>,
    /// The rest, the most important first.
    pub sections: Vec<Section>,
    /// The version of evenkeel that made the report.
    pub version: String,
}

/// A part of a page.
#[derive(Clone, Debug, Default)]
pub struct Section {
    heading: String,
    texts: Vec<String>,
    /// An element `svg`.
    picture: Option<String>,
    data: Option<Data>,
}

/// Rows of numbers under headings.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// What the columns hold.
    pub headings: Vec<String>,
    /// The rows, with as many cells as there are headings.
    pub rows: Vec<Vec<Cell>>,
    /// The number of a row that stands out.
    pub best: Vec<usize>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A number as it is shown, and as it is.
    Number(String, f64),
}

/// A table of more rows is folded away at first.
const FOLDED: usize = 30;

/// The most rows of a table: more would make a page that no browser likes.
const MOST: usize = 2000;

impl Page {
    /// A page without sections yet.
    pub fn new(title: impl Into<String>, version: &str) -> Self {
        Self { title: title.into(), version: version.to_owned(), ..Self::default() }
    }

    /// Adds a fact to the head of the page.
    pub fn fact(mut self, name: &str, text: impl Display) -> Self {
        self.facts.push((name.to_owned(), text.to_string()));
        self
    }

    /// Adds a section to the page.
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// The page: a document of HTML that is well-formed XML.
    pub fn html(&self) -> String {
        let style = format!("{}{}", include_str!("page.css"), palette::style());
        let document = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    (PreEscaped(META))
                    title { (printable(&self.title)) }
                    style { (PreEscaped(style)) }
                }
                body {
                    header {
                        h1 { (printable(&self.title)) }
                        dl { @for (name, text) in &self.facts { dt { (name) } dd { (printable(text)) } } }
                    }
                    main { @for section in &self.sections { (section.markup()) } }
                    footer { p { "Made by evenkeel " (self.version) "." } }
                }
            }
        };
        document.into_string() + "\n"
    }

    /// The first picture as a file of its own; an empty one where the page has no picture.
    pub fn svg(&self) -> String {
        let first = self.sections.iter().find_map(|section| section.picture.as_deref());
        first.map_or_else(|| as_file(EMPTY), as_file)
    }
}

/// Elements without an end, which the templates would not write as XML has them.
const META: &str = "<meta charset=\"utf-8\"/><meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>";

const EMPTY: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\">\n</svg>\n";

impl Section {
    /// A section with nothing but its heading.
    pub fn new(heading: impl Into<String>) -> Self {
        Self { heading: heading.into(), ..Self::default() }
    }

    /// Adds a paragraph.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.texts.push(text.into());
        self
    }

    /// Adds a chart, if there is something to draw.
    pub fn chart(self, chart: &Chart) -> Self {
        let has_points = chart.series.iter().any(|series| !series.points.is_empty());
        if has_points { self.picture(chart.svg()) } else { self }
    }

    /// Adds a picture, which is an element `svg`.
    pub fn picture(self, svg: String) -> Self {
        Self { picture: Some(svg), ..self }
    }

    /// Adds a table of the numbers.
    pub fn data(self, data: Data) -> Self {
        Self { data: Some(data), ..self }
    }

    fn markup(&self) -> Markup {
        html! {
            section {
                h2 { (printable(&self.heading)) }
                @for text in &self.texts { p { (printable(text)) } }
                @if let Some(picture) = &self.picture { figure tabindex="0" { (PreEscaped(picture)) } }
                @if let Some(data) = &self.data {
                    @if data.rows.len() > FOLDED {
                        details { summary { "Numbers: " (grouped(data.rows.len() as u64)) " rows" } (data.markup(&self.heading)) }
                    } @else {
                        (data.markup(&self.heading))
                    }
                }
            }
        }
    }
}

impl Data {
    /// A table without rows yet.
    pub fn new(headings: &[&str]) -> Self {
        Self { headings: headings.iter().map(|heading| (*heading).to_owned()).collect(), ..Self::default() }
    }

    /// Adds rows to the table.
    pub fn rows(self, rows: impl IntoIterator<Item = Vec<Cell>>) -> Self {
        Self { rows: rows.into_iter().collect(), ..self }
    }

    fn is_number(&self, column: usize) -> bool {
        self.rows.iter().any(|row| matches!(row.get(column), Some(Cell::Number(..))))
    }

    /// The table in a region that can be scrolled with the keyboard where it is too wide.
    fn markup(&self, name: &str) -> Markup {
        let class = |column: usize| self.is_number(column).then_some("number");
        html! {
            div.rows role="region" tabindex="0" aria-label=(printable(&format!("Table: {name}"))) {
                table {
                    thead { tr {
                        @for (column, heading) in self.headings.iter().enumerate() {
                            th scope="col" class=[class(column)] { (printable(heading)) }
                        }
                    } }
                    tbody {
                        @for (number, row) in self.rows.iter().take(MOST).enumerate() {
                            tr class=[self.best.contains(&number).then_some("best")] {
                                @for (column, cell) in row.iter().enumerate() {
                                    @if column == 0 { th scope="row" class=[class(column)] { (cell.markup()) } }
                                    @else { td class=[class(column)] { (cell.markup()) } }
                                }
                            }
                        }
                    }
                }
                @if self.rows.len() > MOST {
                    p { "The first " (grouped(MOST as u64)) " of " (grouped(self.rows.len() as u64)) " rows." }
                }
            }
        }
    }
}

impl Display for Cell {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (Self::Text(text) | Self::Number(text, _)) = self;
        formatter.write_str(text)
    }
}

impl Cell {
    /// Words, or nothing.
    pub fn text(text: impl Display) -> Self {
        Self::Text(text.to_string())
    }

    /// A whole number.
    pub fn whole(number: impl Into<u64>) -> Self {
        let number = number.into();
        Self::Number(grouped(number), number as f64)
    }

    /// A number that is shown with so many digits behind the point.
    pub fn real(number: f64, digits: usize) -> Self {
        Self::Number(format!("{number:.digits$}"), number)
    }

    /// A size in bytes.
    pub fn bytes(bytes: u64) -> Self {
        Self::Number(Bytes(bytes).to_string(), bytes as f64)
    }

    /// The cell of what may be missing.
    pub fn maybe<T>(value: Option<T>, cell: impl FnOnce(T) -> Self) -> Self {
        value.map_or_else(|| Self::Text(String::new()), cell)
    }

    fn markup(&self) -> Markup {
        match self {
            Self::Text(text) => html! { (printable(text)) },
            // The number as it is, for programs.
            Self::Number(text, number) => html! { data value=(number) { (text) } },
        }
    }
}

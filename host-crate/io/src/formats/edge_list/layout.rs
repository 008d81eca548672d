//! How an edge list is laid out: what separates its columns, whether they have names, which of them hold the edges. The first
//! lines tell.

use super::{
    super::{
        Listing, Table,
        columns::{Column, Columns, Positions, resolve, tell_ends},
        lines::{Flaw, Line, Text, shown},
    },
    fields::Fields,
    records::Records,
    separator::Separator,
};

/// The marks that comments begin with.
pub(super) const COMMENTS: &[u8] = b"#%";

/// Lines that are looked at. More would tell hardly anything, and the first ones are read twice.
const SAMPLE: usize = 64;

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) struct LineLayout {
    /// Where the edges begin.
    pub start: usize,
    pub separator: Separator,
    /// The names of the columns, if the first line holds them.
    pub header: Option<Vec<String>>,
    pub positions: Positions,
    /// Whether there may be more columns than are read.
    pub further_columns: bool,
    /// Whether the nodes of the first lines are numbers, each spelt in the one way it has.
    pub numbers: bool,
    pub listing: Listing,
    pub direction_stated: bool,
}

impl LineLayout {
    /// How the columns are described to a user.
    pub fn table(&self) -> Table {
        self.positions.described(Some(self.separator.name()), self.header.as_deref())
    }

    /// The marks that comments begin with among the edges. A table with a header has none: what is below it are rows.
    pub fn comments(&self) -> &'static [u8] {
        comments(self.header.is_some())
    }
}

fn comments(has_header: bool) -> &'static [u8] {
    if has_header { &[] } else { COMMENTS }
}

/// Looks at the first lines of a text. An error has the line; none is there for want of lines.
pub(super) fn layout(text: Text<'_>, columns: Option<&Columns>) -> Result<LineLayout, Flaw> {
    let start = if text.bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let (stated, first) = remarks(text, start);
    let sample: Vec<Line<'_>> = text.lines_from(first).filter(|line| line.is_data(COMMENTS)).take(SAMPLE).collect();
    let (listing, direction_stated) = (stated.unwrap_or(Listing::Directed), stated.is_some());
    let Some(line) = sample.first() else {
        let positions = Positions { source: 0, target: 1, weight: None };
        let (separator, header) = (Separator::Blanks, None);
        let (further_columns, numbers) = (false, true);
        return Ok(LineLayout {
            start: first,
            separator,
            header,
            positions,
            further_columns,
            numbers,
            listing,
            direction_stated,
        });
    };
    let separator = separator(&sample, columns)?;
    let sample = first_records(text, first, separator, COMMENTS);
    let header = Sample { lines: &sample, separator }.header(columns)?;
    // Below a header there are no comments.
    let (start, below) = match &header {
        Some(_) => {
            let start = after(text, &sample[0]);
            (start, first_records(text, start, separator, comments(true)))
        }
        None => (first, sample),
    };
    let (sampled, data) = (Sample { lines: &below, separator }, &below[..]);
    let first_edge = data.first().map(|line| sampled.fields(line)).transpose()?;
    let count = first_edge.as_ref().or(header.as_ref()).map_or(0, Vec::len);
    let positions = match &header {
        Some(names) => resolve(columns, names).map_err(|reason| line.flaw(format!("in this header {reason}")))?,
        None => without_header(columns, count).map_err(|reason| line.flaw(reason))?,
    };
    let named_columns = header.as_ref().map_or(0, Vec::len);
    let further_columns = columns.is_some() || positions.weight.is_some() || named_columns > 2;
    let numbers = sampled.all_numbers(data, &[positions.source, positions.target]);
    Ok(LineLayout { start, separator, header, positions, further_columns, numbers, listing, direction_stated })
}

/// The first records of a text that are data.
fn first_records<'a>(text: Text<'a>, start: usize, separator: Separator, comments: &'static [u8]) -> Vec<Line<'a>> {
    let records = Records { lines: text.lines_from(start), separator, comments };
    records.filter(|record| record.is_data(comments)).take(SAMPLE).collect()
}

/// Where the line behind a record begins.
fn after(text: Text<'_>, record: &Line<'_>) -> usize {
    (record.position + record.rest.len() + 1).min(text.bytes.len())
}

/// Whether a text may be an edge list: readable, and its first lines have columns.
pub(super) fn looks_like_edges(text: Text<'_>) -> bool {
    let lines: Vec<Line<'_>> = text.lines_from(0).filter(|line| line.is_data(COMMENTS)).take(SAMPLE).collect();
    let is_readable = |line: &Line<'_>| {
        let characters = str::from_utf8(line.rest).map(|line| line.chars());
        characters.is_ok_and(|mut it| it.all(|character| !character.is_control() || matches!(character, '\t' | '\r')))
    };
    // What other formats of text begin with.
    let is_other = |line: &Line<'_>| matches!(line.first(), Some(b'{' | b'[' | b'<'));
    let columns = |line: &Line<'_>, separator| names(line, separator).map_or(0, |names| names.len());
    let has_columns = |separator: Separator| match separator {
        // Lines of prose have words as well, but not all the same number.
        Separator::Blanks => lines.iter().all(|line| columns(line, separator) == columns(&lines[0], separator).max(2)),
        _ => lines.iter().all(|line| columns(line, separator) >= 2),
    };
    match lines.first() {
        None => false,
        Some(first) if is_other(first) || !lines.iter().all(is_readable) => false,
        Some(first) => is_pair_of_numbers(first) || Separator::ALL.into_iter().any(has_columns),
    }
}

fn is_pair_of_numbers(line: &Line<'_>) -> bool {
    let mut line = *line;
    line.id().is_ok() && line.id().is_ok()
}

/// What comments before the first edge say of directions, and where that edge begins.
fn remarks(text: Text<'_>, start: usize) -> (Option<Listing>, usize) {
    let mut stated = None;
    let mut lines = text.lines_from(start);
    loop {
        let position = lines.position;
        match lines.next() {
            Some(line) if line.is_data(COMMENTS) => return (stated, position),
            Some(line) if line.first().is_some() => stated = remark_on_direction(line.rest).or(stated),
            Some(_) => {}
            None => return (stated, position),
        }
    }
}

/// What a comment says of the edges, as SNAP's do: by its first word.
fn remark_on_direction(comment: &[u8]) -> Option<Listing> {
    let mut words = comment.split(|byte| matches!(byte, b'#' | b'%' | b' ' | b'\t')).filter(|word| !word.is_empty());
    match words.next()? {
        word if word.eq_ignore_ascii_case(b"undirected") => Some(Listing::UndirectedOnce),
        word if word.eq_ignore_ascii_case(b"directed") => Some(Listing::Directed),
        _ => None,
    }
}

/// What separates columns: what a header that tells is separated by, else what all of the first lines have.
fn separator(lines: &[Line<'_>], columns: Option<&Columns>) -> Result<Separator, Flaw> {
    let first = lines[0];
    let named = |separator: &Separator| {
        let Ok(names) = names(&first, *separator) else { return false };
        match columns.filter(|columns| columns.need_header()) {
            Some(_) => names.len() > 1 && resolve(columns, &names).is_ok(),
            None => tell_ends(&names),
        }
    };
    let separates = |separator: Separator, line: &Line<'_>| {
        let mut fields = Fields::new(*line, separator);
        matches!((fields.next(), fields.next()), (Ok(Some(_)), Ok(Some(_))))
    };
    let all_have = |separator: &Separator| lines.iter().all(|line| separates(*separator, line));
    Separator::ALL
        .into_iter()
        .find(named)
        .or_else(|| Separator::ALL.into_iter().find(all_have))
        .or_else(|| lines.iter().all(is_pair_of_numbers).then_some(Separator::BlanksOrCommas))
        // One of the lines is wrong, and the reader will find it.
        .or_else(|| Separator::ALL.into_iter().find(|separator| separates(*separator, &first)))
        .ok_or_else(|| no_separator(&first))
}

#[cold]
fn no_separator(line: &Line<'_>) -> Flaw {
    const KNOWN: &str = "columns are separated by blanks, tabs, commas, semicolons or vertical bars";
    if let Err(flaw) = Fields::new(*line, Separator::Commas).collect() {
        return flaw;
    }
    let text = line.rest.trim_ascii();
    let other = String::from_utf8_lossy(text).chars().find(|it| !it.is_alphanumeric() && !"_-.\"'".contains(*it));
    line.flaw(match other {
        Some(other) => format!("'{other}' in '{}' separates no columns: {KNOWN}", shown(text)),
        None => format!("'{}' is one column, and an edge has two nodes: {KNOWN}", shown(text)),
    })
}

/// The fields of a line as text.
fn names(line: &Line<'_>, separator: Separator) -> Result<Vec<String>, Flaw> {
    let fields = Fields::new(*line, separator).collect()?;
    Ok(fields.iter().map(|field| String::from_utf8_lossy(&field.text).into_owned()).collect())
}

/// The first lines, with what separates their columns.
struct Sample<'a> {
    lines: &'a [Line<'a>],
    separator: Separator,
}

impl Sample<'_> {
    fn fields(&self, line: &Line<'_>) -> Result<Vec<String>, Flaw> {
        if self.separator != Separator::BlanksOrCommas {
            return names(line, self.separator);
        }
        let mut line = *line;
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        Ok(std::iter::from_fn(|| line.field().map(text)).collect())
    }

    /// The names of the columns if the first line is a header: if its names tell so, if the user names columns by them, or if it
    /// has text where all other lines have numbers.
    fn header(&self, columns: Option<&Columns>) -> Result<Option<Vec<String>>, Flaw> {
        let names = self.fields(&self.lines[0])?;
        let others = &self.lines[1..];
        let is_text = |column: usize| names.get(column).is_some_and(|name| !is_number(name) && !name.is_empty());
        let numbers_below = |column: usize| is_text(column) && self.all_are(others, column, is_number);
        let weight = match columns.and_then(|columns| columns.weight.as_ref()) {
            Some(Column::Number(number)) => number - 1,
            _ => 2,
        };
        let is_header = tell_ends(&names)
            || columns.is_some_and(Columns::need_header)
            || !others.is_empty()
                && (numbers_below(0) && numbers_below(1) || is_text(0) && is_text(1) && numbers_below(weight));
        Ok(is_header.then_some(names))
    }

    /// Whether a column has such fields in all of these lines.
    fn all_are(&self, lines: &[Line<'_>], column: usize, is: fn(&str) -> bool) -> bool {
        lines.iter().all(|line| self.fields(line).is_ok_and(|fields| fields.get(column).is_some_and(|field| is(field))))
    }

    /// Whether the nodes in these columns are numbers.
    fn all_numbers(&self, lines: &[Line<'_>], columns: &[usize]) -> bool {
        columns.iter().all(|column| self.all_are(lines, *column, |field| id_of(field.as_bytes()).is_some()))
    }
}

pub(super) fn is_number(field: &str) -> bool {
    lexical_core::parse::<f64>(field.as_bytes()).is_ok()
}

/// A node's name as a number, if it is one that fits 64 bits and is spelt in the one way it has.
#[inline]
pub(super) fn id_of(field: &[u8]) -> Option<u64> {
    let spelt_so = matches!(field, [b'0'] | [b'1'..=b'9', ..]);
    if spelt_so { lexical_core::parse(field).ok() } else { None }
}

/// Where edges are when columns have no names: where the user says, else in the first three.
fn without_header(columns: Option<&Columns>, count: usize) -> Result<Positions, String> {
    let place = |role: &str, column: Option<&Column>| match column {
        Some(Column::Number(number)) if *number <= count => Ok(Some(number - 1)),
        Some(column) => Err(format!("{role}={column}: the first edge has {count} columns")),
        None => Ok(None),
    };
    let source = place("source", columns.and_then(|columns| columns.source.as_ref()))?.unwrap_or(0);
    let target = place("target", columns.and_then(|columns| columns.target.as_ref()))?.unwrap_or(1);
    let weight = place("weight", columns.and_then(|columns| columns.weight.as_ref()))?;
    if source == target {
        return Err(format!("the source and the target are both column {}", source + 1));
    }
    Ok(Positions { source, target, weight: weight.or_else(|| (columns.is_none() && count > 2).then_some(2)) })
}

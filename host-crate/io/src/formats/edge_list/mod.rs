//! Edge lists: SNAP's files, CSV and everything like them. A line is an edge: two nodes, a weight if there is one, and further
//! columns that are ignored; separated by tabs, blanks, commas, semicolons or vertical bars, in quotes where a field needs them.
//! Lines that begin with `#` or `%` are comments, of which SNAP's `# Undirected graph` is believed; without it a list is directed.
//! Below a header there are no comments.
//! A header says which columns are which, and a user who says otherwise is obeyed; without either they are source, target and,
//! if the first edge has three, weight. The nodes are exactly those that occur: numbers, if all are, else names.

mod fields;
mod hints;
mod layout;
mod records;
mod separator;
mod writing;

use super::{
    Columns,
    batch::{join, read_batches},
    compact,
    names::{self, PieceNames},
    prelude::*,
};
use evenkeel_graph::EdgesPart;
use fields::{Field, Fields};
use layout::{COMMENTS, LineLayout, id_of, layout, looks_like_edges};
use records::Records;
use separator::Separator;
use std::{
    borrow::Cow,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
};

pub(super) struct EdgeListFormat;

impl FileFormat for EdgeListFormat {
    const NAME: &'static str = "edge-list";
    const ABOUT: &'static str = "pairs of nodes, with weights or without: CSV, SNAP and the like";
    const EXTENSIONS: &'static [&'static str] = &["el", "txt", "tsv", "csv", "edges", "edgelist", "wel"];
    const HAS_COLUMNS: bool = true;
    const LACKS: &'static [Feature] = &[Feature::IsolatedNodes];
    const WRITER: Option<Writer> = Some(writing::write);
    const DIALECTS: &'static [Dialect] = &[writing::CSV, writing::TSV];

    fn recognise(beginning: Text<'_>) -> Recognition {
        if looks_like_edges(beginning) { Recognition::Possible } else { Recognition::No }
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let layout = layout(text, files.columns).map_err(|flaw| text.error(flaw))?;
        let reader = Reader::new(text, &layout);
        let loaded = reader.read().map_err(|error| reader.with_hint_at_metis(error))?;
        if let Some(remark) = reader.remark_on_first_line(&loaded) {
            tracing::warn!("{remark}");
        }
        Ok(loaded.with_table(layout.table(), layout.direction_stated))
    }
}

pub use writing::quoted;

/// Reads one of several parts of a text: the lines that begin in its share of the bytes. Nothing comes of a text that is not plain
/// numbers, line by line, as far as this part shows; the whole of it has to be read then.
pub(super) fn read_part(
    text: Text<'_>,
    columns: Option<&Columns>,
    part: usize,
    parts: usize,
) -> Result<Option<EdgesPart>> {
    let layout = layout(text, columns).map_err(|flaw| text.error(flaw))?;
    let reader = Reader::new(text, &layout);
    if !reader.is_plain() {
        return Ok(None);
    }
    let begins = |part: usize| {
        let bytes = (text.bytes.len() - layout.start) as u128;
        let near = layout.start + (bytes * part as u128 / parts as u128) as usize;
        // A line belongs to the part in which it begins.
        let line_ends =
            |byte: usize| memchr::memchr(b'\n', &text.bytes[byte..]).map_or(text.bytes.len(), |end| byte + end + 1);
        if part == 0 { layout.start } else { line_ends(near - 1) }
    };
    let (begin, end) = (begins(part), if part + 1 == parts { text.bytes.len() } else { begins(part + 1) });
    let of_part = Text { path: text.path, bytes: &text.bytes[..end] };
    let of_part_alone = Reader::new(of_part, &layout);
    match of_part_alone.plain_batches(begin.min(end)) {
        Err(_) if of_part_alone.found_text.load(Relaxed) => Ok(None),
        batches => {
            let Batch { sources, targets, weights, rounding } = join(batches?)?;
            let weight_remark = rounding.remark(text);
            Ok(Some(EdgesPart { sources, targets, weights, listing: layout.listing, weight_remark }))
        }
    }
}

const ADJACENCY_HINT: &str = "(if lines are a node and its neighbours, the format is 'adjacency')";
const NO_WEIGHT_HINT: &str = "(--columns source=1,target=2 reads edges without weights)";

struct Reader<'a> {
    text: Text<'a>,
    layout: &'a LineLayout,
    has_header: bool,
    /// Whether a node is called by something else than a number, or a quote is open at the end of a line.
    found_text: AtomicBool,
    /// Whether a field in quotes goes on in the next line, once that is known.
    has_long_records: OnceLock<bool>,
}

/// What a text is cut into.
#[derive(Clone, Copy)]
enum Cut {
    Lines,
    /// Lines, or several where a field in quotes goes on in the next.
    Records,
}

/// The fields of an edge.
struct Edge<'a> {
    source: Field<'a>,
    target: Field<'a>,
    weight: Option<Field<'a>>,
}

impl<'a> Reader<'a> {
    fn new(text: Text<'a>, layout: &'a LineLayout) -> Self {
        let has_header = layout.header.is_some();
        Self { text, layout, has_header, found_text: AtomicBool::new(false), has_long_records: OnceLock::new() }
    }

    /// Reads lines, in parallel, and records only where a line turns out to be a part of one.
    fn read(&self) -> Result<Loaded> {
        if self.is_plain() {
            match self.read_plain() {
                // A number may be in quotes, which the next reader knows.
                Err(_) if self.found_text.swap(false, Relaxed) => {}
                read => return read,
            }
        }
        match self.read_fields(Cut::Lines) {
            Err(_) if self.has_long_records() => self.read_fields(Cut::Records),
            read => read,
        }
    }

    /// Reads nodes as numbers where the first lines have numbers, and all of them as names if a later one has a name after all.
    fn read_fields(&self, cut: Cut) -> Result<Loaded> {
        if self.layout.numbers {
            match self.read_numbers(cut) {
                Err(error) if self.found_text.swap(false, Relaxed) => {
                    if matches!(cut, Cut::Lines) && self.has_long_records() {
                        return Err(error);
                    }
                    tracing::warn!("{error}; all nodes are taken by their names");
                }
                read => return read,
            }
        }
        self.read_names(cut)
    }

    fn has_long_records(&self) -> bool {
        *self.has_long_records.get_or_init(|| {
            self.records().any(|record| record.is_data(self.layout.comments()) && record.rest.contains(&b'\n'))
        })
    }

    fn records(&self) -> Records<'a> {
        let lines = self.text.lines_from(self.layout.start);
        Records { lines, separator: self.layout.separator, comments: self.layout.comments() }
    }

    #[inline]
    fn is_data(&self, line: &Line<'_>) -> bool {
        line.first().is_some_and(|first| self.has_header || !COMMENTS.contains(&first))
    }

    /// Whether an edge is two numbers at the beginning of its line, and perhaps a weight, without quotes: the usual file, which has
    /// a faster reader.
    fn is_plain(&self) -> bool {
        let &LineLayout { start, separator, positions, numbers, .. } = self.layout;
        let first = self.text.lines_from(start).find(|line| self.is_data(line));
        numbers
            && !matches!(separator, Separator::Semicolons | Separator::Bars)
            && (positions.source, positions.target) == (0, 1)
            && positions.weight.is_none_or(|weight| weight == 2)
            && first.is_none_or(|mut line| line.id().is_ok() && line.id().is_ok())
    }

    /// An empty column of weights, or none.
    fn weights(&self) -> EdgeWeights {
        self.layout.positions.weight.map_or(EdgeWeights::None, |_| EdgeWeights::U32(Vec::new()))
    }

    fn read_plain(&self) -> Result<Loaded> {
        self.load_numbers(self.plain_batches(self.layout.start)?)
    }

    /// The edges from a byte on.
    fn plain_batches(&self, start: usize) -> Result<Vec<Batch<u64>>> {
        let is_data = |line: &Line<'_>| self.is_data(line);
        read_batches(self.text, start, &self.weights(), is_data, |line, batch| {
            let (source, target) = (self.plain_id(line)?, self.plain_id(line)?);
            match (self.layout.positions.weight, line.first()) {
                (Some(_), None) => Err(self.no_weight(line)),
                (None, Some(_)) if !self.layout.further_columns => Err(self.surplus(line)),
                _ => batch.push(source, target, line).map_err(|flaw| self.hinted(flaw)),
            }?;
            match line.rest.is_empty() || !Fields::new(*line, self.layout.separator).leaves_quote_open() {
                true => Ok(()),
                false => Err(self.open_quote(line)),
            }
        })
    }

    #[inline]
    fn plain_id(&self, line: &mut Line<'_>) -> Result<u64, Flaw> {
        let field = *line;
        line.id().inspect_err(|_| {
            if field.first().is_some() {
                self.found_text.store(true, Relaxed);
            }
        })
    }

    fn read_numbers(&self, cut: Cut) -> Result<Loaded> {
        let weights = self.weights();
        let batches = match cut {
            Cut::Lines => self.text.in_pieces(self.layout.start, |lines| {
                let bytes = lines.bytes.len();
                self.piece_of_numbers(lines, Batch::new(bytes, weights.clone()))
            })?,
            Cut::Records => {
                let batch = self.piece_of_numbers(self.records(), Batch::new(0, weights));
                vec![batch.map_err(|flaw| self.text.error(flaw))?]
            }
        };
        self.load_numbers(batches)
    }

    fn piece_of_numbers(
        &self,
        lines: impl Iterator<Item = Line<'a>>,
        mut batch: Batch<u64>,
    ) -> Result<Batch<u64>, Flaw> {
        for line in lines.filter(|line| self.is_data(line)) {
            let edge = self.edge(line)?;
            let (source, target) = (self.number(&line, &edge.source)?, self.number(&line, &edge.target)?);
            self.push(&mut batch, source, target, &line, edge.weight)?;
        }
        Ok(batch)
    }

    fn number(&self, line: &Line<'_>, field: &Field<'_>) -> Result<u64, Flaw> {
        id_of(&field.text).ok_or_else(|| {
            self.found_text.store(true, Relaxed);
            line.flaw(format!("'{}' is not a number", shown(&field.text)))
        })
    }

    fn load_numbers(&self, batches: Vec<Batch<u64>>) -> Result<Loaded> {
        compact::load(self.text, join(batches)?, &[], self.layout.listing)
    }

    fn read_names(&self, cut: Cut) -> Result<Loaded> {
        let weights = self.weights();
        let pieces = match cut {
            Cut::Lines => self.text.in_pieces(self.layout.start, |lines| {
                let bytes = lines.bytes.len();
                self.piece_of_names(lines, Batch::new(bytes, weights.clone()))
            })?,
            Cut::Records => {
                let piece = self.piece_of_names(self.records(), Batch::new(0, weights));
                vec![piece.map_err(|flaw| self.text.error(flaw))?]
            }
        };
        names::load(self.text, pieces, self.layout.listing)
    }

    fn piece_of_names(
        &self,
        lines: impl Iterator<Item = Line<'a>>,
        mut batch: Batch<u32>,
    ) -> Result<(PieceNames<'a>, Batch<u32>), Flaw> {
        let mut names = PieceNames::default();
        for line in lines.filter(|line| self.is_data(line)) {
            let edge = self.edge(line)?;
            let mut number = |name: Cow<'a, [u8]>| {
                let error = |_| line.flaw("a node's name is not valid UTF-8");
                names.number(name).map_err(error)
            };
            let (source, target) = (number(edge.source.text)?, number(edge.target.text)?);
            self.push(&mut batch, source, target, &line, edge.weight)?;
        }
        Ok((names, batch))
    }

    /// The fields of a line that make an edge.
    #[inline]
    fn edge(&self, line: Line<'a>) -> Result<Edge<'a>, Flaw> {
        let positions = self.layout.positions;
        let ends = positions.source.max(positions.target);
        let mut fields = Fields::new(line, self.layout.separator);
        let (mut source, mut target, mut weight) = (None, None, None);
        for column in 0..=ends.max(positions.weight.unwrap_or(0)) {
            let Some(field) = fields.next()? else {
                return Err(if column > ends { self.no_weight(&line) } else { missing_node(&line) });
            };
            if positions.weight == Some(column) {
                weight = Some(field.clone());
            }
            if column == positions.source || column == positions.target {
                if field.text.is_empty() && !field.quoted {
                    return Err(line.flaw(format!("column {} is empty, where a node should be", column + 1)));
                }
                *(if column == positions.source { &mut source } else { &mut target }) = Some(field);
            }
        }
        if !self.layout.further_columns && fields.next()?.is_some() {
            return Err(self.surplus(&line));
        }
        if fields.leaves_quote_open() {
            return Err(self.open_quote(&line));
        }
        let (Some(source), Some(target)) = (source, target) else { return Err(missing_node(&line)) };
        Ok(Edge { source, target, weight })
    }

    #[inline]
    fn push<Id>(
        &self,
        batch: &mut Batch<Id>,
        source: Id,
        target: Id,
        line: &Line<'_>,
        weight: Option<Field<'_>>,
    ) -> Result<(), Flaw> {
        if let Some(weight) = weight {
            batch.push_weight_of(&weight.text, line).map_err(|flaw| self.hinted(flaw))?;
        }
        batch.sources.push(source);
        batch.targets.push(target);
        Ok(())
    }

    /// The flaw of a line that ends within quotes. What follows is no edge, so that another reader has to look at the file.
    #[cold]
    fn open_quote(&self, line: &Line<'_>) -> Flaw {
        self.found_text.store(true, Relaxed);
        line.flaw("a quote opens here and is not closed")
    }

    #[cold]
    fn no_weight(&self, line: &Line<'_>) -> Flaw {
        match self.layout.header {
            Some(_) => line.flaw("the line ends where a weight should be"),
            None => line.flaw(format!("no weight here, though the first edge has one {ADJACENCY_HINT}")),
        }
    }

    #[cold]
    fn surplus(&self, line: &Line<'_>) -> Flaw {
        let first = if self.layout.header.is_some() { "header" } else { "first edge" };
        line.flaw(format!("more columns here than the {first} has {ADJACENCY_HINT}"))
    }

    /// Adds what to do about a third column that holds no weights, though it was taken for them.
    #[cold]
    fn hinted(&self, mut flaw: Flaw) -> Flaw {
        if self.layout.header.is_none() {
            flaw.reason += &format!(" {NO_WEIGHT_HINT}");
        }
        flaw
    }
}

#[cold]
fn missing_node(line: &Line<'_>) -> Flaw {
    line.flaw("the line ends where a node should be")
}

#[cfg(test)]
mod tests;

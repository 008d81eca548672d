//! Edge lists: SNAP's files, CSV and everything like them. A line is an edge: two nodes, a weight if there is one, and further
//! columns that are ignored; separated by tabs, blanks, commas, semicolons or vertical bars, in quotes where a field needs them.
//! Lines that begin with `#` or `%` are comments, of which SNAP's `# Undirected graph` is believed; without it a list is directed.
//! A header says which columns are which, and a user who says otherwise is obeyed; without either they are source, target and,
//! if the first edge has three, weight. The nodes are exactly those that occur: numbers, if all are, else names.

mod fields;
mod layout;

use super::{
    batch::{join, read_batches},
    compact,
    names::{self, PieceNames},
    prelude::*,
};
use crate::graph::{NodeIds, NodeName};
use fields::{Field, Fields, Separator};
use layout::{COMMENTS, Layout, id_of, layout, looks_like_edges};
use std::{
    borrow::Cow,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

pub(super) struct EdgeListFormat;

impl FileFormat for EdgeListFormat {
    const NAME: &'static str = "edge-list";
    const ABOUT: &'static str = "pairs of nodes, with weights or without: CSV, SNAP and the like";
    const EXTENSIONS: &'static [&'static str] = &["el", "txt", "tsv", "csv", "edges", "edgelist", "wel"];
    const HAS_COLUMNS: bool = true;
    const LACKS: &'static [Feature] = &[Feature::IsolatedNodes];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        if looks_like_edges(beginning) { Recognition::Possible } else { Recognition::No }
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let layout = layout(text, files.columns).map_err(|flaw| text.error(flaw))?;
        let reader = Reader { text, layout: &layout, found_text: AtomicBool::new(false) };
        Ok(reader.read()?.with_table(layout.table(), layout.direction_stated))
    }
}

const ADJACENCY_HINT: &str = "(if lines are a node and its neighbours, the format is 'adjacency')";
const NO_WEIGHT_HINT: &str = "(--columns source=1,target=2 reads edges without weights)";

struct Reader<'a> {
    text: Text<'a>,
    layout: &'a Layout,
    /// Whether a node is called by something else than a number.
    found_text: AtomicBool,
}

/// The fields of an edge.
struct Edge<'a> {
    source: Field<'a>,
    target: Field<'a>,
    weight: Option<Field<'a>>,
}

impl<'a> Reader<'a> {
    /// Reads nodes as numbers where the first lines have numbers, and all of them as names if a later one has a name after all.
    fn read(&self) -> Result<Loaded> {
        let found_text = || self.found_text.swap(false, Relaxed);
        if self.is_plain() {
            match self.read_plain() {
                // A number may be in quotes, which the next reader knows.
                Err(_) if found_text() => {}
                read => return read,
            }
        }
        if self.layout.numbers {
            match self.read_numbers() {
                Err(error) if found_text() => tracing::warn!("{error}; all nodes are taken by their names"),
                read => return read,
            }
        }
        self.read_names()
    }

    /// Whether an edge is two numbers at the beginning of its line, and perhaps a weight, without quotes: the usual file, which has
    /// a faster reader.
    fn is_plain(&self) -> bool {
        let &Layout { start, separator, positions, numbers, .. } = self.layout;
        let first = self.text.lines_from(start).find(is_data);
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
        let batches = read_batches(self.text, self.layout.start, &self.weights(), is_data, |line, batch| {
            let (source, target) = (self.plain_id(line)?, self.plain_id(line)?);
            match (self.layout.positions.weight, line.first()) {
                (Some(_), None) => Err(self.no_weight(line)),
                (None, Some(_)) if !self.layout.further_columns => Err(self.surplus(line)),
                _ => batch.push(source, target, line).map_err(|flaw| self.hinted(flaw)),
            }
        })?;
        self.load_numbers(batches)
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

    fn read_numbers(&self) -> Result<Loaded> {
        let batches = read_batches(self.text, self.layout.start, &self.weights(), is_data, |line, batch| {
            let edge = self.edge(*line)?;
            let (source, target) = (self.number(line, &edge.source)?, self.number(line, &edge.target)?);
            self.push(batch, source, target, line, edge.weight)
        })?;
        self.load_numbers(batches)
    }

    fn number(&self, line: &Line<'_>, field: &Field<'_>) -> Result<u64, Flaw> {
        id_of(&field.text).ok_or_else(|| {
            self.found_text.store(true, Relaxed);
            line.flaw(format!("'{}' is not a number", shown(&field.text)))
        })
    }

    fn load_numbers(&self, batches: Vec<Batch<u64>>) -> Result<Loaded> {
        compact::load(self.text, join(self.text, batches)?, &[], self.layout.listing)
    }

    fn read_names(&self) -> Result<Loaded> {
        let weights = self.weights();
        let pieces = self.text.in_pieces(self.layout.start, |lines| {
            let (mut names, mut batch) = (PieceNames::default(), Batch::new(lines.bytes.len(), weights.clone()));
            for line in lines.filter(is_data) {
                let edge = self.edge(line)?;
                let mut number = |name: Cow<'a, [u8]>| {
                    let error = |_| line.flaw("a node's name is not valid UTF-8");
                    names.number(name).map_err(error)
                };
                let (source, target) = (number(edge.source.text)?, number(edge.target.text)?);
                self.push(&mut batch, source, target, &line, edge.weight)?;
            }
            Ok((names, batch))
        })?;
        names::load(self.text, pieces, self.layout.listing)
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

fn is_data(line: &Line<'_>) -> bool {
    line.is_data(COMMENTS)
}

#[cold]
fn missing_node(line: &Line<'_>) -> Flaw {
    line.flaw("the line ends where a node should be")
}

/// Writes an edge list with SNAP's remark on directions. Nodes without edges have no place in it. Where nodes have names, a header
/// keeps the first edge from being taken for one.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let kind = if graph.directed { "Directed" } else { "Undirected" };
    writeln!(out, "# {kind} graph\n# Nodes: {} Edges: {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    let NodeIds::Named(names) = &graph.ids else {
        return rows::write_edges(graph, out, "", |node| graph.ids.name(node), graph.csr.weights());
    };
    if names.parts().0.contains(&b'\n') {
        let reason = "the name of a node has a line end in it, which an edge list cannot hold";
        return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
    }
    writeln!(out, "source target{}", if graph.csr.weights().is_none() { "" } else { " weight" })?;
    rows::write_edges(graph, out, "", |node| NodeName::Text(quoted(names.get(node))), graph.csr.weights())
}

/// A name as it is written: in quotes where it would be read as something else.
fn quoted(name: Cow<'_, str>) -> Cow<'_, str> {
    let needs_quotes =
        name.is_empty() || name.starts_with(['#', '%']) || name.contains([' ', '\t', '\r', '"', ',', ';', '|']);
    if needs_quotes { format!("\"{}\"", name.replace('"', "\"\"")).into() } else { name }
}

#[cfg(test)]
mod tests;

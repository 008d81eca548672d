//! Matrix Market (`.mtx`): the coordinate format with pattern, integer or real entries. An entry (i, j) is an edge from i to
//! j. A general matrix is directed, a symmetric one undirected; a skew-symmetric one is directed and gets the entry (j, i)
//! of the opposite sign for each that is listed. A rectangular matrix is taken as the square one that contains it. Indices
//! are counted from 1; a file that uses 0 and never the highest index is taken as counted from 0, with a warning.

use super::{
    FileFormat, Files, Holds, Listing, Loaded, Parsed, Recognition, Writer,
    batch::{self, Batch, check_claimed_nodes, check_promised_edges},
    lines::{Flaw, Line, Lines, Text, shown},
    rows,
};
use crate::{
    Result,
    graph::{EdgeWeights, Graph, NodeIds, Weights},
};
use rayon::prelude::*;
use std::io::{self, Write};

/// Matrix Market files.
pub(super) struct MatrixMarket;

impl FileFormat for MatrixMarket {
    const NAME: &'static str = "matrix-market";
    const ABOUT: &'static str = "Matrix Market, coordinates";
    const EXTENSIONS: &'static [&'static str] = &["mtx"];
    const HOLDS: Holds = Holds { ids: false, ..Holds::EVERYTHING };
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        let start = beginning.bytes.get(..BANNER.len());
        Recognition::certain_if(start.is_some_and(|start| start.eq_ignore_ascii_case(BANNER)))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        parse(files.main.text()).map(Loaded::Edges)
    }
}

/// What every file begins with.
const BANNER: &[u8] = b"%%MatrixMarket";

const FORM: &str = "'%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric|skew-symmetric'";

#[derive(Clone, Copy, PartialEq)]
enum Field {
    Pattern,
    Integer,
    Real,
}

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// Entries of a piece with indices as they are written, and where the first index 0 stands.
struct Entries {
    batch: Batch<u32>,
    zero: Option<Flaw>,
}

/// Reads a matrix.
fn parse(text: Text<'_>) -> Result<Parsed> {
    let mut lines = text.lines_from(0);
    let Some(first) = lines.next() else {
        return Err(text.error_of_file(format!("the first line should be {FORM}")));
    };
    let (field, symmetry) = banner(first).map_err(|flaw| text.error(flaw))?;
    let (rows, columns, promised) = match sizes(&mut lines) {
        Some(sizes) => sizes.map_err(|flaw| text.error(flaw))?,
        None => return Err(text.error_of_file("the line '<rows> <columns> <entries>' is missing")),
    };
    let nodes = check_claimed_nodes(text, rows.max(columns))?;
    let pieces = text.in_pieces(lines.position(), |lines| piece(lines, field, symmetry, (rows, columns)))?;
    let (batches, zeros): (Vec<_>, Vec<_>) = pieces.into_iter().map(|piece| (piece.batch, piece.zero)).unzip();
    let mut entries = batch::join(text, batches)?;
    check_promised_edges(text, promised, entries.sources.len())?;
    let first = first_index(text, zeros.into_iter().flatten().next(), &mut entries, nodes)?;
    if symmetry == Symmetry::Skew {
        entries = with_opposites(text, entries)?;
    }
    let listing = if symmetry == Symmetry::Symmetric { Listing::UndirectedOnce } else { Listing::Directed };
    Ok(Parsed::dense(nodes, entries, NodeIds::Counted { first }, listing))
}

fn banner(mut line: Line<'_>) -> Result<(Field, Symmetry), Flaw> {
    let words: Vec<String> =
        std::iter::from_fn(|| line.field()).take(6).map(|word| shown(word).to_lowercase()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
        return Err(line.flaw(format!("the first line should be {FORM}")));
    };
    if format != "coordinate" {
        return Err(line.flaw(format!("the format '{format}' lists no edges; {FORM} is read")));
    }
    let field = match field {
        "pattern" => Field::Pattern,
        "integer" => Field::Integer,
        "real" | "double" => Field::Real,
        other => return Err(line.flaw(format!("entries of the kind '{other}' are no weights; {FORM} is read"))),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" if field != Field::Pattern => Symmetry::Skew,
        other => return Err(line.flaw(format!("the symmetry '{other}' is not known here; {FORM} is read"))),
    };
    Ok((field, symmetry))
}

fn sizes(lines: &mut Lines<'_>) -> Option<Result<(u64, u64, u64), Flaw>> {
    let mut line = lines.find(|line| line.is_data(b"%"))?;
    Some((|| {
        let (rows, columns) = (line.whole("the number of rows")?, line.whole("the number of columns")?);
        let entries = line.whole("the number of entries")?;
        line.end().map(|()| (rows, columns, entries))
    })())
}

fn piece(lines: Lines<'_>, field: Field, symmetry: Symmetry, sizes: (u64, u64)) -> Result<Entries, Flaw> {
    let column = match field {
        Field::Pattern => EdgeWeights::None,
        Field::Integer => EdgeWeights::U32(Vec::new()),
        Field::Real => EdgeWeights::F32(Vec::new()),
    };
    let mut batch = Batch::new(lines.records_of(12), column);
    let mut zero = None;
    for mut line in lines.filter(|line| line.is_data(b"%")) {
        let (row, column) = (line.whole("a row")?, line.whole("a column")?);
        if row > sizes.0 || column > sizes.1 {
            return Err(
                line.flaw(format!("({row}, {column}) lies outside of {} rows and {} columns", sizes.0, sizes.1))
            );
        }
        if symmetry == Symmetry::Skew && row == column {
            return Err(line.flaw("a skew-symmetric matrix has no entries on its diagonal"));
        }
        if zero.is_none() && (row == 0 || column == 0) {
            zero = Some(line.flaw("an index 0, though indices here are counted from 1: the highest one occurs"));
        }
        // Both are at most the checked number of nodes.
        let (row, column) = (row as u32, column as u32);
        match field {
            Field::Pattern => batch.push(row, column),
            _ => batch.push_weighted(row, column, line.weight()?),
        }
        line.end()?;
    }
    Ok(Entries { batch, zero })
}

/// Turns indices as written into nodes and returns what the first node is called.
fn first_index(text: Text<'_>, zero: Option<Flaw>, entries: &mut Batch<u32>, nodes: u32) -> Result<u64> {
    let Some(flaw) = zero else {
        let ends = [&mut entries.sources, &mut entries.targets];
        ends.into_par_iter().for_each(|indices| indices.par_iter_mut().for_each(|index| *index -= 1));
        return Ok(1);
    };
    if [&entries.sources, &entries.targets]
        .into_par_iter()
        .any(|indices| indices.par_iter().any(|index| *index >= nodes))
    {
        return Err(text.error(flaw));
    }
    tracing::warn!(
        "{}: indices are taken as counted from 0, as index 0 occurs and {nodes} does not",
        text.path.display()
    );
    Ok(0)
}

fn with_opposites(text: Text<'_>, entries: Batch<u32>) -> Result<Batch<u32>> {
    let opposite_weights = match &entries.weights {
        EdgeWeights::None => EdgeWeights::None,
        EdgeWeights::U32(column) => EdgeWeights::F32(column.iter().map(|weight| -(*weight as f32)).collect()),
        EdgeWeights::F32(column) => EdgeWeights::F32(column.iter().map(|weight| -weight).collect()),
    };
    let (sources, targets) = (entries.targets.clone(), entries.sources.clone());
    batch::join(text, vec![entries, Batch { sources, targets, weights: opposite_weights }])
}

/// Writes a general matrix, or a symmetric one for an undirected graph: then its lower triangle, as the format demands.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let field = match graph.csr.weights() {
        Weights::None => "pattern",
        Weights::U32(_) => "integer",
        Weights::F32(_) => "real",
    };
    let symmetry = if graph.directed { "general" } else { "symmetric" };
    writeln!(out, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
    let nodes = graph.csr.nodes();
    writeln!(out, "{nodes} {nodes} {}", rows::listed_edges(graph))?;
    rows::write_rows(graph, out, |node, text| {
        for (target, position) in rows::listed(graph, node) {
            let ends = (u64::from(node) + 1, u64::from(target) + 1);
            let ends = if graph.directed { ends } else { (ends.1, ends.0) };
            rows::push_edge(text, "", ends, graph.csr.weights(), position);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};

    fn matrix(kind: &str, body: &str) -> Parsed {
        parsed(parse, &format!("%%MatrixMarket matrix coordinate {kind}\n% remark\n\n{body}"))
    }

    #[test]
    fn every_kind_of_entry() {
        let pattern = matrix("pattern general", "3 3 2\n1 2\n3 1\n");
        assert_eq!((edges(&pattern), pattern.edges.weights), (vec![(0, 1), (2, 0)], EdgeWeights::None));
        assert_eq!(matrix("integer general", "2 2 1\n1 2 7\n").edges.weights, EdgeWeights::U32(vec![7]));
        assert_eq!(matrix("integer general", "2 2 1\n1 2 -7\n").edges.weights, EdgeWeights::F32(vec![-7.0]));
        assert_eq!(matrix("real general", "2 2 1\n1 2 7\n").edges.weights, EdgeWeights::F32(vec![7.0]));
        assert_eq!(matrix("Real General", "2 2 1\n1 2 .5E-1\n").edges.weights, EdgeWeights::F32(vec![0.05]));
    }

    #[test]
    fn every_symmetry() {
        assert_eq!(matrix("pattern general", "1 1 0\n").listing, Listing::Directed);
        assert_eq!(matrix("pattern symmetric", "1 1 0\n").listing, Listing::UndirectedOnce);
        let skew = matrix("integer skew-symmetric", "3 3 1\n3 1 5\n");
        assert_eq!((edges(&skew), skew.listing), (vec![(2, 0), (0, 2)], Listing::Directed));
        assert_eq!(skew.edges.weights, EdgeWeights::F32(vec![5.0, -5.0]));
    }

    #[test]
    fn a_rectangle_is_padded_to_a_square() {
        let wide = matrix("pattern general", "2 5 1\n2 5\n");
        assert_eq!((wide.edges.nodes, edges(&wide)), (5, vec![(1, 4)]));
    }

    #[test]
    fn indices_from_zero_are_recognised() {
        let zero = matrix("pattern symmetric", "3 3 2\n1 0\n2 1\n");
        assert_eq!((edges(&zero), zero.ids), (vec![(1, 0), (2, 1)], NodeIds::Counted { first: 0 }));
        let text = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n3 1\n2 0\n";
        assert!(reason(parse, text).starts_with("test:4: an index 0, though indices here are counted from 1"));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let flaw = |kind: &str, body: &str| reason(parse, &format!("%%MatrixMarket matrix {kind}\n{body}"));
        assert!(flaw("array real general", "").starts_with("test:1: the format 'array' lists no edges"));
        assert!(flaw("coordinate complex general", "").starts_with("test:1: entries of the kind 'complex'"));
        assert!(flaw("coordinate real hermitian", "").starts_with("test:1: the symmetry 'hermitian'"));
        assert_eq!(flaw("coordinate real general", "% x"), "test: the line '<rows> <columns> <entries>' is missing");
        assert_eq!(flaw("coordinate real general", "2 2 1\n1 2\n"), "test:3: the line ends where a weight should be");
        assert_eq!(
            flaw("coordinate pattern general", "2 2 1\n1 2 0.5\n"),
            "test:3: '0.5' is more than this line should hold"
        );
        assert_eq!(
            flaw("coordinate pattern general", "2 2 1\n1 3\n"),
            "test:3: (1, 3) lies outside of 2 rows and 2 columns"
        );
        assert!(
            flaw("coordinate real skew-symmetric", "2 2 1\n1 1 3\n").starts_with("test:3: a skew-symmetric matrix")
        );
        assert_eq!(
            flaw("coordinate pattern general", "2 2 2\n1 2\n"),
            "test: the header promises 2 edges, but the file holds 1"
        );
        assert!(reason(parse, "").starts_with("test: the first line should be"));
        assert!(flaw("coordinate pattern general", "9999999999 1 0\n").contains("9999999999 nodes are too many"));
    }
}

//! Matrix Market (`.mtx`): the coordinate format with pattern, integer or real entries. An entry (i, j) is an edge from i to
//! j. A general matrix is directed, a symmetric one undirected; a skew-symmetric one is directed and gets the entry (j, i)
//! of the opposite sign for each that is listed. A rectangular matrix has a node for each row or column, whichever are more, and keeps its
//! [`Dimensions`]; products take it, and what needs a graph refuses it. Indices are counted from 1; a file that uses 0 and never the highest
//! index is taken as counted from 0, with a warning.

use super::prelude::*;
use evenkeel_graph::Dimensions;
use rayon::prelude::*;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) struct MatrixMarket;

impl FileFormat for MatrixMarket {
    const NAME: &'static str = "matrix-market";
    const ABOUT: &'static str = "Matrix Market, coordinates";
    const EXTENSIONS: &'static [&'static str] = &["mtx"];
    const LACKS: &'static [Feature] = &[Feature::Ids];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        let start = beginning.bytes.get(..BANNER.len());
        Recognition::certain_if(start.is_some_and(|start| start.eq_ignore_ascii_case(BANNER)))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let mut lines = text.lines_from(0);
        let Some(first) = lines.next() else {
            return Err(text.error_of_file(format!("the first line should be {FORM}")));
        };
        let (weights, symmetry) = banner(first).map_err(|flaw| text.error(flaw))?;
        let Some(line) = lines.find(is_data) else {
            return Err(text.error_of_file("the line '<rows> <columns> <entries>' is missing"));
        };
        let (rows, columns, promised) = sizes(line).map_err(|flaw| text.error(flaw))?;
        let nodes = check_claimed_nodes(text, rows.max(columns))?;
        // Where the first line with an index 0 begins.
        let zero = AtomicUsize::new(usize::MAX);
        let mut entries = read_edges(text, lines.position, &weights, is_data, |line, batch| {
            let (row, column) = entry(line, symmetry, (rows, columns))?;
            // Looking first keeps the place shared between cores.
            if (row == 0 || column == 0) && line.position < zero.load(Ordering::Relaxed) {
                zero.fetch_min(line.position, Ordering::Relaxed);
            }
            batch.push(row, column, line)?;
            line.end()
        })?;
        check_edges(text, true, promised, entries.sources.len())?;
        let first = first_index(text, zero.into_inner(), &mut entries, nodes)?;
        if symmetry == Symmetry::Skew {
            entries = with_opposites(entries)?;
        }
        let listing = if symmetry == Symmetry::Symmetric { Listing::UndirectedOnce } else { Listing::Directed };
        let loaded = Loaded::counted(text, nodes, entries, first, listing);
        // Both are at most the checked number of nodes.
        let dimensions = Dimensions { rows: rows as u32, columns: columns as u32 };
        Ok(if rows == columns { loaded } else { loaded.with_dimensions(dimensions) })
    }
}

/// What every file begins with.
const BANNER: &[u8] = b"%%MatrixMarket";

const FORM: &str = "'%%MatrixMarket matrix coordinate pattern|integer|real general|symmetric|skew-symmetric'";

#[derive(Clone, Copy, PartialEq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

fn is_data(line: &Line<'_>) -> bool {
    line.is_data(b"%")
}

/// An empty column for the entries' values, or none, and the symmetry.
fn banner(mut line: Line<'_>) -> Result<(EdgeWeights, Symmetry), Flaw> {
    let words = std::iter::from_fn(|| line.field()).take(6).map(|word| shown(word).to_lowercase());
    let words: Vec<String> = words.collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", format, field, symmetry] = words[..] else {
        return Err(line.flaw(format!("the first line should be {FORM}")));
    };
    if format != "coordinate" {
        return Err(line.flaw(format!("the format '{format}' lists no edges; {FORM} is read")));
    }
    let weights = match field {
        "pattern" => EdgeWeights::None,
        "integer" => EdgeWeights::U32(Vec::new()),
        "real" | "double" => EdgeWeights::F32(Vec::new()),
        other => return Err(line.flaw(format!("entries of the kind '{other}' are no weights; {FORM} is read"))),
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" if !weights.is_none() => Symmetry::Skew,
        other => return Err(line.flaw(format!("the symmetry '{other}' is not known here; {FORM} is read"))),
    };
    Ok((weights, symmetry))
}

fn sizes(mut line: Line<'_>) -> Result<(u64, u64, u64), Flaw> {
    let (rows, columns) = (line.whole("the number of rows")?, line.whole("the number of columns")?);
    let entries = line.whole("the number of entries")?;
    line.end().map(|()| (rows, columns, entries))
}

/// The row and the column of an entry, with indices as they are written.
#[inline]
fn entry(line: &mut Line<'_>, symmetry: Symmetry, (rows, columns): (u64, u64)) -> Result<(u32, u32), Flaw> {
    let (row, column) = (line.whole("a row")?, line.whole("a column")?);
    if row > rows || column > columns {
        return Err(line.flaw(format!("({row}, {column}) lies outside of {rows} rows and {columns} columns")));
    }
    if symmetry == Symmetry::Skew && row == column {
        return Err(line.flaw("a skew-symmetric matrix has no entries on its diagonal"));
    }
    // Both are at most the checked number of nodes.
    Ok((row as u32, column as u32))
}

/// Turns indices as written into nodes and returns what the first node is called. `zero` is the position of the first line
/// with an index 0, beyond the text if there is none.
fn first_index(text: Text<'_>, zero: usize, entries: &mut Batch<u32>, nodes: u32) -> Result<u64> {
    let ends = [&mut entries.sources, &mut entries.targets].into_par_iter();
    if zero >= text.bytes.len() {
        ends.for_each(|indices| indices.par_iter_mut().for_each(|index| *index -= 1));
        return Ok(1);
    }
    if ends.any(|indices| indices.par_iter().any(|index| *index >= nodes)) {
        let reason = "an index 0, though indices here are counted from 1: the highest one occurs".into();
        return Err(text.error(Flaw { position: zero, reason }));
    }
    tracing::warn!(
        "{}: indices are taken as counted from 0, as index 0 occurs and {nodes} does not",
        text.path.display()
    );
    Ok(0)
}

fn with_opposites(entries: Batch<u32>) -> Result<Batch<u32>> {
    let opposite_weights = match &entries.weights {
        EdgeWeights::None => EdgeWeights::None,
        EdgeWeights::U32(column) => EdgeWeights::F32(column.iter().map(|weight| -(*weight as f32)).collect()),
        EdgeWeights::F32(column) => EdgeWeights::F32(column.iter().map(|weight| -weight).collect()),
    };
    let (sources, targets) = (entries.targets.clone(), entries.sources.clone());
    // All weights are reals now, which the empty column says.
    let opposites = Batch::new(0, EdgeWeights::F32(Vec::new()));
    let opposites = Batch { sources, targets, weights: opposite_weights, ..opposites };
    batch::join(vec![entries, opposites])
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
    let Dimensions { rows, columns } = graph.csr.dimensions();
    writeln!(out, "{rows} {columns} {}", rows::listed_edges(graph))?;
    rows::write_rows(graph, out, |node, text| {
        for (target, position) in rows::listed(graph, node) {
            let ends = if graph.directed { [node, target] } else { [target, node] };
            rows::push_edge(text, "", &ends.map(rows::counted), graph.csr.weights(), position);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use crate::formats::Parsed;
    use evenkeel_graph::NodeIds;

    fn matrix(kind: &str, body: &str) -> Parsed {
        parsed(MatrixMarket::read, &format!("%%MatrixMarket matrix coordinate {kind}\n% remark\n\n{body}"))
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
    fn a_rectangle_keeps_its_dimensions() {
        let wide = matrix("pattern general", "2 5 1\n2 5\n");
        assert_eq!(
            (wide.edges.nodes, edges(&wide), wide.dimensions),
            (5, vec![(1, 4)], Some(Dimensions { rows: 2, columns: 5 }))
        );
        assert_eq!(matrix("pattern general", "5 5 1\n2 5\n").dimensions, None);
    }

    #[test]
    fn indices_from_zero_are_recognised() {
        let zero = matrix("pattern symmetric", "3 3 2\n1 0\n2 1\n");
        assert_eq!((edges(&zero), zero.ids), (vec![(1, 0), (2, 1)], NodeIds::Counted { first: 0 }));
        let text = "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n3 1\n2 0\n";
        assert!(
            reason(MatrixMarket::read, text).starts_with("test:4: an index 0, though indices here are counted from 1")
        );
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let flaw =
            |kind: &str, body: &str| reason(MatrixMarket::read, &format!("%%MatrixMarket matrix {kind}\n{body}"));
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
        assert!(reason(MatrixMarket::read, "").starts_with("test: the first line should be"));
        assert!(flaw("coordinate pattern general", "9999999999 1 0\n").contains("9999999999 nodes are too many"));
    }
}

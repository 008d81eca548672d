//! Edge lists: SNAP's files and everything like them. A line is an edge: two node ids, a weight if there is one, and further
//! columns that are ignored; separated by tabs, blanks or commas. Lines that begin with `#` or `%` are comments, of which
//! SNAP's `# Undirected graph` is believed; without it a list is directed. A first line of column names is skipped, and a
//! column named "weight" is where the weights are; otherwise they are in the third, if the first edge has one.
//! The nodes are exactly the ids that occur.

use super::{compact, prelude::*};

pub(super) struct EdgeListFormat;

impl FileFormat for EdgeListFormat {
    const NAME: &'static str = "edge-list";
    const ABOUT: &'static str = "pairs of nodes, with weights or without, as in SNAP";
    const EXTENSIONS: &'static [&'static str] = &["el", "txt", "tsv", "csv", "edges", "edgelist", "wel"];
    const LACKS: &'static [Feature] = &[Feature::IsolatedNodes];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        let first = beginning.lines_from(0).find(|line| line.is_data(b"#%"));
        match first.is_some_and(|mut line| line.whole("").is_ok() && line.whole("").is_ok()) {
            true => Recognition::Possible,
            false => Recognition::No,
        }
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let Layout { start, weight_column, listing } = layout(text);
        let weights = weight_column.map_or(EdgeWeights::None, |_| EdgeWeights::U32(Vec::new()));
        let is_data = |line: &Line<'_>| line.is_data(b"#%");
        let edges = read_edges(text, start, &weights, is_data, |line, batch| read_edge(line, weight_column, batch))?;
        compact::load(text, edges, &[], listing)
    }
}

const ADJACENCY_HINT: &str = "(if lines are a node and its neighbours, the format is 'adjacency')";

/// Where the edges begin and in which column their weights are.
struct Layout {
    start: usize,
    weight_column: Option<usize>,
    listing: Listing,
}

fn layout(text: Text<'_>) -> Layout {
    let mut listing = Listing::Directed;
    let mut named_column = None;
    let mut lines = text.lines_from(0);
    loop {
        let start = lines.position;
        let Some(mut line) = lines.next() else {
            return Layout { start, weight_column: None, listing };
        };
        match line.first() {
            None => {}
            Some(b'#' | b'%') => listing = remark_on_direction(line.rest).unwrap_or(listing),
            // Only the first line may hold names; a second one is a flaw, and reported as such.
            Some(first) if named_column.is_none() && (first.is_ascii_alphabetic() || first == b'"') => {
                named_column = Some(weight_column_by_name(line).unwrap_or(2));
            }
            Some(_) => {
                let column = named_column.unwrap_or(2);
                let columns = std::iter::from_fn(|| line.field()).take(column + 1).count();
                return Layout { start, weight_column: (columns > column).then_some(column), listing };
            }
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

fn weight_column_by_name(mut line: Line<'_>) -> Option<usize> {
    let mut names = std::iter::from_fn(|| line.field());
    names.position(|name| name.trim_ascii().eq_ignore_ascii_case(b"weight")).filter(|column| *column >= 2)
}

#[inline]
fn read_edge(line: &mut Line<'_>, weight_column: Option<usize>, batch: &mut Batch<u64>) -> Result<(), Flaw> {
    let (source, target) = (line.whole("a node")?, line.whole("a node")?);
    for _ in 2..weight_column.unwrap_or(2) {
        line.field();
    }
    match (weight_column, line.first()) {
        (Some(_), None) => Err(line.flaw(format!("no weight here, though the first edge has one {ADJACENCY_HINT}"))),
        (None, Some(_)) => Err(line.flaw(format!("more columns here than the first edge has {ADJACENCY_HINT}"))),
        _ => batch.push(source, target, line),
    }
}

/// Writes an edge list with SNAP's remark on directions. Nodes without edges have no place in it.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let kind = if graph.directed { "Directed" } else { "Undirected" };
    writeln!(out, "# {kind} graph\n# Nodes: {} Edges: {}", graph.csr.nodes(), rows::listed_edges(graph))?;
    rows::write_edges(graph, out, "", |node| graph.ids.name(node), graph.csr.weights())
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use crate::graph::NodeIds;

    #[test]
    fn separators_comments_and_blank_lines() {
        let parsed = parsed(EdgeListFormat::read, "# a remark\r\n0\t1\r\n\n% another\n 1  2 \n2,0");
        assert_eq!(edges(&parsed), [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(parsed.ids, NodeIds::Counted { first: 0 });
        assert_eq!(parsed.listing, Listing::Directed);
        assert_eq!(parsed.edges.weights, EdgeWeights::None);
    }

    #[test]
    fn sparse_ids_become_nodes_in_their_order() {
        let parsed = parsed(EdgeListFormat::read, "30 10\n10 18446744073709551615\n");
        assert_eq!(parsed.ids, NodeIds::Listed(vec![10, 30, u64::MAX].into()));
        assert_eq!(edges(&parsed), [(1, 0), (0, 2)]);
    }

    #[test]
    fn snap_says_whether_edges_have_a_direction() {
        let listing = |remark: &str| parsed(EdgeListFormat::read, &format!("{remark}\n1 2\n")).listing;
        assert_eq!(listing("# Undirected graph: ../com-dblp.txt"), Listing::UndirectedOnce);
        assert_eq!(listing("# Directed graph (each unordered pair of nodes is saved once)"), Listing::Directed);
        assert_eq!(listing("# Not undirected"), Listing::Directed);
    }

    #[test]
    fn weights_are_in_the_third_column_or_where_the_header_says() {
        let weights = |text: &str| parsed(EdgeListFormat::read, text).edges.weights;
        assert_eq!(weights("1 2 7\n2 1 8 extra\n"), EdgeWeights::U32(vec![7, 8]));
        assert_eq!(weights("1 2 7\n2 1 -8\n"), EdgeWeights::F32(vec![7.0, -8.0]));
        assert_eq!(weights("Source,Target,Weight,Timestamp\n6,2,4,1289241912\n"), EdgeWeights::U32(vec![4]));
        assert_eq!(weights("Source,Target,Type,Weight\n6,2,Directed,2.5\n"), EdgeWeights::F32(vec![2.5]));
        assert_eq!(weights("Source,Target\n6,2\n"), EdgeWeights::None);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        assert_eq!(
            reason(EdgeListFormat::read, "0 1\n# x\n1 x\n"),
            "test:3: 'x' is not a node: a whole number belongs here"
        );
        assert_eq!(reason(EdgeListFormat::read, "0 1\n1"), "test:2: the line ends where a node should be");
        assert_eq!(
            reason(EdgeListFormat::read, "0 1 5\n0 1\n"),
            format!("test:2: no weight here, though the first edge has one {ADJACENCY_HINT}")
        );
        assert_eq!(
            reason(EdgeListFormat::read, "0 1\n0 1 5\n"),
            format!("test:2: more columns here than the first edge has {ADJACENCY_HINT}")
        );
        assert_eq!(reason(EdgeListFormat::read, "0 1 nan\n"), "test:1: the weight 'nan' is not a finite 32-bit number");
        assert_eq!(reason(EdgeListFormat::read, "0,1,,3\n"), "test:1: the weight '' is not a number");
        assert_eq!(
            reason(EdgeListFormat::read, "a b\nc d\n"),
            "test:2: 'c' is not a node: a whole number belongs here"
        );
    }

    #[test]
    fn no_edges_are_an_empty_graph() {
        for text in ["", "\n", "# only a remark", "Source,Target\n"] {
            assert_eq!(parsed(EdgeListFormat::read, text).edges.nodes, 0, "{text:?}");
        }
    }
}

//! KONECT's format: `% <sym|asym|bip> <kind of weights>`, perhaps `% <edges> <nodes> <nodes>`, then `<from> <to> [weight
//! [time]]`. Nodes are counted from 1. In a bipartite (`bip`) file both sides count from 1: the nodes of the right side
//! follow those of the left, and the graph is undirected. Weights are read for the weighted kinds; the multiplicities of
//! `positive` are not weights.

use super::{prelude::*, problem::counted_node};
use evenkeel_graph::csr::MOST_NODES;
use rayon::prelude::*;

pub(super) struct Konect;

impl FileFormat for Konect {
    const NAME: &'static str = "konect";
    const ABOUT: &'static str = "networks of the KONECT collection";
    const EXTENSIONS: &'static [&'static str] = &["konect"];
    const LACKS: &'static [Feature] = &[Feature::Ids];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        let shape = beginning.lines_from(0).next().and_then(header_words);
        Recognition::certain_if(shape.is_some_and(|(word, _)| SHAPES.contains(&word)))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let header = header(text).map_err(|flaw| text.error(flaw))?;
        let bipartite = header.shape == b"bip";
        let limits = match header.sizes {
            Some((_, rows, columns)) if bipartite => [rows, columns],
            Some((_, rows, columns)) => [rows.max(columns); 2],
            None => [MOST_NODES; 2],
        };
        let limits = limits.map(|limit| limit.min(MOST_NODES) as u32);
        let is_data = |line: &Line<'_>| line.is_data(b"%");
        let mut edges = read_edges(text, header.start, &header.weights, is_data, |line, batch| {
            let (from, to) = (counted_node(line, limits[0])?, counted_node(line, limits[1])?);
            batch.push(from, to, line)
        })?;
        let count = |ends: &[u32]| ends.par_iter().max().map_or(0, |highest| u64::from(*highest) + 1);
        let found = edges.sources.len();
        let (promised, left, right) =
            header.sizes.unwrap_or_else(|| (found as u64, count(&edges.sources), count(&edges.targets)));
        check_edges(text, false, promised, found)?;
        let nodes = check_claimed_nodes(text, if bipartite { left.saturating_add(right) } else { left.max(right) })?;
        if bipartite {
            // The sum of both sides was checked just now.
            edges.targets.par_iter_mut().for_each(|target| *target += left as u32);
        }
        let listing = if header.shape == b"asym" { Listing::Directed } else { Listing::UndirectedOnce };
        Ok(Loaded::counted(text, nodes, edges, 1, listing))
    }
}

/// What the first words of the header may be.
const SHAPES: [&[u8]; 3] = [b"sym", b"asym", b"bip"];
const UNWEIGHTED: [&[u8]; 3] = [b"unweighted", b"positive", b"dynamic"];
const WEIGHTED: [&[u8]; 6] =
    [b"posweighted", b"signed", b"weighted", b"multisigned", b"multiweighted", b"multiposweighted"];

struct Header<'a> {
    shape: &'a [u8],
    /// An empty column, or none.
    weights: EdgeWeights,
    /// The claimed numbers of edges, rows and columns.
    sizes: Option<(u64, u64, u64)>,
    start: usize,
}

/// The words of a header line, if this is one with something on it.
fn header_words<'a>(mut line: Line<'a>) -> Option<(&'a [u8], Line<'a>)> {
    let first = line.field()?;
    match first.strip_prefix(b"%")? {
        b"" => Some((line.field()?, line)),
        word => Some((word, line)),
    }
}

fn header(text: Text<'_>) -> Result<Header<'_>, Flaw> {
    let mut lines = text.lines_from(0);
    let first = lines.next().unwrap_or_default();
    let Some((shape, mut line)) = header_words(first).filter(|(shape, _)| SHAPES.contains(shape)) else {
        return Err(first.flaw("the first line should be '% sym|asym|bip <kind of weights>'"));
    };
    let kind = line.field().unwrap_or(UNWEIGHTED[0]);
    let weighted = WEIGHTED.contains(&kind);
    if !weighted && !UNWEIGHTED.contains(&kind) {
        return Err(line.flaw(format!("'{}' is no kind of weights that KONECT has", shown(kind))));
    }
    let start = lines.position;
    let sizes = lines.next().and_then(sizes);
    let weights = if weighted { EdgeWeights::U32(Vec::new()) } else { EdgeWeights::None };
    Ok(Header { shape, weights, sizes, start })
}

/// The numbers on the header's second line. Any other comment may stand there too, so that a flaw is no error.
fn sizes(line: Line<'_>) -> Option<(u64, u64, u64)> {
    let (edges, mut line) = header_words(line)?;
    Some((lexical_core::parse(edges).ok()?, line.whole("").ok()?, line.whole("").ok()?))
}

fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let shape = if graph.directed { "asym" } else { "sym" };
    let kind = match graph.csr.weights() {
        Weights::None => "unweighted",
        Weights::F32(column) if column.par_iter().any(|weight| *weight < 0.0) => "weighted",
        _ => "posweighted",
    };
    let nodes = graph.csr.nodes();
    writeln!(out, "% {shape} {kind}\n% {} {nodes} {nodes}", rows::listed_edges(graph))?;
    rows::write_edges(graph, out, "", rows::counted, graph.csr.weights())
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};

    #[test]
    fn every_shape() {
        let asym = parsed(Konect::read, "% asym posweighted\n% 2 3 3\n1 2  1.25\n2 1 3 1082008561\n");
        assert_eq!((asym.edges.nodes, edges(&asym), asym.listing), (3, vec![(0, 1), (1, 0)], Listing::Directed));
        assert_eq!(asym.edges.weights, EdgeWeights::F32(vec![1.25, 3.0]));
        let sym = parsed(Konect::read, "% sym unweighted\n2 4\n");
        assert_eq!((sym.edges.nodes, edges(&sym), sym.listing), (4, vec![(1, 3)], Listing::UndirectedOnce));
        assert_eq!(sym.edges.weights, EdgeWeights::None);
    }

    #[test]
    fn the_right_side_follows_the_left() {
        let claimed = parsed(Konect::read, "%bip positive\n% 2 3 2\n1 2 5\n3 1 1\n");
        assert_eq!((claimed.edges.nodes, edges(&claimed)), (5, vec![(0, 4), (2, 3)]));
        assert_eq!((claimed.edges.weights, claimed.listing), (EdgeWeights::None, Listing::UndirectedOnce));
        let found = parsed(Konect::read, "% bip unweighted\n1 2\n3 1\n");
        assert_eq!((found.edges.nodes, edges(&found)), (5, vec![(0, 4), (2, 3)]));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let reason = |text| reason(Konect::read, text);
        assert!(reason("").starts_with("test:1: the first line should be '% sym|asym|bip"));
        assert!(reason("% both ways\n").starts_with("test:1: the first line should be"));
        assert_eq!(reason("% sym heavy\n"), "test:1: 'heavy' is no kind of weights that KONECT has");
        assert_eq!(reason("% sym signed\n1 2 1\n1 2\n"), "test:3: the line ends where a weight should be");
        assert_eq!(reason("% sym\n% 1 2 2\n1 3\n"), "test:3: there is no node 3: nodes are counted from 1 to 2");
        assert!(reason("% sym\n1 4294967294\n").contains("claims 4294967294 nodes"));
        assert!(reason("% bip\n4294967294 4294967294\n").contains("8589934588 nodes are too many"));
    }
}

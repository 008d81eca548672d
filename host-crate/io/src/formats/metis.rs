//! METIS's format (`.graph`), also that of the 10th DIMACS challenge: `<nodes> <edges> [fmt [ncon]]`, then a line for each
//! node with its neighbours, empty when it has none. Digits of `fmt` announce node sizes, node weights (both skipped) and
//! edge weights. Undirected: every edge stands at both its ends, which is checked. Nodes are counted from 1.

use super::{prelude::*, problem::counted_node};
use evenkeel_base::Error;
use evenkeel_graph::generate::random::mix;
use rayon::prelude::*;

pub(super) struct Metis;

impl FileFormat for Metis {
    const NAME: &'static str = "metis";
    const ABOUT: &'static str = "METIS and the 10th DIMACS challenge";
    const EXTENSIONS: &'static [&'static str] = &["graph", "metis"];
    const LACKS: &'static [Feature] = &[Feature::Directed, Feature::SelfLoops, Feature::RealWeights, Feature::Ids];
    const WRITER: Option<Writer> = Some(write);

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let mut lines = text.lines_from(0);
        let Some(line) = lines.find(|line| line.is_data(b"%")) else {
            return Err(text.error_of_file("the line '<nodes> <edges> [fmt [ncon]]' is missing"));
        };
        let header = header(line).map_err(|flaw| text.error(flaw))?;
        let start = lines.position;

        // A piece can only tell whose lines it holds when it knows how many stand before it.
        let counts = text.in_pieces(start, |lines| Ok(lines.filter(is_no_comment).count() as u64))?;
        let (promised, found) = (header.nodes, counts.iter().sum::<u64>());
        check_nodes(text, promised)?;
        if found < promised {
            return Err(text.error_of_file(format!("the header promises {promised} nodes, but {found} lines follow")));
        }
        let bases: Vec<u64> = counts.iter().scan(0, |sum, count| Some(std::mem::replace(sum, *sum + count))).collect();
        let batches = text.in_pieces(start, |lines| {
            let base = bases[lines.piece];
            piece(lines, base, &header)
        })?;
        let arcs = batch::join(batches)?;
        check_both_ends(text, header.edges, &arcs)?;
        Ok(Loaded::counted(text, promised as u32, arcs, 1, Listing::UndirectedBothWays))
    }
}

struct Header {
    nodes: u64,
    edges: u64,
    /// Numbers before the first neighbour of a line: the node's size and weights.
    skipped: u64,
    /// An empty column, or none.
    weights: EdgeWeights,
}

fn is_no_comment(line: &Line<'_>) -> bool {
    line.first() != Some(b'%')
}

fn header(mut line: Line<'_>) -> Result<Header, Flaw> {
    let (nodes, edges) = (line.whole("the number of nodes")?, line.whole("the number of edges")?);
    let format = line.field().unwrap_or(b"0");
    let weights = if line.first().is_some() { line.whole("the number of node weights")? } else { 1 };
    line.end()?;
    if format.len() > 3 || format.iter().any(|digit| !matches!(digit, b'0' | b'1')) {
        let reason =
            format!("fmt is '{}'; it is up to three digits 0 or 1: sizes, node weights, edge weights", shown(format));
        return Err(line.flaw(reason));
    }
    let digit = |from_end: usize| format.iter().rev().nth(from_end) == Some(&b'1');
    let skipped = u64::from(digit(2)) + if digit(1) { weights } else { 0 };
    let weights = if digit(0) { EdgeWeights::U32(Vec::new()) } else { EdgeWeights::None };
    Ok(Header { nodes, edges, skipped, weights })
}

/// The arcs of a piece that begins with the line of node `base`.
fn piece(lines: Lines<'_>, base: u64, header: &Header) -> Result<Batch<u32>, Flaw> {
    let mut batch = Batch::new(lines.bytes.len(), header.weights.clone());
    for (node, mut line) in (base..).zip(lines.filter(is_no_comment)) {
        if node >= header.nodes {
            line.end().map_err(|_| line.flaw(format!("a line for node {} of {}", node + 1, header.nodes)))?;
            continue;
        }
        for _ in 0..header.skipped {
            line.whole("a size or weight of the node")?;
        }
        while line.first().is_some() {
            let neighbour = counted_node(&mut line, header.nodes as u32)?;
            batch.push(node as u32, neighbour, &mut line)?;
        }
    }
    Ok(batch)
}

/// Checks the promised number of edges, and that each stands at both ends with the same weight.
fn check_both_ends(text: Text<'_>, edges: u64, arcs: &Batch<u32>) -> Result<()> {
    let loops = arcs.sources.par_iter().zip(&arcs.targets).filter(|(source, target)| source == target).count() as u64;
    let entries = arcs.sources.len() as u64;
    // METIS knows no self-loops; a file that has some may count one like an edge seen from one end or from two.
    let promised = edges.saturating_mul(2);
    if entries != promised && entries + loops != promised {
        let found = (entries + loops) as f64 / 2.0;
        return Err(text.error_of_file(format!("the header promises {edges} edges, but {found} are listed")));
    }
    // The two ends of an edge cancel out in this sum; where it is not 0 some edge stands at one end only.
    let sum = (0..arcs.sources.len()).into_par_iter().map(|index| Seen::of(arcs, index).signed_mark());
    match sum.reduce(|| 0, u64::wrapping_add) {
        0 => Ok(()),
        _ => Err(one_sided(text, arcs)),
    }
}

/// An edge as one of its ends lists it.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Seen {
    low: u32,
    high: u32,
    /// The weight's key.
    weight: u32,
    from_high: bool,
}

impl Seen {
    fn of(arcs: &Batch<u32>, index: usize) -> Self {
        let (source, target) = (arcs.sources[index], arcs.targets[index]);
        let weight = arcs.weights.key(index);
        Self { low: source.min(target), high: source.max(target), weight, from_high: source > target }
    }

    fn signed_mark(&self) -> u64 {
        let mark = mix(mix((u64::from(self.low) << 32) | u64::from(self.high)) ^ u64::from(self.weight));
        match self.low == self.high {
            true => 0,
            false if self.from_high => mark.wrapping_neg(),
            false => mark,
        }
    }
}

#[cold]
fn one_sided(text: Text<'_>, arcs: &Batch<u32>) -> Error {
    let all = (0..arcs.sources.len()).map(|index| Seen::of(arcs, index)).filter(|seen| seen.low != seen.high);
    let (mut high, mut low): (Vec<Seen>, Vec<Seen>) = all.partition(|seen| seen.from_high);
    high.sort_unstable();
    low.sort_unstable();
    let same = |a: &Seen, b: &Seen| (a.low, a.high, a.weight) == (b.low, b.high, b.weight);
    let agreed = low.iter().zip(&high).take_while(|(a, b)| same(a, b)).count();
    let odd = [low.get(agreed), high.get(agreed)].into_iter().flatten().min();
    text.error_of_file(match odd {
        None => "edges do not stand at both their ends".to_string(),
        Some(seen) => {
            let (low, high) = (u64::from(seen.low) + 1, u64::from(seen.high) + 1);
            let (one, other) = if seen.from_high { (high, low) } else { (low, high) };
            format!("node {one} lists node {other}, which does not list it in the same way")
        }
    })
}

/// Writes each edge at both ends, with its weight if there is one.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let format = if graph.csr.weights().is_none() { "" } else { " 001" };
    writeln!(out, "{} {}{format}", graph.csr.nodes(), rows::listed_edges(graph))?;
    rows::write_rows(graph, out, |node, text| {
        for position in graph.csr.row(node) {
            text.push(b' ');
            rows::push_name(text, &rows::counted(graph.csr.columns()[position]));
            rows::push_weight(text, b' ', graph.csr.weights(), position);
        }
        text.push(b'\n');
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::NodeIds;

    #[test]
    fn isolated_nodes_are_empty_lines() {
        let parsed = parsed(Metis::read, "% remark\n4 2\n2\n% remark\n1 4\n\n 2 \n\n");
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (4, vec![(0, 1), (1, 0), (1, 3), (3, 1)]));
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::UndirectedBothWays));
    }

    #[test]
    fn every_kind_of_fmt() {
        let weights = |text: &str| parsed(Metis::read, text).edges.weights;
        assert_eq!(weights("2 1 0\n2\n1\n"), EdgeWeights::None);
        assert_eq!(weights("2 1 001\n2 9\n1 9\n"), EdgeWeights::U32(vec![9, 9]));
        assert_eq!(weights("2 1 1\n2 0.5\n1 0.5\n"), EdgeWeights::F32(vec![0.5, 0.5]));
        assert_eq!(weights("2 1 010\n7 2\n7 1\n"), EdgeWeights::None);
        assert_eq!(weights("2 1 011 2\n7 7 2 9\n7 7 1 9\n"), EdgeWeights::U32(vec![9, 9]));
        assert_eq!(weights("2 1 111\n5 7 2 9\n5 7 1 9\n"), EdgeWeights::U32(vec![9, 9]));
        assert_eq!(weights("2 1 100\n5 2\n5 1\n"), EdgeWeights::None);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let reason = |text| reason(Metis::read, text);
        assert_eq!(reason("% x\n"), "test: the line '<nodes> <edges> [fmt [ncon]]' is missing");
        assert!(reason("2 1 2\n2\n1\n").starts_with("test:1: fmt is '2'"));
        assert_eq!(reason("3 1\n2\n1\n"), "test: the header promises 3 nodes, but 2 lines follow");
        assert_eq!(reason("2 1\n2\n1\n\n1\n"), "test:5: a line for node 4 of 2");
        assert_eq!(reason("2 1\n2\n3\n"), "test:3: there is no node 3: nodes are counted from 1 to 2");
        assert_eq!(reason("2 2\n2\n1\n"), "test: the header promises 2 edges, but 1 are listed");
        assert_eq!(reason("2 1 1\n2 3\n1\n"), "test:3: the line ends where a weight should be");
    }

    #[test]
    fn an_edge_at_one_end_only_is_named() {
        assert_eq!(
            reason(Metis::read, "4 2\n2\n1\n4 2\n\n"),
            "test: node 3 lists node 2, which does not list it in the same way"
        );
        assert!(reason(Metis::read, "2 1 1\n2 3\n1 4\n").contains("node 1 lists node 2"));
    }
}

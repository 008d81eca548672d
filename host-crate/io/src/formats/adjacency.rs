//! Lines of neighbours: each is a node and the nodes its edges lead to, as in the small test graphs of LDBC Graphalytics.
//! Ids are arbitrary; a line may hold a node alone. Directed, without weights. Nothing tells such a file from an edge list,
//! so that it is read only when asked for by name.

use super::{compact, prelude::*};

pub(super) struct Adjacency;

impl FileFormat for Adjacency {
    const NAME: &'static str = "adjacency";
    const ABOUT: &'static str = "lines of a node and its neighbours; never recognised";
    const EXTENSIONS: &'static [&'static str] = &[];
    const LACKS: &'static [Feature] = &[Feature::Direction, Feature::Weights, Feature::Names];
    const WRITER: Option<Writer> = Some(write);

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let (batches, nodes): (Vec<_>, Vec<_>) = text.in_pieces(0, piece)?.into_iter().unzip();
        compact::load(text, batch::join(batches)?, &nodes.concat(), Listing::Directed)
    }
}

/// The edges of a piece and the nodes its lines begin with.
fn piece(lines: Lines<'_>) -> Result<(Batch<u64>, Vec<u64>), Flaw> {
    let mut batch = Batch::new(lines.bytes.len(), EdgeWeights::None);
    let mut nodes = Vec::new();
    for mut line in lines.filter(|line| line.is_data(b"#%")) {
        let node = line.whole("a node")?;
        nodes.push(node);
        while line.first().is_some() {
            let neighbour = line.whole("a node")?;
            batch.push(node, neighbour, &mut line)?;
        }
    }
    Ok((batch, nodes))
}

/// Writes every stored edge, both directions of an undirected one.
fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    rows::write_rows(graph, out, |node, text| {
        rows::push_name(text, &graph.ids.name(node));
        for neighbour in graph.csr.neighbours(node) {
            text.push(b' ');
            rows::push_name(text, &graph.ids.name(*neighbour));
        }
        text.push(b'\n');
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::NodeIds;

    #[test]
    fn a_line_is_a_node_and_its_neighbours() {
        let parsed = parsed(Adjacency::read, "1 2 3\n2 30\n# remark\n7\n3 1\n");
        assert_eq!(parsed.ids, NodeIds::Listed(vec![1, 2, 3, 7, 30].into()));
        assert_eq!(edges(&parsed), [(0, 1), (0, 2), (1, 4), (2, 0)]);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        assert_eq!(reason(Adjacency::read, "1 2\n\n2 x\n"), "test:3: 'x' is not a node: a whole number belongs here");
    }
}

//! LDBC Graphalytics: `<name>.e` with a line `<source> <target> [weight]` for each edge, and beside it `<name>.v` with a line
//! for each node, its id first. Ids are arbitrary. The files do not say whether edges have a direction; they are taken as
//! directed unless the caller knows better.

use super::{Companion, compact::Occurring, compression::Compression, prelude::*};
use std::path::{Path, PathBuf};

pub(super) struct Ldbc;

impl FileFormat for Ldbc {
    const NAME: &'static str = "ldbc";
    const ABOUT: &'static str = "LDBC Graphalytics, with the .v file beside the .e file";
    const EXTENSIONS: &'static [&'static str] = &["e"];
    const LACKS: &'static [Feature] = &[Feature::Direction, Feature::Names];
    const COMPANION: Option<Companion> =
        Some(Companion { about: "nodes", paths: vertex_paths, writer: write_vertices });
    const WRITER: Option<Writer> = Some(write_edges);

    fn read(files: Files<'_>) -> Result<Loaded> {
        let Files { main, companion: Some(vertices), .. } = &files else {
            return Err(files.main.text().error_of_file("the file of nodes is missing"));
        };
        parse(main.text(), vertices.text())
    }
}

fn parse(text: Text<'_>, vertices: Text<'_>) -> Result<Loaded> {
    let is_data = |line: &Line<'_>| line.is_data(b"#");
    let ids = |mut line: Line<'_>| line.whole("a node");
    let lists = vertices.in_pieces(0, |lines| lines.filter(is_data).map(ids).collect::<Result<Vec<u64>, _>>())?;
    let lists: Vec<&[u64]> = lists.iter().map(Vec::as_slice).collect();
    let occurring = Occurring::new(vertices, &lists)?;
    let weighted = text.lines_from(0).find(is_data).is_some_and(|mut first| {
        first.field();
        first.field();
        first.first().is_some()
    });
    let weights = if weighted { EdgeWeights::U32(Vec::new()) } else { EdgeWeights::None };
    let node = |line: &mut Line<'_>| {
        let id = line.whole("a node")?;
        occurring.index(id).ok_or_else(|| line.flaw(format!("node {id} is not in the file of nodes")))
    };
    let edges = read_edges(text, 0, &weights, is_data, |line, batch| {
        let (source, target) = (node(line)?, node(line)?);
        batch.push(source, target, line)?;
        line.end()
    })?;
    let listed: usize = lists.iter().map(|list| list.len()).sum();
    let (ids, nodes) = occurring.into_ids();
    if listed != nodes as usize {
        let repeated = listed - nodes as usize;
        return Err(vertices.error_of_file(format!("{listed} nodes are listed, {repeated} of them more than once")));
    }
    Ok(Loaded::edges(text, nodes, edges, ids, Listing::Directed))
}

/// The names that the file of nodes beside an edge file may have, the most likely first.
fn vertex_paths(edges: &Path) -> Vec<PathBuf> {
    let compression = Compression::of_path(edges);
    let plain = if compression.is_some() { edges.with_extension("") } else { edges.to_path_buf() };
    let vertices = plain.with_extension("v");
    let with = |compression: Compression| PathBuf::from(format!("{}.{}", vertices.display(), compression.extension()));
    let others = Compression::ALL.map(with).into_iter().chain([vertices.clone()]);
    std::iter::once(compression.map_or(vertices.clone(), with)).chain(others).collect()
}

fn write_edges(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    rows::write_edges(graph, out, "", |node| graph.ids.name(node), graph.csr.weights())
}

fn write_vertices(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    rows::write_rows(graph, out, |node, text| {
        rows::push_name(text, &graph.ids.name(node));
        text.push(b'\n');
    })
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use crate::formats::Parsed;
    use evenkeel_graph::NodeIds;

    fn text<'a>(name: &'a str, body: &'a str) -> Text<'a> {
        Text { path: Path::new(name), bytes: body.as_bytes() }
    }

    fn both(edges: &str, vertices: &str) -> Result<Parsed> {
        parse(text("g.e", edges), text("g.v", vertices)).map(edges_of)
    }

    #[test]
    fn nodes_come_from_the_file_of_nodes() {
        let parsed = both("30 10 0.5\n10 30 2\n", "30 7\n10 3\n20 3\n").unwrap();
        assert_eq!(parsed.ids, NodeIds::Listed(vec![10, 20, 30].into()));
        assert_eq!((edges(&parsed), parsed.edges.nodes), (vec![(2, 0), (0, 2)], 3));
        assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![0.5, 2.0]));
        assert_eq!(both("", "1\n2\n").unwrap().ids, NodeIds::Counted { first: 1 });
    }

    #[test]
    fn flaws_are_named_with_their_file_and_line() {
        let reason = |edges, vertices| both(edges, vertices).unwrap_err().to_string();
        assert_eq!(reason("1 2\n2 3\n", "1\n2\n"), "g.e:2: node 3 is not in the file of nodes");
        assert_eq!(reason("1 2\n", "1\nx\n"), "g.v:2: 'x' is not a node: a whole number belongs here");
        assert_eq!(reason("1 2\n", "1\n2\n1\n"), "g.v: 3 nodes are listed, 1 of them more than once");
        assert_eq!(reason("1 2 3\n1 2\n", "1\n2\n"), "g.e:2: the line ends where a weight should be");
        assert_eq!(reason("1 2\n1 2 3\n", "1\n2\n"), "g.e:2: '3' is more than this line should hold");
    }

    #[test]
    fn the_file_of_nodes_is_looked_for_beside() {
        let names = vertex_paths(Path::new("data/p2p-31.e.gz"));
        assert_eq!(names[0], Path::new("data/p2p-31.v.gz"));
        assert!(names.contains(&PathBuf::from("data/p2p-31.v")));
        assert_eq!(vertex_paths(Path::new("g.e"))[0], Path::new("g.v"));
    }
}

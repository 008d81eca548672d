//! Pajek (`.net`): `*Vertices n` and a line `number "label"` for each, then `*Arcs` (directed) and `*Edges` (undirected) with a line
//! `from to [weight]` for each, or `*Arcslist` and `*Edgeslist` with lines of a node and its neighbours. Nodes are counted from 1, and
//! called by their labels if all have one and no two have the same. Coordinates, shapes and colours are skipped; matrices, partitions
//! and whatever else Pajek keeps in files are refused. An edge without a weight weighs 1 where others have one.

use super::{network::Network, prelude::*, weight::Weight};
use std::borrow::Cow;

pub(super) struct Pajek;

impl FileFormat for Pajek {
    const NAME: &'static str = "pajek";
    const ABOUT: &'static str = "networks of Pajek; read only";
    const EXTENSIONS: &'static [&'static str] = &["net"];

    fn recognise(beginning: Text<'_>) -> Recognition {
        let first = without_mark(beginning).find(|line| line.is_data(b"%"));
        let starts = |line: &Line<'_>, word: &str| {
            let line = line.rest.trim_ascii_start();
            line.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
        };
        Recognition::certain_if(first.is_some_and(|line| starts(&line, "*vertices") || starts(&line, "*network")))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let mut parser = Parser::default();
        for line in without_mark(text).filter(|line| line.is_data(b"%")) {
            match line.first() {
                Some(b'*') => parser.section(text, line)?,
                _ => parser.line(line).map_err(|flaw| text.error(flaw))?,
            }
        }
        if parser.section.is_none() {
            return Err(text.error_of_file("there are no '*Vertices' in it"));
        }
        // Without arcs it is undirected; a file without either is directed, as the other formats that do not say.
        parser.network.load_labelled(text, true, &parser.labels)
    }
}

/// The lines after a mark of UTF-8, if there is one.
fn without_mark(text: Text<'_>) -> Lines<'_> {
    text.lines_from(if text.bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 })
}

#[derive(Clone, Copy)]
enum Section {
    /// The name of the network.
    Title,
    Vertices,
    Pairs {
        directed: bool,
    },
    Neighbours {
        directed: bool,
    },
}

#[derive(Default)]
struct Parser<'a> {
    network: Network,
    labels: Vec<Option<Cow<'a, str>>>,
    section: Option<Section>,
}

impl<'a> Parser<'a> {
    fn section(&mut self, text: Text<'_>, mut line: Line<'_>) -> Result<()> {
        let name = shown(line.field().unwrap_or_default()).to_lowercase();
        let needs_nodes = || match self.labels.is_empty() && self.section.is_none() {
            true => Err(text.error(line.flaw("'*Vertices' should come before this"))),
            false => Ok(()),
        };
        let section = match name.as_str() {
            "*network" if self.section.is_none() => Section::Title,
            "*vertices" => {
                if !matches!(self.section, None | Some(Section::Title)) {
                    return Err(text.error(line.flaw("a second network begins here; only one is read")));
                }
                let claimed = line.whole("the number of nodes").map_err(|flaw| text.error(flaw))?;
                let nodes = check_claimed_nodes(text, claimed)?;
                for node in 1..=u64::from(nodes) {
                    // Numbers from 1 on never repeat, and the limit was checked.
                    self.network.declare(&node.to_string()).map_err(|reason| text.error_of_file(reason))?;
                }
                self.labels = vec![None; nodes as usize];
                Section::Vertices
            }
            "*arcs" => needs_nodes().map(|()| Section::Pairs { directed: true })?,
            "*edges" => needs_nodes().map(|()| Section::Pairs { directed: false })?,
            "*arcslist" => needs_nodes().map(|()| Section::Neighbours { directed: true })?,
            "*edgeslist" => needs_nodes().map(|()| Section::Neighbours { directed: false })?,
            other => return Err(text.error(line.flaw(format!("'{other}' is no part of a network that is read here")))),
        };
        self.section = Some(section);
        Ok(())
    }

    fn line(&mut self, mut line: Line<'a>) -> Result<(), Flaw> {
        match self.section {
            None => Err(line.flaw("the file should begin with '*Vertices'")),
            Some(Section::Title) => Ok(()),
            Some(Section::Vertices) => {
                let node = self.node(&mut line)? as usize;
                let label = label(&line)?;
                match label.is_some() && self.labels[node].is_some() {
                    true => Err(line.flaw(format!("node {} has a second label", node + 1))),
                    false => {
                        self.labels[node] = label;
                        Ok(())
                    }
                }
            }
            Some(Section::Pairs { directed }) => {
                let (source, target) = (self.node(&mut line)?, self.node(&mut line)?);
                // What is no number belongs to the drawing: `1 2 c Blue`.
                let drawing = line.first().is_some_and(|first| first.is_ascii_alphabetic());
                let weight = if drawing { None } else { line.field() };
                let weight = weight.map(Weight::of_text).transpose().map_err(|reason| line.flaw(reason))?;
                self.network.edge([source, target], weight, Some(directed), line.position);
                Ok(())
            }
            Some(Section::Neighbours { directed }) => {
                let source = self.node(&mut line)?;
                while line.first().is_some() {
                    let target = self.node(&mut line)?;
                    self.network.edge([source, target], None, Some(directed), line.position);
                }
                Ok(())
            }
        }
    }

    fn node(&self, line: &mut Line<'_>) -> Result<u32, Flaw> {
        super::problem::counted_node(line, self.labels.len() as u32)
    }
}

/// The label of a node: between quotation marks, or one word.
fn label<'a>(line: &Line<'a>) -> Result<Option<Cow<'a, str>>, Flaw> {
    let rest = line.rest.trim_ascii();
    let label = match rest {
        [] => return Ok(None),
        [b'"', inside @ ..] => match memchr::memchr(b'"', inside) {
            Some(end) => &inside[..end],
            None => return Err(line.flaw("a quotation mark opens here, and none closes")),
        },
        _ => rest.split(|byte| byte.is_ascii_whitespace()).next().unwrap_or_default(),
    };
    Ok(Some(String::from_utf8_lossy(label)))
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::{Names, NodeIds};

    /// As `networkx.write_pajek` writes it.
    const NETWORKX: &str = "*vertices 3\n1 bob 0.0 0.0 ellipse\n2 \"Ann Lee\" 0.0 0.0 ellipse\n3 lone 0.0 0.0 ellipse\n\
        *arcs\n1 2 2.5\n2 1 3.0\n";

    #[test]
    fn a_graph_of_networkx() {
        let parsed = parsed(Pajek::read, NETWORKX);
        assert_eq!(parsed.ids, NodeIds::Named(Names::from_ascending(["Ann Lee", "bob", "lone"])));
        assert_eq!((edges(&parsed), parsed.edges.nodes), (vec![(1, 0), (0, 1)], 3));
        assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.5, 3.0]));
        assert_eq!(parsed.listing, Listing::Directed);
    }

    #[test]
    fn every_section() {
        let body = "% remark\r\n*Network trial\n*Vertices 4\n*Edges\n1 2 5\n*Arcs :2 \"likes\"\n2 3\n3 3 1 c Blue\n\
            *Arcslist\n4 1 2\n*Edgeslist\n 1 4\n";
        let parsed = parsed(Pajek::read, body);
        assert_eq!(parsed.ids, NodeIds::Counted { first: 1 });
        assert_eq!(edges(&parsed), [(0, 1), (1, 2), (2, 2), (3, 0), (3, 1), (0, 3), (1, 0), (3, 0)]);
        assert_eq!(parsed.edges.weights, EdgeWeights::U32(vec![5, 1, 1, 1, 1, 1, 5, 1]));
        assert_eq!(parsed.listing, Listing::Directed);
    }

    #[test]
    fn edges_alone_are_undirected_and_numbers_name_what_labels_do_not() {
        let parsed = parsed(Pajek::read, "*Vertices 2\n1 \"x\"\n2 \"x\"\n*Edges\n1 2\n");
        assert_eq!((parsed.ids, parsed.listing), (NodeIds::Counted { first: 1 }, Listing::UndirectedOnce));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let of = |body: &str| reason(Pajek::read, body);
        assert_eq!(of(""), "test: there are no '*Vertices' in it");
        assert_eq!(of("1 2\n"), "test:1: the file should begin with '*Vertices'");
        assert_eq!(of("*Arcs\n1 2\n"), "test:1: '*Vertices' should come before this");
        assert_eq!(of("*Vertices 2\n*Arcs\n1 3\n"), "test:3: there is no node 3: nodes are counted from 1 to 2");
        assert_eq!(of("*Vertices 2\n*Arcs\n1 2 -x\n"), "test:3: the weight '-x' is not a number");
        assert_eq!(of("*Vertices 2\n*Arcs\n1 2,,3\n"), "test:3: the weight '' is not a number");
        assert_eq!(of("*Vertices 2\n1 \"a\n"), "test:2: a quotation mark opens here, and none closes");
        assert_eq!(of("*Vertices 2\n1 a\n1 b\n"), "test:3: node 1 has a second label");
        assert_eq!(of("*Vertices 2\n*Matrix\n"), "test:2: '*matrix' is no part of a network that is read here");
        assert!(of("*Vertices 2\n*Vertices 2\n").contains("a second network"));
        assert!(of("*Vertices 4000000000\n").contains("the file claims 4000000000 nodes"));
    }
}

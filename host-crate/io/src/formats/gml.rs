//! GML (`.gml`): `graph [ directed 0 node [ id 1 label "a" ] edge [ source 1 target 2 weight 0.5 ] ]`. Nodes are called by their
//! labels if all have one and no two have the same, else by their ids. A weight is what `weight` says, or `value` where there is no
//! `weight`. Everything else is skipped; a second graph is refused. Without `directed 1` a graph is undirected.

use super::{network::Network, prelude::*, weight::Weight};
use std::borrow::Cow;

pub(super) struct Gml;

impl FileFormat for Gml {
    const NAME: &'static str = "gml";
    const ABOUT: &'static str = "GML, as NetworkX, igraph and Gephi write it; read only";
    const EXTENSIONS: &'static [&'static str] = &["gml"];

    fn recognise(beginning: Text<'_>) -> Recognition {
        let mut scanner = Scanner { bytes: beginning.bytes, position: 0 };
        // `Creator "…"` and `Version 1` may come first.
        for _ in 0..4 {
            match (scanner.token(), scanner.token()) {
                (Ok(Some(Token::Word(key))), Ok(Some(Token::Open))) => {
                    return Recognition::certain_if(key.eq_ignore_ascii_case(b"graph"));
                }
                (Ok(Some(Token::Word(key))), Ok(Some(Token::Word(_) | Token::Quoted(_))))
                    if [&b"creator"[..], b"version", b"comment"]
                        .iter()
                        .any(|known| key.eq_ignore_ascii_case(known)) => {}
                _ => break,
            }
        }
        Recognition::No
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let mut parser = Parser::default();
        parser.read(Scanner { bytes: text.bytes, position: 0 }).map_err(|flaw| text.error(flaw))?;
        if !parser.has_graph {
            return Err(text.error_of_file("there is no 'graph [ … ]' in it"));
        }
        parser.network.check_declared().map_err(|flaw| text.error(flaw))?;
        parser.network.load_labelled(text, parser.directed, &parser.labels)
    }
}

enum Token<'a> {
    Word(&'a [u8]),
    /// What stands between quotation marks.
    Quoted(&'a [u8]),
    Open,
    Close,
}

struct Scanner<'a> {
    bytes: &'a [u8],
    /// Where the next token begins, once blanks and comments are passed.
    position: usize,
}

impl<'a> Scanner<'a> {
    fn flaw<T>(&self, reason: impl Into<String>) -> Result<T, Flaw> {
        Err(Flaw { position: self.position, reason: reason.into() })
    }

    fn pass_blanks(&mut self) {
        if self.position == 0 && self.bytes.starts_with(b"\xef\xbb\xbf") {
            self.position = 3;
        }
        while let Some(byte) = self.bytes.get(self.position) {
            match byte {
                b'#' => {
                    let rest = &self.bytes[self.position..];
                    self.position += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                byte if byte.is_ascii_whitespace() => self.position += 1,
                _ => break,
            }
        }
    }

    fn token(&mut self) -> Result<Option<Token<'a>>, Flaw> {
        self.pass_blanks();
        let rest = &self.bytes[self.position..];
        let (token, length) = match rest {
            [] => return Ok(None),
            [b'[', ..] => (Token::Open, 1),
            [b']', ..] => (Token::Close, 1),
            [b'"', inside @ ..] => match memchr::memchr(b'"', inside) {
                Some(end) => (Token::Quoted(&inside[..end]), end + 2),
                None => return self.flaw("a quotation mark opens here, and none closes"),
            },
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'[' | b']' | b'"');
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                (Token::Word(&rest[..length]), length)
            }
        };
        self.position += length;
        Ok(Some(token))
    }
}

/// A list that is open.
#[derive(Clone, Copy, PartialEq)]
enum Open {
    Graph,
    Node,
    Edge,
    Other,
}

#[derive(Default)]
struct Parser<'a> {
    network: Network,
    /// In the order of the nodes.
    labels: Vec<Option<Cow<'a, str>>>,
    directed: bool,
    has_graph: bool,
    /// What the node or the edge whose list is open has said so far.
    item: Item<'a>,
}

#[derive(Default)]
struct Item<'a> {
    position: usize,
    id: Option<&'a [u8]>,
    label: Option<&'a [u8]>,
    source: Option<&'a [u8]>,
    target: Option<&'a [u8]>,
    weight: Option<&'a [u8]>,
    value: Option<&'a [u8]>,
}

impl<'a> Parser<'a> {
    fn read(&mut self, mut scanner: Scanner<'a>) -> Result<(), Flaw> {
        let mut open: Vec<Open> = Vec::new();
        while let Some(token) = scanner.token()? {
            let key = match token {
                Token::Word(key) => key,
                Token::Close => {
                    let closed = open.pop();
                    let added = match closed {
                        Some(Open::Node) => self.add_node(),
                        Some(Open::Edge) => self.add_edge(),
                        Some(_) => Ok(()),
                        None => return scanner.flaw("a ']' closes what nothing has opened"),
                    };
                    added.map_err(|reason| Flaw { position: self.item.position, reason })?;
                    continue;
                }
                Token::Open | Token::Quoted(_) => return scanner.flaw("a key should stand here"),
            };
            let here = open.last().copied();
            match scanner.token()? {
                Some(Token::Open) => {
                    let list = list(here, key);
                    if list == Open::Graph && self.has_graph {
                        return scanner.flaw("a second graph begins here; only one is read");
                    }
                    self.has_graph |= list == Open::Graph;
                    if matches!(list, Open::Node | Open::Edge) {
                        self.item = Item { position: scanner.position, ..Item::default() };
                    }
                    open.push(list);
                }
                Some(Token::Word(value) | Token::Quoted(value)) => {
                    self.say(here, key, value).map_err(|reason| Flaw { position: scanner.position, reason })?;
                }
                Some(Token::Close) | None => {
                    return scanner.flaw(format!("the key '{}' has no value", shown(key)));
                }
            }
        }
        match open.is_empty() {
            true => Ok(()),
            false => scanner.flaw(format!("the file ends where {} lists are still open", open.len())),
        }
    }

    fn say(&mut self, here: Option<Open>, key: &[u8], value: &'a [u8]) -> Result<(), String> {
        let is = |known: &str| key.eq_ignore_ascii_case(known.as_bytes());
        let item = &mut self.item;
        let place = match here {
            Some(Open::Graph) if is("directed") => {
                self.directed = match value {
                    b"0" => false,
                    b"1" => true,
                    other => return Err(format!("directed is '{}', not 0 or 1", shown(other))),
                };
                return Ok(());
            }
            Some(Open::Node) if is("id") => &mut item.id,
            Some(Open::Node) if is("label") => &mut item.label,
            Some(Open::Edge) if is("source") => &mut item.source,
            Some(Open::Edge) if is("target") => &mut item.target,
            Some(Open::Edge) if is("weight") => &mut item.weight,
            Some(Open::Edge) if is("value") => &mut item.value,
            _ => return Ok(()),
        };
        match place.replace(value) {
            None => Ok(()),
            Some(_) => Err(format!("the key '{}' stands here a second time", shown(key))),
        }
    }

    fn add_node(&mut self) -> Result<(), String> {
        let id = self.item.id.ok_or("the node has no id")?;
        let node = self.network.declare(&text_of(id))? as usize;
        self.labels.resize(self.labels.len().max(node + 1), None);
        self.labels[node] = self.item.label.map(text_of);
        Ok(())
    }

    fn add_edge(&mut self) -> Result<(), String> {
        let position = self.item.position;
        let source = self.network.end(&text_of(self.item.source.ok_or("the edge has no source")?), position)?;
        let target = self.network.end(&text_of(self.item.target.ok_or("the edge has no target")?), position)?;
        let weight = self.item.weight.or(self.item.value).map(Weight::of_text).transpose()?;
        self.network.edge([source, target], weight, None, position);
        Ok(())
    }
}

/// What kind of list a key opens where the list `here` is open.
fn list(here: Option<Open>, key: &[u8]) -> Open {
    match here {
        None if key.eq_ignore_ascii_case(b"graph") => Open::Graph,
        Some(Open::Graph) if key.eq_ignore_ascii_case(b"node") => Open::Node,
        Some(Open::Graph) if key.eq_ignore_ascii_case(b"edge") => Open::Edge,
        _ => Open::Other,
    }
}

/// A string, in which `&quot;`, `&#228;` and the like stand for characters. What is no such reference stays as it is written.
fn text_of(raw: &[u8]) -> Cow<'_, str> {
    match String::from_utf8_lossy(raw) {
        Cow::Borrowed(text) if text.contains('&') => quick_xml::escape::unescape(text).unwrap_or(Cow::Borrowed(text)),
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::{Names, NodeIds};

    /// As `networkx.write_gml` writes it.
    const NETWORKX: &str = "graph [\n  directed 1\n  node [\n    id 0\n    label \"bob\"\n  ]\n  node [\n    id 1\n    \
        label \"Ann &#38; &#228;\"\n  ]\n  node [\n    id 2\n    label \"lone\"\n  ]\n  edge [\n    source 0\n    target 1\n    \
        weight 2.5\n  ]\n  edge [\n    source 1\n    target 0\n    weight 3\n  ]\n]\n";

    #[test]
    fn a_graph_of_networkx() {
        let parsed = parsed(Gml::read, NETWORKX);
        assert_eq!(parsed.ids, NodeIds::Named(Names::from_ascending(["Ann & ä", "bob", "lone"])));
        assert_eq!((edges(&parsed), parsed.edges.nodes), (vec![(1, 0), (0, 1)], 3));
        assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.5, 3.0]));
        assert_eq!(parsed.listing, Listing::Directed);
    }

    #[test]
    fn ids_name_nodes_where_labels_do_not() {
        for labels in [["label \"x\"", "label \"x\""], ["", "label \"x\""], ["", ""]] {
            let [first, second] = labels;
            let body = format!("graph [ node [ id 7 {first} ] node [ {second} id -3 ] edge [ source 7 target -3 ] ]");
            let parsed = parsed(Gml::read, &body);
            assert_eq!(parsed.ids, NodeIds::Named(Names::from_ascending(["-3", "7"])), "{labels:?}");
            assert_eq!((edges(&parsed), parsed.listing), (vec![(1, 0)], Listing::UndirectedOnce));
        }
    }

    #[test]
    fn what_is_not_known_is_skipped() {
        let body = "Creator \"Mark [Newman]\"\n# a remark ]\nVersion 1 graph [ comment \"x\" node [ id 5 graphics [ id 9 x [ id 8 ] ] ]\
                    edge [ source 5 target 5 value 3 ] ] after [ node [ id 1 ] ]";
        let parsed = parsed(Gml::read, body);
        assert_eq!((parsed.edges.nodes, edges(&parsed)), (1, vec![(0, 0)]));
        assert_eq!(parsed.edges.weights, EdgeWeights::U32(vec![3]));
        let recognise = |bytes: &[u8]| Gml::recognise(Text { path: "a".as_ref(), bytes });
        assert_eq!(recognise(body.as_bytes()), Recognition::Certain);
        assert_eq!(recognise(b"graph { a -- b }"), Recognition::No);
        assert_eq!(recognise(b"1 2\n"), Recognition::No);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let of = |inside: &str| reason(Gml::read, &format!("graph [\n{inside}\n]"));
        assert_eq!(of("node [ id 1 ]\nnode [ id 1 ]"), "test:3: node '1' is listed a second time");
        assert_eq!(of("edge [ source 1 target 1 ]"), "test:2: an edge ends at node '1', which is not listed");
        assert_eq!(of("node [ ]"), "test:2: the node has no id");
        assert_eq!(of("node [ id 1 ]\n\nedge [ source 1 ]"), "test:4: the edge has no target");
        assert_eq!(of("node [ id 1 id 2 ]"), "test:2: the key 'id' stands here a second time");
        assert_eq!(of("directed yes"), "test:2: directed is 'yes', not 0 or 1");
        assert_eq!(of("]\n]"), "test:3: a ']' closes what nothing has opened");
        assert_eq!(of("node [ id 1 label \"x ]"), "test:2: a quotation mark opens here, and none closes");
        assert_eq!(of("node [ id 1"), "test:3: the file ends where 1 lists are still open");
        assert_eq!(of("node"), "test:3: the key 'node' has no value");
        assert!(of("] graph [").contains("a second graph"));
        let weight = of("node [ id 1 ] edge [ source 1 target 1 weight \"x\" ]");
        assert_eq!(weight, "test:2: the weight 'x' is not a number");
        assert_eq!(reason(Gml::read, ""), "test: there is no 'graph [ … ]' in it");
    }
}

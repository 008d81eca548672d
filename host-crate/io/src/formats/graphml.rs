//! GraphML (`.graphml`): `<node id>` and `<edge source target>` in a `<graph edgedefault>`; an edge may have its own `directed`.
//! The weights are the `<data>` of the `<key>` for edges whose `attr.name` is "weight", with its `<default>` where an edge has
//! none. Nodes are called by their ids. The file is read as a stream of events; no entity is defined by a file. Hyperedges, nested
//! graphs and a second graph are refused.

use super::{network::Network, prelude::*, weight::Weight};
use quick_xml::{
    Reader, XmlVersion,
    events::{BytesStart, Event},
};
use std::borrow::Cow;

pub(super) struct GraphMl;

impl FileFormat for GraphMl {
    const NAME: &'static str = "graphml";
    const ABOUT: &'static str = "GraphML, as NetworkX, igraph and yEd write it; read only";
    const EXTENSIONS: &'static [&'static str] = &["graphml"];

    fn recognise(beginning: Text<'_>) -> Recognition {
        let start = &beginning.bytes[..beginning.bytes.len().min(PROLOGUE)];
        let is_xml = start.trim_ascii_start().starts_with(b"<") || start.starts_with(b"\xef\xbb\xbf<");
        Recognition::certain_if(is_xml && memchr::memmem::find(start, b"<graphml").is_some())
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let mut parser = Parser::default();
        let mut reader = Reader::from_reader(text.bytes);
        reader.config_mut().check_comments = false;
        loop {
            let event = reader.read_event();
            let position = usize::try_from(reader.buffer_position()).unwrap_or_default().min(text.bytes.len());
            let flaw = |reason: String| text.error(Flaw { position, reason });
            match event {
                Ok(Event::Eof) => break,
                Ok(event) => parser.event(event, position).map_err(flaw)?,
                Err(error) => return Err(flaw(format!("not well-formed XML: {error}"))),
            }
        }
        parser.load(text)
    }
}

/// The element `<graphml>` stands within this many bytes, after the XML declaration and any comments.
const PROLOGUE: usize = 4096;

#[derive(Default)]
struct Parser {
    network: Network,
    /// Whether edges are directed by default, once the graph has begun.
    directed: Option<bool>,
    /// Whether the graph has ended.
    ended: bool,
    /// The ids of the keys of weights, of which NetworkX writes one for each type that weights have; whether the element of one is
    /// open, and what an edge without a weight weighs.
    weight_keys: Vec<String>,
    in_weight_key: bool,
    default_weight: Option<Weight>,
    edge: Option<OpenEdge>,
    /// The text of the weight whose element is open.
    weight_text: Option<String>,
}

/// The edge whose element is open.
struct OpenEdge {
    source: u32,
    target: u32,
    directed: Option<bool>,
    weight: Option<Weight>,
    /// Where the weight is, or the edge if it has none of its own.
    position: usize,
}

impl Parser {
    fn event(&mut self, event: Event<'_>, position: usize) -> Result<(), String> {
        match event {
            Event::Start(element) => self.start(&element, position),
            Event::Empty(element) => {
                self.start(&element, position)?;
                self.end(element.local_name().as_ref(), position)
            }
            Event::End(element) => self.end(element.local_name().as_ref(), position),
            Event::Text(text) => {
                if let Some(weight) = &mut self.weight_text {
                    weight.push_str(&text);
                }
                Ok(())
            }
            Event::CData(_) | Event::GeneralRef(_) if self.weight_text.is_some() => {
                Err("a weight should be written in digits alone".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn start(&mut self, element: &BytesStart<'_>, position: usize) -> Result<(), String> {
        let in_graph = self.directed.is_some() && !self.ended;
        match element.local_name().as_ref() {
            "key" => self.key(element)?,
            "default" if self.in_weight_key => self.weight_text = Some(String::new()),
            "graph" if in_graph => return Err("a graph begins within a graph; nested graphs are not read".to_owned()),
            "graph" if self.ended => return Err("a second graph begins here; only one is read".to_owned()),
            "graph" => {
                self.directed = Some(match needed(element, "edgedefault")?.as_ref() {
                    "directed" => true,
                    "undirected" => false,
                    other => return Err(format!("edgedefault is '{}', not directed or undirected", shown_text(other))),
                });
            }
            "hyperedge" => return Err("hyperedges are not read".to_owned()),
            "node" if in_graph => {
                self.network.declare(&needed(element, "id")?)?;
            }
            "edge" if in_graph && self.edge.is_none() => {
                let directed = match attribute(element, "directed")?.as_deref() {
                    None => None,
                    Some("true" | "1") => Some(true),
                    Some("false" | "0") => Some(false),
                    Some(other) => return Err(format!("directed is '{}', not true or false", shown_text(other))),
                };
                let source = self.network.end(&needed(element, "source")?, position)?;
                let target = self.network.end(&needed(element, "target")?, position)?;
                self.edge = Some(OpenEdge { source, target, directed, weight: self.default_weight, position });
            }
            "data" if self.edge.is_some() && !self.weight_keys.is_empty() => {
                let key = attribute(element, "key")?;
                if key.is_some_and(|key| self.weight_keys.iter().any(|of_weights| *of_weights == key)) {
                    self.weight_text = Some(String::new());
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn key(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let of_edges = attribute(element, "for")?.is_none_or(|what| matches!(what.as_ref(), "edge" | "all"));
        let name = attribute(element, "attr.name")?;
        if !of_edges || !name.is_some_and(|name| name.eq_ignore_ascii_case("weight")) {
            return Ok(());
        }
        self.weight_keys.push(needed(element, "id")?.into_owned());
        self.in_weight_key = true;
        Ok(())
    }

    fn end(&mut self, name: &str, position: usize) -> Result<(), String> {
        match name {
            "key" => self.in_weight_key = false,
            "default" | "data" => {
                if let Some(text) = self.weight_text.take() {
                    let weight = Some(Weight::of_text(text.as_bytes())?);
                    match &mut self.edge {
                        Some(edge) => (edge.weight, edge.position) = (weight, position),
                        None => self.default_weight = weight,
                    }
                }
            }
            "edge" => {
                if let Some(OpenEdge { source, target, directed, weight, position }) = self.edge.take() {
                    self.network.edge([source, target], weight, directed, position);
                }
            }
            "graph" => self.ended = self.directed.is_some(),
            _ => {}
        }
        Ok(())
    }

    fn load(self, text: Text<'_>) -> Result<Loaded> {
        let Some(directed) = self.directed else {
            return Err(text.error_of_file("there is no <graph> in it"));
        };
        if !self.ended {
            return Err(text.error_of_file("the file ends within the <graph>"));
        }
        self.network.check_declared().map_err(|flaw| text.error(flaw))?;
        self.network.load(text, directed)
    }
}

fn attribute<'a>(element: &'a BytesStart<'_>, name: &str) -> Result<Option<Cow<'a, str>>, String> {
    for attribute in element.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| error.to_string())?;
        if attribute.key.local_name().as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            return value.map(Some).map_err(|error| error.to_string());
        }
    }
    Ok(None)
}

fn needed<'a>(element: &'a BytesStart<'_>, name: &str) -> Result<Cow<'a, str>, String> {
    attribute(element, name)?
        .ok_or_else(|| format!("<{}> has no attribute '{name}'", shown_text(element.local_name().as_ref())))
}

fn shown_text(text: &str) -> String {
    shown(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::{Names, NodeIds};

    /// As `networkx.write_graphml` writes it.
    const NETWORKX: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d2" for="edge" attr.name="weight" attr.type="long" />
  <key id="d1" for="edge" attr.name="weight" attr.type="double" />
  <key id="d0" for="node" attr.name="weight" attr.type="long" />
  <graph edgedefault="directed">
    <node id="bob">
      <data key="d0">7</data>
    </node>
    <node id="Ann &amp; &#228;" />
    <node id="lone" />
    <edge source="bob" target="Ann &amp; &#228;">
      <data key="d1">2.5</data>
    </edge>
    <edge source="Ann &amp; &#228;" target="bob">
      <data key="d2">3</data>
    </edge>
  </graph>
</graphml>"#;

    fn graph(inside: &str) -> String {
        format!("<graphml>\n{inside}\n</graphml>")
    }

    #[test]
    fn a_graph_of_networkx() {
        let parsed = parsed(GraphMl::read, NETWORKX);
        assert_eq!(parsed.ids, NodeIds::Named(Names::from_ascending(["Ann & ä", "bob", "lone"])));
        assert_eq!((edges(&parsed), parsed.edges.nodes), (vec![(1, 0), (0, 1)], 3));
        assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.5, 3.0]));
        assert_eq!(parsed.listing, Listing::Directed);
        let text = Text { path: "a".as_ref(), bytes: NETWORKX.as_bytes() };
        assert_eq!(GraphMl::recognise(text), Recognition::Certain);
    }

    #[test]
    fn whole_ids_are_numbers_and_edges_may_come_first() {
        let body = graph(
            r#"<graph edgedefault="undirected"><edge source="10" target="9"/><node id="10"/><node id="9"/></graph>"#,
        );
        let parsed = parsed(GraphMl::read, &body);
        assert_eq!(parsed.ids, NodeIds::Listed(vec![9, 10].into()));
        assert_eq!((edges(&parsed), parsed.listing), (vec![(1, 0)], Listing::UndirectedOnce));
        assert_eq!(parsed.edges.weights, EdgeWeights::None);
    }

    #[test]
    fn an_edge_may_have_its_own_direction() {
        let nodes = r#"<graph edgedefault="directed"><node id="0"/><node id="1"/><node id="2"/>"#;
        let body = graph(&format!(
            r#"{nodes}<edge source="0" target="1" directed="false"/><edge source="1" target="2"/></graph>"#
        ));
        let parsed = parsed(GraphMl::read, &body);
        assert_eq!((edges(&parsed), parsed.listing), (vec![(0, 1), (1, 2), (1, 0)], Listing::Directed));
    }

    #[test]
    fn edges_without_a_weight_take_the_default_or_one() {
        let body = |default: &str| {
            let key = format!(r#"<key id="w" for="edge" attr.name="Weight">{default}</key>"#);
            let edges = r#"<edge source="0" target="0"/><edge source="0" target="0"><data key="w"> 5 </data></edge>"#;
            parsed(
                GraphMl::read,
                &graph(&format!(r#"{key}<graph edgedefault="directed"><node id="0"/>{edges}</graph>"#)),
            )
        };
        assert_eq!(body("<default>4</default>").edges.weights, EdgeWeights::U32(vec![4, 5]));
        assert_eq!(body("").edges.weights, EdgeWeights::U32(vec![1, 5]));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let of = |inside: &str| reason(GraphMl::read, &graph(inside));
        let open = "<graph edgedefault='directed'>\n<node id='a'/>\n";
        assert_eq!(of(&format!("{open}<node id='a'/></graph>")), "test:4: node 'a' is listed a second time");
        assert_eq!(
            of(&format!("{open}<edge source='a' target='b'/></graph>")),
            "test:4: an edge ends at node 'b', which is not listed"
        );
        assert_eq!(of(&format!("{open}<edge source='a'/></graph>")), "test:4: <edge> has no attribute 'target'");
        assert_eq!(of(&format!("{open}<hyperedge/></graph>")), "test:4: hyperedges are not read");
        assert_eq!(of("<graph><node id='a'/></graph>"), "test:2: <graph> has no attribute 'edgedefault'");
        assert!(of(&format!("{open}</graph><graph>")).starts_with("test:4: a second graph"));
        assert!(of(&format!("{open}<graph>")).starts_with("test:4: a graph begins within a graph"));
        assert!(of(&format!("{open}</node>")).starts_with("test:4: not well-formed XML: "));
        assert!(of(&format!("{open}<node id='&boom;'/></graph>")).starts_with("test:4: "));
        assert_eq!(of(""), "test: there is no <graph> in it");
    }

    #[test]
    fn a_file_that_ends_early_is_an_error() {
        let whole = graph("<graph edgedefault='directed'><node id='a'/></graph>");
        for length in 0..whole.len() - "\n</graphml>".len() {
            reason(GraphMl::read, &whole[..length]);
        }
    }
}

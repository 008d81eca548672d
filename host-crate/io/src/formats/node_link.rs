//! Node-link JSON, as `networkx.node_link_data` has it: an object with `directed`, `nodes`, a list of objects with an `id`, and `links` or
//! `edges`, a list of objects with `source`, `target` and perhaps `weight`. Without `directed` the graph is undirected, as in NetworkX.
//! Keys come in any order; others are skipped.

use super::{ends::Id, json, network::Network, prelude::*, rounding::Unit, weight::Weight};
use serde::{
    Deserialize,
    de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use std::{borrow::Cow, fmt, marker::PhantomData};

pub(super) struct NodeLink;

impl FileFormat for NodeLink {
    const NAME: &'static str = "node-link";
    const ABOUT: &'static str = "node-link JSON, as NetworkX and D3 have it; read only";
    const EXTENSIONS: &'static [&'static str] = &["json"];

    fn recognise(beginning: Text<'_>) -> Recognition {
        let first_key = || {
            let inside = beginning.bytes.trim_ascii_start().strip_prefix(b"{")?;
            let key = inside.trim_ascii_start().strip_prefix(b"\"")?;
            key.split(|byte| *byte == b'"').next()
        };
        Recognition::certain_if(first_key().is_some_and(|key| KEYS.iter().any(|known| known.as_bytes() == key)))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let mut graph = Graph::default();
        // The parser does not say where in the text it is.
        graph.network.places = Unit::Edge;
        let mut parser = serde_json::Deserializer::from_slice(text.bytes);
        let read = parser.deserialize_map(GraphVisitor(&mut graph)).and_then(|()| parser.end());
        read.map_err(|error| json::error(text, &error))?;
        graph.network.check_declared().map_err(|flaw| text.error_of_file(flaw.reason))?;
        graph.network.load(text, graph.directed)
    }
}

const KEYS: [&str; 6] = ["directed", "multigraph", "graph", "nodes", "links", "edges"];

#[derive(Default)]
struct Graph {
    network: Network,
    directed: bool,
}

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(borrow)]
    id: Id<'a>,
}

#[derive(Deserialize)]
struct Link<'a> {
    #[serde(borrow)]
    source: Id<'a>,
    #[serde(borrow)]
    target: Id<'a>,
    weight: Option<Weight>,
}

struct GraphVisitor<'g>(&'g mut Graph);

impl<'de> Visitor<'de> for GraphVisitor<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with 'nodes' and 'links' or 'edges'")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut nodes, mut links, mut directed) = (false, false, None);
        let network = &mut self.0.network;
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "directed" if directed.is_some() => return Err(Error::custom("'directed' is there twice")),
                "directed" => directed = Some(map.next_value()?),
                "nodes" if nodes => return Err(Error::custom("there is a second list of nodes")),
                "nodes" => {
                    nodes = true;
                    let declare = |node: Node<'de>| network.declare(&name(node.id)).map(drop);
                    map.next_value_seed(Each { what: "a list of nodes", take: declare, item: PhantomData })?;
                }
                "links" | "edges" if links => return Err(Error::custom("there is a second list of edges")),
                "links" | "edges" => {
                    links = true;
                    let mut edge = 0;
                    let add = |Link { source, target, weight }: Link<'de>| {
                        let (source, target) = (network.end(&name(source), 0)?, network.end(&name(target), 0)?);
                        edge += 1;
                        network.edge([source, target], weight, None, edge);
                        Ok(())
                    };
                    map.next_value_seed(Each { what: "a list of edges", take: add, item: PhantomData })?;
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        self.0.directed = directed.unwrap_or_default();
        match (nodes, links) {
            (true, true) => Ok(()),
            (false, _) => Err(Error::custom("there is no list 'nodes'")),
            (_, false) => Err(Error::custom("there is no list 'links' or 'edges'")),
        }
    }
}

fn name(id: Id<'_>) -> Cow<'_, str> {
    match id {
        Id::Number(number) => number.to_string().into(),
        Id::Name(name) => name,
    }
}

/// Takes the items of a list one by one, so that the list is never in memory.
struct Each<T, F> {
    what: &'static str,
    take: F,
    item: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> DeserializeSeed<'de> for Each<T, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>, F: FnMut(T) -> Result<(), String>> Visitor<'de> for Each<T, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        while let Some(item) = items.next_element()? {
            (self.take)(item).map_err(Error::custom)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::{Names, NodeIds};

    /// As `json.dump(networkx.node_link_data(graph))` writes it.
    const NETWORKX: &str = r#"{"directed": true, "multigraph": false, "graph": {"name": "x"}, "nodes": [{"id": "bob"}, {"color": [1],
"id": "Ann \u00e4"}, {"id": "lone"}], "edges": [{"weight": 2.5, "source": "bob", "target": "Ann \u00e4"},
{"weight": 3, "source": "Ann \u00e4", "target": "bob"}]}"#;

    #[test]
    fn a_graph_of_networkx() {
        for body in [NETWORKX.to_owned(), NETWORKX.replace("edges", "links")] {
            let parsed = parsed(NodeLink::read, &body);
            assert_eq!(parsed.ids, NodeIds::Named(Names::from_ascending(["Ann ä", "bob", "lone"])));
            assert_eq!((edges(&parsed), parsed.edges.nodes), (vec![(1, 0), (0, 1)], 3));
            assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.5, 3.0]));
            assert_eq!(parsed.listing, Listing::Directed);
        }
    }

    #[test]
    fn keys_in_any_order_and_numbers() {
        let body = r#"{"links":[{"source":3,"target":0}],"nodes":[{"id":0},{"id":1},{"id":3}]}"#;
        let parsed = parsed(NodeLink::read, body);
        assert_eq!(parsed.ids, NodeIds::Listed(vec![0, 1, 3].into()));
        assert_eq!((edges(&parsed), parsed.listing), (vec![(2, 0)], Listing::UndirectedOnce));
        let recognise = |bytes: &[u8]| NodeLink::recognise(Text { path: "a".as_ref(), bytes });
        assert_eq!(recognise(body.as_bytes()), Recognition::Certain);
        assert_eq!(recognise(br#"{"source": 1}"#), Recognition::No);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let of = |body: &str| reason(NodeLink::read, body);
        assert_eq!(
            of("{\"nodes\": [{\"id\": 1},\n{\"id\": 1}], \"links\": []}"),
            "test:2: node '1' is listed a second time"
        );
        assert_eq!(of("{\"nodes\": [\n{\"ID\": 1}], \"links\": []}"), "test:2: missing field `id`");
        let undeclared = of(r#"{"nodes": [], "links": [{"source": 1, "target": 2}]}"#);
        assert_eq!(undeclared, "test: an edge ends at node '1', which is not listed");
        assert!(of("{\"nodes\": [], \"links\": [{\n\"source\": [1]").contains("test:2: invalid type"));
        assert!(of("{}").contains("there is no list 'nodes'"));
        assert!(of(r#"{"nodes": []}"#).contains("there is no list 'links' or 'edges'"));
        assert!(of("").contains("EOF"));
        assert!(of("[1]").contains("expected an object with 'nodes'"));
        assert!(of(r#"{"nodes": [{"id": NaN}]}"#).starts_with("test:1: "));
        let weight = of(r#"{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 1, "weight": 1e300}]}"#);
        assert!(weight.contains("not a finite 32-bit number"), "{weight}");
    }

    #[test]
    fn deep_nesting_is_an_error_or_skipped() {
        let deep = "[".repeat(200_000);
        reason(NodeLink::read, &format!("{{\"nodes\": {deep}"));
        reason(NodeLink::read, &format!("{{\"x\": {deep}"));
        reason(NodeLink::read, &format!("{{\"nodes\": [{{\"id\": {deep}"));
    }
}

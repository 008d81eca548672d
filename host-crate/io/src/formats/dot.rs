//! The plain part of Graphviz's language (`.dot`, `.gv`): `digraph { a -> b -> c [weight=2] }`, `graph { "x y" -- z }`. A weight is what
//! the attribute `weight` says, or `len` where there is no `weight`; `edge [weight=3]` holds for the edges after it in the same braces.
//! Nodes are called by their ids; ports are passed over, and the statements of a subgraph are read as if they stood outside of it.
//! In a `strict` graph edges between the same nodes are one, which has the last weight. A subgraph as an end of an edge is refused.

use super::{
    dot_scanner::{Scanner, Token},
    network::Network,
    prelude::*,
    weight::Weight,
};
use std::{borrow::Cow, collections::HashMap};

pub(super) struct Dot;

impl FileFormat for Dot {
    const NAME: &'static str = "dot";
    const ABOUT: &'static str = "the plain part of Graphviz's DOT; read only";
    const EXTENSIONS: &'static [&'static str] = &["dot", "gv"];

    fn recognise(beginning: Text<'_>) -> Recognition {
        let mut parser = Parser::new(beginning);
        Recognition::certain_if(parser.header().is_ok())
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        // Two names that differ only in bytes that are no text would become the same.
        if let Err(error) = str::from_utf8(text.bytes) {
            let reason = "this is not valid UTF-8".to_owned();
            return Err(text.error(Flaw { position: error.valid_up_to(), reason }));
        }
        let mut parser = Parser::new(text);
        let directed = parser.graph().map_err(|flaw| text.error(flaw))?;
        parser.network.load(text, directed)
    }
}

struct Parser<'a> {
    scanner: Scanner<'a>,
    network: Network,
    directed: bool,
    /// In a strict graph, the edge between two nodes.
    strict: Option<HashMap<(u32, u32), usize>>,
    /// What an edge without a weight weighs, in each of the braces that are open.
    defaults: Vec<Option<Weight>>,
}

impl<'a> Parser<'a> {
    fn new(text: Text<'a>) -> Self {
        let scanner = Scanner::new(text.bytes);
        Self { scanner, network: Network::default(), directed: false, strict: None, defaults: Vec::new() }
    }

    /// `[strict] graph|digraph [id] {`
    fn header(&mut self) -> Result<(), Flaw> {
        let mut token = self.scanner.needed()?;
        if token.is_keyword("strict") {
            self.strict = Some(HashMap::new());
            token = self.scanner.needed()?;
        }
        self.directed = match &token {
            token if token.is_keyword("graph") => false,
            token if token.is_keyword("digraph") => true,
            _ => return self.scanner.flaw("the file should begin with 'graph {' or 'digraph {'"),
        };
        token = self.scanner.needed()?;
        if matches!(token, Token::Word(_) | Token::Quoted(_)) {
            token = self.scanner.needed()?;
        }
        match token {
            Token::Mark(b'{') => Ok(()),
            _ => self.scanner.flaw("a '{' should stand here"),
        }
    }

    /// Reads all of it; whether edges have a direction.
    fn graph(&mut self) -> Result<bool, Flaw> {
        self.header()?;
        self.defaults.push(None);
        while !self.defaults.is_empty() {
            self.statement()?;
        }
        match self.scanner.token()? {
            None => Ok(self.directed),
            Some(_) => self.scanner.flaw("the graph has ended before this; only one is read"),
        }
    }

    /// Reads a statement, or the braces around some.
    fn statement(&mut self) -> Result<(), Flaw> {
        let begin = self.scanner.position;
        match self.scanner.needed()? {
            Token::Mark(b';' | b',') => Ok(()),
            Token::Mark(b'{') => self.open(),
            Token::Mark(b'}') => {
                self.defaults.pop();
                match matches!(self.scanner.peek()?, Some(Token::Directed | Token::Undirected)) {
                    true => self.scanner.flaw(SUBGRAPH_END),
                    false => Ok(()),
                }
            }
            token if token.is_keyword("subgraph") => {
                let mut next = self.scanner.needed()?;
                if matches!(next, Token::Word(_) | Token::Quoted(_)) {
                    next = self.scanner.needed()?;
                }
                match next {
                    Token::Mark(b'{') => self.open(),
                    _ => self.scanner.flaw("a '{' should follow 'subgraph'"),
                }
            }
            token if token.is_keyword("edge") => {
                if let Some(weight) = self.attributes()?
                    && let Some(default) = self.defaults.last_mut()
                {
                    *default = Some(weight);
                }
                Ok(())
            }
            token if token.is_keyword("node") || token.is_keyword("graph") => self.attributes().map(drop),
            Token::Word(name) => self.nodes(String::from_utf8_lossy(name), begin),
            Token::Quoted(name) => self.nodes(name, begin),
            token => self.scanner.flaw(format!("{token} begins no statement")),
        }
    }

    fn open(&mut self) -> Result<(), Flaw> {
        let default = self.defaults.last().copied().flatten();
        self.defaults.push(default);
        Ok(())
    }

    /// Reads what follows a name at the beginning of a statement: an assignment, or a node, or edges from it.
    fn nodes(&mut self, name: Cow<'a, str>, begin: usize) -> Result<(), Flaw> {
        if let Some(Token::Mark(b'=')) = self.scanner.peek()? {
            self.scanner.token()?;
            return self.value().map(drop);
        }
        let mut chain = vec![self.node(&name, begin)?];
        self.port()?;
        while let Some(token @ (Token::Directed | Token::Undirected)) = self.scanner.peek()? {
            self.scanner.token()?;
            if matches!(token, Token::Directed) != self.directed {
                let (kind, edge) = if self.directed { ("digraph", "->") } else { ("graph", "--") };
                return self.scanner.flaw(format!("{token} stands in a {kind}, whose edges are '{edge}'"));
            }
            let position = self.scanner.position;
            let name = match self.scanner.needed()? {
                Token::Mark(b'{') => return self.scanner.flaw(SUBGRAPH_END),
                token if token.is_keyword("subgraph") => return self.scanner.flaw(SUBGRAPH_END),
                Token::Word(name) => String::from_utf8_lossy(name),
                Token::Quoted(name) => name,
                token => return self.scanner.flaw(format!("{token} is no node")),
            };
            let node = self.node(&name, position)?;
            chain.push(node);
            self.port()?;
        }
        let weight = self.attributes()?;
        for ends in chain.windows(2) {
            self.edge(ends[0], ends[1], weight);
        }
        Ok(())
    }

    fn edge(&mut self, source: u32, target: u32, weight: Option<Weight>) {
        let weight = weight.or(self.defaults.last().copied().flatten());
        let place = self.scanner.position;
        let Some(strict) = &mut self.strict else {
            self.network.edge([source, target], weight, None, place);
            return;
        };
        let ends = if self.directed { (source, target) } else { (source.min(target), source.max(target)) };
        match (strict.get(&ends), weight) {
            (Some(edge), Some(weight)) => self.network.set_weight(*edge, weight, place),
            (Some(_), None) => {}
            (None, weight) => {
                strict.insert(ends, self.network.edge([source, target], weight, None, place));
            }
        }
    }

    fn node(&mut self, name: &str, position: usize) -> Result<u32, Flaw> {
        self.network.end(name, position).map_err(|reason| Flaw { position, reason })
    }

    /// Passes `:port` and `:port:compass`.
    fn port(&mut self) -> Result<(), Flaw> {
        while let Some(Token::Mark(b':')) = self.scanner.peek()? {
            self.scanner.token()?;
            self.value()?;
        }
        Ok(())
    }

    fn value(&mut self) -> Result<Cow<'a, str>, Flaw> {
        match self.scanner.needed()? {
            Token::Word(value) => Ok(String::from_utf8_lossy(value)),
            Token::Quoted(value) => Ok(value),
            Token::Html => Ok(Cow::Borrowed("")),
            token => self.scanner.flaw(format!("{token} is no value")),
        }
    }

    /// Reads any lists of attributes; the weight among them.
    fn attributes(&mut self) -> Result<Option<Weight>, Flaw> {
        let (mut weight, mut length) = (None, None);
        while let Some(Token::Mark(b'[')) = self.scanner.peek()? {
            self.scanner.token()?;
            loop {
                if let Some(Token::Mark(mark @ (b';' | b',' | b']'))) = self.scanner.peek()? {
                    self.scanner.token()?;
                    if mark == b']' {
                        break;
                    }
                    continue;
                }
                let key = self.value()?;
                if !matches!(self.scanner.peek()?, Some(Token::Mark(b'='))) {
                    continue;
                }
                self.scanner.token()?;
                let value = self.value()?;
                let place = match &*key {
                    "weight" => &mut weight,
                    "len" => &mut length,
                    _ => continue,
                };
                *place = match Weight::of_text(value.as_bytes()) {
                    Ok(value) => Some(value),
                    Err(reason) => return self.scanner.flaw(reason),
                };
            }
        }
        Ok(weight.or(length))
    }
}

const SUBGRAPH_END: &str = "a subgraph as an end of an edge is not read; write the edges one by one";

#[cfg(test)]
mod tests {
    use super::{super::testing::*, *};
    use evenkeel_graph::{Names, NodeIds};

    #[test]
    fn chains_names_and_attributes() {
        let body = "/* a\nremark */ digraph \"my graph\" {\n# line\n rankdir=LR; node [shape=box]\n\
            a -> \"b \\\"x\\\"\" -> c:port:n [weight=2.5, color=\"red\"]; // more\n lone [label=<<b>x</b>>]\n c->a[len=3]\n}";
        let parsed = parsed(Dot::read, body);
        assert_eq!(parsed.ids, NodeIds::Named(Names::from_ascending(["a", "b \"x\"", "c", "lone"])));
        assert_eq!(edges(&parsed), [(0, 1), (1, 2), (2, 0)]);
        assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.5, 2.5, 3.0]));
        assert_eq!((parsed.listing, parsed.edges.nodes), (Listing::Directed, 4));
    }

    #[test]
    fn numbers_and_an_undirected_graph() {
        let parsed = parsed(Dot::read, "graph{2--10--3;10--2}");
        assert_eq!(parsed.ids, NodeIds::Listed(vec![2, 3, 10].into()));
        assert_eq!((edges(&parsed), parsed.listing), (vec![(0, 2), (2, 1), (2, 0)], Listing::UndirectedOnce));
        assert_eq!(parsed.edges.weights, EdgeWeights::None);
    }

    #[test]
    fn a_strict_graph_has_one_edge_between_two_nodes() {
        let parsed = parsed(Dot::read, "strict graph { a -- b [weight=1]; b -- a [weight=7]; b -- a; a -- a }");
        assert_eq!(edges(&parsed), [(0, 1), (0, 0)]);
        assert_eq!(parsed.edges.weights, EdgeWeights::U32(vec![7, 1]));
    }

    #[test]
    fn subgraphs_are_flattened_with_their_defaults() {
        let body = "digraph { edge [weight=2] a->b; subgraph cluster_1 { edge [weight=3]; b->c; { c->d } } d->a }";
        let parsed = parsed(Dot::read, body);
        assert_eq!(edges(&parsed), [(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert_eq!(parsed.edges.weights, EdgeWeights::U32(vec![2, 3, 3, 2]));
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let of = |body: &str| reason(Dot::read, body);
        assert_eq!(of("digraph {\na -- b }"), "test:2: '--' stands in a digraph, whose edges are '->'");
        assert_eq!(of("graph {\na -> b }"), "test:2: '->' stands in a graph, whose edges are '--'");
        assert_eq!(of("graph {\n\na -- {b c} }"), format!("test:3: {SUBGRAPH_END}"));
        assert_eq!(of("graph {\nsubgraph x {b c} -- d }"), format!("test:2: {SUBGRAPH_END}"));
        assert_eq!(of("graph {\na -- b [weight=x] }"), "test:2: the weight 'x' is not a number");
        assert_eq!(of("graph {\na -- ; }"), "test:2: ';' is no node");
        assert_eq!(of("graph {\n\n"), "test:3: the file ends too early");
        assert_eq!(of("graph {} \n x"), "test:2: the graph has ended before this; only one is read");
        assert_eq!(of("tree {}"), "test:1: the file should begin with 'graph {' or 'digraph {'");
        assert_eq!(of("graph {\n\"a }"), "test:2: a quotation mark opens here, and none closes");
    }

    #[test]
    fn deep_nesting_is_no_recursion() {
        let deep = format!("graph {{ {} a -- b {} }}", "{".repeat(200_000), "}".repeat(200_000));
        assert_eq!(edges(&parsed(Dot::read, &deep)), [(0, 1)]);
        reason(Dot::read, &deep[..deep.len() / 2]);
        reason(Dot::read, &format!("graph {{ a [label={}", "<".repeat(200_000)));
    }
}

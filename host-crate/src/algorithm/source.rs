//! Where a traversal begins, as a user says it: a node's own name, the node with the most edges, or one drawn by a seed.

use crate::{
    Error, Result,
    graph::{Graph, csr::MOST_NODES, generate::random::mix},
    settings::{Key, NamedText, Settings},
};
use std::{borrow::Cow, collections::HashSet, convert::Infallible, fmt, str::FromStr};

/// Begins at all nodes that the configuration has. It is passed in place of a node, and no graph has a node of this number.
pub const ALL_SOURCES: u32 = u32::MAX - 1;

const _: () = assert!(ALL_SOURCES as u64 >= MOST_NODES && ALL_SOURCES != evenkeel_types::UNREACHED);

/// Several nodes at which a traversal begins at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ManySources {
    /// Begin at all of these nodes at once: each as --source takes it, with commas between; a name with commas in it stands between double
    /// quotes. A node's distance is that from the nearest.
    pub names: Vec<String>,
    /// A file with the names of the nodes to begin at, one in a line; as they are, or between double quotes.
    pub file: Option<NamedText>,
    /// The nodes themselves, each once; as [`ManySources::found`] finds them.
    pub nodes: Vec<u32>,
}

impl Settings for ManySources {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "Begin at all of these nodes at once: each as the setting `source` takes it, with commas between; a name with commas \
                     in it stands between double quotes. A node's distance is that from the nearest";
        let names =
            Key::list("sources", about, &mut self.names).placeholder("NODES").excludes(&["source", "sources-file"]);
        let about = "The same with the names in a file, one in a line; as they are, or between double quotes";
        vec![names, Key::contents("sources-file", about, &mut self.file).excludes(&["source"])]
    }
}

/// Nodes by their numbers, which are their names, too.
impl From<Vec<u32>> for ManySources {
    fn from(nodes: Vec<u32>) -> Self {
        Self { names: nodes.iter().map(u32::to_string).collect(), file: None, nodes }
    }
}

impl ManySources {
    /// Whether there are several nodes to begin at.
    pub fn are_given(&self) -> bool {
        !self.names.is_empty() || self.file.is_some()
    }

    /// Looks up the nodes in a graph. A node that is named twice is taken once, with a warning.
    ///
    /// # Errors
    /// When the graph has no such node, or no node is named; of a file the message says in which line.
    pub fn found(&self, graph: &Graph) -> Result<Self> {
        let mut named = Vec::new();
        for name in whole_names(&self.names) {
            let node = Source::Node(name.clone()).find(graph)?;
            named.push((name, node));
        }
        if let Some(file) = &self.file {
            for (line, name) in (1..).zip(file.text.lines().map(str::trim)).filter(|(_, name)| !name.is_empty()) {
                let name = if graph.ids.find(name, graph.csr.nodes()).is_some() { name.into() } else { unquoted(name) };
                let wrong = |error: Error| Error::Line { path: file.name.clone(), line, reason: error.to_string() };
                let node = Source::Node(name.to_string()).find(graph).map_err(wrong)?;
                named.push((name.into_owned(), node));
            }
        }
        if named.is_empty() {
            let place = self.file.as_ref().map_or("the setting `sources`".to_owned(), ToString::to_string);
            return Err(Error::Usage(format!("{place} names no node to begin at")));
        }
        let (mut seen, mut found) = (HashSet::new(), Self { file: self.file.clone(), ..Self::default() });
        for (name, node) in named {
            if seen.insert(node) {
                found.names.push(name);
                found.nodes.push(node);
            } else {
                tracing::warn!("node {} is among the sources more than once, and is taken once", graph.ids.name(node));
            }
        }
        Ok(found)
    }
}

/// Names that were cut at every comma, as a CSV has them: one that begins with a double quote goes on to the next, with the commas between.
fn whole_names(pieces: &[String]) -> Vec<String> {
    let (mut names, mut pieces) = (Vec::new(), pieces);
    while let Some(first) = pieces.first() {
        let is_end = |end: &usize| is_quoted(&pieces[..=*end].join(","));
        let length = if first.starts_with('"') { (0..pieces.len()).find(is_end).unwrap_or(0) + 1 } else { 1 };
        names.push(unquoted(&pieces[..length].join(",")).into_owned());
        pieces = &pieces[length..];
    }
    names.retain(|name| !name.is_empty());
    names
}

fn is_quoted(text: &str) -> bool {
    let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inside.is_some_and(|inside| !inside.replace("\"\"", "").contains('"'))
}

/// A name without the double quotes around it, if there are any; two of them inside stand for one.
pub(super) fn unquoted(text: &str) -> Cow<'_, str> {
    if is_quoted(text) { text[1..text.len() - 1].replace("\"\"", "\"").into() } else { text.into() }
}

/// The node at which a traversal begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The node that the file calls so. Where it calls none so, `max-degree` and `random:SEED` mean the others.
    Node(String),
    /// The node with the most edges; of several, the first.
    #[default]
    MaxDegree,
    /// A node with at least one edge, drawn by this seed.
    Random(u64),
}

/// What a source means in a graph whose nodes have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// A node.
    Node(u32),
    /// The node with the most edges; of several, the first.
    MaxDegree,
    /// A node with at least one edge, drawn by this seed.
    Random(u64),
}

/// The option that says where a traversal begins.
#[derive(Clone, Debug, Default)]
pub struct SourceOptions {
    /// The node to begin at: its name in the file, or where no node has that name max-degree or random:SEED [default: max-degree].
    pub source: Option<Source>,
}

impl Settings for SourceOptions {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "The node to begin at: its name in the file, or where no node has that name max-degree or random:SEED \
                     [default: max-degree]";
        vec![source_key(about, &mut self.source)]
    }
}

/// A setting with a node to begin at.
pub(super) fn source_key<'a>(about: &'static str, source: &'a mut Option<Source>) -> Key<'a> {
    // As it is written, also where a name looks like a number.
    let reported = source.as_ref().map(ToString::to_string);
    Key::optional("source", about, "", source).placeholder("NODE").reported_as(reported)
}

impl SourceOptions {
    /// The node that was asked for, or the one with the most edges.
    pub fn find(&self, graph: &Graph) -> Result<u32> {
        self.source.as_ref().unwrap_or(&Source::MaxDegree).find(graph)
    }
}

impl FromStr for Source {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(Self::Node(text.to_owned()))
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Node(name) => f.write_str(name),
            Self::MaxDegree => f.write_str("max-degree"),
            Self::Random(seed) => write!(f, "random:{seed}"),
        }
    }
}

impl Source {
    /// The node it means in `graph`, which may have no such node, or none at all.
    pub fn find(&self, graph: &Graph) -> Result<u32> {
        match self.meaning(graph)? {
            Meaning::Node(node) => Ok(node),
            Meaning::MaxDegree => Ok(graph.csr.max_degree_node().unwrap_or(0)),
            Meaning::Random(seed) => Ok(random(graph.csr.nodes(), seed, |node| graph.csr.degree(node) > 0)),
        }
    }

    /// What it means in `graph`, of which the names of the nodes are known and not all edges need be.
    ///
    /// # Errors
    /// When the graph has no such node, or none at all.
    pub fn meaning(&self, graph: &Graph) -> Result<Meaning> {
        if graph.csr.nodes() == 0 {
            return Err(Error::Graph(format!("{} has no nodes, so there is nowhere to begin", graph.name)));
        }
        match self {
            Self::Node(name) => Self::named(name, graph),
            Self::MaxDegree => Ok(Meaning::MaxDegree),
            Self::Random(seed) => Ok(Meaning::Random(*seed)),
        }
    }

    /// The node of that name, which comes before what the name would mean otherwise.
    fn named(name: &str, graph: &Graph) -> Result<Meaning> {
        let nodes = graph.csr.nodes();
        let meaning = match name.strip_prefix("random:").map(str::parse) {
            Some(Ok(seed)) => Some(Meaning::Random(seed)),
            _ => (name == "max-degree").then_some(Meaning::MaxDegree),
        };
        match (graph.ids.find(name, nodes), meaning) {
            (Some(node), None) => Ok(Meaning::Node(node)),
            (Some(node), Some(_)) => {
                tracing::warn!("{} has a node named {name}, which is taken", graph.name);
                Ok(Meaning::Node(node))
            }
            (None, Some(meaning)) => Ok(meaning),
            (None, None) => {
                let meant = graph.ids.similar(name).map_or(String::new(), |meant| format!(" (did you mean {meant}?)"));
                Err(Error::Usage(format!(
                    "{} has no node {name}{meant}; its {nodes} nodes are called {} to {}",
                    graph.name,
                    graph.ids.name(0),
                    graph.ids.name(nodes - 1)
                )))
            }
        }
    }
}

/// The nodes that a seed draws, of which the first is taken that has an edge, or the last.
pub fn drawn(nodes: u32, seed: u64) -> impl Iterator<Item = u32> {
    const ATTEMPTS: u64 = 1000;
    (0..=ATTEMPTS).map(move |attempt| (mix(seed.wrapping_add(attempt)) % u64::from(nodes)) as u32)
}

/// Draws nodes until one has an edge; a graph without edges gives whichever was drawn last.
fn random(nodes: u32, seed: u64, has_edge: impl Fn(u32) -> bool) -> u32 {
    let last = || drawn(nodes, seed).last().unwrap_or(0);
    drawn(nodes, seed).find(|node| has_edge(*node)).unwrap_or_else(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Csr, Names, NodeIds, Weights};

    /// A star around the node `middle`; others are called as what is said of a source.
    fn star() -> Graph {
        let csr = Csr::new(vec![0, 0, 0, 2, 2], vec![0, 1], Weights::None).unwrap();
        let ids = NodeIds::Named(Names::from_ascending(["Smith, \"Ann\"", "max-degree", "middle", "random:3"]));
        Graph { name: "star".into(), csr, ids, directed: true }
    }

    #[test]
    fn the_name_of_a_node_comes_before_what_it_means_otherwise() {
        let find = |text: &str| text.parse::<Source>().unwrap().find(&star()).unwrap();
        assert_eq!((find("max-degree"), find("random:3"), find("random:4")), (1, 3, 2));
        assert_eq!(Source::MaxDegree.find(&star()).unwrap(), 2);
        assert_eq!(SourceOptions::default().find(&star()).unwrap(), 2);
        let numbered = Graph { ids: NodeIds::Counted { first: 0 }, ..star() };
        assert_eq!("max-degree".parse::<Source>().unwrap().find(&numbered).unwrap(), 2);
    }

    #[test]
    fn several_sources_are_named_as_one_is() {
        let found = |text: &str| {
            let names = text.split(',').map(str::to_owned).collect();
            ManySources { names, ..ManySources::default() }.found(&star()).map(|found| found.nodes)
        };
        assert_eq!(found("max-degree,random:4,random:3").unwrap(), [1, 2, 3]);
        assert_eq!(found("middle,\"Smith, \"\"Ann\"\"\",middle").unwrap(), [2, 0]);
        assert!(found("").unwrap_err().to_string().starts_with("the setting `sources` names no node"));
        assert!(found("\"Smith").unwrap_err().to_string().contains("no node \"Smith"));
        let read = |text: &str| {
            let file = NamedText { name: "sources.txt".into(), text: text.to_owned() };
            ManySources { file: Some(file), ..ManySources::default() }.found(&star())
        };
        assert_eq!(read("middle\n\n\"Smith, \"\"Ann\"\"\"\n").unwrap().nodes, [2, 0]);
        assert_eq!(read("Smith, \"Ann\"\n").unwrap().nodes, [0]);
        assert!(read("middle\nnobody\n").unwrap_err().to_string().contains("sources.txt:2: star has no node nobody"));
    }
}

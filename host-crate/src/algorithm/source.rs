//! Where a traversal begins, as a user says it: a node's own name, the node with the most edges, or one drawn by a seed.

use crate::{
    Error, Result,
    graph::{Graph, generate::random::mix},
};
use std::{collections::HashSet, fmt, fs, path::PathBuf, str::FromStr};

/// In place of a node to begin at: all those that the configuration has.
pub const ALL_SOURCES: u32 = u32::MAX;

/// Several nodes at which a traversal begins at once.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ManySources {
    /// Begin at all of these nodes at once: their names in the file, with commas between. A node's distance is that from the nearest.
    #[cfg_attr(feature = "cli", arg(id = "sources", long, value_name = "NODES", value_delimiter = ','))]
    #[cfg_attr(feature = "cli", arg(conflicts_with_all = ["source", "sources_file"]))]
    #[serde(rename = "sources", skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// The same with the names in a file, one in a line.
    #[cfg_attr(feature = "cli", arg(long, value_name = "FILE", conflicts_with = "source"))]
    #[serde(rename = "sources_file", skip_serializing_if = "Option::is_none")]
    pub sources_file: Option<PathBuf>,
    /// The nodes themselves, each once; as [`ManySources::found`] finds them.
    #[cfg_attr(feature = "cli", arg(skip))]
    #[serde(skip)]
    pub nodes: Vec<u32>,
}

/// Nodes by their numbers, which are their names, too.
impl From<Vec<u32>> for ManySources {
    fn from(nodes: Vec<u32>) -> Self {
        Self { names: nodes.iter().map(u32::to_string).collect(), sources_file: None, nodes }
    }
}

impl ManySources {
    /// Whether there are several nodes to begin at.
    pub fn are_given(&self) -> bool {
        !self.names.is_empty() || self.sources_file.is_some()
    }

    /// The same with the nodes found in a graph. Of a node that is named twice the second is left out.
    ///
    /// # Errors
    /// When the graph has no node of such a name, or the file cannot be read or has none.
    pub fn found(&self, graph: &Graph) -> Result<Self> {
        let mut names = self.names.clone();
        if let Some(path) = &self.sources_file {
            let text = fs::read_to_string(path).map_err(|error| Error::Io { path: path.clone(), source: error })?;
            names.extend(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned));
            if names.is_empty() {
                return Err(Error::Usage(format!("{} names no node to begin at", path.display())));
            }
        }
        let (mut seen, mut found) =
            (HashSet::new(), Self { sources_file: self.sources_file.clone(), ..Self::default() });
        for name in names {
            let node = Source::Node(name.clone()).find(graph)?;
            if seen.insert(node) {
                found.names.push(name);
                found.nodes.push(node);
            }
        }
        Ok(found)
    }
}

/// The node at which a traversal begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// The node that the file calls so.
    Node(String),
    /// The node with the most edges; of several, the first.
    #[default]
    MaxDegree,
    /// A node with at least one edge, drawn by this seed.
    Random(u64),
}

/// The option that says where a traversal begins.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "cli", derive(clap::Args), command(next_help_heading = "Algorithm"))]
pub struct SourceOptions {
    /// The node to begin at: its name in the file, max-degree, or random:SEED.
    #[cfg_attr(feature = "cli", arg(long, value_name = "NODE", default_value = "max-degree"))]
    #[cfg_attr(feature = "cli", arg(value_parser = str::parse::<Source>))]
    pub source: Source,
}

impl FromStr for Source {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text.strip_prefix("random:").map(str::parse) {
            Some(Ok(seed)) => Self::Random(seed),
            _ if text == "max-degree" => Self::MaxDegree,
            _ => Self::Node(text.to_owned()),
        })
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

/// As it is written.
impl serde::Serialize for Source {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Source {
    /// The node it means in `graph`, which may have no such node, or none at all.
    pub fn find(&self, graph: &Graph) -> Result<u32> {
        let nodes = graph.csr.nodes();
        if nodes == 0 {
            return Err(Error::Graph(format!("{} has no nodes, so there is nowhere to begin", graph.name)));
        }
        match self {
            Self::Node(name) => graph.ids.find(name, nodes).ok_or_else(|| {
                let meant = graph.ids.similar(name).map_or(String::new(), |meant| format!(" (did you mean {meant}?)"));
                Error::Usage(format!(
                    "{} has no node {name}{meant}; its {nodes} nodes are called {} to {}",
                    graph.name,
                    graph.ids.name(0),
                    graph.ids.name(nodes - 1)
                ))
            }),
            Self::MaxDegree => Ok(graph.csr.max_degree_node().unwrap_or(0)),
            Self::Random(seed) => Ok(random(graph, *seed)),
        }
    }
}

/// Draws nodes until one has an edge; a graph without edges gives whichever was drawn last.
fn random(graph: &Graph, seed: u64) -> u32 {
    let nodes = u64::from(graph.csr.nodes());
    let draw = |attempt: u64| (mix(seed.wrapping_add(attempt)) % nodes) as u32;
    let attempts = 1000;
    (0..attempts).map(draw).find(|node| graph.csr.degree(*node) > 0).unwrap_or_else(|| draw(attempts))
}

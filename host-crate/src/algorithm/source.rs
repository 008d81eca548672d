//! Where a traversal begins, as a user says it: a node's own name, the node with the most edges, or one drawn by a seed.

use crate::{
    Error, Result,
    graph::{Graph, generate::random::mix},
};
use std::{fmt, str::FromStr};

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

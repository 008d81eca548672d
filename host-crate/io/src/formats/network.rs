//! Graphs whose files list nodes and edges one by one, by name: GraphML, GML, DOT, Pajek and node-link JSON.
//!
//! A file may mix directed and undirected edges; then the graph is directed, and each undirected edge is in it both ways. It may
//! give weights to some edges only; the others weigh 1, as in NetworkX, and a warning says how many they are.

use super::{
    Listing, Loaded,
    batch::{self, Batch},
    ends::NodeNames,
    lines::{Flaw, Text, shown},
    rounding::Unit,
    weight::Weight,
};
use evenkeel_base::Result;
use evenkeel_graph::EdgeWeights;
use std::borrow::Cow;

/// Nodes and edges as a file lists them.
#[derive(Default)]
pub(super) struct Network {
    /// What the places of edges are.
    pub places: Unit,
    nodes: NodeNames<'static>,
    /// For each node, where it first occurs in an edge if nothing has declared it, else nothing.
    undeclared: Vec<Option<usize>>,
    edges: Vec<Edge>,
}

struct Edge {
    source: u32,
    target: u32,
    weight: Option<Weight>,
    /// Where it is in the file, for remarks on its weight.
    place: usize,
    /// Nothing where the graph decides.
    directed: Option<bool>,
}

impl Network {
    /// Adds a node; the reason when it was declared before.
    pub fn declare(&mut self, name: &str) -> Result<u32, String> {
        let node = self.nodes.copied(name)?;
        if node as usize == self.undeclared.len() {
            self.undeclared.push(None);
        } else if self.undeclared[node as usize].take().is_none() {
            return Err(format!("node '{}' is listed a second time", shown(name.as_bytes())));
        }
        Ok(node)
    }

    /// The node at the end of an edge, which may be declared later on. `position` is for the error when it is not.
    pub fn end(&mut self, name: &str, position: usize) -> Result<u32, String> {
        let node = self.nodes.copied(name)?;
        if node as usize == self.undeclared.len() {
            self.undeclared.push(Some(position));
        }
        Ok(node)
    }

    /// Adds an edge, given by its ends, and gives its index. It has a direction if the graph has, unless `directed` says otherwise.
    pub fn edge(
        &mut self,
        [source, target]: [u32; 2],
        weight: Option<Weight>,
        directed: Option<bool>,
        place: usize,
    ) -> usize {
        self.edges.push(Edge { source, target, weight, place, directed });
        self.edges.len() - 1
    }

    /// Gives an edge another weight.
    pub fn set_weight(&mut self, edge: usize, weight: Weight, place: usize) {
        self.edges[edge].weight = Some(weight);
        self.edges[edge].place = place;
    }

    /// Refuses edges to nodes that nothing has declared, for formats that list all nodes.
    pub fn check_declared(&self) -> Result<(), Flaw> {
        let positions =
            self.undeclared.iter().enumerate().filter_map(|(node, position)| Some((position.as_ref()?, node)));
        let Some((position, node)) = positions.min() else { return Ok(()) };
        let name = self.nodes.shown(node as u32);
        Err(Flaw { position: *position, reason: format!("an edge ends at node '{name}', which is not listed") })
    }

    /// Makes a graph of it, whose nodes are called what the file calls them.
    pub fn load(self, text: Text<'_>, directed: bool) -> Result<Loaded> {
        let (edges, listing) = self.listed(text, directed)?;
        self.nodes.load(text, edges, listing)
    }

    /// Makes a graph of it where the `labels`, in the order of the nodes, name them if they are all there and all different.
    pub fn load_labelled(self, text: Text<'_>, directed: bool, labels: &[Option<Cow<'_, str>>]) -> Result<Loaded> {
        let (edges, listing) = self.listed(text, directed)?;
        let mut names = NodeNames::default();
        let mut given = 0_usize;
        for label in labels.iter().flatten() {
            given += 1;
            names.index(Cow::Borrowed(label)).map_err(|reason| text.error_of_file(reason))?;
        }
        let (nodes, different) = (self.nodes.len(), names.len());
        if different == nodes && given == nodes {
            return names.load(text, edges, listing);
        }
        if given > 0 {
            let path = text.path.display();
            tracing::warn!("{path}: {nodes} nodes have {different} different labels, so that their numbers name them");
        }
        self.nodes.load(text, edges, listing)
    }

    fn listed(&self, text: Text<'_>, directed: bool) -> Result<(Batch<u32>, Listing)> {
        let is_directed = |edge: &Edge| edge.directed.unwrap_or(directed);
        let unweighted = self.edges.iter().filter(|edge| edge.weight.is_none()).count();
        let weighted = unweighted < self.edges.len();
        if weighted && unweighted > 0 {
            let (path, edges) = (text.path.display(), self.edges.len());
            tracing::warn!("{path}: {unweighted} of {edges} edges have no weight; they get the weight 1");
        }
        let batch = |edges: &mut dyn Iterator<Item = (&Edge, [u32; 2])>| {
            let column = if weighted { EdgeWeights::U32(Vec::new()) } else { EdgeWeights::None };
            let mut batch = Batch::new(0, column).with_places_in(self.places);
            for (edge, [source, target]) in edges {
                batch.sources.push(source);
                batch.targets.push(target);
                match (edge.weight, &mut batch.weights) {
                    (Some(weight), _) => batch.push_weight(weight, edge.place),
                    // Nobody wrote this 1, so that it is nothing to remark on.
                    (None, EdgeWeights::U32(column)) => column.push(1),
                    (None, EdgeWeights::F32(column)) => column.push(1.0),
                    (None, EdgeWeights::None) => {}
                }
            }
            batch
        };
        let all = batch(&mut self.edges.iter().map(|edge| (edge, [edge.source, edge.target])));
        let undirected = self.edges.iter().filter(|edge| !is_directed(edge)).count();
        if undirected == self.edges.len() && (undirected > 0 || !directed) {
            return Ok((batch::join(vec![all])?, Listing::UndirectedOnce));
        }
        let reversed = self.edges.iter().filter(|edge| !is_directed(edge) && edge.source != edge.target);
        let reversed = batch(&mut reversed.map(|edge| (edge, [edge.target, edge.source])));
        Ok((batch::join(vec![all, reversed])?, Listing::Directed))
    }
}

//! Graphs from the edges that a program has.

use super::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, Names, NodeIds};
use evenkeel_base::{Error, Result};

/// An edge: `(from, to)` or `(from, to, weight)`.
pub trait Edge {
    /// What nodes are called.
    type Id: NodeId;
    /// The weight; `()` where there is none.
    type Weight: EdgeWeight;

    /// Where it begins, where it ends, and its weight.
    fn into_parts(self) -> (Self::Id, Self::Id, Self::Weight);
}

impl<I: NodeId> Edge for (I, I) {
    type Id = I;
    type Weight = ();

    fn into_parts(self) -> (I, I, ()) {
        (self.0, self.1, ())
    }
}

impl<I: NodeId, W: EdgeWeight> Edge for (I, I, W) {
    type Id = I;
    type Weight = W;

    fn into_parts(self) -> (I, I, W) {
        self
    }
}

/// What a node may be called in a program: a number or a text.
pub trait NodeId: Ord + Clone {
    /// The ids of nodes that are called so, in ascending order and each once.
    fn ids(ascending: &[Self]) -> NodeIds;
}

macro_rules! numbers {
    ($($number:ty)*) => {
        $(impl NodeId for $number {
            fn ids(ascending: &[Self]) -> NodeIds {
                NodeIds::from_ascending(ascending.iter().map(|id| *id as u64).collect())
            }
        })*
    };
}

numbers! { u8 u16 u32 u64 usize }

impl NodeId for &str {
    fn ids(ascending: &[Self]) -> NodeIds {
        NodeIds::Named(Names::from_ascending(ascending.iter().copied()))
    }
}

impl NodeId for String {
    fn ids(ascending: &[Self]) -> NodeIds {
        NodeIds::Named(Names::from_ascending(ascending.iter().map(String::as_str)))
    }
}

/// What an edge may weigh: a whole or a real number. Real ones are kept in single precision.
pub trait EdgeWeight: Sized {
    /// The weights of all edges.
    fn weights(all: Vec<Self>) -> EdgeWeights;
}

impl EdgeWeight for () {
    fn weights(_: Vec<Self>) -> EdgeWeights {
        EdgeWeights::None
    }
}

impl EdgeWeight for u32 {
    fn weights(all: Vec<Self>) -> EdgeWeights {
        EdgeWeights::U32(all)
    }
}

impl EdgeWeight for f32 {
    fn weights(all: Vec<Self>) -> EdgeWeights {
        EdgeWeights::F32(all)
    }
}

impl EdgeWeight for f64 {
    fn weights(all: Vec<Self>) -> EdgeWeights {
        EdgeWeights::F32(all.into_iter().map(|weight| weight as f32).collect())
    }
}

impl Graph {
    /// A graph of these edges, each of which leads one way: pairs, or triples with a weight. Its nodes are those that the edges name.
    ///
    /// ```
    /// # mod evenkeel { pub use evenkeel_base::Error; pub use evenkeel_graph as graph; }
    /// use evenkeel::graph::Graph;
    ///
    /// let names = Graph::from_edges([("ann", "bob", 0.5), ("bob", "cem", 2.0)])?;
    /// assert_eq!((names.csr.nodes(), names.csr.edges()), (3, 2));
    ///
    /// let table: Vec<(u32, u32, f32)> = vec![(7, 9, 1.5), (9, 7, 0.25)];
    /// assert_eq!(Graph::from_edges(table)?.ids.name(1).to_string(), "9");
    /// # Ok::<(), evenkeel::Error>(())
    /// ```
    ///
    /// # Errors
    /// When a weight is not a number, or there are more nodes than 32-bit indices can count.
    pub fn from_edges<E: Edge>(edges: impl IntoIterator<Item = E>) -> Result<Self> {
        Self::of_edges(edges, true)
    }

    /// A graph of these edges, each of which leads both ways; else as [`Graph::from_edges`]. Of parallel edges the lightest is kept.
    ///
    /// # Errors
    /// As for [`Graph::from_edges`].
    pub fn from_undirected_edges<E: Edge>(edges: impl IntoIterator<Item = E>) -> Result<Self> {
        Self::of_edges(edges, false)
    }

    fn of_edges<E: Edge>(edges: impl IntoIterator<Item = E>, directed: bool) -> Result<Self> {
        let (mut ends, mut weights) = (Vec::new(), Vec::new());
        for (from, to, weight) in edges.into_iter().map(Edge::into_parts) {
            ends.push((from, to));
            weights.push(weight);
        }
        let mut ids: Vec<E::Id> = ends.iter().flat_map(|(from, to)| [from.clone(), to.clone()]).collect();
        ids.sort_unstable();
        ids.dedup();
        let too_many = || Error::Graph(format!("{} nodes are more than 32-bit indices can count", ids.len()));
        let nodes = u32::try_from(ids.len()).map_err(|_| too_many())?;
        // Every end is among them.
        let place = |id: &E::Id| ids.binary_search(id).unwrap_or_default() as u32;
        let (sources, targets) = ends.iter().map(|(from, to)| (place(from), place(to))).unzip();
        let list = EdgeList { nodes, sources, targets, weights: E::Weight::weights(weights) };
        let options = BuildOptions { symmetrise: !directed, ..BuildOptions::default() };
        let (csr, _) = Csr::from_edges(list, options)?;
        Ok(Self { name: "edges".into(), csr, ids: E::Id::ids(&ids), directed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Weights;

    #[test]
    fn nodes_are_those_that_edges_name() {
        let graph = Graph::from_edges([("cem", "ann", 3u32), ("ann", "bob", 1), ("ann", "bob", 2)]).unwrap();
        assert_eq!(graph.csr, Csr::new(vec![0, 2, 2, 3], vec![1, 1, 0], Weights::U32(vec![1, 2, 3].into())).unwrap());
        assert_eq!((graph.ids.find("cem", 3), graph.directed), (Some(2), true));
        let numbers = Graph::from_edges([(10u64, 30), (30, 20)]).unwrap();
        assert_eq!(numbers.ids, NodeIds::Listed(vec![10, 20, 30].into()));
        let texts = Graph::from_edges(vec![("b".to_owned(), "a".to_owned())]).unwrap();
        assert_eq!(texts.ids.name(1).to_string(), "b");
        assert_eq!(Graph::from_edges(Vec::<(u32, u32)>::new()).unwrap().csr.nodes(), 0);
    }

    #[test]
    fn undirected_edges_lead_both_ways_and_the_lightest_counts() {
        let graph = Graph::from_undirected_edges([(0usize, 1, 2.5f32), (1, 0, 1.5)]).unwrap();
        assert_eq!(graph.csr, Csr::new(vec![0, 1, 2], vec![1, 0], Weights::F32(vec![1.5, 1.5].into())).unwrap());
        assert!(!graph.directed);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        assert!(Graph::from_edges([(0u8, 1, f64::NAN)]).is_err());
    }
}

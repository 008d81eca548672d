//! What a choice can go by: what is known of the graph beforehand, and of a level when the one before it has ended.

use super::super::named::named;
use crate::graph::{Csr, NodeName, statistics::Degrees};

named! {
    /// Something that is known of a level, in the order of a table's columns.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    "feature" pub enum Feature {
        /// The nodes of the graph.
        Nodes => "nodes",
        /// Its edges.
        Edges => "edges",
        /// The smallest out-degree.
        DegreeMin => "degree-min",
        /// The first quartile of the out-degrees.
        DegreeLowerQuartile => "degree-lower-quartile",
        /// The second.
        DegreeMedian => "degree-median",
        /// The third.
        DegreeUpperQuartile => "degree-upper-quartile",
        /// The largest out-degree.
        DegreeMax => "degree-max",
        /// The standard deviation of the out-degrees.
        DegreeDeviation => "degree-deviation",
        /// The nodes of the frontier.
        Frontier => "frontier",
        /// The same as a part of all nodes, from 0 to 1.
        FrontierShare => "frontier-share",
        /// The nodes discovered so far, those of the frontier included.
        Discovered => "discovered",
        /// The same as a part of all nodes.
        DiscoveredShare => "discovered-share",
        /// The edges out of the frontier.
        FrontierEdges => "frontier-edges",
        /// The same as a part of all edges.
        FrontierEdgesShare => "frontier-edges-share",
        /// The edges out of the frontier for each of its nodes, rounded down.
        FrontierDegree => "frontier-degree",
    }
}

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();
}

/// What is known of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphFeatures {
    /// Its nodes.
    pub nodes: u32,
    /// Its edges.
    pub edges: u32,
    /// The five numbers of its out-degrees: smallest, quartiles, largest.
    pub degrees: [u32; 5],
    /// Their standard deviation.
    pub deviation: f64,
}

impl GraphFeatures {
    /// Those of a graph.
    pub fn of(csr: &Csr) -> Self {
        let (degrees, deviation) = csr.max_degree_node().map_or(([0; 5], 0.0), |node| {
            let degrees = Degrees::of(csr, NodeName::Number(node.into()));
            let Degrees { min, lower_quartile, median, upper_quartile, max, standard_deviation, .. } = degrees;
            ([min, lower_quartile, median, upper_quartile, max], standard_deviation)
        });
        Self { nodes: csr.nodes(), edges: csr.edges(), degrees, deviation }
    }
}

/// What is known of a search before a level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct LevelSize {
    /// The nodes of the frontier.
    pub frontier: u32,
    /// The nodes discovered so far, those of the frontier included.
    pub discovered: u32,
    /// The edges out of the frontier.
    pub edges: u32,
}

/// The value of each [`Feature`], in their order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Features(pub [f64; Feature::COUNT]);

impl Features {
    /// Those of a level.
    pub fn of(graph: &GraphFeatures, size: LevelSize) -> Self {
        let (LevelSize { frontier, discovered, edges }, [min, lower, median, upper, max]) = (size, graph.degrees);
        Self([
            graph.nodes.into(),
            graph.edges.into(),
            min.into(),
            lower.into(),
            median.into(),
            upper.into(),
            max.into(),
            graph.deviation,
            frontier.into(),
            share(frontier, graph.nodes),
            discovered.into(),
            share(discovered, graph.nodes),
            edges.into(),
            share(edges, graph.edges),
            (edges / frontier.max(1)).into(),
        ])
    }

    /// One of them.
    pub fn get(&self, feature: Feature) -> f64 {
        self.0[feature as usize]
    }
}

/// A part of a whole; of nothing, nothing.
pub fn share(part: u32, whole: u32) -> f64 {
    f64::from(part) / f64::from(whole.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn features_stand_in_their_order_and_have_names_of_their_own() {
        for (position, feature) in Feature::ALL.into_iter().enumerate() {
            assert_eq!((feature as usize, feature.name().parse::<Feature>().unwrap()), (position, feature));
        }
    }

    #[test]
    fn the_features_of_a_star() {
        let star = "star:nodes=5".parse::<Generator>().unwrap().generate().unwrap();
        let graph = GraphFeatures::of(&star.csr);
        let features = Features::of(&graph, LevelSize { frontier: 2, discovered: 3, edges: 5 });
        let expected = [5.0, 8.0, 1.0, 1.0, 1.0, 1.0, 4.0, 1.2, 2.0, 0.4, 3.0, 0.6, 5.0, 0.625, 2.0];
        for (value, expected) in features.0.into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{features:?}");
        }
    }
}

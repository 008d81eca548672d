//! What a choice can go by: what is known of the graph beforehand, and of a level when the one before it has ended.

use super::super::named::named;
use crate::graph::{Csr, NodeName, statistics::Degrees};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

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
        /// The smallest in-degree.
        InDegreeMin => "in-degree-min",
        /// The first quartile of the in-degrees.
        InDegreeLowerQuartile => "in-degree-lower-quartile",
        /// The second.
        InDegreeMedian => "in-degree-median",
        /// The third.
        InDegreeUpperQuartile => "in-degree-upper-quartile",
        /// The largest in-degree.
        InDegreeMax => "in-degree-max",
        /// The standard deviation of the in-degrees.
        InDegreeDeviation => "in-degree-deviation",
        /// The smallest sum of in- and out-degree.
        TotalDegreeMin => "total-degree-min",
        /// The first quartile of the sums of in- and out-degree.
        TotalDegreeLowerQuartile => "total-degree-lower-quartile",
        /// The second.
        TotalDegreeMedian => "total-degree-median",
        /// The third.
        TotalDegreeUpperQuartile => "total-degree-upper-quartile",
        /// The largest sum of in- and out-degree.
        TotalDegreeMax => "total-degree-max",
        /// The standard deviation of the sums of in- and out-degree.
        TotalDegreeDeviation => "total-degree-deviation",
        /// The nodes of the frontier.
        Frontier => "frontier",
        /// The part of all nodes that is in the frontier, from 0 to 1.
        FrontierShare => "frontier-share",
        /// The nodes discovered so far, those of the frontier included.
        Discovered => "discovered",
        /// The part of all nodes that is discovered so far.
        DiscoveredShare => "discovered-share",
        /// The edges out of the frontier.
        FrontierEdges => "frontier-edges",
        /// The part of all edges that leaves the frontier.
        FrontierEdgesShare => "frontier-edges-share",
        /// The edges out of the frontier for each of its nodes, rounded down.
        FrontierDegree => "frontier-degree",
    }
}

impl Feature {
    /// How many there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Whether the edges that enter nodes must be counted to know it.
    pub fn needs_in_degrees(self) -> bool {
        (Self::InDegreeMin as usize..=Self::TotalDegreeDeviation as usize).contains(&(self as usize))
    }
}

/// How degrees are distributed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DegreeSummary {
    /// The smallest, the quartiles, the largest.
    pub numbers: [u32; 5],
    /// The standard deviation.
    pub deviation: f64,
}

/// What is known of a graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphFeatures {
    /// Its nodes.
    pub nodes: u32,
    /// Its edges; `u32::MAX` where there are more.
    pub edges: u32,
    /// Its out-degrees.
    pub out_degrees: DegreeSummary,
    /// Its in-degrees; all 0 where they were not counted.
    pub in_degrees: DegreeSummary,
    /// The sums of in- and out-degree of its nodes; all 0 where they were not counted.
    pub total_degrees: DegreeSummary,
}

impl GraphFeatures {
    /// Those of a graph.
    pub fn of(csr: &Csr) -> Self {
        let out: Vec<u32> = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node)).collect();
        let entering = if csr.is_symmetric() { out.clone() } else { in_degrees(csr) };
        let both = out.par_iter().zip(&entering).map(|(out, entering)| out.saturating_add(*entering)).collect();
        Self {
            in_degrees: DegreeSummary::of(entering),
            total_degrees: DegreeSummary::of(both),
            ..Self::without_in_degrees(csr)
        }
    }

    /// Those that are known without counting the edges that enter nodes.
    pub fn without_in_degrees(csr: &Csr) -> Self {
        let out = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node)).collect();
        let (in_degrees, total_degrees) = (DegreeSummary::default(), DegreeSummary::default());
        let edges = u32::try_from(csr.edges()).unwrap_or(u32::MAX);
        Self { nodes: csr.nodes(), edges, out_degrees: DegreeSummary::of(out), in_degrees, total_degrees }
    }
}

impl DegreeSummary {
    fn of(degrees: Vec<u32>) -> Self {
        let Some(Degrees { min, lower_quartile, median, upper_quartile, max, standard_deviation, .. }) =
            Degrees::of_list(degrees, NodeName::Number(0))
        else {
            return Self::default();
        };
        Self { numbers: [min, lower_quartile, median, upper_quartile, max], deviation: standard_deviation }
    }

    /// In the order of the features.
    fn values(&self) -> [f64; 6] {
        let [min, lower, median, upper, max] = self.numbers.map(f64::from);
        [min, lower, median, upper, max, self.deviation]
    }
}

/// How many edges enter each node.
fn in_degrees(csr: &Csr) -> Vec<u32> {
    let counts: Vec<AtomicU32> = (0..csr.nodes()).into_par_iter().map(|_| AtomicU32::new(0)).collect();
    csr.columns().par_iter().for_each(|&target| {
        counts[target as usize].fetch_add(1, Ordering::Relaxed);
    });
    counts.into_par_iter().map(AtomicU32::into_inner).collect()
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
        let LevelSize { frontier, discovered, edges } = size;
        let of_level = [
            frontier.into(),
            share(frontier, graph.nodes),
            discovered.into(),
            share(discovered, graph.nodes),
            edges.into(),
            share(edges, graph.edges),
            (edges / frontier.max(1)).into(),
        ];
        let degrees = [graph.out_degrees, graph.in_degrees, graph.total_degrees].map(|degrees| degrees.values());
        let values = [graph.nodes.into(), graph.edges.into()].into_iter().chain(degrees.into_iter().flatten());
        let mut features = Self([0.0; Feature::COUNT]);
        for (feature, value) in features.0.iter_mut().zip(values.chain(of_level)) {
            *feature = value;
        }
        features
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
    use crate::graph::{BuildOptions, EdgeList, EdgeWeights, generate::Generator};

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
        let degrees = [1.0, 1.0, 1.0, 1.0, 4.0, 1.2];
        // In an undirected graph as many edges enter a node as leave it.
        let twice = degrees.map(|degree| 2.0 * degree);
        let of_level = [2.0, 0.4, 3.0, 0.6, 5.0, 0.625, 2.0];
        let expected: Vec<f64> = [&[5.0, 8.0], &degrees[..], &degrees, &twice, &of_level].concat();
        assert_eq!(expected.len(), Feature::COUNT);
        for (value, expected) in features.0.into_iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{features:?}");
        }
    }
    #[test]
    fn edges_that_enter_are_counted_where_they_differ_from_those_that_leave() {
        // Three nodes point at the last, one of them twice.
        let list = EdgeList { nodes: 4, sources: vec![0, 1, 2, 2], targets: vec![3; 4], weights: EdgeWeights::None };
        let csr = Csr::from_edges(list, BuildOptions::default()).unwrap().0;
        let graph = GraphFeatures::of(&csr);
        assert_eq!(graph.out_degrees.numbers, [0, 0, 1, 1, 2]);
        assert_eq!(graph.in_degrees.numbers, [0, 0, 0, 0, 4]);
        assert_eq!(graph.total_degrees.numbers, [1, 1, 1, 2, 4]);
        let fewer = GraphFeatures::without_in_degrees(&csr);
        assert_eq!((fewer.out_degrees, fewer.in_degrees), (graph.out_degrees, DegreeSummary::default()));
        for feature in Feature::ALL {
            let [all, some] = [&graph, &fewer].map(|it| Features::of(it, LevelSize::default()).get(feature));
            assert!(feature.needs_in_degrees() || all == some, "{feature}");
            assert_eq!(
                feature.needs_in_degrees(),
                feature.name().contains("in-degree") || feature.name().contains("total")
            );
        }
    }
}

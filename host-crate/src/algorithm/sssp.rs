//! Single-source shortest paths: the distance of every node, the smallest sum of weights from the source. Weights are whole
//! or real, none negative.

use super::{ALL_SOURCES, ManySources, SourceOptions, nearest::Origin, paths, prelude::*, search::Search};
use crate::{
    engine::Layout,
    graph::weights::Shown,
    oracle::dijkstra,
    strategy::{Chosen, Operator, Strategy, Traversal, double_distances, wide_distances},
};
use evenkeel_types::UNREACHED;
use rayon::prelude::*;
use std::borrow::Cow;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SsspConfig {
    /// How edges are handed to invocations.
    pub strategy: Configured<Sssp>,
    /// Find the parent of every node on a shortest path too.
    pub parents: bool,
    /// The nodes to begin at, where there are several.
    pub from: ManySources,
}

impl Settings for SsspConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { strategy, parents, from } = self;
        let mut keys = strategy.keys();
        keys.push(Key::switch("parents", "Find the parent of every node on a shortest path too", parents));
        keys.extend(from.keys());
        keys
    }
}

/// The distances of all nodes, in the kind of number that the weights are.
#[derive(Clone, Debug, PartialEq)]
pub enum Distances {
    /// Distances of whole weights; [`UNREACHED`] for nodes not reached.
    U32(Vec<u32>),
    /// Distances of real weights; infinite for nodes not reached.
    F32(Vec<f32>),
    /// Distances of whole weights, where a distance exceeds 32 bits; `u64::MAX` for nodes not reached.
    U64(Vec<u64>),
    /// Distances of real weights, where single precision is not enough; infinite for nodes not reached.
    F64(Vec<f64>),
}

/// The distance of every node, and its parent if parents were asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ShortestPaths {
    /// The distances.
    pub distances: Distances,
    /// The parent of each node; [`UNREACHED`] for sources and for nodes that were not reached.
    pub parents: Option<Vec<u32>>,
    /// The nodes at which the paths begin.
    pub sources: Vec<u32>,
}

/// Shortest paths that are ready to run on one graph, from any source.
pub struct Sssp {
    session: Session,
    search: Search,
    origin: Origin,
    has_parents: bool,
    /// The node at which the last run began, and the sources that this means.
    start: (u32, Vec<u32>),
    /// Whether a sum of the last run did not fit into 32 bits.
    overflowed: bool,
}

impl Algorithm for Sssp {
    const ABOUT: Description = Description {
        name: "sssp",
        summary: "single-source shortest paths: the distance of every node by weighted edges",
        help: "\
The distance of a node is the smallest sum of weights from the source. A graph without weights is taken as if every edge weighed \
1. Negative weights are refused: `evenkeel apsp` takes them. Real weights are added in single precision, seven digits. Distances that \
exceed 32 bits, and paths so long that rounding would be seen, are computed again in 64 bits, on the CPU. With --parents each line of \
the output is `id distance parent`, with - for the parent of the source and of nodes not reached. With --sources, or --sources-file, paths begin at several nodes, and the distance of a node is that from the nearest.

Examples:
  evenkeel sssp USA-road-d.NY.gr.gz --source 1 --validate
  evenkeel sssp rmat:scale=20 --weights random:1..64 --seed 7 --runs 5 --warmup 1
  evenkeel sssp roads.gr --source 1 --target 264346
  evenkeel sssp roads.gr --sources 17,4711,264346 --output nearest.csv
  evenkeel sssp roads.gr --parents --output tree.csv.gz",
        counted: true,
        weights: WeightUse::Optional,
        finds_paths: true,
        ..Description::DEFAULT
    };

    type Config = SsspConfig;
    type Input = u32;
    type Answer = ShortestPaths;
    type Reference = ShortestPaths;

    fn build(graph: &SharedGraph, config: &SsspConfig) -> Result<Self> {
        Self::build_to(graph, config, None)
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, source: &u32) -> Result<Run> {
        self.session.run(|_| {
            let start = self.origin.start(*source)?;
            let run = self.search.run(&self.origin.graph, start.0, None)?;
            (self.start, self.overflowed) = (start, run.report.flags != 0);
            Ok(run.into())
        })
    }

    /// Parents are found here, on the host, from the distances.
    fn answer(&self) -> Result<ShortestPaths> {
        let graph = self.session.answered()?;
        let (origin, (start, sources)) = (&self.origin, &self.start);
        let (csr, mut words) = (graph.csr(), graph.device().download(&self.search.values)?);
        origin.trim(&mut words);
        let distances = match csr.weights() {
            Weights::F32(weights) => {
                let real = |word: u32| if word == UNREACHED { f32::INFINITY } else { f32::from_bits(word) };
                let single: Vec<f32> = words.into_iter().map(real).collect();
                match needs_double(csr, weights, &single) {
                    Some(reason) => {
                        tracing::warn!("{reason}; distances are computed in double precision on the CPU");
                        let mut double = double_distances(origin.graph.csr(), *start);
                        origin.trim(&mut double);
                        Distances::F64(double)
                    }
                    None => Distances::F32(single),
                }
            }
            _ if self.overflowed && exceeds_32_bits(csr, &words) => {
                tracing::warn!(
                    "a shortest path is longer than 32 bits hold; distances are computed in 64 bits on the CPU"
                );
                let mut wide = wide_distances(origin.graph.csr(), *start);
                origin.trim(&mut wide);
                Distances::U64(wide)
            }
            Weights::None if origin.is_joined() => {
                // Where every edge weighs 1, so does the one to a source.
                let less = |word: u32| if word == UNREACHED { word } else { word - 1 };
                Distances::U32(words.into_iter().map(less).collect())
            }
            _ => Distances::U32(words),
        };
        let parents = self.has_parents.then(|| distances.parents(csr, sources));
        Ok(ShortestPaths { distances, parents, sources: sources.clone() })
    }

    fn reference(graph: &Graph, source: &u32, config: &SsspConfig) -> Result<ShortestPaths> {
        let sources = if *source == ALL_SOURCES { config.from.nodes.clone() } else { vec![*source] };
        let distances = match graph.csr.weights() {
            Weights::F32(weights) => {
                let single = nearest(&sources, f32::min, |from| dijkstra::real(&graph.csr, from))?;
                match needs_double(&graph.csr, weights, &single) {
                    Some(_) => Distances::F64(nearest(&sources, f64::min, |from| dijkstra::double(&graph.csr, from))?),
                    None => Distances::F32(single),
                }
            }
            _ => {
                let wide = nearest(&sources, u64::min, |from| dijkstra::wide(&graph.csr, from))?;
                match dijkstra::narrow(&wide) {
                    Ok(whole) => Distances::U32(whole),
                    Err(_) => Distances::U64(wide),
                }
            }
        };
        Ok(ShortestPaths { distances, parents: None, sources })
    }

    fn check(found: &ShortestPaths, expected: &ShortestPaths, graph: &Graph, _: &u32) -> Option<Mismatch> {
        first_difference(expected, found, graph).or_else(|| {
            let parents = found.parents.as_ref()?;
            let lengths = expected.distances.lengths();
            let mismatch = dijkstra::check_parents(&graph.csr, &expected.sources, &lengths, parents).err()?;
            let found = match parents.get(mismatch.node as usize) {
                Some(&parent) if parent < graph.csr.nodes() => format!("node {}", graph.ids.name(parent)),
                _ => mismatch.found,
            };
            Some(Mismatch { expected: format!("as parent {}", mismatch.expected), found, ..mismatch })
        })
    }
}

impl FrontEnd for Sssp {
    type Alternative = Box<dyn Strategy>;
    type InputOptions = SourceOptions;
    type Tables = ();

    fn choice(config: &mut SsspConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    /// For whole weights and for real ones there are the same strategies.
    fn takes(strategy: &Self::Alternative) -> bool {
        strategy.operators().contains(&Operator::SsspU32)
    }

    fn find_nodes(config: &SsspConfig, graph: &Graph) -> Result<SsspConfig> {
        let from = if config.from.are_given() { config.from.found(graph)? } else { ManySources::default() };
        Ok(SsspConfig { from, ..config.clone() })
    }

    fn input(options: &SourceOptions, graph: &Graph, config: &SsspConfig) -> Result<u32> {
        if config.from.are_given() { Ok(ALL_SOURCES) } else { options.find(graph) }
    }

    fn source(input: &u32) -> Option<u32> {
        (*input != ALL_SOURCES).then_some(*input)
    }

    fn columns(config: &SsspConfig) -> usize {
        1 + usize::from(config.parents)
    }
}

/// The smaller of the distances from each source, for every node.
fn nearest<D: Copy>(sources: &[u32], smaller: fn(D, D) -> D, from: impl Fn(u32) -> Result<Vec<D>>) -> Result<Vec<D>> {
    let (first, others) = sources.split_first().ok_or_else(|| Error::Usage("there is no source".into()))?;
    others.iter().try_fold(from(*first)?, |nearest, source| {
        Ok(nearest.into_iter().zip(from(*source)?).map(|(a, b)| smaller(a, b)).collect())
    })
}

impl Sssp {
    /// Makes a search ready that may end when no path to the target can be shorter: nodes further away may have a larger distance, or none.
    pub(super) fn prepare_to(graph: &SharedGraph, config: &SsspConfig, target: Option<u32>) -> Result<Self> {
        graph.prepare(|graph| Self::build_to(graph, config, target))
    }

    fn build_to(graph: &SharedGraph, config: &SsspConfig, target: Option<u32>) -> Result<Self> {
        refuse_negative(graph.csr())?;
        refuse_unending_rows(graph.device(), graph.csr())?;
        let (session, operator) = (Session::any(graph), operator(graph.csr()));
        let origin = Origin::new(graph, &config.from)?;
        let chosen = Chosen::of(&origin.graph, operator, config.strategy.item().as_ref())?;
        let name = format!("sssp {}", config.strategy);
        let search = |graph: &SharedGraph, layout: Option<Layout>| {
            let mut traversal = Traversal::new(graph, operator, layout, "distances")?;
            traversal.target = target;
            Search::record(graph.device(), traversal, &chosen, &name)
        };
        let search = chosen.search(&origin.graph, operator, false, search)?;
        let session = session.with_method(chosen.instead);
        let (has_parents, start) = (config.parents, (0, Vec::new()));
        Ok(Self { session, search, origin, has_parents, start, overflowed: false })
    }
}

fn operator(csr: &Csr) -> Operator {
    if matches!(csr.weights(), Weights::F32(_)) { Operator::SsspF32 } else { Operator::SsspU32 }
}

impl Distances {
    /// The distances as a column.
    pub fn column(&self) -> Column<'_> {
        let values = match self {
            Self::U32(all) => Values::U32(all.into()),
            Self::F32(all) => Values::F32(all.into()),
            Self::U64(all) => Values::U64(all.into()),
            Self::F64(all) => Values::F64(all.into()),
        };
        Column::new("distance", values).partial()
    }

    /// Removes the nodes that are further away than `node`, if that node was reached.
    pub(super) fn up_to(mut self, node: u32) -> Self {
        fn leave_out<D: Copy + PartialOrd>(all: &mut [D], node: u32, unreached: D) {
            let furthest = all[node as usize];
            all.iter_mut().filter(|distance| **distance > furthest).for_each(|distance| *distance = unreached);
        }
        match &mut self {
            Self::U32(all) => leave_out(all, node, UNREACHED),
            Self::F32(all) => leave_out(all, node, f32::INFINITY),
            Self::U64(all) => leave_out(all, node, u64::MAX),
            Self::F64(all) => leave_out(all, node, f64::INFINITY),
        }
        self
    }

    /// The parent of every node: see [`paths`].
    pub(super) fn parents(&self, csr: &Csr, sources: &[u32]) -> Vec<u32> {
        let whole = |edge: usize| if let Weights::U32(weights) = csr.weights() { weights[edge] } else { 1 };
        let real = |edge: usize| if let Weights::F32(weights) = csr.weights() { weights[edge] } else { 1.0 };
        match self {
            Self::U32(all) => {
                paths::parents(csr, sources, (all, UNREACHED), |distance, edge| distance.checked_add(whole(edge)))
            }
            Self::F32(all) => {
                paths::parents(csr, sources, (all, f32::INFINITY), |distance, edge| Some(distance + real(edge)))
            }
            Self::F64(all) => {
                let along = |distance: f64, edge| Some(distance + f64::from(real(edge)));
                paths::parents(csr, sources, (all, f64::INFINITY), along)
            }
            Self::U64(all) => {
                paths::parents(csr, sources, (all, u64::MAX), |distance, edge| distance.checked_add(whole(edge).into()))
            }
        }
    }

    /// The distances as the oracle has them, for its check of parents.
    fn lengths(&self) -> dijkstra::Lengths<'_> {
        match self {
            Self::U32(all) => dijkstra::Lengths::Whole(all.iter().map(|&word| wide(word)).collect::<Vec<_>>().into()),
            Self::U64(all) => dijkstra::Lengths::Whole(all.into()),
            Self::F32(all) => dijkstra::Lengths::Real(all),
            Self::F64(all) => dijkstra::Lengths::Double(all),
        }
    }
}

/// A distance of 32 bits in 64.
fn wide(word: u32) -> u64 {
    if word == UNREACHED { u64::MAX } else { word.into() }
}

impl Answer for ShortestPaths {
    fn columns(&self) -> Vec<Column<'_>> {
        let parents = self.parents.as_ref().map(|all| Column::new("parent", Values::Nodes(all.into())).partial());
        [self.distances.column().meaning(Meaning::Distance)].into_iter().chain(parents).collect()
    }

    fn path(&self, csr: &Csr, target: u32) -> Option<Vec<u32>> {
        let found = || self.distances.parents(csr, &self.sources);
        let parents = self.parents.as_ref().map_or_else(|| Cow::Owned(found()), Cow::Borrowed);
        paths::path(&parents, &self.sources, target)
    }
}

/// Whether a distance is larger than 32 bits hold, where some sum was. That matters only where a node has no shorter path: where an edge
/// leads from a node that was reached to one that was not.
pub(super) fn exceeds_32_bits(csr: &Csr, distances: &[u32]) -> bool {
    leads_out(csr, |node| distances[node as usize] != UNREACHED)
}

/// Whether an edge leads from a node that was reached to one that was not.
pub(super) fn leads_out(csr: &Csr, is_reached: impl Fn(u32) -> bool) -> bool {
    let leads_out = |node: u32| csr.neighbours(node).iter().any(|neighbour| !is_reached(*neighbour));
    (0..csr.nodes()).any(|node| is_reached(node) && leads_out(node))
}

/// A path of more edges than this may be off by a thousandth in single precision: each edge rounds by up to 2⁻²⁴ of the distance.
const MOST_ROUNDED: f64 = (1 << 14) as f64;

/// Why distances need double precision, if they do: a sum is too large for single precision, or the longest path has so many edges that
/// rounding adds up. How many it has is estimated from the mean weight.
fn needs_double(csr: &Csr, weights: &[f32], distances: &[f32]) -> Option<&'static str> {
    let largest =
        |values: &[f32]| values.par_iter().copied().filter(|value| value.is_finite()).reduce(|| 0.0, f32::max);
    let may_overflow = f64::from(largest(weights)) * f64::from(csr.nodes()) > f64::from(f32::MAX);
    if may_overflow && leads_out(csr, |node| distances[node as usize].is_finite()) {
        return Some(TOO_LONG);
    }
    loses_digits(csr.nodes(), largest(distances), csr.mean_weight())
}

/// The reason for double precision where a sum exceeds single precision.
pub(crate) const TOO_LONG: &str = "a shortest path is longer than single precision holds";

/// The reason for double precision where rounding adds up, if it does.
pub(crate) fn loses_digits(nodes: u32, largest_distance: f32, mean_weight: f64) -> Option<&'static str> {
    let edges = f64::from(nodes).min(f64::from(largest_distance) / mean_weight);
    (edges > MOST_ROUNDED).then_some("shortest paths have so many edges that single precision would lose digits")
}

/// Shortest paths are not defined by relaxation alone where a weight is negative.
pub(crate) fn refuse_negative(csr: &Csr) -> Result<()> {
    if let Weights::F32(weights) = csr.weights()
        && let Some(weight) = weights.iter().find(|weight| **weight < 0.0)
    {
        return Err(Error::Graph(format!(
            "the graph has negative weights ({} is one), and shortest paths from one node need weights that are not; apsp takes \
             them, with all pairs of nodes at once",
            Shown(*weight)
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{
        NodeIds,
        generate::Generator,
        weights::{WeightSource, assign},
    };

    /// 0 → 1; 2 is alone.
    fn edge(weights: Weights) -> Graph {
        let csr = Csr::new(vec![0, 1, 1, 1], vec![1], weights).unwrap();
        Graph { name: "edge".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
    }

    #[test]
    fn distances_are_checked_to_the_bit() {
        let whole = edge(Weights::U32(vec![5].into()));
        let check = |distances: Distances, graph: &Graph| {
            let found = ShortestPaths { distances, parents: None, sources: vec![0] };
            let expected = Sssp::reference(graph, &0, &SsspConfig::default()).unwrap();
            let mismatch = Sssp::check(&found, &expected, graph, &0);
            mismatch.map(|mismatch| (mismatch.node, mismatch.expected, mismatch.found))
        };
        assert_eq!(check(Distances::U32(vec![0, 5, u32::MAX]), &whole), None);
        assert_eq!(check(Distances::U32(vec![0, 5, 7]), &whole), Some((2, "inf".into(), "7".into())));
        let real = edge(Weights::F32(vec![0.1].into()));
        assert_eq!(check(Distances::F32(vec![0.0, 0.1, f32::INFINITY]), &real), None);
        let next = f32::from_bits(0.1f32.to_bits() + 1);
        assert_eq!(check(Distances::F32(vec![0.0, next, f32::INFINITY]), &real).unwrap().0, 1);
        assert_eq!(check(Distances::F32(vec![0.0, 0.1, f32::NAN]), &real), Some((2, "inf".into(), "NaN".into())));
    }

    #[test]
    fn distances_of_64_bits_are_the_oracles() {
        for (text, low, high) in
            [("rmat:scale=8", 4_000_000_000, u32::MAX), ("road:nodes=2000", 0, u32::MAX), ("chain:nodes=3000", 9, 9)]
        {
            let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
            assign(&mut graph, WeightSource::Random { low, high, seed: 3 }).unwrap();
            let expected = dijkstra::wide(&graph.csr, 1).unwrap();
            assert_eq!(wide_distances(&graph.csr, 1), expected, "{text}");
            let parents = Distances::U64(expected.clone()).parents(&graph.csr, &[1]);
            let lengths = dijkstra::Lengths::Whole(expected.into());
            assert_eq!(dijkstra::check_parents(&graph.csr, &[1], &lengths, &parents), Ok(()), "{text}");
        }
    }

    #[test]
    fn reals_that_need_double_precision_get_it() {
        let sssp = |csr: Csr| {
            let device = Device::open("cpu", &Default::default()).unwrap();
            let graph = Graph { name: String::new(), csr, ids: NodeIds::Counted { first: 0 }, directed: true };
            let config = SsspConfig { parents: true, ..SsspConfig::default() };
            let mut sssp = Sssp::prepare(&device, &graph.csr, &config).unwrap();
            sssp.run(&0).unwrap();
            let found = sssp.answer().unwrap();
            let expected = Sssp::reference(&graph, &0, &config).unwrap();
            assert_eq!(Sssp::check(&found, &expected, &graph, &0), None);
            found.distances
        };
        let path = |weights: Vec<f32>| {
            let nodes = weights.len() as u32 + 1;
            let row_offsets: Vec<u32> = (0..=nodes).map(|node| node.min(nodes - 1)).collect();
            Csr::new(row_offsets, (1..nodes).collect::<Vec<_>>(), Weights::F32(weights.into()))
        };
        let Distances::F64(long) = sssp(path(vec![0.1; 200_000]).unwrap()) else { panic!("rounding adds up") };
        assert!((long[200_000] - 20_000.0).abs() < 1e-3, "{}", long[200_000]);
        let Distances::F64(far) = sssp(path(vec![3e38, 3e38]).unwrap()) else { panic!("the sum is too large") };
        assert!((far[2] - 6e38).abs() < 1e32, "{}", far[2]);
        assert!(matches!(sssp(path(vec![3e38, 1.0]).unwrap()), Distances::F32(_)));
        assert!(matches!(sssp(path(vec![0.1; 9_000]).unwrap()), Distances::F32(_)));
    }

    #[test]
    fn a_wrong_parent_is_named() {
        let graph = edge(Weights::U32(vec![5].into()));
        let check = |parents: [u32; 3]| {
            let distances = Distances::U32(vec![0, 5, u32::MAX]);
            let found = ShortestPaths { distances, parents: Some(parents.to_vec()), sources: vec![0] };
            let expected = Sssp::reference(&graph, &0, &SsspConfig::default()).unwrap();
            Sssp::check(&found, &expected, &graph, &0)
                .map(|mismatch| (mismatch.node, mismatch.expected, mismatch.found))
        };
        assert_eq!(check([UNREACHED, 0, UNREACHED]), None);
        let expected = (1, "as parent a neighbour on a shortest path".to_owned(), "node 2".to_owned());
        assert_eq!(check([UNREACHED, 2, UNREACHED]), Some(expected));
    }
}

//! All-pairs shortest paths: the distance of every node from every other, a matrix that stays on the device. Three ways to it:
//! all sources at once along the edges (`sssp`), and two on the dense matrix, in which weights may be negative, too.

mod cpu;
mod matrix;
mod record;

pub use matrix::AllPairs;

use super::{Distances, answer::text, prelude::*};
use crate::{
    device::memory::Bytes,
    engine::partition,
    graph::Partition,
    oracle::{dijkstra, floyd_warshall},
};
use evenkeel_kernels::{
    algorithm::apsp::{Length, MATRIX_TILE, SPAN},
    memory::UVec4,
};
use evenkeel_types::LoopHeader;
use rayon::prelude::*;
use record::MatrixInputs;

/// How all distances are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All sources at once along the edges.
    Sssp,
    /// A pass over the whole matrix for each node.
    FloydWarshall,
    /// A pass over the whole matrix for each tile of nodes.
    Blocked,
    /// From each source by itself, on the CPU device.
    Dijkstra,
    /// The one that suits the device, the density and the sign of the weights.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "How distances are computed: sssp, floyd-warshall, blocked, dijkstra (on the CPU device) or auto, which looks at the density";
    const HEADING: &'static str = "for all pairs";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "sssp",
            "Bellman and Ford",
            "all sources at once, every edge for 128 of them at a time; no negative weights",
            Self::Sssp,
        ),
        Line::new(
            "floyd-warshall",
            "Floyd; Warshall",
            "a pass over the whole matrix for each node",
            Self::FloydWarshall,
        ),
        Line::new(
            "blocked",
            "Venkataraman et al.",
            "the same for 64 nodes at a time, in three phases of tiles",
            Self::Blocked,
        ),
        Line::on_cpu(
            "dijkstra",
            "Dijkstra",
            "from each source by itself, a source to a thread at a time; no negative weights",
            Self::Dijkstra,
        ),
        Line::auto("on a GPU sssp where there are few edges, else blocked; on the CPU device dijkstra", Self::Auto),
    ];
}

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApspConfig {
    /// How distances are computed.
    pub strategy: Configured<Apsp>,
}

impl Settings for ApspConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        self.strategy.keys()
    }
}

/// The method for a graph; never [`Method::Auto`].
fn method(device: &DeviceInfo, csr: &Csr, config: &ApspConfig) -> Result<Method> {
    Ok(match *config.strategy.item().on(device)? {
        Method::Auto if device.kind == DeviceKind::Cpu && !is_negative(csr) => Method::Dijkstra,
        Method::Auto => choose(csr.nodes(), csr.edges(), is_negative(csr)),
        method => method,
    })
}

/// Between the densities at which `sssp` and `blocked` are faster: see docs/all-pairs.md.
const SPARSE: f64 = 50.0;

/// The rule of `auto`: edges are less work than the matrix when a node has less than a fiftieth of all nodes for neighbours.
fn choose(nodes: u32, edges: u64, negative: bool) -> Method {
    if !negative && edges as f64 * SPARSE < f64::from(nodes) * f64::from(nodes) {
        Method::Sssp
    } else {
        Method::Blocked
    }
}

/// Words in a row of the matrix, and rows.
fn width(nodes: u32) -> u32 {
    nodes.max(1).next_multiple_of(SPAN)
}

/// The widest matrix whose words can be counted in 32 bits.
const WIDEST: u32 = (1 << 16) - SPAN;

/// All pairs of one graph, ready to run.
pub struct Apsp {
    session: Session,
    length: Length,
    matrix: Buffer<u32>,
    steps: Steps,
}

/// How a run goes.
enum Steps {
    /// Recordings one after the other, which are so many iterations.
    Fixed(Vec<Recording>, u32),
    /// Iterations until no distance falls.
    Loop(DeviceLoop),
}

impl Algorithm for Apsp {
    const ABOUT: Description = Description {
        name: "apsp",
        summary: "all-pairs shortest paths: the distance of every node from every other",
        help: "\
A graph without weights is taken as if every edge weighed 1. Weights may be negative with blocked and floyd-warshall; a cycle of \
negative length is an error. As text the output is a line `id distance distance …` for each node, with inf where there is no path; \
.npy holds the matrix for NumPy. A file named .bin is EVKPAIRS, the number of nodes and 0 (u32) or 1 (f32) as 32-bit words, then the \
distances row by row, all little-endian. Whole distances are checked to the last digit, real ones to four.

Examples:
  evenkeel apsp complete:nodes=1000 --weights random:1..64 --validate
  evenkeel apsp soc-sign-bitcoinotc.csv --weights unit --strategy sssp --runs 5 --warmup 1
  evenkeel apsp roads.gr --output distances.npy",
        weights: WeightUse::Optional,
        rows: RowKind::Pairs,
        ..Description::DEFAULT
    };

    type Config = ApspConfig;
    type Input = ();
    type Answer = AllPairs;
    type Reference = Distances;

    fn build(graph: &SharedGraph, config: &ApspConfig) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        refuse_too_many(csr)?;
        let built = Self::build_all(graph, config);
        if !device.is_planner() {
            return built;
        }
        // What is planned and does not fit is refused here, with the number of nodes that would.
        built.and_then(|built| device.admit(&device.counted_memory()).map(|()| built)).map_err(|error| match error {
            Error::Memory(reason) => {
                let most = Self::most_nodes(device, csr, config);
                Error::Memory(format!("{reason}; of {} nodes at most {most} would fit", csr.nodes()))
            }
            other => other,
        })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|_| match &mut self.steps {
            Steps::Loop(iterations) => Ok(iterations.run()?.into()),
            Steps::Fixed(recordings, iterations) => {
                Run::timed(*iterations, || recordings.iter_mut().map(Recording::run).sum())
            }
        })
    }

    /// A negative cycle, or a distance that does not fit into 32 bits, is an error.
    fn answer(&self) -> Result<AllPairs> {
        let graph = self.session.answered()?;
        let words = graph.device().download(&self.matrix)?;
        AllPairs::from_words(words, width(graph.csr().nodes()) as usize, graph.csr(), self.length)
    }

    /// Dijkstra from every node, and where a weight is negative Floyd and Warshall.
    fn reference(graph: &Graph, (): &(), _: &ApspConfig) -> Result<Distances> {
        let (csr, nodes) = (&graph.csr, graph.csr.nodes());
        Ok(match csr.weights() {
            Weights::F32(_) if is_negative(csr) => {
                let distances = floyd_warshall::real(csr)?.into_iter().map(|distance| distance as f32).collect();
                real(csr, distances)?
            }
            Weights::F32(_) => real(csr, rows(nodes, |source| dijkstra::real(csr, source))?)?,
            _ => Distances::U32(rows(nodes, |source| dijkstra::whole(csr, source))?),
        })
    }

    fn check(found: &AllPairs, expected: &Distances, graph: &Graph, (): &()) -> Option<Mismatch> {
        let nodes = graph.csr.nodes() as usize;
        let place = match (&found.distances, expected) {
            (Distances::U32(found), Distances::U32(expected)) => {
                (0..nodes * nodes).find(|&place| found[place] != expected[place])
            }
            (Distances::F32(found), Distances::F32(expected)) => {
                let (low, high) = graph.csr.weight_range().unwrap_or_default();
                let unit = low.abs().max(high.abs());
                (0..nodes * nodes).find(|&place| !is_close(found[place].into(), expected[place].into(), unit))
            }
            _ => Some(0),
        }?;
        let (source, target) = ((place / nodes) as u32, (place % nodes) as u32);
        let text = |distances: &Distances| {
            format!("{} to node {}", text(distances.column().value(place)), graph.ids.name(target))
        };
        Some(Mismatch { node: source, expected: text(expected), found: text(&found.distances) })
    }
}

impl FrontEnd for Apsp {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut ApspConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn input((): &(), _: &Graph, _: &ApspConfig) -> Result<()> {
        Ok(())
    }

    fn operations(csr: &Csr, _: &ApspConfig) -> u64 {
        u64::from(csr.nodes()).saturating_pow(3)
    }
}

impl Apsp {
    fn build_all(graph: &SharedGraph, config: &ApspConfig) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        refuse_unending_rows(device, csr)?;
        let session = Session::new(graph)?;
        let method = method(device.info(), csr, config)?;
        if matches!(method, Method::Sssp | Method::Dijkstra) && is_negative(csr) {
            return Err(Error::Graph(format!(
                "the graph has negative weights, which strategy {} cannot take; blocked and floyd-warshall can",
                config.strategy.item().taken(&method).unwrap_or(config.strategy.as_str())
            )));
        }
        let (length, width) = (length(csr), width(csr.nodes()) as usize);
        let fours = device.buffer::<UVec4>("distances", width * width / 4)?;
        let parts = graph.weighted_partitions()?;
        let inputs = MatrixInputs { device, nodes: csr.nodes(), parts, length, words: fours.cast(), fours };
        let steps = match method {
            Method::Sssp => Steps::Loop(inputs.batched()?),
            Method::Dijkstra => Steps::Fixed(vec![cpu::dijkstra(&inputs, csr)?], csr.nodes()),
            Method::FloydWarshall => Steps::Fixed(inputs.floyd_warshall()?, csr.nodes()),
            Method::Blocked | Method::Auto => Steps::Fixed(inputs.blocked()?, csr.nodes().div_ceil(MATRIX_TILE)),
        };
        let session = session.with_method(config.strategy.item().taken(&method));
        Ok(Self { session, length, matrix: inputs.words, steps })
    }

    /// The most nodes whose matrix the device has memory for, beside as many edges as the graph has.
    pub fn most_nodes(device: &Device, csr: &Csr, config: &ApspConfig) -> u32 {
        let Ok(method) = method(device.info(), csr, config) else { return 0 };
        let spans = Vec::from_iter(1..=WIDEST / SPAN);
        let partitions = partition(device.info(), csr);
        let fits = |spans: &u32| device.admit(&plan(spans * SPAN, partitions.list(), method)).is_ok();
        spans.partition_point(fits) as u32 * SPAN
    }
}

/// The rows of the matrix from every source, one after the other.
fn rows<T: Clone + Send>(nodes: u32, row: impl Fn(u32) -> Result<Vec<T>> + Sync + Send) -> Result<Vec<T>> {
    Ok((0..nodes).into_par_iter().map(row).collect::<Result<Vec<_>>>()?.concat())
}

/// Real distances that 32 bits hold.
fn real(csr: &Csr, distances: Vec<f32>) -> Result<Distances> {
    matrix::refuse_overflow(csr, &distances)?;
    Ok(Distances::F32(distances))
}

/// Strategies add the weights of a path in different orders, so real distances differ by rounding: by some ten-thousandths of
/// a weight even where weights of both signs come to nothing.
fn is_close(found: f64, expected: f64, longest_weight: f64) -> bool {
    found == expected || (found - expected).abs() <= 1e-4 * expected.abs().max(longest_weight)
}

impl Answer for AllPairs {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![self.distances.column().shaped(Shape::Square)]
    }
}

/// Refuses more nodes than can have a distance to each other.
fn refuse_too_many(csr: &Csr) -> Result<()> {
    if csr.nodes() <= WIDEST {
        return Ok(());
    }
    let distances = u64::from(csr.nodes()) * u64::from(csr.nodes());
    Err(Error::Memory(format!(
        "{} nodes have {distances} distances, {}; the most whose distances can be counted in 32 bits is {WIDEST}",
        csr.nodes(),
        Bytes(4 * distances)
    )))
}

/// The memory that a graph of so many nodes in these partitions would take, about.
fn plan(nodes: u32, partitions: &[Partition], method: Method) -> MemoryPlan {
    let width = width(nodes) as usize;
    let offsets = MemoryPlan::new().with::<u32>("row offsets", nodes as usize + 1);
    let arrays = ["columns", "weights"].into_iter().flat_map(|name| partitions.iter().map(move |part| (name, part)));
    let edges = arrays.fold(offsets, |plan, (name, part)| plan.with::<u32>(name, part.edge_count() as usize));
    let plan = edges.with::<u32>("distances", width * width);
    match method {
        Method::Sssp => plan.with::<u32>("marks", marks(nodes)).with::<LoopHeader>("loop state", 1),
        _ => plan,
    }
}

/// One for each node and each piece of its row.
fn marks(nodes: u32) -> usize {
    nodes as usize * (width(nodes) / SPAN) as usize
}

fn is_negative(csr: &Csr) -> bool {
    csr.weight_range().is_some_and(|(smallest, _)| smallest < 0.0)
}

/// What distances are: a path has an edge less than there are nodes, each no longer than the longest.
fn length(csr: &Csr) -> Length {
    let longest = csr.weight_range().map_or(1.0, |(_, longest)| longest);
    let furthest = f64::from(csr.nodes().max(2) - 1) * longest;
    match csr.weights() {
        Weights::F32(_) => Length::Real,
        _ if furthest < f64::from(Length::Short.unreached()) => Length::Short,
        _ => Length::Whole,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_and_sign_decide() {
        assert_eq!(choose(5881, 35_592, false), Method::Sssp, "bitcoin-otc");
        assert_eq!(choose(4412, 217_640, false), Method::Sssp, "faster by edges on an H200");
        assert_eq!(choose(7500, 1_673_348, false), Method::Blocked, "and this by tiles");
        assert_eq!(choose(5881, 35_592, true), Method::Blocked);
        assert_eq!(choose(0, 0, false), Method::Blocked);
    }

    #[test]
    fn a_length_is_chosen_by_the_longest_path_there_could_be() {
        let csr = |weights| Csr::new(vec![0, 2, 2, 2], vec![1, 2], weights).unwrap();
        let whole = |longest| length(&csr(Weights::U32(vec![1, longest].into())));
        assert_eq!(length(&csr(Weights::None)), Length::Short);
        assert_eq!(whole(u32::MAX / 4), Length::Short, "2³¹ - 2 at most");
        assert_eq!(whole(u32::MAX / 4 + 1), Length::Whole);
        assert_eq!(length(&csr(Weights::F32(vec![1.0, -1.0].into()))), Length::Real);
    }

    /// 0 → 1; 2 is alone. The file counts from 1.
    fn edge(weights: Weights) -> Graph {
        let csr = Csr::new(vec![0, 1, 1, 1], vec![1], weights).unwrap();
        Graph { name: "edge".into(), csr, ids: crate::graph::NodeIds::Counted { first: 1 }, directed: true }
    }

    fn check(graph: &Graph, distances: Distances) -> Option<String> {
        let expected = Apsp::reference(graph, &(), &ApspConfig::default()).unwrap();
        let found = AllPairs { nodes: 3, distances };
        Apsp::check(&found, &expected, graph, &()).map(|mismatch| mismatch.to_string())
    }

    #[test]
    fn a_wrong_pair_is_named() {
        const FAR: u32 = u32::MAX;
        let graph = edge(Weights::U32(vec![5].into()));
        assert_eq!(check(&graph, Distances::U32(vec![0, 5, FAR, FAR, 0, FAR, FAR, FAR, 0])), None);
        let wrong = check(&graph, Distances::U32(vec![0, 5, FAR, FAR, 0, 7, FAR, FAR, 0]));
        assert_eq!(wrong.unwrap(), "node 1: expected inf to node 3, found 7 to node 3");
    }

    #[test]
    fn reals_may_differ_by_rounding_alone() {
        const FAR: f32 = f32::INFINITY;
        for weight in [0.5, -0.5] {
            let graph = edge(Weights::F32(vec![weight].into()));
            let found = |distance| Distances::F32(vec![0.0, distance, FAR, FAR, 0.0, FAR, FAR, FAR, 0.0]);
            assert_eq!(check(&graph, found(weight * 1.000_01)), None);
            assert!(check(&graph, found(weight * 1.001)).is_some());
            assert!(check(&graph, found(FAR)).is_some());
            assert!(check(&graph, found(f32::NAN)).is_some());
        }
    }
}

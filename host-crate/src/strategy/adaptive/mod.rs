//! Searches that look at the whole graph in every level, in one of fifteen ways, and one that chooses a way for each level by a
//! decision tree on the device (Verstraaten et al.). The kernels are the folder `strategy/adaptive` of the kernels.
//!
//! All ways read the same graph: rows, with the origin of each edge beside its end, and the same of the reversed graph, which
//! for a symmetric one is the graph itself.
//!
//! ```
//! use evenkeel::strategy::adaptive::{Features, GraphFeatures, Model, Moment};
//!
//! let text = "evenkeel level model 1\nif frontier-share <= 0.1\n  vertex-push atomic\nelse\n  vertex-pull subgroup\n";
//! let model = Model::parse("two".as_ref(), text)?;
//! let star = "star:nodes=50".parse::<evenkeel::graph::generate::Generator>()?.generate()?;
//! let features = Features::of(&GraphFeatures::of(&star.csr), Moment { frontier: 49, discovered: 50, edges: 49 });
//! assert_eq!(model.choose(&features).unwrap().to_string(), "vertex-pull subgroup");
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod features;
mod model;
mod text;
mod variant;

pub use features::{Feature, Features, GraphFeatures, Moment};
pub use model::Model;
pub(crate) use model::Node;
pub use variant::{Count, Family, Implementation, Way};

use super::{DeviceGraph, DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::clear};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    engine::BATCHES,
    graph::{
        Csr, Weights,
        transform::{is_surely_symmetric, transpose},
    },
};
use evenkeel_kernels::strategy::{
    adaptive::{Level, LevelListed, begin::LevelStart},
    edge::EdgeSources,
};
use evenkeel_types::{Control, Decision, LengthParams, LevelParams, LevelWay};

/// One implementation for all levels.
pub(super) struct Fixed(pub Implementation);

/// The way that a model chooses for each.
pub(super) struct Adaptive;

impl Fixed {
    fn way(&self, tuning: &Tuning) -> Way {
        Way { implementation: self.0, count: tuning.count() }
    }
}

impl Iterate for Fixed {
    fn plan(&self, csr: &Csr, _: Operator, tuning: &Tuning) -> MemoryPlan {
        LevelGraph::plan(csr, &[self.way(tuning)])
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let way = self.way(&traversal.tuning);
        record(device, traversal, name, &[way], way, &[Decision::leaf(way.word())])
    }
}

impl Iterate for Adaptive {
    /// Of a model that can choose any way: which it is, the device says.
    fn plan(&self, csr: &Csr, _: Operator, tuning: &Tuning) -> MemoryPlan {
        LevelGraph::plan(csr, &tuning.model.map_or_else(Way::all, with_first))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let model = match traversal.tuning.model {
            Some(model) => model.clone(),
            None => Model::of_device(device.info())?,
        };
        tracing::info!("{name} goes by the model {}", model.name());
        let decisions = model.for_graph(&GraphFeatures::of(&traversal.csr));
        record(device, traversal, name, &with_first(&model), model.family().first(), &decisions)
    }
}

/// The ways of a model, and the one that a first level has for want of a better.
fn with_first(model: &Model) -> Vec<Way> {
    let mut ways = model.ways();
    ways.push(model.family().first());
    ways
}

fn record(
    device: &Device,
    traversal: &Traversal,
    name: &str,
    ways: &[Way],
    first: Way,
    decisions: &[Decision],
) -> Result<DeviceLoop> {
    let graph = LevelGraph::new(device, traversal, ways)?;
    let tree = device.buffer_from("decisions", decisions)?;
    let params = graph.params(device, &traversal.tuning, first);
    // Where one workgroup can take every level, one dispatch is likely to be the whole search; an empty one costs 3 µs.
    let small = ways.iter().any(|way| way.stays(params.nodes, params.edges)) && !device.times_steps();
    let lengths = if small { [&[1], &BATCHES[..]].concat() } else { BATCHES.to_vec() };
    DeviceLoop::record_in_batches(
        device,
        name,
        &graph.control,
        &lengths,
        |recorder| {
            clear(recorder, traversal);
            graph.start(recorder, traversal, &tree, params);
        },
        |recorder, _| graph.search(recorder, traversal, &tree, params, first.family()),
    )
}

/// What all ways read and write beside the graph itself and the depths.
pub(crate) struct LevelGraph {
    origins: Buffer<u32>,
    reversed: DeviceGraph,
    reversed_origins: Buffer<u32>,
    /// Two words each: a node, and the edge with which the piece of its row begins.
    pieces: Buffer<u32>,
    /// Of even levels and of odd ones, one behind the other.
    lists: Buffer<u32>,
    pub(crate) control: Buffer<Control>,
    words: Buffer<u32>,
}

/// Which parts of it some ways read.
struct Needs {
    origins: bool,
    reversed: bool,
    reversed_origins: bool,
    pieces: bool,
    lists: bool,
}

impl Needs {
    fn of(ways: &[Way]) -> Self {
        let some = |wanted: &[Implementation]| ways.iter().any(|way| wanted.contains(&way.implementation));
        Self {
            origins: some(&[Implementation::EdgeList]),
            reversed: some(&[
                Implementation::ReverseEdgeList,
                Implementation::VertexPull,
                Implementation::VertexPullWarp,
            ]),
            reversed_origins: some(&[Implementation::ReverseEdgeList]),
            pieces: some(&[Implementation::VertexPullWarp]),
            lists: ways.iter().any(|way| way.count == Count::List),
        }
    }
}

/// Workgroups that fill a large GPU several times over. More only wait for their turn, and each takes a ticket at its end.
const MOST_GROUPS: u32 = 4096;
/// The same for a CPU, which starts each of them by hand.
const MOST_GROUPS_ON_CPU: u32 = 64;

/// The rounds of one workgroup in a dispatch, at two a level or more: some drivers stop a dispatch that takes seconds.
const MOST_ROUNDS: u32 = 16_384;
/// The most turns of loops in a round.
const TURNS_A_ROUND: u32 = 70;

impl LevelGraph {
    /// The memory for some ways.
    pub(crate) fn plan(csr: &Csr, ways: &[Way]) -> MemoryPlan {
        let (needs, edges, nodes) = (Needs::of(ways), csr.columns.len(), csr.nodes() as usize);
        let symmetric = is_surely_symmetric(csr);
        let mut plan = MemoryPlan::new().with::<Control>("control", 1);
        if needs.origins || needs.reversed_origins && symmetric {
            plan = plan.with::<u32>("origins of edges", edges);
        }
        if needs.reversed && !symmetric {
            plan =
                plan.with::<u32>("reversed row offsets", csr.row_offsets.len()).with::<u32>("reversed columns", edges);
        }
        if needs.reversed_origins && !symmetric {
            plan = plan.with::<u32>("reversed origins of edges", edges);
        }
        if needs.pieces {
            plan = plan.with::<u32>("pieces of long rows", most_piece_words(edges));
        }
        if needs.lists {
            plan = plan.with::<u32>("lists of nodes", 2 * nodes);
        }
        plan
    }

    /// Makes what some ways need. What they do not read is a buffer of theirs that is there anyway.
    pub(crate) fn new(device: &Device, traversal: &Traversal, ways: &[Way]) -> Result<Self> {
        let (needs, csr, graph) = (Needs::of(ways), &traversal.csr, &traversal.graph);
        let symmetric = traversal.is_symmetric();
        let nothing = device.buffer("nothing", 1)?;
        let transposed = if needs.reversed && !symmetric {
            Some(transpose(&Csr { weights: Weights::None, ..csr.clone() })?)
        } else {
            None
        };
        let reversed = match &transposed {
            Some(transposed) => DeviceGraph::upload(device, transposed)?,
            None => graph.clone(),
        };
        let pieces = if needs.pieces { pieces(transposed.as_ref().unwrap_or(csr)) } else { Vec::new() };
        let origins = if needs.origins || needs.reversed_origins && symmetric {
            origins_of(device, graph)?
        } else {
            nothing.clone()
        };
        let reversed_origins = match (needs.reversed_origins, symmetric) {
            (false, _) => nothing.clone(),
            (true, true) => origins.clone(),
            (true, false) => origins_of(device, &reversed)?,
        };
        // The start writes the source down whether or not anybody reads it.
        let length = if needs.lists { 2 * graph.nodes() as usize } else { 1 };
        let control = device.buffer("control", 1)?;
        Ok(Self {
            origins,
            reversed,
            reversed_origins,
            pieces: if pieces.is_empty() {
                nothing.clone()
            } else {
                device.buffer_from("pieces of long rows", &pieces)?
            },
            lists: device.buffer("lists of nodes", length)?,
            words: control.cast(),
            control,
        })
    }

    /// What the kernels are told.
    pub(crate) fn params(&self, device: &Device, tuning: &Tuning, first: Way) -> LevelParams {
        let info = device.info();
        let most = if info.kind.is_cpu() { MOST_GROUPS_ON_CPU } else { MOST_GROUPS };
        LevelParams {
            nodes: self.reversed.nodes(),
            edges: self.reversed.columns.len() as u32,
            max_groups: info.max_groups.min(most),
            virtual_warp: tuning.virtual_warp(),
            first_way: first.word(),
            pieces: (self.pieces.len() / 2) as u32,
            // A level is a step, and where each step is timed it ends the dispatch.
            rounds: if device.times_steps() { 1 } else { MOST_ROUNDS.min(info.turns() / TURNS_A_ROUND) },
        }
    }

    /// Records the beginning of a search, when no node has a depth.
    fn start(&self, recorder: &mut Recorder, traversal: &Traversal, tree: &Buffer<Decision>, params: LevelParams) {
        let step = LevelStart {
            source: &traversal.source,
            row_offsets: &traversal.graph.row_offsets,
            tree,
            lists: &self.lists,
            depths: &traversal.values,
            control: &self.words,
        };
        recorder.dispatch(&step, params, 1);
    }

    /// Records a level.
    pub(crate) fn search(
        &self,
        recorder: &mut Recorder,
        traversal: &Traversal,
        tree: &Buffer<Decision>,
        params: LevelParams,
        family: Family,
    ) {
        let (row_offsets, columns, depths) =
            (&traversal.graph.row_offsets, &traversal.graph.columns, &traversal.values);
        let (in_row_offsets, in_columns) = (&self.reversed.row_offsets, &self.reversed.columns);
        let (lists, control) = (&self.lists, &self.words);
        match family {
            Family::Fifteen => {
                let (origins, in_origins) = (&self.origins, &self.reversed_origins);
                let step = Level {
                    row_offsets,
                    origins,
                    columns,
                    in_row_offsets,
                    in_origins,
                    in_columns,
                    tree,
                    lists,
                    depths,
                    control,
                };
                recorder.dispatch_indirect(&step, params, &self.control, Control::GROUPS);
            }
            Family::Listed => {
                let pieces = &self.pieces;
                let step = LevelListed {
                    row_offsets,
                    columns,
                    in_row_offsets,
                    in_columns,
                    pieces,
                    tree,
                    lists,
                    depths,
                    control,
                };
                recorder.dispatch_indirect(&step, params, &self.control, Control::GROUPS);
            }
        }
    }

    /// The lists, and the control block as words.
    pub(crate) fn state(&self) -> (&Buffer<u32>, &Buffer<u32>) {
        (&self.lists, &self.words)
    }
}

/// The long rows of a graph in pieces: the node and the first edge of each.
fn pieces(csr: &Csr) -> Vec<u32> {
    let mut pieces = Vec::new();
    for (node, row) in csr.row_offsets.windows(2).enumerate().filter(|(_, row)| row[1] - row[0] > LevelWay::LONG) {
        pieces.extend((row[0]..row[1]).step_by(LevelWay::PIECE as usize).flat_map(|edge| [node as u32, edge]));
    }
    pieces
}

/// The most words that they take: a row of one piece has at least [`LevelWay::LONG`] edges, and a longer one, for each further
/// piece, even more.
fn most_piece_words(edges: usize) -> usize {
    2 * (edges / LevelWay::LONG as usize).max(1)
}

/// Where each edge begins.
fn origins_of(device: &Device, graph: &DeviceGraph) -> Result<Buffer<u32>> {
    let edges = graph.columns.len();
    let origins = device.buffer("origins of edges", edges)?;
    let find = EdgeSources { row_offsets: &graph.row_offsets, sources: &origins };
    let params = LengthParams { length: edges as u32 };
    device.record("origins of edges", |recorder| recorder.dispatch(&find, params, edges))?.run()?;
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{algorithm::bfs, device::DeviceOptions, graph::generate::Generator};

    /// The control block after one dispatch from the first node of a chain, which may take so many rounds.
    fn one_dispatch(model: &str, rounds: u32) -> Control {
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let chain = "chain:nodes=100".parse::<Generator>().unwrap().generate().unwrap();
        let traversal = bfs::traversal(&device, &chain.csr, Tuning::default()).unwrap();
        let model = Model::parse("test".as_ref(), &format!("evenkeel level model 1\n{model}")).unwrap();
        let graph = LevelGraph::new(&device, &traversal, &with_first(&model)).unwrap();
        let tree = device.buffer_from("decisions", &model.for_graph(&GraphFeatures::of(&chain.csr))).unwrap();
        let params = LevelParams { rounds, ..graph.params(&device, &traversal.tuning, model.family().first()) };
        let mut control = None;
        let recorded = device.record("one dispatch", |recorder| {
            clear(recorder, &traversal);
            graph.start(recorder, &traversal, &tree, params);
            graph.search(recorder, &traversal, &tree, params, model.family());
            control = Some(recorder.read_back(&graph.control));
        });
        let mut recording = recorded.unwrap();
        recording.run().unwrap();
        recording.value(control.unwrap())
    }

    #[test]
    fn one_workgroup_goes_on_until_the_tree_or_the_limit_says_otherwise() {
        let run = |model, rounds| {
            let Control { iteration, frontier, discovered, groups, .. } = one_dispatch(model, rounds);
            (iteration, frontier, discovered, groups[0])
        };
        assert_eq!(run("list-push-resident list", MOST_ROUNDS), (100, 0, 100, 0), "the whole search");
        assert_eq!(run("list-push-resident list", 14), (7, 1, 8, 1));
        let until = "if discovered <= 30\nlist-push-resident list\nelse\nlist-push-even list";
        assert_eq!(run(until, MOST_ROUNDS), (30, 1, 31, 1));
        assert_eq!(run("list-push-even list", MOST_ROUNDS), (1, 1, 2, 1));
    }
}

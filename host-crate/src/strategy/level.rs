//! Searches that look at the whole graph in every level, in one of fifteen ways, and one that chooses a way for each level by a
//! decision tree on the device (Verstraaten et al.). The kernels are `strategy/level.rs` of the kernels.
//!
//! All ways read the same graph: rows, with the origin of each edge beside its end, and the same of the reversed graph, which
//! for a symmetric one is the graph itself.

use super::{DeviceGraph, DeviceLoop, Iterate, Operator, Traversal, Tuning, worklists::clear};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::{
        Csr, Weights,
        transform::{is_surely_symmetric, transpose},
    },
    levels::{Count, GraphFeatures, Implementation, Model, Way},
};
use evenkeel_kernels::strategy::{
    edge::EdgeSources,
    level::{Level, LevelStart},
};
use evenkeel_types::{Control, Decision, LengthParams, LevelParams};

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
    DeviceLoop::record(
        device,
        name,
        &graph.control,
        |recorder| {
            clear(recorder, traversal);
            graph.start(recorder, traversal, &tree, params);
        },
        |recorder, odd| graph.search(recorder, traversal, &tree, params, odd),
    )
}

/// What all ways read and write beside the graph itself and the depths.
pub(crate) struct LevelGraph {
    origins: Buffer<u32>,
    reversed: DeviceGraph,
    reversed_origins: Buffer<u32>,
    lists: [Buffer<u32>; 2],
    pub(crate) control: Buffer<Control>,
    words: Buffer<u32>,
}

/// Which parts of it some ways read.
struct Needs {
    origins: bool,
    reversed: bool,
    reversed_origins: bool,
    lists: bool,
}

impl Needs {
    fn of(ways: &[Way]) -> Self {
        let some = |wanted: &[Implementation]| ways.iter().any(|way| wanted.contains(&way.implementation));
        Self {
            origins: some(&[Implementation::EdgeList]),
            reversed: some(&[Implementation::ReverseEdgeList, Implementation::VertexPull]),
            reversed_origins: some(&[Implementation::ReverseEdgeList]),
            lists: ways.iter().any(|way| way.count == Count::List),
        }
    }
}

/// Workgroups that fill a large GPU several times over. More only wait for their turn, and each takes a ticket at its end.
const MOST_GROUPS: u32 = 4096;
/// The same for a CPU, which starts each of them by hand.
const MOST_GROUPS_ON_CPU: u32 = 64;

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
        let reversed = if needs.reversed && !symmetric {
            let unweighted = Csr { weights: Weights::None, ..csr.clone() };
            DeviceGraph::upload(device, &transpose(&unweighted)?)?
        } else {
            graph.clone()
        };
        let origins = if needs.origins || needs.reversed_origins && symmetric {
            origins_of(device, graph)?
        } else {
            nothing.clone()
        };
        let reversed_origins = match (needs.reversed_origins, symmetric) {
            (false, _) => nothing,
            (true, true) => origins.clone(),
            (true, false) => origins_of(device, &reversed)?,
        };
        // The start writes the source down whether or not anybody reads it.
        let length = if needs.lists { graph.nodes() as usize } else { 1 };
        let control = device.buffer("control", 1)?;
        Ok(Self {
            origins,
            reversed,
            reversed_origins,
            lists: [device.buffer("list of nodes", length)?, device.buffer("next list of nodes", length)?],
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
        }
    }

    /// Records the beginning of a search, when no node has a depth.
    fn start(&self, recorder: &mut Recorder, traversal: &Traversal, tree: &Buffer<Decision>, params: LevelParams) {
        let step = LevelStart {
            source: &traversal.source,
            row_offsets: &traversal.graph.row_offsets,
            tree,
            list: &self.lists[0],
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
        odd: bool,
    ) {
        let [list, next] = if odd { [&self.lists[1], &self.lists[0]] } else { [&self.lists[0], &self.lists[1]] };
        let step = Level {
            row_offsets: &traversal.graph.row_offsets,
            origins: &self.origins,
            columns: &traversal.graph.columns,
            in_row_offsets: &self.reversed.row_offsets,
            in_origins: &self.reversed_origins,
            in_columns: &self.reversed.columns,
            tree,
            list,
            next,
            depths: &traversal.values,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, params, &self.control, Control::GROUPS);
    }

    /// The list that an even level reads, and the control block as words.
    pub(crate) fn state(&self) -> (&Buffer<u32>, &Buffer<u32>) {
        (&self.lists[0], &self.words)
    }
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

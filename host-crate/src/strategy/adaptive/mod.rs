//! Searches that look at the whole graph in every level, in one of fifteen variants, and one that chooses a variant for each level by a
//! decision tree on the device (Verstraaten et al.). The kernels are the folder `strategy/adaptive` of the kernels.
//!
//! All variants read the same graph: rows, with the origin of each edge beside its end, and the same of the reversed graph, which
//! for a symmetric one is the graph itself.
//!
//! ```
//! use evenkeel::strategy::adaptive::{Features, GraphFeatures, Model, LevelSize};
//!
//! let text = "evenkeel level model 1\nif frontier-share <= 0.1\n  vertex-push atomic\nelse\n  vertex-pull subgroup\n";
//! let model = Model::parse("two".as_ref(), text)?;
//! let star = "star:nodes=50".parse::<evenkeel::graph::generate::Generator>()?.generate()?;
//! let features = Features::of(&GraphFeatures::of(&star.csr), LevelSize { frontier: 49, discovered: 50, edges: 49 });
//! assert_eq!(model.choose(&features).unwrap().to_string(), "vertex-pull subgroup");
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod features;
mod model;
mod node;
mod text;
mod trace;
mod variant;

pub use features::{DegreeSummary, Feature, Features, GraphFeatures, LevelSize};
pub use model::{Model, ModelFile};
pub use node::Node;
pub(crate) use trace::step_times;
pub use trace::{TracedLevel, level_sizes, trace};
pub use variant::{Count, Family, Implementation, Variant};

use super::{prelude::*, worklists::clear};
use crate::engine::{BATCHES, SharedGraph, row_classes::pieces_by_edge};
use evenkeel_kernels::{
    primitive::LengthParams,
    strategy::{
        adaptive::{Decision, Level, LevelListed, LevelParams, LevelState, VariantCode, begin::LevelStart},
        edge::EdgeSources,
    },
};
use rayon::prelude::*;
use std::sync::Arc;

/// A strategy that searches all levels by one implementation.
#[derive(Clone)]
pub struct Fixed {
    /// The implementation.
    pub implementation: Implementation,
    /// How the discovered are counted: by anything but a list.
    pub count: Count,
    /// Invocations of a virtual warp, for the implementation that has them.
    pub virtual_warp: u32,
}

/// The strategy `adaptive`: a model chooses how each level is searched.
#[derive(Clone)]
pub struct Adaptive {
    /// Invocations of a virtual warp.
    pub virtual_warp: u32,
    /// The model; the one that comes with the program for the device where it is none.
    pub model: Option<ModelFile>,
}

/// Invocations of a virtual warp unless others are asked for.
pub const DEFAULT_VIRTUAL_WARP: u32 = 8;

/// The widths that a virtual warp can have.
pub const VIRTUAL_WARPS: [u32; 5] = [2, 4, 8, 16, 32];

impl Default for Adaptive {
    fn default() -> Self {
        Self { virtual_warp: DEFAULT_VIRTUAL_WARP, model: None }
    }
}

fn virtual_warp_key(width: &mut u32) -> Key<'_> {
    Key::option("virtual-warp", "invocations that share a node's edges", width).one_of(VIRTUAL_WARPS)
}

impl Fixed {
    /// An implementation with its default settings.
    pub fn new(implementation: Implementation) -> Self {
        Self { implementation, count: Count::Atomic, virtual_warp: DEFAULT_VIRTUAL_WARP }
    }

    /// The strategies of all implementations that need no list of the frontier.
    pub(super) fn all() -> impl Iterator<Item = Box<dyn Strategy>> {
        let strategy = |implementation| Box::new(Self::new(implementation)) as Box<dyn Strategy>;
        Implementation::TOPOLOGY_DRIVEN.into_iter().map(strategy)
    }

    fn variant(&self) -> Variant {
        Variant { implementation: self.implementation, count: self.count }
    }
}

impl Strategy for Fixed {
    fn about(&self) -> About {
        let (name, summary) = (self.implementation.name(), self.implementation.summary());
        About::new(name, "Verstraaten et al.", summary)
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let counts = Count::ALL.into_iter().filter(|count| *count != Count::List);
        let about = "what adds up before an atomic counts the discovered";
        let mut keys = vec![Key::option("count", about, &mut self.count).one_of(counts)];
        if self.implementation == Implementation::VertexPushWarp {
            keys.push(virtual_warp_key(&mut self.virtual_warp));
        }
        keys
    }

    /// Some variants search the edges that lead to a node.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_row(loops::longest_row(csr).max(loops::longest_column(csr)))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let variant = self.variant();
        record(device, traversal, name, &[variant], (variant, self.virtual_warp), &[Decision::leaf(variant.word())])
    }

    fn level_names(&self, _: &Device, _: &Csr, levels: &[LevelSize]) -> Result<Option<Vec<String>>> {
        Ok(Some(vec![self.variant().to_string(); levels.len()]))
    }
}

impl Adaptive {
    /// The model that chooses on a device.
    fn model(&self, device: &DeviceInfo) -> Result<Arc<Model>> {
        match &self.model {
            Some(file) => Ok(file.model.clone()),
            None => Model::of_device(device).map(Arc::new),
        }
    }
}

impl Strategy for Adaptive {
    fn about(&self) -> About {
        About::new(
            "adaptive",
            "Verstraaten et al.",
            "for each level the variant of these that a decision tree on the device chooses",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let name = self.model.as_ref().map(|file| file.model.name().to_owned());
        let about = "the file of the model that chooses, as `evenkeel-papers train` writes it";
        let model = Key::optional("model", about, "the device's", &mut self.model).reported_as(name);
        vec![virtual_warp_key(&mut self.virtual_warp), model]
    }

    /// Some variants search the edges that lead to a node.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_row(loops::longest_row(csr).max(loops::longest_column(csr)))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let model = self.model(device.info())?;
        if !device.is_planner() {
            tracing::info!("{name} goes by the model {}", model.name());
        }
        let decisions = model.for_graph(&model.features_of(&traversal.csr));
        let first = (model.family().first(), self.virtual_warp);
        record(device, traversal, name, &with_first(&model), first, &decisions)
    }

    /// What the model chooses, which is all that the search goes by.
    fn level_names(&self, device: &Device, csr: &Csr, levels: &[LevelSize]) -> Result<Option<Vec<String>>> {
        let model = self.model(device.info())?;
        let graph = model.features_of(csr);
        let mut variant = model.family().first();
        let choose = |level: &LevelSize| {
            variant = model.choose(&Features::of(&graph, *level)).unwrap_or(variant);
            variant.to_string()
        };
        Ok(Some(levels.iter().map(choose).collect()))
    }
}

/// The variants of a model, and the one that a first level has for want of a better.
fn with_first(model: &Model) -> Vec<Variant> {
    let mut variants = model.variants();
    variants.push(model.family().first());
    variants
}

fn record(
    device: &Device,
    traversal: &Traversal,
    name: &str,
    variants: &[Variant],
    (first, virtual_warp): (Variant, u32),
    decisions: &[Decision],
) -> Result<DeviceLoop> {
    let graph = LevelGraph::new(device, traversal, variants)?;
    let tree = device.buffer_from("decisions", decisions)?;
    let params = graph.params(device, virtual_warp, first);
    // Where one workgroup can take every level, one dispatch is likely to be the whole search.
    let small = variants.iter().any(|variant| variant.stays(params.nodes, params.edges)) && !device.times_steps();
    let lengths = if small { [&[1], &BATCHES[..]].concat() } else { BATCHES.to_vec() };
    DeviceLoop::record_in_batches(
        device,
        name,
        &graph.state,
        &lengths,
        |recorder| {
            clear(recorder, traversal);
            graph.start(recorder, traversal, &tree, params);
        },
        |recorder, _| graph.search(recorder, traversal, &tree, params, first.family()),
    )
}

/// What all variants read and write beside the graph itself and the depths.
pub(crate) struct LevelGraph {
    origins: Buffer<u32>,
    reversed: DeviceGraph,
    reversed_origins: Buffer<u32>,
    /// Two words each: a node, and the edge with which the piece of its row begins.
    pieces: Buffer<u32>,
    /// The lists of even levels and of odd ones, one behind the other.
    pub(crate) lists: Buffer<u32>,
    pub(crate) state: Buffer<LevelState>,
}

/// What some variants read beside the graph.
struct Needs {
    origins: bool,
    reversed: bool,
    reversed_origins: bool,
    pieces: bool,
    /// The words of the lists.
    lists: usize,
}

impl Needs {
    fn of(csr: &Csr, variants: &[Variant]) -> Self {
        use Implementation::{EdgeList, ReverseEdgeList, VertexPull, VertexPullWarp};
        let some = |wanted: &[Implementation]| variants.iter().any(|variant| wanted.contains(&variant.implementation));
        let (symmetric, by_ends) = (csr.is_symmetric(), some(&[ReverseEdgeList]));
        let lists = variants.iter().any(|variant| variant.count == Count::List);
        Self {
            origins: some(&[EdgeList]) || symmetric && by_ends,
            reversed: !symmetric && some(&[ReverseEdgeList, VertexPull, VertexPullWarp]),
            reversed_origins: !symmetric && by_ends,
            pieces: some(&[VertexPullWarp]),
            lists: if lists { 2 * csr.nodes() as usize } else { 0 },
        }
    }
}

/// Workgroups that fill a large GPU several times over. More only wait for their turn, and each takes a ticket at its end.
const MOST_GROUPS: u32 = 4096;
/// The most workgroups on a CPU, which starts each of them by hand.
const MOST_GROUPS_ON_CPU: u32 = 64;

/// The rounds of one workgroup in a dispatch, at two a level or more: some drivers stop a dispatch that takes seconds.
const MOST_ROUNDS: u32 = 16_384;
/// The most loop iterations of a round.
const LOOPS_PER_ROUND: u32 = 70;

impl LevelGraph {
    /// Makes what some variants need. Unused bindings get a placeholder buffer.
    pub(crate) fn new(device: &Device, traversal: &Traversal, variants: &[Variant]) -> Result<Self> {
        let (needs, csr, graph) = (Needs::of(&traversal.csr, variants), &traversal.csr, &traversal.graph);
        let transposed = if needs.reversed { Some(traversal.shared.incoming(false)?) } else { None };
        let reversed = transposed.as_ref().map_or_else(|| Ok(graph.clone()), |graph| graph.rows().cloned())?;
        let nothing = || device.buffer("nothing", 1);
        let incoming = transposed.as_ref().map_or(csr, SharedGraph::csr);
        let pieces = if needs.pieces { pieces(incoming)? } else { Vec::new() };
        let origins = if needs.origins { origins_of(device, graph, "origins of edges")? } else { nothing()? };
        Ok(Self {
            // Where the reversed graph is the graph itself, so are the origins.
            reversed_origins: if needs.reversed_origins {
                origins_of(device, &reversed, "reversed origins of edges")?
            } else {
                origins.clone()
            },
            origins,
            reversed,
            pieces: if pieces.is_empty() { nothing()? } else { device.buffer_from("pieces of long rows", &pieces)? },
            // The start writes the source down whether or not anybody reads it.
            lists: device.buffer("lists of nodes", needs.lists.max(1))?,
            state: device.buffer("state", 1)?,
        })
    }

    /// What the kernels are told.
    pub(crate) fn params(&self, device: &Device, virtual_warp: u32, first: Variant) -> LevelParams {
        let info = device.info();
        let most = if info.kind.is_cpu() { MOST_GROUPS_ON_CPU } else { MOST_GROUPS };
        LevelParams {
            nodes: self.reversed.nodes(),
            edges: self.reversed.columns.len() as u32,
            max_groups: info.max_groups.min(most),
            virtual_warp,
            first_variant: first.word(),
            pieces: (self.pieces.len() / 2) as u32,
            // A level is a step, and where each step is timed it ends the dispatch.
            rounds: if device.times_steps() { 1 } else { MOST_ROUNDS.min(info.loop_budget() / LOOPS_PER_ROUND) },
        }
    }

    /// Records the beginning of a search, when no node has a depth.
    fn start(&self, recorder: &mut Recorder, traversal: &Traversal, tree: &Buffer<Decision>, params: LevelParams) {
        let step = LevelStart {
            source: &traversal.source,
            graph: &traversal.graph,
            tree,
            lists: &self.lists,
            depths: &traversal.data.values,
            state: &self.state,
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
        let (graph, in_graph, depths) = (&traversal.graph, &self.reversed, &traversal.data.values);
        let (lists, state) = (&self.lists, &self.state);
        match family {
            Family::Fifteen => {
                let (origins, in_origins) = (&self.origins, &self.reversed_origins);
                let step = Level { graph, origins, in_graph, in_origins, tree, lists, depths, state };
                recorder.dispatch_indirect(&step, params, state, LevelState::GROUPS);
            }
            Family::Listed => {
                let pieces = &self.pieces;
                let step = LevelListed { graph, in_graph, pieces, tree, lists, depths, state };
                recorder.dispatch_indirect(&step, params, state, LevelState::GROUPS);
            }
        }
    }
}

/// The long rows of a graph in pieces: the node and the first edge of each.
fn pieces(csr: &Csr) -> Result<Vec<u32>> {
    csr.narrow_edges()?;
    Ok(pieces_by_edge(csr, VariantCode::LONG, VariantCode::PIECE).flatten_iter().collect())
}

/// Where each edge begins, in a buffer of that name.
fn origins_of(device: &Device, graph: &DeviceGraph, name: &str) -> Result<Buffer<u32>> {
    let edges = graph.columns.len();
    let origins = device.buffer(name, edges)?;
    let find = EdgeSources { row_offsets: &graph.row_offsets, sources: &origins };
    let params = LengthParams { length: edges as u32 };
    device.record(name, |recorder| recorder.dispatch(&find, params, edges))?.run()?;
    Ok(origins)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::DeviceOptions,
        engine::{Layout, SharedGraph},
        graph::generate::Generator,
    };

    /// The state after one dispatch from the first node of a chain, which may take so many rounds.
    fn one_dispatch(model: &str, rounds: u32) -> LevelState {
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let chain = "chain:nodes=100".parse::<Generator>().unwrap().generate().unwrap();
        let layout = Layout::resident(device.info(), &chain.csr);
        let graph = SharedGraph::new(&device, &chain.csr);
        let traversal = Traversal::new(&graph, Operator::Bfs, Some(layout), "depths").unwrap();
        let model = Model::parse("test".as_ref(), &format!("evenkeel level model 1\n{model}")).unwrap();
        let graph = LevelGraph::new(&device, &traversal, &with_first(&model)).unwrap();
        let tree = device.buffer_from("decisions", &model.for_graph(&GraphFeatures::of(&chain.csr))).unwrap();
        let params = LevelParams { rounds, ..graph.params(&device, DEFAULT_VIRTUAL_WARP, model.family().first()) };
        let mut state = None;
        let recorded = device.record("one dispatch", |recorder| {
            clear(recorder, &traversal);
            graph.start(recorder, &traversal, &tree, params);
            graph.search(recorder, &traversal, &tree, params, model.family());
            state = Some(recorder.read_back(&graph.state));
        });
        let mut recording = recorded.unwrap();
        recording.run().unwrap();
        recording.value(state.unwrap())
    }

    #[test]
    fn one_workgroup_goes_on_until_the_tree_or_the_limit_says_otherwise() {
        let run = |model, rounds| {
            let LevelState { header, discovered, .. } = one_dispatch(model, rounds);
            (header.report.iteration, header.report.frontier, discovered, header.groups[0])
        };
        assert_eq!(run("list-push-resident list", MOST_ROUNDS), (100, 0, 100, 0), "the whole search");
        assert_eq!(run("list-push-resident list", 14), (7, 1, 8, 1));
        let until = "if discovered <= 30\nlist-push-resident list\nelse\nlist-push-even list";
        assert_eq!(run(until, MOST_ROUNDS), (30, 1, 31, 1));
        assert_eq!(run("list-push-even list", MOST_ROUNDS), (1, 1, 2, 1));
    }
}

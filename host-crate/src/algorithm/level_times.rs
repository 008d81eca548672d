//! How long every variant takes on every level of a search. A whole search finds the levels first; then the beginning of each is
//! made again on the device before each variant, so that all search the same frontier, and the device times each by itself. What
//! they find is held against the whole search.

use crate::{
    Error, Result,
    device::{Buffer, Device, ReadBack, Recording, profile::Span},
    engine::{
        Layout, SharedGraph,
        loops::{longest_column, longest_row, refuse_long_loops, rounds_of_a_row},
    },
    graph::Csr,
    strategy::{
        DeviceLoop, Operator, Strategy, Traversal,
        adaptive::{Adaptive, Family, LevelGraph, LevelSize, Variant, level_sizes},
    },
};
use evenkeel_kernels::{
    frontier,
    strategy::adaptive::{Decision, LevelParams, LevelState, RestoreParams, begin::LevelRestore},
};
use evenkeel_types::{LoopHeader, UNREACHED};

/// A variant is timed this many times on a level, and the shortest counts: what disturbs a measurement only ever adds to it.
const REPEATS: usize = 5;

/// For a variant that takes this many times as long as the best of its family, once is enough: nobody will choose it.
const FAR: f64 = 3.0;

/// A variant that takes longer, in microseconds, is not repeated either: some drivers stop what was submitted after seconds.
const LONG: f64 = 200_000.0;

/// A graph on the device with all that the variants need.
pub struct LevelTimes {
    device: Device,
    traversal: Traversal,
    whole: DeviceLoop,
    /// What a whole search found, and the nodes in the order of their depths.
    found: Buffer<u32>,
    order: Buffer<u32>,
    /// The level to begin at: see the kernel that restores it.
    start: Buffer<u32>,
    /// Each variant once, with its restoring before it.
    variants: Vec<Timed>,
    /// The one that goes on in the same dispatch, with no level to search in it.
    around: Timed,
    /// Where each level begins in the order, and how many heavy nodes it has.
    firsts: Vec<u32>,
    heavy: Vec<u32>,
}

/// A variant that is timed by itself.
struct Timed {
    variant: Variant,
    once: LevelRecording,
    /// The other times, in one submission: on a small graph, submitting takes longer than the level.
    again: LevelRecording,
}

/// A level in one variant, recorded once or several times.
struct LevelRecording {
    recording: Recording,
    state: ReadBack<LevelState>,
}

impl LevelTimes {
    /// Makes all of it ready on a device that was opened with `profile`.
    ///
    /// # Errors
    /// When something does not fit, or the device fails.
    pub fn new(device: &Device, csr: &Csr, virtual_warp: u32) -> Result<Self> {
        refuse_long_loops(device.info(), || rounds_of_a_row(longest_row(csr).max(longest_column(csr))))?;
        SharedGraph::new(device, csr).prepare(|graph| Self::build(graph, virtual_warp))
    }

    fn build(graph: &SharedGraph, virtual_warp: u32) -> Result<Self> {
        let (device, csr, variants) = (graph.device(), graph.csr(), Variant::all());
        let nodes = csr.nodes() as usize;
        let whole: Box<dyn Strategy> = Box::new(Adaptive::default());
        let layout = Layout::resident(device.info(), csr);
        let traversal = Traversal::new(graph, Operator::Bfs, Some(layout), "depths")?;
        let level_graph = LevelGraph::new(device, &traversal, &variants)?;
        let params = level_graph.params(device, virtual_warp, Family::Fifteen.first());
        let tree = device.buffer_from("decisions", &[Decision::leaf(Decision::REPEAT)])?;
        let found = device.buffer("depths found", nodes)?;
        let order = device.buffer("nodes in order", nodes)?;
        let start = device.buffer("level start", 5)?;
        let (lists, state) = (&level_graph.lists, &level_graph.state);
        let depths = &traversal.data.values;
        let restore = LevelRestore { start: &start, found: &found, order: &order, lists, depths, state };
        let recorded = |variant: Variant, params: LevelParams, times: usize| -> Result<LevelRecording> {
            let mut read_back = None;
            let recording = device.record(&variant.to_string(), |recorder| {
                let level = RestoreParams { level: params, variant: variant.word() };
                for _ in 0..times {
                    recorder.dispatch(&restore, level, nodes);
                    level_graph.search(recorder, &traversal, &tree, params, variant.family());
                }
                read_back = Some(recorder.read_back(&level_graph.state));
            })?;
            let state = read_back.ok_or_else(|| Error::Device("a recording was not made".into()))?;
            Ok(LevelRecording { recording, state })
        };
        let timed = |variant: Variant, params: LevelParams| -> Result<Timed> {
            let (once, again) = (recorded(variant, params, 1)?, recorded(variant, params, REPEATS - 1)?);
            Ok(Timed { variant, once, again })
        };
        let around = timed(Family::Listed.first(), LevelParams { rounds: 0, ..params })?;
        let variants = variants.into_iter().map(|variant| timed(variant, params)).collect::<Result<_>>()?;
        let whole = whole.record(device, &traversal, "bfs auto")?;
        let (device, firsts, heavy) = (device.clone(), Vec::new(), Vec::new());
        Ok(Self { device, traversal, whole, found, order, start, variants, around, firsts, heavy })
    }

    /// Searches from a node, and keeps what the levels are restored from.
    ///
    /// # Errors
    /// When the device fails.
    pub fn search(&mut self, source: u32) -> Result<Vec<LevelSize>> {
        self.device.upload(&self.traversal.source, 0, &[source])?;
        self.whole.run()?;
        let depths = self.device.download(&self.traversal.data.values)?;
        let level_sizes = level_sizes(&self.traversal.csr, &depths);
        self.firsts = level_sizes.iter().map(|size| size.discovered - size.frontier).collect();
        self.heavy = vec![0; level_sizes.len()];
        let mut light = vec![0; level_sizes.len()];
        let mut order = vec![0; depths.len()];
        for (node, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth != UNREACHED) {
            let (node, depth) = (node as u32, depth as usize);
            let place = if self.traversal.csr.degree(node) > frontier::HEAVY {
                self.heavy[depth] += 1;
                level_sizes[depth].frontier - self.heavy[depth]
            } else {
                light[depth] += 1;
                light[depth] - 1
            };
            order[(self.firsts[depth] + place) as usize] = node;
        }
        self.device.upload(&self.found, 0, &depths)?;
        self.device.upload(&self.order, 0, &order)?;
        Ok(level_sizes)
    }

    /// The microseconds of each variant on a level, and what of the one that goes on in the same dispatch is not the level's: for a
    /// frontier that is not for it, nothing.
    ///
    /// # Errors
    /// When the device fails, or a variant finds something else than the search did.
    pub fn time(&mut self, level: usize, level_sizes: &[LevelSize]) -> Result<(Vec<f64>, f64)> {
        let LevelSize { frontier, edges, .. } = level_sizes[level];
        let start = [level as u32, self.firsts[level], frontier, self.heavy[level], edges];
        self.device.upload(&self.start, 0, &start)?;
        let found = level_sizes.get(level + 1).map_or((0, 0), |next| (next.frontier, next.edges));
        let (device, stays) = (&self.device, self.around.variant.stays(frontier, edges));
        let once = |timed: &mut Timed, found| timed.once.run(device, timed.variant, found);
        let again = |timed: &mut Timed, found| timed.again.run(device, timed.variant, found);
        let mut times = self.variants.iter_mut().map(|timed| once(timed, found)).collect::<Result<Vec<f64>>>()?;
        let dispatch = if stays {
            let found = (frontier, edges);
            once(&mut self.around, found)?.min(again(&mut self.around, found)?)
        } else {
            0.0
        };
        let of = |family: Family| family.variants().into_iter().map(|variant| times[variant.place()]);
        let [fifteen, listed] = Family::ALL.map(|family| of(family).fold(f64::INFINITY, f64::min));
        for (timed, time) in self.variants.iter_mut().zip(&mut times) {
            let best = if timed.variant.family() == Family::Fifteen { fifteen } else { listed };
            if *time <= (FAR * best).min(LONG) {
                *time = time.min(again(timed, found)?);
            }
        }
        Ok((times, dispatch))
    }
}

impl LevelRecording {
    /// The microseconds of the fastest of its levels, each of which must find so many nodes with so many edges. The last is checked.
    fn run(&mut self, device: &Device, variant: Variant, found: (u32, u32)) -> Result<f64> {
        device.take_spans();
        self.recording.run()?;
        let spans = device.take_spans();
        let is_level = |span: &&Span| span.on_device && ["level", "level_listed"].contains(&span.name.as_str());
        let untimed = || Error::Usage("levels are measured on a device that was opened to time each step".into());
        let fastest = spans.iter().filter(is_level).map(|span| span.duration).min().ok_or_else(untimed)?;
        let LevelState { header: LoopHeader { report, .. }, edges, .. } = self.recording.value(self.state);
        if (report.frontier, edges) != found {
            return Err(Error::Device(format!(
                "{variant} found {} nodes with {} edges after level {}, where there are {} with {}",
                report.frontier, edges, report.iteration, found.0, found.1
            )));
        }
        Ok(fastest.as_nanos() as f64 / 1e3)
    }
}

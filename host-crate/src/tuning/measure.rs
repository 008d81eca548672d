//! How long every way takes on every level of a search. A whole search finds the levels first; then the beginning of each is
//! made again on the device before each way, so that all search the same frontier, and the device times each by itself. What
//! they find is held against the whole search.

use super::{table::Row, trace::moments};
use crate::strategy::adaptive::{Family, Features, GraphFeatures, Moment, Way};
use crate::{
    Error, Result,
    algorithm::{Source, bfs},
    device::{Buffer, Device, ReadBack, Recording},
    graph::Graph,
    strategy::{self, DeviceLoop, Operator, Traversal, Tuning, adaptive::LevelGraph},
};
use evenkeel_kernels::strategy::adaptive::begin::LevelRestore;
use evenkeel_types::{Control, Decision, LevelParams, LevelWay, RestoreParams, UNREACHED};

/// A way is timed this many times on a level, and the shortest counts: what disturbs a measurement only ever adds to it.
const REPEATS: usize = 5;

/// For a way that takes this many times as long as the best of its family, once is enough: nobody will choose it.
const FAR: f64 = 3.0;

/// What to measure.
#[derive(Clone, Copy, Debug)]
pub struct Measuring {
    /// How many searches a graph; fewer where it has fewer nodes.
    pub sources: u32,
    /// Where their sources are drawn from.
    pub seed: u64,
    /// The most levels of a search, evenly taken where it has more.
    pub max_levels: u32,
    /// Invocations of a virtual warp.
    pub virtual_warp: u32,
}

impl Measuring {
    /// Measures on one graph; `each` gets every level in turn. The device must have been opened with `profile`.
    ///
    /// # Errors
    /// When something does not fit, the device fails, or a way finds something else than the search did.
    pub fn measure(&self, device: &Device, graph: &Graph, mut each: impl FnMut(Row)) -> Result<()> {
        let tuning = Tuning { virtual_warp: Some(self.virtual_warp), ..Tuning::default() };
        let mut bench = Bench::new(device, graph, tuning)?;
        let known = GraphFeatures::of(&graph.csr);
        for source in self.sources(graph)? {
            let moments = bench.search(source)?;
            for level in self.levels(moments.len()) {
                let (microseconds, dispatch) = bench.time(level, &moments)?;
                each(Row {
                    graph: graph.name.clone(),
                    source: graph.ids.id(source),
                    level: level as u32,
                    features: Features::of(&known, moments[level]),
                    microseconds,
                    dispatch,
                });
            }
        }
        Ok(())
    }

    /// Different nodes, with edges wherever possible.
    fn sources(&self, graph: &Graph) -> Result<Vec<u32>> {
        let wanted = self.sources.min(graph.csr.nodes()) as usize;
        let mut sources = Vec::new();
        // A graph may have fewer nodes with edges than are wanted.
        for attempt in 0..4 * u64::from(self.sources) {
            let source = Source::Random(self.seed.wrapping_add(attempt << 32)).find(graph)?;
            if !sources.contains(&source) && sources.len() < wanted {
                sources.push(source);
            }
        }
        Ok(sources)
    }

    /// Which of so many levels.
    fn levels(&self, count: usize) -> impl Iterator<Item = usize> {
        let taken = count.min(self.max_levels as usize);
        (0..taken).map(move |place| place * count / taken)
    }
}

/// A graph on the device with all that the ways need.
struct Bench {
    device: Device,
    traversal: Traversal,
    whole: DeviceLoop,
    /// What a whole search found, and the nodes in the order of their depths.
    found: Buffer<u32>,
    order: Buffer<u32>,
    /// The level to begin at: see the kernel that restores it.
    moment: Buffer<u32>,
    /// Each way once, with its restoring before it.
    ways: Vec<Timed>,
    /// The one that goes on in the same dispatch, with no level to search in it.
    around: Timed,
    /// Where each level begins in the order, and how many heavy nodes it has.
    firsts: Vec<u32>,
    heavy: Vec<u32>,
}

/// A way that is timed by itself.
struct Timed {
    way: Way,
    recording: Recording,
    control: ReadBack<Control>,
}

impl Bench {
    fn new(device: &Device, graph: &Graph, tuning: Tuning) -> Result<Self> {
        let (csr, ways) = (&graph.csr, Way::all());
        let nodes = csr.nodes() as usize;
        let whole = strategy::by_name(Operator::Bfs, strategy::AUTO)?;
        strategy::refuse_unending_rows(device, csr)?;
        let plan = bfs::plan_with(csr, whole, &Tuning::default())?.and(LevelGraph::plan(csr, &ways));
        device.admit(&plan.with::<u32>("depths found", nodes).with::<u32>("nodes in order", nodes))?;

        let traversal = bfs::traversal(device, csr, tuning)?;
        let level_graph = LevelGraph::new(device, &traversal, &ways)?;
        let params = level_graph.params(device, &tuning, Family::Fifteen.first());
        let tree = device.buffer_from("decisions", &[Decision::leaf(Decision::REPEAT)])?;
        let found = device.buffer("depths found", nodes)?;
        let order = device.buffer("nodes in order", nodes)?;
        let moment = device.buffer("moment", 5)?;
        let (lists, control) = level_graph.state();
        let depths = &traversal.values;
        let restore = LevelRestore { moment: &moment, found: &found, order: &order, lists, depths, control };
        let timed = |way: Way, params: LevelParams| -> Result<Timed> {
            let mut read_back = None;
            let recording = device.record(&way.to_string(), |recorder| {
                let level = RestoreParams { level: params, way: way.word() };
                recorder.dispatch(&restore, level, nodes);
                level_graph.search(recorder, &traversal, &tree, params, way.family());
                read_back = Some(recorder.read_back(&level_graph.control));
            })?;
            let control = read_back.ok_or_else(|| Error::Device("a recording was not made".into()))?;
            Ok(Timed { way, recording, control })
        };
        let around = timed(Family::Listed.first(), LevelParams { rounds: 0, ..params })?;
        let ways = ways.into_iter().map(|way| timed(way, params)).collect::<Result<_>>()?;
        let whole = whole.record(device, &traversal)?;
        let (device, firsts, heavy) = (device.clone(), Vec::new(), Vec::new());
        Ok(Self { device, traversal, whole, found, order, moment, ways, around, firsts, heavy })
    }

    /// Searches from a node, and keeps what the levels are restored from.
    fn search(&mut self, source: u32) -> Result<Vec<Moment>> {
        self.device.upload(&self.traversal.source, 0, &[source])?;
        self.whole.run()?;
        let depths = self.device.download(&self.traversal.values)?;
        let moments = moments(&self.traversal.csr, &depths);
        self.firsts = moments.iter().map(|moment| moment.discovered - moment.frontier).collect();
        self.heavy = vec![0; moments.len()];
        let mut light = vec![0; moments.len()];
        let mut order = vec![0; depths.len()];
        for (node, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth != UNREACHED) {
            let (node, depth) = (node as u32, depth as usize);
            let place = if self.traversal.csr.degree(node) > LevelWay::HEAVY {
                self.heavy[depth] += 1;
                moments[depth].frontier - self.heavy[depth]
            } else {
                light[depth] += 1;
                light[depth] - 1
            };
            order[(self.firsts[depth] + place) as usize] = node;
        }
        self.device.upload(&self.found, 0, &depths)?;
        self.device.upload(&self.order, 0, &order)?;
        Ok(moments)
    }

    /// The microseconds of each way on a level, and what of the one that goes on in the same dispatch is not the level's: for a
    /// frontier that is not for it, nothing.
    fn time(&mut self, level: usize, moments: &[Moment]) -> Result<(Vec<f64>, f64)> {
        let Moment { frontier, edges, .. } = moments[level];
        let moment = [level as u32, self.firsts[level], frontier, self.heavy[level], edges];
        self.device.upload(&self.moment, 0, &moment)?;
        let found = moments.get(level + 1).map_or((0, 0), |next| (next.frontier, next.edges));
        let (device, stays) = (&self.device, self.around.way.stays(frontier, edges));
        let mut times = self.ways.iter_mut().map(|way| way.run(device, found)).collect::<Result<Vec<f64>>>()?;
        let around = (0..if stays { REPEATS } else { 0 }).map(|_| self.around.run(device, (frontier, edges)));
        let dispatch = around.collect::<Result<Vec<f64>>>()?.into_iter().reduce(f64::min).unwrap_or(0.0);
        let best = |family: Family| family.ways().iter().map(|way| times[way.place()]).fold(f64::INFINITY, f64::min);
        let [fifteen, listed] = Family::ALL.map(best);
        for _ in 1..REPEATS {
            for (way, time) in self.ways.iter_mut().zip(&mut times) {
                let best = if way.way.family() == Family::Fifteen { fifteen } else { listed };
                if *time <= FAR * best {
                    *time = time.min(way.run(device, found)?);
                }
            }
        }
        Ok((times, dispatch))
    }
}

impl Timed {
    /// The microseconds of a run, which must find so many nodes with so many edges.
    fn run(&mut self, device: &Device, found: (u32, u32)) -> Result<f64> {
        device.take_spans();
        self.recording.run()?;
        let spans = device.take_spans();
        let Some(span) =
            spans.iter().find(|span| span.on_device && ["level", "level_listed"].contains(&span.name.as_str()))
        else {
            return Err(Error::Usage("levels are measured on a device that was opened to time each step".into()));
        };
        let control = self.recording.value(self.control);
        if (control.frontier, control.edges) != found {
            return Err(Error::Device(format!(
                "{} found {} nodes with {} edges after level {}, where there are {} with {}",
                self.way, control.frontier, control.edges, control.iteration, found.0, found.1
            )));
        }
        Ok(span.duration.as_nanos() as f64 / 1e3)
    }
}

//! How long every way takes on every level of a search. A whole search finds the levels first; then the beginning of each is
//! made again on the device before each way, so that all search the same frontier, and the device times each by itself. What
//! they find is held against the whole search.

use super::{
    features::{Features, GraphFeatures, Moment},
    table::Row,
    trace::moments,
    way::{Family, Way},
};
use crate::{
    Error, Result,
    algorithm::{Source, bfs},
    device::{Buffer, Device, ReadBack, Recorder, Recording},
    graph::Graph,
    strategy::{self, DeviceLoop, Operator, Traversal, Tuning, level::LevelGraph},
};
use evenkeel_kernels::strategy::level::LevelRestore;
use evenkeel_types::{Control, Decision, LevelParams, RestoreParams, UNREACHED};

/// A level is timed up to this many times, and the shortest counts: what disturbs a measurement only ever adds to it.
const REPEATS: usize = 5;

/// After so many microseconds in all ways together twice is enough: what is slow jitters little.
const LONG: f64 = 50_000.0;

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
                let microseconds = bench.time(level, &moments)?;
                each(Row {
                    graph: graph.name.clone(),
                    source: graph.ids.id(source),
                    level: level as u32,
                    features: Features::of(&known, moments[level]),
                    microseconds,
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
    ways: Recording,
    controls: Vec<ReadBack<Control>>,
    /// Where each level begins in the order.
    firsts: Vec<u32>,
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
        let moment = device.buffer("moment", 4)?;
        let restore = |recorder: &mut Recorder, way: Way, level: LevelParams| {
            let (list, control) = level_graph.state();
            let step = LevelRestore {
                moment: &moment,
                found: &found,
                order: &order,
                list,
                depths: &traversal.values,
                control,
            };
            recorder.dispatch(&step, RestoreParams { level, way: way.word() }, nodes);
        };
        let mut controls = Vec::new();
        let recording = device.record("every way", |recorder| {
            for way in ways {
                restore(recorder, way, params);
                level_graph.search(recorder, &traversal, &tree, params, false);
                controls.push(recorder.read_back(&level_graph.control));
            }
        })?;
        let whole = whole.record(device, &traversal)?;
        let (device, firsts) = (device.clone(), Vec::new());
        Ok(Self { device, traversal, whole, found, order, moment, ways: recording, controls, firsts })
    }

    /// Searches from a node, and keeps what the levels are restored from.
    fn search(&mut self, source: u32) -> Result<Vec<Moment>> {
        self.device.upload(&self.traversal.source, 0, &[source])?;
        self.whole.run()?;
        let depths = self.device.download(&self.traversal.values)?;
        let moments = moments(&self.traversal.csr, &depths);
        self.firsts = moments.iter().map(|moment| moment.discovered - moment.frontier).collect();
        let mut next = self.firsts.clone();
        let mut order = vec![0; depths.len()];
        for (node, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth != UNREACHED) {
            let place = &mut next[depth as usize];
            order[*place as usize] = node as u32;
            *place += 1;
        }
        self.device.upload(&self.found, 0, &depths)?;
        self.device.upload(&self.order, 0, &order)?;
        Ok(moments)
    }

    /// The microseconds of each way on a level.
    fn time(&mut self, level: usize, moments: &[Moment]) -> Result<Vec<f64>> {
        let Moment { frontier, edges, .. } = moments[level];
        self.device.upload(&self.moment, 0, &[level as u32, self.firsts[level], frontier, edges])?;
        let mut shortest = vec![f64::INFINITY; self.controls.len()];
        let mut spent = 0.0;
        for repeat in 0..REPEATS {
            let times = self.run(level, moments)?;
            spent += times.iter().sum::<f64>();
            for (shortest, time) in shortest.iter_mut().zip(times) {
                *shortest = shortest.min(time);
            }
            if spent > LONG && repeat > 0 {
                break;
            }
        }
        Ok(shortest)
    }

    fn run(&mut self, level: usize, moments: &[Moment]) -> Result<Vec<f64>> {
        self.device.take_spans();
        self.ways.run()?;
        let spans = self.device.take_spans().into_iter().filter(|span| span.on_device && span.name == "level");
        let times: Vec<f64> = spans.map(|span| span.duration.as_nanos() as f64 / 1e3).collect();
        if times.len() != self.controls.len() {
            return Err(Error::Usage("levels are measured on a device that was opened to time each step".into()));
        }
        let expected = moments.get(level + 1).map_or((0, 0), |next| (next.frontier, next.edges));
        for (way, control) in Way::all().into_iter().zip(&self.controls) {
            let control = self.ways.value(*control);
            if (control.frontier, control.edges) != expected {
                return Err(Error::Device(format!(
                    "{way} found {} nodes with {} edges in level {level}, where there are {} with {}",
                    control.frontier, control.edges, expected.0, expected.1
                )));
            }
        }
        Ok(times)
    }
}

//! One source after the other on the device: a search, its nodes sorted by level, a pass from the source on and one back (see the kernels'
//! folder `betweenness`). The device decides when a pass is over, and takes many small levels in one dispatch.

use super::{super::prelude::*, super::search::Search, Dependencies, Directions};
use crate::{
    algorithm::Bfs,
    engine::{
        DevicePartition, Layout, partition,
        primitive::{Kind, Scan},
    },
    phase,
    strategy::{Chosen, CooperationPlan, MAX_GROUPS, Operator, Traversal},
};
use evenkeel_kernels::{
    algorithm::betweenness::{
        BothWays, CLASSES, Pass, PathAdd, PathParams, PathState, Paths,
        level::{PathBegin, PathLevel, PathTurn},
        many_levels::{PathCooperating, PathPersistent},
        order::{PathCount, PathLinks, PathPlace},
    },
    memory::UVec4,
};
use evenkeel_types::LoopState;
use std::time::{Duration, Instant};

/// Workgroups that take many levels of medium length in one dispatch.
const COOPERATING: u32 = 16;

/// Nodes that an invocation sorts.
const NODES_AT_A_TIME: usize = 8;

/// Keys by which nodes are sorted. Levels are counted up to one behind the last that a graph can have, and loads go one level further.
fn keys(nodes: u32) -> Result<usize> {
    let keys = u64::from(CLASSES) * (u64::from(nodes) + 3);
    match u32::try_from(keys) {
        Ok(keys) => Ok(keys as usize),
        Err(_) => Err(Error::Memory(format!("{nodes} nodes are more than can be sorted by level"))),
    }
}

/// When many levels are taken in one dispatch: where it has the edges of one partition of several, it takes a part of one level.
fn rounds(device: &DeviceInfo, csr: &Csr) -> CooperationPlan {
    match partition(device, csr).list() {
        [_] => CooperationPlan::new(device, csr.skew(), COOPERATING),
        _ => CooperationPlan::default(),
    }
}

/// Whether searches of the graph have many levels, as far as its degrees tell.
pub(super) fn has_many_levels(csr: &Csr) -> bool {
    CooperationPlan::suit(csr.skew())
}

/// The sums over sources.
pub(super) enum Totals {
    Single(Buffer<f32>),
    Double(Buffer<f64>),
}

/// Everything that is recorded.
pub(super) struct Levels {
    nodes: usize,
    search: Search,
    graph: SharedGraph,
    forward: DeviceLoop,
    backward: DeviceLoop,
    add: Recording,
    clear: Recording,
    totals: Totals,
}

/// What the passes read and write.
struct Passes {
    device: Device,
    params: PathParams,
    rounds: CooperationPlan,
    /// The partitions of the edges that lead to each node, and of those that leave it.
    graphs: [Vec<DevicePartition>; 2],
    links: [Buffer<UVec4>; 2],
    paths: Paths<Buffers>,
    counts: Buffer<u32>,
    depths: Buffer<u32>,
    state: Buffer<PathState>,
}

impl Levels {
    pub fn new(directions: &Directions) -> Result<Self> {
        let graph = &directions.leaving;
        let (device, nodes) = (graph.device(), graph.csr().nodes() as usize);
        let chosen = Chosen::of(graph, Operator::Bfs, Configured::<Bfs>::default().item().as_ref())?;
        let layout = Layout::resident(device.info(), graph.csr());
        let traversal = Traversal::new(graph, Operator::Bfs, Some(layout), "depths")?;
        let depths = traversal.data.values.clone();
        let search = Search::record(device, traversal, &chosen, "betweenness, search")?;
        let passes = Passes::new(directions, depths)?;
        let [forward, backward] = [passes.forward()?, passes.backward()?];
        let Paths { order, ends, dependencies, .. } = &passes.paths;
        let params = passes.params;
        macro_rules! totals {
            ($kind:ident, $number:ty) => {{
                let totals = device.buffer::<$number>("totals", nodes)?;
                let add = PathAdd { order, ends, dependencies, totals: &totals };
                let add = device.record("betweenness, sums", |recorder| recorder.dispatch(&add, params, nodes))?;
                let words = totals.cast::<u32>();
                let clear = device.record("betweenness, clear", |recorder| recorder.fill(&words, 0))?;
                (Totals::$kind(totals), add, clear)
            }};
        }
        let (totals, add, clear) = if device.info().float64 { totals!(Double, f64) } else { totals!(Single, f32) };
        Ok(Self { nodes, search, graph: graph.clone(), forward, backward, add, clear, totals })
    }
}

impl Levels {
    /// The sums over sources.
    pub fn sums(&self) -> &Totals {
        &self.totals
    }

    /// Clears the sums, and returns the time that it took.
    pub fn clear(&mut self) -> Result<Duration> {
        if self.nodes == 0 { Ok(Duration::ZERO) } else { self.clear.run() }
    }

    /// Adds the dependencies of these sources to the sums.
    pub fn add(&mut self, sources: &[u32]) -> Result<Run> {
        let begin = Instant::now();
        let mut run = Run::default();
        for (done, &source) in sources.iter().enumerate() {
            run.kernel += self.search.run(&self.graph, source, None)?.kernel;
            let forward = self.forward.run()?;
            run.kernel += forward.kernel + self.backward.run()?.kernel + self.add.run()?;
            run.iterations = run.iterations.saturating_add(forward.report.iteration);
            phase::advance("sources", done as u64 + 1, Some(sources.len() as u64));
        }
        run.total = begin.elapsed();
        Ok(run)
    }
}

impl Dependencies for Levels {
    fn run(&mut self, _: &Device, sources: &[u32]) -> Result<Run> {
        let clear = self.clear()?;
        let run = self.add(sources)?;
        Ok(Run { kernel: run.kernel + clear, total: run.total + clear, ..run })
    }

    fn totals(&self, device: &Device) -> Result<Vec<f64>> {
        match &self.totals {
            Totals::Double(totals) => device.download(totals),
            Totals::Single(totals) => Ok(device.download(totals)?.into_iter().map(f64::from).collect()),
        }
    }
}

impl Passes {
    fn new(Directions { leaving, leading }: &Directions, depths: Buffer<u32>) -> Result<Self> {
        let (device, csr, nodes) = (leaving.device(), leaving.csr(), leaving.csr().nodes() as usize);
        let graphs = [leading.partitions()?.to_vec(), leaving.partitions()?.to_vec()];
        let (rounds, keys) = (rounds(device.info(), csr), keys(csr.nodes())?);
        let CooperationPlan { short, medium, cooperating, loop_limit } = rounds;
        let links = if rounds.are_taken() { nodes.max(1) } else { 1 };
        Ok(Self {
            params: PathParams {
                nodes: csr.nodes(),
                max_groups: MAX_GROUPS,
                short,
                medium,
                cooperating,
                loop_limit,
                rows: graphs[0][0].rows,
            },
            rounds,
            graphs,
            links: [device.buffer("links forward", links)?, device.buffer("links backward", links)?],
            paths: Paths {
                order: device.buffer("order", nodes)?,
                positions: device.buffer("positions", nodes)?,
                ends: device.buffer("level ends", keys)?,
                values: device.buffer("path counts", 2 * nodes)?,
                dependencies: device.buffer("dependencies", nodes)?,
            },
            counts: device.buffer("level counts", keys)?,
            depths,
            state: device.buffer("state", 1)?,
            device: device.clone(),
        })
    }

    /// Records how the nodes that were reached are sorted.
    fn sort(&self, recorder: &mut Recorder, scan: &Scan) {
        let Self { params, graphs: [leading, leaving], depths, counts, .. } = self;
        let Paths { order, positions, ends, .. } = &self.paths;
        let offsets = |parts: &[DevicePartition]| parts[0].graph.row_offsets.clone();
        let rows = &BothWays { leaving: offsets(leaving), leading: offsets(leading) };
        let invocations = (params.nodes as usize).div_ceil(NODES_AT_A_TIME);
        recorder.label("sort by level");
        recorder.fill(counts, 0);
        recorder.dispatch(&PathCount { depths, rows, counts }, *params, invocations);
        scan.record(recorder, counts, ends, counts.len(), Kind::Exclusive);
        recorder.dispatch(&PathPlace { depths, rows, ends, order, positions }, *params, invocations);
        if self.rounds.are_taken() {
            for (pass, (parts, links)) in Pass::ALL.iter().zip(self.graphs.iter().zip(&self.links)) {
                let graph = &parts[0].graph;
                let find = PathLinks { pass: *pass, graph, depths, order, positions, ends, links };
                recorder.dispatch(&find, *params, params.nodes as usize);
            }
        }
    }

    fn forward(&self) -> Result<DeviceLoop> {
        let scan = Scan::new(&self.device, self.counts.len())?;
        self.record("betweenness, paths", Pass::Forward, |recorder| {
            self.sort(recorder, &scan);
            recorder.dispatch(&PathBegin { paths: &self.paths, state: &self.state }, self.params, 1);
        })
    }

    fn backward(&self) -> Result<DeviceLoop> {
        self.record("betweenness, dependencies", Pass::Backward, |recorder| {
            recorder.dispatch(&PathTurn { ends: &self.paths.ends, state: &self.state }, self.params, 1);
        })
    }

    /// Records a pass: a level a dispatch for each partition, or many levels.
    fn record(&self, name: &str, pass: Pass, start: impl Fn(&mut Recorder)) -> Result<DeviceLoop> {
        let Self { device, params, rounds, paths, state, .. } = self;
        let (parts, links) = (&self.graphs[pass as usize], &self.links[pass as usize]);
        let many = |recorder: &mut Recorder| {
            let graph = &parts[0].graph;
            let persistent = PathPersistent { pass, graph, paths, links, state };
            recorder.dispatch_indirect(&persistent, *params, state, PathState::PERSISTENT_GROUPS);
            let cooperating = PathCooperating { pass, graph, paths, links, state };
            recorder.dispatch_indirect(&cooperating, *params, state, PathState::COOPERATING_GROUPS);
        };
        rounds.record((device, name, state), start, many, |recorder| {
            for DevicePartition { graph, rows } in parts {
                let params = PathParams { rows: *rows, ..*params };
                recorder.dispatch_indirect(&PathLevel { pass, graph, paths, state }, params, state, PathState::GROUPS);
            }
        })
    }
}

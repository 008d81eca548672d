//! Communities by label propagation (Raghavan, Albert and Kumara 2007), by the rule of LDBC Graphalytics' CDLP: every node begins with its own
//! label; in each iteration all nodes take the label that most of their neighbours have, of several the smallest. The kernels are
//! `communities.rs` of the kernels.

mod cpu;
mod layout;

use super::prelude::*;
use crate::{
    engine::{DevicePartition, partition},
    graph::transform::both_ways,
};
use evenkeel_kernels::algorithm::communities::{
    BlockMemory, CommunityCount, CommunityParams, CommunityStart, CommunityState, EMPTY, Labels, LongTables,
    Tasks as TaskBuffers,
    long_rows::{CommunityFinish, CommunityScan},
};
use evenkeel_types::{LoopState, RowRange};
use layout::{Share, TableBatch, TableLayout};
use rayon::prelude::*;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommunitiesConfig {
    /// Selects the nodes that are looked at.
    pub strategy: Configured<Communities>,
    /// The most iterations; there are fewer where labels stop changing
    pub iterations: u32,
}

impl Settings for CommunitiesConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let mut keys = self.strategy.keys();
        let about = "The most iterations; there are fewer where labels stop changing";
        keys.push(Key::option("iterations", about, &mut self.iterations).within(1, u32::MAX).placeholder("N"));
        keys
    }
}

/// The iterations unless others are asked for: those of most of LDBC Graphalytics' graphs.
const ITERATIONS: u32 = 10;

impl Default for CommunitiesConfig {
    fn default() -> Self {
        Self { strategy: Configured::default(), iterations: ITERATIONS }
    }
}

/// Selects the nodes that an iteration looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// All.
    All,
    /// Those with a neighbour whose label has changed.
    Changed,
    /// All at first, and then those, by kernels.
    Mixed,
    /// All at first, and then those, by the threads of the CPU device.
    MixedCpu,
    /// The last two, whichever suits the device.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "Which nodes an iteration looks at: a name from `evenkeel strategies communities`";
    const HEADING: &'static str = "label propagation";
    const TABLE: &'static [Line<Self>] = &[
        Line::new("all", "LDBC Graphalytics", "every iteration looks at all nodes", Self::All),
        Line::new(
            "changed",
            "",
            "an iteration looks at the nodes next to one whose label has just changed",
            Self::Changed,
        ),
        Line::new(
            "mixed",
            "",
            "all nodes while many labels change, then those next to one that has changed",
            Self::Mixed,
        ),
        Line::on_cpu("mixed-cpu", "", "mixed in a form for few threads with large caches", Self::MixedCpu),
        Line::auto("mixed-cpu on the CPU device, else mixed", Self::Auto),
    ];
}

impl Method {
    /// An iteration marks the neighbours of what it changes if the nodes that the one before changed have fewer edges than this. To look at an
    /// edge and to mark its end take about as long, and a mark has a node look at all its edges.
    fn mark_below(self, csr: &Csr) -> u32 {
        match self {
            Self::All => 0,
            Self::Changed => u32::MAX,
            Self::Mixed | Self::MixedCpu | Self::Auto => u32::try_from(csr.edges() / 8).unwrap_or(u32::MAX),
        }
    }

    fn choose(self, device: DeviceKind) -> Self {
        match self {
            Self::Auto if device == DeviceKind::Cpu => Self::MixedCpu,
            Self::Auto => Self::Mixed,
            method => method,
        }
    }
}

/// A graph whose communities can be found.
pub struct Communities {
    session: Session,
    /// The labels before an iteration and after it, which iterations use alternately.
    labels: [Buffer<u32>; 2],
    propagation: DeviceLoop,
    /// The iterations that the start makes.
    at_start: u32,
    /// The iterations of the last run.
    iterations: u32,
}

/// The label of each node's community, which is one of the graph's nodes, though not always one of the community.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommunityLabels(pub Vec<u32>);

impl Answer for CommunityLabels {
    fn columns(&self) -> Vec<Column<'_>> {
        let names = ClassNames { one: "community", several: "communities", largest: "largest_community" };
        vec![Column::new("community", Values::Nodes((&self.0).into())).meaning(Meaning::Class(names))]
    }
}

impl Algorithm for Communities {
    const ABOUT: Description = Description {
        name: "communities",
        summary: "communities by label propagation: a label for every node that most of its neighbours have",
        help: "\
The rule is that of LDBC Graphalytics (CDLP): every node begins with its own id as its label; in each iteration all nodes at the same time \
take the label that most of their neighbours have, and of several the smallest. In a directed graph both ends of an edge are \
neighbours of each other, and an edge in both directions counts twice; parallel edges count each, edges from a node to itself count for it, in \
a directed graph twice, and weights do not matter. Labels that are numbers are compared as such, and names as text. The output is a line `id community` for each node, \
where a community is called by its label. The answer is the same on every run and device.

Examples:
  evenkeel communities rmat:scale=20 --validate
  evenkeel communities friends.csv --iterations 20 --top 5 --output communities.csv
  evenkeel compare communities grid:rows=512,cols=512 rmat:scale=16",
        counted: true,
        ..Description::DEFAULT
    };

    type Config = CommunitiesConfig;
    type Input = ();
    type Answer = CommunityLabels;
    type Reference = Vec<u32>;

    fn build(graph: &SharedGraph, config: &CommunitiesConfig) -> Result<Self> {
        let (device, strategy) = (graph.device(), config.strategy.item());
        let method = strategy.on(device.info())?.choose(device.info().kind);
        let session = Session::new(graph)?.with_method(strategy.taken(&method));
        let inputs = graph.once("neighbours both ways", || LabelInputs::new(graph.csr(), config))?;
        let nodes = inputs.csr.nodes() as usize;
        let pair = |name: &str| -> Result<_> { Ok([device.buffer(name, nodes)?, device.buffer(name, nodes)?]) };
        let (labels, marks) = (pair("labels")?, pair("marks")?);
        if method == Method::MixedCpu {
            let propagation = cpu::record(device, &inputs, &labels, &marks)?;
            return Ok(Self { session, labels, propagation, at_start: 0, iterations: 0 });
        }
        let graph = graph.derived("rows both ways", || Ok(inputs.csr.clone()))?;
        let steps = Steps::new(&graph, &inputs, &labels, &marks)?;
        let at_start = u32::from(inputs.distinct);
        let propagation = steps.record(device, &format!("communities {}", config.strategy), inputs.limit - at_start)?;
        Ok(Self { session, labels, propagation, at_start, iterations: 0 })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        let run = self.session.run(|_| self.propagation.run())?;
        self.iterations = run.report.iteration;
        Ok(run.into())
    }

    fn answer(&self) -> Result<CommunityLabels> {
        let last = (self.iterations - self.at_start) as usize % 2;
        self.session.answered()?.device().download(&self.labels[last]).map(CommunityLabels)
    }

    fn reference(graph: &Graph, (): &(), config: &CommunitiesConfig) -> Result<Vec<u32>> {
        Ok(oracle::communities::labels(&graph.csr, config.iterations))
    }

    fn check(found: &CommunityLabels, expected: &Vec<u32>, _: &Graph, (): &()) -> Option<Mismatch> {
        oracle::first_mismatch(expected, &found.0)
    }
}

impl FrontEnd for Communities {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut CommunitiesConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn input((): &(), _: &Graph, _: &CommunitiesConfig) -> Result<()> {
        Ok(())
    }

    fn operations(csr: &Csr, config: &CommunitiesConfig) -> u64 {
        4 * u64::from(config.iterations) * (u64::from(csr.nodes()) + csr.edges())
    }
}

/// Refuses so many edges if kernels cannot count them.
fn refuse_too_many(edges: u64) -> Result<()> {
    if edges <= u64::from(u32::MAX) {
        return Ok(());
    }
    Err(Error::Graph(format!("{edges} edges, each taken both ways, are more than 32-bit indices can count")))
}

/// What is computed.
#[derive(Clone)]
struct LabelInputs {
    /// Each node with all of its neighbours.
    csr: Csr,
    /// The most iterations.
    limit: u32,
    /// Whether no row has a neighbour twice, and there is an iteration at all: the first one then takes each row's first neighbour.
    distinct: bool,
    /// See [`Method::mark_below`].
    mark_below: u32,
}

impl LabelInputs {
    fn new(csr: &Csr, config: &CommunitiesConfig) -> Result<Self> {
        let plain = csr.without_weights();
        let csr = match csr.is_symmetric() {
            true => plain,
            false => {
                refuse_too_many(2 * csr.edges())?;
                both_ways(&plain)?
            }
        };
        let ascends = |node: u32| csr.neighbours(node).windows(2).all(|pair| pair[0] < pair[1]);
        let distinct = config.iterations > 0 && (0..csr.nodes()).into_par_iter().all(ascends);
        let mark_below = config.strategy.item().method().mark_below(&csr);
        Ok(Self { csr, limit: config.iterations, distinct, mark_below })
    }
}

/// What an iteration reads and writes.
struct Steps {
    params: CommunityParams,
    table_batches: Vec<TableBatch>,
    /// The partitions, with what each has.
    parts: Vec<(DevicePartition, Share)>,
    tasks: TaskBuffers<Buffers>,
    /// In even and in odd iterations.
    labels: [Labels<Buffers>; 2],
    tables: LongTables<Buffers>,
    state: Buffer<CommunityState>,
}

/// As many workgroups as a large GPU runs at a time, twice: each takes several blocks in turn.
const GROUPS: u32 = 2112;

/// The most iterations in one recording. An iteration takes up to three dispatches for each partition; those after the end are empty.
const BATCH: u32 = 32;

impl Steps {
    fn new(
        graph: &SharedGraph,
        inputs: &LabelInputs,
        labels: &[Buffer<u32>; 2],
        marks: &[Buffer<u32>; 2],
    ) -> Result<Self> {
        let (device, partitions) = (graph.device(), partition(graph.device().info(), &inputs.csr));
        let layout = graph.once("blocks", || Ok(TableLayout::new(inputs.csr.row_offsets()?, partitions.list())))?;
        let TableLayout { blocks, pieces, parts, long_rows, table_batches, shares, slots } = &*layout;
        let tasks = blocks.len() + table_batches.first().map_or(0, |batch| batch.pieces.len());
        let info = device.info();
        // Where loops end after some rounds, no workgroup takes many blocks.
        let most = if info.loop_limit.is_some() { info.max_groups } else { info.max_groups.min(GROUPS) };
        let tables = LongTables {
            keys: device.buffer("table keys", *slots)?,
            counts: device.buffer("table counts", *slots)?,
            best: device.buffer("best labels", 2 * parts.len())?,
        };
        // An iteration leaves the tables as it found them.
        let clear = |recorder: &mut Recorder| {
            recorder.fill(&tables.keys, EMPTY);
            recorder.fill(&tables.counts, 0);
        };
        device.record("communities, empty tables", clear)?.run()?;
        let in_turn = |now: usize| Labels {
            current: labels[now].clone(),
            next: labels[1 - now].clone(),
            marks: marks[now].clone(),
            next_marks: marks[1 - now].clone(),
        };
        Ok(Self {
            params: CommunityParams {
                nodes: inputs.csr.nodes(),
                limit: inputs.limit,
                distinct: inputs.distinct.into(),
                mark_below: inputs.mark_below,
                groups: (tasks as u32).clamp(1, most),
                first_block: 0,
                blocks: 0,
                first_piece: 0,
                pieces: 0,
                first_part: 0,
                parts: 0,
                last: 0,
                rows: RowRange::default(),
            },
            table_batches: table_batches.clone(),
            parts: graph.partitions()?.iter().cloned().zip(shares.iter().cloned()).collect(),
            tasks: TaskBuffers {
                blocks: device.buffer_from("blocks", blocks.as_flattened())?,
                pieces: device.buffer_from("pieces", pieces.as_flattened())?,
                parts: device.buffer_from("parts", parts)?,
                long_rows: device.buffer_from("long rows", long_rows.as_flattened())?,
            },
            labels: [in_turn(0), in_turn(1)],
            tables,
            state: device.buffer("loop state", 1)?,
        })
    }

    /// Records the loop for so many iterations after the start.
    fn record(&self, device: &Device, name: &str, iterations: u32) -> Result<DeviceLoop> {
        // The first batch has the start, and only another one can be repeated.
        let batches = if iterations <= BATCH { vec![iterations as usize] } else { vec![BATCH as usize; 2] };
        let start = |recorder: &mut Recorder| self.start(recorder);
        let iteration = |recorder: &mut Recorder, odd| self.iteration(recorder, odd);
        DeviceLoop::record_in_batches(device, name, &self.state, &batches, start, iteration)
    }

    fn start(&self, recorder: &mut Recorder) {
        let Self { state, labels: [first, _], .. } = self;
        recorder.fill(&first.marks, 0);
        recorder.fill(&first.next_marks, 0);
        recorder.fill(&state.cast(), 0);
        for (DevicePartition { graph, rows }, _) in &self.parts {
            let start = CommunityStart { graph, labels: &first.current, state };
            let params = CommunityParams { last: rows.is_last, rows: *rows, ..self.params };
            recorder.dispatch(&start, params, rows.count as usize);
        }
    }

    fn iteration(&self, recorder: &mut Recorder, odd: bool) {
        let Self { tasks, tables, state, table_batches, .. } = self;
        let labels = &self.labels[usize::from(odd)];
        // All blocks are counted in the first batch, if there is one.
        let none = [TableBatch::default()];
        let all = if table_batches.is_empty() { &none[..] } else { table_batches };
        for (place, batch) in all.iter().enumerate() {
            let (is_first, is_last) = (place == 0, place + 1 == table_batches.len());
            for (DevicePartition { graph, rows }, share) in &self.parts {
                let last = if table_batches.is_empty() { rows.is_last } else { 0 };
                let mut params = CommunityParams { last, ..self.params_of(share, batch, *rows) };
                if is_first {
                    (params.first_block, params.blocks) = (share.blocks.start, share.blocks.len() as u32);
                }
                if is_first || params.pieces > 0 {
                    let count = CommunityCount { graph, tasks, labels, tables, state, memory: &BlockMemory::NONE };
                    recorder.dispatch_indirect(&count, params, state, CommunityState::GROUPS);
                }
            }
            if batch.parts.is_empty() {
                continue;
            }
            let params =
                CommunityParams { first_part: batch.parts.start, parts: batch.parts.len() as u32, ..self.params };
            recorder.dispatch_indirect(
                &CommunityScan { tasks, labels, tables, state },
                params,
                state,
                CommunityState::GROUPS,
            );
            let with_pieces = self.parts.iter().filter(|(_, share)| !share.pieces_in(batch).is_empty());
            for (DevicePartition { graph, rows }, share) in with_pieces {
                let ends = is_last && share.pieces.end >= batch.pieces.end;
                let params = CommunityParams { last: ends.into(), ..self.params_of(share, batch, *rows) };
                let finish = CommunityFinish { graph, tasks, labels, tables, state };
                recorder.dispatch_indirect(&finish, params, state, CommunityState::GROUPS);
            }
        }
    }

    /// For the pieces of a partition in a batch.
    fn params_of(&self, share: &Share, batch: &TableBatch, rows: RowRange) -> CommunityParams {
        let pieces = share.pieces_in(batch);
        CommunityParams { first_piece: pieces.start, pieces: pieces.len() as u32, rows, ..self.params }
    }
}

//! PageRank by kernels, under any schedule, in single or double precision. A fixed number of iterations is recorded whole, and the host looks at
//! none of them. A walk that ends when ranks change little, or that has seeds, is a loop that the device drives.

use super::{
    super::{Precision, prelude::*, reals::Number},
    PageRankConfig, Ranking,
    chunk_ranges::{self, ChunkRange},
    pull::Pull,
};
use crate::engine::{Layout, Order, Place, StreamedLoop, Streaming, TilePartition, TileSet, TileSpaces};
use bytemuck::Pod;
use evenkeel_kernels::{
    algorithm::{
        pagerank::{
            CHANGE_BLOCK, Constants, RankBegin, RankBeginParams, RankEnd, RankEndParams, RankGather, RankJoin,
            RankParams, RankStart, RankState, RankStep, RankUpdate, Ranks as RankData,
            blocks::{BlockParams, RankBlocks},
        },
        spmv::ProductParams,
    },
    launch::Launch,
    memory::UVec4,
    primitive::LengthParams,
};
use evenkeel_types::{LoopState, WORKGROUP};

/// The most iterations in one recording. Each takes up to five dispatches, and a submission costs less than one.
const BATCH: u32 = 64;

/// The iterations in the batches of a loop that may end early: few at first, because those after the end cost a little too.
const BATCHES: [usize; 3] = [8, 16, 32];

fn change_blocks(nodes: usize) -> usize {
    nodes.div_ceil(CHANGE_BLOCK as usize)
}

/// Makes everything ready to run.
pub(super) fn prepare(
    device: &Device,
    pull: &Pull,
    layout: &Layout,
    choice: Choice,
    config: &PageRankConfig,
) -> Result<Box<dyn Ranking>> {
    Ok(match config.precision {
        Precision::Single => Box::new(Steps::<f32>::new(device, pull, layout, choice, config)?),
        Precision::Double => Box::new(Steps::<f64>::new(device, pull, layout, choice, config)?),
    })
}

/// What an iteration reads and writes, and what is recorded.
struct Steps<T: Pod> {
    device: Device,
    choice: Choice,
    config: PageRankConfig,
    /// The matrix in partitions, each of which has the sums of its own rows.
    matrix: TileSpaces<T>,
    /// Whether some of the partitions are in memory of the host.
    is_streamed: bool,
    cuts: Buffer<u32>,
    /// The chunks in as many buffers as they need, and which they are.
    chunks: Vec<(Buffer<UVec4>, BlockParams)>,
    chunk_parts: Buffer<u32>,
    nodes: RankData<T, Buffers>,
    teleports: Buffer<T>,
    sums: Buffer<T>,
    changes: Buffer<T>,
    state: Buffer<RankState>,
    /// The nodes without any edge, of which the first stands for all.
    alone: Vec<u32>,
    /// The part of each node in what does not follow an edge; none where all are alike.
    parts: Option<Vec<f64>>,
    /// As many iterations as are asked for: the first batch, and another with how often it is run.
    fixed: Option<(Recording, Option<(Recording, u32)>)>,
    /// A loop without seeds, and one with them.
    loops: [Option<DeviceLoop>; 2],
}

impl<T: Number> Steps<T>
where
    for<'b> RankStart<'b, T>: Launch<Params = RankParams>,
    for<'b> RankGather<'b, T>: Launch<Params = ProductParams>,
    for<'b> RankJoin<'b, T>: Launch<Params = LengthParams>,
    for<'b> RankUpdate<'b, T>: Launch<Params = RankParams>,
    for<'b> RankStep<'b, T>: Launch<Params = RankParams>,
    for<'b> RankEnd<'b, T>: Launch<Params = RankEndParams>,
{
    fn new(device: &Device, pull: &Pull, layout: &Layout, choice: Choice, config: &PageRankConfig) -> Result<Self> {
        let nodes = pull.factors.len();
        let (chunk_parts, ranges) = chunk_ranges::cut(&pull.blocks.parts, device.info().partition_limit());
        let chunks = |ChunkRange { parts, chunks }: &ChunkRange| {
            let own = &pull.blocks.chunks[chunks.start as usize..chunks.end as usize];
            let (first_part, chunks_before) = (parts.start, chunks.start);
            let params = BlockParams { nodes: nodes as u32, first_part, parts: parts.len() as u32, chunks_before };
            Ok((device.buffer_from("chunks", own.as_flattened())?.cast(), params))
        };
        let factors = || pull.factors.iter().map(|factor| T::of(*factor)).collect();
        let mut steps = Self {
            choice,
            config: config.clone(),
            matrix: TileSpaces::new(device, choice, TileSet::upload(device, &pull.matrix, layout)?)?,
            is_streamed: layout.is_streamed(),
            cuts: device.buffer_from("cuts", pull.cuts.as_flattened())?,
            chunks: ranges.iter().map(chunks).collect::<Result<_>>()?,
            chunk_parts: device.buffer_from("parts", chunk_parts.as_flattened())?,
            nodes: RankData {
                constants: device.buffer("constants", Constants::COUNT)?,
                factors: device.buffer_of("factors", nodes, factors)?,
                shares: device.buffer("shares", nodes + pull.blocks.chunks.len())?,
                ranks: device.buffer("ranks", nodes)?,
            },
            teleports: device.buffer("teleports", nodes)?,
            sums: device.buffer("sums", pull.matrix.nodes() as usize)?,
            changes: device.buffer("changes", change_blocks(nodes))?,
            state: device.buffer("loop state", 1)?,
            device: device.clone(),
            alone: pull.alone.clone(),
            parts: None,
            fixed: None,
            loops: [None, None],
        };
        steps.load(None)?;
        steps.record()?;
        Ok(steps)
    }

    fn is_seeded(&self) -> bool {
        self.parts.is_some()
    }

    fn is_fixed(&self) -> bool {
        !self.is_seeded() && self.config.tolerance.is_none() && !self.is_streamed
    }

    /// Records what a run needs, unless it is there.
    fn record(&mut self) -> Result<()> {
        if self.is_fixed() {
            if self.fixed.is_none() {
                self.fixed = Some(self.record_fixed()?);
            }
        } else if self.loops[usize::from(self.is_seeded())].is_none() {
            let place = usize::from(self.is_seeded());
            self.loops[place] = Some(self.record_loop()?);
        }
        Ok(())
    }

    /// The part of all nodes without edges together.
    fn part_alone(&self, parts: &[f64]) -> f64 {
        self.alone.iter().map(|node| parts[*node as usize]).sum()
    }

    fn name(&self) -> String {
        format!("pagerank {}", self.choice)
    }

    fn record_fixed(&self) -> Result<(Recording, Option<(Recording, u32)>)> {
        let batch = |start: bool, length: u32| {
            self.device.record(&format!("{}, {length} iterations", self.name()), |recorder| {
                if start {
                    recorder.label("start");
                    self.start(recorder);
                }
                (1..=length).for_each(|number| self.iteration(recorder, number == length));
            })
        };
        let (batches, rest) = (self.config.iterations / BATCH, self.config.iterations % BATCH);
        let more = if batches > 0 { Some((batch(false, BATCH)?, batches)) } else { None };
        Ok((batch(true, rest)?, more))
    }

    fn record_loop(&self) -> Result<DeviceLoop> {
        let limit = self.config.iterations as usize;
        let batches = if limit <= BATCHES[0] { &[limit][..] } else { &BATCHES };
        let start = |recorder: &mut Recorder| {
            self.start(recorder);
            let [gather, finish] = self.matrix.count_gather(recorder, |part, space| self.gather(part, space));
            let shares = self.nodes.shares.cast();
            let blocks = self.chunks.iter().map(|(chunks, params)| {
                recorder.count_groups(&self.blocks(chunks, &shares), params.parts as usize * WORKGROUP as usize)
            });
            let params = RankBeginParams {
                blocks: blocks.max().unwrap_or(0),
                gather,
                finish,
                join: recorder.count_groups(&self.join(), self.cuts.len() / 3),
                step: recorder.count_groups(&self.step(), self.changes.len() * WORKGROUP as usize),
                limit: self.config.iterations,
            };
            recorder.dispatch(&RankBegin { state: &self.state }, params, 1);
        };
        let (device, name, state) = (&self.device, &self.name(), &self.state);
        let gather = |recorder: &mut Recorder, place| self.checked_gather(recorder, place);
        let end = |recorder: &mut Recorder| self.checked_end(recorder);
        if self.is_streamed {
            // Parts of a row that is cut are joined in their order.
            let (arrays, order) = (&[self.matrix.columns()][..], Order::Ascending);
            let streaming = Streaming { start: &start, part: &gather, end: &end, needs: None, arrays, order };
            return Ok(StreamedLoop::record(device, name, state, std::iter::empty(), &streaming)?.into());
        }
        DeviceLoop::record_in_batches(device, name, state, batches, start, |recorder, _| {
            let shares = self.nodes.shares.cast();
            for (chunks, params) in &self.chunks {
                recorder.dispatch_indirect(&self.blocks(chunks, &shares), *params, state, RankState::BLOCKS);
            }
            self.matrix.places().for_each(|place| gather(recorder, place));
            end(recorder);
        })
    }

    /// The kernel that adds up chunks of `shares`, which are those of single precision.
    fn blocks<'b>(&'b self, chunks: &'b Buffer<UVec4>, shares: &'b Buffer<f32>) -> RankBlocks<'b> {
        RankBlocks { parts: &self.chunk_parts, chunks, shares }
    }

    fn gather<'b>(&'b self, part: &'b TilePartition, space: &'b ScratchSpace<T>) -> RankGather<'b, T> {
        let (schedule, shares) = (self.choice.schedule, &self.nodes.shares);
        RankGather { schedule, graph: &part.graph, shares, sums: &self.sums, scratch: &space.buffers }
    }

    fn join(&self) -> RankJoin<'_, T> {
        RankJoin { cuts: &self.cuts, sums: &self.sums }
    }

    fn join_params(&self) -> LengthParams {
        LengthParams { length: self.cuts.len() as u32 / 3 }
    }

    fn step(&self) -> RankStep<'_, T> {
        let Self { sums, teleports, nodes, changes, .. } = self;
        RankStep { sums, teleports, nodes, changes }
    }

    fn rank_params(&self, last: bool) -> RankParams {
        RankParams { nodes: self.nodes.ranks.len() as u32, last: last.into(), seeded: self.is_seeded().into() }
    }

    fn start(&self, recorder: &mut Recorder) {
        let start = RankStart { teleports: &self.teleports, nodes: &self.nodes };
        recorder.dispatch(&start, self.rank_params(false), self.nodes.ranks.len());
    }

    fn iteration(&self, recorder: &mut Recorder, last: bool) {
        recorder.label("iteration");
        let shares = self.nodes.shares.cast();
        for (chunks, params) in &self.chunks {
            // A workgroup for each part.
            let invocations = params.parts as usize * WORKGROUP as usize;
            recorder.dispatch(&self.blocks(chunks, &shares), *params, invocations);
        }
        for (part, space) in self.matrix.places().map(|place| self.matrix.at(place)) {
            let params = |schedule| ProductParams { tiles: part.range, schedule };
            space.record_gather(recorder, &self.gather(&part, space), params);
        }
        if !self.cuts.is_empty() {
            recorder.dispatch(&self.join(), self.join_params(), self.cuts.len() / 3);
        }
        let update = RankUpdate { sums: &self.sums, nodes: &self.nodes };
        recorder.dispatch(&update, self.rank_params(last), self.nodes.ranks.len());
    }

    /// What an iteration of a loop that may have ended does with a partition: each dispatch is as large as the state says.
    fn checked_gather(&self, recorder: &mut Recorder, place: Place) {
        let (part, space) = self.matrix.at(place);
        let params = |schedule| ProductParams { tiles: part.range, schedule };
        let sizes = [RankState::GATHER, RankState::FINISH];
        space.record_gather_indirect(recorder, &self.gather(&part, space), params, &self.state, sizes);
    }

    /// What such an iteration does after that.
    fn checked_end(&self, recorder: &mut Recorder) {
        let state = &self.state;
        if !self.cuts.is_empty() {
            recorder.dispatch_indirect(&self.join(), self.join_params(), state, RankState::JOIN);
        }
        recorder.dispatch_indirect(&self.step(), self.rank_params(true), state, RankState::STEP);
        let end = RankEndParams {
            blocks: self.changes.len() as u32,
            limit: self.config.iterations,
            // No change is less than 0.
            tolerance: self.config.tolerance.map_or(0.0, |tolerance| tolerance as f32),
        };
        recorder.dispatch_indirect(&RankEnd { changes: &self.changes, state }, end, state, RankState::GROUPS);
    }
}

impl<T: Number> Ranking for Steps<T>
where
    for<'b> RankStart<'b, T>: Launch<Params = RankParams>,
    for<'b> RankGather<'b, T>: Launch<Params = ProductParams>,
    for<'b> RankJoin<'b, T>: Launch<Params = LengthParams>,
    for<'b> RankUpdate<'b, T>: Launch<Params = RankParams>,
    for<'b> RankStep<'b, T>: Launch<Params = RankParams>,
    for<'b> RankEnd<'b, T>: Launch<Params = RankEndParams>,
{
    fn load(&mut self, parts: Option<&[f64]>) -> Result<()> {
        let (all, damping) = (self.nodes.ranks.len() as f64, self.config.damping);
        // Without seeds every node has the same part.
        let part = if parts.is_some() { 1.0 } else { 1.0 / all };
        let mut constants = [T::of(0.0); Constants::COUNT];
        constants[Constants::START as usize] = T::of(1.0 / all);
        constants[Constants::TELEPORT as usize] = T::of((1.0 - damping) * part);
        constants[Constants::DAMPING as usize] = T::of(damping);
        constants[Constants::SPREAD as usize] = T::of(damping * part);
        self.device.upload(&self.nodes.constants, 0, &constants)?;
        if let Some(parts) = parts {
            let mut teleports: Vec<T> = parts.iter().map(|part| T::of(*part)).collect();
            // One node without edges has the rank of all of them.
            self.alone.iter().for_each(|node| teleports[*node as usize] = T::of(0.0));
            if let Some(first) = self.alone.first() {
                teleports[*first as usize] = T::of(self.part_alone(parts));
            }
            self.device.upload(&self.teleports, 0, &teleports)?;
        }
        if let Some(first) = self.alone.first() {
            let factor = if parts.is_some() { 1.0 } else { self.alone.len() as f64 };
            self.device.upload(&self.nodes.factors, *first as usize, &[T::of(factor)])?;
        }
        self.parts = parts.map(<[f64]>::to_vec);
        Ok(())
    }

    fn run(&mut self) -> Result<Run> {
        self.record()?;
        let (iterations, is_fixed) = (self.config.iterations, self.is_fixed());
        if let (Some((first, more)), true) = (&mut self.fixed, is_fixed) {
            return Run::timed(iterations, || {
                let mut kernel = first.run()?;
                if let Some((batch, times)) = more {
                    for _ in 0..*times {
                        kernel += batch.run()?;
                    }
                }
                Ok(kernel)
            });
        }
        let place = usize::from(self.is_seeded());
        match &mut self.loops[place] {
            Some(recorded) => Ok(recorded.run()?.into()),
            None => Err(Error::Device("a recording was not made".into())),
        }
    }

    fn change(&self) -> Result<f64> {
        Ok(self.device.download(&self.changes)?.into_iter().map(Into::into).sum())
    }

    fn ranks(&self) -> Result<Vec<f64>> {
        let mut ranks: Vec<f64> = self.device.download(&self.nodes.ranks)?.into_iter().map(Into::into).collect();
        if let (Some(parts), Some(first)) = (&self.parts, self.alone.first()) {
            let (rank, all) = (ranks[*first as usize], self.part_alone(parts));
            for node in self.alone.iter().map(|node| *node as usize) {
                ranks[node] = if parts[node] > 0.0 { rank * (parts[node] / all) } else { 0.0 };
            }
        }
        Ok(ranks)
    }
}

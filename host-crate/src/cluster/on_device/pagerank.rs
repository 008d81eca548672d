//! The ranks of a worker's nodes on its device. The matrix has a row and a column for each of them; behind these columns there is one for each
//! node of others that it asks for, and one for the rank of all nodes that no edge leaves, which a row of its own takes to where the kernels read
//! it. So what others give is copied to the end of the shares as it comes. What this worker gives is picked from their beginning, with the ranks of
//! its nodes that no edge leaves, which the host adds up.

use super::{
    super::{
        pagerank::{AskedFor, LocalRanks},
        share::Share,
    },
    own_offsets,
};
use crate::{
    Result,
    algorithm::{PageRankConfig, Precision, pagerank::pull::Pull, reals::Number},
    device::{Buffer, Device, Recording},
    engine::{self, TileSet, TileSpaces, loops::refuse_long_loops, schedule::Choice},
    graph::Csr,
};
use bytemuck::Pod;
use evenkeel_kernels::{
    algorithm::{
        pagerank::{CHANGE_BLOCK, Constants, RankGather, RankJoin, RankParams, RankStart, RankStep, Ranks as RankData},
        spmv::ProductParams,
    },
    launch::{Buffers, Launch},
    primitive::{LengthParams, pick::Pick},
};
use evenkeel_types::WORKGROUP;
use std::ops::Range;

/// Copies a share to a device, and makes it ready.
pub fn prepare<'a>(
    device: &Device,
    share: &Share,
    incoming: &Csr,
    asked_for: &AskedFor,
    config: &PageRankConfig,
) -> Result<Box<dyn LocalRanks + 'a>> {
    config.precision.check(device.info())?;
    let layout = RankLayout::new(share, incoming, asked_for)?;
    let choice = config.schedule.item().rows().choose(&layout.pull.matrix, device.info());
    Ok(match config.precision {
        Precision::Single => Box::new(RanksOnDevice::<f32>::new(device, layout, choice, config.damping)?),
        Precision::Double => Box::new(RanksOnDevice::<f64>::new(device, layout, choice, config.damping)?),
    })
}

/// Where everything is.
struct RankLayout {
    /// The matrix, and by what the rank of each of the worker's nodes is multiplied; 0 for other columns.
    pull: Pull,
    /// How many nodes the worker has.
    nodes: usize,
    /// Where what each worker gives is, counted from the end of the worker's own shares.
    from: Vec<Range<usize>>,
    /// The nodes whose shares are picked: those that no edge leaves, and behind them those that each worker has asked for.
    picked: Vec<u32>,
    /// How many there are of the former.
    dangling: usize,
    /// Where those of each worker are.
    to: Vec<Range<usize>>,
}

impl RankLayout {
    fn new(share: &Share, incoming: &Csr, asked_for: &AskedFor) -> Result<Self> {
        let (rows, csr) = (&share.rows, &share.graph.csr);
        let nodes = rows.len();
        let local = |node: u32| node - rows.start;
        let mut names = vec![0; share.nodes() as usize];
        rows.clone().for_each(|node| names[node as usize] = local(node));
        let (mut from, mut end) = (Vec::new(), 0);
        for asked in &asked_for.by_this {
            let begin = end;
            for node in asked.iter().filter(|node| !rows.contains(node)) {
                names[*node as usize] = (nodes + end) as u32;
                end += 1;
            }
            from.push(begin..end);
        }
        let stuck = (nodes + end) as u32;
        let mut factors: Vec<f64> = rows.clone().map(|node| 1.0 / f64::from(csr.degree(node).max(1))).collect();
        factors.resize(stuck as usize + 1, 0.0);
        let mut row_offsets = own_offsets(incoming, rows)?;
        let mut columns: Vec<u32> = incoming.columns().iter().map(|node| names[*node as usize]).collect();
        columns.push(stuck);
        row_offsets.push(columns.len() as u32);
        // SAFETY: offsets are those of a checked graph and the end of one more row, and names run from 0 to `stuck`.
        let matrix = unsafe { Csr::with_more_columns(row_offsets.into(), columns.into(), stuck + 1) };
        let mut picked: Vec<u32> = rows.clone().filter(|node| csr.degree(*node) == 0).map(local).collect();
        let (dangling, mut to) = (picked.len(), Vec::new());
        for asked in &asked_for.by_others {
            let begin = picked.len();
            picked.extend(asked.iter().map(|node| local(*node)));
            to.push(begin..picked.len());
        }
        Ok(Self { pull: Pull::of_rows(matrix, factors), nodes, from, picked, dangling, to })
    }
}

/// Ranks that are computed on a device.
struct RanksOnDevice<T: Pod> {
    device: Device,
    nodes: usize,
    from: Vec<Range<usize>>,
    dangling: usize,
    to: Vec<Range<usize>>,
    data: RankData<T, Buffers>,
    /// The parts of nodes in what does not follow an edge.
    teleports: Buffer<T>,
    changes: Buffer<T>,
    picked: Buffer<T>,
    /// What others have given, and behind it the rank of all nodes that no edge leaves.
    received: Vec<T>,
    /// What was picked.
    given: Vec<T>,
    start: Recording,
    iteration: Recording,
    picking: Recording,
}

impl<T: Number> RanksOnDevice<T>
where
    for<'b> RankStart<'b, T>: Launch<Params = RankParams>,
    for<'b> RankGather<'b, T>: Launch<Params = ProductParams>,
    for<'b> RankJoin<'b, T>: Launch<Params = LengthParams>,
    for<'b> RankStep<'b, T>: Launch<Params = RankParams>,
{
    fn new(device: &Device, layout: RankLayout, choice: Choice, damping: f64) -> Result<Self> {
        let layout = RankLayout { pull: layout.pull.cut_for(choice.schedule), ..layout };
        refuse_long_loops(device.info(), || choice.rounds(&layout.pull.matrix))?;
        device.prepare(|device| Self::build(device, &layout, choice, damping))
    }

    fn build(device: &Device, layout: &RankLayout, choice: Choice, damping: f64) -> Result<Self> {
        let &RankLayout { ref pull, nodes, ref from, picked: ref places, dangling, ref to } = layout;
        let (columns, words) = (pull.factors.len(), size_of::<T>() / size_of::<u32>());
        let (rows, blocks) = (pull.matrix.nodes() as usize, nodes.div_ceil(CHANGE_BLOCK as usize));
        let kept = engine::Layout::resident(device.info(), &pull.matrix);
        let mut constants = [T::of(damping); Constants::COUNT];
        constants[Constants::TELEPORT as usize] = T::of(1.0 - damping);
        let factors: Vec<T> = pull.factors[..nodes].iter().map(|factor| T::of(*factor)).collect();
        let data = RankData {
            constants: device.buffer_from("constants", &constants)?,
            factors: device.buffer_from("factors", &factors)?,
            shares: device.buffer("shares", columns)?,
            ranks: device.buffer("ranks", nodes)?,
        };
        let matrix = TileSpaces::<T>::new(device, choice, TileSet::upload(device, &pull.matrix, &kept)?)?;
        let cuts = &device.buffer_from("cuts", pull.cuts.as_flattened())?;
        let (teleports, sums) = (device.buffer("teleports", nodes)?, device.buffer("sums", rows)?);
        let changes = device.buffer("changes", blocks)?;
        let params = RankParams { nodes: nodes as u32, last: 1, seeded: 1 };
        let start = device.record("pagerank, start", |recorder| {
            recorder.dispatch(&RankStart { teleports: &teleports, nodes: &data }, params, nodes);
        })?;
        let iteration = device.record("pagerank, iteration", |recorder| {
            for (part, space) in matrix.places().map(|place| matrix.at(place)) {
                let (schedule, scratch) = (choice.schedule, &space.buffers);
                let gather = RankGather { schedule, graph: &part.graph, shares: &data.shares, sums: &sums, scratch };
                space.record_gather(recorder, &gather, |schedule| ProductParams { tiles: part.range, schedule });
            }
            if !pull.cuts.is_empty() {
                let params = LengthParams { length: pull.cuts.len() as u32 };
                recorder.dispatch(&RankJoin { cuts, sums: &sums }, params, pull.cuts.len());
            }
            let step = RankStep { sums: &sums, teleports: &teleports, nodes: &data, changes: &changes };
            recorder.dispatch(&step, params, blocks * WORKGROUP as usize);
        })?;
        // Kernels pick words.
        let word = |place: u32| (0..words as u32).map(move |word| place * words as u32 + word);
        let word_places: Vec<u32> = places.iter().copied().flat_map(word).collect();
        let picked = device.buffer::<T>("picked shares", places.len())?;
        let (values, output) = (&data.shares.cast(), &picked.cast());
        let places = &device.buffer_from("picked nodes", &word_places)?;
        let picking = device.record("pagerank, picking", |recorder| {
            let length = word_places.len();
            recorder.dispatch(&Pick { values, places, output }, LengthParams { length: length as u32 }, length);
        })?;
        let (received, given) = (vec![T::of(0.0); columns - nodes], vec![T::of(0.0); picked.len()]);
        let device = device.clone();
        Ok(Self {
            device,
            nodes,
            from: from.clone(),
            dangling,
            to: to.clone(),
            data,
            teleports,
            changes,
            picked,
            received,
            given,
            start,
            iteration,
            picking,
        })
    }
}

impl<T: Number> LocalRanks for RanksOnDevice<T> {
    fn begin(&mut self, parts: &[f64]) -> Result<()> {
        let parts: Vec<T> = parts.iter().map(|part| T::of(*part)).collect();
        self.device.upload(&self.teleports, 0, &parts)?;
        self.start.run().map(drop)
    }

    fn give(&mut self) -> Result<f64> {
        self.picking.run()?;
        self.device.download_into(&self.picked, &mut self.given)?;
        Ok(self.given[..self.dangling].iter().map(|&rank| rank.into()).sum())
    }

    fn given_to(&self, worker: usize, _: &[u32]) -> Vec<f64> {
        self.given[self.to[worker].clone()].iter().map(|&share| share.into()).collect()
    }

    fn take(&mut self, worker: usize, _: &[u32], values: &mut dyn Iterator<Item = f64>) {
        let own = &mut self.received[self.from[worker].clone()];
        own.iter_mut().zip(values).for_each(|(share, value)| *share = T::of(value));
    }

    fn gather(&mut self, stuck: f64) -> Result<f64> {
        if let Some(last) = self.received.last_mut() {
            *last = T::of(stuck);
        }
        self.device.upload(&self.data.shares, self.nodes, &self.received)?;
        self.iteration.run()?;
        Ok(self.device.download(&self.changes)?.into_iter().map(Into::into).sum())
    }

    fn ranks(&self) -> Result<Vec<f64>> {
        Ok(self.device.download(&self.data.ranks)?.into_iter().map(Into::into).collect())
    }
}

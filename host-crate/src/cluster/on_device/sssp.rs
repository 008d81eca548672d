//! A worker's part of a search for shortest paths on its device: the iterations of the strategy `near-far`, of which each has the worker's rows
//! alone. Here the workers together say up to which distance nodes are near, so the host writes that to the state and has the list of far nodes
//! split by it; then it runs iterations until no node is near.
//!
//! All nodes have a distance on the device. Which of those of others have become shorter is found by comparing them with what was told.

use super::{
    super::{
        share::Share,
        sssp::{Improved, LocalPaths, NOWHERE},
        watch::Watch,
    },
    Observed,
};
use crate::{
    Result,
    device::{Buffer, Device, Recording},
    engine::{Layout, Part, SharedGraph, loops::refuse_unending_rows},
    graph::Weights,
    strategy::MAX_GROUPS,
};
use evenkeel_kernels::{
    launch::Buffers,
    operator::Metric,
    strategy::near_far::{
        NearFar, NearFarData, NearFarParams, NearFarState, PIECE,
        exchange::{NearFarPart, NearFarReceive, NearFarSend, OUTGOING_COUNT, OUTGOING_NEAREST, OUTGOING_PATHS},
    },
};
use evenkeel_types::{LoopHeader, LoopReport, LoopState, UNREACHED, WORKGROUP};
use rayon::prelude::*;

/// A part of a search on a device.
pub struct PathsOnDevice<'a> {
    share: &'a Share,
    device: Device,
    watch: Watch,
    is_real: bool,
    buffers: PathBuffers,
    start: Recording,
    receive: Observed<NearFarState>,
    iteration: Observed<NearFarState>,
    send: Recording,
    /// The state as the device has it, or shall have it.
    state: NearFarState,
    /// Paths that were found by others and are not on the device yet: each is a node and its distance.
    pending: Vec<u32>,
    has_overflowed: bool,
}

struct PathBuffers {
    data: NearFarData<Buffers>,
    state: Buffer<NearFarState>,
    /// What others know of the distances of their nodes from this worker.
    told: Buffer<u32>,
    outgoing: Buffer<u32>,
    /// The number of paths, and each as in `pending`.
    received: Buffer<u32>,
}

/// The bits of an infinite distance.
const INFINITE: u32 = f32::INFINITY.to_bits();

impl<'a> PathsOnDevice<'a> {
    /// Copies a share to a device, and makes it ready.
    pub fn new(device: &Device, share: &'a Share, watch: &Watch) -> Result<Self> {
        device.prepare(|device| Self::build(device, share, watch))
    }

    fn build(device: &Device, share: &'a Share, watch: &Watch) -> Result<Self> {
        let (csr, rows) = (&share.graph.csr, share.rows.clone());
        refuse_unending_rows(device, csr)?;
        let is_real = matches!(csr.weights(), Weights::F32(_));
        let metric = if is_real { Metric::Real } else { Metric::Whole };
        let long = rows.clone().map(|node| csr.degree(node)).filter(|degree| *degree > PIECE);
        let pieces: usize = long.map(|degree| degree.div_ceil(PIECE) as usize).sum();
        let (nodes, layout) = (csr.nodes() as usize, Layout::resident(device.info(), csr));
        let (outgoing, received) = (OUTGOING_PATHS as usize + 2 * (nodes - rows.len()), 1 + 2 * rows.len());
        let parts = SharedGraph::new(device, csr).parts(true, &layout)?;
        let mean = csr.edges() as f64 / rows.len().max(1) as f64;
        let params = NearFarParams {
            nodes: csr.nodes(),
            max_groups: MAX_GROUPS,
            nodes_per_group: (f64::from(WORKGROUP) / mean.max(1.0)).ceil() as u32,
            // The host says how far is near, and nothing is left to many iterations in one dispatch.
            delta: 0,
            pieces: pieces as u32,
            medium: 0,
            cooperating: 0,
            rounds: 0,
            rounds_of_one: 0,
            loop_limit: 0,
            target: UNREACHED,
            rows: parts.list[0].rows,
        };
        let buffers = PathBuffers {
            data: NearFarData {
                weights: parts.list[0].weights.clone(),
                distances: device.buffer("distances", nodes)?,
                marks: device.buffer("marks", nodes)?,
                waiting: device.buffer("waiting", nodes.div_ceil(32))?,
                lists: device.buffer("lists", 4 * nodes)?,
                pieces: device.buffer("pieces of long rows", 4 * pieces)?,
            },
            state: device.buffer("state", 1)?,
            told: device.buffer("told", nodes)?,
            outgoing: device.buffer("outgoing", outgoing)?,
            received: device.buffer("received", received)?,
        };
        let PathBuffers { data, state, told, outgoing, received } = &buffers;
        let start = device.record("sssp, start", |recorder| {
            [&data.distances, told].into_iter().for_each(|distances| recorder.fill(distances, UNREACHED));
            [&data.marks, &data.waiting].into_iter().for_each(|marks| recorder.fill(marks, 0));
        })?;
        let receive = Observed::record(device, "sssp, receive", state, |recorder| {
            let receive = NearFarReceive { metric, graph: &parts.list[0].graph, received, data, state };
            recorder.dispatch(&receive, params, rows.len());
        })?;
        let iteration = Observed::record(device, "sssp, iteration", state, |recorder| {
            for Part { graph, rows, weights } in &parts.list {
                let data = &NearFarData { weights: weights.clone(), ..data.clone() };
                let params = NearFarParams { rows: *rows, ..params };
                recorder.dispatch_indirect(
                    &NearFar { metric, graph, data, state },
                    params,
                    state,
                    NearFarState::GROUPS,
                );
            }
        })?;
        let send = device.record("sssp, send", |recorder| {
            let limit = if is_real { INFINITE } else { UNREACHED };
            let part = NearFarPart { nodes: csr.nodes(), first: rows.start, count: rows.len() as u32, limit };
            recorder.dispatch(&NearFarSend { data, state, told, outgoing }, part, nodes);
        })?;
        let (device, watch) = (device.clone(), watch.clone());
        Ok(Self {
            share,
            device,
            watch,
            is_real,
            buffers,
            start,
            receive,
            iteration,
            send,
            state: NearFarState::default(),
            pending: Vec::new(),
            has_overflowed: false,
        })
    }

    /// Starts the search at `source`, whichever worker owns it.
    pub fn begin(&mut self, source: u32) -> Result<()> {
        self.start.run()?;
        self.state = NearFarState { splits: 1, ..NearFarState::default() };
        self.state.header.groups = [0, 1, 1];
        *counter(&mut self.state, NearFarState::SHORTEST) = UNREACHED;
        self.pending = if self.share.rows.contains(&source) { vec![source, 0] } else { Vec::new() };
        self.has_overflowed = false;
        Ok(())
    }

    /// Whether a sum did not fit into 32 bits.
    pub fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    /// Brings the paths that others have found to the device.
    fn receive(&mut self) -> Result<()> {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return Ok(());
        }
        self.device.upload(&self.buffers.state, 0, &[self.state])?;
        for paths in pending.chunks(self.buffers.received.len() - 1) {
            let received = [&[paths.len() as u32 / 2], paths].concat();
            self.device.upload(&self.buffers.received, 0, &received)?;
            self.state = self.receive.run()?;
        }
        self.state.far += std::mem::take(counter(&mut self.state, NearFarState::FAR_ADDED));
        Ok(())
    }

    /// Runs an iteration on the state that the device has.
    fn iterate(&mut self) -> Result<()> {
        self.state = self.iteration.run()?;
        self.has_overflowed |= self.state.header.report.flags != 0;
        Ok(())
    }

    /// The longest distance that is less than `end`, as the device has it.
    fn threshold(&self, end: f64) -> u32 {
        if !self.is_real {
            return (end.ceil() - 1.0).clamp(0.0, f64::from(UNREACHED - 1)) as u32;
        }
        let nearest = (end as f32).min(f32::MAX);
        let longest = if f64::from(nearest) < end { nearest } else { nearest.next_down() };
        longest.max(0.0).to_bits()
    }
}

/// A counter of the state that the whole dispatch uses.
fn counter(state: &mut NearFarState, counter: u32) -> &mut u32 {
    &mut state.counts[3 * counter as usize]
}

impl LocalPaths for PathsOnDevice<'_> {
    fn take(&mut self, paths: &[(u32, u64)]) -> Result<()> {
        for (node, distance) in paths {
            match u32::try_from(*distance) {
                Ok(distance) if distance != UNREACHED => self.pending.extend([*node, distance]),
                _ => self.has_overflowed = true,
            }
        }
        Ok(())
    }

    fn relax_up_to(&mut self, end: f64) -> Result<()> {
        if self.pending.is_empty() && self.state.far == 0 {
            return Ok(());
        }
        self.receive()?;
        // The list of far nodes is split by this, unless nodes up to a longer distance are near already.
        let (lowest, far) = (self.threshold(end), self.state.far);
        let groups = [far.div_ceil(WORKGROUP).clamp(1, MAX_GROUPS), 1, 1];
        let report = LoopReport { frontier: far, ..self.state.header.report };
        let header = LoopHeader { report, groups, ..self.state.header };
        self.state = NearFarState { header, splits: 1, lowest, ..self.state };
        self.device.upload(&self.buffers.state, 0, &[self.state])?;
        self.iterate()?;
        while self.state.splits == 0 {
            self.watch.tick();
            self.iterate()?;
        }
        Ok(())
    }

    fn improved(&mut self) -> Result<Improved> {
        let mut outgoing = [0; OUTGOING_PATHS as usize];
        outgoing[OUTGOING_NEAREST as usize] = UNREACHED;
        self.device.upload(&self.buffers.outgoing, 0, &outgoing)?;
        self.send.run()?;
        self.device.download_into(&self.buffers.outgoing, &mut outgoing)?;
        let mut paths = vec![[0; 2]; outgoing[OUTGOING_COUNT as usize] as usize];
        self.device.download_from(&self.buffers.outgoing, outgoing.len(), paths.as_flattened_mut())?;
        paths.par_sort_unstable();
        let nearest = outgoing[OUTGOING_NEAREST as usize];
        Ok(Improved {
            nearest: if nearest == UNREACHED { NOWHERE } else { nearest.into() },
            nodes: paths.iter().map(|[node, _]| *node).collect(),
            distances: paths.iter().map(|[_, distance]| (*distance).into()).collect(),
        })
    }

    fn distances(&self) -> Result<Vec<u64>> {
        let mut distances = vec![0; self.share.rows.len()];
        self.device.download_from(&self.buffers.data.distances, self.share.rows.start as usize, &mut distances)?;
        let limit = if self.is_real { INFINITE } else { UNREACHED };
        Ok(distances.into_iter().map(|word: u32| if word < limit { word.into() } else { NOWHERE }).collect())
    }
}

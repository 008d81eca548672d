//! A worker's forest on its device: every edge hooks under a schedule, as in the plain form on one device, and so do the pairs that others send. A
//! sample of the nodes would not do to skip edges: one that leaves the largest component need not be an edge of another node here.

use super::{super::share::Share, own_offsets};
use crate::{
    Result,
    device::{Buffer, Device, Recorder, Recording},
    engine::{
        Layout, TileSet, TileSpaces,
        loops::{refuse_long_loops, refuse_unending_rows},
        schedule::{Choice, RowSchedule},
    },
    graph::Csr,
    strategy::refuse_given_up_flags,
};
use evenkeel_kernels::{
    algorithm::components::{
        AT_A_TIME, ComponentCompress, ComponentParams,
        afforest::ComponentState,
        all_edges::{ComponentAlone, ComponentHook, HookParams},
        join::{ComponentJoin, JoinParams},
    },
    primitive::{LengthParams, pick::Pick},
};
use evenkeel_types::{RowRange, TileRange};

/// Where the driver stops long loops, an edge or a pair may take this part of the iterations, because an invocation takes many.
const IN_A_ROW: u32 = 64;

/// A forest on a device.
pub struct ForestOnDevice<'a> {
    share: &'a Share,
    device: Device,
    params: ComponentParams,
    parents: Buffer<u32>,
    state: Buffer<ComponentState>,
    /// Joins the ends of all edges.
    all: Recording,
}

impl<'a> ForestOnDevice<'a> {
    /// Copies a share to a device, and makes it ready. Of the edges `csr`, each has its reverse, here or with another worker.
    pub fn new(device: &Device, share: &'a Share, csr: &Csr) -> Result<Self> {
        let (info, nodes) = (device.info(), share.nodes());
        let offsets = own_offsets(csr, &share.rows)?;
        // SAFETY: offsets are those of a checked graph less the first of them, and its columns are among the nodes of all workers.
        let own = unsafe { Csr::with_more_columns(offsets.into(), csr.columns().to_vec().into(), nodes) };
        refuse_unending_rows(device, &own)?;
        let choice = RowSchedule::Auto.choose(&own, info);
        refuse_long_loops(info, || choice.rounds(&own))?;
        let layout = Layout::resident(info, &own);
        device.prepare(|device| Self::build(device, share, &own, choice, &layout))
    }

    fn build(device: &Device, share: &'a Share, own: &Csr, choice: Choice, layout: &Layout) -> Result<Self> {
        let (info, nodes) = (device.info(), share.nodes());
        let spaces = TileSpaces::<u32>::new(device, choice, TileSet::upload(device, own, layout)?)?;
        let loop_budget = info.loop_budget();
        let (max_groups, rows) = (info.max_groups, RowRange::default());
        let params = ComponentParams { nodes, max_groups, loop_budget, symmetric: 1, rows };
        let parents = device.buffer("parents", nodes as usize)?;
        let state = device.buffer("state", 1)?;
        let all = device.record("components, own edges", |recorder| {
            let (parents, state) = (&parents, &state);
            recorder.fill(&state.cast(), 0);
            recorder.dispatch(&ComponentAlone { parents }, params, nodes as usize);
            for (part, space) in spaces.places().map(|place| spaces.at(place)) {
                let (graph, scratch) = (&part.graph, &space.buffers);
                let hook = ComponentHook { schedule: choice.schedule, graph, parents, state, scratch };
                let tiles = TileRange { first: share.rows.start + part.range.first, ..part.range };
                let (loop_budget, schedule) = (budget_of_one(device), space.scatter_params());
                let hooking = HookParams { tiles, loop_budget, symmetric: 1, schedule };
                recorder.dispatch(&hook, hooking, space.scatter_size());
            }
        })?;
        Ok(Self { share, device: device.clone(), params, parents, state, all })
    }

    /// Records how every node gets the root of its tree as its parent.
    fn compress(&self, recorder: &mut Recorder) {
        let compress = ComponentCompress { parents: &self.parents, state: &self.state };
        recorder.dispatch(&compress, self.params, self.params.nodes.min(AT_A_TIME) as usize);
    }

    /// Refuses what an invocation was too long at.
    fn check(&self) -> Result<()> {
        let report = self.device.download(&self.state.report())?;
        let flags = report.first().map_or(0, |report| report.flags);
        refuse_given_up_flags(&self.device, flags, "these components take")
    }
}

/// The loop iterations that an edge or a pair may take.
fn budget_of_one(device: &Device) -> u32 {
    let budget = device.info().loop_budget();
    if device.info().loop_limit.is_some() { budget / IN_A_ROW } else { budget }
}

impl ForestOnDevice<'_> {
    /// Makes every node a tree, and joins the nodes at both ends of the worker's edges.
    pub fn begin(&mut self) -> Result<()> {
        self.all.run()?;
        self.check()
    }

    /// Joins the trees of the nodes of each pair.
    pub fn join(&mut self, pairs: &[[u32; 2]]) -> Result<()> {
        if pairs.is_empty() {
            return Ok(());
        }
        let pairs_buffer = self.device.buffer_from("pairs", pairs.as_flattened())?;
        let mut joining = self.device.record("components, joining", |recorder| {
            // Paths are short then.
            self.compress(recorder);
            let join = ComponentJoin { pairs: &pairs_buffer, parents: &self.parents, state: &self.state };
            let params = JoinParams { pairs: pairs.len() as u32, loop_budget: self.params.loop_budget };
            recorder.dispatch(&join, params, pairs.len());
        })?;
        joining.run()?;
        self.check()
    }

    /// Returns the roots of these nodes.
    pub fn roots(&mut self, nodes: &[u32]) -> Result<Vec<u32>> {
        let places = self.device.buffer_from("border", nodes)?;
        let roots = self.device.buffer("roots", nodes.len())?;
        let mut picking = self.device.record("components, roots", |recorder| {
            self.compress(recorder);
            let pick = Pick { values: &self.parents, places: &places, output: &roots };
            recorder.dispatch(&pick, LengthParams { length: nodes.len() as u32 }, nodes.len());
        })?;
        picking.run()?;
        self.check()?;
        self.device.download(&roots)
    }

    /// Returns the roots of the worker's own nodes.
    pub fn own_roots(&mut self) -> Result<Vec<u32>> {
        self.device.record("components, roots", |recorder| self.compress(recorder))?.run()?;
        self.check()?;
        let mut roots = vec![0; self.share.rows.len()];
        self.device.download_from(&self.parents, self.share.rows.start as usize, &mut roots)?;
        Ok(roots)
    }
}

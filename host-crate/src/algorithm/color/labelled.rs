//! One colour an iteration, to the largest label around: `random`, `hybrid`, and both with queues or under a schedule. The
//! kernels are `color/labelled.rs` and `color/stealing.rs` of the kernels.

use super::{
    super::prelude::*,
    ColorInputs, Steps,
    strategy::{Find, Hybrid, Queues},
};
use crate::engine::{DevicePartition, Layout, TileSpaces};
use evenkeel_kernels::algorithm::color::{
    UNCOLORED,
    labelled::{ColorAssign, ColorFind, ColorGather, ColorStart, LabelGatherParams, LabelParams, LabelState},
    stealing::ColorSteal,
};
use evenkeel_types::{LoopHeader, LoopState, RowRange, WORKGROUP};

/// The most elements in all queues together, which may be one queue: half a word counts what has been taken at an end of it.
const MAX_ELEMENTS: u32 = 1 << 15;

/// The number of queues: unless said, as many workgroups as a large GPU runs at a time, or as keep the threads of a CPU busy.
fn queues(device: &DeviceInfo, find: Find) -> u32 {
    match find {
        Find::Queues(queues) => {
            queues.count.unwrap_or(if device.kind.is_cpu() { 16 } else { device.max_groups.min(1024) })
        }
        Find::Rows(_) => 0,
    }
}

/// The number of nodes in an element: unless said, one for each invocation of a workgroup, or as many as keep within [`MAX_ELEMENTS`].
fn chunk(nodes: u32, find: Find) -> Result<u32> {
    let least = nodes.div_ceil(MAX_ELEMENTS).max(1);
    match find {
        Find::Queues(Queues { chunk: Some(chunk), .. }) if chunk < least => Err(Error::Usage(format!(
            "queues hold {MAX_ELEMENTS} elements at most: take --chunk {least} or more for {nodes} nodes, or leave it out"
        ))),
        Find::Queues(Queues { chunk: Some(chunk), .. }) => Ok(chunk),
        _ => Ok(least.next_multiple_of(WORKGROUP)),
    }
}

/// The most rounds that the loops of an invocation go through in a dispatch.
pub(super) fn rounds(csr: &Csr, find: Find) -> u64 {
    match find {
        Find::Rows(None) => loops::rounds_of_a_row(loops::longest_row(csr)),
        Find::Rows(Some(choice)) => choice.rounds(csr),
        Find::Queues(_) => {
            // One workgroup may take all elements, and the longest row of a block of nodes keeps all of its invocations.
            let nodes: Vec<u32> = (0..csr.nodes()).collect();
            let longest = |block: &[u32]| block.iter().map(|&node| u64::from(csr.degree(node))).max().unwrap_or(0);
            nodes.chunks(WORKGROUP as usize).map(|block| 2 * longest(block) + 8).sum()
        }
    }
}

/// What an iteration reads and writes.
pub(super) struct Labelled {
    find: Find,
    /// With the rows of the first partition.
    params: LabelParams,
    parts: Vec<DevicePartition>,
    colors: Buffer<u32>,
    largest: Buffer<u32>,
    /// What has been taken from each queue, and the number of workgroups that have ended.
    queues: Buffer<u32>,
    /// The number of elements that each workgroup has popped, and the number that it has stolen.
    taken: Buffer<u32>,
    state: Buffer<LabelState>,
    /// The tiles of the partitions, where there is a schedule.
    spaces: Option<TileSpaces<u32>>,
}

impl Labelled {
    pub fn new(inputs: &ColorInputs<'_>, hybrid: Option<Hybrid>, find: Find) -> Result<Self> {
        let &ColorInputs { device, csr, graph, colors, seed } = inputs;
        let nodes = csr.nodes();
        let queues = queues(device.info(), find);
        let parts = graph.partitions()?.to_vec();
        let spaces = match find {
            Find::Rows(Some(choice)) => {
                let tiles = graph.tiles(&Layout::resident(device.info(), csr))?;
                Some(TileSpaces::new(device, choice, tiles)?)
            }
            _ => None,
        };
        Ok(Self {
            find,
            params: LabelParams {
                nodes,
                max_groups: device.info().max_groups,
                seed,
                switch_at: hybrid.map_or(0, |hybrid| hybrid.switch_at.unwrap_or(u32::MAX)),
                switch_below: hybrid.map_or(1, |hybrid| hybrid.switch_below),
                queues,
                chunk: chunk(nodes, find)?,
                steal: u32::from(matches!(find, Find::Queues(Queues { steal: true, .. }))),
                rows: parts[0].rows,
            },
            parts,
            colors: colors.clone(),
            largest: device.buffer("largest labels", nodes as usize)?,
            queues: device.buffer("queues", queues as usize + 1)?,
            taken: device.buffer("taken", 2 * queues.max(1) as usize)?,
            state: device.buffer("loop state", 1)?,
            spaces,
        })
    }

    fn find(&self, recorder: &mut Recorder) {
        let Self { colors, largest, queues, taken, state, .. } = self;
        match self.find {
            Find::Rows(None) => {
                for DevicePartition { graph, rows } in &self.parts {
                    let find = ColorFind { graph, colors, state, largest };
                    recorder.dispatch_indirect(&find, self.params_of(*rows), state, LabelState::GROUPS);
                }
            }
            Find::Queues(_) => {
                for DevicePartition { graph, rows } in &self.parts {
                    let steal = ColorSteal { graph, colors, state, largest, queues, taken };
                    recorder.dispatch_indirect(&steal, self.params_of(*rows), state, LabelState::STEAL_GROUPS);
                }
            }
            Find::Rows(Some(choice)) => {
                let (schedule, row_offsets) = (choice.schedule, &self.parts[0].graph.row_offsets);
                let tiles = self.spaces.iter().flat_map(|spaces| spaces.places().map(|place| spaces.at(place)));
                for (part, space) in tiles {
                    let (graph, scratch) = (&part.graph, &space.buffers);
                    let gather = ColorGather { schedule, graph, row_offsets, colors, state, largest, scratch };
                    let (tiles, seed) = (part.range, self.params.seed);
                    space.record_gather(recorder, &gather, |schedule| LabelGatherParams { tiles, seed, schedule });
                }
            }
        }
    }

    fn params_of(&self, rows: RowRange) -> LabelParams {
        LabelParams { rows, ..self.params }
    }
}

impl Steps for Labelled {
    fn header(&self) -> Buffer<LoopHeader> {
        self.state.header()
    }

    fn start(&self, recorder: &mut Recorder) -> usize {
        recorder.fill(&self.colors, UNCOLORED);
        recorder.fill(&self.queues, 0);
        recorder.fill(&self.taken, 0);
        recorder.dispatch(&ColorStart { state: &self.state }, self.params, 1);
        0
    }

    fn iteration(&self, recorder: &mut Recorder, _: bool) {
        self.find(recorder);
        let Self { params, colors, largest, state, .. } = self;
        // It reads the degrees of all nodes, and no columns.
        let graph = &self.parts[0].graph;
        let assign = ColorAssign { graph, largest, colors, state };
        recorder.dispatch_indirect(&assign, *params, state, LabelState::GROUPS);
    }

    fn taken(&self) -> Option<&Buffer<u32>> {
        (self.params.queues > 0).then_some(&self.taken)
    }
}

//! Two worklists that are swapped after each iteration, and the state of the loop that counts in them.

use super::prelude::*;
use crate::device::Launch;
use evenkeel_kernels::strategy::{
    TraversalParams,
    start::{Start, StartRange},
};
use evenkeel_types::{UNREACHED, Worklist};

/// Invocations that put a source's edges on the worklist: enough to fill a large GPU, and most sources have few.
const MOST_AT_START: usize = 1 << 16;

/// Records that no node has a value.
pub(super) fn clear(recorder: &mut Recorder, traversal: &Traversal) {
    recorder.fill(&traversal.data.values, UNREACHED);
    recorder.fill(&traversal.data.marks, 0);
}

/// The worklists of a loop with the state `L`.
pub(super) struct Worklists<L: LoopState = LoopHeader> {
    even: Worklist<Buffers>,
    odd: Worklist<Buffers>,
    /// The state of the loop.
    pub state: Buffer<L>,
    /// What most kernels of the loop are told.
    pub params: TraversalParams,
}

impl<L: LoopState> Worklists<L> {
    pub fn new(device: &Device, traversal: &Traversal, entries: usize) -> Result<Self> {
        let (first, second) = (device.buffer("worklist", entries)?, device.buffer("next worklist", entries)?);
        Ok(Self {
            even: Worklist { current: first.clone(), next: second.clone() },
            odd: Worklist { current: second, next: first },
            state: device.buffer("loop state", 1)?,
            params: TraversalParams { nodes: traversal.nodes(), max_groups: device.info().max_groups },
        })
    }

    /// Records the beginning of a traversal: no node has a value but the source, which is alone on the worklist. Of the state, it sets
    /// the header alone.
    pub fn start(&self, recorder: &mut Recorder, traversal: &Traversal) {
        clear(recorder, traversal);
        let (values, state) = (&traversal.data.values, &self.state.header());
        let step = Start { source: &traversal.source, values, worklist: &self.even.current, state };
        recorder.dispatch(&step, self.params, 1);
    }

    /// Records the same with all that belongs to the source on the worklist: the numbers from `firsts[source]` up to
    /// `firsts[source + 1]`.
    pub fn start_range(&self, recorder: &mut Recorder, traversal: &Traversal, firsts: &Buffer<u32>) {
        clear(recorder, traversal);
        let (values, state, worklist) = (&traversal.data.values, &self.state.header(), &self.even.current);
        let step = StartRange { source: &traversal.source, firsts, values, worklist, state };
        recorder.dispatch(&step, self.params, worklist.len().min(MOST_AT_START));
    }

    /// The worklists of an even or an odd iteration.
    pub fn of_iteration(&self, odd: bool) -> &Worklist<Buffers> {
        if odd { &self.odd } else { &self.even }
    }

    /// Records a loop whose iterations are one dispatch each, which `step` makes for the worklists of the iteration.
    pub fn record_loop<'a, K: Launch>(
        &'a self,
        device: &Device,
        name: &str,
        params: K::Params,
        start: impl Fn(&mut Recorder),
        step: impl Fn(&'a Worklist<Buffers>) -> K,
    ) -> Result<DeviceLoop> {
        DeviceLoop::record(device, name, &self.state, start, |recorder, odd| {
            recorder.dispatch_indirect(&step(self.of_iteration(odd)), params, &self.state, L::GROUPS);
        })
    }
}

//! Two worklists that take turns, and the control block that counts in them.

use super::Traversal;
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
};
use evenkeel_kernels::strategy::start::{Start, StartRange};
use evenkeel_types::{Control, TraversalParams, UNREACHED};

/// Invocations that put a source's edges on the worklist: enough to fill a large GPU, and most sources have few.
const MOST_AT_START: usize = 1 << 16;

/// Records that no node has a value.
pub(super) fn clear(recorder: &mut Recorder, traversal: &Traversal) {
    recorder.fill(&traversal.values, UNREACHED);
    recorder.fill(&traversal.marks, 0);
}

/// See the module.
pub(super) struct Worklists {
    lists: [Buffer<u32>; 2],
    /// The control block as the host and indirect dispatches see it.
    pub control: Buffer<Control>,
    /// The same as words, as kernels see it.
    pub words: Buffer<u32>,
}

impl Worklists {
    /// The memory for worklists of up to `entries` entries.
    pub fn plan(entries: usize) -> MemoryPlan {
        MemoryPlan::new()
            .with::<u32>("worklist", entries)
            .with::<u32>("next worklist", entries)
            .with::<Control>("control", 1)
    }

    pub fn new(device: &Device, entries: usize) -> Result<Self> {
        let control = device.buffer::<Control>("control", 1)?;
        Ok(Self {
            lists: [device.buffer("worklist", entries)?, device.buffer("next worklist", entries)?],
            words: control.cast(),
            control,
        })
    }

    /// Records the beginning of a traversal: no node has a value but the source, which is alone on the worklist.
    pub fn start(&self, recorder: &mut Recorder, traversal: &Traversal, params: TraversalParams) {
        let Traversal { values, source, .. } = traversal;
        clear(recorder, traversal);
        recorder.dispatch(&Start { source, values, worklist: &self.lists[0], control: &self.words }, params, 1);
    }

    /// The same with all that belongs to the source on the worklist, the numbers from `firsts[source]` up to
    /// `firsts[source + 1]`.
    pub fn start_range(
        &self,
        recorder: &mut Recorder,
        traversal: &Traversal,
        firsts: &Buffer<u32>,
        params: TraversalParams,
    ) {
        let Traversal { values, source, .. } = traversal;
        clear(recorder, traversal);
        let step = StartRange { source, firsts, values, worklist: &self.lists[0], control: &self.words };
        recorder.dispatch(&step, params, self.lists[0].len().min(MOST_AT_START));
    }

    /// The worklist to read and the one to write.
    pub fn swapped(&self, odd: bool) -> (&Buffer<u32>, &Buffer<u32>) {
        let [first, second] = &self.lists;
        if odd { (second, first) } else { (first, second) }
    }
}

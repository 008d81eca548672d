//! Two worklists that take turns, and the control block that counts in them.

use super::Traversal;
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::Csr,
};
use evenkeel_kernels::strategy::start::Start;
use evenkeel_types::{Control, TraversalParams, UNREACHED};

/// See the module.
pub(super) struct Worklists {
    lists: [Buffer<u32>; 2],
    /// The control block as the host and indirect dispatches see it.
    pub control: Buffer<Control>,
    /// The same as words, as kernels see it.
    pub words: Buffer<u32>,
}

impl Worklists {
    pub fn plan(csr: &Csr) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        MemoryPlan::new()
            .with::<u32>("worklist", nodes)
            .with::<u32>("next worklist", nodes)
            .with::<Control>("control", 1)
    }

    pub fn new(device: &Device, nodes: u32) -> Result<Self> {
        let control = device.buffer::<Control>("control", 1)?;
        Ok(Self {
            lists: [device.buffer("worklist", nodes as usize)?, device.buffer("next worklist", nodes as usize)?],
            words: control.cast(),
            control,
        })
    }

    /// Records the beginning of a traversal: no node has a value but the source, which is alone on the worklist.
    pub fn start(&self, recorder: &mut Recorder, traversal: &Traversal, params: TraversalParams) {
        let Traversal { values, marks, source, .. } = traversal;
        recorder.fill(values, UNREACHED);
        recorder.fill(marks, 0);
        recorder.dispatch(&Start { source, values, worklist: &self.lists[0], control: &self.words }, params, 1);
    }

    /// The worklist to read and the one to write.
    pub fn swapped(&self, odd: bool) -> (&Buffer<u32>, &Buffer<u32>) {
        let [first, second] = &self.lists;
        if odd { (second, first) } else { (first, second) }
    }
}

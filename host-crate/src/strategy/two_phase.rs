//! Shortest paths in two phases, over every node in each iteration.

use super::{
    parallel::{NONE, every_node},
    prelude::*,
    worklists::{Worklists, clear},
};
use evenkeel_kernels::{
    operator::TraversalData,
    strategy::two_phase::{TwoPhaseCommit, TwoPhaseRelax, TwoPhaseStart},
};
use evenkeel_types::UNREACHED;

/// The strategy `two-phase`.
#[derive(Clone)]
pub struct TwoPhase {
    /// Nodes that an invocation takes: thread coarsening.
    pub coarsen: u32,
}

/// With more nodes for each invocation there are too few invocations to measure anything.
const MAX_COARSEN: u32 = 1024;

impl Default for TwoPhase {
    fn default() -> Self {
        Self { coarsen: 1 }
    }
}

impl Strategy for TwoPhase {
    fn about(&self) -> About {
        About::new(
            "two-phase",
            "Harish and Narayanan; Martín et al.",
            "every node in each iteration: lower the neighbours' tentative costs, then commit those that fell",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::SsspU32, Operator::SsspF32]
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "nodes that an invocation takes (thread coarsening)";
        vec![Key::option("coarsen", about, &mut self.coarsen).within(1, MAX_COARSEN)]
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, data, source, .. } = traversal;
        let nodes = traversal.nodes() as usize;
        let worklists: Worklists = Worklists::new(device, traversal, NONE)?;
        let (state, next, costs) = (&worklists.state, &worklists.of_iteration(false).next, &data.values);
        let (updated, mask) = (&device.buffer("updated costs", nodes)?, &device.buffer("mask", nodes)?);
        let data = &TraversalData { values: updated.clone(), ..data.clone() };
        let params = every_node(device, traversal.nodes(), self.coarsen);
        let path = traversal.path();
        let relax = TwoPhaseRelax { path, graph, data, costs, mask, next, state };
        let commit = TwoPhaseCommit { updated, costs, mask, state };
        DeviceLoop::record(
            device,
            name,
            state,
            |recorder| {
                clear(recorder, traversal);
                recorder.fill(updated, UNREACHED);
                recorder.fill(mask, 0);
                recorder.dispatch(&TwoPhaseStart { source, costs, updated, mask, state }, params, 1);
            },
            |recorder, _| {
                recorder.dispatch_indirect(&relax, params, state, LoopHeader::GROUPS);
                recorder.dispatch_indirect(&commit, params, state, LoopHeader::GROUPS);
            },
        )
    }
}

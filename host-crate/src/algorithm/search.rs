//! What BFS and SSSP have in common: a loop that a strategy has recorded, and that is run from any source.

use super::prelude::*;
use crate::{
    engine::LoopRun,
    strategy::{Strategy, Target, Traversal},
};

/// A traversal of one graph, ready to run.
pub(super) struct Search {
    pub values: Buffer<u32>,
    source: Buffer<u32>,
    steps: DeviceLoop,
    /// The name of the strategy that it was left to, if the one that was asked for chooses.
    pub taken: Option<&'static str>,
}

impl Search {
    /// Records the traversal by the strategy that an algorithm is configured with.
    pub fn record<A>(device: &Device, traversal: Traversal, strategy: &Configured<A>) -> Result<Self>
    where
        A: Algorithm<Alternative = Box<dyn Strategy>>,
    {
        let target = Target { device: device.info(), operator: traversal.operator };
        let taken = strategy.item().taken(&traversal.csr, target);
        let steps = strategy.item().record(device, &traversal, &format!("{} {strategy}", A::NAME))?;
        Ok(Self { values: traversal.data.values, source: traversal.source, steps, taken })
    }

    /// Runs from a node of the graph that it was prepared on. Where a limit is given, the loop may end after so many iterations.
    pub fn run(&mut self, graph: &SharedGraph, source: u32, limit: Option<u32>) -> Result<LoopRun> {
        let nodes = graph.csr().nodes();
        if source >= nodes {
            let reason = format!("there is no node {source} to begin at: the graph has {nodes} nodes");
            return Err(Error::Usage(reason));
        }
        graph.device().upload(&self.source, 0, &[source])?;
        self.steps.run_up_to(limit)
    }
}

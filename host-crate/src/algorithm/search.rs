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
        refuse_long_loops(device.info(), || strategy.item().rounds(&traversal.csr, target))?;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        algorithm::{Bfs, BfsConfig, Sssp, SsspConfig},
        device::DeviceOptions,
        graph::generate::Generator,
    };

    fn names(plan: Result<MemoryPlan>) -> Vec<String> {
        plan.unwrap().buffers.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn what_reads_the_graph_of_the_host_plans_no_copy_of_it() {
        let town = "road:nodes=400,lengths=true".parse::<Generator>().unwrap().generate().unwrap();
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let (info, csr) = (device.info(), &town.csr);
        assert_eq!(names(Bfs::plan(info, csr, &BfsConfig::default())), ["depths", "lists", "bitmaps"]);
        assert_eq!(names(Sssp::plan(info, csr, &SsspConfig::default())), ["distances", "buckets"]);
        let parents = BfsConfig { parents: true, ..BfsConfig::default() };
        let node = BfsConfig { strategy: "node".parse().unwrap(), ..BfsConfig::default() };
        for config in [&parents, &node] {
            let names = names(Bfs::plan(info, csr, config));
            assert_eq!(names[..3], ["row offsets", "columns", "depths"]);
        }
        let mut bfs = Bfs::prepare(&device, csr, &parents).unwrap();
        bfs.run(&7).unwrap();
        let tree = bfs.answer().unwrap();
        assert_eq!(oracle::bfs::check_parents(csr, &[7], &tree.depths, &tree.parents.unwrap()), Ok(()));
    }
}

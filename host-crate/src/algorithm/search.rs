//! What BFS and SSSP have in common: a loop that a strategy has recorded, and that is run from any source.

use super::prelude::*;
use crate::{
    engine::LoopRun,
    strategy::{Chosen, Target, Traversal},
};
use std::sync::Arc;

/// A traversal of one graph, ready to run.
pub(super) struct Search {
    pub values: Buffer<u32>,
    source: Buffer<u32>,
    steps: DeviceLoop,
    /// The strategy that recorded it.
    pub chosen: Arc<Chosen>,
}

impl Search {
    /// Records the traversal, which is called `name`, by a strategy.
    pub fn record(device: &Device, traversal: Traversal, chosen: &Arc<Chosen>, name: &str) -> Result<Self> {
        let (strategy, target) = (&chosen.strategy, Target { device: device.info(), operator: traversal.operator });
        refuse_long_loops(device.info(), || strategy.rounds(&traversal.csr, target))?;
        let name = chosen.instead.map_or_else(|| name.to_owned(), |instead| format!("{name}, {instead}"));
        let steps = strategy.record(device, &traversal, &name)?;
        Ok(Self { values: traversal.data.values, source: traversal.source, steps, chosen: chosen.clone() })
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
        algorithm::{Bfs, BfsConfig, Sssp, SsspConfig, plan},
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
        for (names, own) in [
            (names(plan::<Bfs>(info, csr, &BfsConfig::default())), ["depths", "lists", "bitmaps"].as_slice()),
            (names(plan::<Sssp>(info, csr, &SsspConfig::default())), &["distances", "buckets"]),
        ] {
            let has = |name: &&str| names.iter().any(|planned| planned == name);
            assert!(own.iter().all(has) && !["row offsets", "columns", "weights"].iter().any(has), "{names:?}");
        }
        let parents = BfsConfig { parents: true, ..BfsConfig::default() };
        let node = BfsConfig { strategy: "node".parse().unwrap(), ..BfsConfig::default() };
        for config in [&parents, &node] {
            let names = names(plan::<Bfs>(info, csr, config));
            for name in ["row offsets", "columns", "depths"] {
                assert!(names.iter().any(|planned| planned == name), "{names:?}");
            }
        }
        let mut bfs = Bfs::prepare(&device, csr, &parents).unwrap();
        bfs.run(&7).unwrap();
        let tree = bfs.answer().unwrap();
        assert_eq!(oracle::bfs::check_parents(csr, &[7], &tree.depths, &tree.parents.unwrap()), Ok(()));
    }
}

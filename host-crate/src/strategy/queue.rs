//! One invocation for each node of a queue, and an atomic addition for each node that is put on the next: the second of the classic
//! searches. The kernel is `strategy/queue.rs` of the kernels.

use super::{About, DeviceLoop, Operator, Strategy, Traversal, worklists::Worklists};
use crate::{
    Result,
    device::{Device, MemoryPlan, Recorder},
    graph::Csr,
};
use evenkeel_kernels::{operator::Search, strategy::queue};
use evenkeel_types::LoopHeader;

/// The strategy `queue`.
#[derive(Clone)]
pub(super) struct Queue;

impl Strategy for Queue {
    fn about(&self) -> About {
        About {
            name: "queue",
            paper: "Pathak et al.",
            summary: "an invocation to each node of a queue, an atomic addition to each node found",
            operators: &[Operator::Bfs],
        }
    }

    fn plan(&self, csr: &Csr, _: Operator) -> MemoryPlan {
        Worklists::<LoopHeader>::plan(csr.nodes() as usize)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { graph, data, .. } = traversal;
        let worklists: Worklists = Worklists::new(device, traversal, traversal.nodes() as usize)?;
        let start = |recorder: &mut Recorder| worklists.start(recorder, traversal);
        worklists.record_loop(device, name, worklists.params, start, |worklist| queue::Queue {
            search: Search::Bfs,
            graph,
            data,
            worklist,
            state: &worklists.state,
        })
    }
}

//! One invocation for each node of a queue, and an atomic addition for each node put on the next: the second classic search.

use super::{prelude::*, worklists::Worklists};
use evenkeel_kernels::{operator::Search, strategy::queue};

/// The strategy `queue`.
#[derive(Clone)]
pub(super) struct Queue;

impl Strategy for Queue {
    fn about(&self) -> About {
        About::new(
            "queue",
            "Pathak et al.",
            "an invocation to each node of a queue, an atomic addition to each node found",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
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

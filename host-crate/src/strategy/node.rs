//! One invocation for each node of the worklist: the papers' baseline.

use super::{prelude::*, worklists::Worklists};
use evenkeel_kernels::strategy::node;

/// The strategy `node`.
#[derive(Clone)]
pub(super) struct Node;

impl Strategy for Node {
    fn about(&self) -> About {
        About::new("node", "BS, Raval et al.", "one invocation a node of the worklist, with all its edges")
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, data, .. } = traversal;
        let worklists: Worklists = Worklists::new(device, traversal, traversal.nodes() as usize)?;
        let start = |recorder: &mut Recorder| worklists.start(recorder, traversal);
        worklists.record_loop(device, name, worklists.params, start, |worklist| node::Node {
            operator: *operator,
            graph,
            data,
            worklist,
            state: &worklists.state,
        })
    }
}

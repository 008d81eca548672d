//! One invocation for each edge: the worklist holds edges, each of which knows where it begins.

use super::{named::named, prelude::*, worklists::Worklists};
use evenkeel_kernels::{primitive::LengthParams, strategy::edge};

/// The strategy `edge`.
#[derive(Clone, Default)]
pub struct Edge {
    /// For what one atomic addition reserves places on the worklist.
    pub chunking: Chunking,
}

named! {
    /// For what one atomic addition reserves places on a worklist of edges.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    "chunking" pub enum Chunking {
        /// For all edges of a node: the paper's work chunking.
        #[default]
        Node => "node",
        /// For one edge.
        Edge => "edge",
    }
}

impl Strategy for Edge {
    fn about(&self) -> About {
        About::new("edge", "EP, Raval et al.", "one invocation an edge; the worklist holds edges")
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "reserve places for all edges of a node at once, or for one edge at a time";
        vec![Key::option("chunking", about, &mut self.chunking).one_of(Chunking::ALL)]
    }

    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_row_in_pieces(loops::longest_row(csr))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, data, .. } = traversal;
        let edges = graph.columns.len();
        let worklists: Worklists = Worklists::new(device, traversal, edges)?;
        let sources = &device.buffer("sources of edges", edges)?;
        let find = edge::EdgeSources { row_offsets: &graph.row_offsets, sources };
        let params = LengthParams { length: edges as u32 };
        device.during("making the edge list", || {
            device.record("sources of edges", |recorder| recorder.dispatch(&find, params, edges))?.run()
        })?;

        let together = u32::from(self.chunking == Chunking::Node);
        let params = edge::EdgeParams { max_groups: worklists.params.max_groups, together };
        let start = |recorder: &mut Recorder| worklists.start_range(recorder, traversal, &graph.row_offsets);
        worklists.record_loop(device, name, params, start, |worklist| edge::Edge {
            operator: *operator,
            graph,
            sources,
            data,
            worklist,
            state: &worklists.state,
        })
    }
}

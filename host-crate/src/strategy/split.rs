//! Node splitting: nodes with many edges become several that share them, and the worklist holds those. The kernels are
//! `strategy/split.rs` and `strategy/threshold.rs` of the kernels.

use super::{DeviceGraph, DeviceLoop, Iterate, Operator, Traversal, Tuning, threshold, worklists::Worklists};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan},
    engine::primitive::{Kind, Scan},
    graph::{Csr, Splitting},
};
use evenkeel_kernels::strategy::split::{self, MakePieces, PieceCounts};
use evenkeel_types::{Control, Threshold, ThresholdParams, TraversalParams};

/// See the module.
pub(super) struct Split;

impl Iterate for Split {
    fn plan(&self, csr: &Csr, _: Operator, tuning: &Tuning) -> MemoryPlan {
        let splitting = Splitting::of(csr, tuning.bins());
        let (nodes, pieces) = (csr.nodes() as usize, splitting.nodes_after as usize);
        Worklists::plan(pieces)
            .and(SplitGraph::plan(nodes, pieces))
            .and(threshold::plan(tuning.bins()))
            .with::<u32>("piece counts", nodes + 1)
            .and(Scan::plan(nodes + 1))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, weights, values, marks, tuning, .. } = traversal;
        let split_graph = SplitGraph::new(device, graph, tuning.bins())?;
        let worklists = Worklists::new(device, split_graph.threshold.pieces as usize)?;
        let params = TraversalParams { nodes: graph.nodes(), max_groups: device.info().max_groups };
        DeviceLoop::record(
            device,
            name,
            &worklists.control,
            |recorder| worklists.start_range(recorder, traversal, &split_graph.first_pieces, params),
            |recorder, odd| {
                let (worklist, next) = worklists.swapped(odd);
                let step = split::Split {
                    operator: *operator,
                    first_pieces: &split_graph.first_pieces,
                    piece_offsets: &split_graph.piece_offsets,
                    parents: &split_graph.parents,
                    columns: &graph.columns,
                    weights,
                    worklist,
                    values,
                    marks,
                    next,
                    control: &worklists.words,
                };
                recorder.dispatch_indirect(&step, params, &worklists.control, Control::GROUPS);
            },
        )
    }
}

/// A graph whose nodes are split, beside the graph itself, whose columns it refers to. It is made once and serves every run of
/// the algorithm that was prepared with it.
pub struct SplitGraph {
    /// How it was split.
    pub threshold: Threshold,
    /// The first piece of each node, and the number of pieces.
    pub first_pieces: Buffer<u32>,
    /// The first edge of each piece, and the number of edges.
    pub piece_offsets: Buffer<u32>,
    /// The node that each piece is of.
    pub parents: Buffer<u32>,
}

impl SplitGraph {
    /// The memory it takes beside the graph.
    pub fn plan(nodes: usize, pieces: usize) -> MemoryPlan {
        MemoryPlan::new()
            .with::<u32>("first pieces", nodes + 1)
            .with::<u32>("piece offsets", pieces + 1)
            .with::<u32>("parents of pieces", pieces)
    }

    /// Splits a graph by a histogram of its degrees with so many bins.
    ///
    /// # Errors
    /// When something does not fit or the device fails.
    pub fn new(device: &Device, graph: &DeviceGraph, bins: u32) -> Result<Self> {
        let (threshold, words) = threshold::choose(device, graph, bins)?;
        let (nodes, pieces) = (graph.nodes() as usize, threshold.pieces as usize);
        let split = Self {
            threshold,
            first_pieces: device.buffer("first pieces", nodes + 1)?,
            piece_offsets: device.buffer("piece offsets", pieces + 1)?,
            parents: device.buffer("parents of pieces", pieces)?,
        };
        let (counts, scan) = (device.buffer("piece counts", nodes + 1)?, Scan::new(device, nodes + 1)?);
        let (row_offsets, params) = (&graph.row_offsets, ThresholdParams { nodes: graph.nodes(), bins });
        let Self { first_pieces, piece_offsets, parents, .. } = &split;
        device
            .record("splitting nodes", |recorder| {
                let step = PieceCounts { row_offsets, words: &words, counts: &counts };
                recorder.dispatch(&step, params, nodes);
                scan.record(recorder, &counts, first_pieces, nodes + 1, Kind::Exclusive);
                recorder.dispatch(&MakePieces { row_offsets, first_pieces, piece_offsets, parents }, params, nodes);
            })?
            .run()?;
        Ok(split)
    }
}

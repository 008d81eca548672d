//! Node splitting: nodes with many edges become several that share them, and the worklist holds those.

use super::{prelude::*, threshold, worklists::Worklists};
use crate::{
    engine::{
        SharedGraph,
        primitive::{Kind, Scan},
        rows_bytes,
    },
    graph::{Limit, Splitting},
};
use evenkeel_kernels::strategy::{
    split::{self, MakePieces, PieceCounts},
    threshold::Threshold,
};

/// The strategy `split`.
#[derive(Clone)]
pub struct Split {
    /// Bins of the histogram of degrees, which says how many edges are one piece.
    pub bins: u32,
    /// The most edges of a piece, in place of what the histogram says.
    pub mdt: Option<u32>,
}

impl Default for Split {
    fn default() -> Self {
        Self { bins: threshold::DEFAULT_BINS, mdt: None }
    }
}

impl Split {
    fn limit(&self) -> Limit {
        threshold::limit(self.bins, self.mdt)
    }
}

impl Strategy for Split {
    fn about(&self) -> About {
        About::new("split", "NS, Raval et al.", "nodes with many edges split once, an invocation to each piece")
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        vec![threshold::bins_key(&mut self.bins), threshold::mdt_key(&mut self.mdt)]
    }

    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::rounds_of_a_row_in_pieces(loops::longest_row(csr))
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { operator, graph, data, .. } = traversal;
        let SplitGraph { threshold, first_pieces, piece_offsets, parents } =
            &SplitGraph::new(device, &traversal.csr, graph, self.limit())?;
        let pieces = &DeviceGraph { row_offsets: piece_offsets.clone(), columns: graph.columns.clone() };
        let worklists: Worklists = Worklists::new(device, traversal, threshold.pieces as usize)?;
        let start = |recorder: &mut Recorder| worklists.start_range(recorder, traversal, first_pieces);
        worklists.record_loop(device, name, worklists.params, start, |worklist| {
            let state = &worklists.state;
            split::Split { operator: *operator, pieces, parents, first_pieces, data, worklist, state }
        })
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
    /// How a graph would be split, and the bytes that it takes on a device before and after.
    pub fn describe(csr: &Csr, limit: Limit) -> (Splitting, [u64; 2]) {
        let splitting = Splitting::of(csr, limit);
        // The first pieces of nodes, where pieces begin, and of which node each is.
        let words = u64::from(csr.nodes()) + 2 + 2 * splitting.nodes_after;
        let whole = rows_bytes(csr);
        (splitting, [whole, whole + words * size_of::<u32>() as u64])
    }

    /// Splits a graph by this limit.
    pub fn of(graph: &SharedGraph, limit: Limit) -> Result<Self> {
        if let Limit::Bins(bins) = limit
            && !(1..=threshold::MAX_BINS).contains(&bins)
        {
            return Err(Error::Usage(format!("{bins} bins are not in 1..={}", threshold::MAX_BINS)));
        }
        Self::new(graph.device(), graph.csr(), graph.rows()?, limit)
    }

    fn new(device: &Device, csr: &Csr, graph: &DeviceGraph, limit: Limit) -> Result<Self> {
        let (threshold, chosen) = threshold::choose(device, csr, graph, limit)?;
        let (nodes, pieces) = (graph.nodes() as usize, threshold.pieces as usize);
        let split = Self {
            threshold,
            first_pieces: device.buffer("first pieces", nodes + 1)?,
            piece_offsets: device.buffer("piece offsets", pieces + 1)?,
            parents: device.buffer("parents of pieces", pieces)?,
        };
        let (counts, scan) = (device.buffer("piece counts", nodes + 1)?, Scan::new(device, nodes + 1)?);
        let (row_offsets, params) = (&graph.row_offsets, threshold::params(graph.nodes(), limit));
        let Self { first_pieces, piece_offsets, parents, .. } = &split;
        device.during("splitting nodes", || {
            device
                .record("splitting nodes", |recorder| {
                    recorder.dispatch(&PieceCounts { row_offsets, threshold: &chosen, counts: &counts }, params, nodes);
                    scan.record(recorder, &counts, first_pieces, nodes + 1, Kind::Exclusive);
                    recorder.dispatch(&MakePieces { row_offsets, first_pieces, piece_offsets, parents }, params, nodes);
                })?
                .run()
        })?;
        Ok(split)
    }
}

//! The kernels in their order: which edges are kept, where, and the triangles of these. The kernels are the folder `triangles` of the
//! kernels.

use super::{super::prelude::*, Counts, Job, strategy::Method};
use crate::engine::primitive::{Kind, Scan};
use evenkeel_kernels::algorithm::triangles::{
    TriangleParams,
    hash::{TriangleHash, TriangleHashNodes},
    orient::{BLOCK, OrientCount, OrientParams, OrientRows, OrientWrite, Oriented, PIECE, PieceState, RUN, Runs},
    search::{TriangleSearch, TriangleSearchNodes},
};
use evenkeel_types::WORKGROUP;

/// The most workgroups that count: sixteen for each of an H200's 132 multiprocessors, so that none waits for a long one at the end.
const GROUPS: u32 = 2112;

/// Loop iterations of an invocation for a piece of a heavy node, beside those for the elements of lists.
const STEPS_OF_PIECE: u32 = 400;

/// How much there is of everything.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    nodes: usize,
    edges: usize,
    /// The longest list of kept edges, at most.
    longest: usize,
    marked: bool,
    per_node: bool,
    /// [`TriangleParams::heavy`]; no node is heavy where it is the largest number.
    heavy: u32,
    search_groups: u32,
    hash_groups: u32,
    /// Pieces that a workgroup takes at most.
    pieces_each: u32,
}

impl Extent {
    pub fn new(device: &DeviceInfo, csr: &Csr, edges: usize, method: Method, marked: bool, per_node: bool) -> Self {
        let highest = if marked { csr.nodes().saturating_sub(1) } else { csr.skew().highest };
        // Whoever keeps k edges leads to k nodes of as many edges, so there are at least k² edges.
        let longest = (highest as usize).min(edges.isqrt());
        let heavy = match method {
            Method::Hash { heavy } if longest >= heavy as usize => heavy,
            _ => u32::MAX,
        };
        let pieces = pieces(edges, heavy) as u32;
        let search_groups = ((edges / 2).div_ceil(WORKGROUP as usize) as u32).max(1);
        let (search_groups, hash_groups, pieces_each) = match device.loop_limit {
            None => (search_groups.min(GROUPS), pieces.min(GROUPS), u32::MAX),
            // A driver that stops long loops gets as many workgroups as there can be work for.
            Some(limit) => {
                let each = (limit / 4 / (STEPS_OF_PIECE + 8 * longest as u32)).max(1);
                let hash_groups = pieces.div_ceil(each).min(device.max_groups);
                let each = each.max(pieces.div_ceil(hash_groups.max(1)));
                (search_groups.min(device.max_groups), hash_groups, each)
            }
        };
        let nodes = csr.nodes() as usize;
        Self { nodes, edges, longest, marked, per_node, heavy, search_groups, hash_groups, pieces_each }
    }

    fn blocks(self) -> usize {
        self.edges / BLOCK as usize + 1
    }

    fn runs(self) -> usize {
        self.blocks() * (BLOCK / RUN) as usize
    }

    fn marks(self, edges: usize) -> usize {
        if self.marked { edges } else { 0 }
    }

    /// The memory beside the graph and what is counted.
    pub fn plan(self) -> MemoryPlan {
        let kept = self.edges / 2;
        MemoryPlan::new()
            .with::<u32>("marks", self.marks(self.edges))
            .with::<u32>("kept bits", self.runs())
            .with::<u32>("places", self.runs())
            .with::<u32>("sums", self.blocks())
            .with::<u32>("prefixes", self.blocks())
            .and(Scan::plan(self.blocks()))
            .with::<u32>("kept offsets", self.nodes + 1)
            .with::<u32>("kept targets", kept)
            .with::<u32>("kept sources", kept)
            .with::<u32>("kept marks", self.marks(kept))
            .with::<u32>("pieces", 2 * pieces(self.edges, self.heavy))
            .with::<PieceState>("piece state", 1)
    }

    /// The words of the totals of workgroups.
    pub fn totals(self) -> [usize; 2] {
        [self.search_groups, self.hash_groups].map(|groups| 2 * groups as usize)
    }

    /// Refuses a graph whose lists are so long that the driver would stop in the middle of one, with a wrong answer and no error.
    fn refuse_unending(self, device: &DeviceInfo) -> Result<()> {
        let Some(limit) = device.loop_limit else { return Ok(()) };
        let batches = (self.edges / 2).div_ceil(WORKGROUP as usize * self.search_groups as usize);
        // For each element a search for its list and one in the longer list; in a table, fewer.
        let search = batches * self.longest * (12 + self.longest.max(1).ilog2() as usize);
        let of_piece = STEPS_OF_PIECE as usize + 8 * self.longest;
        let hash = if self.hash_groups == 0 { 0 } else { self.pieces_each as usize * of_piece };
        if search.max(hash) < limit as usize {
            return Ok(());
        }
        let name = &device.name;
        Err(Error::Device(format!(
            "the driver of {name} stops every loop after {limit} rounds, and a list of neighbours may have {} \
                                   elements; take --device cpu",
            self.longest
        )))
    }
}

/// At most so many pieces of heavy nodes: one for each such node, and one more for every [`PIECE`] edges.
fn pieces(edges: usize, heavy: u32) -> usize {
    if heavy == u32::MAX { 0 } else { edges / PIECE as usize + edges / 2 / heavy as usize }
}

/// Records a run.
pub(super) fn record(job: &Job<'_>, extent: Extent, counts: &Counts) -> Result<Recording> {
    let &Job { device, graph, csr, marks, name } = job;
    extent.refuse_unending(device.info())?;
    let (nodes, edges, kept) = (csr.nodes(), csr.edges(), extent.edges / 2);
    let (heavy, marked) = (extent.heavy, extent.marked.into());
    let orient = OrientParams { nodes, edges, marked, heavy };
    let params = TriangleParams { nodes, heavy, marked, pieces: extent.pieces_each };
    let marks = device.buffer_from("marks", marks)?;
    let runs =
        Runs { kept: device.buffer("kept bits", extent.runs())?, places: device.buffer("places", extent.runs())? };
    let (sums, before) = (device.buffer("sums", extent.blocks())?, device.buffer("prefixes", extent.blocks())?);
    let scan = Scan::new(device, extent.blocks())?;
    let oriented = Oriented {
        offsets: device.buffer("kept offsets", nodes as usize + 1)?,
        targets: device.buffer("kept targets", kept)?,
        sources: device.buffer("kept sources", kept)?,
    };
    let kept_marks = device.buffer("kept marks", extent.marks(kept))?;
    let pieces = device.buffer("pieces", 2 * pieces(extent.edges, heavy))?;
    let state = device.buffer::<PieceState>("piece state", 1)?.cast::<u32>();
    device.record(name, |recorder| {
        recorder.label("orient");
        recorder.fill(&state, 0);
        let (all_blocks, runs) = (extent.blocks() * WORKGROUP as usize, &runs);
        recorder.dispatch(&OrientCount { graph, runs, sums: &sums }, orient, all_blocks);
        scan.record(recorder, &sums, &before, extent.blocks(), Kind::Exclusive);
        let Oriented { offsets, targets, sources } = &oriented;
        let (marks, before) = (&marks, &before);
        let write = OrientWrite { graph, marks, before, runs, targets, sources, kept_marks: &kept_marks };
        recorder.dispatch(&write, orient, all_blocks);
        let (row_offsets, state, pieces) = (&graph.row_offsets, &state, &pieces);
        recorder.dispatch(&OrientRows { row_offsets, runs, offsets, pieces, state }, orient, nodes as usize + 1);
        recorder.label("count");
        let (edges, marks) = (&oriented, &kept_marks);
        let [search_totals, hash_totals] = &counts.totals;
        let [search_items, hash_items] =
            [extent.search_groups, extent.hash_groups].map(|groups| (groups * WORKGROUP) as usize);
        counts.totals.iter().for_each(|totals| recorder.fill(totals, 0));
        if extent.per_node {
            recorder.fill(&counts.nodes, 0);
            let counts = &counts.nodes;
            let search = TriangleSearchNodes { edges, marks, counts, totals: search_totals };
            recorder.dispatch(&search, params, search_items);
            if hash_items > 0 {
                let totals = hash_totals;
                let hash = TriangleHashNodes { graph, edges, pieces, marks, counts, state, totals };
                recorder.dispatch(&hash, params, hash_items);
            }
        } else {
            recorder.dispatch(&TriangleSearch { edges, totals: search_totals }, params, search_items);
            if hash_items > 0 {
                let hash = TriangleHash { graph, edges, pieces, state, totals: hash_totals };
                recorder.dispatch(&hash, params, hash_items);
            }
        }
    })
}

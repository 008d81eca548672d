//! The kernels in their order: which edges are kept, where, and the triangles of these. The kernels are the folder `triangles` of the
//! kernels.

use super::{super::prelude::*, Counts, TriangleInputs, strategy::Method};
use crate::engine::{
    DevicePartition,
    primitive::{Kind, Scan},
};
use evenkeel_kernels::algorithm::triangles::{
    TriangleParams,
    bitmap::{MOST, TriangleBitmap, TriangleBitmapNodes},
    orient::{
        BLOCK, BoundEdges, NO_COLUMN, OrientCount, OrientNumber, OrientParams, OrientRows, OrientWrite, Oriented,
        PIECE, PieceState, RUN, Runs,
    },
    search::{TriangleSearch, TriangleSearchNodes},
};
use evenkeel_types::{RowRange, WORKGROUP};
use rayon::prelude::*;

/// The most workgroups that count: sixteen for each of an H200's 132 multiprocessors, so that none waits for a long one at the end.
const GROUPS: u32 = 2112;

/// Loop iterations of an invocation for a piece of a heavy node, beside those for the elements of lists.
const STEPS_OF_PIECE: u32 = 400;

/// The sizes of all buffers.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    nodes: usize,
    edges: usize,
    /// The partitions of the graph, at most.
    partitions: usize,
    /// The longest list of kept edges, at most.
    longest: usize,
    marked: bool,
    per_node: bool,
    /// The fewest edges of a heavy node, but for graphs with too many of those; no node is heavy where it is the largest number.
    heavy: u32,
    search_groups: u32,
    bitmap_groups: u32,
    /// Pieces that a workgroup takes at most.
    pieces_each: u32,
}

impl Extent {
    pub fn new(
        device: &DeviceInfo,
        csr: &Csr,
        (edges, partitions): (usize, usize),
        method: Method,
        marked: bool,
        per_node: bool,
    ) -> Self {
        let highest = if marked { csr.nodes().saturating_sub(1) } else { csr.skew().highest };
        // Whoever keeps k edges leads to k nodes of as many edges, so there are at least k² edges.
        let longest = (highest as usize).min(edges.isqrt());
        let heavy = match method {
            Method::Bitmap { heavy } if highest >= heavy => heavy,
            _ => u32::MAX,
        };
        let nodes = csr.nodes() as usize;
        let pieces = pieces(nodes, edges, heavy) as u32;
        let search_groups = ((edges / 2).div_ceil(WORKGROUP as usize) as u32).max(1);
        let (search_groups, bitmap_groups, pieces_each) = match device.loop_limit {
            None => (search_groups.min(GROUPS), pieces.min(GROUPS), u32::MAX),
            // A driver that stops long loops gets as many workgroups as there can be work for.
            Some(limit) => {
                let each = (limit / 4 / (STEPS_OF_PIECE + 8 * longest as u32)).max(1);
                let bitmap_groups = pieces.div_ceil(each).min(device.max_groups);
                let each = each.max(pieces.div_ceil(bitmap_groups.max(1)));
                (search_groups.min(device.max_groups), bitmap_groups, each)
            }
        };
        Self { nodes, edges, partitions, longest, marked, per_node, heavy, search_groups, bitmap_groups, pieces_each }
    }

    /// The blocks of all partitions, at most: each has one that is not full.
    fn blocks(self) -> usize {
        self.edges / BLOCK as usize + self.partitions
    }

    fn runs(self) -> usize {
        self.blocks() * (BLOCK / RUN) as usize
    }

    fn marks(self, edges: usize) -> usize {
        if self.marked { edges } else { 0 }
    }

    /// As many as there are, if a node may be heavy.
    fn if_heavy(self, count: usize) -> usize {
        if self.heavy == u32::MAX { 0 } else { count }
    }

    /// The words of the totals of workgroups.
    pub fn totals(self) -> [usize; 2] {
        [self.search_groups, self.bitmap_groups].map(|groups| 2 * groups as usize)
    }

    /// Refuses a graph whose lists are so long that the driver would stop in the middle of one, with a wrong answer and no error.
    fn refuse_unending(self, device: &DeviceInfo) -> Result<()> {
        let Some(limit) = device.loop_limit else { return Ok(()) };
        let batches = (self.edges / 2).div_ceil(WORKGROUP as usize * self.search_groups as usize);
        // For each element a search for its list and one in the longer list; in a bitmap, fewer.
        let search = batches * self.longest * (12 + self.longest.max(1).ilog2() as usize);
        let of_piece = STEPS_OF_PIECE as usize + 8 * self.longest;
        let bitmap = if self.bitmap_groups == 0 { 0 } else { self.pieces_each as usize * of_piece };
        if search.max(bitmap) < limit as usize {
            return Ok(());
        }
        let name = &device.name;
        Err(Error::Unsupported(format!(
            "the driver of {name} stops every loop after {limit} rounds, and a list of neighbours may have {} \
                                   elements; take --device cpu",
            self.longest
        )))
    }
}

/// At most so many pieces of heavy nodes: one for each such node, and one more for every [`PIECE`] edges.
fn pieces(nodes: usize, edges: usize, heavy: u32) -> usize {
    if heavy == u32::MAX { 0 } else { edges / PIECE as usize + nodes.min(MOST as usize) }
}

/// The fewest edges of a heavy node, so that there are no more of them than a bitmap has bits.
fn heavy_degree(csr: &Csr, fewest: u32) -> u32 {
    if fewest == u32::MAX {
        return fewest;
    }
    let degrees = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node));
    let mut degrees: Vec<u32> = degrees.filter(|degree| *degree >= fewest).collect();
    if degrees.len() <= MOST as usize {
        return fewest;
    }
    // The highest degree that no longer fits: all nodes that have more edges do.
    let (_, degree, _) = degrees.select_nth_unstable_by(MOST as usize, |a, b| b.cmp(a));
    *degree + 1
}

/// A partition, with what is known of its edges.
struct Bound<'a> {
    part: &'a DevicePartition,
    /// The marks of its edges.
    marks: Buffer<u32>,
    edges: BoundEdges,
    blocks_before: u32,
}

impl Bound<'_> {
    /// Its blocks.
    fn blocks(&self) -> u32 {
        self.edges.rows.edges / BLOCK + 1
    }
}

/// The partitions of a graph, with the marks of their edges where edges have any.
fn bind<'a>(inputs: &TriangleInputs<'a>) -> Result<Vec<Bound<'a>>> {
    let (csr, mut blocks_before, mut bound) = (inputs.csr, 0, Vec::new());
    for part in inputs.parts {
        let RowRange { first, edges_before, edges, .. } = part.rows;
        let (begin, count) = (edges_before as usize, edges as usize);
        let is_continued = part.rows.is_cut > 0 && begin > csr.row(first).start;
        let column_before = if is_continued { csr.columns()[begin - 1] } else { NO_COLUMN };
        let marks = inputs.marks.get(begin..begin + count).unwrap_or(&[]);
        let marks = inputs.device.buffer_from("marks", marks)?;
        bound.push(Bound { part, marks, edges: BoundEdges { rows: part.rows, column_before }, blocks_before });
        blocks_before += edges / BLOCK + 1;
    }
    Ok(bound)
}

/// Records a run.
pub(super) fn record(inputs: &TriangleInputs<'_>, extent: Extent, counts: &Counts) -> Result<Recording> {
    let &TriangleInputs { device, parts, csr, name, .. } = inputs;
    extent.refuse_unending(device.info())?;
    let (nodes, kept) = (csr.nodes(), extent.edges / 2);
    let (heavy, marked) = (heavy_degree(csr, extent.heavy), extent.marked.into());
    let none = BoundEdges { rows: RowRange::default(), column_before: NO_COLUMN };
    let orient = OrientParams { nodes, marked, heavy, blocks_before: 0, bound: none };
    let with_bitmaps = extent.bitmap_groups > 0;
    let params =
        TriangleParams { nodes, with_bitmaps: with_bitmaps.into(), marked, pieces: extent.pieces_each, bound: none };
    let bound = bind(inputs)?;
    let runs =
        Runs { kept: device.buffer("kept bits", extent.runs())?, places: device.buffer("places", extent.runs())? };
    let (sums, before) = (device.buffer("sums", extent.blocks())?, device.buffer("prefixes", extent.blocks())?);
    let scan = Scan::new(device, extent.blocks())?;
    let oriented = Oriented {
        offsets: device.buffer("kept offsets", nodes as usize + 1)?,
        targets: device.buffer("kept targets", kept)?,
        sources: device.buffer("kept sources", kept)?,
        numbers: device.buffer("kept numbers", extent.if_heavy(kept))?,
    };
    let node_numbers = device.buffer("numbers", extent.if_heavy(nodes as usize))?;
    let kept_marks = device.buffer("kept marks", extent.marks(kept))?;
    let pieces = device.buffer("pieces", 2 * pieces(extent.nodes, extent.edges, extent.heavy))?;
    let state = device.buffer::<PieceState>("piece state", 1)?.cast::<u32>();
    let pieces_taken = &device.buffer("pieces taken", 1)?;
    device.record(name, |recorder| {
        recorder.label("orient");
        recorder.fill(&state, 0);
        let (runs, row_offsets) = (&runs, &parts[0].graph.row_offsets);
        let (state, pieces, before, node_numbers, kept_marks) = (&state, &pieces, &before, &node_numbers, &kept_marks);
        let of = |part: &Bound<'_>| OrientParams { blocks_before: part.blocks_before, bound: part.edges, ..orient };
        let all_blocks = |part: &Bound<'_>| (part.blocks() * WORKGROUP) as usize;
        for part in &bound {
            let count = OrientCount { graph: &part.part.graph, runs, sums: &sums };
            recorder.dispatch(&count, of(part), all_blocks(part));
        }
        let blocks = bound.iter().map(|part| part.blocks() as usize).sum();
        scan.record(recorder, &sums, before, blocks, Kind::Exclusive);
        if with_bitmaps {
            recorder.dispatch(&OrientNumber { row_offsets, numbers: node_numbers, state }, orient, nodes as usize);
        }
        let Oriented { offsets, targets, sources, numbers } = &oriented;
        for part in &bound {
            let (graph, marks) = (&part.part.graph, &part.marks);
            let write = OrientWrite { graph, marks, before, node_numbers, runs, targets, sources, numbers, kept_marks };
            recorder.dispatch(&write, of(part), all_blocks(part));
        }
        for part in &bound {
            let rows = OrientRows { row_offsets, runs, offsets, pieces, state };
            recorder.dispatch(&rows, of(part), part.part.rows.count as usize + 1);
        }
        recorder.label("count");
        let (edges, marks) = (&oriented, kept_marks);
        let [search_totals, bitmap_totals] = &counts.totals;
        let [search_items, bitmap_items] =
            [extent.search_groups, extent.bitmap_groups].map(|groups| (groups * WORKGROUP) as usize);
        counts.totals.iter().for_each(|totals| recorder.fill(totals, 0));
        if extent.per_node {
            recorder.fill(&counts.nodes, 0);
            let counts = &counts.nodes;
            let search = TriangleSearchNodes { edges, marks, counts, totals: search_totals };
            recorder.dispatch(&search, params, search_items);
        } else {
            recorder.dispatch(&TriangleSearch { edges, totals: search_totals }, params, search_items);
        }
        for part in bound.iter().filter(|_| with_bitmaps) {
            recorder.fill(pieces_taken, 0);
            let (graph, totals, counts) = (&part.part.graph, bitmap_totals, &counts.nodes);
            let params = TriangleParams { bound: part.edges, ..params };
            if extent.per_node {
                let bitmap = TriangleBitmapNodes { graph, edges, pieces, marks, counts, state, pieces_taken, totals };
                recorder.dispatch(&bitmap, params, bitmap_items);
            } else {
                let bitmap = TriangleBitmap { graph, edges, pieces, state, pieces_taken, totals };
                recorder.dispatch(&bitmap, params, bitmap_items);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn no_more_nodes_are_heavy_than_a_bitmap_has_bits() {
        let heavy =
            |text: &str, fewest| heavy_degree(&text.parse::<Generator>().unwrap().generate().unwrap().csr, fewest);
        assert_eq!(heavy("star:nodes=9", 4), 4);
        assert_eq!(heavy("star:nodes=9", u32::MAX), u32::MAX);
        // All but those in corners and on sides have four edges, which is too many of them.
        assert_eq!(heavy("grid:rows=400,cols=400", 1), 5);
        assert_eq!(heavy("grid:rows=300,cols=300", 1), 1);
    }
}

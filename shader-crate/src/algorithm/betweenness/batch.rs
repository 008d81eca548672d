//! Up to 32 sources at once, for graphs of few levels. A node has a number for each source, one behind the other, and 32 neighbouring
//! invocations take a row together, each for its own source: what one edge is read for serves all of them, and the numbers of a neighbour
//! are read as they lie. A level goes over all rows, and an invocation does something where its source reached the node at that level.
//!
//! Long rows are cut into pieces, whose sums are joined in their order.

use super::Accumulate;
use super::data::{LevelPass, PathState};
use super::scaled::Scaled;
use crate::memory::UVec4;
use crate::prelude::*;

/// The number of sources.
pub const LANES: u32 = 32;

/// Words that hold a node's depths, four to a word.
pub const DEPTH_WORDS: u32 = LANES / 4;

/// The deepest level: beyond, a byte would mean that a node was not reached.
pub const DEEPEST: u32 = 253;

/// The longest piece of a row.
pub const PIECE: u32 = 512;

/// In place of the number of a piece: the row is whole.
pub const WHOLE: u32 = u32::MAX;

/// The depth of a node that was not reached.
const NOT_REACHED: u32 = 255;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BatchParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The first of the rows with edges, and of the pieces of those that are cut, in a partition.
    pub first_piece: u32,
    /// How many there are.
    pub pieces: u32,
    /// The rows that are cut.
    pub cuts: u32,
    /// The workgroups of a level.
    pub groups: u32,
}

/// What the sources know of the nodes.
#[derive(Bundle)]
pub struct Batch<S: Storage> {
    /// The rows to be added up: the node, its first edge in the columns of its partition, the one behind its last, and the number of the
    /// piece, or [`WHOLE`].
    pub pieces: S::Read<UVec4>,
    /// For each node the depth from each source, a byte each.
    pub depths: S::Read<u32>,
    /// For each node and source a [`Scaled`] number, as in `Paths`.
    pub values: S::Write<u32>,
    /// For each node and source what the paths from it depend on the node.
    pub dependencies: S::Write<f32>,
    /// For each piece and source the sum over the piece.
    pub sums: S::Write<u32>,
}

/// A batch, as one invocation sees it.
struct Row<'a> {
    lane: Lane,
    columns: Read<'a, u32>,
    batch: Batch<Views<'a>>,
    /// Its source.
    source: u32,
}

#[inline_all]
impl Row<'_> {
    fn depth(&self, node: u32) -> u32 {
        (self.batch.depths.get(node * DEPTH_WORDS + self.source / 4) >> (self.source % 4 * 8)) & 255
    }

    /// The value of the node at the end of an edge, if there is the edge and the node is at this depth; else 0.
    fn value(&self, present: bool, edge: u32, depth: u32) -> Scaled {
        let mut value = Scaled::ZERO;
        if present {
            self.lane.count_atoms(1);
            let node = self.columns.get(edge);
            if self.depth(node) == depth {
                value = Scaled::read::<false>(&self.batch.values, node * LANES + self.source);
            }
        }
        value
    }

    /// The sum over the neighbours at a depth along a row.
    fn sum(&self, mut edge: u32, end: u32, depth: u32) -> Scaled {
        let mut sum = Scaled::ZERO;
        while edge < end {
            // Four at a time, so that their loads are in flight together.
            let left = end - edge;
            let (a, b) = (self.value(true, edge, depth), self.value(left > 1, edge + 1, depth));
            let (c, d) = (self.value(left > 2, edge + 2, depth), self.value(left > 3, edge + 3, depth));
            sum = sum.plus(a.plus(b).plus(c.plus(d)));
            edge += left.min(4);
        }
        sum
    }
}

/// The team of invocations that this one belongs to, how many teams there are, and its source.
#[inline(always)]
fn team(lane: Lane) -> (u32, u32, u32) {
    (lane.global() / LANES, lane.threads * lane.groups / LANES, lane.local % LANES)
}

/// Begins a pass over the levels, of which `deepest` is the last.
#[inline(always)]
fn begin(params: &BatchParams, state: &mut State<PathState>, deepest: u32, level: u32) {
    state.begin(deepest, if deepest == 0 { 0 } else { params.groups });
    state.set(PathState::LEVEL, level);
}

/// Begins to count paths: one leads to each source. `sources` are their number, a word that is not read, and the nodes.
#[kernel(threads = 1)]
pub fn batch_begin(
    lane: Lane,
    params: &BatchParams,
    sources: Read<u32>,
    deepest: Read<u32>,
    mut values: Global<u32>,
    mut state: State<PathState>,
) {
    if lane.global() == 0 {
        for source in 0..sources.get(0) {
            Scaled::ONE.write::<false>(&mut values, sources.get(2 + source) * LANES + source);
        }
        begin(params, &mut state, deepest.get(0), 1);
    }
}

/// Begins the way back.
#[kernel(threads = 1)]
pub fn batch_turn(lane: Lane, params: &BatchParams, deepest: Read<u32>, mut state: State<PathState>) {
    if lane.global() == 0 {
        let deepest = deepest.get(0);
        begin(params, &mut state, deepest, deepest);
    }
}

/// One level in a partition: the sums over whole rows are stored, and those over pieces kept.
#[kernel(threads = 256, counts, each(P in for_each_pass))]
pub fn batch_level<P: LevelPass>(lane: Lane, params: &BatchParams, graph: Csr, batch: Batch, state: State<PathState>) {
    let level = state.get(PathState::LEVEL);
    let (team, teams, source) = team(lane);
    let mut row = Row { lane, columns: graph.columns, batch, source };
    for number in step(team, params.pieces, teams) {
        let piece = row.batch.pieces.get(params.first_piece + number);
        if row.depth(piece.x) == level {
            let sum = row.sum(piece.y, piece.z, P::other(level));
            if piece.w == WHOLE {
                let place = piece.x * LANES + source;
                P::store::<false>(&mut row.batch.values, &mut row.batch.dependencies, place, sum);
            } else {
                sum.write::<false>(&mut row.batch.sums, piece.w * LANES + source);
            }
        }
    }
}

/// Ends a level: joins the sums over pieces. `cuts` are the nodes whose rows are cut, their first piece and the one behind their last.
#[kernel(threads = 256, each(P in for_each_pass))]
pub fn batch_join<P: LevelPass>(
    lane: Lane,
    params: &BatchParams,
    batch: Batch,
    cuts: Read<UVec4>,
    mut state: State<PathState>,
) {
    let level = state.get(PathState::LEVEL);
    let (team, teams, source) = team(lane);
    let mut row = Row { lane, columns: batch.depths, batch, source };
    for number in step(team, params.cuts, teams) {
        let cut = cuts.get(number);
        if row.depth(cut.x) == level {
            let mut sum = Scaled::ZERO;
            for piece in cut.y..cut.z {
                sum = sum.plus(Scaled::read::<false>(&row.batch.sums, piece * LANES + source));
            }
            let place = cut.x * LANES + source;
            P::store::<false>(&mut row.batch.values, &mut row.batch.dependencies, place, sum);
        }
    }
    if state.is_last(lane) {
        let left = state.load(PathState::FRONTIER) - 1;
        state.store(PathState::FRONTIER, left);
        state.store(PathState::LEVEL, P::next(level));
        state.add(PathState::ITERATION, 1);
        if left == 0 {
            state.store(PathState::GROUPS.at(0), 0);
        }
    }
}

/// Adds the dependencies of these sources to those of the sources before them, in their order.
#[kernel(threads = 256, any_width, each(T in for_each_total))]
pub fn batch_add<T: Accumulate>(
    lane: Lane,
    params: &BatchParams,
    depths: Read<u32>,
    dependencies: Read<f32>,
    mut totals: Global<T>,
) {
    for node in lane.grid_stride(params.nodes) {
        let mut total = totals.get(node);
        for source in 0..LANES {
            let depth = (depths.get(node * DEPTH_WORDS + source / 4) >> (source % 4 * 8)) & 255;
            if depth != 0 && depth != NOT_REACHED {
                total = total.plus(dependencies.get(node * LANES + source));
            }
        }
        totals.set(node, total);
    }
}

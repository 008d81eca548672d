//! A search of which this device has a part of the rows, and others have the rest. Between two levels, which the host begins, it sorts out what
//! was found for others, takes what others have found for it, and gives its part of the frontier as bits where nodes pull.
//!
//! The bits of a range of nodes begin with its first node, as the blocks that workers exchange have them.

use super::{SearchData, SearchState};
use crate::frontier::{Bitmaps, DoubleList, HEAVY};
use crate::prelude::*;
use crate::strategy::degree;

/// In place of the number of nodes that were received: they are bits.
pub const AS_BITS: u32 = u32::MAX;

/// What the host pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SearchPart {
    /// The number of nodes of the whole graph.
    pub nodes: u32,
    /// The first node of this device.
    pub first: u32,
    /// How many nodes it has.
    pub count: u32,
}

impl SearchPart {
    /// Words of a bitmap of all nodes.
    pub fn words(&self) -> u32 {
        self.nodes.div_ceil(32)
    }

    /// Words of a bitmap of its own nodes.
    pub fn own_words(&self) -> u32 {
        self.count.div_ceil(32)
    }

    /// Whether it has the node.
    #[inline(always)]
    fn has(&self, node: u32) -> bool {
        node.wrapping_sub(self.first) < self.count
    }
}

/// Puts a node of this device on the list that is written.
#[inline(always)]
fn append(
    lane: Lane,
    row_offsets: Read<u32>,
    lists: &mut DoubleList,
    state: &mut State<SearchState>,
    half: u32,
    node: u32,
) {
    let is_heavy = degree(row_offsets, node) > HEAVY;
    lists.append(lane, state, (SearchState::NEXT, SearchState::NEXT_HEAVY), half, (node, is_heavy));
}

/// Sorts out the nodes that a push has found, which are on the list that is read: those of this device go on the other list, and those of others
/// to `outgoing`, behind their number.
#[kernel(threads = 256, any_width)]
pub fn search_sort_out(
    lane: Lane,
    params: &SearchPart,
    graph: Csr,
    data: SearchData,
    mut state: State<SearchState>,
    mut outgoing: Global<u32>,
) {
    let (half, count) = (state.get(SearchState::HALF), state.get(SearchState::FRONTIER));
    let light = count - state.get(SearchState::HEAVY);
    let mut lists = DoubleList { entries: data.lists, capacity: params.nodes };
    for item in lane.grid_stride(count) {
        let node = lists.entries.get(lists.item(half, light, item));
        if params.has(node) {
            append(lane, graph.row_offsets, &mut lists, &mut state, 1 - half, node);
        } else {
            let place = lane.append_one(&mut outgoing, 0);
            outgoing.set(1 + place, node);
        }
    }
}

/// Takes nodes of this device that others have found: those that were not visited get their depth, and go on the list that is written. They stand
/// behind their number, or, behind [`AS_BITS`], as bits.
#[kernel(threads = 256, any_width)]
pub fn search_receive(
    lane: Lane,
    params: &SearchPart,
    graph: Csr,
    received: Read<u32>,
    mut data: SearchData,
    mut state: State<SearchState>,
) {
    let (half, depth) = (state.get(SearchState::HALF), state.get(SearchState::ITERATION));
    let mut visited = Bitmaps::new(data.visited, params.words(), state.get(SearchState::SIDE));
    let mut lists = DoubleList { entries: data.lists, capacity: params.nodes };
    let number = received.get(0);
    let words = if number == AS_BITS { params.own_words() } else { number };
    for place in lane.grid_stride(words) {
        let entry = received.get(1 + place);
        // A node of a list is a single bit.
        let (mut base, mut bits) = (params.first + 32 * place, entry);
        if number != AS_BITS {
            (base, bits) = (entry, 1);
        }
        while bits != 0 {
            let node = base + bits.trailing_zeros();
            bits &= bits - 1;
            if params.has(node) && visited.visit(node, true) == 1 {
                data.depths.set(node, depth);
                append(lane, graph.row_offsets, &mut lists, &mut state, 1 - half, node);
            }
        }
    }
}

/// Adds the frontier of all workers, a bit for each node of the graph, to both bitmaps of visited nodes, which are then the same: after a pull they
/// differ by what it has found.
#[kernel(threads = 256, any_width)]
pub fn search_merge(lane: Lane, params: &SearchPart, frontier: Read<u32>, data: SearchData, state: State<SearchState>) {
    let mut visited = Bitmaps::new(data.visited, params.words(), state.get(SearchState::SIDE));
    for word in lane.grid_stride(params.words()) {
        let bits = visited.word(word) | frontier.get(word);
        visited.words.set(visited.current + word, bits);
        visited.words.set(visited.other + word, bits);
    }
}

/// Makes the bits of the nodes of this device that are in the frontier: those with its depth.
#[kernel(threads = 256, any_width)]
pub fn search_bits(
    lane: Lane,
    params: &SearchPart,
    data: SearchData,
    state: State<SearchState>,
    mut frontier: Global<u32>,
) {
    let depth = state.get(SearchState::ITERATION);
    for word in lane.grid_stride(params.own_words()) {
        let mut bits = 0;
        for bit in 0..32 {
            let place = 32 * word + bit;
            if place < params.count {
                bits |= u32::from(data.depths.get(params.first + place) == depth) << bit;
            }
        }
        frontier.set(word, bits);
    }
}

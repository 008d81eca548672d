//! Which partitions the next level needs, where the graph is streamed.

use super::{COLLECT, MARK, PUSH, SearchData, SearchState};
use crate::frontier::needs::{Needed, NeedsParams, mark};
use crate::frontier::{Bitmaps, DoubleList};
use crate::prelude::*;

/// What the host pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SearchNeedsParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The streamed partitions.
    pub needs: NeedsParams,
}

/// Marks the partitions of the nodes that push, or of those that pull. What collects needs none. Where all nodes of a word were visited, it does
/// for the bitmaps what pulling would.
#[kernel(threads = 256, any_width)]
pub fn search_needs(
    lane: Lane,
    params: &SearchNeedsParams,
    data: SearchData,
    state: State<SearchState>,
    mut needed: Needed,
) {
    let (mode, half, count) =
        (state.get(SearchState::MODE), state.get(SearchState::HALF), state.get(SearchState::FRONTIER));
    let words = params.nodes.div_ceil(32);
    if mode == PUSH || mode == MARK {
        let heavy = state.get(SearchState::HEAVY);
        let lists = DoubleList { entries: data.lists, capacity: params.nodes };
        for item in lane.grid_stride(count) {
            let node = lists.entries.get(lists.item(half, count - heavy, item));
            mark(&mut needed, params.needs, node, node);
        }
    } else if mode != COLLECT && count > 0 {
        let mut visited = Bitmaps::new(data.visited, words, state.get(SearchState::SIDE));
        for word in lane.grid_stride(words) {
            let open = !visited.word(word);
            if open != 0 {
                let (first, last) = (word * 32 + open.trailing_zeros(), word * 32 + 31 - open.leading_zeros());
                mark(&mut needed, params.needs, first, last);
            } else {
                // A partition that is left out does not bring the other bitmap up to date.
                visited.add_to_other(word, u32::MAX);
            }
        }
    }
}

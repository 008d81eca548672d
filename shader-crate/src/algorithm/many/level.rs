//! One level, from a list or over all nodes.

use super::data::{Bits, ManyParams, ManyState, Reach, Words};
use super::{ALL, CELLS, LONG, PULL_SHARE, SAMPLE, SOURCES};
use crate::frontier::DoubleList;
use crate::prelude::*;
use crate::primitive::workgroup::SUBGROUPS;
use crate::strategy::{degree, edges_in};

/// A search, as one invocation sees it.
pub(super) struct Search<'a> {
    pub lane: Lane,
    pub params: ManyParams,
    pub graph: Csr<Views<'a>>,
    pub seen: Global<'a, u32>,
    pub fronts: Global<'a, u32>,
    pub lists: DoubleList<'a>,
    pub state: State<'a, ManyState>,
    /// The words of the frontier, and its list: 0 or 1.
    pub side: u32,
}

#[inline_all]
impl<'a> Search<'a> {
    pub fn new(
        lane: Lane,
        params: &ManyParams,
        graph: Csr<Views<'a>>,
        reach: Reach<Views<'a>>,
        state: State<'a, ManyState>,
        side: u32,
    ) -> Self {
        Self {
            lane,
            params: *params,
            graph,
            seen: reach.seen,
            fronts: reach.fronts,
            lists: DoubleList { entries: reach.lists, capacity: params.nodes },
            state,
            side,
        }
    }

    /// The number of a node's edges.
    pub fn degree(&self, node: u32) -> u32 {
        degree(self.graph.row_offsets, node)
    }

    /// A node's first edge in the columns of the partition, and the one behind its last. The row of another partition is empty.
    pub fn row(&self, node: u32) -> (u32, u32) {
        let (begin, count) = edges_in(&self.params.rows, self.graph.row_offsets, node);
        (begin, begin + count)
    }

    /// The row of a node of the partition. A row of more than [`LONG`] edges is empty here, since its pieces are processed apart.
    pub fn short_row(&self, node: u32) -> (u32, u32) {
        let edges = self.degree(node);
        let (begin, count) = self.params.rows.place(self.graph.row_offsets.get(node), edges);
        (begin, if edges > LONG { begin } else { begin + count })
    }

    /// Where the bits of a node in the frontier are.
    pub fn front(&self, node: u32) -> u32 {
        self.side * self.params.nodes + node
    }

    /// Where its bits in the next frontier are.
    pub fn next_front(&self, node: u32) -> u32 {
        (1 - self.side) * self.params.nodes + node
    }

    /// The sources whose frontiers have enough edges to be pulled. The workgroup calls it together, with two free `cells`.
    fn pulled(&self, cells: &mut Shared<u32, CELLS>) -> Bits {
        let lane = self.lane;
        if lane.local < 2 {
            cells.set(lane.local, 0);
        }
        lane.barrier();
        for source in lane.group_stride(SOURCES) {
            if self.params.can_pull == 1
                && self.state.get(ManyState::edges_of(source)) > self.params.edges / (PULL_SHARE * SAMPLE)
            {
                cells.or(source / 32, 1 << (source % 32));
            }
        }
        lane.barrier();
        let pulled = Bits { low: cells.get(0), high: cells.get(1) };
        lane.barrier();
        pulled
    }
}

/// One level, along the edges of a partition. The last one ends it.
#[kernel(threads = 256, counts, each(W in for_each_width))]
pub fn many_level<W: Words>(
    lane: Lane,
    params: &ManyParams,
    graph: Csr,
    reach: Reach,
    state: State<ManyState>,
    pieces: Read<u32>,
    mut cells: Shared<u32, CELLS>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
    let (mode, side) = (state.get(ManyState::MODE), state.get(ManyState::SIDE));
    let (count, heavy) = (state.get(ManyState::FRONTIER), state.get(ManyState::HEAVY));
    let mut search = Search::new(lane, params, graph, reach, state, side);
    if mode == ALL {
        let pulled = search.pulled(&mut cells);
        if pulled.any() {
            search.pull_level::<W>(pulled, pieces);
        }
        let pushed = Bits::all::<W>().without(pulled);
        if pushed.any() {
            search.push_level::<W>(pushed, pieces, &mut cells, &mut slots);
        }
    } else {
        search.push_listed::<W>(count, heavy, &mut cells, &mut slots);
    }
    if search.state.is_last(lane) && params.rows.is_last == 1 {
        let state = &mut search.state;
        let listed = state.load(ManyState::NEXT) + state.load(ManyState::NEXT_HEAVY);
        let items = if mode == ALL { params.nodes } else { listed.max(count) };
        state.store(ManyState::SETTLE_GROUPS.at(0), items.div_ceil(WORKGROUP).clamp(1, params.max_groups));
        if mode == ALL {
            clear_edges(state);
        }
    }
}

/// Forgets how many edges the frontier of each source has.
#[inline(always)]
pub(super) fn clear_edges(state: &mut State<ManyState>) {
    for source in 0..SOURCES {
        state.store(ManyState::edges_of(source), 0);
    }
}

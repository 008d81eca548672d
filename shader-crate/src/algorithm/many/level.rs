//! One level, in the direction that was chosen for it.

use super::data::{Bits, ManyParams, ManyState, Reach, Words};
use super::push::CELLS;
use super::{PULL, PULL_SHARE, PUSH};
use crate::frontier::DoubleList;
use crate::prelude::*;
use crate::primitive::workgroup::{SUBGROUPS, prefix_sum};

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

    /// A node's first edge, and the one behind its last.
    pub fn row(&self, node: u32) -> (u32, u32) {
        (self.graph.row_offsets.get(node), self.graph.row_offsets.get(node + 1))
    }

    /// Where the bits of a node in the frontier are.
    pub fn front(&self, node: u32) -> u32 {
        self.side * self.params.nodes + node
    }

    /// Where its bits in the next frontier are.
    pub fn next_front(&self, node: u32) -> u32 {
        (1 - self.side) * self.params.nodes + node
    }

    /// Counts nodes that this invocation found, the edges out of them, and the sources that found them. The workgroup calls it together.
    pub fn count(&mut self, found: u32, edges: u32, active: Bits, slots: &mut Shared<u32, SUBGROUPS>) {
        let found = prefix_sum(self.lane, found, slots).total;
        self.lane.barrier();
        let edges = prefix_sum(self.lane, edges, slots).total;
        if self.lane.local == 0 && found > 0 {
            self.state.add(ManyState::FOUND, found);
            self.state.add(ManyState::EDGES, edges);
        }
        let (low, high) = (self.lane.reduce_or(active.low), self.lane.reduce_or(active.high));
        if self.lane.subgroup_lane == 0 && low != 0 {
            self.state.or(ManyState::NEXT_ACTIVE.at(0), low);
        }
        if self.lane.subgroup_lane == 0 && high != 0 {
            self.state.or(ManyState::NEXT_ACTIVE.at(1), high);
        }
    }
}

/// One level.
#[kernel(threads = 256, each(W in for_each_width))]
pub fn many_level<W: Words>(
    lane: Lane,
    params: &ManyParams,
    graph: Csr,
    reach: Reach,
    state: State<ManyState>,
    long: Read<u32>,
    mut cells: Shared<u32, CELLS>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    // Plain loads, so that a cache answers all but the first: these words are written only after everybody has taken a ticket.
    let (mode, side) = (state.get(ManyState::MODE), state.get(ManyState::SIDE));
    let (count, heavy) = (state.get(ManyState::FRONTIER), state.get(ManyState::HEAVY));
    let active = Bits { low: state.get(ManyState::ACTIVE.at(0)), high: state.get(ManyState::ACTIVE.at(1)) };
    let mut search = Search::new(lane, params, graph, reach, state, side);
    if mode == PULL {
        let (found, edges, active) = search.pull_level::<W>(active, long, &mut cells);
        lane.barrier();
        search.count(found, edges, active, &mut slots);
    } else {
        search.push_level::<W>(count, heavy, &mut cells, &mut slots);
    }
    if search.state.is_last(lane) {
        let state = &mut search.state;
        // What a push finds is on a list, and counted when it is settled.
        let listed = state.load(ManyState::NEXT) + state.load(ManyState::NEXT_HEAVY);
        let items = if mode == PULL { params.nodes } else { listed.max(count) };
        let edges = state.load(ManyState::EDGES);
        let pulls = mode == PULL && edges > params.edges / PULL_SHARE;
        state.store(ManyState::NEXT_MODE, if pulls { PULL } else { PUSH });
        state.store(ManyState::SETTLE_GROUPS.at(0), items.div_ceil(WORKGROUP).clamp(1, params.max_groups));
    }
}

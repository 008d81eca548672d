//! Peeling (Batagelj and Zaveršnik 2003; Kabir and Madduri 2017, "PKC"; Zhao et al. 2024, "PeelOne"), all levels in one dispatch by
//! cooperating workgroups. At level k the nodes that are left are looked through for those of at most k neighbours. Whoever takes a node
//! away lowers the number of neighbours of those around it, and takes away those that come down to k, in the same round: a workgroup has
//! a queue of them in its own memory. What does not fit there is on a list that all workgroups share in a further round of the same
//! level.
//!
//! A node's count of neighbours is lowered while it is above k and never below, so it is right for the next level. Its core number is
//! written by compare-and-swap, so one invocation takes it away.
//!
//! In a graph of several partitions, a round is a dispatch for each. A dispatch looks through the nodes of its own rows, and lowers the
//! counts around those of them that were taken away before; what it takes away itself is on its queues if its row is here and whole, and
//! else on the list for the next round.

use super::NOT_PEELED;
use crate::prelude::*;
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::{SUBGROUPS, Slots};
use crate::rounds::{Cooperating, Round, RoundState, Rounds, Team, join, run_rounds};
use crate::strategy::{degree, edges_in};
use evenkeel_types::Cooperation;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PeelParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The level to begin at.
    pub first: u32,
    /// The level to end with.
    pub last: u32,
    /// The workgroups that cooperate.
    pub groups: u32,
    /// The loop iterations of an invocation in one dispatch, at most.
    pub loop_limit: u32,
    /// Not 0 where the graph has several partitions: then a dispatch has one round.
    pub several: u32,
    /// The nodes whose edges are bound to this dispatch.
    pub rows: RowRange,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct PeelState {
    /// `frontier` is the number of entries of the next round, `iteration` that of finished rounds.
    pub header: LoopHeader,
    /// The level.
    pub level: u32,
    /// Whether the next round looks for nodes to take away: 1; 2 when these are all nodes in their order, and no list.
    pub scan: u32,
    /// How many nodes are on the list of those that are left.
    pub left: u32,
    /// Which of the two lists of those that are left is read next: 0 or 1.
    pub left_half: u32,
    /// Which of the two lists of those that had no place in a queue is read next: 0 or 1.
    pub overflow_half: u32,
    /// Where cooperating workgroups wait for each other.
    pub cooperation: Cooperation<19>,
    /// Three of each of the counters, which rounds use in turn.
    pub counts: [u32; 15],
}

const _: () = Cooperation::<19>::has_own_line(core::mem::offset_of!(PeelState, cooperation));

/// The counter of nodes that are left.
const LEFT: u32 = 0;
/// The counter of nodes that had no place in a queue.
const OVERFLOW: u32 = 1;
/// The counter of nodes that were taken away because they were looked through.
const FOUND: u32 = 2;
/// The fewest neighbours of a node that is left.
const LOWEST: u32 = 3;
/// The counter of workgroups that must not go on.
const OUT_OF_BUDGET: u32 = 4;

impl RoundState for PeelState {
    #[inline(always)]
    fn count(counter: u32, round: u32) -> Field<Self> {
        Self::COUNTS.at(counter * 3 + round % 3)
    }
}

/// What is read and written beside the state.
#[derive(Bundle)]
pub struct PeelData<S: Storage> {
    /// How many neighbours each node has that are not taken away.
    pub degrees: S::Write<u32>,
    /// The core numbers.
    pub cores: S::Write<u32>,
    /// Two lists of the nodes that are left, one behind the other.
    pub left: S::Write<u32>,
    /// Two lists of the nodes that had no place in a queue.
    pub overflow: S::Write<u32>,
}

/// Entries of a workgroup's queue in one round.
const QUEUE: u32 = 512;

const QUEUE_WORDS: usize = QUEUE as usize;

/// Workgroup memory of a round.
struct Memory<'a> {
    /// The nodes that the workgroup has taken away in this round.
    queue: Shared<'a, u32, QUEUE_WORDS>,
    /// See [`line_up`].
    cells: Shared<'a, u32, CELLS>,
    /// See [`line_up`].
    slots: Slots<'a>,
    /// How many nodes were put on the queue, how many were found, the fewest neighbours of a node that is left, and the loop iterations
    /// of an invocation in this dispatch so far.
    counts: Shared<'a, u32, 4>,
}

/// Two words for each invocation.
const CELLS: usize = 2 * WORKGROUP as usize;

/// What is known before a round.
#[derive(Clone, Copy)]
struct Level {
    level: u32,
    scan: u32,
    /// Entries of the list that the round takes.
    entries: u32,
    left: u32,
    left_half: u32,
    overflow_half: u32,
    /// Whether there is more to do than this dispatch may do.
    is_out_of_budget: bool,
}

/// Where [`Memory`] counts what.
const QUEUED: u32 = 0;
const FOUND_HERE: u32 = 1;
const LOWEST_HERE: u32 = 2;
const SPENT: u32 = 3;

/// A node that is none.
const NO_NODE: u32 = u32::MAX;

/// A round, as one invocation sees it.
struct Peeling<'a> {
    lane: Lane,
    params: PeelParams,
    graph: Csr<Views<'a>>,
    data: PeelData<Views<'a>>,
    state: State<'a, PeelState>,
}

#[inline_all]
impl Peeling<'_> {
    /// Takes a node away if nobody has. Whoever does it puts the node on the queue, or on the list of those that have no place there.
    fn take(&mut self, memory: &mut Memory, round: u32, level: Level, node: u32) -> bool {
        if self.data.cores.compare_exchange(node, NOT_PEELED, level.level) != NOT_PEELED {
            return false;
        }
        if degree(self.graph.row_offsets, node) > 0 {
            // A row that is cut has edges in other partitions, too.
            let is_here = self.params.rows.has(node) && self.params.rows.is_cut == 0;
            let place = if is_here { memory.counts.add(QUEUED, 1) } else { QUEUE };
            if place < QUEUE {
                memory.queue.set(place, node);
            } else {
                let place = self.state.append_one(self.lane, PeelState::count(OVERFLOW, round));
                self.data.overflow.store((1 - level.overflow_half) * self.params.nodes + place, node);
            }
        }
        true
    }

    /// Whether this dispatch looks through a node: its row begins here.
    fn begins_here(&self, node: u32) -> bool {
        let rows = &self.params.rows;
        rows.has(node) && (rows.is_cut == 0 || self.graph.row_offsets.get(node) == rows.edges_before)
    }

    /// Looks through this invocation's part of the nodes that are left.
    fn scan(&mut self, team: &mut Cooperating, memory: &mut Memory, round: u32, level: Level) {
        let (mut found, mut lowest) = (0, u32::MAX);
        let nodes = self.params.nodes;
        let share = Team::<PeelState>::share(team, level.entries);
        for number in 0..share {
            let place = Team::<PeelState>::place(team, number);
            let mut keep = 0;
            let mut node = place;
            if place < level.entries {
                if level.scan == 1 {
                    node = self.data.left.load(level.left_half * nodes + place);
                }
                if self.begins_here(node) {
                    let (core, degree) = (self.data.cores.load(node), self.data.degrees.load(node));
                    if core == NOT_PEELED {
                        if degree <= level.level {
                            found += u32::from(self.take(memory, round, level, node));
                        } else {
                            keep = 1;
                            lowest = lowest.min(degree);
                        }
                    }
                }
            }
            let place = team.reserve(&mut self.state, LEFT, round, keep);
            if keep == 1 {
                self.data.left.store((1 - level.left_half) * nodes + place, node);
            }
        }
        if self.lane.local == 0 {
            memory.counts.add(SPENT, 2 * share);
        }
        if found > 0 {
            memory.counts.add(FOUND_HERE, found);
        }
        if lowest < u32::MAX {
            memory.counts.min(LOWEST_HERE, lowest);
        }
        self.lane.barrier();
        if self.lane.local == 0 {
            let (found, lowest) = (memory.counts.get(FOUND_HERE), memory.counts.get(LOWEST_HERE));
            if found > 0 {
                self.state.add(PeelState::count(FOUND, round), found);
            }
            team.lower(&mut self.state, LOWEST, round, lowest);
        }
    }

    /// Lowers the count of a neighbour of a node that was taken away, and takes it away if it comes down to the level.
    fn lower(&mut self, memory: &mut Memory, round: u32, level: Level, node: u32) {
        let before = self.data.degrees.add(node, u32::MAX);
        if before == level.level + 1 {
            self.take(memory, round, level, node);
        } else if before <= level.level {
            // Somebody else has brought it down meanwhile.
            self.data.degrees.add(node, 1);
        }
    }

    /// Lowers the counts around the nodes that were taken away, on the list where this round has one, and on the queue.
    fn spread(&mut self, team: &mut Cooperating, memory: &mut Memory, round: u32, level: Level) {
        let (lane, nodes, columns) = (self.lane, self.params.nodes, self.graph.columns);
        let share = if level.scan == 0 { Team::<PeelState>::share(team, level.entries) } else { 0 };
        let (mut number, mut head) = (0, 0);
        lane.barrier();
        let mut tail = memory.counts.get(QUEUED).min(QUEUE);
        while number < share || head < tail {
            let mut node = NO_NODE;
            if number < share {
                let place = Team::<PeelState>::place(team, number);
                if place < level.entries {
                    node = self.data.overflow.load(level.overflow_half * nodes + place);
                }
                number += 1;
            } else {
                if head + lane.local < tail {
                    node = memory.queue.get(head + lane.local);
                }
                head = tail.min(head + lane.threads);
            }
            let (mut begin, mut count) = (0, 0);
            if node != NO_NODE {
                (begin, count) = edges_in(&self.params.rows, self.graph.row_offsets, node);
            }
            let edges = line_up(lane, begin, count, &mut memory.cells, &mut memory.slots);
            for place in step(lane.local, edges, TOGETHER * lane.threads) {
                // Past the end the last edge is repeated, and not counted.
                let (last, width) = (edges - 1, lane.threads);
                let (has_b, has_c, has_d) =
                    (place + width < edges, place + 2 * width < edges, place + 3 * width < edges);
                lane.count_atoms(1 + u32::from(has_b) + u32::from(has_c) + u32::from(has_d));
                let a = columns.get(shared_out(lane, &memory.cells, place).1);
                let b = columns.get(shared_out(lane, &memory.cells, last.min(place + width)).1);
                let c = columns.get(shared_out(lane, &memory.cells, last.min(place + 2 * width)).1);
                let d = columns.get(shared_out(lane, &memory.cells, last.min(place + 3 * width)).1);
                let (of_a, of_b) = (self.data.degrees.load(a), self.data.degrees.load(b));
                let (of_c, of_d) = (self.data.degrees.load(c), self.data.degrees.load(d));
                if of_a > level.level {
                    self.lower(memory, round, level, a);
                }
                if has_b && of_b > level.level {
                    self.lower(memory, round, level, b);
                }
                if has_c && of_c > level.level {
                    self.lower(memory, round, level, c);
                }
                if has_d && of_d > level.level {
                    self.lower(memory, round, level, d);
                }
            }
            if lane.local == 0 {
                memory.counts.add(SPENT, BATCH_LOOPS + EDGE_LOOPS * edges.div_ceil(TOGETHER * lane.threads));
            }
            lane.barrier();
            tail = memory.counts.get(QUEUED).min(QUEUE);
            if memory.counts.get(SPENT) > self.params.loop_limit && number >= share {
                // The rest of the queue is for the next dispatch.
                for place in step(head + lane.local, tail, lane.threads) {
                    let free = self.state.append_one(lane, PeelState::count(OVERFLOW, round));
                    let node = memory.queue.get(place);
                    self.data.overflow.store((1 - level.overflow_half) * nodes + free, node);
                }
                head = tail;
            }
        }
    }
}

/// Edges that an invocation loads before it looks at the first of them.
const TOGETHER: u32 = 4;

/// Loop iterations for as many edges: four searches in [`shared_out`].
pub const EDGE_LOOPS: u32 = 36;

/// Loop iterations for as many nodes as a workgroup has invocations: their prefix sums, where subgroups are small.
pub const BATCH_LOOPS: u32 = 48;

#[inline_all]
impl<'a> Round<PeelState, Cooperating<'a>> for Peeling<'a> {
    type Known = Level;
    type Memory = Memory<'a>;

    fn entries(level: Level) -> u32 {
        if level.is_out_of_budget { 0 } else { level.entries }
    }

    /// The round counts by itself: see [`Memory`].
    fn cost(_: Level, _: u32) -> u32 {
        0
    }

    fn clear(&mut self, team: &mut Cooperating<'a>, round: u32) {
        for counter in 0..5 {
            let value = if counter == LOWEST { u32::MAX } else { 0 };
            team.set_count(&mut self.state, counter, round, value);
        }
    }

    fn run(&mut self, team: &mut Cooperating<'a>, memory: &mut Self::Memory, round: u32, level: Level) -> u32 {
        if self.lane.local == 0 {
            memory.counts.set(QUEUED, 0);
            memory.counts.set(FOUND_HERE, 0);
            memory.counts.set(LOWEST_HERE, u32::MAX);
        }
        self.lane.barrier();
        if level.scan > 0 {
            self.scan(team, memory, round, level);
        }
        self.spread(team, memory, round, level);
        if self.lane.local == 0 && memory.counts.get(SPENT) > self.params.loop_limit {
            self.state.add(PeelState::count(OUT_OF_BUDGET, round), 1);
        }
        0
    }

    fn after(&mut self, team: &mut Cooperating<'a>, round: u32, level: Level) -> Level {
        team.finish_round(&mut self.state, round);
        let overflow = team.count(&self.state, OVERFLOW, round);
        let is_out_of_budget = self.params.several > 0 || team.count(&self.state, OUT_OF_BUDGET, round) > 0;
        let (mut left, mut left_half, mut next_level) = (level.left, level.left_half, level.level);
        if level.scan > 0 {
            left = team.count(&self.state, LEFT, round);
            left_half = 1 - left_half;
            if team.count(&self.state, FOUND, round) == 0 {
                // Nothing was lowered in this round, so the lowest is right.
                next_level = team.count(&self.state, LOWEST, round) - 1;
            }
        }
        if overflow > 0 {
            let overflow_half = 1 - level.overflow_half;
            return Level {
                level: level.level,
                scan: 0,
                entries: overflow,
                left,
                left_half,
                overflow_half,
                is_out_of_budget,
            };
        }
        // Where none is left, the lowest is the largest number, and the level does not matter any more.
        next_level = next_level.wrapping_add(1);
        let entries = if next_level > self.params.last { 0 } else { left };
        Level {
            level: next_level,
            scan: 1,
            entries,
            left,
            left_half,
            overflow_half: level.overflow_half,
            is_out_of_budget,
        }
    }
}

/// Begins: no node has a core number, and all are to be looked through.
#[kernel(threads = 256, any_width)]
pub fn peel_start(lane: Lane, params: &PeelParams, graph: Csr, mut data: PeelData, mut state: State<PeelState>) {
    for node in lane.grid_stride(params.nodes) {
        data.degrees.set(node, degree(graph.row_offsets, node));
        data.cores.set(node, NOT_PEELED);
    }
    if lane.global() == 0 {
        state.begin(params.nodes, params.groups.min(params.nodes));
        state.set(PeelState::LEVEL, params.first);
        state.set(PeelState::SCAN, 2);
        state.set(PeelState::LEFT, params.nodes);
        clear_counts(&mut state);
    }
}

/// Makes the counters what they are before a dispatch.
#[inline(always)]
fn clear_counts(state: &mut State<PeelState>) {
    for round in 0..3 {
        for counter in 0..5 {
            state.store(PeelState::count(counter, round), if counter == LOWEST { u32::MAX } else { 0 });
        }
    }
}

/// Takes away nodes, level after level, until none is left, or until this dispatch has done enough. What the dispatches of a round count
/// is added up; the last of them ends it.
#[kernel(threads = 256, counts)]
pub fn peel(
    lane: Lane,
    params: &PeelParams,
    graph: Csr,
    data: PeelData,
    mut state: State<PeelState>,
    queue: Shared<u32, QUEUE_WORDS>,
    cells: Shared<u32, CELLS>,
    slots: Shared<u32, SUBGROUPS>,
    mut counts: Shared<u32, 4>,
    membership: Shared<u32, 2>,
) {
    let level = Level {
        level: state.load(PeelState::LEVEL),
        scan: state.load(PeelState::SCAN),
        entries: state.load(PeelState::FRONTIER),
        left: state.load(PeelState::LEFT),
        left_half: state.load(PeelState::LEFT_HALF),
        overflow_half: state.load(PeelState::OVERFLOW_HALF),
        is_out_of_budget: false,
    };
    if lane.local == 0 {
        counts.set(SPENT, 0);
    }
    let mut memory = Memory { queue, cells, slots, counts };
    let mut team = join(lane, &mut state, membership, (params.nodes, 0), (0, u32::MAX));
    let mut peel = Peeling { lane, params: *params, graph, data, state };
    let Rounds { known: level, count: rounds, .. } = run_rounds(&mut team, &mut peel, &mut memory, level, u32::MAX);
    let state = &mut peel.state;
    let ends_round = params.rows.is_last > 0;
    if team.is_leader() && ends_round {
        state.store(PeelState::LEVEL, level.level);
        state.store(PeelState::SCAN, level.scan);
        state.store(PeelState::FRONTIER, level.entries);
        state.store(PeelState::LEFT, level.left);
        state.store(PeelState::LEFT_HALF, level.left_half);
        state.store(PeelState::OVERFLOW_HALF, level.overflow_half);
        state.store(PeelState::ITERATION, state.load(PeelState::ITERATION) + rounds);
    }
    if state.is_last(lane) {
        if ends_round {
            clear_counts(state);
        }
        Cooperating::dissolve(state);
        if state.load(PeelState::FRONTIER) == 0 {
            state.store(PeelState::GROUPS.at(0), 0);
        }
    }
}

//! A worklist in three sections, by the number of invocations that share a node: one for a light node, a subgroup for a medium one, a
//! workgroup for a heavy one. A section begins at the same place in every worklist, because degrees do not change. Heavy nodes are
//! processed first, so that none of them is started last.

use super::{Rank, UNCOLORED};
use crate::prelude::*;
use crate::ranges::Step;
use crate::strategy::degree;

/// The largest degree of a light node: its smallest free colour is then within one word of marks.
pub const LIGHT: u32 = 31;
/// The largest degree of a medium node.
pub const MEDIUM: u32 = 511;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SectionParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// Where the section of medium nodes begins, which is the number of light nodes.
    pub medium: u32,
    /// Where the section of heavy nodes begins.
    pub heavy: u32,
    /// The largest number of workgroups of a dispatch.
    pub max_groups: u32,
    /// The seed of the random labels.
    pub seed: u32,
}

/// The state of the loop: how many entries the sections of the two worklists have.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, Fields)]
pub struct SectionState {
    /// What every loop has.
    pub header: LoopHeader,
    /// The number of light nodes in the current worklist.
    pub light: u32,
    /// The number of medium nodes in the current worklist.
    pub medium: u32,
    /// The number of heavy nodes in the current worklist.
    pub heavy: u32,
    /// Keeps the counters that all workgroups add to apart from what they read: 128 bytes.
    pub apart: [u32; 21],
    /// The number of light nodes in the next worklist so far.
    pub next_light: u32,
    /// The number of medium nodes in the next worklist so far.
    pub next_medium: u32,
    /// The number of heavy nodes in the next worklist so far.
    pub next_heavy: u32,
}

/// The two worklists of a graph, with all that is needed to read and to write them.
pub struct Sections<'a> {
    /// What the host pushed.
    pub params: SectionParams,
    /// The graph whose nodes are on the worklists.
    pub graph: Csr<Views<'a>>,
    /// The entries.
    pub worklist: Worklist<Views<'a>>,
    /// How many entries there are.
    pub state: State<'a, SectionState>,
}

#[inline_all]
impl Sections<'_> {
    /// The sizes of the sections of the current worklist.
    pub fn counts(&self) -> Counts {
        Counts {
            light: self.state.load(SectionState::LIGHT),
            medium: self.state.load(SectionState::MEDIUM),
            heavy: self.state.load(SectionState::HEAVY),
        }
    }

    /// The share of this invocation in a round. The width is the same for the whole workgroup.
    pub fn share(&self, lane: Lane, counts: &Counts, round: u32) -> Share {
        let params = &self.params;
        let medium_rounds = counts.medium.div_ceil(lane.subgroups);
        let (mut place, mut end) = (params.heavy + round, params.heavy + counts.heavy);
        let (mut member, mut width) = (lane.local, lane.threads);
        if round >= counts.heavy + medium_rounds {
            place = (round - counts.heavy - medium_rounds) * lane.threads + lane.local;
            end = counts.light;
            member = 0;
            width = 1;
        } else if round >= counts.heavy {
            place = params.medium + (round - counts.heavy) * lane.subgroups + lane.subgroup;
            end = params.medium + counts.medium;
            member = lane.subgroup_lane;
            width = lane.subgroup_size;
        }
        Share { node: if place < end { self.worklist.current.get(place) } else { NO_NODE }, member, width }
    }

    /// Appends `node` to its section of the next worklist.
    pub fn push(&mut self, lane: Lane, node: u32) {
        let edges = degree(self.graph.row_offsets, node);
        // One atomic reserves places for a whole subgroup, so the invocations that call it together must use the same counter.
        if edges <= LIGHT {
            let place = self.state.append_one(lane, SectionState::NEXT_LIGHT);
            self.worklist.next.set(place, node);
        } else if edges <= MEDIUM {
            let place = self.state.append_one(lane, SectionState::NEXT_MEDIUM);
            self.worklist.next.set(self.params.medium + place, node);
        } else {
            let place = self.state.append_one(lane, SectionState::NEXT_HEAVY);
            self.worklist.next.set(self.params.heavy + place, node);
        }
    }

    /// Every invocation calls this last: the next worklist becomes the current one, after `iterations` (0 or 1) more.
    pub fn advance(&mut self, lane: Lane, iterations: u32) {
        let state = &mut self.state;
        if state.is_last(lane) {
            let counts = Counts {
                light: state.load(SectionState::NEXT_LIGHT),
                medium: state.load(SectionState::NEXT_MEDIUM),
                heavy: state.load(SectionState::NEXT_HEAVY),
            };
            state.store(SectionState::LIGHT, counts.light);
            state.store(SectionState::MEDIUM, counts.medium);
            state.store(SectionState::HEAVY, counts.heavy);
            state.store(SectionState::NEXT_LIGHT, 0);
            state.store(SectionState::NEXT_MEDIUM, 0);
            state.store(SectionState::NEXT_HEAVY, 0);
            state.store(SectionState::GROUPS.at(0), counts.rounds(lane).min(self.params.max_groups));
            state.store(SectionState::GROUPS.at(1), 1);
            state.store(SectionState::GROUPS.at(2), 1);
            state.store(SectionState::FRONTIER, counts.light + counts.medium + counts.heavy);
            state.store(SectionState::ITERATION, state.load(SectionState::ITERATION) + iterations);
        }
    }
}

/// The number of nodes in each section of a worklist.
pub struct Counts {
    light: u32,
    medium: u32,
    heavy: u32,
}

#[inline_all]
impl Counts {
    /// The sizes of the sections when all nodes are on the worklist.
    pub fn all(params: &SectionParams) -> Self {
        Self { light: params.medium, medium: params.heavy - params.medium, heavy: params.nodes - params.heavy }
    }

    /// The number of rounds of a workgroup that process the whole worklist.
    pub fn rounds(&self, lane: Lane) -> u32 {
        self.heavy + self.medium.div_ceil(lane.subgroups) + self.light.div_ceil(lane.threads)
    }
}

/// Stands for an absent node.
const NO_NODE: u32 = u32::MAX;

/// A node, and the edges of it that this invocation visits: every `width`-th from the `member`-th on.
pub struct Share {
    /// The node, or `u32::MAX` where there is none.
    pub node: u32,
    member: u32,
    width: u32,
}

#[inline_all]
impl Share {
    /// Whether there is a node.
    pub fn is_some(&self) -> bool {
        self.node != NO_NODE
    }

    /// Whether there is a node and this invocation writes its result.
    pub fn leads(&self) -> bool {
        self.is_some() && self.member == 0
    }

    /// The first edge of this invocation, and the end of the node's edges.
    fn range(&self, graph: Csr<Views>) -> (u32, u32) {
        if self.is_some() {
            (graph.row_offsets.get(self.node) + self.member, graph.row_offsets.get(self.node + 1))
        } else {
            (0, 0)
        }
    }

    /// The edges of this invocation.
    pub fn edges(&self, graph: Csr<Views>) -> Step {
        let (begin, end) = self.range(graph);
        step(begin, end, self.width)
    }

    /// The node's rank, or that of the first node where there is none: a share without a node has no edge that asks for it.
    pub(super) fn rank(&self, graph: Csr<Views>, seed: u32) -> Rank {
        Rank::of(graph, seed, if self.is_some() { self.node } else { 0 })
    }

    /// Whether the whole workgroup shares the node.
    pub fn is_for_workgroup(&self, lane: Lane) -> bool {
        self.width == lane.threads
    }

    /// The sum of the values of all invocations that share the node, which are fewer than a workgroup.
    pub fn subgroup_sum(&self, lane: Lane, value: u32) -> u32 {
        if self.width > 1 { lane.reduce_add(value) } else { value }
    }

    /// The sum of the values of all invocations that share the node. The whole workgroup calls it together.
    pub fn sum(&self, lane: Lane, value: u32, marks: &mut Marks) -> u32 {
        if self.is_for_workgroup(lane) {
            if lane.local == 0 {
                marks.set(0, 0);
            }
            lane.barrier();
            marks.add(0, value);
            lane.barrier();
            let sum = marks.get(0);
            lane.barrier();
            sum
        } else {
            self.subgroup_sum(lane, value)
        }
    }
}

/// What the search for a free colour does at a neighbour.
#[inline_all]
pub trait Look {
    /// The neighbour's colour. A colour with the highest bit set does not count.
    fn color(&self, neighbour: u32) -> u32;
}

/// The words of workgroup memory in which a workgroup marks the colours around a heavy node: 2,048 colours at a time.
pub const MARKS: usize = 64;
const WORDS: u32 = MARKS as u32;
const SPAN: u32 = 32 * WORDS;

/// The marks of a workgroup.
pub type Marks<'a> = Shared<'a, u32, MARKS>;

/// A set of colours.
trait Mark {
    /// Adds a colour, counted from the first that the set can hold; colours past the last are ignored.
    fn mark(&mut self, place: u32);
}

impl Mark for Marks<'_> {
    #[inline(always)]
    fn mark(&mut self, place: u32) {
        if place < SPAN {
            self.or(place / 32, 1 << (place % 32));
        }
    }
}

/// The number of edges whose loads are in flight together.
const TOGETHER: u32 = 4;

/// Marks the colours at the invocation's edges from `base` on.
#[inline(always)]
fn mark_around<L: Look, M: Mark>(share: &Share, graph: Csr<Views>, look: &L, marks: &mut M, base: u32) {
    let (mut edge, end) = share.range(graph);
    let width = share.width;
    while edge < end {
        // Past the end the last edge is repeated, whose colour may be marked twice.
        let left = end - edge;
        let a = graph.columns.get(edge);
        let b = graph.columns.get(edge + width.min(left - 1));
        let c = graph.columns.get(edge + (2 * width).min(left - 1));
        let d = graph.columns.get(edge + (3 * width).min(left - 1));
        let (of_a, of_b, of_c, of_d) = (look.color(a), look.color(b), look.color(c), look.color(d));
        marks.mark(of_a.wrapping_sub(base));
        marks.mark(of_b.wrapping_sub(base));
        marks.mark(of_c.wrapping_sub(base));
        marks.mark(of_d.wrapping_sub(base));
        edge = if left > TOGETHER * width { edge + TOGETHER * width } else { end };
    }
}

/// The smallest colour that no neighbour has according to `look`, for all that share the node. The whole workgroup calls it together.
#[inline(always)]
pub fn smallest_free<L: Look>(lane: Lane, share: &Share, graph: Csr<Views>, look: &L, marks: &mut Marks) -> u32 {
    let mut free = UNCOLORED;
    let mut base = 0;
    if share.width == lane.threads {
        while free == UNCOLORED {
            for word in lane.group_stride(WORDS) {
                marks.set(word, 0);
            }
            lane.barrier();
            mark_around(share, graph, look, marks, base);
            lane.barrier();
            let mut word = 0;
            while word < WORDS && marks.get(word) == u32::MAX {
                word += 1;
            }
            if word < WORDS {
                free = base + 32 * word + first_clear(marks.get(word));
            }
            lane.barrier();
            base += SPAN;
        }
    } else {
        while free == UNCOLORED {
            let mut window = Window { words: [0, 0, 0, 0] };
            mark_around(share, graph, look, &mut window, base);
            if share.width > 1 {
                window.join(lane);
            }
            free = window.first_clear(base);
            base += Window::SPAN;
        }
    }
    free
}

#[inline(always)]
fn first_clear(word: u32) -> u32 {
    (!word).trailing_zeros()
}

/// The marks of an invocation or a subgroup. They stay in registers because every index into them is a constant.
struct Window {
    words: [u32; 4],
}

impl Mark for Window {
    #[inline(always)]
    fn mark(&mut self, place: u32) {
        let bit = 1 << (place % 32);
        let word = place / 32;
        self.words[0] |= if word == 0 { bit } else { 0 };
        self.words[1] |= if word == 1 { bit } else { 0 };
        self.words[2] |= if word == 2 { bit } else { 0 };
        self.words[3] |= if word == 3 { bit } else { 0 };
    }
}

#[inline_all]
impl Window {
    const SPAN: u32 = 128;

    /// Makes the marks the union of those of the whole subgroup.
    fn join(&mut self, lane: Lane) {
        self.words[0] = lane.reduce_or(self.words[0]);
        self.words[1] = lane.reduce_or(self.words[1]);
        self.words[2] = lane.reduce_or(self.words[2]);
        self.words[3] = lane.reduce_or(self.words[3]);
    }

    /// The first colour from `base` on that is not marked, or [`UNCOLORED`] when all are.
    fn first_clear(&self, base: u32) -> u32 {
        if self.words[0] != u32::MAX {
            base + first_clear(self.words[0])
        } else if self.words[1] != u32::MAX {
            base + 32 + first_clear(self.words[1])
        } else if self.words[2] != u32::MAX {
            base + 64 + first_clear(self.words[2])
        } else if self.words[3] != u32::MAX {
            base + 96 + first_clear(self.words[3])
        } else {
            UNCOLORED
        }
    }
}

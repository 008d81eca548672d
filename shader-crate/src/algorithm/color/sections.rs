//! A worklist in three sections, by how many invocations a node is worth: light nodes one, medium ones a subgroup, heavy ones a
//! workgroup. A section begins at the same place in every worklist, since nobody's degree changes. Heavy nodes are taken first,
//! so that nobody waits for one that was begun last.

use super::{Rank, degree};
use crate::{
    lane::Lane,
    memory::{Global, Read, Shared},
    ranges::{Step, step},
};
use evenkeel_types::{Control, LIGHT, MEDIUM, SectionParams, Sections, UNCOLORED};

/// In place of a node where there is none.
const NOBODY: u32 = u32::MAX;

/// Words of workgroup memory in which a workgroup marks the colours around a heavy node: 2,048 colours at a time.
pub const MARKS: usize = 64;
const WORDS: u32 = MARKS as u32;
const SPAN: u32 = 32 * WORDS;

/// Room for the marks.
pub type Marks<'a> = Shared<'a, u32, MARKS>;

/// How many nodes each section of a worklist has.
pub struct Counts {
    light: u32,
    medium: u32,
    heavy: u32,
}

impl Counts {
    /// Those of the worklist that is read.
    #[inline(always)]
    pub fn of(sections: &Global<u32>) -> Self {
        Self {
            light: sections.load(Sections::LIGHT),
            medium: sections.load(Sections::MEDIUM),
            heavy: sections.load(Sections::HEAVY),
        }
    }

    /// Those of all nodes.
    #[inline(always)]
    pub fn all(params: &SectionParams) -> Self {
        Self { light: params.medium, medium: params.heavy - params.medium, heavy: params.nodes - params.heavy }
    }

    /// How many workgroups' worth of work there is.
    #[inline(always)]
    pub fn rounds(&self, lane: Lane) -> u32 {
        self.heavy + self.medium.div_ceil(lane.subgroups) + self.light.div_ceil(lane.threads)
    }

    /// What falls to this invocation in a round; the width is the same for the whole workgroup.
    #[inline(always)]
    pub fn share(&self, lane: Lane, params: &SectionParams, list: Read<u32>, round: u32) -> Share {
        let medium_rounds = self.medium.div_ceil(lane.subgroups);
        let (mut place, mut end) = (params.heavy + round, params.heavy + self.heavy);
        let (mut member, mut width) = (lane.local, lane.threads);
        if round >= self.heavy + medium_rounds {
            place = (round - self.heavy - medium_rounds) * lane.threads + lane.local;
            end = self.light;
            member = 0;
            width = 1;
        } else if round >= self.heavy {
            place = params.medium + (round - self.heavy) * lane.subgroups + lane.subgroup;
            end = params.medium + self.medium;
            member = lane.subgroup_lane;
            width = lane.subgroup_size;
        }
        Share { node: if place < end { list.get(place) } else { NOBODY }, member, width }
    }
}

/// A node, and which of its edges fall to this invocation: every `width`-th from the `member`-th on.
pub struct Share {
    /// Which, or nobody.
    pub node: u32,
    member: u32,
    width: u32,
}

impl Share {
    /// Whether there is a node.
    #[inline(always)]
    pub fn is_some(&self) -> bool {
        self.node != NOBODY
    }

    /// Whether there is a node and this invocation is the one to write what became of it.
    #[inline(always)]
    pub fn leads(&self) -> bool {
        self.is_some() && self.member == 0
    }

    /// The first edge that falls to this invocation, and where the node's end.
    #[inline(always)]
    fn range(&self, row_offsets: Read<u32>) -> (u32, u32) {
        if self.is_some() { (row_offsets.get(self.node) + self.member, row_offsets.get(self.node + 1)) } else { (0, 0) }
    }

    /// The edges that fall to this invocation.
    #[inline(always)]
    pub fn edges(&self, row_offsets: Read<u32>) -> Step {
        let (begin, end) = self.range(row_offsets);
        step(begin, end, self.width)
    }

    /// The node's rank; nobody's is that of the first node, for which no edge asks.
    #[inline(always)]
    pub(super) fn rank(&self, row_offsets: Read<u32>, seed: u32) -> Rank {
        Rank::of(row_offsets, seed, if self.is_some() { self.node } else { 0 })
    }

    /// The sum of what all that share the node have. The whole workgroup calls it together.
    #[inline(always)]
    pub fn sum(&self, lane: Lane, value: u32, marks: &mut Marks) -> u32 {
        if self.width == lane.threads {
            if lane.local == 0 {
                marks.set(0, 0);
            }
            lane.barrier();
            marks.add(0, value);
            lane.barrier();
            let sum = marks.get(0);
            lane.barrier();
            sum
        } else if self.width > 1 {
            lane.reduce_add(value)
        } else {
            value
        }
    }
}

/// What the search for a free colour asks at an edge.
pub trait Look {
    /// The node at its end.
    fn neighbour(&self, edge: u32) -> u32;

    /// That node's colour; something with the highest bit set where there is none that counts.
    fn color(&self, neighbour: u32) -> u32;

    /// Whether that node goes on the next worklist. Asked once for each edge, however often its colour is.
    #[inline(always)]
    fn releases(&mut self, _neighbour: u32, _color: u32) -> bool {
        false
    }

    /// Puts it there.
    #[inline(always)]
    fn push(&mut self, _lane: Lane, _neighbour: u32) {}
}

/// Where colours are marked.
trait Mark {
    /// Marks a colour, counted from the first that there is room for; those past the last are left out.
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

/// Edges that are looked at together: each waits for memory, but none for the other.
const TOGETHER: u32 = 4;

/// Marks the colours at the invocation's edges, from `base` on; the first time, when that is 0, it also releases neighbours.
#[inline(always)]
fn mark_around<L: Look, M: Mark>(
    lane: Lane,
    share: &Share,
    row_offsets: Read<u32>,
    look: &mut L,
    marks: &mut M,
    base: u32,
) {
    let (mut edge, end) = share.range(row_offsets);
    let width = share.width;
    while edge < end {
        // Past the end is the last edge once more, whose colour may be marked twice.
        let left = end - edge;
        let a = look.neighbour(edge);
        let b = look.neighbour(edge + width.min(left - 1));
        let c = look.neighbour(edge + (2 * width).min(left - 1));
        let d = look.neighbour(edge + (3 * width).min(left - 1));
        let (of_a, of_b, of_c, of_d) = (look.color(a), look.color(b), look.color(c), look.color(d));
        marks.mark(of_a.wrapping_sub(base));
        marks.mark(of_b.wrapping_sub(base));
        marks.mark(of_c.wrapping_sub(base));
        marks.mark(of_d.wrapping_sub(base));
        if base == 0 {
            let release_a = look.releases(a, of_a);
            let release_b = width < left && look.releases(b, of_b);
            let release_c = 2 * width < left && look.releases(c, of_c);
            let release_d = 3 * width < left && look.releases(d, of_d);
            if release_a {
                look.push(lane, a);
            }
            if release_b {
                look.push(lane, b);
            }
            if release_c {
                look.push(lane, c);
            }
            if release_d {
                look.push(lane, d);
            }
        }
        edge = if left > TOGETHER * width { edge + TOGETHER * width } else { end };
    }
}

/// The smallest colour that no neighbour has, as `look` sees them: all that share the node get it. The whole workgroup calls it
/// together.
#[inline(always)]
pub fn smallest_free<L: Look>(
    lane: Lane,
    share: &Share,
    row_offsets: Read<u32>,
    look: &mut L,
    marks: &mut Marks,
) -> u32 {
    let mut free = UNCOLORED;
    let mut base = 0;
    if share.width == lane.threads {
        while free == UNCOLORED {
            for word in lane.group_stride(WORDS) {
                marks.set(word, 0);
            }
            lane.barrier();
            mark_around(lane, share, row_offsets, look, marks, base);
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
            mark_around(lane, share, row_offsets, look, &mut window, base);
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

/// The marks of an invocation or a subgroup: registers, as long as nobody computes an index into them.
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

impl Window {
    const SPAN: u32 = 128;

    /// Makes the marks of a subgroup one.
    #[inline(always)]
    fn join(&mut self, lane: Lane) {
        self.words[0] = lane.reduce_or(self.words[0]);
        self.words[1] = lane.reduce_or(self.words[1]);
        self.words[2] = lane.reduce_or(self.words[2]);
        self.words[3] = lane.reduce_or(self.words[3]);
    }

    /// The first colour from `base` on that is not marked, if there is one.
    #[inline(always)]
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

/// Puts `node` on the next worklist, into its section.
#[inline(always)]
pub fn push(
    lane: Lane,
    params: &SectionParams,
    row_offsets: Read<u32>,
    node: u32,
    next: &mut Global<u32>,
    sections: &mut Global<u32>,
) {
    let edges = degree(row_offsets, node);
    // A subgroup's places are counted by one atomic, so whoever is here together must mean the same counter.
    if edges <= LIGHT {
        let place = lane.append_one(sections, Sections::NEXT_LIGHT);
        next.set(place, node);
    } else if edges <= MEDIUM {
        let place = lane.append_one(sections, Sections::NEXT_MEDIUM);
        next.set(params.medium + place, node);
    } else {
        let place = lane.append_one(sections, Sections::NEXT_HEAVY);
        next.set(params.heavy + place, node);
    }
}

/// Every invocation calls this last. When all are done, the worklist that was written becomes the one to read; `iterations`,
/// 0 or 1, are over with that.
#[inline(always)]
pub fn advance(
    lane: Lane,
    params: &SectionParams,
    control: &mut Global<u32>,
    sections: &mut Global<u32>,
    iterations: u32,
) {
    if lane.last(control, Control::TICKET) {
        let counts = Counts {
            light: sections.load(Sections::NEXT_LIGHT),
            medium: sections.load(Sections::NEXT_MEDIUM),
            heavy: sections.load(Sections::NEXT_HEAVY),
        };
        sections.store(Sections::LIGHT, counts.light);
        sections.store(Sections::MEDIUM, counts.medium);
        sections.store(Sections::HEAVY, counts.heavy);
        for word in Sections::NEXT_LIGHT..Sections::NEXT_HEAVY + 1 {
            sections.store(word, 0);
        }
        control.store(Control::GROUPS, counts.rounds(lane).min(params.max_groups));
        control.store(Control::GROUPS + 1, 1);
        control.store(Control::GROUPS + 2, 1);
        control.store(Control::FRONTIER, counts.light + counts.medium + counts.heavy);
        control.store(Control::ITERATION, control.load(Control::ITERATION) + iterations);
    }
}

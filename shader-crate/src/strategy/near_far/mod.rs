//! Shortest paths that take what is near first (Davidson et al. 2014, near-far piles, a simple delta-stepping). A node whose
//! distance has fallen is near if that is at most a threshold, and lowers its neighbours in the next iteration; else it waits on
//! a list of what is far. When nothing near is left, the threshold grows, and the list is split. So few nodes are taken before
//! their distance is final, where the plain worklist takes most of them many times.
//!
//! A workgroup shares out the edges of its nodes evenly, and a row with thousands is taken in pieces. While lists are short, one
//! workgroup takes many iterations in one dispatch, or a few do that wait for each other. All of that is chosen on the device.

pub mod abreast;
pub mod begin;
mod relax;
pub mod resident;
mod split;

use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::relax::Distance,
    primitive::workgroup::SUBGROUPS,
};
use evenkeel_types::{Control, NearFarParams, UNREACHED, WORKGROUP};

/// The paths found so far, as one invocation sees them.
pub struct Paths<'a> {
    /// What the host chose.
    pub params: NearFarParams,
    /// Where each node's edges begin.
    pub row_offsets: Read<'a, u32>,
    /// Where each edge leads.
    pub columns: Read<'a, u32>,
    /// What each weighs.
    pub weights: Read<'a, u32>,
    /// The distances found.
    pub distances: Global<'a, u32>,
    /// The last iteration in which each node was put on the list of the near.
    pub marks: Global<'a, u32>,
    /// A bit for each node that is on the list of the far.
    pub waiting: Global<'a, u32>,
    /// Four lists, one behind the other: two of the near and two of the far.
    pub lists: Global<'a, u32>,
    /// Two lists of the pieces of long rows that are near: each a node and the number of its piece.
    pub pieces: Global<'a, u32>,
    /// The words of a [`Control`].
    pub control: Global<'a, u32>,
}

/// What is known before an iteration.
#[derive(Clone, Copy)]
pub struct Moment {
    /// Its number, from 1 on.
    pub iteration: u32,
    /// The list of the near that is read, 0 or 1.
    pub half: u32,
    /// How many nodes are on it, and pieces of long rows on theirs.
    pub near: u32,
    /// The list of the far, 0 or 1.
    pub far_half: u32,
    /// How many nodes are on it.
    pub far: u32,
    /// Up to this distance a node is near.
    pub threshold: u32,
    /// The shortest distance on the list of the far, if it has just been split; else 0.
    pub lowest: u32,
}

impl Moment {
    /// What the control block says.
    #[inline(always)]
    pub fn of(control: &Global<u32>) -> Self {
        // Plain, so that a cache answers all but the first: they are written only after everybody has taken a ticket.
        let (entries, mode) = (control.get(Control::FRONTIER), control.get(Control::MODE));
        Self {
            iteration: control.get(Control::ITERATION) + 1,
            half: control.get(Control::SIDE),
            near: if mode == NearFarParams::RELAX { entries } else { 0 },
            far_half: control.get(Control::FAR_SIDE),
            far: control.get(Control::FAR),
            threshold: control.get(Control::THRESHOLD),
            lowest: control.get(Control::LOWEST),
        }
    }

    /// Whether this iteration splits the list of the far: nothing is near.
    #[inline(always)]
    pub fn splits(&self) -> bool {
        self.near == 0
    }

    /// How many entries it reads.
    #[inline(always)]
    pub fn entries(&self) -> u32 {
        if self.splits() { self.far } else { self.near }
    }

    /// Whether one workgroup takes it.
    #[inline(always)]
    pub fn is_short(&self, params: &NearFarParams) -> bool {
        self.entries() > 0 && self.entries() <= params.short
    }

    /// Whether a few do.
    #[inline(always)]
    pub fn is_middling(&self, params: &NearFarParams) -> bool {
        self.entries() > params.short && self.entries() <= params.middling
    }

    /// The threshold after a split: what is far is further than the one before, and than the shortest known.
    #[inline(always)]
    pub fn grown<D: Distance>(&self, delta: u32) -> u32 {
        D::along(self.threshold.max(self.lowest), delta)
    }

    /// The moment after an iteration that has put `near` nodes on the one list and `far` on the other, the shortest of which, if
    /// it has split them, has distance `lowest`.
    #[inline(always)]
    pub fn after<D: Distance>(self, delta: u32, near: u32, far: u32, lowest: u32) -> Self {
        let splits = self.splits();
        Self {
            iteration: self.iteration + 1,
            half: 1 - self.half,
            near,
            far_half: if splits { 1 - self.far_half } else { self.far_half },
            far: if splits { far } else { self.far + far },
            threshold: if splits { self.grown::<D>(delta) } else { self.threshold },
            lowest: if splits && near == 0 { lowest } else { 0 },
        }
    }

    /// Writes it for the next dispatch, whose workgroups it sizes: of the whole, or the one or the few that take many iterations.
    #[inline(always)]
    pub fn write(&self, params: &NearFarParams, control: &mut Global<u32>, pieces: u32) {
        let mut groups = if self.splits() {
            self.far.div_ceil(WORKGROUP)
        } else {
            pieces + (self.near - pieces).div_ceil(params.nodes_a_group)
        };
        let (one, few) = (self.is_short(params), self.is_middling(params));
        if one || few {
            groups = 0;
        }
        control.store(Control::ITERATION, self.iteration - 1);
        control.store(Control::FRONTIER, self.entries());
        control.store(Control::LEFT, pieces);
        control.store(Control::SIDE, self.half);
        control.store(Control::MODE, if self.splits() { NearFarParams::SPLIT } else { NearFarParams::RELAX });
        control.store(Control::FAR_SIDE, self.far_half);
        control.store(Control::FAR, self.far);
        control.store(Control::THRESHOLD, self.threshold);
        control.store(Control::LOWEST, self.lowest);
        control.store(Control::GROUPS, groups.min(params.max_groups));
        control.store(Control::EXPAND_GROUPS, one.into());
        control.store(Control::ABREAST_GROUPS, if few { params.few_groups } else { 0 });
    }
}

/// A node at the end of an edge, and the distance that it has along it.
#[derive(Clone, Copy)]
pub struct Reached {
    /// The node.
    pub node: u32,
    /// The distance, or [`UNREACHED`] when there is no edge.
    pub distance: u32,
    /// 1 when it goes on the list of the near.
    pub near: u32,
    /// 1 when it goes on the list of the far.
    pub far: u32,
}

/// Four of them.
#[derive(Clone, Copy)]
pub struct Four {
    /// The first.
    pub a: Reached,
    /// The second.
    pub b: Reached,
    /// The third.
    pub c: Reached,
    /// The fourth.
    pub d: Reached,
}

impl Four {
    /// How many go on the list of the near, and how many on that of the far.
    #[inline(always)]
    pub fn counts(&self) -> (u32, u32) {
        let Self { a, b, c, d } = self;
        (a.near + b.near + c.near + d.near, a.far + b.far + c.far + d.far)
    }
}

impl Paths<'_> {
    /// The entry of a list of the near.
    #[inline(always)]
    pub fn near(&self, half: u32, entry: u32) -> u32 {
        half * self.params.nodes + entry
    }

    /// The entry of a list of the far.
    #[inline(always)]
    pub fn far(&self, half: u32, entry: u32) -> u32 {
        (2 + half) * self.params.nodes + entry
    }

    /// Where a piece of a long row begins that is near.
    #[inline(always)]
    pub fn piece(&self, half: u32, entry: u32) -> u32 {
        2 * (half * self.params.pieces + entry)
    }

    /// What is at the end of an edge of a node at `distance`, if there is one.
    #[inline(always)]
    pub fn along<D: Distance>(&mut self, distance: u32, edge: u32, there: bool) -> Reached {
        let (node, mut reached) = (self.columns.get(edge), D::along(distance, self.weights.get(edge)));
        if !there {
            reached = UNREACHED;
        } else if reached == UNREACHED {
            // Too far for 32 bits. The host looks into it if the node stays unreached.
            self.control.store(Control::OVERFLOW, 1);
        }
        Reached { node, distance: reached, near: 0, far: 0 }
    }

    /// Lowers the node's distance. Whether it fell.
    #[inline(always)]
    pub fn lower(&mut self, reached: Reached) -> bool {
        reached.distance != UNREACHED && reached.distance < self.distances.min(reached.node, reached.distance)
    }

    /// Finds out which list a node whose distance fell goes on, if it is not there already.
    #[inline(always)]
    pub fn settle(&mut self, moment: Moment, reached: Reached, fell: bool) -> Reached {
        let (mut near, mut far) = (0, 0);
        if fell && reached.distance <= moment.threshold {
            near = u32::from(self.marks.exchange(reached.node, moment.iteration) != moment.iteration);
        } else if fell {
            let bit = 1 << (reached.node % 32);
            far = u32::from(self.waiting.or(reached.node / 32, bit) & bit == 0);
        }
        Reached { near, far, ..reached }
    }

    /// Relaxes an edge of a node at `distance` and the next three, as far as there are any before `end`. What one waits for the
    /// others wait for at the same time.
    #[inline(always)]
    pub fn relax_four<D: Distance>(&mut self, moment: Moment, distance: u32, edge: u32, end: u32) -> Four {
        let last = end - 1;
        let a = self.along::<D>(distance, edge, true);
        let b = self.along::<D>(distance, last.min(edge + 1), edge < last);
        let c = self.along::<D>(distance, last.min(edge + 2), edge + 1 < last);
        let d = self.along::<D>(distance, last.min(edge + 3), edge + 2 < last);
        let fell = (self.lower(a), self.lower(b), self.lower(c), self.lower(d));
        let (a, b) = (self.settle(moment, a, fell.0), self.settle(moment, b, fell.1));
        let (c, d) = (self.settle(moment, c, fell.2), self.settle(moment, d, fell.3));
        Four { a, b, c, d }
    }

    /// Every invocation calls this last. When all are done, what was written becomes what is read.
    #[inline(always)]
    fn advance<D: Distance>(&mut self, lane: Lane, moment: Moment) {
        if lane.last(&mut self.control, Control::TICKET) {
            // All at once, so that they are on their way together.
            let control = &mut self.control;
            let (nodes, pieces) = (control.load(Control::NEXT), control.load(Control::LEFT_NEXT));
            let (far, lowest) = (control.load(Control::FAR_COUNTS), control.load(Control::LOWESTS));
            control.store(Control::NEXT, 0);
            control.store(Control::LEFT_NEXT, 0);
            control.store(Control::FAR_COUNTS, 0);
            control.store(Control::LOWESTS, UNREACHED);
            moment.after::<D>(self.params.delta, nodes + pieces, far, lowest).write(&self.params, control, pieces);
        }
    }
}

/// One iteration by the whole dispatch.
#[kernel(threads = 256, each(D in for_each_path))]
pub fn near_far<D: Distance>(
    lane: Lane,
    params: &NearFarParams,
    row_offsets: Read<u32>,
    columns: Read<u32>,
    weights: Read<u32>,
    distances: Global<u32>,
    marks: Global<u32>,
    waiting: Global<u32>,
    lists: Global<u32>,
    pieces: Global<u32>,
    control: Global<u32>,
    mut cells: Shared<u32, 768>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let (moment, long) = (Moment::of(&control), control.get(Control::LEFT));
    let mut paths =
        Paths { params: *params, row_offsets, columns, weights, distances, marks, waiting, lists, pieces, control };
    if moment.splits() {
        paths.split::<D>(lane, moment);
    } else {
        paths.relax::<D>(lane, moment, long, &mut cells, &mut slots);
    }
    paths.advance::<D>(lane, moment);
}

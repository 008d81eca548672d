//! Iteration after iteration in one dispatch, by one workgroup, for as long as the lists are short: on a road or a grid a dispatch
//! for each of thousands of iterations costs more than these. What is near stays in workgroup memory.

use super::{Moment, Paths, Reached, split::Goes};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::relax::Distance,
    strategy::direction::resident::{LEVELS, turns},
};
use evenkeel_types::{NearFarParams, UNREACHED};

/// Entries of a list that have room in workgroup memory, two lists in the 16 KiB that every device has; those that follow go to
/// the list that the whole dispatch reads.
const ROOM: u32 = 2040;

/// Where the entries of the lists of the near are, and the counts of all, three of each that take turns.
struct Near<'a> {
    entries: Shared<'a, u32, { 2 * ROOM as usize }>,
    counts: Shared<'a, u32, 9>,
    /// The list that the whole dispatch goes on with.
    half: u32,
}

/// Where the counts of an iteration are.
#[derive(Clone, Copy)]
struct Turn(u32);

impl Turn {
    #[inline(always)]
    fn near(self) -> u32 {
        self.0 % 3
    }

    #[inline(always)]
    fn far(self) -> u32 {
        3 + self.0 % 3
    }

    #[inline(always)]
    fn lowest(self) -> u32 {
        6 + self.0 % 3
    }

    /// The list that is written.
    #[inline(always)]
    fn to(self) -> u32 {
        (self.0 + 1) % 2
    }
}

impl Near<'_> {
    /// Puts a node on the list that is written, at `place`.
    #[inline(always)]
    fn set(&mut self, paths: &mut Paths, turn: Turn, place: u32, node: u32) {
        if place < ROOM {
            self.entries.set(turn.to() * ROOM + place, node);
        } else {
            paths.lists.store(paths.near(self.half, place), node);
        }
    }

    /// Puts a node on the lists that it goes on. Returns the next places.
    #[inline(always)]
    fn list(
        &mut self,
        paths: &mut Paths,
        turn: Turn,
        moment: Moment,
        reached: Reached,
        (near, far): (u32, u32),
    ) -> (u32, u32) {
        if reached.near == 1 {
            self.set(paths, turn, near, reached.node);
        }
        if reached.far == 1 {
            let place = paths.far(moment.far_half, moment.far + far);
            paths.lists.store(place, reached.node);
        }
        (near + reached.near, far + reached.far)
    }

    /// The edges of the nodes that are near, an invocation to each node.
    #[inline(always)]
    fn relax<D: Distance>(&mut self, lane: Lane, paths: &mut Paths, turn: Turn, moment: Moment) {
        for entry in lane.group_stride(moment.near) {
            let node = self.entries.get((turn.0 % 2) * ROOM + entry);
            let (mut edge, end) = (paths.row_offsets.get(node), paths.row_offsets.get(node + 1));
            let distance = paths.distances.load(node);
            while edge < end {
                let four = paths.relax_four::<D>(moment, distance, edge, end);
                let (near, far) = four.counts();
                if near + far > 0 {
                    let places = (self.counts.add(turn.near(), near), self.counts.add(turn.far(), far));
                    let places = self.list(paths, turn, moment, four.a, places);
                    let places = self.list(paths, turn, moment, four.b, places);
                    let places = self.list(paths, turn, moment, four.c, places);
                    self.list(paths, turn, moment, four.d, places);
                }
                edge += 4;
            }
        }
    }

    /// See `split.rs`.
    #[inline(always)]
    fn split<D: Distance>(&mut self, lane: Lane, paths: &mut Paths, turn: Turn, moment: Moment) {
        let threshold = moment.grown::<D>(paths.params.delta);
        for entry in lane.group_stride(moment.far) {
            let node = paths.lists.load(paths.far(moment.far_half, entry));
            let (goes, distance) = paths.sort(moment, threshold, node);
            if goes == Goes::Near {
                let place = self.counts.add(turn.near(), 1);
                self.set(paths, turn, place, node);
            } else if goes == Goes::Far {
                let place = paths.far(1 - moment.far_half, self.counts.add(turn.far(), 1));
                paths.lists.store(place, node);
                self.counts.min(turn.lowest(), distance);
            }
        }
    }
}

/// As many iterations as there are before a list is long, or all are empty. Every row is short.
#[kernel(threads = 1024, each(D in for_each_path))]
pub fn near_far_resident<D: Distance>(
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
    entries: Shared<u32, 4080>,
    counts: Shared<u32, 9>,
) {
    let mut moment = Moment::of(&control);
    let half = moment.half;
    let mut paths =
        Paths { params: *params, row_offsets, columns, weights, distances, marks, waiting, lists, pieces, control };
    let mut near = Near { entries, counts, half: 1 - half };
    for entry in lane.group_stride(moment.near) {
        near.entries.set(entry, paths.lists.get(paths.near(half, entry)));
    }
    if lane.local < 9 {
        near.counts.set(lane.local, if lane.local < 6 { 0 } else { UNREACHED });
    }
    lane.barrier();
    let (mut rounds, mut taken) = (0, 0);
    while moment.is_short(params) && rounds < LEVELS && taken < params.turns {
        taken += turns(1);
        let (turn, next) = (Turn(rounds), Turn(rounds + 1));
        // Counts take turns: these were read two iterations ago, and are written in the next.
        if lane.local == 0 {
            near.counts.set(next.near(), 0);
            near.counts.set(next.far(), 0);
            near.counts.set(next.lowest(), UNREACHED);
        }
        if moment.splits() {
            near.split::<D>(lane, &mut paths, turn, moment);
        } else {
            near.relax::<D>(lane, &mut paths, turn, moment);
        }
        lane.barrier_with_buffers();
        let counts = &near.counts;
        let (found, far) = (counts.get(turn.near()), counts.get(turn.far()));
        moment = moment.after::<D>(params.delta, found, far, counts.get(turn.lowest()));
        rounds += 1;
    }
    // The whole dispatch goes on with the list, or nobody.
    for entry in lane.group_stride(moment.near.min(ROOM)) {
        let node = near.entries.get((rounds % 2) * ROOM + entry);
        paths.lists.set(paths.near(1 - half, entry), node);
    }
    if lane.local == 0 {
        Moment { half: 1 - half, ..moment }.write(params, &mut paths.control, 0);
    }
}

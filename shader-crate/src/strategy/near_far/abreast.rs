//! Iteration after iteration in one dispatch, by a few workgroups, while the lists are of middling length. At the end of an
//! iteration they wait for each other; who takes part is found out as in a search (see `direction/abreast.rs`).

use super::{Moment, Paths, Reached, split::Goes};
use crate::{
    kernel,
    lane::Lane,
    memory::{Global, Read, Shared},
    operator::relax::Distance,
    ranges::step,
    strategy::direction::{
        abreast::{NOBODY, take_part},
        resident::{LEVELS, turns},
    },
};
use evenkeel_types::{Control, NearFarParams, UNREACHED};

/// An invocation's place among all that take part.
#[derive(Clone, Copy)]
struct Member {
    lane: Lane,
    /// Its number, and how many there are.
    number: u32,
    members: u32,
    /// Which of three counts this iteration has.
    turn: u32,
}

impl Paths<'_> {
    /// Puts a node on the lists that it goes on. Returns the next places.
    #[inline(always)]
    fn list_at(&mut self, moment: Moment, reached: Reached, (near, far): (u32, u32)) -> (u32, u32) {
        if reached.near == 1 {
            self.lists.store(self.near(1 - moment.half, near), reached.node);
        }
        if reached.far == 1 {
            self.lists.store(self.far(moment.far_half, far), reached.node);
        }
        (near + reached.near, far + reached.far)
    }

    /// The edges of the nodes that are near, an invocation to each node.
    #[inline(always)]
    fn relax_abreast<D: Distance>(&mut self, member: Member, moment: Moment) {
        let Member { lane, number, members, turn } = member;
        for entry in step(number, moment.near, members) {
            let node = self.lists.load(self.near(moment.half, entry));
            let (mut edge, end) = (self.row_offsets.get(node), self.row_offsets.get(node + 1));
            let distance = self.distances.load(node);
            while edge < end {
                let four = self.relax_four::<D>(moment, distance, edge, end);
                let (near, far) = four.counts();
                if near + far > 0 {
                    let counters = (Control::COUNTS + turn, Control::FAR_COUNTS + turn);
                    let (near, far) = lane.append_both(&mut self.control, counters, (near, far));
                    let places = self.list_at(moment, four.a, (near, moment.far + far));
                    let places = self.list_at(moment, four.b, places);
                    let places = self.list_at(moment, four.c, places);
                    self.list_at(moment, four.d, places);
                }
                edge += 4;
            }
        }
    }

    /// See `split.rs`.
    #[inline(always)]
    fn split_abreast<D: Distance>(&mut self, member: Member, moment: Moment) {
        let Member { lane, number, members, turn } = member;
        let threshold = moment.grown::<D>(self.params.delta);
        let mut lowest = UNREACHED;
        for entry in step(number, moment.far, members) {
            let node = self.lists.load(self.far(moment.far_half, entry));
            let (goes, distance) = self.sort(moment, threshold, node);
            if goes == Goes::Near {
                let place = lane.append_one(&mut self.control, Control::COUNTS + turn);
                self.lists.store(self.near(1 - moment.half, place), node);
            } else if goes == Goes::Far {
                let place = lane.append_one(&mut self.control, Control::FAR_COUNTS + turn);
                self.lists.store(self.far(1 - moment.far_half, place), node);
                lowest = lowest.min(distance);
            }
        }
        if lowest != UNREACHED {
            self.control.min(Control::LOWESTS + turn, lowest);
        }
    }

    /// Makes the counts what they are between dispatches.
    #[inline(always)]
    fn forget(&mut self) {
        for turn in 0..3 {
            self.control.store(Control::COUNTS + turn, 0);
            self.control.store(Control::FAR_COUNTS + turn, 0);
            self.control.store(Control::LOWESTS + turn, UNREACHED);
        }
        self.control.store(Control::MEMBERS, 0);
        self.control.store(Control::MEETINGS, 0);
    }
}

/// As many iterations as there are before a list is long, or short. Every row is short.
#[kernel(threads = 256, each(D in for_each_path))]
pub fn near_far_abreast<D: Distance>(
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
    mut control: Global<u32>,
    mut membership: Shared<u32, 2>,
) {
    let mut moment = Moment::of(&control);
    let (number, members) = take_part(lane, &mut control, &mut membership);
    let mut paths =
        Paths { params: *params, row_offsets, columns, weights, distances, marks, waiting, lists, pieces, control };
    let (mut rounds, mut taken) = (0, 0);
    while number != NOBODY && moment.is_middling(params) && rounds < LEVELS && taken < params.turns {
        taken += turns(moment.entries().div_ceil(members * lane.threads));
        let next = (rounds + 1) % 3;
        // Counts take turns: these were read two iterations ago, and are written in the next.
        if number == 0 && lane.local == 0 {
            paths.control.store(Control::COUNTS + next, 0);
            paths.control.store(Control::FAR_COUNTS + next, 0);
            paths.control.store(Control::LOWESTS + next, UNREACHED);
        }
        let turn = rounds % 3;
        let member = Member { lane, number: number * lane.threads + lane.local, members: members * lane.threads, turn };
        if moment.splits() {
            paths.split_abreast::<D>(member, moment);
        } else {
            paths.relax_abreast::<D>(member, moment);
        }
        rounds += 1;
        lane.meet(&mut paths.control, Control::MEETINGS, rounds * members);
        let (near, far) = (paths.control.load(Control::COUNTS + turn), paths.control.load(Control::FAR_COUNTS + turn));
        let lowest = paths.control.load(Control::LOWESTS + turn);
        moment = moment.after::<D>(params.delta, near, far, lowest);
    }
    if number == 0 && lane.local == 0 {
        moment.write(params, &mut paths.control, 0);
    }
    if lane.last(&mut paths.control, Control::TICKET) {
        paths.forget();
    }
}

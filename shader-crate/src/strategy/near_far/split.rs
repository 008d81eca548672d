//! Splitting the list of far nodes when no near node is left: the threshold grows, and the nodes within it are near. Those that have been near
//! since they were put there are done, and dropped.

use super::{NearFarState, Paths, Progress};
use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::rounds::RoundState;

/// Where a node of the list goes.
#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
pub(super) enum Destination {
    /// It is dropped.
    Nowhere,
    /// The list of near nodes.
    Near,
    /// The other list of far nodes.
    Far,
}

#[inline_all]
impl<D: Distance> Paths<'_, D> {
    /// Where a node goes, and its distance.
    pub(super) fn destination(&mut self, progress: Progress, threshold: u32, node: u32) -> (Destination, u32) {
        let distance = self.data.distances.load(node);
        let destination = if distance <= progress.threshold {
            Destination::Nowhere
        } else if distance <= threshold {
            Destination::Near
        } else {
            Destination::Far
        };
        if destination != Destination::Far {
            self.data.waiting.and(node / 32, !(1 << (node % 32)));
        }
        (destination, distance)
    }

    /// One iteration by the whole dispatch.
    pub(super) fn split(&mut self, progress: Progress) {
        let threshold = progress.grown::<D>(self.params.delta);
        let mut lowest = UNREACHED;
        for entry in self.lane.grid_stride(progress.far) {
            let node = self.data.lists.get(self.far(progress.far_half, entry));
            let (destination, distance) = self.destination(progress, threshold, node);
            if destination == Destination::Near {
                self.list_near(progress, (node, 1), (node, 0));
            } else if destination == Destination::Far {
                let entry = self.state.append_one(self.lane, NearFarState::count(NearFarState::FAR_ADDED, 0));
                self.data.lists.set(self.far(1 - progress.far_half, entry), node);
                lowest = lowest.min(distance);
            }
        }
        if lowest != UNREACHED {
            self.state.min(NearFarState::count(NearFarState::SHORTEST, 0), lowest);
        }
    }
}

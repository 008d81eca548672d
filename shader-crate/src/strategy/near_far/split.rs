//! Splitting the list of the far when nothing near is left: the threshold grows, and what it reaches is near. What has been near
//! since it was put there is done, and dropped.

use super::{Moment, Paths};
use crate::{lane::Lane, operator::relax::Distance};
use evenkeel_types::{Control, UNREACHED};

/// Where a node of the list goes.
#[derive(Clone, Copy, PartialEq)]
#[repr(u32)]
pub(super) enum Goes {
    /// Nowhere.
    Away,
    /// On the list of the near.
    Near,
    /// On the other list of the far, with its distance.
    Far,
}

impl Paths<'_> {
    /// Where a node goes, and its distance.
    #[inline(always)]
    pub(super) fn sort(&mut self, moment: Moment, threshold: u32, node: u32) -> (Goes, u32) {
        let distance = self.distances.load(node);
        let goes = if distance <= moment.threshold {
            Goes::Away
        } else if distance <= threshold {
            Goes::Near
        } else {
            Goes::Far
        };
        if goes != Goes::Far {
            self.waiting.and(node / 32, !(1 << (node % 32)));
        }
        (goes, distance)
    }

    /// One iteration by the whole dispatch.
    #[inline(always)]
    pub(super) fn split<D: Distance>(&mut self, lane: Lane, moment: Moment) {
        let threshold = moment.grown::<D>(self.params.delta);
        let mut lowest = UNREACHED;
        for entry in lane.grid_stride(moment.far) {
            let node = self.lists.get(self.far(moment.far_half, entry));
            let (goes, distance) = self.sort(moment, threshold, node);
            if goes == Goes::Near {
                self.list_near(lane, moment, (node, 1), (node, 0));
            } else if goes == Goes::Far {
                let entry = lane.append_one(&mut self.control, Control::FAR_COUNTS);
                self.lists.set(self.far(1 - moment.far_half, entry), node);
                lowest = lowest.min(distance);
            }
        }
        if lowest != UNREACHED {
            self.control.min(Control::LOWESTS, lowest);
        }
    }
}

//! The worklists of the loop.

use crate::prelude::*;

/// The worklists, light nodes before wide ones. Iterations take them in turn, each by its number.
#[derive(Bundle)]
pub struct Lists<S: Storage> {
    /// All nodes, which the first iteration takes.
    pub order: S::Read<u32>,
    /// The worklist of even iterations.
    pub even: S::Write<u32>,
    /// The worklist of odd iterations.
    pub odd: S::Write<u32>,
}

#[inline_all]
impl Lists<Views<'_>> {
    /// The entry at `place` of the worklist of iteration `round`.
    pub fn entry(&self, round: u32, place: u32) -> u32 {
        if round == 0 {
            self.order.get(place)
        } else if round & 1 == 0 {
            self.even.get(place)
        } else {
            self.odd.get(place)
        }
    }

    /// Writes an entry of the worklist of the iteration after `round`.
    pub fn leave(&mut self, round: u32, place: u32, node: u32) {
        if round & 1 == 0 {
            self.odd.set(place, node);
        } else {
            self.even.set(place, node);
        }
    }
}

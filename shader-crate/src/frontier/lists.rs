//! Two lists of nodes in one buffer, of which each iteration reads one and writes the other. Nodes with few edges stand at the beginning of
//! a list; those with many ("heavy" ones) stand at its end, in reverse, so that they can be treated apart.

use crate::prelude::*;

/// Two lists of nodes.
pub struct DoubleList<'a> {
    /// Both lists, one behind the other.
    pub entries: Global<'a, u32>,
    /// Entries of each list: the number of nodes.
    pub capacity: u32,
}

#[inline_all]
impl DoubleList<'_> {
    /// The place of an entry, counted from the beginning of the list `half`, which is 0 or 1.
    pub fn light(&self, half: u32, entry: u32) -> u32 {
        half * self.capacity + entry
    }

    /// The place of a heavy node's entry, counted from the end of the list.
    pub fn heavy(&self, half: u32, entry: u32) -> u32 {
        self.light(half, self.capacity - 1 - entry)
    }

    /// The place of item number `item` of a list: first come the `light` ones, then the heavy ones.
    pub fn item(&self, half: u32, light: u32, item: u32) -> u32 {
        if item < light { self.light(half, item) } else { self.heavy(half, item - light) }
    }

    /// Writes a node behind the counter of the light or of the heavy ones.
    pub fn append<S>(
        &mut self,
        lane: Lane,
        state: &mut State<S>,
        (counter, heavy_counter): (Field<S>, Field<S>),
        half: u32,
        (node, is_heavy): (u32, bool),
    ) {
        if is_heavy {
            let entry = state.append_one(lane, heavy_counter);
            self.entries.set(self.heavy(half, entry), node);
        } else {
            let entry = state.append_one(lane, counter);
            self.entries.set(self.light(half, entry), node);
        }
    }
}

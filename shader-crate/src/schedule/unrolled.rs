//! Loads several steps ahead: on a GPU several loads in flight cost little more than one. A CPU does this by itself.

use super::{Join, Value};
use crate::prelude::*;
#[cfg(target_arch = "spirv")]
use crate::ranges::step;

/// Loads in flight.
pub const AHEAD: u32 = 7;

/// The join of `value` over every `stride`-th atom from `begin` on.
#[cfg(target_arch = "spirv")]
#[inline(always)]
pub fn join_range<V: Value, J: Join<V>>(begin: u32, end: u32, stride: u32, value: impl Fn(u32) -> V) -> V {
    let (mut joined, mut atom) = (J::identity(), begin);
    while atom < end && end - atom > 3 * stride {
        let (a, b) = (value(atom), value(atom + stride));
        let (c, d) = (value(atom + 2 * stride), value(atom + 3 * stride));
        joined = J::join(J::join(J::join(J::join(joined, a), b), c), d);
        atom += 4 * stride;
    }
    while atom < end {
        joined = J::join(joined, value(atom));
        atom += stride;
    }
    joined
}

/// The join of `value`, which is in workgroup memory, over a few atoms: of these the last ones need no loop of their own.
#[inline(always)]
pub fn join_few<V: Value, J: Join<V>>(begin: u32, end: u32, value: impl Fn(u32) -> V) -> V {
    let (mut joined, mut atom) = (J::identity(), begin);
    while atom < end {
        let a = value(atom);
        let b = if atom + 1 < end { value(atom + 1) } else { J::identity() };
        let c = if atom + 2 < end { value(atom + 2) } else { J::identity() };
        let d = if atom + 3 < end { value(atom + 3) } else { J::identity() };
        joined = J::join(J::join(J::join(J::join(joined, a), b), c), d);
        atom += 4;
    }
    joined
}

/// The join of `value` over every `stride`-th atom from `begin` on. A lane of a CPU may have thousands, of which eight strands
/// lose less than one sum would.
#[cfg(not(target_arch = "spirv"))]
pub fn join_range<V: Value, J: Join<V>>(begin: u32, end: u32, stride: u32, value: impl Fn(u32) -> V) -> V {
    let mut strands = [J::identity(); 8];
    for (place, atom) in (begin..end).step_by(stride as usize).enumerate() {
        let strand = &mut strands[place % 8];
        *strand = J::join(*strand, value(atom));
    }
    strands.into_iter().fold(J::identity(), J::join)
}

/// Puts `load` of each index below `count` where `put` says, by the whole workgroup.
#[cfg(target_arch = "spirv")]
#[inline(always)]
pub fn stage<V: Value>(lane: Lane, count: u32, load: impl Fn(u32) -> V, mut put: impl FnMut(u32, V)) {
    for first in step(lane.local, count.next_multiple_of(lane.threads), AHEAD * lane.threads) {
        stage_from(lane, first, (0, count), &load, &mut put);
    }
}

/// Stages the indices of a range that is not empty and ends at [`AHEAD`] for each lane at most: without a loop.
#[cfg(target_arch = "spirv")]
#[inline(always)]
pub fn stage_few<V: Value>(lane: Lane, places: (u32, u32), load: impl Fn(u32) -> V, mut put: impl FnMut(u32, V)) {
    stage_from(lane, lane.local, places, &load, &mut put);
}

#[cfg(target_arch = "spirv")]
#[inline(always)]
fn stage_from<V: Value>(
    lane: Lane,
    begin: u32,
    (first, end): (u32, u32),
    load: impl Fn(u32) -> V,
    mut put: impl FnMut(u32, V),
) {
    // Before the first and past the end every lane takes the nearest, which is cheaper than a branch around each load.
    let place = |step: u32| (begin + step * lane.threads).max(first).min(end - 1);
    let (a, b, c, d) = (load(place(0)), load(place(1)), load(place(2)), load(place(3)));
    let (e, f, g) = (load(place(4)), load(place(5)), load(place(6)));
    put(place(0), a);
    put(place(1), b);
    put(place(2), c);
    put(place(3), d);
    put(place(4), e);
    put(place(5), f);
    put(place(6), g);
}

/// Puts `load` of each index below `count` where `put` says, by the whole workgroup.
#[cfg(not(target_arch = "spirv"))]
pub fn stage<V: Value>(lane: Lane, count: u32, load: impl Fn(u32) -> V, mut put: impl FnMut(u32, V)) {
    for place in lane.group_stride(count) {
        put(place, load(place));
    }
}

/// Stages the indices of a range.
#[cfg(not(target_arch = "spirv"))]
pub fn stage_few<V: Value>(lane: Lane, (first, end): (u32, u32), load: impl Fn(u32) -> V, mut put: impl FnMut(u32, V)) {
    stage(lane, end - first, |place| load(first + place), |place, value| put(first + place, value));
}

/// The values of the next [`AHEAD`] atoms, loaded at once.
#[cfg(target_arch = "spirv")]
pub struct Window<V>(V, V, V, V, V, V, V);

#[cfg(target_arch = "spirv")]
#[inline_all]
impl<V: Value> Window<V> {
    /// The window at `atom`; nothing in it is taken at or past `end`.
    pub fn at(atom: u32, end: u32, nothing: V, value: impl Fn(u32) -> V) -> Self {
        if atom < end {
            let ahead = |steps: u32| value((atom + steps).min(end - 1));
            Self(ahead(0), ahead(1), ahead(2), ahead(3), ahead(4), ahead(5), ahead(6))
        } else {
            Self(nothing, nothing, nothing, nothing, nothing, nothing, nothing)
        }
    }

    /// The first value, which leaves the window.
    pub fn next(&mut self, _atom: u32, _value: impl Fn(u32) -> V) -> V {
        let Self(a, b, c, d, e, f, g) = *self;
        *self = Self(b, c, d, e, f, g, g);
        a
    }
}

/// The values of the next atoms, loaded as they are taken.
#[cfg(not(target_arch = "spirv"))]
pub struct Window;

#[cfg(not(target_arch = "spirv"))]
impl Window {
    /// The window at any atom.
    pub fn at<V>(_atom: u32, _end: u32, _nothing: V, _value: impl Fn(u32) -> V) -> Self {
        Self
    }

    /// The value of `atom`.
    pub fn next<V>(&mut self, atom: u32, value: impl Fn(u32) -> V) -> V {
        value(atom)
    }
}

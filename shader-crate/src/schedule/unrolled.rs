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
        stage_from(lane, first, count, &load, &mut put);
    }
}

/// The same for a count of at most [`AHEAD`] for each lane, without a loop.
#[cfg(target_arch = "spirv")]
#[inline(always)]
pub fn stage_few<V: Value>(lane: Lane, count: u32, load: impl Fn(u32) -> V, mut put: impl FnMut(u32, V)) {
    if count > 0 {
        stage_from(lane, lane.local, count, &load, &mut put);
    }
}

#[cfg(target_arch = "spirv")]
#[inline(always)]
fn stage_from<V: Value>(lane: Lane, first: u32, count: u32, load: impl Fn(u32) -> V, mut put: impl FnMut(u32, V)) {
    // Past the end every lane takes the last, which is cheaper than a branch around each load.
    let place = |step: u32| (first + step * lane.threads).min(count - 1);
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

#[cfg(not(target_arch = "spirv"))]
pub use stage as stage_few;

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

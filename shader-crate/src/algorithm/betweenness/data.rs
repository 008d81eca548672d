//! What the kernels are told, what they count in, and what they read and write.

use super::scaled::Scaled;
use crate::prelude::*;
use crate::rounds::RoundState;
use evenkeel_types::Cooperation;

registry! {
    /// The two passes over the levels of a search.
    pub enum Pass, evenkeel_kernels::algorithm::betweenness::Pass, for_each_pass {
        /// From the source on: counts shortest paths.
        Forward = "forward", evenkeel_kernels::algorithm::betweenness::Forward;
        /// Back to the source: adds up dependencies.
        Backward = "backward", evenkeel_kernels::algorithm::betweenness::Backward;
    }
}

registry! {
    /// The numbers in which dependencies are added up over sources.
    pub enum Total, evenkeel_kernels::algorithm::betweenness::Total, for_each_total {
        /// Single precision.
        F32 = "f32", f32;
        /// Double precision, for devices that have it.
        F64 = "f64", f64;
    }
}

/// Nodes of a level are sorted by the lengths of their rows: short, medium, long.
pub const CLASSES: u32 = 3;

/// An invocation takes a row of up to this many edges.
const SHORT: u32 = 8;
/// A subgroup takes a longer row of up to this many, and a workgroup one that is longer still.
const LONG: u32 = 2048;

/// The class of a node with so many edges.
#[inline(always)]
pub fn class(edges: u32) -> u32 {
    u32::from(edges > SHORT) + u32::from(edges > LONG)
}

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PathParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The most workgroups that gain from a dispatch.
    pub max_groups: u32,
    /// A level of up to this many short rows is left to one workgroup; 0 when none is.
    pub short: u32,
    /// A longer one of up to this many short rows is left to a few cooperating workgroups.
    pub medium: u32,
    /// The number of cooperating workgroups.
    pub cooperating: u32,
    /// The most loop iterations that an invocation may take in one dispatch of many levels.
    pub loop_limit: u32,
    /// The rows of the partition; of the first where a kernel takes no edges.
    pub rows: RowRange,
}

/// The state of a pass.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct PathState {
    /// `frontier` counts the nodes of the level that is next.
    pub header: LoopHeader,
    /// The dispatch in which one workgroup takes many levels.
    pub persistent_groups: [u32; 3],
    /// The dispatch in which a few cooperating workgroups take many levels.
    pub cooperating_groups: [u32; 3],
    /// The level that is next.
    pub level: u32,
    /// Where cooperating workgroups wait for each other.
    pub cooperation: Cooperation<17>,
}

const _: () = Cooperation::<17>::has_own_line(core::mem::offset_of!(PathState, cooperation));

impl RoundState for PathState {
    /// Levels count nothing: their sizes are known beforehand.
    #[inline(always)]
    fn count(_: u32, _: u32) -> Field<Self> {
        Self::LEVEL
    }
}

/// What is known of the nodes that a search has reached. They are sorted by level, and in a level by class; all but `order` and
/// `positions` is stored in that order.
#[derive(Bundle)]
pub struct Paths<S: Storage> {
    /// The node at each position.
    pub order: S::Read<u32>,
    /// The position of each node; that of one which was not reached is the largest number.
    pub positions: S::Read<u32>,
    /// Where each class of each level ends.
    pub ends: S::Read<u32>,
    /// [`Scaled`] numbers: how many shortest paths lead to a node (σ). From the backward pass on (1 + δ) / σ.
    pub values: S::Write<u32>,
    /// What the paths from the source depend on a node (δ).
    pub dependencies: S::Write<f32>,
}

/// Where the classes of a level begin, and where it ends.
#[derive(Clone, Copy)]
pub struct Bounds {
    /// The first short row.
    pub short: u32,
    /// The first row of medium length.
    pub medium: u32,
    /// The first long row.
    pub long: u32,
    /// Behind the last.
    pub end: u32,
}

#[inline_all]
impl Bounds {
    /// The bounds of a level.
    pub fn of(ends: Read<u32>, level: u32) -> Self {
        let key = CLASSES * level;
        Self {
            short: if level == 0 { 0 } else { ends.get(key - 1) },
            medium: ends.get(key),
            long: ends.get(key + 1),
            end: ends.get(key + 2),
        }
    }

    /// The nodes of the level.
    pub fn count(&self) -> u32 {
        self.end - self.short
    }

    /// Whether a position, or the largest number, is of this level.
    pub fn has(&self, position: u32) -> bool {
        position.wrapping_sub(self.short) < self.end - self.short
    }
}

/// One of the two passes.
#[inline_all]
pub trait LevelPass {
    /// The level whose values a level is computed from.
    fn other(level: u32) -> u32;

    /// The level that comes next.
    fn next(level: u32) -> u32;

    /// Whether a level of so many nodes ends the pass.
    fn is_over(level: u32, count: u32) -> bool;

    /// Stores what follows at a place from the sum over the neighbours of its node in the other level.
    fn store<const SHARED: bool>(values: &mut Global<u32>, dependencies: &mut Global<f32>, place: u32, sum: Scaled);

    /// Stores what follows from the sum over a part of a row that is cut; the parts come one after the other, each in a dispatch of its own.
    fn store_part(values: &mut Global<u32>, dependencies: &mut Global<f32>, place: u32, sum: Scaled, part: PartOfRow);
}

/// Which part of a row that is cut.
#[derive(Clone, Copy)]
pub struct PartOfRow {
    /// Whether none comes before it.
    pub is_first: bool,
    /// Whether none comes after it.
    pub is_last: bool,
}

/// From the source on.
pub struct Forward;
/// Back to the source.
pub struct Backward;

#[inline_all]
impl LevelPass for Forward {
    fn other(level: u32) -> u32 {
        level - 1
    }

    fn next(level: u32) -> u32 {
        level + 1
    }

    fn is_over(_: u32, count: u32) -> bool {
        count == 0
    }

    fn store<const SHARED: bool>(values: &mut Global<u32>, _: &mut Global<f32>, place: u32, sum: Scaled) {
        sum.normal().write::<SHARED>(values, place);
    }

    fn store_part(values: &mut Global<u32>, _: &mut Global<f32>, place: u32, sum: Scaled, part: PartOfRow) {
        let mut sum = sum;
        if !part.is_first {
            sum = sum.plus(Scaled::read::<false>(values, place));
        }
        sum.normal().write::<false>(values, place);
    }
}

#[inline_all]
impl LevelPass for Backward {
    fn other(level: u32) -> u32 {
        level + 1
    }

    fn next(level: u32) -> u32 {
        level - 1
    }

    fn is_over(level: u32, _: u32) -> bool {
        level == 0
    }

    fn store<const SHARED: bool>(values: &mut Global<u32>, dependencies: &mut Global<f32>, place: u32, sum: Scaled) {
        let count = Scaled::read::<SHARED>(values, place);
        let dependency = count.times(sum);
        dependencies.set(place, dependency);
        count.divide(1.0 + dependency).write::<SHARED>(values, place);
    }

    fn store_part(values: &mut Global<u32>, dependencies: &mut Global<f32>, place: u32, sum: Scaled, part: PartOfRow) {
        let count = Scaled::read::<false>(values, place);
        let mut dependency = count.times(sum);
        if !part.is_first {
            dependency += dependencies.get(place);
        }
        dependencies.set(place, dependency);
        // Until then the number of paths is needed.
        if part.is_last {
            count.divide(1.0 + dependency).write::<false>(values, place);
        }
    }
}

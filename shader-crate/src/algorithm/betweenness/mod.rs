//! What the shortest paths from one source depend on each node (Brandes 2001, "A Faster Algorithm for Betweenness Centrality"). A search has
//! found the depths. Its nodes are sorted by level; then one pass takes the levels in their order and counts the shortest paths to each node
//! (σ), and another takes them in reverse and adds up dependencies: δ(v) = Σ σ(v) / σ(w) · (1 + δ(w)) over the neighbours w one level down.
//!
//! Every node adds up its own row, so that no sum depends on which invocation comes first. A row is taken by an invocation, a subgroup or a
//! workgroup, by its length. Many small levels run in one dispatch.

#[macro_use]
mod data;

// Public, or rust-gpu would not find the entry points.
#[macro_use]
pub mod batch;
pub mod level;
pub mod many_levels;
#[macro_use]
pub mod order;
mod scaled;

pub use data::{Backward, Bounds, CLASSES, Forward, LevelPass, PartOfRow, Pass, PathParams, PathState, Paths, Total};
pub use order::BothWays;
pub use scaled::Scaled;

use crate::lane::Shuffle;
use crate::prelude::*;

/// A number in which dependencies are added up over sources.
#[inline_all]
pub trait Accumulate: Pod + Shuffle {
    /// The sum.
    fn plus(self, dependency: f32) -> Self;
}

#[inline_all]
impl Accumulate for f32 {
    fn plus(self, dependency: f32) -> Self {
        self + dependency
    }
}

#[inline_all]
impl Accumulate for f64 {
    fn plus(self, dependency: f32) -> Self {
        self + dependency as f64
    }
}

/// Adds the dependencies of one source to those of the sources before it. The source itself, which is at position 0, has none.
#[kernel(threads = 256, any_width, each(T in for_each_total))]
pub fn path_add<T: Accumulate>(
    lane: Lane,
    params: &PathParams,
    order: Read<u32>,
    ends: Read<u32>,
    dependencies: Read<f32>,
    mut totals: Global<T>,
) {
    for position in lane.grid_stride(Bounds::of(ends, params.nodes).end) {
        if position > 0 {
            let node = order.get(position);
            totals.set(node, totals.get(node).plus(dependencies.get(position)));
        }
    }
}

//! How the edges of a worklist are handed out: a kernel a strategy, made for every operator.

pub mod adaptive;
pub mod decompose;
pub mod direction;
pub mod edge;
pub mod hierarchical;
mod look;
pub mod near_far;
pub mod node;
pub mod parallel;
pub mod queue;
pub mod scan;
pub mod scheduled;
pub mod split;
pub mod start;
pub mod threshold;
pub mod two_phase;

use crate::memory::Read;

/// The number of edges of a node.
#[inline(always)]
pub(crate) fn degree(row_offsets: Read<u32>, node: u32) -> u32 {
    row_offsets.get(node + 1) - row_offsets.get(node)
}

/// What the strategies are written as, for whoever compares how much there is to each.
#[cfg(not(target_arch = "spirv"))]
pub mod text {
    use crate::schedule::Schedule;

    /// Of `node`.
    pub const NODE: &str = include_str!("node.rs");
    /// Of `edge`.
    pub const EDGE: &str = include_str!("edge.rs");
    /// Of `decompose`.
    pub const DECOMPOSE: &str = include_str!("decompose.rs");
    /// Of `split`.
    pub const SPLIT: &str = include_str!("split.rs");
    /// Of `hierarchical`.
    pub const HIERARCHICAL: &str = include_str!("hierarchical.rs");
    /// Of all that search level by level without a worklist, or choose among them.
    pub const LEVEL: &str = concat!(
        include_str!("adaptive/mod.rs"),
        include_str!("adaptive/begin.rs"),
        include_str!("adaptive/push.rs"),
        include_str!("adaptive/pull.rs"),
    );
    /// Of the threshold that the last two take nodes apart by.
    pub const THRESHOLD: &str = include_str!("threshold.rs");
    /// Of `direction`.
    pub const DIRECTION: &str = concat!(
        include_str!("direction/mod.rs"),
        include_str!("direction/begin.rs"),
        include_str!("direction/push.rs"),
        include_str!("direction/pull.rs"),
        include_str!("look.rs"),
        include_str!("direction/abreast.rs"),
        include_str!("direction/resident.rs"),
    );
    /// Of `near-far`.
    pub const NEAR_FAR: &str = concat!(
        include_str!("near_far/mod.rs"),
        include_str!("near_far/begin.rs"),
        include_str!("near_far/relax.rs"),
        include_str!("near_far/split.rs"),
        include_str!("near_far/abreast.rs"),
        include_str!("near_far/resident.rs"),
    );
    /// Of `parallel`.
    pub const PARALLEL: &str = include_str!("parallel.rs");
    /// Of `queue`.
    pub const QUEUE: &str = include_str!("queue.rs");
    /// Of `scan`.
    pub const SCAN: &str = include_str!("scan.rs");
    /// Of `two-phase`.
    pub const TWO_PHASE: &str = include_str!("two_phase.rs");
    /// Of what all schedules share.
    pub const SCHEDULED: &str = include_str!("scheduled.rs");

    /// Of a schedule.
    pub const fn schedule(schedule: Schedule) -> &'static str {
        match schedule {
            Schedule::ThreadMapped => include_str!("../schedule/thread_mapped.rs"),
            Schedule::GroupMapped => include_str!("../schedule/group_mapped.rs"),
            Schedule::MergePath => include_str!("../schedule/merge_path.rs"),
            Schedule::NonzeroSplit => include_str!("../schedule/nonzero_split.rs"),
            Schedule::RadixBinned => include_str!("../schedule/radix_binned.rs"),
        }
    }
}

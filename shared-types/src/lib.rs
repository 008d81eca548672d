//! What kernels and host both read: the parameters of each kernel, and the control block through which the device drives its
//! own loop. Every struct is plain old data with 32-bit fields, laid out the same on both sides.

#![no_std]
// For what the derives write.
extern crate self as evenkeel_types;

mod all_pairs;
mod bins;
mod classic;
mod color;
mod control;
mod csr;
mod field;
mod level;
mod loop_header;
mod near_far;
mod offset;
mod params;
mod search;
mod storage;
mod threshold;
mod worklist;

pub use all_pairs::{BatchedParams, MATRIX_TILE, PivotParams, SPAN};
pub use bins::Bins;
pub use classic::{EveryNodeParams, SWEEP};
pub use color::{
    LIGHT, LabelGatherParams, LabelParams, LabelState, MEDIUM, SectionParams, Sections, TENTATIVE, UNCOLORED,
};
pub use control::Control;
pub use csr::Csr;
pub use evenkeel_kernel_macro::{Bundle, Fields};
pub use field::Field;
pub use level::{Decision, LevelParams, LevelWay, RestoreParams};
pub use loop_header::{LoopHeader, LoopState};
pub use near_far::NearFarParams;
pub use offset::{Offset, Remainder};
pub use params::{
    BoundsParams, EdgeParams, ExpandParams, HierarchyParams, LengthParams, ProductParams, RankParams, ScanParams,
    ScheduleParams, ThresholdParams, TraversalParams, WideProductParams, WordParams,
};
pub use search::SearchParams;
pub use storage::Storage;
pub use threshold::Threshold;
pub use worklist::Worklist;

/// The depth or distance of a node that was not reached, and the parent of one that has none.
pub const UNREACHED: u32 = u32::MAX;

/// Invocations in a workgroup of every kernel that does not say otherwise.
pub const WORKGROUP: u32 = 256;

/// Elements that an invocation of the prefix sum takes, and a workgroup of them together.
pub const SCAN_ITEMS: u32 = 8;
/// See [`SCAN_ITEMS`].
pub const SCAN_BLOCK: u32 = SCAN_ITEMS * WORKGROUP;

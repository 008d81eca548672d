//! What kernels and host both read: the bundles of buffers that many kernels take, and the header of the state through which the device
//! drives its own loop. Every struct is plain old data with 32-bit fields, laid out the same on both sides. What belongs to a single
//! family of kernels, such as their parameters, stands beside them.

#![no_std]
// For what the derives write.
extern crate self as evenkeel_types;

mod cooperation;
mod csr;
mod field;
mod loop_header;
mod offset;
mod row_range;
mod schedule;
mod storage;
mod tile_range;
mod worklist;

pub use cooperation::{Cooperation, MEMBERS_BYTE};
pub use csr::Csr;
pub use evenkeel_kernel_macro::{Bundle, Fields};
pub use field::Field;
pub use loop_header::{LoopHeader, LoopReport, LoopState};
pub use offset::{Offset, Remainder};
pub use row_range::RowRange;
pub use schedule::ScheduleParams;
pub use storage::Storage;
pub use tile_range::TileRange;
pub use worklist::Worklist;

/// The depth or distance of a node that was not reached, and the parent of one that has none.
pub const UNREACHED: u32 = u32::MAX;

/// Invocations in a workgroup of every kernel that does not say otherwise.
pub const WORKGROUP: u32 = 256;

/// Elements that an invocation of the prefix sum takes, and a workgroup of them together.
pub const SCAN_ITEMS: u32 = 8;
/// See [`SCAN_ITEMS`].
pub const SCAN_BLOCK: u32 = SCAN_ITEMS * WORKGROUP;

//! Building blocks with no graph in them: prefix sum, reduction, compaction, picking, queues, union-find, binning, searches.

pub mod binning;
pub mod compact;
pub mod forest;
pub mod pick;
pub mod queues;
pub mod reduce;
pub mod scan;
pub mod search;
pub mod share;
pub mod sort;
pub mod workgroup;

use bytemuck::{Pod, Zeroable};

/// What the host pushes to kernels that need no more than a length.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LengthParams {
    /// The number of elements.
    pub length: u32,
}

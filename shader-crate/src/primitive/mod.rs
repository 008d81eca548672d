//! Building blocks with no graph in them: prefix sum, reduction, compaction, binning.

pub mod binning;
pub mod compact;
pub mod reduce;
pub mod scan;
pub mod workgroup;

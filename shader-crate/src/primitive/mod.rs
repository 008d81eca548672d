//! Building blocks with no graph in them: prefix sum, reduction, compaction, binning, the bounds of parts.

pub mod binning;
pub mod bounds;
pub mod compact;
pub mod reduce;
pub mod scan;
pub mod share;
pub mod workgroup;

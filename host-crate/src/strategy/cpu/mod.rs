//! Forms of strategies for the CPU device, where the shape of a GPU's is wrong: each thread owns a long part of the work, lists grow
//! without counters in memory that others write, and a few threads meet at a barrier in about a microsecond. They are native steps
//! ([`crate::device::Recorder`]), functions that have all threads of the device, and other devices refuse them.

mod delta_stepping;
mod direction;
mod metric;

pub use delta_stepping::DeltaStepping;
pub(crate) use delta_stepping::{RowPaths, double_distances, wide_distances};
pub(super) use direction::DirectionCpu;
pub(crate) use direction::RowSearch;
pub(crate) use metric::Metric;

//! Schedules as the host sees them: how one is chosen, and the device memory it takes. What they do is in `schedule/` of the kernels.

mod choice;
mod scratch;

pub use choice::{Choice, RowSchedule, SmallMatrix, extent};
pub use evenkeel_kernels::schedule::{Schedule, TileExtent};
pub use scratch::ScratchSpace;

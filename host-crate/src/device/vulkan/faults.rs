//! A device that is made to fail in the middle of its work.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many calls succeed on a device before all later ones fail; without a number none fails.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    /// Allocations of memory, which then is at an end.
    pub(super) allocations: Option<u32>,
    /// Submissions of work, by which the device then is lost.
    pub(super) submissions: Option<u32>,
}

/// The calls that still succeed.
pub(super) struct Remaining(AtomicU64);

impl Remaining {
    pub(super) fn new(count: Option<u32>) -> Self {
        Self(AtomicU64::new(count.map_or(u64::MAX, u64::from)))
    }

    /// Whether one more succeeds.
    pub(super) fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1)).is_ok()
    }
}

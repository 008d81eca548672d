//! What the host is doing, said as it does it: phases that last, and how far a long one has come. Both are told through
//! [`tracing`], so that the library keeps nothing, and whoever does not listen pays next to nothing. The command line listens
//! for `--profile`, `--trace` and its progress line.

use tracing::span::EnteredSpan;

/// The target of the spans that are phases. They have the fields `name` and `label`.
pub const PHASES: &str = "evenkeel::phase";

/// The target of the events that say how far a phase has come. They have the fields `unit` and `done`, and `total` where it is
/// known.
pub const PROGRESS: &str = "evenkeel::progress";

/// Begins a phase, which lasts until what is returned is dropped. `label` says of what, and may be empty.
#[doc(hidden)]
pub fn begin(name: &'static str, label: &str) -> EnteredSpan {
    tracing::info_span!(target: "evenkeel::phase", "phase", name, label).entered()
}

/// Does something as a phase.
#[doc(hidden)]
pub fn during<T>(name: &'static str, work: impl FnOnce() -> T) -> T {
    let _phase = begin(name, "");
    work()
}

/// Says how much of a phase is done, of how much if that is known. A phase says it a few hundred times at most.
#[doc(hidden)]
pub fn advance(unit: &'static str, done: u64, total: Option<u64>) {
    tracing::trace!(target: "evenkeel::progress", unit, done, total);
}

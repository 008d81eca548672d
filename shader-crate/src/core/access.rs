//! What happens between accesses to memory that invocations share, on the CPU device.

use core::cell::Cell;

thread_local! {
    static BETWEEN_ACCESSES: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Has `function` called before each access to memory that invocations share, on this thread; in debug builds alone. A device that
/// emulates a GPU switches to another invocation there.
pub fn call_between_accesses(function: Option<fn()>) {
    BETWEEN_ACCESSES.set(function);
}

/// Called before each access to memory that invocations share.
#[inline(always)]
pub(crate) fn before_access() {
    if cfg!(debug_assertions)
        && let Some(function) = BETWEEN_ACCESSES.get()
    {
        function();
    }
}

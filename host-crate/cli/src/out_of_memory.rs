//! What happens when the system gives no more memory to something that cannot go on without. The standard library says how many bytes it
//! asked for and aborts; the command ends as it does for every other lack of memory instead, and leaves no half-written file.

#[cfg(unix)]
use super::signals;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Memory was asked for and not given.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// The system's allocator, which remembers whether it has refused something.
#[derive(Debug)]
pub struct Allocator;

fn remember(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        REFUSED.store(true, Relaxed);
    }
    pointer
}

// SAFETY: all is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the same promises.
        remember(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        remember(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        remember(unsafe { System.realloc(pointer, layout, size) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Ends the process with the status for a lack of memory where it would abort after its allocator has refused something.
pub fn exit_instead_of_aborting() {
    #[cfg(unix)]
    signals::handle(libc::SIGABRT, when_aborted);
}

#[cfg(unix)]
extern "C" fn when_aborted(_: libc::c_int) {
    const MESSAGE: &[u8] =
        b"error: the system gives no more memory: a smaller graph, fewer --threads, or a higher limit would help\n";
    // Without a refusal, the process aborts as it would have.
    if REFUSED.load(Relaxed) {
        signals::end_at_once(MESSAGE, 4);
    }
}

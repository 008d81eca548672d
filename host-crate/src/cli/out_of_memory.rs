//! What happens when the system gives no more memory to something that cannot go on without. The standard library says how many bytes it
//! asked for and aborts; the command ends as it does for every other lack of memory instead, and leaves no half-written file.

use crate::atomic_file;
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
    // SAFETY: the function is one that a handler may be.
    unsafe {
        let handler: extern "C" fn(libc::c_int) = when_aborted;
        libc::signal(libc::SIGABRT, handler as libc::sighandler_t);
    }
}

#[cfg(unix)]
extern "C" fn when_aborted(_: libc::c_int) {
    const MESSAGE: &[u8] =
        b"error: the system gives no more memory: a smaller graph, fewer --threads, or a higher limit would help\n";
    if !REFUSED.load(Relaxed) {
        // Back from here, the process aborts as it would have.
        return;
    }
    // SAFETY: the message is there, and nothing is expected of a stderr that is closed.
    unsafe { libc::write(libc::STDERR_FILENO, MESSAGE.as_ptr().cast(), MESSAGE.len()) };
    atomic_file::try_remove_unfinished();
    // SAFETY: ends the process at once; nothing that could need memory runs any more.
    unsafe { libc::_exit(crate::Error::Memory(String::new()).exit_status().into()) }
}

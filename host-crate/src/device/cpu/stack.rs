//! Stacks for fibres. All stacks end at a page's end, and the few lines of each that are in use would all compete for the same
//! sets of the cache; so each begins a little below its end, at a distance of its own.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use std::io;

/// Address space for one stack; memory is used only as far as it is touched, which is a page or two. The rest is for a debug
/// build's deep frames, and for reporting a panic with a backtrace.
const BYTES: usize = 256 << 10;

/// How far apart two stacks begin, seen from the ends of their pages: an odd number of cache lines, so that all are used.
const STEP: usize = 5 * 64;

/// Distances repeat after this many bytes: a page.
const PERIOD: usize = 4096;

/// See the module.
pub(super) struct FibreStack {
    stack: DefaultStack,
    unused: usize,
}

impl FibreStack {
    /// A stack for the invocation that is `local` in its workgroup, or for any other.
    pub(super) fn new(local: u32) -> io::Result<Self> {
        Ok(Self { stack: DefaultStack::new(BYTES)?, unused: local as usize * STEP % PERIOD })
    }
}

// SAFETY: it is the inner stack with its guard page, less up to a page, which leaves far more than the least size. What is
// left out is a multiple of 64, so the base is aligned.
unsafe impl Stack for FibreStack {
    fn base(&self) -> StackPointer {
        let base = self.stack.base();
        StackPointer::new(base.get() - self.unused).unwrap_or(base)
    }

    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.stack.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.stack.update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}

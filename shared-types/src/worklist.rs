//! The list of nodes, edges or pieces that an iteration takes, and the one it writes for the next. How long they are stands in the
//! [`LoopHeader`](crate::LoopHeader).

use crate::Storage;
use evenkeel_kernel_macro::Bundle;

/// Two lists that an iterated algorithm swaps after each iteration.
#[derive(Bundle)]
pub struct Worklist<S: Storage> {
    /// The entries that this iteration takes.
    pub current: S::Read<u32>,
    /// The entries of the next iteration.
    pub next: S::Write<u32>,
}

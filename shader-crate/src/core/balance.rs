//! Counting atoms, natively: how many each invocation took is what a schedule is judged by.
//!
//! `#[kernel]` makes each kernel that is under a schedule or an operator a second time with [`Counted`] around it
//! ([`crate::launch::Kernel::counted`]). The kernel's text does not know of it, the plain function is as it was, and the SPIR-V
//! has nothing of it. An atom is one visit of an operator, or one value of a gather. A kernel that shares out its work by itself says what
//! it takes ([`Lane::count_atoms`](crate::lane::Lane::count_atoms)).

use std::{cell::Cell, marker::PhantomData};

thread_local! {
    static ATOMS: Cell<u64> = const { Cell::new(0) };
}

/// How many atoms this thread has ever taken. The difference over an invocation, or a part of one, is that part's share.
pub fn atoms() -> u64 {
    ATOMS.get()
}

/// A schedule or an operator that counts each atom which passes through it. The traits of both implement it where they stand.
pub struct Counted<T>(PhantomData<T>);

/// Counts one atom for this thread.
pub(crate) fn count() {
    count_many(1);
}

/// Counts some atoms for this thread.
pub(crate) fn count_many(count: u32) {
    ATOMS.set(ATOMS.get() + u64::from(count));
}

//! Counting atoms, natively: how many each invocation took is what a schedule is judged by.
//!
//! `#[kernel]` makes each kernel that is under a schedule or an operator a second time with [`Counted`] around it
//! ([`crate::launch::Kernel::counted`]). The kernel's text does not know of it, the plain function is as it was, and the SPIR-V
//! has nothing of it. An atom is one visit of an operator, or one value of a gather.

use crate::{
    lane::Lane,
    memory::Views,
    operator::{Operate, Traversal},
    schedule::{Distribute, Join, Scratch, Value},
    tiles::TileSet,
};
use std::{cell::Cell, marker::PhantomData};

thread_local! {
    static ATOMS: Cell<u64> = const { Cell::new(0) };
}

/// How many atoms this thread has ever taken. The difference over an invocation, or a part of one, is that part's share.
pub fn atoms() -> u64 {
    ATOMS.get()
}

/// A schedule or an operator, and each atom that passes through it counted.
pub struct Counted<T>(PhantomData<T>);

fn count() {
    ATOMS.set(ATOMS.get() + 1);
}

impl<O: Operate> Operate for Counted<O> {
    fn visit(traversal: &mut Traversal, value: u32, neighbour: u32, edge: u32) -> bool {
        count();
        O::visit(traversal, value, neighbour, edge)
    }
}

impl<S: Distribute> Distribute for Counted<S> {
    fn scatter<T: TileSet>(lane: Lane, set: &T, scratch: Scratch<u32, Views>, mut visit: impl FnMut(u32, u32)) {
        S::scatter(lane, set, scratch, |tile, atom| {
            count();
            visit(tile, atom);
        });
    }

    fn gather<T: TileSet, V: Value, J: Join<V>>(
        lane: Lane,
        set: &T,
        scratch: Scratch<V, Views>,
        join: J,
        value: impl Fn(u32) -> V,
        store: impl FnMut(u32, V),
    ) {
        let counted = |atom| {
            count();
            value(atom)
        };
        S::gather(lane, set, scratch, join, counted, store);
    }
}

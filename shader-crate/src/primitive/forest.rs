//! Union-find: a forest in which every node has a parent that is not larger than itself, and a root is its own parent. Invocations climb,
//! shorten paths and hook roots at the same time. A node only ever gets another of its ancestors as its parent, so it does not matter who is
//! faster, and the root of a tree is its smallest node.
//!
//! A `budget` is how many loop iterations the invocation may still take: some drivers stop long loops without a word. At 0 the result is
//! not to be trusted.

use crate::prelude::*;

/// The flag of a run in which an invocation reached the limit of the device on loop iterations.
pub const GAVE_UP: u32 = 1;

/// In place of a root where none is known yet.
pub const NO_ROOT: u32 = u32::MAX;

/// The root of a node's tree. Every node on the way gets its grandparent as its parent (path halving), so not while others compress.
#[inline(always)]
pub fn root(parents: &mut Global<u32>, node: u32, budget: &mut u32) -> u32 {
    let (mut below, mut current) = (node, parents.load(node));
    let mut above = parents.load(current);
    while above != current && *budget > 0 {
        *budget -= 1;
        parents.store(below, above);
        below = current;
        current = above;
        above = parents.load(current);
    }
    current
}

/// Makes the root of a node's tree its parent, and returns it. `known` is a root that the invocation has found before, while none was hooked:
/// a tree that holds most nodes would otherwise have all of them read the same word.
///
/// While it climbs, the node's own parent is what it has reached, so that those below climb less. It changes no other node: whoever did might
/// write an ancestor over the root that another invocation has found for that node.
#[inline(always)]
pub fn compress(parents: &mut Global<u32>, node: u32, known: &mut u32, budget: &mut u32) -> u32 {
    let mut current = parents.load(node);
    if current == node {
        *known = node;
    }
    while current != *known && *budget > 0 {
        *budget -= 1;
        let above = parents.load(current);
        if above == current {
            *known = current;
        } else {
            parents.store(node, above);
            current = above;
        }
    }
    current
}

/// Joins the trees of two nodes (Sutton, Ben-Nun and Barak 2018): climbs from the larger of two ancestors until both are the same, or until
/// it is a root, which is hooked under the smaller. Returns whether a root was hooked.
#[inline(always)]
pub fn link(parents: &mut Global<u32>, one: u32, other: u32, budget: &mut u32) -> bool {
    let mut one = parents.load(one);
    let mut other = parents.load(other);
    let mut hooked = false;
    while one != other && *budget > 0 {
        *budget -= 1;
        let (low, high) = (one.min(other), one.max(other));
        let mut parent = parents.load(high);
        if parent == high {
            // Another invocation may be faster; then this is the parent that it gave.
            parent = parents.compare_exchange(high, high, low);
            hooked = parent == high;
        }
        other = low;
        one = low;
        if !hooked && parent != low {
            one = parents.load(parent);
            if one != parent {
                parents.store(high, one);
            }
        }
    }
    hooked
}

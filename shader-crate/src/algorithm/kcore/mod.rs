//! Core numbers: the largest k such that a node is in a part of the graph in which every node has at least k neighbours (Seidman 1983).
//! They are found from below, by taking away nodes of few neighbours level after level ([`peel`]), or from above, by lowering every
//! node's number to what its neighbours' numbers allow ([`h_index`]). Both give the same numbers, whatever the order of invocations.

#[macro_use]
pub mod peel;

pub mod h_index;

/// The core number of a node that has none yet: it has not been taken away.
pub const NOT_PEELED: u32 = u32::MAX;

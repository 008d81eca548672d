//! How edges are listed.

/// How a file lists its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Each with its direction.
    Directed,
    /// Without directions, each at one of its ends (or at both: it is the same edge).
    UndirectedOnce,
    /// Without directions, each at both of its ends.
    UndirectedBothWays,
}

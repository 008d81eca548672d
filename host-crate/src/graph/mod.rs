//! Graphs on the host: what they are, where they come from, what they look like.
//!
//! A [`Graph`] is a CSR, the ids its nodes had in the file, and whether its edges have a direction. It comes from a file
//! ([`formats`]) or a generator ([`generate`]); [`transform`] changes it and counts what it changed; [`statistics`] describes it.
//! Nothing here knows of a device.

pub mod array;
mod build;
pub mod csr;
pub mod formats;
pub mod generate;
pub mod ids;
pub mod open;
pub mod split;
pub mod statistics;
pub mod transform;
pub mod weights;

pub use array::Array;
pub use csr::{Csr, EdgeList};
pub use ids::NodeIds;
pub use open::{Direction, OpenOptions, adapt, open};
pub use split::Splitting;
pub use weights::Weights;

/// A graph as the algorithms take it.
#[derive(Clone, Debug)]
pub struct Graph {
    /// A short name for tables and reports: the file's name, or the generator as it was written.
    pub name: String,
    /// Rows are out-neighbours; an undirected graph stores both directions of every edge.
    pub csr: Csr,
    /// What the nodes are called outside: in the file, on the command line, in messages and outputs.
    pub ids: NodeIds,
    /// Whether an edge (u, v) says nothing about (v, u).
    pub directed: bool,
}

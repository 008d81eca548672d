//! The graphs of evenkeel on the host: data structures, generators and statistics. Nothing here knows of a device, or of a format of files.
//! The crate `evenkeel` offers all of it to those who use the library, as `evenkeel::graph`, and has the documentation.

pub mod array;
pub mod build;
pub mod csr;
mod dimensions;
pub mod edges;
pub mod facts;
pub mod generate;
pub mod ids;
mod listing;
pub mod offsets;
pub mod order;
pub mod part;
pub mod partition;
pub mod random;
mod recognised;
pub mod split;
pub mod statistics;
#[cfg(test)]
mod tests;
pub mod transform;
pub mod weights;

pub use array::Array;
pub use build::{BuildOptions, BuildReport, EdgeList};
pub use csr::{Csr, Dimensions};
pub use edges::{Edge, EdgeWeight, NodeId};
pub use facts::Skew;
pub use ids::{Names, NodeIds, NodeName};
pub use offsets::{Offsets, OffsetsView};
pub use order::NodeOrder;
pub use part::{EdgesPart, GraphPart};
pub use partition::{Partition, PartitionOptions, PartitionWeights, Partitions};
pub use split::{Limit, Splitting};
pub use weights::{EdgeWeights, Weights};
// Of these the formats tell, and offer them.
#[doc(hidden)]
pub use {
    listing::Listing,
    recognised::{DirectionSource, NamesKind, Recognised, Table},
};

/// A graph as the algorithms take it.
#[derive(Clone, Debug)]
pub struct Graph {
    /// A short name for tables and reports: the file's name, or the generator as it was written.
    pub name: String,
    /// Rows are out-neighbours; an undirected graph stores both directions of every edge.
    pub csr: Csr,
    /// The ids of the nodes outside the program: in the file, on the command line, in messages and outputs.
    pub ids: NodeIds,
    /// Whether edges have a direction. If not, every edge (u, v) is stored with its reverse (v, u).
    pub directed: bool,
}

//! Measuring how long every variant of a breadth-first search takes on every level, and training the decision tree that the
//! strategy `adaptive` chooses by (Verstraaten et al., *Using Graph Properties to Speed-up GPU-based Graph Traversal: A Model-driven
//! Approach*).

mod accuracy;
mod by_graph;
mod grow;
pub mod levels_page;
mod measure;
mod options;
mod parquet;
mod score;
mod sets;
mod shown;
mod statistics;
mod table;
mod train;
pub mod tree_page;

pub use accuracy::Accuracy;
pub use measure::{Measuring, Searched};
pub use options::{Split, Training};
pub use score::{SHARES, Score};
pub use statistics::geometric_mean;
pub use table::{Row, Table};
pub use train::{LeftOut, Trained, train};

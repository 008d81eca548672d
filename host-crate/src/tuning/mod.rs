//! Measuring how long every variant of a breadth-first search takes on every level, and training the decision tree that the
//! strategy `adaptive` chooses by (Verstraaten et al., *Using Graph Properties to Speed-up GPU-based Graph Traversal: A Model-driven
//! Approach*).

mod grow;
mod measure;
mod parquet;
mod score;
mod table;
mod train;

pub use measure::Measuring;
pub use score::Score;
pub use table::{Row, Table};
pub use train::{Trained, train};

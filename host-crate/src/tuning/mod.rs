//! Measuring how long every variant of a breadth-first search takes on every level, and training the decision tree that the
//! strategy `adaptive` chooses by (Verstraaten et al., *Using Graph Properties to Speed-up GPU-based Graph Traversal: A Model-driven
//! Approach*).

mod accuracy;
mod grow;
mod measure;
mod parquet;
mod score;
mod statistics;
mod table;
mod train;

pub use accuracy::Accuracy;
pub use grow::Criterion;
pub use measure::Measuring;
pub use score::{SHARES, Score};
pub use statistics::{Counting, Fastest, LevelStatistics, geometric_mean};
pub use table::{Row, Table};
pub use train::{Degrees, LeftOut, Size, Trained, Training, train};

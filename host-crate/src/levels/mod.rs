//! A breadth-first search level by level, each in the way that suits it (Verstraaten et al., *Using Graph Properties to Speed-up
//! GPU-based Graph Traversal: A Model-driven Approach*): the ways there are, what is known of a level before it is searched, how
//! long each way takes, and a decision tree that chooses.
//!
//! ```
//! use evenkeel::levels::{Features, GraphFeatures, Model, Moment};
//!
//! let text = "evenkeel level model 1\nif frontier-share <= 0.1\n  vertex-push atomic\nelse\n  vertex-pull subgroup\n";
//! let model = Model::parse("two".as_ref(), text)?;
//! let star = "star:nodes=50".parse::<evenkeel::graph::generate::Generator>()?.generate()?;
//! let features = Features::of(&GraphFeatures::of(&star.csr), Moment { frontier: 49, discovered: 50, edges: 49 });
//! assert_eq!(model.choose(&features).unwrap().to_string(), "vertex-pull subgroup");
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod features;
mod grow;
mod measure;
mod model;
mod parquet;
mod score;
mod table;
mod text;
mod trace;
mod train;
mod way;

pub use features::{Feature, Features, GraphFeatures, Moment};
pub use measure::Measuring;
pub use model::Model;
pub use score::Score;
pub use table::{Row, Table};
pub use trace::{TracedLevel, moments, trace};
pub use train::{Trained, train};
pub use way::{Count, Family, Implementation, Way};

//! How the edges of a worklist are handed out: a kernel a strategy, made for every operator.

pub mod decompose;
pub mod edge;
pub mod hierarchical;
pub mod node;
pub mod scheduled;
pub mod split;
pub mod start;
pub mod threshold;

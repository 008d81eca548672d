//! How the edges of a worklist are handed out: a kernel a strategy, made for every operator.

pub mod node;
pub mod scheduled;
pub mod start;

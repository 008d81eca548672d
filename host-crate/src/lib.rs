//! evenkeel runs graph algorithms on any Vulkan GPU and keeps the load even.

pub mod algorithm;
pub mod atomic_file;
pub mod device;
pub mod error;
pub mod graph;
pub mod oracle;
pub mod primitive;
pub mod report;
pub mod strategy;

pub use error::{Error, Result};

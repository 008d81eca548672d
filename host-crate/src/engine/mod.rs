//! Graphs on devices: uploads, the loop that the device drives, schedules and their scratch space, and primitives.

mod device_loop;
mod graph;
pub(crate) mod loops;
pub(crate) mod native;
pub mod primitive;
pub mod schedule;
mod scratch;

pub(crate) use device_loop::BATCHES;
pub use device_loop::{DeviceLoop, LoopRun};
pub(crate) use graph::matrix_values;
pub use graph::{DeviceGraph, DeviceRows, SharedGraph};

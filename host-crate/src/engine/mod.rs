//! Graphs on devices: uploads, the loop that the device drives, schedules and their scratch space, and primitives.

mod device_loop;
mod graph;
pub(crate) mod loops;
pub(crate) mod native;
mod partitions;
pub mod primitive;
mod progress;
pub(crate) mod row_classes;
mod rows;
pub mod schedule;
mod stream;
mod tiles;

pub(crate) use device_loop::BATCHES;
pub use device_loop::DeviceLoop;
pub use graph::{DeviceRows, SharedGraph};
pub use partitions::DevicePartition;
#[doc(hidden)]
pub use partitions::LARGEST_STREAMED;
pub(crate) use partitions::{
    EdgeArrays, Layout, Part, Parts, Place, edge_shift, partition, rows_bytes, said as partitions_said,
};
pub use progress::LoopRun;
pub use rows::DeviceGraph;
pub(crate) use stream::{Order, Pass, PassRun, StreamedLoop, Streaming};
pub use tiles::TilePartition;
pub(crate) use tiles::{TileSet, TileSpaces};

//! The rows of a graph in device memory.

use evenkeel_kernels::launch::Buffers;

/// The rows of a graph in device memory, as kernels take them.
pub type DeviceGraph = evenkeel_types::Csr<Buffers>;

//! Graphs in device memory.

use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan},
    graph::Csr,
};
use evenkeel_kernels::launch::Buffers;

/// A CSR in device memory.
#[derive(Clone)]
pub struct DeviceGraph {
    /// Where each row begins, and the number of edges.
    pub row_offsets: Buffer<u32>,
    /// The neighbour at the end of each edge.
    pub columns: Buffer<u32>,
}

impl DeviceGraph {
    /// The memory a graph takes.
    pub fn plan(csr: &Csr) -> MemoryPlan {
        MemoryPlan::new().with::<u32>("row offsets", csr.row_offsets.len()).with::<u32>("columns", csr.columns.len())
    }

    /// Copies a graph to the device.
    ///
    /// # Errors
    /// When it does not fit.
    pub fn upload(device: &Device, csr: &Csr) -> Result<Self> {
        Ok(Self {
            row_offsets: device.buffer_from("row offsets", &csr.row_offsets)?,
            columns: device.buffer_from("columns", &csr.columns)?,
        })
    }

    /// The graph as kernels take it.
    pub fn rows(&self) -> evenkeel_types::Csr<Buffers> {
        evenkeel_types::Csr { row_offsets: self.row_offsets.clone(), columns: self.columns.clone() }
    }

    /// The number of nodes.
    pub fn nodes(&self) -> u32 {
        (self.row_offsets.len() - 1) as u32
    }
}

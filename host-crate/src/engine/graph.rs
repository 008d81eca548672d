//! Graphs in device memory.

use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan},
    graph::{Csr, Weights},
    phase,
};
use evenkeel_kernels::launch::Buffers;
use rayon::prelude::*;
use std::sync::{Arc, OnceLock};

/// The rows of a graph in device memory, as kernels take them.
pub type DeviceGraph = evenkeel_types::Csr<Buffers>;

/// What the host does with a [`DeviceGraph`].
pub trait DeviceRows: Sized {
    /// The memory that a graph takes.
    fn plan(csr: &Csr) -> MemoryPlan;

    /// Copies a graph to the device.
    fn upload(device: &Device, csr: &Csr) -> Result<Self>;

    /// The number of nodes.
    fn nodes(&self) -> u32;
}

impl DeviceRows for DeviceGraph {
    fn plan(csr: &Csr) -> MemoryPlan {
        let (row_offsets, columns) = (csr.row_offsets().len(), csr.columns().len());
        MemoryPlan::new().with::<u32>("row offsets", row_offsets).with::<u32>("columns", columns)
    }

    fn upload(device: &Device, csr: &Csr) -> Result<Self> {
        Ok(Self {
            row_offsets: device.buffer_from("row offsets", csr.row_offsets())?,
            columns: device.buffer_from("columns", csr.columns())?,
        })
    }

    fn nodes(&self) -> u32 {
        (self.row_offsets.len() - 1) as u32
    }
}

/// A graph for one device that any number of algorithms can be prepared on. Each of its arrays is copied to the device when an
/// algorithm first needs it, and only once. Clones share the arrays.
///
/// ```
/// use evenkeel::algorithm::{Algorithm, Bfs, Sssp};
/// use evenkeel::device::{Device, DeviceOptions};
/// use evenkeel::{engine::SharedGraph, graph::generate::Generator};
///
/// let town = "road:nodes=400,lengths=true".parse::<Generator>()?.generate()?;
/// let graph = SharedGraph::new(&Device::open("cpu", &DeviceOptions::default())?, &town.csr);
/// let mut bfs = Bfs::prepare_on(&graph, &Default::default())?;
/// let mut sssp = Sssp::prepare_on(&graph, &Default::default())?;
/// bfs.run(&0)?;
/// sssp.run(&0)?;
/// # Ok::<(), evenkeel::Error>(())
/// ```
#[derive(Clone)]
pub struct SharedGraph {
    arrays: Arc<Arrays>,
}

struct Arrays {
    device: Device,
    csr: Csr,
    rows: OnceLock<DeviceGraph>,
    weights: OnceLock<Buffer<u32>>,
    values: OnceLock<Buffer<f32>>,
}

impl SharedGraph {
    /// Names the device and the graph; nothing is copied yet.
    pub fn new(device: &Device, csr: &Csr) -> Self {
        let (rows, weights, values) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { arrays: Arc::new(Arrays { device: device.clone(), csr: csr.clone(), rows, weights, values }) }
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.arrays.device
    }

    /// The graph on the host.
    pub fn csr(&self) -> &Csr {
        &self.arrays.csr
    }

    /// The rows on the device.
    pub(crate) fn rows(&self) -> Result<&DeviceGraph> {
        upload_once(&self.arrays.rows, || DeviceGraph::upload(self.device(), self.csr()))
    }

    /// The weights of all edges on the device: whole ones as they are, the bits of real ones. A graph without weights has 1 for
    /// each edge.
    pub(crate) fn weights(&self) -> Result<&Buffer<u32>> {
        let device = self.device();
        upload_once(&self.arrays.weights, || match self.csr().weights() {
            Weights::None => device.buffer_from("weights", &vec![1; self.csr().columns().len()]),
            Weights::U32(weights) => device.buffer_from("weights", weights),
            Weights::F32(weights) => Ok(device.buffer_from::<f32>("weights", weights)?.cast()),
        })
    }

    /// The values of the graph's matrix on the device, in single precision. An entry of a matrix without values is 1.
    pub(crate) fn values(&self) -> Result<&Buffer<f32>> {
        upload_once(&self.arrays.values, || match self.csr().weights() {
            Weights::F32(_) => Ok(self.weights()?.cast()),
            _ => self.device().buffer_from("values", &matrix_values(self.csr(), |value| value as f32)),
        })
    }
}

/// The values of a matrix as numbers of one kind; an entry of a matrix without values is 1.
pub(crate) fn matrix_values<T: Send>(csr: &Csr, of: impl Fn(f64) -> T + Sync + Send) -> Vec<T> {
    match csr.weights() {
        Weights::None => csr.columns().par_iter().map(|_| of(1.0)).collect(),
        Weights::U32(whole) => whole.par_iter().map(|value| of(f64::from(*value))).collect(),
        Weights::F32(real) => real.par_iter().map(|value| of(f64::from(*value))).collect(),
    }
}

/// What the cell holds; when it holds nothing, what `upload` gives. After an error it still holds nothing.
fn upload_once<T>(cell: &OnceLock<T>, upload: impl FnOnce() -> Result<T>) -> Result<&T> {
    match cell.get() {
        Some(uploaded) => Ok(uploaded),
        None => {
            let uploaded = phase::during("uploading", upload)?;
            Ok(cell.get_or_init(|| uploaded))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::DeviceOptions, graph::generate::Generator};

    #[test]
    fn arrays_are_uploaded_once() {
        let town = "road:nodes=400,lengths=true".parse::<Generator>().unwrap().generate().unwrap();
        let graph = SharedGraph::new(&Device::open("cpu", &DeviceOptions::default()).unwrap(), &town.csr);
        assert!(Arc::ptr_eq(graph.rows().unwrap().columns.raw(), graph.clone().rows().unwrap().columns.raw()));
        assert!(Arc::ptr_eq(graph.weights().unwrap().raw(), graph.weights().unwrap().raw()));
    }
}

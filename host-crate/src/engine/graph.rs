//! Graphs in device memory.

use super::{
    DeviceGraph,
    partitions::{
        DevicePartition, EdgeArrays, Layout, Part, Parts, Place, partitions_of, refuse_partitions, upload_offsets,
        upload_partitions,
    },
    tiles::TileSet,
};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan},
    graph::{Csr, Weights, transform::transpose},
};
use std::{
    any::Any,
    mem, ptr,
    sync::{Arc, Mutex, OnceLock, PoisonError, Weak},
};

/// What the host does with a [`DeviceGraph`].
pub trait DeviceRows: Sized {
    /// Copies a graph to the device.
    fn upload(device: &Device, csr: &Csr) -> Result<Self>;

    /// The number of nodes.
    fn nodes(&self) -> u32;
}

impl DeviceRows for DeviceGraph {
    fn upload(device: &Device, csr: &Csr) -> Result<Self> {
        refuse_partitions(device, csr)?;
        Ok(upload_partitions(device, csr)?.swap_remove(0).graph)
    }

    fn nodes(&self) -> u32 {
        (self.row_offsets.len() - 1) as u32
    }
}

/// A graph for one device that any number of algorithms can be prepared on. Each of its arrays is copied to the device when an
/// algorithm first needs it, and only once. Clones share the arrays.
///
/// ```
/// use evenkeel::algorithm::{Algorithm, prepare_on, Bfs, Sssp};
/// use evenkeel::device::{Device, DeviceOptions};
/// use evenkeel::{engine::SharedGraph, graph::generate::Generator};
///
/// let town = "road:nodes=400,lengths=true".parse::<Generator>()?.generate()?;
/// let graph = SharedGraph::new(&Device::open("cpu", &DeviceOptions::default())?, &town.csr);
/// let mut bfs = prepare_on::<Bfs>(&graph, &Default::default())?;
/// let mut sssp = prepare_on::<Sssp>(&graph, &Default::default())?;
/// bfs.run(&0)?;
/// sssp.run(&0)?;
/// # Ok::<(), evenkeel::Error>(())
/// ```
#[derive(Clone)]
pub struct SharedGraph {
    arrays: Arc<Arrays>,
    found: Found,
    /// The memory that was admitted for what is being prepared.
    plan: Option<Arc<MemoryPlan>>,
}

/// What was found out about a graph while something is prepared on it, by name.
type Found = Arc<Mutex<Vec<(&'static str, Arc<dyn Any + Send + Sync>)>>>;

/// A graph that is made of another one, with what was found out about it.
struct Derived {
    csr: Csr,
    found: Found,
}

struct Arrays {
    device: Device,
    csr: Csr,
    row_offsets: OnceLock<Buffer<u32>>,
    columns: OnceLock<EdgeArrays>,
    partitions: OnceLock<Vec<DevicePartition>>,
    tiles: OnceLock<TileSet>,
    weights: OnceLock<EdgeArrays>,
    values: OnceLock<EdgeArrays>,
    /// The graphs that are made of this one and in use.
    derived: Mutex<Vec<(&'static str, Weak<Arrays>)>>,
}

impl SharedGraph {
    /// Names the device and the graph; nothing is copied yet.
    pub fn new(device: &Device, csr: &Csr) -> Self {
        Self::with(device.clone(), csr.clone(), Found::default())
    }

    fn with(device: Device, csr: Csr, found: Found) -> Self {
        let arrays = Arrays {
            device,
            csr,
            row_offsets: OnceLock::new(),
            columns: OnceLock::new(),
            partitions: OnceLock::new(),
            tiles: OnceLock::new(),
            weights: OnceLock::new(),
            values: OnceLock::new(),
            derived: Mutex::default(),
        };
        Self { arrays: Arc::new(arrays), found, plan: None }
    }

    /// Puts the graph on a device with the same limits on which nothing runs: preparing something there counts the memory it takes. What was
    /// found out about the graph is shared.
    pub(crate) fn planner(&self) -> Self {
        Self::with(Device::planner(self.device().info()), self.csr().clone(), self.found.clone())
    }

    /// The memory that was admitted, if any was.
    pub(crate) fn plan(&self) -> MemoryPlan {
        self.plan.as_deref().cloned().unwrap_or_default()
    }

    /// What `find` finds out about the graph: the first call for a name asks it, and later ones have the same answer.
    ///
    /// # Errors
    /// What `find` fails with.
    pub fn once<T: Send + Sync + 'static>(
        &self,
        name: &'static str,
        find: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let known = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = known().iter().find(|(other, _)| *other == name).map(|(_, found)| found.clone());
        if let Some(Ok(found)) = earlier.map(Arc::downcast) {
            return Ok(found);
        }
        // Not locked: it may ask for something else.
        let found = Arc::new(find()?);
        known().push((name, found.clone()));
        Ok(found)
    }

    /// The graph that `make` makes of this one; this one itself where it makes the same. It is made once, and all who use it at the same time
    /// share what is on the device.
    ///
    /// # Errors
    /// What `make` fails with.
    pub fn derived(&self, name: &'static str, make: impl FnOnce() -> Result<Csr>) -> Result<Self> {
        let derived = self.once(name, || Ok(Derived { csr: make()?, found: Found::default() }))?;
        if ptr::eq(derived.csr.columns(), self.csr().columns()) && derived.csr.nodes() == self.csr().nodes() {
            return Ok(self.clone());
        }
        let (found, plan) = (derived.found.clone(), self.plan.clone());
        let mut in_use = self.arrays.derived.lock().unwrap_or_else(PoisonError::into_inner);
        in_use.retain(|(_, arrays)| arrays.strong_count() > 0);
        let shared = in_use.iter().find(|(other, _)| *other == name).and_then(|(_, arrays)| arrays.upgrade());
        if let Some(arrays) = shared {
            return Ok(Self { arrays, found, plan });
        }
        let graph = Self { plan, ..Self::with(self.device().clone(), derived.csr.clone(), found) };
        in_use.push((name, Arc::downgrade(&graph.arrays)));
        Ok(graph)
    }

    /// The graph with every edge reversed, with weights where they are asked for; this one where that is the same.
    pub(crate) fn incoming(&self, weighted: bool) -> Result<Self> {
        let csr = self.csr();
        let is_same = if weighted { csr.has_symmetric_weights() } else { csr.is_symmetric() };
        match (is_same, weighted) {
            (true, _) => Ok(self.clone()),
            (false, true) => self.derived("reversed, with weights", || transpose(csr)),
            (false, false) => self.derived("reversed", || transpose(&csr.without_weights())),
        }
    }

    /// The memory that `build` allocates for the graph.
    pub(crate) fn planned<T>(&self, build: impl FnOnce(&Self) -> Result<T>) -> Result<MemoryPlan> {
        let planner = self.planner();
        build(&planner)?;
        Ok(planner.device().counted_memory())
    }

    /// What `build` makes for the graph. It is run on a device that only counts the memory first, so that what does not fit is refused before
    /// anything is allocated.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) with the numbers when it does not fit; what `build` fails with.
    pub(crate) fn prepare<T>(&self, build: impl Fn(&Self) -> Result<T>) -> Result<T> {
        let graph = Self { arrays: self.arrays.clone(), found: Found::default(), plan: None };
        let plan = graph.planned(&build)?;
        graph.device().admit(&plan)?;
        let prepared = build(&Self { plan: Some(Arc::new(plan)), ..graph.clone() });
        forget(&graph.found);
        prepared
    }

    /// How `csr`, which is the graph or made of it, is kept: on the device if it fits there with all else that `allocate` allocates, and else
    /// partly streamed. Of each edge there are so many bytes in arrays that are streamed. It is decided once.
    pub(crate) fn layout<T>(
        &self,
        csr: &Csr,
        edge_bytes: usize,
        allocate: impl Fn(&Self, &Layout) -> Result<T>,
    ) -> Result<Layout> {
        let needed = |layout: &Layout| Ok(self.planned(|graph| allocate(graph, layout))?.bytes());
        Ok(*self.once("layout", || Layout::new(self.device().info(), csr, edge_bytes as u64, needed))?)
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.arrays.device
    }

    /// The graph on the host.
    pub fn csr(&self) -> &Csr {
        &self.arrays.csr
    }

    /// How it is kept for all who share it: on the device.
    fn on_device(&self) -> Layout {
        Layout::resident(self.device().info(), self.csr())
    }

    fn row_offsets(&self) -> Result<&Buffer<u32>> {
        upload_once(self.device(), &self.arrays.row_offsets, || upload_offsets(self.device(), self.csr()))
    }

    fn columns(&self) -> Result<&EdgeArrays> {
        upload_once(self.device(), &self.arrays.columns, || {
            EdgeArrays::columns(self.device(), self.csr(), &self.on_device())
        })
    }

    fn partition_weights(&self) -> Result<&EdgeArrays> {
        upload_once(self.device(), &self.arrays.weights, || {
            EdgeArrays::weights(self.device(), self.csr(), &self.on_device())
        })
    }

    /// The partitions, with their weights where they are asked for, kept as `layout` says. What is streamed is not shared with others.
    pub(crate) fn parts(&self, weighted: bool, layout: &Layout) -> Result<Parts> {
        let (device, csr) = (self.device(), self.csr());
        let (columns, weights) = match layout.is_streamed() {
            true => device.during("uploading", || {
                let weights = if weighted { Some(EdgeArrays::weights(device, csr, layout)?) } else { None };
                Ok((EdgeArrays::columns(device, csr, layout)?, weights))
            })?,
            false => {
                let weights = if weighted { Some(self.partition_weights()?.clone()) } else { None };
                (self.columns()?.clone(), weights)
            }
        };
        let partitions = partitions_of(self.row_offsets()?, csr, layout, &columns);
        Ok(Parts::new(partitions, columns, weights, &device.buffer("no weights", 1)?))
    }

    /// The rows on the device, in one or more partitions.
    pub(crate) fn partitions(&self) -> Result<&[DevicePartition]> {
        let (row_offsets, columns) = (self.row_offsets()?, self.columns()?);
        let made = || partitions_of(row_offsets, self.csr(), &self.on_device(), columns);
        Ok(self.arrays.partitions.get_or_init(made))
    }

    /// The partitions on the device, each with its weights.
    pub(crate) fn weighted_partitions(&self) -> Result<Vec<Part>> {
        let weights = self.partition_weights()?;
        let part = |(place, DevicePartition { graph, rows })| Part { graph, rows, weights: weights.at(place).clone() };
        Ok(weights.places().zip(self.partitions()?.iter().cloned()).map(part).collect())
    }

    /// The rows as tile sets, one for each partition. What is streamed is not shared with others.
    pub(crate) fn tiles(&self, layout: &Layout) -> Result<TileSet> {
        if layout.is_streamed() {
            return self.device().during("uploading", || TileSet::upload(self.device(), self.csr(), layout));
        }
        let (partitions, columns) = (self.partitions()?, self.columns()?);
        let tiles = || TileSet::of_graph(self.device(), self.csr(), partitions, columns);
        Ok(upload_once(self.device(), &self.arrays.tiles, tiles)?.clone())
    }

    /// The rows on the device, of a graph of one partition.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the graph has several partitions here.
    pub(crate) fn rows(&self) -> Result<&DeviceGraph> {
        refuse_partitions(self.device(), self.csr())?;
        Ok(&self.partitions()?[0].graph)
    }

    /// The values of the graph's matrix on the device, in single precision, of a graph of one partition. An entry of a matrix without
    /// values is 1.
    ///
    /// # Errors
    /// [`Error::Unsupported`] when the graph has several partitions here.
    pub(crate) fn values(&self) -> Result<Buffer<f32>> {
        refuse_partitions(self.device(), self.csr())?;
        Ok(self.partition_values(&self.on_device())?.at(Place { partition: 0, slot: 0 }).cast())
    }

    /// The values of each partition, as words. What is streamed is not shared with others.
    pub(crate) fn partition_values(&self, layout: &Layout) -> Result<EdgeArrays> {
        let values = || EdgeArrays::values(self.device(), self.csr(), layout, |value| value as f32);
        if layout.is_streamed() {
            return self.device().during("uploading", values);
        }
        let shared = || match self.csr().weights() {
            Weights::F32(_) => Ok(self.partition_weights()?.clone()),
            _ => values(),
        };
        Ok(upload_once(self.device(), &self.arrays.values, shared)?.clone())
    }
}

/// Drops what was found out about a graph, and about the graphs that are made of it, once everything is prepared.
fn forget(found: &Found) {
    let all = mem::take(&mut *found.lock().unwrap_or_else(PoisonError::into_inner));
    all.into_iter().filter_map(|(_, found)| found.downcast::<Derived>().ok()).for_each(|graph| forget(&graph.found));
}

/// What the cell holds; when it holds nothing, what `upload` gives. After an error it still holds nothing.
fn upload_once<'c, T>(device: &Device, cell: &'c OnceLock<T>, upload: impl FnOnce() -> Result<T>) -> Result<&'c T> {
    match cell.get() {
        Some(uploaded) => Ok(uploaded),
        None => {
            let uploaded = device.during("uploading", upload)?;
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
        let weights = || graph.weighted_partitions().unwrap().swap_remove(0).weights;
        assert!(Arc::ptr_eq(weights().raw(), weights().raw()));
    }
}

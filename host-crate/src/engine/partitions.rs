//! Graphs on devices in partitions: ranges of rows whose columns, and weights, a device can bind, each in a buffer. A kernel that takes
//! partitions runs once for each of them in an iteration, and is told which rows it has by a [`RowRange`]. Where the device lacks memory
//! for all partitions, some stay in memory of the host (see `stream.rs`).

use super::DeviceGraph;
use crate::{
    Error, Result,
    device::{Buffer, Device, DeviceInfo, memory::Bytes},
    graph::{Csr, Partition, PartitionOptions, PartitionWeights, Partitions},
};
use bytemuck::Pod;
use evenkeel_types::RowRange;
use rayon::prelude::*;
use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Bytes of a column, or of a weight.
const WORD: u64 = 4;

/// The largest partition that is streamed: copying it takes so long that starting the copy costs nothing beside it, and a smaller one has
/// less that an iteration does not need.
pub const LARGEST_STREAMED: u64 = 128 << 20;

/// Slots take this part of the memory that is left for a graph, each a half of it; what else there is keeps partitions on the device.
const SHARE_OF_SLOTS: u64 = 4;

/// More partitions of a small graph take more memory for themselves than smaller slots save.
const WORTHWHILE: u64 = 256;

/// The most partitions: each is a dispatch in each iteration, and a buffer or two.
const MOST_PARTITIONS: usize = 4096;

/// How a graph is kept for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The most bytes that a partition has in one buffer.
    limit: u64,
    /// So many partitions stay on the device, the first ones; the others are streamed.
    resident: usize,
    /// The number of partitions.
    pub count: usize,
}

impl Layout {
    /// The layout for kernels that read `edge_bytes` bytes of arrays for each edge, 4 of them the column, and need as many bytes in all as
    /// `needed` says for a layout: all partitions on the device if they fit.
    ///
    /// # Errors
    /// [`Error::Memory`] with the numbers when not even a stream fits.
    pub fn new(device: &DeviceInfo, csr: &Csr, edge_bytes: u64, needed: impl Fn(&Self) -> Result<u64>) -> Result<Self> {
        let (all, available) = (Self::resident(device, csr), device.available());
        let whole = needed(&all)?;
        if whole <= available {
            return all.refuse_many(device);
        }
        let left = available.saturating_sub(whole - edge_bytes * csr.edges());
        let wanted = left / SHARE_OF_SLOTS / 2 * WORD / edge_bytes;
        let in_parts = |count| WORD * csr.edges().max(u64::from(csr.nodes()) + 1).div_ceil(count);
        // Half of the most partitions, because rows are not cut, so that not all are full.
        let least = in_parts(WORTHWHILE).min(LARGEST_STREAMED).max(in_parts(MOST_PARTITIONS as u64 / 2));
        let limit = wanted.min(LARGEST_STREAMED).max(least).min(all.limit);
        let partitions = Partitions::plan(csr, PartitionOptions::new(limit));
        let streamed = Self { limit, resident: 0, count: partitions.list().len() }.refuse_many(device)?;
        let least = needed(&streamed)?;
        if least >= whole {
            // A stream saves nothing: what is missing is said of the whole.
            return all.refuse_many(device);
        }
        if least > available {
            return Err(Error::Memory(format!(
                "{} of device memory needed, even with the graph in the host's memory ({} with all of it on the device); {}",
                Bytes(least),
                Bytes(whole),
                device.available_said()
            )));
        }
        let mut free = available - least;
        let fits = |part: &&Partition| {
            let bytes = edge_bytes * u64::from(part.edge_count());
            let fits = bytes <= free;
            free = free.saturating_sub(bytes);
            fits
        };
        Ok(Self { resident: partitions.list().iter().take_while(fits).count(), ..streamed })
    }

    /// Refuses more partitions than a device is given.
    fn refuse_many(self, device: &DeviceInfo) -> Result<Self> {
        if self.count <= MOST_PARTITIONS {
            return Ok(self);
        }
        let (count, available) = (self.count, device.available_said());
        Err(Error::Memory(format!(
            "the graph would have {count} partitions, and {MOST_PARTITIONS} are the most: allow larger ones, or more memory; {available}"
        )))
    }

    /// All partitions on the device.
    pub fn resident(device: &DeviceInfo, csr: &Csr) -> Self {
        let count = partition(device, csr).list().len();
        Self { limit: device.partition_limit(), resident: count, count }
    }

    /// Whether some partitions are in memory of the host.
    pub fn is_streamed(&self) -> bool {
        self.resident < self.count
    }

    /// How many slots there are.
    fn slots(&self) -> usize {
        if self.is_streamed() { 2 } else { 0 }
    }

    /// The partitions of the graph.
    pub fn partitions<'a>(&self, csr: &'a Csr) -> Partitions<'a> {
        Partitions::plan(csr, PartitionOptions::new(self.limit))
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (streamed, limit) = (self.count - self.resident, Bytes(self.limit));
        write!(
            f,
            "the graph has {} partitions of up to {limit}: {} stay on the device, {streamed} are streamed",
            self.count, self.resident
        )
    }
}

/// A partition of a graph that stays in device memory.
#[derive(Clone)]
pub struct DevicePartition {
    /// The offsets of all rows of the graph, which partitions share, and the columns of the partition.
    pub(crate) graph: DeviceGraph,
    /// Its rows.
    pub(crate) rows: RowRange,
}

/// A partition as a dispatch takes it, with its weights.
#[derive(Clone)]
pub(crate) struct Part {
    /// The offsets of all rows of the graph, which partitions share, and the columns of these.
    pub graph: DeviceGraph,
    /// Its rows.
    pub rows: RowRange,
    /// The weights of its edges; a single word where there are none.
    pub weights: Buffer<u32>,
}

impl Part {
    /// No rows, for a dispatch that only ends an iteration.
    pub fn at_end(&self) -> Self {
        Self { rows: RowRange { is_last: 1, ..RowRange::default() }, ..self.clone() }
    }
}

/// The partitions of a graph.
pub(crate) struct Parts {
    /// All of them. There is one at least. Those that are streamed have the buffers of the first slot.
    pub list: Vec<Part>,
    columns: EdgeArrays,
    weights: Option<EdgeArrays>,
}

impl Parts {
    /// Puts together what a graph has on a device.
    pub fn new(
        partitions: Vec<DevicePartition>,
        columns: EdgeArrays,
        weights: Option<EdgeArrays>,
        no_weights: &Buffer<u32>,
    ) -> Self {
        let part = |(place, DevicePartition { graph, rows })| {
            let weights = weights.as_ref().map_or(no_weights, |weights| weights.at(place)).clone();
            Part { graph, rows, weights }
        };
        Self { list: columns.places().zip(partitions).map(part).collect(), columns, weights }
    }

    /// A word for each array, for what reads none of the graph on the device.
    pub fn none(device: &Device) -> Result<Self> {
        let none: Buffer<u32> = device.buffer("no rows", 1)?;
        let graph = DeviceGraph { row_offsets: none.clone(), columns: none.clone() };
        let columns = EdgeArrays { list: vec![none.clone()], resident: 1, slots: Vec::new(), held: Arc::default() };
        Ok(Self::new(vec![DevicePartition { graph, rows: RowRange::default() }], columns, None, &none))
    }

    /// Whether there are more than one.
    pub fn are_several(&self) -> bool {
        self.list.len() > 1
    }

    /// Whether some of them are in memory of the host.
    pub fn are_streamed(&self) -> bool {
        !self.columns.slots.is_empty()
    }

    /// The rows of each partition.
    pub fn rows(&self) -> impl Iterator<Item = RowRange> {
        self.list.iter().map(|part| part.rows)
    }

    /// What each partition has in arrays of its own.
    pub fn arrays(&self) -> Vec<&EdgeArrays> {
        [Some(&self.columns), self.weights.as_ref()].into_iter().flatten().collect()
    }

    /// A partition, if it is streamed, in a slot.
    pub fn at(&self, place: Place) -> Part {
        let mut part = self.list[place.partition].clone();
        part.graph.columns = self.columns.at(place).clone();
        if let Some(weights) = &self.weights {
            part.weights = weights.at(place).clone();
        }
        part
    }
}

/// Where kernels find a partition.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    /// The number of the partition.
    pub partition: usize,
    /// The slot that it is in, 0 or 1, where it is streamed; else 0.
    pub slot: usize,
}

/// A copy from memory of the host to a slot.
pub(super) type EdgeCopy<'a> = (&'a Buffer<u32>, &'a Buffer<u32>);

/// The partitions that the two slots of an array hold.
pub(super) type Held = [Option<usize>; 2];

/// What has an element for each edge, in all partitions: columns, weights or values, as words. Clones share the memory.
#[derive(Clone)]
pub(crate) struct EdgeArrays {
    /// On the device, or in memory of the host from the first streamed one on.
    list: Vec<Buffer<u32>>,
    /// How many are on the device.
    resident: usize,
    /// Two, where some partitions are streamed.
    slots: Vec<Buffer<u32>>,
    /// What the slots hold. Whoever copies to a slot, or has kernels read one, keeps this locked.
    held: Arc<Mutex<Held>>,
}

impl EdgeArrays {
    /// What kernels take for a partition, if it is streamed, in a slot.
    pub fn at(&self, Place { partition, slot }: Place) -> &Buffer<u32> {
        if partition < self.resident { &self.list[partition] } else { &self.slots[slot] }
    }

    /// Where kernels find the partitions, those that are streamed in the first slot.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        (0..self.list.len()).map(|partition| Place { partition, slot: 0 })
    }

    fn upload(
        device: &Device,
        (csr, layout, name): (&Csr, &Layout, &str),
        words: usize,
        upload: impl Fn(&Partitions<'_>, &Partition, &str, bool) -> Result<Buffer<u32>>,
    ) -> Result<Self> {
        let layout = layout.refuse_many(device.info())?;
        let partitions = layout.partitions(csr);
        let each = |(place, part): (usize, &Partition)| {
            upload(&partitions, part, &named(name, place, layout.count), place < layout.resident)
        };
        let list = partitions.list().iter().enumerate().map(each).collect::<Result<_>>()?;
        let longest = longest(&partitions.list()[layout.resident..]);
        let slot = |place: usize| device.slot(&named_slot(name, place), words * longest);
        let slots = (0..layout.slots()).map(slot).collect::<Result<_>>()?;
        Ok(Self { list, resident: layout.resident, slots, held: Arc::default() })
    }

    /// The columns of a graph.
    pub fn columns(device: &Device, csr: &Csr, layout: &Layout) -> Result<Self> {
        for row in layout.partitions(csr).cut_rows() {
            if !device.is_planner() {
                tracing::info!("row {row} is cut: its {} edges alone exceed a partition", csr.degree(row));
            }
        }
        if layout.is_streamed() {
            device.describe(layout.to_string());
        }
        Self::upload(device, (csr, layout, "columns"), 1, |partitions, part, name, on_device| {
            copy(device, name, partitions.columns(part), on_device)
        })
    }

    /// The weights of a graph: whole ones as they are, the bits of real ones, 1 for each edge of a graph without weights.
    pub fn weights(device: &Device, csr: &Csr, layout: &Layout) -> Result<Self> {
        Self::upload(device, (csr, layout, "weights"), 1, |partitions, part, name, on_device| {
            match partitions.weights(part) {
                PartitionWeights::None => {
                    let edges = part.edge_count() as usize;
                    made(device, name, edges, on_device, || vec![1u32; edges])
                }
                PartitionWeights::U32(weights) => copy(device, name, weights, on_device),
                PartitionWeights::F32(weights) => copy(device, name, bytemuck::cast_slice(weights), on_device),
            }
        })
    }

    /// The values of a matrix as numbers of one kind. An entry of a matrix without values is 1.
    pub fn values<T: Pod + Send>(
        device: &Device,
        csr: &Csr,
        layout: &Layout,
        of: impl Fn(f64) -> T + Sync + Send,
    ) -> Result<Self> {
        let words = size_of::<T>() / size_of::<u32>();
        Self::upload(device, (csr, layout, "values"), words, |partitions, part, name, on_device| {
            let edges = part.edge_count() as usize;
            let values = || match partitions.weights(part) {
                PartitionWeights::None => vec![of(1.0); edges],
                PartitionWeights::U32(whole) => whole.par_iter().map(|value| of(f64::from(*value))).collect(),
                PartitionWeights::F32(real) => real.par_iter().map(|value| of(f64::from(*value))).collect(),
            };
            made(device, name, edges, on_device, values)
        })
    }

    /// The place of the first partition that is streamed; those before it stay on the device.
    pub(super) fn first_streamed(&self) -> usize {
        if self.slots.is_empty() { self.list.len() } else { self.resident }
    }

    /// The number of partitions.
    pub(super) fn count(&self) -> usize {
        self.list.len()
    }

    /// The copy that brings a streamed partition to a slot.
    pub(super) fn copy_to(&self, Place { partition, slot }: Place) -> EdgeCopy<'_> {
        (&self.list[partition], &self.slots[slot])
    }

    /// Keeps the slots for oneself, and says what they hold: another pass may have left other partitions in them. Of several arrays the columns
    /// are locked first.
    pub(super) fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn copy(device: &Device, name: &str, words: &[u32], on_device: bool) -> Result<Buffer<u32>> {
    if on_device { device.buffer_from(name, words) } else { device.host_buffer_from(name, words) }
}

fn made<T: Pod>(
    device: &Device,
    name: &str,
    len: usize,
    on_device: bool,
    make: impl FnOnce() -> Vec<T>,
) -> Result<Buffer<u32>> {
    let elements = if on_device { device.buffer_of(name, len, make) } else { device.host_buffer_of(name, len, make) };
    Ok(elements?.cast())
}

/// The edges of the longest partition.
fn longest(partitions: &[Partition]) -> usize {
    partitions.iter().map(|part| part.edge_count() as usize).max().unwrap_or(0)
}

/// The name of a buffer of a partition, where there are several.
pub(super) fn named(name: &str, place: usize, count: usize) -> String {
    if count == 1 { name.to_owned() } else { format!("{name} of partition {}", place + 1) }
}

fn named_slot(name: &str, place: usize) -> String {
    format!("slot {} for {name}", place + 1)
}

/// How a graph is cut for a device that keeps all of it.
pub(crate) fn partition<'a>(device: &DeviceInfo, csr: &'a Csr) -> Partitions<'a> {
    Partitions::plan(csr, PartitionOptions::new(device.partition_limit()))
}

/// The rows of all partitions as kernels are told them. The last of an iteration ends it, unless partitions are streamed: then the end is a
/// step of its own.
fn row_ranges(csr: &Csr, layout: &Layout) -> Vec<RowRange> {
    let partitions = layout.partitions(csr);
    let range = |(place, part): (usize, &Partition)| RowRange {
        first: part.rows.start,
        count: part.rows.len() as u32,
        edges_before: part.edges.start as u32,
        edges: part.edge_count(),
        is_cut: part.is_cut.into(),
        is_last: (place + 1 == layout.count && !layout.is_streamed()).into(),
    };
    partitions.list().iter().enumerate().map(range).collect()
}

/// The bytes of a graph on a device: where its rows begin, and its columns.
pub(crate) fn rows_bytes(csr: &Csr) -> u64 {
    WORD * (u64::from(csr.nodes()) + 1 + csr.edges())
}

/// Copies a graph to the device, in as many partitions as it needs.
pub(crate) fn upload_partitions(device: &Device, csr: &Csr) -> Result<Vec<DevicePartition>> {
    let layout = Layout::resident(device.info(), csr);
    let columns = EdgeArrays::columns(device, csr, &layout)?;
    Ok(partitions_of(&upload_offsets(device, csr)?, csr, &layout, &columns))
}

/// Copies the offsets of all rows.
pub(super) fn upload_offsets(device: &Device, csr: &Csr) -> Result<Buffer<u32>> {
    device.buffer_from("row offsets", &csr.offsets().low_words()?)
}

/// The partitions of a graph that is on the device.
pub(super) fn partitions_of(
    row_offsets: &Buffer<u32>,
    csr: &Csr,
    layout: &Layout,
    columns: &EdgeArrays,
) -> Vec<DevicePartition> {
    let graph = |place| DeviceGraph { row_offsets: row_offsets.clone(), columns: columns.at(place).clone() };
    let part = |(place, rows)| DevicePartition { graph: graph(place), rows };
    columns.places().zip(row_ranges(csr, layout)).map(part).collect()
}

/// The unit in which 32 bits count the edges of a graph, as a power of two: 0 unless there are more than they hold.
pub(crate) fn edge_shift(csr: &Csr) -> u32 {
    (u64::BITS - csr.edges().leading_zeros()).saturating_sub(u32::BITS)
}

/// Refuses a graph that has several partitions on a device, for what takes only one.
pub(super) fn refuse_partitions(device: &Device, csr: &Csr) -> Result<()> {
    match partition(device.info(), csr).list().len() {
        1 => Ok(()),
        count => Err(Error::Unsupported(format!(
            "{}, and this takes only one; docs/scale.md says what takes several",
            said(device.info(), count)
        ))),
    }
}

/// That a graph has several partitions, and why.
pub(crate) fn said(device: &DeviceInfo, count: usize) -> String {
    let (limit, name) = (Bytes(device.partition_limit()), &device.name);
    let why = match device.partition_bytes {
        Some(_) => format!("as none may exceed {limit} a buffer"),
        None => format!("as {name} binds at most {limit} in one buffer"),
    };
    format!("the graph has {count} partitions, {why}")
}

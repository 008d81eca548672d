//! The partitions of a graph as tile sets, for kernels under a schedule. The tiles of a partition are its own rows, counted from its first
//! row, and the atoms are its own edges, counted from its first edge: so each partition has offsets of its own, and a schedule prepares
//! for it as for a whole graph. Only what a kernel keeps for a row is found by adding the first row ([`TileRange::row`]).

use super::{
    DeviceGraph, DevicePartition,
    partitions::{EdgeArrays, Layout, Place, named, partition},
    schedule::{Choice, ScratchSpace, TileExtent},
};
use crate::{
    Result,
    device::{Device, Launch, Recorder},
    graph::{Csr, Partition, Partitions},
};
use bytemuck::Pod;
use evenkeel_types::TileRange;

/// A partition of a graph in device memory, as kernels under a schedule take it.
#[derive(Clone)]
pub struct TilePartition {
    /// The offsets of the partition's own rows in its own columns, and these columns.
    pub(crate) graph: DeviceGraph,
    /// Its rows.
    pub(crate) range: TileRange,
    /// The number of its rows and edges.
    pub(crate) extent: TileExtent,
}

/// All partitions of a graph as tiles. Clones share the memory.
#[derive(Clone)]
pub(crate) struct TileSet {
    /// Those that are streamed have the columns of the first slot.
    list: Vec<TilePartition>,
    columns: EdgeArrays,
}

impl TileSet {
    /// Copies a matrix to the device as tiles alone, kept as `layout` says.
    pub fn upload(device: &Device, csr: &Csr, layout: &Layout) -> Result<Self> {
        Self::of(device, layout.partitions(csr), EdgeArrays::columns(device, csr, layout)?)
    }

    /// The tiles of partitions whose columns are there.
    fn of(device: &Device, partitions: Partitions<'_>, columns: EdgeArrays) -> Result<Self> {
        let list = partitions.list();
        let tile = |place: Place| {
            let name = named("row offsets", place.partition, list.len());
            let part = &list[place.partition];
            let row_offsets = match device.is_planner() {
                true => device.buffer(&name, part.rows.len() + 1)?,
                false => device.buffer_from(&name, &partitions.compact_offsets(part))?,
            };
            Ok(tiles(&partitions, place.partition, DeviceGraph { row_offsets, columns: columns.at(place).clone() }))
        };
        Ok(Self { list: columns.places().map(tile).collect::<Result<_>>()?, columns })
    }

    /// The tiles of a graph whose partitions are on the device. Those of one partition have the graph's own offsets.
    pub(super) fn of_graph(
        device: &Device,
        csr: &Csr,
        graph: &[DevicePartition],
        columns: &EdgeArrays,
    ) -> Result<Self> {
        let partitions = partition(device.info(), csr);
        match graph {
            [whole] => {
                let list = vec![tiles(&partitions, 0, whole.graph.clone())];
                Ok(Self { list, columns: columns.clone() })
            }
            _ => Self::of(device, partitions, columns.clone()),
        }
    }

    /// The tiles of a partition, if it is streamed, in a slot.
    fn at(&self, place: Place) -> TilePartition {
        let TilePartition { mut graph, range, extent } = self.list[place.partition].clone();
        graph.columns = self.columns.at(place).clone();
        TilePartition { graph, range, extent }
    }
}

/// The partitions of a graph, each with the scratch memory of a schedule. `V` is the type of the values that a gather joins.
pub(crate) struct TileSpaces<V: Pod> {
    tiles: TileSet,
    spaces: Vec<ScratchSpace<V>>,
}

impl<V: Pod> TileSpaces<V> {
    /// Allocates the memory, and finds out what the schedule must know of each partition.
    pub fn new(device: &Device, choice: Choice, tiles: TileSet) -> Result<Self> {
        Self::for_teams(device, choice, tiles, 1)
    }

    /// Allocates the memory for lanes that are teams of `team` invocations.
    pub fn for_teams(device: &Device, choice: Choice, tiles: TileSet, team: u32) -> Result<Self> {
        let space = |part: &TilePartition| {
            let extent = TileExtent { team, ..part.extent };
            ScratchSpace::gather(device, choice, &part.graph.row_offsets, extent)
        };
        Ok(Self { spaces: tiles.list.iter().map(space).collect::<Result<_>>()?, tiles })
    }

    /// The most workgroups of a gather over one of the partitions, and of its second pass.
    pub fn count_gather<'a, L: Launch>(
        &'a self,
        recorder: &Recorder,
        launch: impl Fn(&'a TilePartition, &'a ScratchSpace<V>) -> L,
    ) -> [u32; 2] {
        let each = self.tiles.list.iter().zip(&self.spaces);
        let counts = each.map(|(part, space)| space.count_gather(recorder, &launch(part, space)));
        counts.fold([0, 0], |[main, finish], [a, b]| [main.max(a), finish.max(b)])
    }

    /// The columns, which are what is streamed where some partitions are.
    pub fn columns(&self) -> &EdgeArrays {
        &self.tiles.columns
    }

    /// Where the partitions are of a graph that is on the device.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<V> {
        self.tiles.columns.places()
    }

    /// A partition with its scratch memory.
    pub fn at(&self, place: Place) -> (TilePartition, &ScratchSpace<V>) {
        (self.tiles.at(place), &self.spaces[place.partition])
    }

    /// The most invocations of a scatter over one of the partitions.
    pub fn scatter_size(&self) -> usize {
        self.spaces.iter().map(ScratchSpace::scatter_size).max().unwrap_or(0)
    }
}

fn extent_of(part: &Partition) -> TileExtent {
    TileExtent::new(part.rows.len(), part.edge_count() as usize)
}

fn tiles(partitions: &Partitions<'_>, place: usize, graph: DeviceGraph) -> TilePartition {
    let (list, csr) = (partitions.list(), partitions.csr());
    let part = &list[place];
    let continues = part.is_cut && part.edges.start > csr.row(part.rows.start).start as u64;
    let range = TileRange {
        first: part.rows.start,
        count: part.rows.len() as u32,
        continues: continues.into(),
        is_last: (place + 1 == list.len()).into(),
    };
    TilePartition { graph, range, extent: extent_of(part) }
}

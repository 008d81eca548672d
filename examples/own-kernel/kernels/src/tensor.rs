//! Contractions of a sparse tensor of third order with dense ones. The tensor is a tree of compressed levels (CSF: Smith and Karypis 2015): a slice has
//! fibers, and a fiber has entries, so there are two tile sets over the same entries. The schedules know of neither.

use bytemuck::{Pod, Zeroable};
use evenkeel_kernels::{
    Scratch, for_each_schedule, kernel,
    lane::Lane,
    memory::{Global, Read, Vec4},
    schedule::{Distribute, Sum},
    tiles::TileSet,
};
use evenkeel_types::ScheduleParams;

/// The fibers of a tensor: a tile is all entries (i, j, k) of one i and j.
#[derive(Clone, Copy)]
pub struct Fibers<'a> {
    /// Where each fiber begins, and the number of entries.
    pub begins: Read<'a, u32>,
    /// The number of fibers.
    pub count: u32,
}

impl TileSet for Fibers<'_> {
    #[inline(always)]
    fn tiles(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn begin(&self, tile: u32) -> u32 {
        self.begins.get(tile)
    }

    #[inline(always)]
    fn end(&self, tile: u32) -> u32 {
        self.begins.get(tile + 1)
    }

    #[inline(always)]
    fn before(&self, tile: u32) -> u32 {
        self.begins.get(tile)
    }
}

/// The slices of a tensor: a tile is all entries (i, j, k) of one i, those of several fibers that follow each other.
#[derive(Clone, Copy)]
pub struct Slices<'a> {
    /// The first fiber of each slice, and the number of fibers.
    pub first_fibers: Read<'a, u32>,
    /// Where each fiber begins, and the number of entries.
    pub begins: Read<'a, u32>,
    /// The number of slices.
    pub count: u32,
}

impl TileSet for Slices<'_> {
    #[inline(always)]
    fn tiles(&self) -> u32 {
        self.count
    }

    #[inline(always)]
    fn begin(&self, tile: u32) -> u32 {
        self.begins.get(self.first_fibers.get(tile))
    }

    #[inline(always)]
    fn end(&self, tile: u32) -> u32 {
        self.begins.get(self.first_fibers.get(tile + 1))
    }

    #[inline(always)]
    fn before(&self, tile: u32) -> u32 {
        self.begin(tile)
    }
}

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TensorParams {
    /// The number of tiles: fibers or slices.
    pub tiles: u32,
    /// What the host chose of the schedule.
    pub schedule: ScheduleParams,
}

/// Tensor times vector: the element (i, j) of the result is the sum over k of entry (i, j, k) times element k of the vector.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn tensor_times_vector<S: Distribute>(
    lane: Lane,
    params: &TensorParams,
    begins: Read<u32>,
    third: Read<u32>,
    values: Read<f32>,
    vector: Read<f32>,
    mut result: Global<f32>,
    scratch: Scratch<f32>,
) {
    let fibers = Fibers { begins, count: params.tiles };
    let term = move |entry| values.get(entry) * vector.get(third.get(entry));
    S::gather(lane, &fibers, scratch, Sum, term, move |fiber, sum| result.set(fiber, sum));
}

/// Matricised tensor times Khatri-Rao product, of four columns: row i of the result is the sum over j and k of entry (i, j, k) times the elements of
/// row j of one matrix and row k of the other, column by column.
#[kernel(threads = 256, each(S in for_each_schedule))]
pub fn tensor_times_matrices<S: Distribute>(
    lane: Lane,
    params: &TensorParams,
    first_fibers: Read<u32>,
    begins: Read<u32>,
    second: Read<u32>,
    third: Read<u32>,
    values: Read<f32>,
    left: Read<Vec4>,
    right: Read<Vec4>,
    mut result: Global<Vec4>,
    scratch: Scratch<Vec4>,
) {
    let slices = Slices { first_fibers, begins, count: params.tiles };
    let term = move |entry| left.get(second.get(entry)) * right.get(third.get(entry)) * values.get(entry);
    S::gather(lane, &slices, scratch, Sum, term, move |slice, sum| result.set(slice, sum));
}

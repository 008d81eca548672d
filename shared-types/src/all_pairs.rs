//! What the kernels of all-pairs shortest paths are told, and the sizes that they and the host must agree on.

use bytemuck::{Pod, Zeroable};

/// Rows and columns of a tile of the matrix: as many pivots are taken at a time.
pub const MATRIX_TILE: u32 = 64;

/// A row of the matrix is a whole number of these: two tiles, the square that a workgroup takes.
pub const SPAN: u32 = 2 * MATRIX_TILE;

/// Of the kernels that take every path over one node, or over a tile of them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct PivotParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// Words in a row of the matrix.
    pub width: u32,
    /// The node, or the number of the tile.
    pub pivot: u32,
}

/// Of the kernels that take all sources at once along every edge.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BatchedParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// Words in a row of the matrix.
    pub width: u32,
    /// Workgroups of an iteration.
    pub groups: u32,
}

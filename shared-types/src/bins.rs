//! Tiles binned by the logarithm of their size: a header with the sizes of the three classes, then the tiles.

/// The words of the header.
pub struct Bins;

impl Bins {
    /// The number of small tiles, an invocation each.
    pub const SMALL: u32 = 0;
    /// The number of tiles of middle size, a subgroup each.
    pub const MIDDLE: u32 = 1;
    /// The number of large tiles, a workgroup each.
    pub const LARGE: u32 = 2;
    /// How many bins there are: for no atoms, and for each logarithm of 32 bits.
    pub const COUNT: u32 = 33;
    /// The last bin of small tiles: fewer than 32 atoms.
    pub const LARGEST_SMALL: u32 = 5;
    /// The last bin of tiles of middle size: fewer than 4,096 atoms, 128 for each invocation of a subgroup of 32.
    pub const LARGEST_MIDDLE: u32 = 12;
    /// Words before the first tile.
    pub const HEADER: u32 = 4;
}

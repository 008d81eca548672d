//! What the work is: a set of tiles, each made of atoms, as rows of a matrix are of their non-zeros. A schedule hands the atoms out; it
//! knows of a format only what [`TileSet`] says, so a new format is one implementation of it.

mod entries;
mod frontier;
mod products;
mod rows;

pub use entries::Entries;
pub use frontier::Frontier;
pub use products::Products;
pub use rows::Rows;

/// Tiles 0..`tiles()`, in an order. A tile's atoms are numbered one after another, `begin(tile)..end(tile)`.
pub trait TileSet {
    /// How many tiles there are.
    fn tiles(&self) -> u32;

    /// The first atom of a tile.
    fn begin(&self, tile: u32) -> u32;

    /// The atom after the last of a tile.
    fn end(&self, tile: u32) -> u32;

    /// How many atoms the tiles before this one have together; for `tiles()`, all of them.
    fn before(&self, tile: u32) -> u32;

    /// How many atoms there are.
    #[inline(always)]
    fn atoms(&self) -> u32 {
        self.before(self.tiles())
    }
}

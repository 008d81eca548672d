//! Merge-path (Merrill and Garland 2016): tiles and atoms are merged into one path, cut into equal parts, so that neither a
//! huge tile nor a million empty ones keeps an invocation longer than another.

use super::parts::Cut;

/// See the module.
pub struct MergePath;

impl Cut for MergePath {
    #[inline(always)]
    fn items(tiles: u32, atoms: u32) -> u32 {
        tiles + atoms
    }

    #[inline(always)]
    fn is_over(end: u32, tile: u32, item: u32) -> bool {
        end + tile < item
    }

    #[inline(always)]
    fn atom(item: u32, tile: u32) -> u32 {
        item - tile
    }

    #[inline(always)]
    fn item(atom: u32, tile: u32) -> u32 {
        atom + tile
    }
}

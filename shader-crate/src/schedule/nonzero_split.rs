//! An even share of atoms to each invocation, whatever tiles they belong to. Unlike merge-path it counts tiles as free, so an
//! invocation that comes upon a run of empty ones ends them all.

use super::parts::Cut;

/// See the module.
pub struct NonzeroSplit;

impl Cut for NonzeroSplit {
    #[inline(always)]
    fn items(_tiles: u32, atoms: u32) -> u32 {
        atoms
    }

    #[inline(always)]
    fn is_over(end: u32, _tile: u32, item: u32) -> bool {
        end <= item
    }

    #[inline(always)]
    fn atom(item: u32, _tile: u32) -> u32 {
        item
    }

    #[inline(always)]
    fn item(atom: u32, _tile: u32) -> u32 {
        atom
    }
}

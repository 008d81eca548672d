//! Sets of nodes as bitmaps, 32 nodes a word: small enough to stay in a GPU's cache.

use crate::prelude::*;

/// Two bitmaps of the nodes visited so far, one behind the other. One is up to date; the other is of some earlier iteration.
pub struct Bitmaps<'a> {
    /// The words of both.
    pub words: Global<'a, u32>,
    /// The first word of the bitmap that is up to date.
    pub current: u32,
    /// The first word of the other.
    pub other: u32,
}

#[inline_all]
impl<'a> Bitmaps<'a> {
    /// The bitmaps of `count` words each, of which number `side` is up to date.
    pub fn new(words: Global<'a, u32>, count: u32, side: u32) -> Self {
        let current = side * count;
        Self { words, current, other: count - current }
    }

    /// A word of the bitmap that is up to date.
    pub fn word(&self, word: u32) -> u32 {
        self.words.get(self.current + word)
    }

    /// 1 when the node was visited, else 0.
    pub fn bit(&self, node: u32) -> u32 {
        (self.word(node / 32) >> (node % 32)) & 1
    }

    /// Whether the node was visited after the other bitmap was up to date.
    pub fn is_new(&self, node: u32) -> bool {
        let (now, before) = (self.word(node / 32), self.words.get(self.other + node / 32));
        ((now & !before) >> (node % 32)) & 1 == 1
    }

    /// Visits the node if `present`. 1 when this invocation is the first to visit it, else 0.
    pub fn visit(&mut self, node: u32, present: bool) -> u32 {
        let bit = u32::from(present) << (node % 32);
        let before = self.words.or(self.current + node / 32, bit);
        u32::from(bit & !before != 0)
    }

    /// Whether no invocation that this one knows of has visited the node. Looking is cheaper than [`Self::visit`] where many try to visit
    /// nodes of the same word.
    pub fn is_open(&self, node: u32) -> bool {
        (self.words.load(self.current + node / 32) >> (node % 32)) & 1 == 0
    }

    /// Sets bits in a word of the other bitmap.
    pub fn add_to_other(&mut self, word: u32, bits: u32) {
        self.words.or(self.other + word, bits);
    }
}

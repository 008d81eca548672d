//! What the kernels are told, what they count in, and what they read and write.

use crate::prelude::*;

registry! {
    /// How many words a node has.
    pub enum Width, evenkeel_kernels::algorithm::many::Width, for_each_width {
        /// One, for up to 32 sources.
        Narrow = "narrow", evenkeel_kernels::algorithm::many::Narrow;
        /// Two, for up to 64.
        Wide = "wide", evenkeel_kernels::algorithm::many::Wide;
    }
}

registry! {
    /// What is kept of the depths.
    pub enum Keep, evenkeel_kernels::algorithm::many::Keep, for_each_keep {
        /// The depth from the nearest source.
        Nearest = "nearest", evenkeel_kernels::algorithm::many::Nearest;
        /// That, and the depth from each source.
        Each = "each", evenkeel_kernels::algorithm::many::Each;
        /// The sum of the depths from all sources, and from how many a node was reached.
        Sums = "sums", evenkeel_kernels::algorithm::many::Sums;
        /// The depth from each of up to 32 sources, in a byte.
        Bytes = "bytes", evenkeel_kernels::algorithm::many::Bytes;
    }
}

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ManyParams {
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges.
    pub edges: u32,
    /// The most workgroups that gain from a dispatch.
    pub max_groups: u32,
    /// 1 when every edge has its reverse, so that a node can look for those that lead to it.
    pub can_pull: u32,
    /// The number of pieces of long rows.
    pub pieces: u32,
    /// The fewest nodes of a frontier that may have enough edges for a level over all nodes.
    pub fewest: u32,
    /// Columns that there are for [`Each`].
    pub columns: u32,
    /// The rows of the partition; of the first where a kernel takes no edges.
    pub rows: RowRange,
}

/// The state of the loop.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable, Fields)]
pub struct ManyState {
    /// `frontier` counts the nodes that sources have reached in the last level, `next` those of the list that is written, less heavy ones.
    pub header: LoopHeader,
    /// The dispatch that settles what a level has found.
    pub settle_groups: [u32; 3],
    /// How the level goes that is next: from a list, or over all nodes.
    pub mode: u32,
    /// The words in which the frontier is, and the list of its nodes: 0 or 1.
    pub side: u32,
    /// Heavy nodes of the list that is read.
    pub heavy: u32,
    /// Heavy nodes of the list that is written.
    pub next_heavy: u32,
    /// 1 when a level over all nodes lists what it finds.
    pub lists: u32,
    /// Nodes found in this level.
    pub found: u32,
    /// Edges out of the nodes found in this level.
    pub edges: u32,
    /// Edges out of the nodes that each of the first 32 sources has found in the last level, in units of eight.
    pub low_edges: [u32; 32],
    /// Edges out of the nodes that each of the other sources has found in the last level, in units of eight.
    pub high_edges: [u32; 32],
    /// The column of the first of these sources.
    pub column: u32,
}

#[inline_all]
impl ManyState {
    /// The edges out of the nodes that a source has found in the last level, in units of eight.
    pub(super) fn edges_of(source: u32) -> Field<Self> {
        if source < 32 { Self::LOW_EDGES.at(source) } else { Self::HIGH_EDGES.at(source - 32) }
    }
}

/// What is known of the nodes.
#[derive(Bundle)]
pub struct Reach<S: Storage> {
    /// The sources that have reached each node.
    pub seen: S::Write<u32>,
    /// The sources that have reached it in the last level, and behind those of all nodes, in this one.
    pub fronts: S::Write<u32>,
    /// Two lists of nodes, one behind the other.
    pub lists: S::Write<u32>,
}

/// A bit for each source.
#[derive(Clone, Copy)]
pub struct Bits {
    /// The bits of the first 32 sources.
    pub low: u32,
    /// The bits of the others.
    pub high: u32,
}

/// The number of words of a node.
#[inline_all]
pub trait Words {
    /// One or two.
    const COUNT: u32;
}

/// One word.
pub struct Narrow;
/// Two words.
pub struct Wide;

impl Words for Narrow {
    const COUNT: u32 = 1;
}

impl Words for Wide {
    const COUNT: u32 = 2;
}

#[inline_all]
impl Bits {
    /// None.
    pub const NONE: Self = Self { low: 0, high: 0 };

    /// All that there may be.
    pub fn all<W: Words>() -> Self {
        Self { low: u32::MAX, high: if W::COUNT == 2 { u32::MAX } else { 0 } }
    }

    /// The bits of a place.
    pub fn get<W: Words>(words: &Global<u32>, place: u32) -> Self {
        let low = words.get(W::COUNT * place);
        Self { low, high: if W::COUNT == 2 { words.get(2 * place + 1) } else { 0 } }
    }

    /// Replaces the bits of a place.
    pub fn set<W: Words>(self, words: &mut Global<u32>, place: u32) {
        words.set(W::COUNT * place, self.low);
        if W::COUNT == 2 {
            words.set(2 * place + 1, self.high);
        }
    }

    /// Adds these bits to those of a place, whoever else does. Returns whether a word that they are in had none before.
    pub fn add<W: Words>(self, words: &mut Global<u32>, place: u32) -> bool {
        let mut is_first = false;
        if self.low != 0 {
            is_first = words.or(W::COUNT * place, self.low) == 0;
        }
        if W::COUNT == 2 && self.high != 0 {
            is_first |= words.or(2 * place + 1, self.high) == 0;
        }
        is_first
    }

    /// Those that both have.
    pub fn and(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }

    /// Those that one of them has.
    pub fn or(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }

    /// Those that the other has not.
    pub fn without(self, other: Self) -> Self {
        Self { low: self.low & !other.low, high: self.high & !other.high }
    }

    /// Whether there are any.
    pub fn any(self) -> bool {
        self.low | self.high != 0
    }

    /// How many there are.
    pub fn count(self) -> u32 {
        self.low.count_ones() + self.high.count_ones()
    }

    /// Those of all lanes of the subgroup, which call it together.
    pub fn of_subgroup<W: Words>(self, lane: Lane) -> Self {
        let low = lane.reduce_or(self.low);
        Self { low, high: if W::COUNT == 2 { lane.reduce_or(self.high) } else { 0 } }
    }

    /// Those of one lane of the subgroup.
    pub fn of_lane<W: Words>(self, lane: Lane, owner: u32) -> Self {
        let low = lane.of(owner, self.low);
        Self { low, high: if W::COUNT == 2 { lane.of(owner, self.high) } else { 0 } }
    }
}

/// What is kept of the depths.
#[inline_all]
pub trait Record {
    /// Notes that `new` sources have reached a node at `depth`, where `before` had earlier. The first source has this column.
    fn note(params: &ManyParams, column: u32, values: &mut Global<u32>, node: u32, depth: u32, before: Bits, new: Bits);

    /// Notes the rest of it, together with the other lanes of the subgroup, which bring nodes and bits of their own or none.
    fn note_together(_: Lane, _: &ManyParams, _: u32, _: &mut Global<u32>, _: u32, _: u32, _: Bits) {}
}

/// The depth from the nearest source, a word for each node.
pub struct Nearest;
/// Behind that, for each node a word for each column.
pub struct Each;

/// Bits that a lane notes by itself.
const FEW: u32 = 8;

/// Three words for each node: the sum of depths, its upper half, and the number of sources.
pub struct Sums;

/// Eight words for each node, with a byte for each source.
pub struct Bytes;

#[inline_all]
impl Record for Bytes {
    fn note(_: &ManyParams, _: u32, values: &mut Global<u32>, node: u32, depth: u32, _: Bits, new: Bits) {
        let mut left = new.low;
        while left != 0 {
            let source = left.trailing_zeros();
            let (word, shift) = (8 * node + source / 4, source % 4 * 8);
            values.set(word, (values.get(word) & !(255 << shift)) | (depth.min(255) << shift));
            left &= left - 1;
        }
    }
}

#[inline_all]
impl Record for Nearest {
    fn note(_: &ManyParams, _: u32, values: &mut Global<u32>, node: u32, depth: u32, before: Bits, _: Bits) {
        if !before.any() {
            // Sources beyond the first 64 come later.
            values.set(node, values.get(node).min(depth));
        }
    }
}

#[inline_all]
impl Record for Each {
    fn note(
        params: &ManyParams,
        column: u32,
        values: &mut Global<u32>,
        node: u32,
        depth: u32,
        before: Bits,
        new: Bits,
    ) {
        Nearest::note(params, column, values, node, depth, before, new);
    }

    /// The depths from each source. A node's columns stand side by side: where there are many to write, the subgroup writes those of one node
    /// after the other, so that its lanes write to neighbouring words.
    fn note_together(
        lane: Lane,
        params: &ManyParams,
        column: u32,
        values: &mut Global<u32>,
        node: u32,
        depth: u32,
        new: Bits,
    ) {
        let row = params.nodes + node * params.columns + column;
        if lane.reduce_max(new.count()) <= FEW {
            let (mut low, mut high) = (new.low, new.high);
            while low != 0 {
                values.set(row + low.trailing_zeros(), depth);
                low &= low - 1;
            }
            while high != 0 {
                values.set(row + 32 + high.trailing_zeros(), depth);
                high &= high - 1;
            }
            return;
        }
        for owner in 0..lane.subgroup_size {
            let (row, low, high) = (lane.of(owner, row), lane.of(owner, new.low), lane.of(owner, new.high));
            for source in step(lane.subgroup_lane, super::SOURCES, lane.subgroup_size) {
                let word = if source < 32 { low } else { high };
                if (word >> (source % 32)) & 1 == 1 {
                    values.set(row + source, depth);
                }
            }
        }
    }
}

#[inline_all]
impl Record for Sums {
    fn note(_: &ManyParams, _: u32, values: &mut Global<u32>, node: u32, depth: u32, _: Bits, new: Bits) {
        let (count, place) = (new.count(), 3 * node);
        // Depths are below the number of nodes, so that 64 of them may exceed a word: one at a time is certain not to.
        let (mut low, mut high) = (values.get(place), values.get(place + 1));
        for _ in 0..count {
            let sum = low.wrapping_add(depth);
            high += u32::from(sum < low);
            low = sum;
        }
        values.set(place, low);
        values.set(place + 1, high);
        values.set(place + 2, values.get(place + 2) + count);
    }
}

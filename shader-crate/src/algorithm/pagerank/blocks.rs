//! Shares that are added up from workgroup memory. Nodes are cut into blocks whose shares fit there. Of a row, the nodes of one block are
//! cut into chunks of eight, each a `UVec4` of places in the block. A workgroup loads the shares of a block once, and each of its invocations adds up
//! one chunk after another. The sum of a chunk is stored behind the shares of the nodes, so that the gather reads it as it
//! reads the share of a node: a row has the number of the chunk in place of the nodes in it.

use crate::memory::UVec4;
use crate::prelude::*;
use crate::schedule::stage;

/// Places in a block: 32 KiB, which most devices have.
pub const PLACES: usize = 8192;

/// The place whose share is 0, for chunks that are not full.
pub const NO_NODE: u32 = PLACES as u32 - 1;

/// Nodes in a block: as many as there are places before the one that is empty.
pub const BLOCK_NODES: u32 = NO_NODE;

/// Nodes in a chunk, two to each word.
pub const CHUNK: u32 = 8;

/// What the host pushes for the kernel that adds up chunks.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct BlockParams {
    /// The number of nodes of the graph.
    pub nodes: u32,
    /// The first of the parts whose chunks are bound to this dispatch.
    pub first_part: u32,
    /// The number of these parts.
    pub parts: u32,
    /// The number of chunks before those that are bound.
    pub chunks_before: u32,
}

/// The sum of the shares at two places, one in each half of a word.
#[inline(always)]
fn pair(shares: &Shared<f32, PLACES>, places: u32) -> f32 {
    shares.get(places & 0xffff) + shares.get(places >> 16)
}

/// The sum of the shares of a chunk.
#[inline(always)]
fn add_chunk(shares: &Shared<f32, PLACES>, places: UVec4) -> f32 {
    let (one, other) =
        (pair(shares, places.x) + pair(shares, places.y), pair(shares, places.z) + pair(shares, places.w));
    one + other
}

/// Adds up the shares of each chunk. A workgroup takes a part at a time: its first chunk, the chunk after its last, and its block.
#[kernel(threads = 256, any_width)]
pub fn rank_blocks(
    lane: Lane,
    params: &BlockParams,
    parts: Read<u32>,
    chunks: Read<UVec4>,
    mut shares: Global<f32>,
    mut block: Shared<f32, 8192>,
) {
    // Chunks are counted from the first that is bound, and their sums lie behind those of the chunks before.
    let first_sum = params.nodes + params.chunks_before;
    for number in lane.by_group(params.parts) {
        let part = params.first_part + number;
        let first = parts.get(3 * part) - params.chunks_before;
        let (mut chunk, end) = (first + lane.local, parts.get(3 * part + 1) - params.chunks_before);
        let begin = parts.get(3 * part + 2) * BLOCK_NODES;
        let nodes = (params.nodes - begin).min(BLOCK_NODES);
        stage(lane, nodes, |place| shares.get(begin + place), |place, share| block.set(place, share));
        if lane.local == 0 {
            block.set(NO_NODE, 0.0);
        }
        lane.barrier();
        // Four chunks at a time, because several loads in flight cost little more than one.
        while chunk < end && end - chunk > 3 * lane.threads {
            let (a, b) = (chunks.get(chunk), chunks.get(chunk + lane.threads));
            let (c, d) = (chunks.get(chunk + 2 * lane.threads), chunks.get(chunk + 3 * lane.threads));
            let sums = (add_chunk(&block, a), add_chunk(&block, b), add_chunk(&block, c), add_chunk(&block, d));
            let place = first_sum + chunk;
            shares.set(place, sums.0);
            shares.set(place + lane.threads, sums.1);
            shares.set(place + 2 * lane.threads, sums.2);
            shares.set(place + 3 * lane.threads, sums.3);
            chunk += 4 * lane.threads;
        }
        while chunk < end {
            shares.set(first_sum + chunk, add_chunk(&block, chunks.get(chunk)));
            chunk += lane.threads;
        }
        lane.barrier();
    }
}

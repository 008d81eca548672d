//! The rows of PageRank's matrix in chunks: see the kernel (`pagerank/blocks.rs`). Of each row, the columns of one block of nodes become chunks of
//! eight, and the row keeps a column for each chunk, and what is left over. On a skewed graph whose nodes are in the
//! order of their degrees, most entries are in chunks, whose shares are read from workgroup memory.

use super::pull::{Blocks, Pull};
use crate::{
    Result,
    graph::{Csr, array::zeroed, build::split},
    phase,
};
use evenkeel_kernels::algorithm::pagerank::blocks::{BLOCK_NODES, CHUNK, NO_NODE};
use rayon::prelude::*;
use std::ops::Range;

/// The fewest entries that become a chunk: a single share is read in less time than a chunk takes.
const FEWEST: usize = 2;

/// The fewest chunks of a block: with fewer, loading the shares of the block takes longer than it saves.
const FEWEST_OF_BLOCK: u32 = if cfg!(test) { 1 } else { 2048 };

/// The share of all entries that must be in chunks; otherwise adding them up takes longer than it saves.
const WORTHWHILE: f64 = 0.25;

/// The fewest chunks of a part, unless a block has fewer, and the most. Each part loads the shares of its block.
const PART: Range<usize> = 2048..65536;

/// About as many parts as there are in between: with one or two more for each block, a large GPU runs them all at the same time.
const PARTS: usize = 576;

/// The entries of the rows that a thread takes at a time.
const ENTRIES: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// The entries of a chunk in the mean, at least. A chunk takes four words and a column, so that the device needs at most a quarter more memory.
pub const MEAN: usize = 4;

/// The chunks of a block, and the entries in them.
#[derive(Clone, Copy, Default)]
struct Counts {
    chunks: u32,
    entries: u32,
}

/// Chunks that are still to be filled, and the number of the first of them.
struct Stretch<'a> {
    number: u32,
    chunks: &'a mut [[u32; 4]],
}

impl Pull {
    /// Moves entries into chunks, if that is worthwhile and there are no more than `most_shares` nodes and chunks together, whose
    /// shares are in one buffer. Rows are sorted, and none is cut.
    pub fn into_blocks(self, most_shares: u64) -> Result<Self> {
        phase::during("cutting into blocks", || {
            Ok(match cut(&self.matrix, self.factors.len() as u32, most_shares)? {
                Some((matrix, blocks)) => Self { matrix, blocks, ..self },
                None => self,
            })
        })
    }
}

/// The rows that are left, and the chunks.
fn cut(matrix: &Csr, nodes: u32, most_shares: u64) -> Result<Option<(Csr, Blocks)>> {
    let ranges = ranges(matrix.row_offsets()?);
    let blocks = nodes.div_ceil(BLOCK_NODES) as usize;
    let mut counts: Vec<Vec<Counts>> = ranges.par_iter().map(|rows| count(matrix, rows.clone(), blocks)).collect();
    let chunks_of =
        |counts: &[Vec<Counts>], block: usize| counts.iter().map(|counts| counts[block].chunks).sum::<u32>();
    for block in 0..blocks {
        if chunks_of(&counts, block) < FEWEST_OF_BLOCK {
            counts.iter_mut().for_each(|counts| counts[block] = Counts::default());
        }
    }
    let sum = |number: fn(&Counts) -> u32| counts.iter().flatten().map(|counts| number(counts) as usize).sum::<usize>();
    let (all, chunks, entries) = (matrix.columns().len(), sum(|it| it.chunks), sum(|it| it.entries));
    // A column can name each chunk.
    let most = most_shares.min(u64::from(u32::MAX) - 1);
    let fits = MEAN * chunks <= entries && u64::from(nodes) + chunks as u64 <= most;
    if chunks == 0 || (entries as f64) < WORTHWHILE * all as f64 || !fits {
        return Ok(None);
    }
    let mut parts = Vec::new();
    let part = (chunks / PARTS).clamp(PART.start, PART.end) as u32;
    let mut begin = 0;
    for block in 0..blocks {
        let end = begin + chunks_of(&counts, block);
        parts.extend((begin..end).step_by(part as usize).map(|first| [first, (first + part).min(end), block as u32]));
        begin = end;
    }
    let (matrix, chunks) = fill(matrix, nodes, &ranges, &counts)?;
    Ok(Some((matrix, Blocks { chunks, parts })))
}

/// Rows of about as many entries together.
fn ranges(row_offsets: &[u32]) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut first = 0;
    for row in 1..row_offsets.len() {
        if (row_offsets[row] - row_offsets[first]) as usize + (row - first) >= ENTRIES || row + 1 == row_offsets.len() {
            ranges.push(first..row);
            first = row;
        }
    }
    ranges
}

/// The columns of a sorted row in each block.
fn segments(mut row: &[u32]) -> impl Iterator<Item = (usize, &[u32])> {
    std::iter::from_fn(move || {
        let block = row.first()? / BLOCK_NODES;
        let end = u64::from(block + 1) * u64::from(BLOCK_NODES);
        let length = row.iter().position(|column| u64::from(*column) >= end).unwrap_or(row.len());
        let (segment, rest) = row.split_at(length);
        row = rest;
        Some((block as usize, segment))
    })
}

/// How many of the columns of a row in one block are put into chunks.
fn in_chunks(length: usize) -> usize {
    let over = length % CHUNK as usize;
    if over < FEWEST { length - over } else { length }
}

/// Counts the chunks of rows by block.
fn count(matrix: &Csr, rows: Range<usize>, blocks: usize) -> Vec<Counts> {
    let mut counts = vec![Counts::default(); blocks];
    for (block, segment) in rows.flat_map(|row| segments(matrix.neighbours(row as u32))) {
        let entries = in_chunks(segment.len());
        counts[block].entries += entries as u32;
        counts[block].chunks += entries.div_ceil(CHUNK as usize) as u32;
    }
    counts
}

/// Puts the entries into chunks where there are chunks of their block. Chunks are in the order of the blocks, and of the rows in each block.
fn fill(matrix: &Csr, nodes: u32, ranges: &[Range<usize>], counts: &[Vec<Counts>]) -> Result<(Csr, Vec<[u32; 4]>)> {
    let blocks = counts[0].len();
    let by_block = || (0..blocks).flat_map(|block| counts.iter().map(move |counts| counts[block].chunks as usize));
    let mut chunks = zeroed::<[u32; 4]>(by_block().sum::<usize>() as u64)?;
    // Each block has a stretch of chunks for each range.
    let mut stretches: Vec<Vec<Stretch>> = ranges.iter().map(|_| Vec::with_capacity(blocks)).collect();
    let mut begin = 0;
    for (index, stretch) in split(&mut chunks, by_block()).into_iter().enumerate() {
        let length = stretch.len() as u32;
        stretches[index % ranges.len()].push(Stretch { number: begin, chunks: stretch });
        begin += length;
    }
    let offsets = matrix.row_offsets()?;
    let entries = |rows: &Range<usize>| offsets[rows.end] - offsets[rows.start];
    let left = |(rows, counts): (&Range<usize>, &Vec<Counts>)| {
        let (chunks, inside) = counts.iter().fold((0, 0), |sums, it| (sums.0 + it.chunks, sums.1 + it.entries));
        (entries(rows) - inside + chunks) as usize
    };
    let lengths: Vec<usize> = ranges.iter().zip(counts).map(left).collect();
    let mut columns = zeroed::<u32>(lengths.iter().sum::<usize>() as u64)?;
    let mut row_offsets = zeroed::<u32>(offsets.len() as u64)?;
    let begins = lengths.iter().scan(0, |begin, length| Some(std::mem::replace(begin, *begin + length)));
    let begins: Vec<usize> = begins.collect();
    let slots = split(&mut columns, lengths.iter().copied()).into_par_iter();
    let ends = split(&mut row_offsets[1..], ranges.iter().map(ExactSizeIterator::len)).into_par_iter();
    slots.zip(ends).zip(stretches).zip(ranges).zip(begins).for_each(
        |((((slots, ends), mut stretches), rows), begin)| {
            let mut used = 0;
            for (row, end) in rows.clone().zip(ends) {
                used += fill_row(matrix.neighbours(row as u32), nodes, &mut stretches, &mut slots[used..]);
                *end = (begin + used) as u32;
            }
        },
    );
    let width = nodes + chunks.len() as u32;
    // SAFETY: each row ends where the next begins, and a column is a node or the number of a chunk behind the nodes.
    Ok((unsafe { Csr::with_more_columns(row_offsets.into(), columns.into(), width) }, chunks))
}

/// Puts the columns of a row into chunks, and what is left and the numbers of the chunks into the slots. Returns how many slots it took.
fn fill_row(row: &[u32], nodes: u32, stretches: &mut [Stretch], slots: &mut [u32]) -> usize {
    let mut slots = slots.iter_mut();
    let free = slots.len();
    for (block, segment) in segments(row) {
        let Stretch { number, chunks } = &mut stretches[block];
        let inside = if chunks.is_empty() { 0 } else { in_chunks(segment.len()) };
        let (inside, outside) = segment.split_at(inside);
        outside.iter().zip(&mut slots).for_each(|(column, slot)| *slot = *column);
        let taken = inside.len().div_ceil(CHUNK as usize);
        let (own, others) = std::mem::take(chunks).split_at_mut(taken);
        own.iter_mut().zip(chunks_of(inside)).for_each(|(chunk, places)| *chunk = places);
        (0..taken as u32).zip(&mut slots).for_each(|(chunk, slot)| *slot = nodes + *number + chunk);
        *number += taken as u32;
        *chunks = others;
    }
    free - slots.len()
}

/// So many chunks share out their columns among each other: as many as a subgroup has invocations.
const NEIGHBOURS: usize = 32;

/// The chunks of columns of one block. Neighbouring invocations take neighbouring chunks, and read one place after another of theirs together.
/// Columns that follow each other are therefore put into chunks that follow each other: they mostly lie in different
/// banks of workgroup memory.
fn chunks_of(columns: &[u32]) -> impl Iterator<Item = [u32; 4]> {
    columns.chunks(NEIGHBOURS * CHUNK as usize).flat_map(|columns| {
        let chunks = columns.len().div_ceil(CHUNK as usize);
        (0..chunks).map(move |chunk| {
            let place =
                |index: usize| columns.get(chunk + index * chunks).map_or(NO_NODE, |column| column % BLOCK_NODES);
            std::array::from_fn(|word| place(2 * word) | place(2 * word + 1) << 16)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{BuildOptions, EdgeList, EdgeWeights, NodeOrder};

    fn csr(nodes: u32, edges: impl Iterator<Item = (u32, u32)>) -> Csr {
        let (sources, targets) = edges.unzip();
        let edges = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
        Csr::from_edges(edges, BuildOptions::default()).unwrap().0
    }

    /// Nine hubs with edges to and from all nodes but some that have none. In most rows one of them is in no chunk.
    fn hubs() -> Csr {
        let of_node = |node: u32| (0..9).flat_map(move |hub| [(2001 * hub, node), (node, 2001 * hub)]);
        csr(20_500, (0..20_001).flat_map(of_node))
    }

    #[test]
    fn every_entry_is_in_a_chunk_or_in_its_row() {
        let graph = hubs();
        let degrees: Vec<u32> = (0..graph.nodes()).map(|node| graph.degree(node)).collect();
        let order = NodeOrder::by_degree(&degrees).unwrap();
        let whole = Pull::of(&graph, Some(&order)).unwrap();
        let rows: Vec<Vec<u32>> = (0..whole.matrix.nodes()).map(|row| whole.matrix.neighbours(row).to_vec()).collect();
        let cut = Pull::of(&graph, Some(&order)).unwrap().into_blocks(u64::MAX).unwrap();
        let Blocks { chunks, parts } = &cut.blocks;
        let mut block_of = vec![None; chunks.len()];
        for [first, end, block] in parts {
            for chunk in *first..*end {
                assert_eq!(block_of[chunk as usize].replace(*block), None);
            }
        }
        let nodes = graph.nodes();
        let columns_of = |column: u32| {
            let Some(chunk) = column.checked_sub(nodes).map(|chunk| chunk as usize) else { return vec![column] };
            let places = chunks[chunk].into_iter().flat_map(|word| [word & 0xffff, word >> 16]);
            let begin = block_of[chunk].unwrap() * BLOCK_NODES;
            places.filter(|place| *place != NO_NODE).map(|place| begin + place).collect()
        };
        for (row, expected) in rows.iter().enumerate() {
            let mut found: Vec<u32> = cut.matrix.neighbours(row as u32).iter().flat_map(|it| columns_of(*it)).collect();
            found.sort_unstable();
            assert_eq!(found, *expected, "row {row}");
        }
        let left = cut.matrix.columns().iter().filter(|column| **column < nodes).count();
        assert!(left > 0 && parts.len() >= 3 && block_of.iter().all(Option::is_some));
    }

    #[test]
    fn a_graph_without_long_rows_stays_as_it_is() {
        let ring = csr(30_000, (0..30_000).map(|node| (node, (node * 7 + 1) % 30_000)));
        let pull = Pull::of(&ring, None).unwrap().into_blocks(u64::MAX).unwrap();
        assert!(pull.blocks.chunks.is_empty() && pull.blocks.parts.is_empty());
        assert_eq!(pull.matrix.columns().len(), 30_000);
    }
}

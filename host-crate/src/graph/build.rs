//! The one way into a CSR: edges in any order go in, sorted rows come out.
//!
//! The edges are dealt into buckets of neighbouring rows (visited twice: once to count, once to place), then every bucket is
//! sorted, merged and copied out on its own. A source can compute its edges instead of storing them, so a generated graph
//! never exists as an edge list. The result depends on the edges alone: not on their order, nor on the number of threads.

use super::{
    Array, Csr, Weights,
    csr::{BuildOptions, BuildReport},
};
use crate::{Error, Result};
use bytemuck::Pod;
use rayon::prelude::*;
use std::ops::Range;

/// Edges that can be visited as often as needed, in pieces, by several threads. Every end is smaller than `nodes`.
pub(crate) trait EdgeSource: Sync {
    /// How many nodes there are.
    fn nodes(&self) -> u32;

    /// How many edges there are.
    fn edges(&self) -> u64;

    /// What the third argument of a visit means.
    fn weight_kind(&self) -> WeightKind {
        WeightKind::None
    }

    /// Calls `visit(source, target, weight key)` for each of the edges with these indices.
    fn visit(&self, indices: Range<u64>, visit: impl FnMut(u32, u32, u32));
}

/// What weights an [`EdgeSource`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightKind {
    /// None; the key is not looked at.
    None,
    /// The key is the weight.
    U32,
    /// The key is [`key_of`] the weight.
    F32,
}

/// A number that orders as the weight does, so that one sort serves whole and real weights.
pub(crate) fn key_of(weight: f32) -> u32 {
    let bits = weight.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

fn weight_of(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

/// An edge on its way: source, target and perhaps weight in one number, in that order from the top.
trait Entry: Pod + Ord + Send + Sync {
    fn new(source: u32, target: u32, weight: u32) -> Self;
    fn ends(self) -> u64;
    fn weight(self) -> u32;
}

impl Entry for u64 {
    fn new(source: u32, target: u32, _weight: u32) -> Self {
        u64::from(source) << 32 | u64::from(target)
    }

    fn ends(self) -> u64 {
        self
    }

    fn weight(self) -> u32 {
        0
    }
}

impl Entry for u128 {
    fn new(source: u32, target: u32, weight: u32) -> Self {
        u128::from(u64::new(source, target, 0)) << 32 | u128::from(weight)
    }

    fn ends(self) -> u64 {
        (self >> 32) as u64
    }

    fn weight(self) -> u32 {
        self as u32
    }
}

/// Builds the rows of `source`, each sorted by column and then by weight. The source is dropped as soon as it is not needed.
pub(crate) fn build(source: impl EdgeSource, options: BuildOptions) -> Result<(Csr, BuildReport)> {
    match source.weight_kind() {
        WeightKind::None => build_entries::<u64>(source, options),
        WeightKind::U32 | WeightKind::F32 => build_entries::<u128>(source, options),
    }
}

fn build_entries<E: Entry>(source: impl EdgeSource, options: BuildOptions) -> Result<(Csr, BuildReport)> {
    let (nodes, edges_given, kind) = (source.nodes(), source.edges(), source.weight_kind());
    let merge = options.merge_parallel_edges || options.symmetrise;
    if !merge && !options.drop_self_loops {
        check_edges(edges_given)?;
    }
    let plan = Plan::new(&source);
    let count = plan.count(&source, options);
    if !merge {
        check_edges(count.entries)?;
    }
    let mut entries = zeroed::<E>(count.entries)?;
    let buckets = plan.place(&source, options, &count, &mut entries);
    drop(source);

    let mut row_offsets = zeroed::<u32>(u64::from(nodes) + 1)?;
    let kept: Vec<&[E]> = buckets
        .into_par_iter()
        .zip(row_offsets[1..].par_chunks_mut(plan.rows_per_bucket()))
        .map(|(bucket, degrees)| finish_bucket(bucket, degrees, merge))
        .collect();
    let edges_stored = kept.iter().map(|bucket| bucket.len() as u64).sum();
    check_edges(edges_stored)?;
    accumulate(&mut row_offsets);

    let columns = concatenate(&kept, |entry| entry.ends() as u32)?;
    let weights = match kind {
        WeightKind::None => Weights::None,
        WeightKind::U32 => Weights::U32(concatenate(&kept, E::weight)?),
        WeightKind::F32 => Weights::F32(concatenate(&kept, |entry| weight_of(entry.weight()))?),
    };
    let report = BuildReport {
        edges_given,
        self_loops_dropped: count.self_loops_dropped,
        parallel_edges_merged: count.entries - edges_stored,
        edges_stored,
    };
    Ok((Csr { row_offsets: row_offsets.into(), columns, weights }, report))
}

/// Builds rows that are known one by one: `row(node)` gives the neighbours of `node`, ascending, the same at each call.
pub(crate) fn build_rows<I: Iterator<Item = u32>>(nodes: u32, row: impl Fn(u32) -> I + Sync) -> Result<Csr> {
    const ROWS_PER_CHUNK: usize = 4096;
    let chunk_rows = |chunk: usize| {
        let start = chunk * ROWS_PER_CHUNK;
        start as u32..(start + ROWS_PER_CHUNK).min(nodes as usize) as u32
    };
    let mut row_offsets = zeroed::<u32>(u64::from(nodes) + 1)?;
    let fill_degrees = |(chunk, degrees): (usize, &mut [u32])| {
        degrees.iter_mut().zip(chunk_rows(chunk)).for_each(|(degree, node)| *degree = row(node).count() as u32);
        degrees.iter().map(|&degree| u64::from(degree)).sum()
    };
    let lengths: Vec<u64> = row_offsets[1..].par_chunks_mut(ROWS_PER_CHUNK).enumerate().map(fill_degrees).collect();
    check_edges(lengths.iter().sum())?;
    accumulate(&mut row_offsets);
    let mut columns = zeroed::<u32>(lengths.iter().sum())?;
    let parts = split(&mut columns, lengths.iter().map(|&length| length as usize));
    parts.into_par_iter().enumerate().for_each(|(chunk, part)| {
        part.iter_mut().zip(chunk_rows(chunk).flat_map(&row)).for_each(|(slot, neighbour)| *slot = neighbour);
    });
    Ok(Csr { row_offsets: row_offsets.into(), columns: columns.into(), weights: Weights::None })
}

/// Which indices are visited together, and which rows share a bucket.
struct Plan {
    blocks: Vec<Range<u64>>,
    buckets: usize,
    shift: u32,
}

/// How many entries each block has for each bucket.
struct Count {
    of_block: Vec<Vec<u64>>,
    entries: u64,
    self_loops_dropped: u64,
}

impl Plan {
    fn new(source: &impl EdgeSource) -> Self {
        // 512 streams of writes are what caches and address translation still bear well; a bucket of fewer than 8192
        // entries is not worth its bookkeeping.
        let wanted = (source.edges() / 8192).clamp(1, 512).next_power_of_two();
        let row_bits = u32::BITS - source.nodes().saturating_sub(1).leading_zeros();
        let shift = row_bits.saturating_sub(wanted.ilog2());
        let buckets = (source.nodes() as usize).div_ceil(1 << shift);
        // Several blocks a thread, so that one slow thread does not hold up the others.
        let blocks = (rayon::current_num_threads() as u64 * 8).clamp(1, source.edges().div_ceil(8192).max(1));
        let start = |block: u64| (u128::from(source.edges()) * u128::from(block) / u128::from(blocks)) as u64;
        Self { blocks: (0..blocks).map(|block| start(block)..start(block + 1)).collect(), buckets, shift }
    }

    fn rows_per_bucket(&self) -> usize {
        1 << self.shift
    }

    fn bucket(&self, row: u32) -> usize {
        (u64::from(row) >> self.shift) as usize
    }

    fn count(&self, source: &impl EdgeSource, options: BuildOptions) -> Count {
        let counted: Vec<(Vec<u64>, u64)> = self
            .blocks
            .par_iter()
            .map(|block| {
                let (mut of_bucket, mut self_loops) = (vec![0; self.buckets], 0);
                source.visit(block.clone(), |u, v, _| {
                    self_loops += u64::from(u == v);
                    visit_stored(options, u, v, |row, _| of_bucket[self.bucket(row)] += 1);
                });
                (of_bucket, self_loops)
            })
            .collect();
        let self_loops = counted.iter().map(|(_, self_loops)| self_loops).sum();
        let of_block: Vec<Vec<u64>> = counted.into_iter().map(|(of_bucket, _)| of_bucket).collect();
        let entries = of_block.iter().flatten().sum();
        Count { of_block, entries, self_loops_dropped: if options.drop_self_loops { self_loops } else { 0 } }
    }

    /// Puts every entry into its bucket and returns the buckets.
    fn place<'a, E: Entry>(
        &self,
        source: &impl EdgeSource,
        options: BuildOptions,
        count: &Count,
        entries: &'a mut [E],
    ) -> Vec<&'a mut [E]> {
        // Each bucket has a stretch for each block, so that no two threads write to the same one.
        let lengths = |bucket| count.of_block.iter().map(move |of_bucket: &Vec<u64>| of_bucket[bucket] as usize);
        let mut of_block: Vec<Vec<_>> = self.blocks.iter().map(|_| Vec::with_capacity(self.buckets)).collect();
        let stretches = split(entries, (0..self.buckets).flat_map(lengths));
        for (index, stretch) in stretches.into_iter().enumerate() {
            of_block[index % self.blocks.len()].push(stretch.iter_mut());
        }
        self.blocks.par_iter().zip(of_block).for_each(|(block, mut slots)| {
            source.visit(block.clone(), |u, v, weight| {
                visit_stored(options, u, v, |row, column| {
                    if let Some(slot) = slots[self.bucket(row)].next() {
                        *slot = E::new(row, column, weight);
                    }
                });
            });
        });
        split(entries, (0..self.buckets).map(|bucket| lengths(bucket).sum()))
    }
}

/// What an edge becomes before any merging: nothing, itself, or itself and its reverse.
fn visit_stored(options: BuildOptions, source: u32, target: u32, mut store: impl FnMut(u32, u32)) {
    if source != target {
        store(source, target);
        if options.symmetrise {
            store(target, source);
        }
    } else if !options.drop_self_loops {
        store(source, target);
    }
}

/// Sorts a bucket, merges if asked, writes the degrees of its rows, and returns what is left of it.
fn finish_bucket<'a, E: Entry>(bucket: &'a mut [E], degrees: &mut [u32], merge: bool) -> &'a [E] {
    // A few rows can hold most of a graph; then the bucket's thread must not sort alone.
    if bucket.len() > 1 << 22 {
        bucket.par_sort_unstable();
    } else {
        bucket.sort_unstable();
    }
    let mut kept = bucket.len();
    if merge {
        kept = 0;
        for index in 0..bucket.len() {
            if kept == 0 || bucket[kept - 1].ends() != bucket[index].ends() {
                bucket[kept] = bucket[index];
                kept += 1;
            }
        }
    }
    let bucket = &bucket[..kept];
    // A bucket has a power of two of rows and begins at a multiple of it.
    let row_mask = degrees.len().next_power_of_two() - 1;
    for entry in bucket {
        degrees[(entry.ends() >> 32) as usize & row_mask] += 1;
    }
    bucket
}

fn check_edges(edges: u64) -> Result<()> {
    if edges > u64::from(u32::MAX) {
        return Err(Error::Graph(format!(
            "{edges} directed edges would be stored, and edge offsets are 32 bits wide: at most {}",
            u32::MAX
        )));
    }
    Ok(())
}

/// Zeros that cost nothing until they are touched, or an error where `vec!` would end the program.
pub(crate) fn zeroed<T: Pod>(length: u64) -> Result<Vec<T>> {
    let bytes = length.saturating_mul(size_of::<T>() as u64);
    let refuse = || Error::Memory(format!("the graph needs another {bytes} bytes of memory, which are not there"));
    let length = usize::try_from(length).map_err(|_| refuse())?;
    Vec::<T>::new().try_reserve_exact(length).map_err(|_| refuse())?;
    Ok(vec![T::zeroed(); length])
}

/// Turns `[0, degrees…]` into offsets. The caller has checked that the sum fits.
fn accumulate(row_offsets: &mut [u32]) {
    let mut sum = 0;
    for offset in row_offsets {
        sum += *offset;
        *offset = sum;
    }
}

/// The consecutive parts of `whole` that have these lengths.
fn split<T>(mut whole: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let (part, rest) = std::mem::take(&mut whole).split_at_mut(length);
            whole = rest;
            part
        })
        .collect()
}

/// One array of what `convert` makes of the entries of all buckets.
fn concatenate<E: Entry, T: Pod + Send>(buckets: &[&[E]], convert: impl Fn(E) -> T + Sync) -> Result<Array<T>> {
    let mut whole = zeroed(buckets.iter().map(|bucket| bucket.len() as u64).sum())?;
    let parts = split(&mut whole, buckets.iter().map(|bucket| bucket.len()));
    parts.into_par_iter().zip(buckets).for_each(|(part, bucket)| {
        part.iter_mut().zip(*bucket).for_each(|(slot, &entry)| *slot = convert(entry));
    });
    Ok(whole.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More edges than offsets can count, all of them between the same two nodes.
    struct Endless;

    impl EdgeSource for Endless {
        fn nodes(&self) -> u32 {
            2
        }

        fn edges(&self) -> u64 {
            u64::MAX
        }

        fn visit(&self, _: Range<u64>, _: impl FnMut(u32, u32, u32)) {
            unreachable!("refused before it is visited");
        }
    }

    #[test]
    fn too_many_edges_are_refused_with_the_numbers() {
        let Err(Error::Graph(message)) = build(Endless, BuildOptions::default()) else { panic!("not refused") };
        assert!(message.contains("18446744073709551615") && message.contains("4294967295"), "{message}");
    }

    #[test]
    fn memory_that_is_not_there_is_an_error() {
        assert!(matches!(zeroed::<u64>(1 << 59), Err(Error::Memory(_))));
        assert!(matches!(zeroed::<u64>(u64::MAX), Err(Error::Memory(_))));
    }

    #[test]
    fn keys_order_as_weights_do() {
        let weights = [f32::NEG_INFINITY, -1.5, -f32::MIN_POSITIVE, -0.0, 0.0, 1e-40, 1.5, f32::INFINITY];
        assert!(weights.map(key_of).is_sorted_by(|a, b| a < b));
        assert_eq!(weights.map(key_of).map(weight_of).map(f32::to_bits), weights.map(f32::to_bits));
    }

    #[test]
    fn rows_known_one_by_one_are_put_together() {
        let csr = build_rows(10_000, |node| (0..node % 3).map(move |step| node + step)).unwrap();
        assert_eq!((csr.nodes(), csr.edges()), (10_000, 9_999));
        assert!((0..10_000).all(|node| csr.neighbours(node) == (node..node + node % 3).collect::<Vec<_>>()));
    }
}

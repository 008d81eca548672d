//! Builds the sorted rows of a CSR from edges in any order. All graphs but those in binary files are built here.
//!
//! The edges are distributed to buckets of neighbouring rows (visited twice: once to count, once to place), then every bucket is
//! sorted, merged and copied to its place independently. A source can compute its edges instead of storing them, so a generated graph
//! never exists as an edge list. The result depends on the edges alone: not on their order, nor on the number of threads.
//!
//! A large graph is built in bands of buckets, for each of which the edges are visited again, so that what is being sorted is a
//! small part of the whole: beside the source and the result, memory is needed for 4 GiB at most, but for rows of more edges.

use super::{
    Csr, Weights,
    array::zeroed,
    csr::MOST_NODES,
    offsets::{MOST_EDGES, Offsets},
    recognised::Recognised,
    weights::{EdgeWeights, WeightKind, weight_of},
};
use bytemuck::Pod;
use evenkeel_base::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Edges in no particular order, as a file or a generator gives them.
#[derive(Clone, Debug, PartialEq)]
pub struct EdgeList {
    /// How many nodes there are; every end is smaller.
    pub nodes: u32,
    /// Where each edge begins.
    pub sources: Vec<u32>,
    /// Where each edge ends.
    pub targets: Vec<u32>,
    /// Their weights, in the same order.
    pub weights: EdgeWeights,
}

/// How edges are changed while a CSR is built. The default keeps every edge as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BuildOptions {
    /// Store the reverse of every edge too; this always merges parallel edges as well. A self-loop is its own reverse.
    pub symmetrise: bool,
    /// Drop edges from a node to itself.
    pub drop_self_loops: bool,
    /// Keep one of several edges between the same nodes in the same direction: the one with the smallest weight.
    pub merge_parallel_edges: bool,
}

/// What a file was taken for, and what building a CSR changed. It is shown to the user.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BuildReport {
    /// Edges that were given.
    pub edges_given: u64,
    /// Self-loops dropped.
    pub self_loops_dropped: u64,
    /// Edges merged into a parallel one, including added reverse edges that were already present.
    pub parallel_edges_merged: u64,
    /// Directed edges in the CSR.
    pub edges_stored: u64,
    /// What the file was taken for; none for a graph that does not come from a file.
    pub recognised: Option<Recognised>,
    /// A remark on weights that were not kept as the file has them, with the file and the first place.
    pub weight_remark: Option<String>,
}

/// Edges that can be visited as often as needed, in pieces, by several threads. Every end is smaller than `nodes`.
pub(crate) trait EdgeSource: Sync {
    /// How many nodes and edges there are, and which kind of weight the third argument of a visit encodes by its key.
    fn extent(&self) -> (u32, u64, WeightKind);

    /// Calls `visit(source, target, weight key)` for each of the edges with these indices.
    fn visit(&self, indices: Range<u64>, visit: impl FnMut(u32, u32, u32));
}

impl Csr {
    /// Builds the rows of an edge list, each sorted by column and then by weight.
    ///
    /// # Errors
    /// When an end is not smaller than `nodes`, a weight is not a number, the lists differ in length, there are more nodes than
    /// 32-bit indices can count, or there is no memory for the result.
    pub fn from_edges(edges: EdgeList, options: BuildOptions) -> Result<(Self, BuildReport)> {
        edges.check()?;
        build(edges, options)
    }
}

impl EdgeList {
    fn check(&self) -> Result<()> {
        let (sources, targets) = (self.sources.len(), self.targets.len());
        let weights = if self.weights.is_none() { sources } else { self.weights.len() };
        if targets != sources || weights != sources {
            return Err(Error::Graph(format!(
                "an edge list of {sources} sources, {targets} targets and {weights} weights"
            )));
        }
        if u64::from(self.nodes) > MOST_NODES {
            return Err(Error::Graph(format!("{} nodes are too many: 32-bit indices allow {MOST_NODES}", self.nodes)));
        }
        let ends = self.sources.par_iter().zip(&self.targets);
        if let Some((source, target)) = ends.find_first(|&(&source, &target)| source.max(target) >= self.nodes) {
            let nodes = self.nodes;
            return Err(Error::Graph(format!("the edge {source} → {target} has an end outside the {nodes} nodes")));
        }
        if let EdgeWeights::F32(weights) = &self.weights
            && let Some(edge) = weights.par_iter().position_first(|weight| weight.is_nan())
        {
            let (source, target) = (self.sources[edge], self.targets[edge]);
            return Err(Error::Graph(format!("the weight of the edge {source} → {target} is not a number")));
        }
        Ok(())
    }
}

impl EdgeSource for EdgeList {
    fn extent(&self) -> (u32, u64, WeightKind) {
        (self.nodes, self.sources.len() as u64, self.weights.kind())
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        for index in indices.start as usize..indices.end as usize {
            visit(self.sources[index], self.targets[index], self.weights.key(index));
        }
    }
}

/// Implemented for a reference: transformations read a graph that stays alive.
impl EdgeSource for &Csr {
    fn extent(&self) -> (u32, u64, WeightKind) {
        (self.nodes(), self.columns().len() as u64, self.weights().kind())
    }

    fn visit(&self, indices: Range<u64>, mut visit: impl FnMut(u32, u32, u32)) {
        let (columns, weights) = (self.columns(), self.weights());
        self.visit_edges(indices.start as usize..indices.end as usize, |source, edge| {
            visit(source, columns[edge], weights.key(edge));
        });
    }
}

/// An edge packed into one number for sorting: source, target and weight, if there is one, from the highest bits down.
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
    match source.extent().2 {
        WeightKind::None => build_entries::<u64>(source, options),
        WeightKind::U32(()) | WeightKind::F32(()) => build_entries::<u128>(source, options),
    }
}

fn build_entries<E: Entry>(source: impl EdgeSource, options: BuildOptions) -> Result<(Csr, BuildReport)> {
    let (nodes, edges_given, kind) = source.extent();
    let merge = options.merge_parallel_edges || options.symmetrise;
    let most = edges_given.saturating_mul(if options.symmetrise { 2 } else { 1 });
    check_edges(most)?;
    // Before anything is counted, so that a graph without memory for it is refused at once. Pages that stay empty take none.
    let mut columns = zeroed::<u32>(most)?;
    let mut weights = match kind {
        WeightKind::None => EdgeWeights::None,
        WeightKind::U32(()) => EdgeWeights::U32(zeroed(most)?),
        WeightKind::F32(()) => EdgeWeights::F32(zeroed(most)?),
    };
    let mut degrees = zeroed::<u32>(u64::from(nodes) + 1)?;
    let plan = Plan::new(&source, most, size_of::<E>() as u64);
    let count = plan.count(&source, options);
    let bands = plan.bands(&count, size_of::<E>() as u64);
    let longest = bands.iter().map(|band| count.entries_of(band)).max();
    let mut entries = zeroed::<E>(longest.unwrap_or(0))?;

    let (mut source, mut edges_stored) = (Some(source), 0);
    let mut degrees_left = &mut degrees[1..];
    for (index, band) in bands.iter().enumerate() {
        let Some(edges) = &source else { break };
        let buckets = plan.place(edges, options, &count, band, &mut entries);
        if index + 1 == bands.len() {
            source = None;
        }
        let rows = (band.len() * plan.rows_per_bucket()).min(degrees_left.len());
        let (of_band, others) = std::mem::take(&mut degrees_left).split_at_mut(rows);
        degrees_left = others;
        let kept: Vec<&[E]> = buckets
            .into_par_iter()
            .zip(of_band.par_chunks_mut(plan.rows_per_bucket()))
            .map(|(bucket, degrees)| finish_bucket(bucket, degrees, merge))
            .collect();
        let stored = edges_stored..edges_stored + kept.iter().map(|bucket| bucket.len()).sum::<usize>();
        edges_stored = stored.end;
        fill(&mut columns[stored.clone()], &kept, |entry: E| entry.ends() as u32);
        match &mut weights {
            EdgeWeights::None => {}
            EdgeWeights::U32(weights) => fill(&mut weights[stored], &kept, E::weight),
            EdgeWeights::F32(weights) => fill(&mut weights[stored], &kept, |entry: E| weight_of(entry.weight())),
        }
    }
    drop(entries);

    let offsets = Offsets::of_degrees(degrees, edges_stored as u64)?;
    let weights = match weights {
        EdgeWeights::None => Weights::None,
        EdgeWeights::U32(weights) => Weights::U32(shortened(weights, edges_stored).into()),
        EdgeWeights::F32(weights) => Weights::F32(shortened(weights, edges_stored).into()),
    };
    let report = BuildReport {
        edges_given,
        self_loops_dropped: count.self_loops_dropped,
        parallel_edges_merged: count.entries() - edges_stored as u64,
        edges_stored: edges_stored as u64,
        recognised: None,
        weight_remark: None,
    };
    // SAFETY: degrees were counted from the entries that became the columns, and ends of edges were checked.
    let csr = unsafe { Csr::from_builder(offsets, shortened(columns, edges_stored).into(), weights) };
    Ok((if options.symmetrise { csr.state_symmetric(true) } else { csr }, report))
}

/// The first elements of an array; the memory of the others is given back.
fn shortened<T>(mut array: Vec<T>, length: usize) -> Vec<T> {
    array.truncate(length);
    array.shrink_to_fit();
    array
}

/// Builds the rows of a symmetric graph that are known one by one: `row(node)` gives the neighbours of `node`, ascending, the
/// same at each call, and each of them has `node` among its own. Only the rows `wanted` get their edges.
pub(crate) fn build_symmetric_rows<I: Iterator<Item = u32>>(
    nodes: u32,
    wanted: Range<u32>,
    row: impl Fn(u32) -> I + Sync,
) -> Result<Csr> {
    let is_whole = wanted == (0..nodes);
    let row = |node: u32| wanted.contains(&node).then(|| row(node)).into_iter().flatten();
    const ROWS_PER_CHUNK: usize = 4096;
    let chunk_rows = |chunk: usize| {
        let start = chunk * ROWS_PER_CHUNK;
        start as u32..(start + ROWS_PER_CHUNK).min(nodes as usize) as u32
    };
    let mut degrees = zeroed::<u32>(u64::from(nodes) + 1)?;
    let fill_degrees = |(chunk, degrees): (usize, &mut [u32])| {
        degrees.iter_mut().zip(chunk_rows(chunk)).for_each(|(degree, node)| *degree = row(node).count() as u32);
        degrees.iter().map(|&degree| u64::from(degree)).sum()
    };
    let lengths: Vec<u64> = degrees[1..].par_chunks_mut(ROWS_PER_CHUNK).enumerate().map(fill_degrees).collect();
    let edges = lengths.iter().sum();
    let mut columns = zeroed::<u32>(edges)?;
    let parts = split(&mut columns, lengths.iter().map(|&length| length as usize));
    parts.into_par_iter().enumerate().for_each(|(chunk, part)| {
        part.iter_mut().zip(chunk_rows(chunk).flat_map(&row)).for_each(|(slot, neighbour)| *slot = neighbour);
    });
    // SAFETY: lengths are the sums of the degrees of each part, whose rows are the neighbours that were counted.
    let csr = unsafe { Csr::from_builder(Offsets::of_degrees(degrees, edges)?, columns.into(), Weights::None) };
    if !is_whole {
        return Ok(csr);
    }
    debug_assert!(csr.is_symmetric());
    Ok(csr.state_symmetric(true))
}

/// The bytes of entries that are sorted at a time. More bands would visit the source more often, and fewer would need more memory.
const BAND_BYTES: u64 = if cfg!(test) { 1 << 16 } else { 4 << 30 };

/// The most buckets of a band: more concurrent write streams exceed what caches and TLB can hold.
const BAND_BUCKETS: u64 = 512;

/// Decides which indices are visited together, and which rows share a bucket.
struct Plan {
    blocks: Vec<Range<u64>>,
    buckets: usize,
    shift: u32,
}

/// How many entries each block has for each bucket.
struct Count {
    of_block: Vec<Vec<u64>>,
    of_bucket: Vec<u64>,
    self_loops_dropped: u64,
}

impl Count {
    fn entries(&self) -> u64 {
        self.of_bucket.iter().sum()
    }

    fn entries_of(&self, band: &Range<usize>) -> u64 {
        self.of_bucket[band.clone()].iter().sum()
    }
}

impl Plan {
    /// A plan for at most so many entries of so many bytes.
    fn new(source: &impl EdgeSource, most_entries: u64, entry_bytes: u64) -> Self {
        let (nodes, edges, _) = source.extent();
        // A bucket of fewer than 8192 entries costs more to manage than it saves.
        let most_buckets = BAND_BUCKETS * (most_entries * entry_bytes).div_ceil(BAND_BYTES).max(1);
        let wanted = (edges / 8192).clamp(1, most_buckets).next_power_of_two();
        let row_bits = u32::BITS - nodes.saturating_sub(1).leading_zeros();
        let shift = row_bits.saturating_sub(wanted.ilog2());
        let buckets = (nodes as usize).div_ceil(1 << shift);
        // Several blocks a thread, so that one slow thread does not hold up the others.
        let blocks = (rayon::current_num_threads() as u64 * 8).clamp(1, edges.div_ceil(8192).max(1));
        let start = |block: u64| (u128::from(edges) * u128::from(block) / u128::from(blocks)) as u64;
        Self { blocks: (0..blocks).map(|block| start(block)..start(block + 1)).collect(), buckets, shift }
    }

    /// Buckets that are sorted together: as many as fit into [`BAND_BYTES`], or one that does not.
    fn bands(&self, count: &Count, entry_bytes: u64) -> Vec<Range<usize>> {
        let (mut bands, mut first, mut entries) = (Vec::new(), 0, 0);
        for (bucket, more) in count.of_bucket.iter().enumerate() {
            let is_full = (entries + more) * entry_bytes > BAND_BYTES || (bucket - first) as u64 >= BAND_BUCKETS;
            if bucket > first && is_full {
                bands.push(first..bucket);
                (first, entries) = (bucket, 0);
            }
            entries += more;
        }
        bands.push(first..self.buckets);
        bands
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
        let of_bucket = (0..self.buckets).map(|bucket| of_block.iter().map(|block| block[bucket]).sum()).collect();
        Count { of_block, of_bucket, self_loops_dropped: if options.drop_self_loops { self_loops } else { 0 } }
    }

    /// Puts every entry of a band into its bucket and returns the buckets.
    fn place<'a, E: Entry>(
        &self,
        source: &impl EdgeSource,
        options: BuildOptions,
        count: &Count,
        band: &Range<usize>,
        entries: &'a mut [E],
    ) -> Vec<&'a mut [E]> {
        // Each bucket has a stretch for each block, so that no two threads write to the same one.
        let lengths = |bucket| count.of_block.iter().map(move |of_bucket: &Vec<u64>| of_bucket[bucket] as usize);
        let mut of_block: Vec<Vec<_>> = self.blocks.iter().map(|_| Vec::with_capacity(band.len())).collect();
        let stretches = split(entries, band.clone().flat_map(lengths));
        for (index, stretch) in stretches.into_iter().enumerate() {
            of_block[index % self.blocks.len()].push(stretch.iter_mut());
        }
        self.blocks.par_iter().zip(of_block).for_each(|(block, mut slots)| {
            source.visit(block.clone(), |u, v, weight| {
                visit_stored(options, u, v, |row, column| {
                    // The buckets before the band wrap around to places past its end.
                    let bucket = slots.get_mut(self.bucket(row).wrapping_sub(band.start));
                    if let Some(slot) = bucket.and_then(Iterator::next) {
                        *slot = E::new(row, column, weight);
                    }
                });
            });
        });
        split(entries, band.clone().map(|bucket| count.of_bucket[bucket] as usize))
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
    // A few rows can hold most of a graph; such a bucket is sorted by all threads.
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
        // What a row has beyond 32 bits is noticed when degrees are added up.
        let degree = &mut degrees[(entry.ends() >> 32) as usize & row_mask];
        *degree = degree.wrapping_add(1);
    }
    bucket
}

fn check_edges(edges: u64) -> Result<()> {
    match edges <= MOST_EDGES {
        true => Ok(()),
        false => Err(Error::Graph(format!("{edges} directed edges are too many: at most {MOST_EDGES} are possible"))),
    }
}

/// The consecutive parts of `whole` that have these lengths.
#[doc(hidden)]
pub fn split<T>(mut whole: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let (part, rest) = std::mem::take(&mut whole).split_at_mut(length);
            whole = rest;
            part
        })
        .collect()
}

/// What `convert` makes of the elements of all pieces, one piece after the other.
#[doc(hidden)]
pub fn concatenate<E: Copy + Sync, T: Pod + Send>(
    pieces: &[impl AsRef<[E]> + Sync],
    convert: impl Fn(E) -> T + Sync,
) -> Result<Vec<T>> {
    let mut whole = zeroed(pieces.iter().map(|piece| piece.as_ref().len() as u64).sum())?;
    fill(&mut whole, pieces, convert);
    Ok(whole)
}

/// Fills an array with what `convert` makes of the elements of all pieces, of which there are as many.
fn fill<E: Copy + Sync, T: Send>(whole: &mut [T], pieces: &[impl AsRef<[E]> + Sync], convert: impl Fn(E) -> T + Sync) {
    let lengths = pieces.iter().map(|piece| piece.as_ref().len());
    split(whole, lengths).into_par_iter().zip(pieces).for_each(|(part, piece)| {
        part.iter_mut().zip(piece.as_ref()).for_each(|(slot, &element)| *slot = convert(element));
    });
}

#[cfg(test)]
mod tests;

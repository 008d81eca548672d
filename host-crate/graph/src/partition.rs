//! Cuts a graph into partitions: ranges of rows whose columns, weights and offsets fit into buffers of a limited size.
//!
//! Edges are counted in 64 bits in the whole graph, and in 32 bits within a partition. A row is in one partition, unless it alone exceeds
//! the limit: then it is cut, and [`Partition::is_cut`] says so. A graph that fits is one partition, of which nothing is copied.

use super::{
    Csr, Weights,
    array::zeroed,
    offsets::{Offset, OffsetsView, for_width, relative},
    weights::WeightsOf,
};
use evenkeel_base::Result;
use std::{borrow::Cow, ops::Range};

/// Bytes of a column, of a weight, and of an offset.
const WORD: u64 = size_of::<u32>() as u64;

/// How a graph is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartitionOptions {
    /// The most bytes that the columns of a partition take, and its weights, and the offsets of its own rows, each on their own. A
    /// limit that would hold no edge, or no row, is taken as one that holds one.
    pub limit_bytes: u64,
    /// Partitions begin at multiples of so many rows where the limit allows it, so that what is kept for rows begins at an aligned
    /// place in a buffer. 1 cuts anywhere.
    pub row_alignment: u32,
}

impl PartitionOptions {
    /// The alignment that suits any device: 64 words are 256 bytes, the most that Vulkan lets a device ask for.
    pub const ROW_ALIGNMENT: u32 = 64;

    /// Partitions of at most so many bytes a buffer, aligned for any device.
    pub fn new(limit_bytes: u64) -> Self {
        Self { limit_bytes, row_alignment: Self::ROW_ALIGNMENT }
    }

    fn most_edges(self) -> u64 {
        (self.limit_bytes / WORD).clamp(1, u32::MAX.into())
    }

    fn most_rows(self) -> u64 {
        (self.limit_bytes / WORD).saturating_sub(1).max(1)
    }
}

/// A part of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its rows.
    pub rows: Range<u32>,
    /// The positions of its edges in the columns and weights of the graph.
    pub edges: Range<u64>,
    /// Whether it is a part of a single row, which alone exceeds the limit. The other parts of that row are partitions beside it.
    pub is_cut: bool,
}

impl Partition {
    /// The number of its edges, which 32 bits always count.
    pub fn edge_count(&self) -> u32 {
        (self.edges.end - self.edges.start) as u32
    }

    fn positions(&self) -> Range<usize> {
        self.edges.start as usize..self.edges.end as usize
    }
}

/// A graph and how it is cut.
#[derive(Clone, Debug)]
pub struct Partitions<'a> {
    csr: &'a Csr,
    list: Vec<Partition>,
}

/// The weights of a partition, borrowed from its graph.
pub type PartitionWeights<'a> = WeightsOf<&'a [u32], &'a [f32]>;

impl<'a> Partitions<'a> {
    /// Cuts a graph into as few partitions as the limit allows. There is always at least one.
    pub fn plan(csr: &'a Csr, options: PartitionOptions) -> Self {
        Self { csr, list: cut(csr.offsets(), options) }
    }

    /// The graph.
    pub fn csr(&self) -> &'a Csr {
        self.csr
    }

    /// The partitions, in the order of their rows.
    pub fn list(&self) -> &[Partition] {
        &self.list
    }

    /// The rows that are cut because each alone exceeds the limit, ascending.
    pub fn cut_rows(&self) -> Vec<u32> {
        let mut rows: Vec<u32> = self.list.iter().filter(|part| part.is_cut).map(|part| part.rows.start).collect();
        rows.dedup();
        rows
    }

    /// The targets of a partition's edges.
    pub fn columns(&self, partition: &Partition) -> &'a [u32] {
        &self.csr.columns()[partition.positions()]
    }

    /// The weights of a partition's edges.
    pub fn weights(&self, partition: &Partition) -> PartitionWeights<'a> {
        match self.csr.weights() {
            Weights::None => PartitionWeights::None,
            Weights::U32(weights) => PartitionWeights::U32(&weights[partition.positions()]),
            Weights::F32(weights) => PartitionWeights::F32(&weights[partition.positions()]),
        }
    }

    /// Where the rows of a partition begin in its columns: one offset for each of its own rows, and one at the end.
    pub fn compact_offsets(&self, partition: &Partition) -> Cow<'a, [u32]> {
        match partition.is_cut {
            true => Cow::Owned(vec![0, partition.edge_count()]),
            false => relative(self.csr.offsets(), partition.rows.clone()),
        }
    }

    /// Returns an offset for each row of the graph, in which the rows of other partitions are empty.
    ///
    /// # Errors
    /// When there is no memory for the offsets.
    pub fn full_offsets(&self, partition: &Partition) -> Result<Cow<'a, [u32]>> {
        let own = self.compact_offsets(partition);
        let (nodes, Range { start, end }) = (self.csr.nodes(), partition.rows.clone());
        if start == 0 && end == nodes && !partition.is_cut {
            return Ok(own);
        }
        let mut offsets = zeroed::<u32>(u64::from(nodes) + 1)?;
        offsets[start as usize..=end as usize].copy_from_slice(&own);
        offsets[end as usize + 1..].fill(partition.edge_count());
        Ok(Cow::Owned(offsets))
    }
}

/// Cuts rows that begin at these offsets into as few partitions as the limit allows, and at least one.
pub(crate) fn cut(offsets: OffsetsView<'_>, options: PartitionOptions) -> Vec<Partition> {
    let (mut list, mut first, nodes) = (Vec::new(), 0, (offsets.len() - 1) as u32);
    loop {
        let begin = offsets.at(first as usize) as u64;
        let end_row = last_row(offsets, first, options);
        let end = offsets.at(end_row as usize) as u64;
        if end - begin <= options.most_edges() {
            list.push(Partition { rows: first..end_row, edges: begin..end, is_cut: false });
        } else {
            let step = options.most_edges();
            let cuts = (begin..end).step_by(step as usize).map(|start| start..end.min(start + step));
            list.extend(cuts.map(|edges| Partition { rows: first..end_row, edges, is_cut: true }));
        }
        first = end_row;
        if first == nodes {
            return list;
        }
    }
}

/// The row before which a partition that begins at row `first` ends: the last that the limit and the alignment allow, and at least the next.
fn last_row(offsets: OffsetsView<'_>, first: u32, options: PartitionOptions) -> u32 {
    let nodes = (offsets.len() - 1) as u32;
    if first == nodes {
        return nodes;
    }
    let most = offsets.at(first as usize) as u64 + options.most_edges();
    let fitting = for_width!(offsets, offsets => {
        offsets[first as usize..].partition_point(|offset| offset.position() as u64 <= most) as u64 - 1
    });
    let end = (u64::from(first) + fitting.min(options.most_rows())).min(nodes.into()) as u32;
    if end == nodes {
        return nodes;
    }
    let aligned = end - end % options.row_alignment.max(1);
    if aligned > first { aligned } else { end.max(first + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BuildOptions, EdgeList, EdgeWeights,
        generate::{Generator, random::mix},
        offsets::testing::in_both_widths,
    };

    fn generated(text: &str) -> Csr {
        text.parse::<Generator>().unwrap().generate().unwrap().csr
    }

    /// A random graph with parallel edges and many nodes without any; `kind` chooses its weights.
    fn random(seed: u64, nodes: u32, edges: u64, kind: u64) -> Csr {
        let draw = |place: u64| mix(seed << 32 | place) % u64::from(nodes);
        let (sources, targets) =
            (0..edges).map(|edge| ((draw(2 * edge) / 3) as u32, draw(2 * edge + 1) as u32)).unzip();
        let weights = match kind % 3 {
            0 => EdgeWeights::None,
            1 => EdgeWeights::U32((0..edges as u32).collect()),
            _ => EdgeWeights::F32((0..edges).map(|edge| edge as f32 - 7.5).collect()),
        };
        Csr::from_edges(EdgeList { nodes, sources, targets, weights }, BuildOptions::default()).unwrap().0
    }

    /// Checks all that is promised of a plan, and that the partitions together are the graph.
    fn check(csr: &Csr, options: PartitionOptions) -> usize {
        let partitions = Partitions::plan(csr, options);
        let mut rows = vec![Vec::new(); csr.nodes() as usize];
        let (mut next_row, mut next_edge) = (0, 0);
        for (place, part) in partitions.list().iter().enumerate() {
            let (columns, compact) = (partitions.columns(part), partitions.compact_offsets(part));
            let full = partitions.full_offsets(part).unwrap();
            assert_eq!(part.edges.start, next_edge);
            next_edge = part.edges.end;
            assert_eq!((compact.len(), full.len()), (part.rows.len() + 1, csr.nodes() as usize + 1));
            assert_eq!(
                (compact[0], compact.last(), full.last()),
                (0, Some(&part.edge_count()), Some(&part.edge_count()))
            );
            assert_eq!(columns.len(), part.edge_count() as usize);
            assert!(columns.len() as u64 <= options.most_edges() && part.rows.len() as u64 <= options.most_rows());
            if part.is_cut {
                assert_eq!(part.rows.len(), 1);
                assert!(u64::from(csr.degree(part.rows.start)) > options.most_edges(), "a row that fits is whole");
                let is_first = csr.row(part.rows.start).start as u64 == part.edges.start;
                assert_eq!(part.rows.start, if is_first { next_row } else { next_row - 1 });
            } else {
                assert_eq!(part.rows.start, next_row);
                let is_last = place + 1 == partitions.list().len();
                let is_aligned = part.rows.end % options.row_alignment == 0;
                let aligned_end = part.rows.end - part.rows.end % options.row_alignment;
                assert!(is_last || is_aligned || aligned_end <= part.rows.start, "{part:?} could end at {aligned_end}");
            }
            next_row = part.rows.end;
            for row in 0..csr.nodes() {
                let own = &columns[full[row as usize] as usize..full[row as usize + 1] as usize];
                assert!(own.is_empty() || part.rows.contains(&row));
                let weights = partitions.weights(part);
                for edge in full[row as usize]..full[row as usize + 1] {
                    rows[row as usize].push((columns[edge as usize], weights.real(edge as usize)));
                }
            }
            for (index, row) in part.rows.clone().enumerate() {
                assert_eq!(compact[index..index + 2], full[row as usize..row as usize + 2]);
            }
        }
        assert_eq!((next_row, next_edge), (csr.nodes(), csr.edges()));
        for (row, found) in (0..csr.nodes()).zip(rows) {
            let expected: Vec<_> = csr.row(row).map(|edge| (csr.columns()[edge], csr.weights().real(edge))).collect();
            assert_eq!(found, expected, "row {row}");
        }
        let mut cut: Vec<u32> = (0..csr.nodes()).collect();
        cut.retain(|row| u64::from(csr.degree(*row)) > options.most_edges());
        assert_eq!(partitions.cut_rows(), cut);
        partitions.list().len()
    }

    #[test]
    fn partitions_together_are_the_graph() {
        let mut counts = Vec::new();
        for seed in 0..40 {
            let (nodes, edges) = (1 + (mix(seed) % 300) as u32, mix(seed + 99) % 900);
            for csr in in_both_widths(|| random(seed, nodes, edges, seed)) {
                for limit_bytes in [0, 4, 40, 200, 777, 1 << 40] {
                    for row_alignment in [1, 8, 64] {
                        counts.push(check(&csr, PartitionOptions { limit_bytes, row_alignment }));
                    }
                }
            }
        }
        assert!(counts.contains(&1) && counts.iter().any(|&count| count > 100));
    }

    #[test]
    fn shapes_that_are_special() {
        for text in ["star:nodes=1000", "star:nodes=1", "chain:nodes=129", "complete:nodes=40", "rmat:scale=9"] {
            for csr in in_both_widths(|| generated(text)) {
                for limit_bytes in [8, 64, 600, 4096, u64::MAX] {
                    check(&csr, PartitionOptions::new(limit_bytes));
                }
            }
        }
        let alone = Csr::new(vec![0; 1001], vec![], Weights::None).unwrap();
        assert_eq!(check(&alone, PartitionOptions::new(400)), 1001_usize.div_ceil(64), "offsets fit the limit, too");
        assert_eq!(check(&alone, PartitionOptions::new(4004)), 1);
        let nothing = Csr::new(vec![0], vec![], Weights::None).unwrap();
        assert_eq!(check(&nothing, PartitionOptions::new(0)), 1);
    }

    #[test]
    fn a_row_over_the_limit_is_cut_and_it_is_said() {
        let star = generated("star:nodes=101");
        let partitions = Partitions::plan(&star, PartitionOptions { limit_bytes: 4 * 30, row_alignment: 1 });
        let sizes: Vec<(u32, u32, bool)> =
            partitions.list().iter().map(|part| (part.rows.start, part.edge_count(), part.is_cut)).collect();
        assert_eq!(sizes[..5], [(0, 30, true), (0, 30, true), (0, 30, true), (0, 10, true), (1, 29, false)]);
        assert_eq!(partitions.cut_rows(), [0]);
    }

    #[test]
    fn nothing_is_copied_of_one_partition() {
        let csr = generated("rmat:scale=8");
        let partitions = Partitions::plan(&csr, PartitionOptions::new(1 << 32));
        let [part] = partitions.list() else { panic!("one partition") };
        let own = csr.row_offsets().unwrap();
        for offsets in [partitions.compact_offsets(part), partitions.full_offsets(part).unwrap()] {
            assert!(matches!(offsets, Cow::Borrowed(borrowed) if std::ptr::eq(borrowed, own)));
        }
        assert!(std::ptr::eq(partitions.columns(part), csr.columns()));
    }
}

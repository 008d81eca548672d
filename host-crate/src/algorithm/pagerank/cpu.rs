//! PageRank on the CPU device. Nodes pull along the edges that lead to them, in parts that have as many edges and nodes each, and a node's
//! rank becomes its next share at once: an iteration is one pass over the graph. What dangling nodes hand out is added up by part.

use super::{
    super::{Precision, prelude::*},
    PageRankConfig, Ranking,
    pull::incoming,
};
use crate::{
    device::{Member, Team},
    engine::native::{RoundCounters, even_parts, part_of, prefetch, record_native},
    graph::{
        NodeOrder, Offsets, OffsetsView,
        offsets::{Offset, for_width},
    },
};
use bytemuck::Pod;
use std::{
    iter::Sum,
    ops::{Add, Div, Mul, Range},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

/// Parts for each thread: enough that all end at about the same time.
pub(super) const PARTS: usize = 64;

/// Shares that are added in single precision before the sum goes on in double precision: too little is lost of so many, were they all alike,
/// for a rank to be off by a ten-thousandth.
const BLOCK: usize = 512;

/// Shares that are added at a time. What lies behind the end of a row is read too, and masked: the number of rounds is easier to predict than
/// the length of a short row, and no addition waits for the one before.
const LANES: usize = 4;

/// How many edges ahead the memory of a share is asked for.
const AHEAD: usize = 64;

/// Masks that keep the first so many of [`LANES`].
const MASKS: [[u32; LANES]; LANES + 1] =
    [[0, 0, 0, 0], [!0, 0, 0, 0], [!0, !0, 0, 0], [!0, !0, !0, 0], [!0, !0, !0, !0]];

/// Makes everything ready to run.
pub(super) fn prepare(
    graph: &SharedGraph,
    order: Option<&NodeOrder>,
    config: &PageRankConfig,
) -> Result<Box<dyn Ranking>> {
    Ok(match config.precision {
        Precision::Single => Box::new(Native::<f32>::new(graph, order, config)?),
        Precision::Double => Box::new(Native::<f64>::new(graph, order, config)?),
    })
}

/// All iterations, recorded as one step.
struct Native<T> {
    device: Device,
    ranks: Buffer<T>,
    teleports: Buffer<T>,
    /// Whether there are seeds.
    seeded: Arc<AtomicBool>,
    /// The bits of the change in the last iteration.
    change: Arc<AtomicU64>,
    walk: DeviceLoop,
}

impl<T: Number> Native<T> {
    fn new(graph: &SharedGraph, order: Option<&NodeOrder>, config: &PageRankConfig) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr().without_weights());
        let rows = graph.once("incoming", || incoming(&csr, order))?;
        let (incoming, leaving) = (*rows).clone();
        let (config, nodes) = (config.clone(), csr.nodes() as usize);
        // The graph is read where it is unless it is transposed or reordered.
        if order.is_some() || !csr.is_symmetric() {
            let offsets = if order.is_some() { 2 } else { 1 };
            device.count::<u32>("row offsets of the host", offsets * (nodes + 1));
            device.count::<u32>("columns of the host", csr.columns().len());
            device.count::<u32>("order", if order.is_some() { 2 * nodes } else { 0 });
        }
        let shares = || device.buffer::<T>("shares", nodes.next_power_of_two());
        let (even, odd) = (shares()?.cast(), shares()?.cast());
        let (ranks, teleports) = (device.buffer::<T>("ranks", nodes)?, device.buffer::<T>("teleports", nodes)?);
        let (words, parts) = (ranks.cast(), teleports.cast());
        let seeded = Arc::new(AtomicBool::new(false));
        let (is_seeded, change) = (seeded.clone(), Arc::new(AtomicU64::new(0)));
        let last_change = change.clone();
        let run = move |team: &mut Team, [even, odd, ranks, teleports]: [&[AtomicU32]; 4]| {
            let parts = even_parts(&incoming, team.threads() * PARTS);
            let (dangling, changes) = (sums(&parts), sums(&parts));
            let walk = Walk::<T> {
                symmetric: csr.is_symmetric(),
                leaving: leaving.as_ref().map_or(csr.offsets(), Offsets::view),
                incoming: &incoming,
                config: &config,
                first: 0,
                ranks: T::cells(ranks),
                teleports: is_seeded.load(Relaxed).then(|| T::cells(teleports)),
                shares: [T::cells(even), T::cells(odd)],
                dangling: &dangling,
                changes: &changes,
                parts: &parts,
            };
            let iterations = walk.run(team);
            last_change.store(total(&changes[iterations as usize % 2]).to_bits(), Relaxed);
            (iterations, 0)
        };
        let walk = record_native(device, "pagerank", "rank_pull", [&even, &odd, &words, &parts], run)?;
        Ok(Self { device: device.clone(), ranks, teleports, seeded, change, walk })
    }
}

impl<T: Number> Ranking for Native<T> {
    fn load(&mut self, parts: Option<&[f64]>) -> Result<()> {
        if let Some(parts) = parts {
            let parts: Vec<T> = parts.iter().map(|part| T::of(*part)).collect();
            self.device.upload(&self.teleports, 0, &parts)?;
        }
        self.seeded.store(parts.is_some(), Relaxed);
        Ok(())
    }

    fn run(&mut self) -> Result<Run> {
        Ok(self.walk.run()?.into())
    }

    fn change(&self) -> Result<f64> {
        Ok(f64::from_bits(self.change.load(Relaxed)))
    }

    fn ranks(&self) -> Result<Vec<f64>> {
        Ok(self.device.download(&self.ranks)?.into_iter().map(Into::into).collect())
    }
}

/// A number that ranks are computed in, and how threads share it.
pub(crate) trait Number:
    Pod + Into<f64> + Send + Sync + Default + Sum + Add<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The atomic that holds its bits.
    type Cell: Send + Sync;

    /// The numbers in the words of a buffer.
    fn cells(words: &[AtomicU32]) -> &[Self::Cell];
    /// The atomic of a number, for the rows of a worker.
    #[cfg_attr(not(feature = "cluster"), allow(dead_code))]
    fn cell(self) -> Self::Cell;
    fn load(cell: &Self::Cell) -> Self;
    fn store(self, cell: &Self::Cell);
    fn of(number: f64) -> Self;
    fn of_count(count: u32) -> Self;

    /// The number if all bits of the mask are set, and 0 if none is.
    fn masked(self, mask: u32) -> Self;
}

impl Number for f32 {
    type Cell = AtomicU32;

    fn cells(words: &[AtomicU32]) -> &[AtomicU32] {
        words
    }

    fn cell(self) -> AtomicU32 {
        AtomicU32::new(self.to_bits())
    }

    #[inline(always)]
    fn load(cell: &AtomicU32) -> Self {
        Self::from_bits(cell.load(Relaxed))
    }

    #[inline(always)]
    fn store(self, cell: &AtomicU32) {
        cell.store(self.to_bits(), Relaxed);
    }

    #[inline(always)]
    fn of(number: f64) -> Self {
        number as f32
    }

    #[inline(always)]
    fn of_count(count: u32) -> Self {
        count as f32
    }

    #[inline(always)]
    fn masked(self, mask: u32) -> Self {
        Self::from_bits(self.to_bits() & mask)
    }
}

impl Number for f64 {
    type Cell = AtomicU64;

    fn cells(words: &[AtomicU32]) -> &[AtomicU64] {
        // SAFETY: both are atomics without padding, of which any bits are valid, and while a native step runs nothing else has the buffer.
        let (before, cells, after) = unsafe { words.align_to::<AtomicU64>() };
        assert!(before.is_empty() && after.is_empty(), "a buffer of pairs of words lies at a multiple of 8 bytes");
        cells
    }

    fn cell(self) -> AtomicU64 {
        AtomicU64::new(self.to_bits())
    }

    #[inline(always)]
    fn load(cell: &AtomicU64) -> Self {
        Self::from_bits(cell.load(Relaxed))
    }

    #[inline(always)]
    fn store(self, cell: &AtomicU64) {
        cell.store(self.to_bits(), Relaxed);
    }

    #[inline(always)]
    fn of(number: f64) -> Self {
        number
    }

    #[inline(always)]
    fn of_count(count: u32) -> Self {
        count.into()
    }

    #[inline(always)]
    fn masked(self, mask: u32) -> Self {
        Self::from_bits(self.to_bits() & (u64::from(mask) | u64::from(mask) << 32))
    }
}

/// A random walk of many, as its members share it.
pub(super) struct Walk<'a, T: Number> {
    /// Whether as many edges leave each node as lead to it, along the same rows.
    pub(super) symmetric: bool,
    /// Where the edges that leave each node begin.
    pub(super) leaving: OffsetsView<'a>,
    pub(super) incoming: &'a Csr,
    pub(super) config: &'a PageRankConfig,
    /// The first node whose rank is found here.
    pub(super) first: usize,
    pub(super) ranks: &'a [T::Cell],
    /// The part of each of these nodes in what does not follow an edge; none where all nodes are alike.
    pub(super) teleports: Option<&'a [T::Cell]>,
    /// What each node hands to each of its neighbours, in this iteration and in the next.
    pub(super) shares: [&'a [T::Cell]; 2],
    pub(super) parts: &'a [Range<usize>],
    /// The ranks of each part's dangling nodes together, after this iteration and after the one before.
    pub(super) dangling: &'a Sums,
    /// By how much the ranks of each part have changed, in this iteration and in the one before.
    pub(super) changes: &'a Sums,
}

/// What each part has found, in this iteration and in the one before.
pub(super) type Sums = [Vec<AtomicU64>; 2];

pub(super) fn sums(parts: &[Range<usize>]) -> Sums {
    [(); 2].map(|()| parts.iter().map(|_| AtomicU64::new(0)).collect())
}

/// The sum of what each part has found.
pub(super) fn total(sums: &[AtomicU64]) -> f64 {
    sums.iter().map(|sum| f64::from_bits(sum.load(Relaxed))).sum()
}

impl<T: Number> Walk<'_, T> {
    fn run(&self, team: &mut Team) -> u32 {
        let (taken, last) = (RoundCounters::<1>::new(0), AtomicU32::new(0));
        team.run(|member| last.store(self.take_part(member, &taken), Relaxed));
        last.into_inner()
    }

    /// Returns the number of iterations.
    fn take_part(&self, member: Member, taken: &RoundCounters<1>) -> u32 {
        let PageRankConfig { iterations, tolerance, .. } = *self.config;
        self.start(member);
        let mut phase = 0;
        taken.end(member, &mut phase);
        for iteration in 1..=iterations {
            let next_part = || taken.of(phase)[0].fetch_add(1, Relaxed) as usize;
            let (number, stores) = (iteration as usize, iteration == iterations || tolerance.is_some());
            let stuck = total(&self.dangling[(number + 1) % 2]);
            match (stores, self.teleports.is_some()) {
                (false, false) => self.iteration::<false, false>(number, stuck, next_part),
                (true, false) => self.iteration::<true, false>(number, stuck, next_part),
                (false, true) => self.iteration::<false, true>(number, stuck, next_part),
                (true, true) => self.iteration::<true, true>(number, stuck, next_part),
            }
            taken.end(member, &mut phase);
            if tolerance.is_some_and(|tolerance| total(&self.changes[number % 2]) < tolerance) {
                return iteration;
            }
        }
        iterations
    }

    /// All nodes begin alike, or as the seeds have it.
    pub(super) fn start(&self, member: Member) {
        let (offsets, shares) = (self.leaving, self.shares[0]);
        let alike = T::of(1.0 / self.ranks.len() as f64);
        for place in part_of(member, self.parts.len()) {
            let mut dangling = 0.0;
            for node in self.parts[place].clone() {
                let rank = self.teleports.map_or(alike, |parts| T::load(&parts[node - self.first]));
                rank.store(&self.ranks[node - self.first]);
                hand_out(&shares[node], rank, offsets.row(node).len() as u32, &mut dangling);
            }
            self.dangling[0][place].store(f64::to_bits(dangling), Relaxed);
        }
    }

    /// Takes parts until none is left, where all dangling nodes have the rank `stuck` together. One that `STORES` writes ranks, and adds up by
    /// how much they change. Apart, so that each variant has all registers.
    #[inline(never)]
    pub(super) fn iteration<const STORES: bool, const SEEDED: bool>(
        &self,
        iteration: usize,
        stuck: f64,
        next_part: impl Fn() -> usize,
    ) {
        let [shares, next] = [1, 0].map(|earlier| self.shares[(iteration + earlier) % 2]);
        let (damping, all) = (self.config.damping, self.ranks.len() as f64);
        let anew = 1.0 - damping + damping * stuck;
        let everywhere = T::of(if SEEDED { anew } else { anew / all });
        let (damping, shares, columns) = (T::of(damping), Shares::<T>::new(shares), self.incoming.columns());
        let teleports = self.teleports.unwrap_or(&[]);
        loop {
            let place = next_part();
            let Some(part) = self.parts.get(place) else { return };
            let (mut dangling, mut change, mut node) = (0.0, 0.0, part.start - self.first);
            self.rows(part, &next[part.clone()], |share, row, degree| {
                let own = if SEEDED { everywhere * T::load(&teleports[node]) } else { everywhere };
                let rank = own + damping * shares.sum(columns, row);
                hand_out(share, rank, degree, &mut dangling);
                if STORES {
                    let before: f64 = T::load(&self.ranks[node]).into();
                    change += (rank.into() - before).abs();
                    rank.store(&self.ranks[node]);
                }
                if STORES || SEEDED {
                    node += 1;
                }
            });
            self.dangling[iteration % 2][place].store(f64::to_bits(dangling), Relaxed);
            if STORES {
                self.changes[iteration % 2][place].store(f64::to_bits(change), Relaxed);
            }
        }
    }

    /// Calls `visit` for each node of a part with its share, the place of its row in the columns, and the number of edges that leave it.
    #[inline(always)]
    fn rows(&self, part: &Range<usize>, shares: &[T::Cell], mut visit: impl FnMut(&T::Cell, Range<usize>, u32)) {
        let bounds = part.start..part.end + 1;
        // As slices, because behind the struct each would be looked up again for every node.
        for_width!(self.incoming.offsets(), offsets => {
            let rows = offsets[bounds].windows(2).map(|bounds| bounds[0].position()..bounds[1].position());
            if self.symmetric {
                rows.zip(shares).for_each(|(row, share)| visit(share, row.clone(), row.len() as u32));
                return;
            }
            let leaving = part.clone().map(|node| self.leaving.row(node).len() as u32);
            rows.zip(shares).zip(leaving).for_each(|((row, share), degree)| visit(share, row, degree));
        });
    }
}

/// Sets what a node of this degree hands to each neighbour, or adds to what all nodes get because it has none.
#[inline(always)]
fn hand_out<T: Number>(share: &T::Cell, rank: T, degree: u32, dangling: &mut f64) {
    if degree == 0 {
        *dangling += rank.into();
    } else {
        (rank / T::of_count(degree)).store(share);
    }
}

/// The shares of all nodes, and some more, so that their number is a power of two.
struct Shares<'a, T: Number> {
    cells: &'a [T::Cell],
    /// Below the number of shares.
    mask: usize,
}

impl<'a, T: Number> Shares<'a, T> {
    fn new(cells: &'a [T::Cell]) -> Self {
        assert!(cells.len().is_power_of_two());
        Self { cells, mask: cells.len() - 1 }
    }

    #[inline(always)]
    fn get(&self, node: u32) -> T {
        // A mask costs less than a check, and keeps even a column of a file that has changed meanwhile within.
        // SAFETY: the mask is below the number of shares.
        T::load(unsafe { self.cells.get_unchecked(node as usize & self.mask) })
    }

    /// Adds up the shares of a row's nodes.
    #[inline(always)]
    fn sum(&self, columns: &[u32], row: Range<usize>) -> T {
        if row.len() > BLOCK {
            return self.long_sum(columns, row);
        }
        let (mut sums, mut begin) = ([T::default(); LANES], row.start);
        while begin < row.end {
            let Some(nodes) = columns.get(begin..begin + LANES) else {
                return columns[begin..row.end].iter().fold(sums.into_iter().sum(), |sum, node| sum + self.get(*node));
            };
            if let Some(ahead) = columns.get(begin + AHEAD..begin + AHEAD + LANES) {
                ahead.iter().for_each(|node| prefetch(self.cells, *node as usize & self.mask));
            }
            let masks = &MASKS[LANES.min(row.end - begin)];
            for lane in 0..LANES {
                sums[lane] = sums[lane] + self.get(nodes[lane]).masked(masks[lane]);
            }
            begin += LANES;
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Apart, so that short rows have all registers.
    #[inline(never)]
    fn long_sum(&self, columns: &[u32], row: Range<usize>) -> T {
        let end = row.end;
        let blocks = row.step_by(BLOCK).map(|begin| begin..end.min(begin + BLOCK));
        T::of(blocks.map(|block| self.sum(columns, block).into()).sum::<f64>())
    }
}

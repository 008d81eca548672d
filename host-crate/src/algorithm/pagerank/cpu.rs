//! PageRank on the CPU device. Nodes pull along the edges that lead to them, in parts that have as many edges and nodes each, and a node's
//! rank becomes its next share at once: an iteration is one pass over the graph. What dangling nodes hand out is added up by part.

use super::{super::prelude::*, PageRankConfig};
use crate::{
    device::{Member, Team},
    engine::native::{Rounds, even_parts, part_of, prefetch},
    graph::transform::transpose,
};
use std::{
    ops::Range,
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// What `auto` is said to take on the CPU device.
pub(super) const NAME: &str = "pull-cpu";

/// Parts for each thread: enough that all end at about the same time.
const PARTS: usize = 64;

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

/// The memory beside the graph, which is read where it is.
pub(super) fn plan(csr: &Csr) -> MemoryPlan {
    let (nodes, symmetric) = (csr.nodes() as usize, csr.is_symmetric());
    let (offsets, columns) = if symmetric { (0, 0) } else { (nodes + 1, csr.columns().len()) };
    MemoryPlan::new()
        .with::<u32>("transposed row offsets", offsets)
        .with::<u32>("transposed columns", columns)
        .with::<f32>("shares", 2 * nodes.next_power_of_two())
        .with::<f32>("ranks", nodes)
}

/// Records all iterations as one step.
pub(super) fn record(device: &Device, csr: &Csr, config: &PageRankConfig, ranks: &Buffer<f32>) -> Result<Recording> {
    let csr = csr.without_weights();
    let incoming = if csr.is_symmetric() { csr.clone() } else { transpose(&csr)? };
    let (damping, iterations, nodes) = (config.damping, config.iterations, csr.nodes() as usize);
    let shares = || device.buffer::<f32>("shares", nodes.next_power_of_two());
    let (even, odd) = (shares()?, shares()?);
    device.record(&format!("pagerank, {iterations} iterations"), |recorder| {
        recorder.label("iterations");
        recorder.native("rank_pull", &[ranks.raw(), even.raw(), odd.raw()], move |team, words| {
            let parts = even_parts(&incoming, team.threads() * PARTS);
            let dangling = [(); 2].map(|()| parts.iter().map(|_| AtomicU64::new(0)).collect::<Vec<_>>());
            let walk = Walk {
                csr: &csr,
                incoming: &incoming,
                damping,
                ranks: words[0],
                shares: [words[1], words[2]],
                parts,
                dangling,
            };
            walk.run(team, iterations);
        });
    })
}

/// A random walk of many, as its members share it.
struct Walk<'a> {
    csr: &'a Csr,
    incoming: &'a Csr,
    damping: f64,
    ranks: &'a [AtomicU32],
    /// What each node hands to each of its neighbours, in this iteration and in the next.
    shares: [&'a [AtomicU32]; 2],
    parts: Vec<Range<usize>>,
    /// The ranks of each part's dangling nodes together, after this iteration and after the one before.
    dangling: [Vec<AtomicU64>; 2],
}

impl Walk<'_> {
    fn run(&self, team: &mut Team, iterations: u32) {
        let taken = Rounds::<1>::new(0);
        team.run(|member| {
            self.start(member);
            let mut phase = 0;
            taken.end(member, &mut phase);
            for iteration in 1..=iterations {
                let next_part = || taken.of(phase)[0].fetch_add(1, Relaxed) as usize;
                match iteration == iterations {
                    true => self.iteration::<true>(iteration as usize, next_part),
                    false => self.iteration::<false>(iteration as usize, next_part),
                }
                taken.end(member, &mut phase);
            }
        });
    }

    /// All nodes begin alike.
    fn start(&self, member: Member) {
        let (offsets, shares) = (self.csr.row_offsets(), self.shares[0]);
        let rank = (1.0 / self.ranks.len() as f64) as f32;
        for place in part_of(member, self.parts.len()) {
            let mut dangling = 0.0;
            for node in self.parts[place].clone() {
                hand_out(&shares[node], rank, offsets[node + 1] - offsets[node], &mut dangling);
            }
            self.dangling[0][place].store(f64::to_bits(dangling), Relaxed);
        }
    }

    /// Takes parts until none is left. The last iteration alone writes ranks.
    fn iteration<const LAST: bool>(&self, iteration: usize, next_part: impl Fn() -> usize) {
        let [shares, next] = [1, 0].map(|earlier| self.shares[(iteration + earlier) % 2]);
        let before = self.dangling[(iteration + 1) % 2].iter();
        let dangling: f64 = before.map(|sum| f64::from_bits(sum.load(Relaxed))).sum();
        let all = self.ranks.len() as f64;
        let everywhere = ((1.0 - self.damping) / all + self.damping * dangling / all) as f32;
        let (damping, shares, columns) = (self.damping as f32, Shares::new(shares), self.incoming.columns());
        loop {
            let place = next_part();
            let Some(part) = self.parts.get(place) else { return };
            let (mut dangling, mut node) = (0.0, part.start);
            self.rows(part, &next[part.clone()], |share, row, degree| {
                let rank = everywhere + damping * shares.sum(columns, row);
                hand_out(share, rank, degree, &mut dangling);
                if LAST {
                    self.ranks[node].store(rank.to_bits(), Relaxed);
                    node += 1;
                }
            });
            self.dangling[iteration % 2][place].store(f64::to_bits(dangling), Relaxed);
        }
    }

    /// Calls `visit` for each node of a part with its share, the place of its row in the columns, and the number of edges that leave it.
    #[inline(always)]
    fn rows(&self, part: &Range<usize>, shares: &[AtomicU32], mut visit: impl FnMut(&AtomicU32, Range<usize>, u32)) {
        let bounds = part.start..part.end + 1;
        // As slices, because behind the struct each would be looked up again for every node.
        let incoming = self.incoming.row_offsets()[bounds.clone()].windows(2);
        let rows = incoming.map(|bounds| bounds[0] as usize..bounds[1] as usize);
        if self.csr.is_symmetric() {
            rows.zip(shares).for_each(|(row, share)| visit(share, row.clone(), row.len() as u32));
            return;
        }
        let leaving = self.csr.row_offsets()[bounds].windows(2).map(|bounds| bounds[1] - bounds[0]);
        rows.zip(shares).zip(leaving).for_each(|((row, share), degree)| visit(share, row, degree));
    }
}

/// Sets what a node of this degree hands to each neighbour, or adds to what all nodes get because it has none.
#[inline(always)]
fn hand_out(share: &AtomicU32, rank: f32, degree: u32, dangling: &mut f64) {
    if degree == 0 {
        *dangling += f64::from(rank);
    } else {
        share.store((rank / degree as f32).to_bits(), Relaxed);
    }
}

/// The shares of all nodes, and some more, so that their number is a power of two.
struct Shares<'a> {
    words: &'a [AtomicU32],
    /// Below the number of shares.
    mask: usize,
}

impl<'a> Shares<'a> {
    fn new(words: &'a [AtomicU32]) -> Self {
        assert!(words.len().is_power_of_two());
        Self { words, mask: words.len() - 1 }
    }

    #[inline(always)]
    fn get(&self, node: u32) -> f32 {
        // A mask costs less than a check, and keeps even a column of a file that has changed meanwhile within.
        // SAFETY: the mask is below the number of shares.
        f32::from_bits(unsafe { self.words.get_unchecked(node as usize & self.mask) }.load(Relaxed))
    }

    /// Adds up the shares of a row's nodes.
    #[inline(always)]
    fn sum(&self, columns: &[u32], row: Range<usize>) -> f32 {
        if row.len() > BLOCK {
            return self.long_sum(columns, row);
        }
        let (mut sums, mut begin) = ([0.0; LANES], row.start);
        while begin < row.end {
            let Some(nodes) = columns.get(begin..begin + LANES) else {
                return columns[begin..row.end].iter().fold(sums.iter().sum(), |sum, node| sum + self.get(*node));
            };
            if let Some(ahead) = columns.get(begin + AHEAD..begin + AHEAD + LANES) {
                ahead.iter().for_each(|node| prefetch(self.words, *node as usize & self.mask));
            }
            let masks = &MASKS[LANES.min(row.end - begin)];
            for lane in 0..LANES {
                sums[lane] += f32::from_bits(self.get(nodes[lane]).to_bits() & masks[lane]);
            }
            begin += LANES;
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// Apart, so that short rows have all registers.
    #[inline(never)]
    fn long_sum(&self, columns: &[u32], row: Range<usize>) -> f32 {
        let end = row.end;
        let blocks = row.step_by(BLOCK).map(|begin| begin..end.min(begin + BLOCK));
        blocks.map(|block| f64::from(self.sum(columns, block))).sum::<f64>() as f32
    }
}

//! Shortest paths for the CPU by buckets (Meyer and Sanders, "Δ-stepping", 2003): nodes whose distance lies in the same bucket, which is Δ
//! wide, are relaxed together, and the nearest bucket comes first. Each thread has buckets of its own. While its part of the
//! nearest one is short it relaxes that by itself, without a barrier (Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt",
//! 2020).
//!
//! Distances are words: whole numbers, or the bits of real ones, which are in the same order because none is negative. A word has 32
//! bits, or 64 for distances that need these.

use super::super::prelude::*;
use crate::{
    device::{Member, Team},
    engine::native::{Parts, RoundCounters, part_of, prefetch, prefetch_offset, record_native},
    graph::Weights,
};
use evenkeel_types::UNREACHED;
use rayon::prelude::*;
use std::{
    mem,
    sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// The strategy `delta-stepping`.
#[derive(Clone, Default)]
pub struct DeltaStepping {
    /// The width of a bucket, as a distance; chosen from the graph where it is none.
    pub delta: Option<f64>,
}

/// Buckets that a thread keeps apart; nodes further away wait together.
const BUCKETS: u64 = 1024;

/// The longest part of the nearest bucket that a thread relaxes by itself.
const FUSED: usize = 1000;

/// How many nodes ahead of the one that is relaxed the memory of its offsets and of its edges is asked for, and how many edges ahead that
/// of a neighbour's distance.
const AHEAD: [usize; 2] = [8, 4];
const EDGES_AHEAD: usize = 16;

/// Where nodes have fewer edges than this on average and none has many, frontiers stay short: buckets must be wide to be worth sharing.
const FEW_EDGES: f64 = 6.0;
const MANY_EDGES: u32 = 64;
/// By how much they are wider then.
const WIDER: f64 = 8.0;

impl Strategy for DeltaStepping {
    fn about(&self) -> About {
        About::cpu_only("delta-stepping", "Meyer and Sanders", "nodes by buckets of distances, the nearest first")
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::SsspU32, Operator::SsspF32]
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let default = "from the mean weight and the degrees";
        vec![Key::optional("delta", "the width of a bucket", default, &mut self.delta).within(0, f64::INFINITY)]
    }

    /// It reads the graph of the host, which is in one piece.
    fn takes_partitions(&self) -> bool {
        true
    }

    fn reads_device_graph(&self, _: Target<'_>) -> bool {
        false
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        self.about().check_device(device.info())?;
        // The threads' own buckets. A node can be in several of them at a time; mostly it is in one.
        device.count::<u32>("buckets", 2 * traversal.csr.nodes() as usize);
        let (csr, given, buffers) = (traversal.csr.clone(), self.delta, [&traversal.source, &traversal.data.values]);
        let (threads, target) = (rayon::current_num_threads(), traversal.target);
        let delta = given.unwrap_or_else(|| suitable_delta(&csr, threads));
        record_native(device, name, "delta_stepping", buffers, move |team, [source, distances]| {
            let ends = (source[0].load(Relaxed), target);
            match csr.weights() {
                Weights::None => paths(team, &csr, &Whole::new(&[], delta), ends, distances),
                Weights::U32(weights) => paths(team, &csr, &Whole::new(weights, delta), ends, distances),
                Weights::F32(weights) => paths(team, &csr, &Real::new(weights, delta), ends, distances),
            }
        })
    }
}

/// The width that suits a graph. The wider a bucket, the more nodes there are to share and the more of them are relaxed in vain, which is
/// worse the more edges they have: where degrees are skewed it is the mean over the edges that counts, not only that over the nodes.
fn suitable_delta(csr: &Csr, threads: usize) -> f64 {
    let (skew, edges) = (csr.skew(), csr.edges().max(1) as f64);
    let mean_weight = csr.mean_weight();
    if skew.mean < FEW_EDGES && skew.highest <= MANY_EDGES {
        return mean_weight * WIDER;
    }
    let squares: f64 = (0..csr.nodes()).into_par_iter().map(|node| f64::from(csr.degree(node)).powi(2)).sum();
    let degree = (skew.mean.max(1.0) * (squares / edges).max(1.0)).sqrt();
    mean_weight / degree * (threads as f64 / 2.0).max(1.0).sqrt()
}

/// Distances over whole weights in 64 bits, for graphs whose distances exceed 32; `u64::MAX` for nodes that are not reached. All
/// threads of the process take part, whatever the device.
pub(crate) fn wide_distances(csr: &Csr, source: u32) -> Vec<u64> {
    let weights = if let Weights::U32(weights) = csr.weights() { &weights[..] } else { &[] };
    wide_words(csr, source, |delta| Wide(Whole::new(weights, delta)))
}

/// Distances over real weights, added in double precision; infinite for nodes that are not reached. Else as [`wide_distances`].
pub(crate) fn double_distances(csr: &Csr, source: u32) -> Vec<f64> {
    let weights = if let Weights::F32(weights) = csr.weights() { &weights[..] } else { &[] };
    let double = |word: u64| if word == u64::MAX { f64::INFINITY } else { f64::from_bits(word) };
    let words = wide_words(csr, source, |delta| Double(Real::new(weights, delta)));
    words.into_iter().map(double).collect()
}

/// Distances as words of 64 bits; `metric` makes the metric of a bucket's width.
fn wide_words<M: Metric<Word = u64>>(csr: &Csr, source: u32, metric: impl FnOnce(f64) -> M) -> Vec<u64> {
    let threads = rayon::current_num_threads();
    let metric = metric(suitable_delta(csr, threads));
    let distances: Vec<AtomicU64> = (0..csr.nodes()).map(|_| AtomicU64::new(0)).collect();
    paths(&mut Team::new(threads), csr, &metric, (source, None), &distances);
    distances.into_iter().map(AtomicU64::into_inner).collect()
}

/// A distance as it is kept.
trait Word: Copy + Ord {
    type Atomic: Sync;
    /// That of the source.
    const ZERO: Self;
    /// That of a node that has not been reached.
    const UNREACHED: Self;

    fn load(atomic: &Self::Atomic) -> Self;
    fn store(self, atomic: &Self::Atomic);
    /// Lowers what is kept, and returns what it was.
    fn lower(self, atomic: &Self::Atomic) -> Self;
}

macro_rules! word {
    ($word:ty, $atomic:ty) => {
        impl Word for $word {
            type Atomic = $atomic;
            const ZERO: Self = 0;
            const UNREACHED: Self = Self::MAX;

            #[inline(always)]
            fn load(atomic: &$atomic) -> Self {
                atomic.load(Relaxed)
            }

            #[inline(always)]
            fn store(self, atomic: &$atomic) {
                atomic.store(self, Relaxed);
            }

            #[inline(always)]
            fn lower(self, atomic: &$atomic) -> Self {
                atomic.fetch_min(self, Relaxed)
            }
        }
    };
}

word!(u32, AtomicU32);
word!(u64, AtomicU64);

/// What kernels and this strategy write for a node that is not reached is the same.
const _: () = assert!(<u32 as Word>::UNREACHED == UNREACHED);

/// How distances are added and put into buckets.
trait Metric: Sync {
    type Word: Word;

    /// The distance over the edge at this position, to a node whose start is `distance` away; none when it is too large to write down.
    fn along(&self, edge: usize, distance: Self::Word) -> Option<Self::Word>;

    /// The bucket of a distance. It never falls as the distance grows.
    fn bucket(&self, distance: Self::Word) -> u64;

    /// Asks for the memory of the weights from this edge on.
    fn prefetch(&self, edge: usize);
}

/// Whole weights; none at all are weights of 1. Buckets are as wide as a power of two.
struct Whole<'a> {
    weights: &'a [u32],
    shift: u32,
}

impl<'a> Whole<'a> {
    fn new(weights: &'a [u32], delta: f64) -> Self {
        Self { weights, shift: delta.clamp(1.0, f64::from(1u32 << 31)).log2().round() as u32 }
    }
}

impl Metric for Whole<'_> {
    type Word = u32;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u32) -> Option<u32> {
        let weight = self.weights.get(edge).copied().unwrap_or(1);
        distance.checked_add(weight).filter(|&sum| sum != UNREACHED)
    }

    #[inline(always)]
    fn bucket(&self, distance: u32) -> u64 {
        (distance >> self.shift).into()
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        prefetch(self.weights, edge);
    }
}

/// Whole weights whose sums have 64 bits.
struct Wide<'a>(Whole<'a>);

impl Metric for Wide<'_> {
    type Word = u64;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u64) -> Option<u64> {
        // A path has fewer than 2³² edges of less than 2³² each, so that no sum is too large.
        Some(distance + u64::from(self.0.weights.get(edge).copied().unwrap_or(1)))
    }

    #[inline(always)]
    fn bucket(&self, distance: u64) -> u64 {
        (distance >> self.0.shift).min(NONE - 1)
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        self.0.prefetch(edge);
    }
}

/// Real weights.
struct Real<'a> {
    weights: &'a [f32],
    buckets_per_unit: f64,
}

impl<'a> Real<'a> {
    fn new(weights: &'a [f32], delta: f64) -> Self {
        // Of weights that are all 0 every distance is, too.
        Self { weights, buckets_per_unit: if delta > 0.0 { 1.0 / delta } else { 0.0 } }
    }

    #[inline(always)]
    fn bucket_of(&self, distance: f64) -> u64 {
        // Saturates, one below the number that means none.
        ((distance * self.buckets_per_unit) as u64).min(NONE - 1)
    }
}

impl Metric for Real<'_> {
    type Word = u32;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u32) -> Option<u32> {
        Some((f32::from_bits(distance) + self.weights[edge]).to_bits())
    }

    #[inline(always)]
    fn bucket(&self, distance: u32) -> u64 {
        self.bucket_of(f32::from_bits(distance).into())
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        prefetch(self.weights, edge);
    }
}

/// Real weights whose sums are in double precision.
struct Double<'a>(Real<'a>);

impl Metric for Double<'_> {
    type Word = u64;

    #[inline(always)]
    fn along(&self, edge: usize, distance: u64) -> Option<u64> {
        let weight = self.0.weights.get(edge).copied().unwrap_or(1.0);
        Some((f64::from_bits(distance) + f64::from(weight)).to_bits())
    }

    #[inline(always)]
    fn bucket(&self, distance: u64) -> u64 {
        self.0.bucket_of(f64::from_bits(distance))
    }

    #[inline(always)]
    fn prefetch(&self, edge: usize) {
        self.0.prefetch(edge);
    }
}

/// No bucket.
const NONE: u64 = u64::MAX;

/// What keeps a distance that all threads may lower.
type Atomic<M> = <<M as Metric>::Word as Word>::Atomic;

/// Paths that are being searched: what the members share.
struct Running<'a, M: Metric> {
    csr: &'a Csr,
    metric: &'a M,
    /// The node at whose distance it may end.
    target: Option<u32>,
    distances: &'a [Atomic<M>],
    /// The nodes of the nearest bucket.
    frontier: Parts,
    /// The nearest bucket that any member has.
    nearest: RoundCounters<1>,
    overflowed: AtomicU32,
}

/// The buckets of one thread.
struct Buckets {
    /// The nearest bucket, which all others follow.
    first: u64,
    /// The bucket after the last that is kept apart. It moves only when all before it are empty: else a far node could come after
    /// a nearer one that was found later.
    end: u64,
    /// Bucket `b` is at `b % BUCKETS`.
    near: Vec<Vec<u32>>,
    /// Nodes of the buckets from `end` on.
    far: Vec<u32>,
}

impl Buckets {
    #[inline(always)]
    fn add(&mut self, node: u32, bucket: u64) {
        if bucket < self.end {
            self.near[(bucket % BUCKETS) as usize].push(node);
        } else {
            self.far.push(node);
        }
    }

    fn first(&mut self) -> &mut Vec<u32> {
        &mut self.near[(self.first % BUCKETS) as usize]
    }

    fn nearest(&self) -> Option<u64> {
        let place = |bucket: u64| (bucket % BUCKETS) as usize;
        (self.first..self.end).find(|&bucket| !self.near[place(bucket)].is_empty())
    }
}

/// Writes the distance of every node from a source; of nodes beyond a target, where there is one, perhaps a longer one. Returns the number of
/// phases, and 1 if a distance was too large to write down.
fn paths<M: Metric>(
    team: &mut Team,
    csr: &Csr,
    metric: &M,
    (source, target): (u32, Option<u32>),
    distances: &[Atomic<M>],
) -> (u32, u32) {
    let frontier = Parts::new(team.threads());
    let (nearest, overflowed) = (RoundCounters::new(NONE), AtomicU32::new(0));
    let running = Running { csr, metric, target, distances, frontier, nearest, overflowed };
    let phases = AtomicU32::new(0);
    team.run(|member| phases.store(running.run(member, source), Relaxed));
    (phases.into_inner(), running.overflowed.into_inner())
}

impl<M: Metric> Running<'_, M> {
    fn run(&self, member: Member, source: u32) -> u32 {
        for distance in &self.distances[part_of(member, self.distances.len())] {
            M::Word::UNREACHED.store(distance);
        }
        let mut list = if member.index == 0 { vec![source] } else { Vec::new() };
        let mut buckets = Buckets { first: 0, end: BUCKETS, near: vec![Vec::new(); BUCKETS as usize], far: Vec::new() };
        // SAFETY: a barrier follows.
        unsafe { self.frontier.publish(member, &mut list) };
        member.barrier();
        if member.index == 0 {
            M::Word::ZERO.store(&self.distances[source as usize]);
        }
        member.barrier();
        let (mut phase, mut iterations) = (0, 0);
        loop {
            iterations += 1;
            // SAFETY: the list was published before the last barrier, and is not again before the end of the phase.
            unsafe { self.frontier.share(|nodes| self.relax(nodes, &mut buckets)) };
            while (1..FUSED).contains(&buckets.first().len()) {
                mem::swap(&mut list, buckets.first());
                self.relax(&list, &mut buckets);
                list.clear();
            }
            if let Some(bucket) = buckets.nearest() {
                self.nearest.of(phase)[0].fetch_min(bucket, Relaxed);
            }
            let [mut nearest] = self.nearest.end(member, &mut phase);
            if nearest == NONE {
                nearest = self.bring_near(member, &mut phase, &mut buckets);
            }
            if nearest == NONE || self.has_arrived(nearest) {
                return iterations;
            }
            buckets.first = nearest;
            mem::swap(&mut list, buckets.first());
            // SAFETY: the phase in which it was shared has ended, and a barrier follows.
            unsafe { self.frontier.publish(member, &mut list) };
            member.barrier();
        }
    }

    /// Whether there is a target, and in a bucket before the nearest that is left. All members get the same answer: distances change only after the
    /// next barrier.
    fn has_arrived(&self, nearest: u64) -> bool {
        let distance = self.target.map(|node| M::Word::load(&self.distances[node as usize]));
        distance.is_some_and(|word| word != M::Word::UNREACHED && self.metric.bucket(word) < nearest)
    }

    /// Relaxes the edges of nodes of the first bucket; those that have been relaxed in an earlier one are passed over.
    fn relax(&self, nodes: &[u32], buckets: &mut Buckets) {
        let Self { csr, metric, distances, .. } = *self;
        let (offsets, columns, first) = (csr.offsets(), csr.columns(), buckets.first);
        for (place, &node) in nodes.iter().enumerate() {
            let [far_ahead, ahead] = AHEAD.map(|ahead| nodes.get(place + ahead).copied());
            if let Some(node) = far_ahead {
                prefetch_offset(offsets, node as usize);
                prefetch(distances, node as usize);
            }
            if let Some(node) = ahead {
                let edge = offsets.at(node as usize);
                prefetch(columns, edge);
                metric.prefetch(edge);
            }
            let distance = M::Word::load(&distances[node as usize]);
            if metric.bucket(distance) < first {
                continue;
            }
            let row = offsets.row(node as usize);
            let neighbours = &columns[row.clone()];
            for (place, (edge, &neighbour)) in row.zip(neighbours).enumerate() {
                if let Some(&ahead) = neighbours.get(place + EDGES_AHEAD) {
                    prefetch(distances, ahead as usize);
                }
                match metric.along(edge, distance) {
                    Some(found) if self.lower(neighbour, found) => buckets.add(neighbour, metric.bucket(found)),
                    Some(_) => {}
                    None => self.overflowed.store(1, Relaxed),
                }
            }
        }
    }

    /// Lowers the distance of a node; false if it is as low already.
    #[inline(always)]
    fn lower(&self, node: u32, distance: M::Word) -> bool {
        let slot = &self.distances[node as usize];
        // Most edges lower nothing, and a look is much cheaper than a locked instruction.
        distance < M::Word::load(slot) && distance < distance.lower(slot)
    }

    /// When all that is left is far: finds the nearest bucket of it, and puts what follows closely into buckets.
    fn bring_near(&self, member: Member, phase: &mut usize, buckets: &mut Buckets) -> u64 {
        let bucket = |node: u32| self.metric.bucket(M::Word::load(&self.distances[node as usize]));
        // The others have come nearer since, and have been relaxed there.
        let is_far = |node: &u32| bucket(*node) >= buckets.end;
        let far: Vec<u32> = buckets.far.iter().copied().filter(is_far).collect();
        buckets.far.clear();
        if let Some(nearest) = far.iter().map(|&node| bucket(node)).min() {
            self.nearest.of(*phase)[0].fetch_min(nearest, Relaxed);
        }
        let [nearest] = self.nearest.end(member, phase);
        (buckets.first, buckets.end) = (nearest, nearest.saturating_add(BUCKETS));
        far.into_iter().for_each(|node| buckets.add(node, bucket(node)));
        nearest
    }
}

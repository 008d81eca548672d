//! Shortest paths for the CPU by buckets (Meyer and Sanders, "Δ-stepping", 2003): nodes whose distance lies in the same bucket, which is Δ
//! wide, are relaxed together, and the nearest bucket comes first. Each thread has buckets of its own. While its part of the
//! nearest one is short it relaxes that by itself, without a barrier (Zhang et al., "Optimizing Ordered Graph Algorithms with GraphIt",
//! 2020).
//!
//! Distances are words: whole numbers, or the bits of real ones, which are in the same order because none is negative. A word has 32
//! bits, or 64 for distances that need these.

use super::{
    super::prelude::*,
    metric::{Atomic, Double, Metric, NONE, Real, Whole, Wide, Word, real_weights, whole_weights},
};
use crate::{
    device::{Member, Team},
    engine::native::{Parts, RoundCounters, part_of, prefetch, prefetch_offset, record_native},
    graph::Weights,
};
use rayon::prelude::*;
use std::{
    mem,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
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
        let delta = given.unwrap_or_else(|| suitable_delta(&csr, csr.nodes(), threads));
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

/// The width that suits a graph of which so many rows are here. The wider a bucket, the more nodes there are to share and the more of them are relaxed in vain, which is
/// worse the more edges they have: where degrees are skewed it is the mean over the edges that counts, not only that over the nodes.
fn suitable_delta(csr: &Csr, rows: u32, threads: usize) -> f64 {
    let edges = csr.edges().max(1) as f64;
    let (mean_weight, mean_degree) = (csr.mean_weight(), csr.edges() as f64 / f64::from(rows.max(1)));
    if mean_degree < FEW_EDGES && csr.skew().highest <= MANY_EDGES {
        return mean_weight * WIDER;
    }
    let squares: f64 = (0..csr.nodes()).into_par_iter().map(|node| f64::from(csr.degree(node)).powi(2)).sum();
    let degree = (mean_degree.max(1.0) * (squares / edges).max(1.0)).sqrt();
    mean_weight / degree * (threads as f64 / 2.0).max(1.0).sqrt()
}

/// Distances over whole weights in 64 bits, for graphs whose distances exceed 32; `u64::MAX` for nodes that are not reached. All
/// threads of the process take part, whatever the device.
pub(crate) fn wide_distances(csr: &Csr, source: u32) -> Vec<u64> {
    wide_words(csr, source, |delta| Wide(Whole::new(whole_weights(csr), delta)))
}

/// Distances over real weights, added in double precision; infinite for nodes that are not reached. Else as [`wide_distances`].
pub(crate) fn double_distances(csr: &Csr, source: u32) -> Vec<f64> {
    let double = |word: u64| if word == u64::MAX { f64::INFINITY } else { f64::from_bits(word) };
    let words = wide_words(csr, source, |delta| Double(Real::new(real_weights(csr), delta)));
    words.into_iter().map(double).collect()
}

/// Distances as words of 64 bits; `metric` makes the metric of a bucket's width.
fn wide_words<M: Metric<Word = u64>>(csr: &Csr, source: u32, metric: impl FnOnce(f64) -> M) -> Vec<u64> {
    let threads = rayon::current_num_threads();
    let metric = metric(suitable_delta(csr, csr.nodes(), threads));
    let distances: Vec<AtomicU64> = (0..csr.nodes()).map(|_| AtomicU64::new(0)).collect();
    paths(&mut Team::new(threads), csr, &metric, (source, None), &distances);
    distances.into_iter().map(AtomicU64::into_inner).collect()
}

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
    /// The nodes whose edges are here, and others to which a shorter path was found.
    rows: Range<u32>,
    others: Vec<u32>,
}

impl Buckets {
    fn new(rows: Range<u32>) -> Self {
        let near = vec![Vec::new(); BUCKETS as usize];
        Self { first: 0, end: BUCKETS, near, far: Vec::new(), rows, others: Vec::new() }
    }

    /// Makes room for nodes of a bucket that may come before the first.
    fn begin_at(&mut self, first: u64) {
        if first >= self.first {
            return;
        }
        let end = self.end.min(first.saturating_add(BUCKETS));
        for bucket in end.max(self.first)..self.end {
            self.far.append(&mut self.near[(bucket % BUCKETS) as usize]);
        }
        (self.first, self.end) = (first, end);
    }

    #[inline(always)]
    fn add(&mut self, node: u32, bucket: u64) {
        if !self.rows.contains(&node) {
            self.others.push(node);
        } else if bucket < self.end {
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
    let running = Running::new(csr, metric, target, distances, team.threads());
    let phases = AtomicU32::new(0);
    team.run(|member| phases.store(running.run(member, source), Relaxed));
    (phases.into_inner(), running.overflowed.into_inner())
}

impl<'a, M: Metric> Running<'a, M> {
    fn new(csr: &'a Csr, metric: &'a M, target: Option<u32>, distances: &'a [Atomic<M>], threads: usize) -> Self {
        let (nearest, overflowed) = (RoundCounters::new(NONE), AtomicU32::new(0));
        Self { csr, metric, target, distances, frontier: Parts::new(threads), nearest, overflowed }
    }

    fn run(&self, member: Member, source: u32) -> u32 {
        for distance in &self.distances[part_of(member, self.distances.len())] {
            M::Word::UNREACHED.store(distance);
        }
        let mut list = if member.index == 0 { vec![source] } else { Vec::new() };
        let mut buckets = Buckets::new(0..self.csr.nodes());
        // SAFETY: a barrier follows.
        unsafe { self.frontier.publish(member, &mut list) };
        member.barrier();
        if member.index == 0 {
            M::Word::ZERO.store(&self.distances[source as usize]);
        }
        member.barrier();
        self.relax_up_to(member, &mut buckets, &mut 0, NONE)
    }

    /// Relaxes the nodes of the list, and then bucket after bucket up to the last. Returns the number of phases.
    fn relax_up_to(&self, member: Member, buckets: &mut Buckets, phase: &mut usize, last: u64) -> u32 {
        let (mut list, mut iterations) = (Vec::new(), 0);
        loop {
            iterations += 1;
            // SAFETY: the list was published before the last barrier, and is not again before the end of the phase.
            unsafe { self.frontier.share(|nodes| self.relax(nodes, buckets)) };
            while buckets.first <= last && (1..FUSED).contains(&buckets.first().len()) {
                mem::swap(&mut list, buckets.first());
                self.relax(&list, buckets);
                list.clear();
            }
            if let Some(bucket) = buckets.nearest() {
                self.nearest.of(*phase)[0].fetch_min(bucket, Relaxed);
            }
            let [mut nearest] = self.nearest.end(member, phase);
            if nearest == NONE {
                nearest = self.bring_near(member, phase, buckets);
            }
            if nearest == NONE || nearest > last || self.has_arrived(nearest) {
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

/// A search in some rows of a graph, while others have the rest: between two steps they exchange the distances that became shorter.
pub(crate) struct RowPaths<'a, M: Metric> {
    csr: &'a Csr,
    metric: M,
    /// The distances of the nodes of these rows, and for others the length of the shortest path that was found here.
    distances: Vec<Atomic<M>>,
    /// Nodes of these rows that others have found shorter paths to.
    lowered: Vec<u32>,
    /// The buckets of each thread.
    buckets: Vec<Mutex<Buckets>>,
    team: Team,
}

impl<'a> RowPaths<'a, Wide<'a>> {
    /// Whole distances. The graph has all nodes, and edges in these rows alone.
    pub(crate) fn whole(csr: &'a Csr, rows: Range<u32>) -> Self {
        Self::new(csr, rows, |delta| Wide(Whole::new(whole_weights(csr), delta)))
    }
}

impl<'a> RowPaths<'a, Real<'a>> {
    /// Real distances; else as [`RowPaths::whole`].
    pub(crate) fn single(csr: &'a Csr, rows: Range<u32>) -> Self {
        Self::new(csr, rows, |delta| Real::new(real_weights(csr), delta))
    }
}

impl<'a> RowPaths<'a, Double<'a>> {
    /// Real distances in double precision; else as [`RowPaths::whole`].
    pub(crate) fn double(csr: &'a Csr, rows: Range<u32>) -> Self {
        Self::new(csr, rows, |delta| Double(Real::new(real_weights(csr), delta)))
    }
}

impl<'a, M: Metric> RowPaths<'a, M> {
    fn new(csr: &'a Csr, rows: Range<u32>, metric: impl FnOnce(f64) -> M) -> Self {
        let team = Team::new(rayon::current_num_threads());
        let metric = metric(suitable_delta(csr, rows.len() as u32, team.threads()));
        let distances = (0..csr.nodes()).map(|_| M::Word::UNREACHED.atomic()).collect();
        let buckets = (0..team.threads()).map(|_| Mutex::new(Buckets::new(rows.clone()))).collect();
        Self { csr, metric, distances, lowered: Vec::new(), buckets, team }
    }

    /// The distance of a node; none where there is no path.
    pub(crate) fn distance(&self, node: u32) -> Option<u64> {
        let distance = M::Word::load(&self.distances[node as usize]);
        self.metric.is_path(distance).then(|| distance.into())
    }

    /// Takes a distance of a node of these rows, if it is shorter.
    pub(crate) fn lower(&mut self, node: u32, distance: u64) {
        let (slot, distance) = (&self.distances[node as usize], M::Word::of(distance));
        if distance < M::Word::load(slot) {
            distance.store(slot);
            self.lowered.push(node);
        }
    }

    /// Relaxes edges until nothing of these rows nearer than `end` is left. Returns the distance of the nearest node that is left.
    pub(crate) fn relax_up_to(&mut self, end: f64) -> Option<u64> {
        let Self { csr, metric, distances, lowered, buckets, team } = self;
        let (running, last) = (Running::new(csr, metric, None, distances, team.threads()), metric.last_bucket(end));
        let nearest = AtomicU64::new(u64::MAX);
        team.run(|member| {
            let mut buckets = buckets[member.index].lock().unwrap_or_else(PoisonError::into_inner);
            let mut phase = 0;
            running.take(member, &mut buckets, &mut phase, &lowered[part_of(member, lowered.len())]);
            running.relax_up_to(member, &mut buckets, &mut phase, last);
            if let Some(distance) = running.nearest_left(&buckets) {
                nearest.fetch_min(distance.into(), Relaxed);
            }
        });
        lowered.clear();
        Some(nearest.into_inner()).filter(|nearest| *nearest != u64::MAX)
    }

    /// The nodes of other rows to which a shorter path was found since the last time, in ascending order.
    pub(crate) fn improved(&mut self) -> Vec<u32> {
        let others = |buckets: &mut Mutex<Buckets>| {
            mem::take(&mut buckets.get_mut().unwrap_or_else(PoisonError::into_inner).others)
        };
        let mut nodes = self.buckets.iter_mut().map(others).collect::<Vec<_>>().concat();
        nodes.par_sort_unstable();
        nodes.dedup();
        nodes.retain(|node| self.distance(*node).is_some());
        nodes
    }
}

impl<M: Metric> Running<'_, M> {
    /// Puts nodes into the buckets, which may be before the first.
    fn take(&self, member: Member, buckets: &mut Buckets, phase: &mut usize, nodes: &[u32]) {
        let bucket = |node: u32| self.metric.bucket(M::Word::load(&self.distances[node as usize]));
        if let Some(nearest) = nodes.iter().map(|node| bucket(*node)).min() {
            self.nearest.of(*phase)[0].fetch_min(nearest, Relaxed);
        }
        let [nearest] = self.nearest.end(member, phase);
        buckets.begin_at(nearest);
        nodes.iter().for_each(|node| buckets.add(*node, bucket(*node)));
    }

    /// The distance of the nearest node in the buckets; those that were relaxed in an earlier one do not count.
    fn nearest_left(&self, buckets: &Buckets) -> Option<M::Word> {
        let nearest = |nodes: &[u32], bucket: u64| {
            let distances = nodes.iter().map(|node| M::Word::load(&self.distances[*node as usize]));
            distances.filter(|distance| self.metric.bucket(*distance) >= bucket).min()
        };
        let in_bucket = |bucket: u64| nearest(&buckets.near[(bucket % BUCKETS) as usize], bucket);
        (buckets.first..buckets.end).find_map(in_bucket).or_else(|| nearest(&buckets.far, buckets.end))
    }
}

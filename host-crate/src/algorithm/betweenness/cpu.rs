//! Betweenness on the CPU device. Of many sources each thread takes one at a time, and then all threads add the dependencies of as many
//! sources to the sums, in the order of the sources. One source alone is taken level by level by all threads, behind a search that chooses
//! its direction.

use super::{
    super::{prelude::*, search::Search},
    BetweennessConfig, Dependencies,
    number::{Number, Wide},
};
use crate::{
    algorithm::Bfs,
    device::{Member, Team},
    engine::native::{RoundCounters, part_of},
    strategy::{Chosen, Operator, Traversal},
};
use evenkeel_types::UNREACHED;
use std::{
    mem,
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
    time::Instant,
};

/// Nodes of a level that a thread takes at a time.
const PIECE: usize = 64;

/// A level that is no larger than this is one thread's: sharing it takes longer.
const ALONE: usize = 128;

/// Levels whose nodes each thread counts by itself, because in a search of few levels many nodes share one.
const NEAR: usize = 1024;

/// Whether paths from no more than one node are counted.
fn is_single(csr: &Csr, config: &BetweennessConfig) -> bool {
    config.source.is_some() || config.sources.unwrap_or(csr.nodes()) <= 1
}

/// What is recorded.
pub(super) struct Native {
    graph: SharedGraph,
    totals: Buffer<f64>,
    /// The sources of the run, for the recorded function.
    sources: Arc<Mutex<Vec<u32>>>,
    steps: Steps,
}

enum Steps {
    /// A search from the only source, and the passes.
    One(Search, Recording),
    Many(Recording),
}

impl Native {
    pub fn new(graph: &SharedGraph, config: &BetweennessConfig) -> Result<Self> {
        let (device, nodes) = (graph.device(), graph.csr().nodes() as usize);
        let csr = graph.csr().without_weights();
        let totals: Buffer<f64> = device.buffer("totals", nodes)?;
        let sources = Arc::new(Mutex::new(Vec::new()));
        let steps = if is_single(&csr, config) {
            let chosen = Chosen::of(graph, Operator::Bfs, Configured::<Bfs>::default().item().as_ref())?;
            let traversal = Traversal::new(graph, Operator::Bfs, None, "depths")?;
            let search = Search::record(device, traversal, &chosen, "betweenness, search")?;
            let leading = graph.incoming(false)?.csr().without_weights();
            let passes = Passes::new(device, csr, leading);
            let buffers = [search.values.raw().clone(), totals.raw().clone()];
            let recording = device.record("betweenness, one source", |recorder| {
                recorder.native("betweenness_cpu", &[&buffers[0], &buffers[1]], move |team, words| {
                    passes.run(team, words[0], Sums(words[1]));
                });
            })?;
            Steps::One(search, recording)
        } else {
            // What each thread has for itself while it runs.
            let threads = rayon::current_num_threads().min(config.sources.unwrap_or(u32::MAX) as usize);
            device.count::<u32>("order", threads * nodes);
            device.count::<u32>("depths", threads * nodes);
            device.count::<Wide>("path counts", threads * nodes);
            device.count::<f64>("dependencies", threads * nodes);
            let (sources, words) = (sources.clone(), totals.raw().clone());
            let recording = device.record("betweenness, many sources", |recorder| {
                recorder.native("betweenness_cpu", &[&words], move |team, words| {
                    let sources = sources.lock().unwrap_or_else(PoisonError::into_inner);
                    add_up(team, &csr, &sources, Sums(words[0]));
                });
            })?;
            Steps::Many(recording)
        };
        Ok(Self { graph: graph.clone(), totals, sources, steps })
    }
}

impl Dependencies for Native {
    fn run(&mut self, device: &Device, sources: &[u32]) -> Result<Run> {
        let begin = Instant::now();
        let mut run = Run { iterations: sources.len() as u32, ..Run::default() };
        match &mut self.steps {
            Steps::One(search, recording) => match sources {
                &[source, ..] => {
                    let found = search.run(&self.graph, source, None)?;
                    run.kernel = found.kernel + recording.run()?;
                    run.iterations = found.report.iteration;
                }
                [] => device.upload(&self.totals, 0, &vec![0.0; self.totals.len()])?,
            },
            Steps::Many(recording) => {
                *self.sources.lock().unwrap_or_else(PoisonError::into_inner) = sources.to_vec();
                run.kernel = recording.run()?;
            }
        }
        run.total = begin.elapsed();
        Ok(run)
    }

    fn totals(&self, device: &Device) -> Result<Vec<f64>> {
        device.download(&self.totals)
    }
}

/// The sums of all nodes, as words.
#[derive(Clone, Copy)]
struct Sums<'a>(&'a [AtomicU32]);

impl Sums<'_> {
    fn get(&self, node: usize) -> f64 {
        let [low, high] = [0, 1].map(|word| u64::from(self.0[2 * node + word].load(Relaxed)));
        f64::from_bits(low | high << 32)
    }

    fn set(&self, node: usize, sum: f64) {
        let bits = sum.to_bits();
        self.0[2 * node].store(bits as u32, Relaxed);
        self.0[2 * node + 1].store((bits >> 32) as u32, Relaxed);
    }
}

/// Adds up the dependencies of many sources.
fn add_up(team: &mut Team, csr: &Csr, sources: &[u32], sums: Sums<'_>) {
    let nodes = csr.nodes() as usize;
    let lanes = team.threads().min(sources.len());
    let zeros = || (0..nodes).map(|_| AtomicU64::new(0)).collect::<Vec<_>>();
    let dependencies: Vec<Vec<AtomicU64>> = (0..lanes).map(|_| zeros()).collect();
    team.run(|member| {
        part_of(member, nodes).for_each(|node| sums.set(node, 0.0));
        let mut alone = Alone::new(csr);
        for batch in sources.chunks(lanes.max(1)) {
            if let Some(&source) = batch.get(member.index) {
                alone.run(source, &dependencies[member.index]);
            }
            member.barrier();
            let all = &dependencies[..batch.len()];
            for node in part_of(member, nodes) {
                // Nodes that were not reached have none.
                let take = |lane: &Vec<AtomicU64>| f64::from_bits(lane[node].swap_zero());
                sums.set(node, all.iter().map(take).fold(sums.get(node), |sum, dependency| sum + dependency));
            }
            member.barrier();
        }
    });
}

/// Empties a word that one thread alone uses at the time, so that a load and a store suffice.
trait SwapZero {
    /// Returns the value, and leaves 0 in its place.
    fn swap_zero(&self) -> u64;
}

impl SwapZero for AtomicU64 {
    fn swap_zero(&self) -> u64 {
        let value = self.load(Relaxed);
        if value != 0 {
            self.store(0, Relaxed);
        }
        value
    }
}

/// One thread's memory.
struct Alone<'a> {
    csr: &'a Csr,
    depths: Vec<u32>,
    /// The nodes that were reached, by level.
    order: Vec<u32>,
    counts: Vec<f64>,
    /// Made when floats do not suffice.
    wide: Vec<Wide>,
}

impl<'a> Alone<'a> {
    fn new(csr: &'a Csr) -> Self {
        let nodes = csr.nodes() as usize;
        let (depths, counts) = (vec![UNREACHED; nodes], vec![0.0; nodes]);
        Self { csr, depths, order: Vec::with_capacity(nodes), counts, wide: Vec::new() }
    }

    /// Finds what the paths from a source depend on each node.
    fn run(&mut self, source: u32, dependencies: &[AtomicU64]) {
        let mut counts = mem::take(&mut self.counts);
        let fits = self.walk(source, &mut counts, dependencies);
        self.counts = counts;
        if !fits {
            let mut wide = mem::take(&mut self.wide);
            wide.resize(self.depths.len(), Wide::ZERO);
            self.walk(source, &mut wide, dependencies);
            self.wide = wide;
        }
    }

    /// Accumulates the dependencies with one kind of counts. Returns false if the counts overflowed.
    fn walk<N: Number>(&mut self, source: u32, counts: &mut [N], dependencies: &[AtomicU64]) -> bool {
        let (offsets, columns) = (self.csr.offsets(), self.csr.columns());
        let row = |node: u32| &columns[offsets.row(node as usize)];
        let (depths, order) = (&mut self.depths, &mut self.order);
        order.clear();
        order.push(source);
        (depths[source as usize], counts[source as usize]) = (0, N::ONE);
        let (mut place, mut fits) = (0, true);
        while let Some(&node) = order.get(place) {
            let (next, count) = (depths[node as usize] + 1, counts[node as usize]);
            fits &= count.fits();
            for &neighbour in row(node) {
                let depth = &mut depths[neighbour as usize];
                if *depth == UNREACHED {
                    *depth = next;
                    counts[neighbour as usize] = count;
                    order.push(neighbour);
                } else if *depth == next {
                    counts[neighbour as usize] = counts[neighbour as usize].plus(count);
                }
            }
            place += 1;
        }
        if fits {
            for &node in order[1..].iter().rev() {
                let (next, count) = (depths[node as usize] + 1, counts[node as usize]);
                let is_behind = |neighbour: &&u32| depths[**neighbour as usize] == next;
                let behind = row(node).iter().filter(is_behind);
                let sum = behind.fold(N::ZERO, |sum, neighbour| sum.plus(counts[*neighbour as usize]));
                let dependency = count.times(sum);
                dependencies[node as usize].store(dependency.to_bits(), Relaxed);
                counts[node as usize] = count.divide(1.0 + dependency);
            }
        }
        order.iter().for_each(|node| depths[*node as usize] = UNREACHED);
        fits
    }
}

/// The passes behind a search from one source.
struct Passes {
    leaving: Csr,
    leading: Csr,
    order: Vec<AtomicU32>,
    /// Where each level ends.
    ends: Vec<AtomicU32>,
    counts: Vec<AtomicU64>,
}

/// Passes that run: what their members share.
struct Running<'a, N: Number> {
    passes: &'a Passes,
    depths: &'a [AtomicU32],
    counts: &'a [N::Cell],
    sums: Sums<'a>,
    levels: u32,
    /// Nodes that have been taken, and whether a count did not fit.
    rounds: RoundCounters<2>,
}

impl Passes {
    fn new(device: &Device, leaving: Csr, leading: Csr) -> Self {
        let nodes = leaving.nodes() as usize;
        if !leaving.is_symmetric() {
            device.count::<u32>("reversed graph", nodes + 1 + leading.columns().len());
        }
        let words = |name, length| {
            let length = device.count::<u32>(name, length);
            (0..length).map(|_| AtomicU32::new(0)).collect()
        };
        let (order, ends) = (words("order", nodes), words("level ends", nodes + 2));
        // As much as wide counts take, which are made when floats do not suffice.
        let counts = if device.count::<Wide>("path counts", nodes) > 0 { nodes } else { 0 };
        let counts = (0..counts).map(|_| AtomicU64::new(0)).collect();
        Self { leaving, leading, order, ends, counts }
    }

    fn run(&self, team: &mut Team, depths: &[AtomicU32], sums: Sums<'_>) {
        let levels = self.sort(team, depths);
        if !Running::<f64>::new(self, depths, &self.counts, sums, levels).run(team) {
            let wide: Vec<<Wide as Number>::Cell> = depths.iter().map(|_| Default::default()).collect();
            Running::<Wide>::new(self, depths, &wide, sums, levels).run(team);
        }
    }

    /// Sorts the nodes that were reached by level, and returns the number of levels.
    fn sort(&self, team: &mut Team, depths: &[AtomicU32]) -> u32 {
        let (levels, rounds) = (AtomicU32::new(0), RoundCounters::<1>::new(0));
        team.run(|member| {
            let (mut phase, mut near) = (0, vec![0u32; NEAR]);
            let reached =
                |node: usize| Some(depths[node].load(Relaxed) as usize).filter(|depth| *depth != UNREACHED as usize);
            let own = || part_of(member, depths.len()).filter_map(|node| Some((node, reached(node)?)));
            self.ends[part_of(member, self.ends.len())].iter().for_each(|end| end.store(0, Relaxed));
            let deepest = own().map(|(_, depth)| depth).max().unwrap_or(0);
            rounds.of(phase)[0].fetch_max(deepest as u64, Relaxed);
            let deepest = rounds.end(member, &mut phase)[0] as usize;
            own().for_each(|(_, depth)| match near.get_mut(depth) {
                Some(count) => *count += 1,
                None => _ = self.ends[depth].fetch_add(1, Relaxed),
            });
            for (count, end) in near.iter().zip(&self.ends) {
                end.fetch_add(*count, Relaxed);
            }
            member.barrier();
            if member.index == 0 {
                let mut before = 0;
                for end in &self.ends[..=deepest] {
                    before += end.swap(before, Relaxed);
                }
                levels.store(deepest as u32 + 1, Relaxed);
            }
            member.barrier();
            // From here on the beginning of a level is the next free place, and in the end where it ends.
            for (count, end) in near.iter_mut().zip(&self.ends) {
                *count = end.fetch_add(*count, Relaxed);
            }
            for (node, depth) in own() {
                let place = match near.get_mut(depth) {
                    Some(next) => mem::replace(next, *next + 1),
                    None => self.ends[depth].fetch_add(1, Relaxed),
                };
                self.order[place as usize].store(node as u32, Relaxed);
            }
        });
        levels.into_inner()
    }

    /// The places of a level's nodes.
    fn level(&self, level: u32) -> Range<usize> {
        let end = |level: u32| self.ends[level as usize].load(Relaxed) as usize;
        (if level == 0 { 0 } else { end(level - 1) })..end(level)
    }
}

impl<'a, N: Number> Running<'a, N> {
    fn new(passes: &'a Passes, depths: &'a [AtomicU32], counts: &'a [N::Cell], sums: Sums<'a>, levels: u32) -> Self {
        Self { passes, depths, counts, sums, levels, rounds: RoundCounters::new(0) }
    }

    /// Runs both passes; false where the numbers do not suffice.
    fn run(&self, team: &mut Team) -> bool {
        let fits = AtomicU32::new(1);
        team.run(|member| {
            let mut phase = 0;
            part_of(member, self.depths.len()).for_each(|node| self.sums.set(node, 0.0));
            if member.index == 0 {
                let source = self.passes.order[0].load(Relaxed);
                N::ONE.store(&self.counts[source as usize]);
            }
            self.rounds.end(member, &mut phase);
            if !self.levels(member, &mut phase, 1..self.levels, |places, level| self.count(places, level)) {
                fits.store(0, Relaxed);
                return;
            }
            self.levels(member, &mut phase, (1..self.levels).rev(), |places, level| self.depend(places, level));
        });
        fits.into_inner() == 1
    }

    /// Takes levels in turn, large ones in pieces. Returns whether `take` returned true for all of them.
    fn levels(
        &self,
        member: Member,
        phase: &mut usize,
        levels: impl Iterator<Item = u32>,
        take: impl Fn(Range<usize>, u32) -> bool,
    ) -> bool {
        let (mut levels, mut all_fit) = (levels.peekable(), true);
        let is_small = |level: &u32| self.passes.level(*level).len() <= ALONE;
        while let Some(level) = levels.next() {
            let places = self.passes.level(level);
            let (round, mut fits) = (self.rounds.of(*phase), true);
            if is_small(&level) {
                let small = std::iter::once(level).chain(std::iter::from_fn(|| levels.next_if(is_small)));
                small.for_each(|level| {
                    if member.index == 0 {
                        fits &= take(self.passes.level(level), level);
                    }
                });
            } else {
                loop {
                    let begin = places.start + round[0].fetch_add(PIECE as u64, Relaxed) as usize;
                    if begin >= places.end {
                        break;
                    }
                    fits &= take(begin..places.end.min(begin + PIECE), level);
                }
            }
            if !fits {
                round[1].store(1, Relaxed);
            }
            all_fit &= self.rounds.end(member, phase)[1] == 0;
        }
        all_fit
    }

    /// The sum over a node's neighbours at a depth.
    #[inline(always)]
    fn sum(&self, csr: &Csr, node: usize, depth: u32) -> N {
        let (offsets, columns) = (csr.offsets(), csr.columns());
        let neighbours = &columns[offsets.row(node)];
        neighbours.iter().fold(N::ZERO, |sum, &neighbour| {
            match self.depths[neighbour as usize].load(Relaxed) == depth {
                true => sum.plus(N::load(&self.counts[neighbour as usize])),
                false => sum,
            }
        })
    }

    /// Counts the paths to nodes of a level.
    fn count(&self, places: Range<usize>, level: u32) -> bool {
        let mut fits = true;
        for node in &self.passes.order[places] {
            let node = node.load(Relaxed) as usize;
            let count = self.sum(&self.passes.leading, node, level - 1);
            fits &= count.fits();
            count.store(&self.counts[node]);
        }
        fits
    }

    /// Finds what paths depend on nodes of a level.
    fn depend(&self, places: Range<usize>, level: u32) -> bool {
        for node in &self.passes.order[places] {
            let node = node.load(Relaxed) as usize;
            let count = N::load(&self.counts[node]);
            let dependency = count.times(self.sum(&self.passes.leaving, node, level + 1));
            self.sums.set(node, dependency);
            count.divide(1.0 + dependency).store(&self.counts[node]);
        }
        true
    }
}

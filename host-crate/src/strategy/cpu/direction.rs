//! A breadth-first search for the CPU that chooses its direction at every level (Beamer et al., "Direction-Optimizing Breadth-First
//! Search", 2012).
//!
//! A short frontier is a list, and its nodes push: a neighbour that has no depth yet gets one and joins the next list. Two threads may find the
//! same node at once and list it twice, which costs less than a locked instruction for each node found and changes no depth. A long
//! frontier is a bitmap, and the nodes without a depth pull: each looks for a neighbour in the frontier and stops at the first.

use super::super::{LevelSize, prelude::*};
use crate::{
    device::{Member, Team},
    engine::native::{Parts, RoundCounters, part_of, prefetch, prefetch_offset, record_native},
};
use evenkeel_types::UNREACHED;
use rayon::prelude::*;
use std::{
    mem,
    ops::Range,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

/// The strategy `direction-cpu`.
#[derive(Clone)]
pub(in super::super) struct DirectionCpu;

/// Nodes pull when the frontier has more than this part of the edges that have not been looked at; Beamer et al. have the same.
const PULL_EDGES: u64 = 15;
/// They push again when a frontier that shrinks has fewer than this part of the nodes.
const PUSH_NODES: u64 = 18;

/// A list that is no longer than this is one thread's, for as many levels as it stays so: sharing it takes longer than pushing it.
const ALONE: usize = 256;

/// Words of the bitmap that a thread takes at a time when nodes pull.
const WORDS: usize = 64;

/// How many nodes ahead of the one that pushes the memory of its offsets, its edges and its neighbours is asked for. Each needs the one
/// before it.
const AHEAD: [usize; 3] = [8, 4, 2];
/// The longest row whose neighbours' depths are asked for ahead.
const FEW: usize = 8;

impl Strategy for DirectionCpu {
    fn about(&self) -> About {
        About::cpu_only("direction-cpu", "Beamer et al.", "direction in a form for few threads with large caches")
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
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
        let csr = &traversal.csr;
        // The threads' own lists.
        device.count::<u32>("lists", 2 * csr.nodes() as usize);
        device.count::<u64>("bitmaps", 4 * csr.nodes().div_ceil(64) as usize);
        let (last, target) = (traversal.max_depth.unwrap_or(u32::MAX), traversal.target);
        let search = Arc::new(Search::new(csr, 0..csr.nodes(), last, target));
        let buffers = [&traversal.source, &traversal.data.values];
        record_native(device, name, "direction_cpu", buffers, move |team, [source, depths]| {
            (search.run(team, source[0].load(Relaxed), depths), 0)
        })
    }

    /// All levels are one step.
    fn level_names(&self, _: &Device, _: &Csr, _: &[LevelSize]) -> Result<Option<Vec<String>>> {
        Ok(None)
    }
}

/// What a search needs beside the depths.
struct Search {
    csr: Csr,
    /// The depth at which it may end.
    last: u32,
    /// The node at whose depth it may end.
    target: Option<u32>,
    can_pull: bool,
    /// The words of the bitmaps that have nodes whose edges are here.
    words: Range<usize>,
    /// A bit for each node without edges, and for each past the last node: nothing ever finds them.
    isolated: Vec<u64>,
    /// A bit for each node that has a depth or is isolated.
    visited: Vec<AtomicU64>,
    /// The frontier as a bitmap, and the next.
    fronts: [Vec<AtomicU64>; 2],
}

/// A search that runs: what its members share.
struct Running<'a> {
    search: &'a Search,
    depths: &'a [AtomicU32],
    /// The frontier as a list, and the next.
    lists: [Parts; 2],
    /// Nodes found, edges out of them, and words of the bitmap that have been taken or levels that one thread went alone.
    rounds: RoundCounters<3>,
}

impl Search {
    fn new(csr: &Csr, rows: Range<u32>, last: u32, target: Option<u32>) -> Self {
        let words = csr.nodes().div_ceil(64);
        let is_isolated = |node: u32| node >= csr.nodes() || csr.degree(node) == 0;
        let word = |word: u32| (0..64).fold(0, |bits, bit| bits | u64::from(is_isolated(64 * word + bit)) << bit);
        let bitmap = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Self {
            csr: csr.clone(),
            last,
            target,
            can_pull: csr.is_symmetric(),
            words: rows.start as usize / 64..rows.end.div_ceil(64) as usize,
            isolated: (0..words).into_par_iter().map(word).collect(),
            visited: bitmap(),
            fronts: [bitmap(), bitmap()],
        }
    }

    /// Writes the depth of every node and returns the number of levels.
    fn run(&self, team: &mut Team, source: u32, depths: &[AtomicU32]) -> u32 {
        let running = Running::new(self, depths, team.threads());
        let levels = AtomicU32::new(0);
        team.run(|member| {
            let count = running.run(member, source);
            levels.store(count, Relaxed);
        });
        levels.into_inner()
    }
}

impl<'a> Running<'a> {
    fn new(search: &'a Search, depths: &'a [AtomicU32], threads: usize) -> Self {
        let lists = [Parts::new(threads), Parts::new(threads)];
        Self { search, depths, lists, rounds: RoundCounters::new(0) }
    }

    fn run(&self, member: Member, source: u32) -> u32 {
        let Search { csr, can_pull, .. } = self.search;
        for depth in &self.depths[part_of(member, self.depths.len())] {
            depth.store(UNREACHED, Relaxed);
        }
        let mut next = if member.index == 0 { vec![source] } else { Vec::new() };
        // SAFETY: a barrier comes between this and the first level, and so it is with every list: see `publish` and `share` below.
        unsafe { self.lists[0].publish(member, &mut next) };
        member.barrier();
        if member.index == 0 {
            self.depths[source as usize].store(0, Relaxed);
        }
        member.barrier();
        let (mut level, mut phase, mut list) = (0, 0, 0);
        let mut edges_left = csr.edges();
        let (mut found, mut edges) = (1, u64::from(csr.degree(source)));
        while found > 0 && !self.is_over(level) {
            if *can_pull && edges > edges_left / PULL_EDGES {
                found = self.pull_levels(member, &mut level, &mut phase, found);
                self.list_front(member, level, &mut next);
                edges = 0;
                // SAFETY: pulling ended with a barrier, and another follows.
                unsafe { self.lists[list].publish(member, &mut next) };
                member.barrier();
                continue;
            }
            edges_left = edges_left.saturating_sub(edges);
            let round = self.rounds.of(phase);
            let mut count = 0;
            if found as usize > ALONE {
                // SAFETY: the list was published before the last barrier, and is not again before the next.
                unsafe { self.lists[list].share(|nodes| count += self.push(nodes, level, &mut next)) };
            } else if member.index == 0 {
                let levels;
                (count, levels) = self.push_alone(list, level, &mut next);
                round[2].store(levels, Relaxed);
            }
            round[0].fetch_add(next.len() as u64, Relaxed);
            round[1].fetch_add(count, Relaxed);
            list ^= 1;
            // SAFETY: this list was shared before the last barrier, and the round ends with one.
            unsafe { self.lists[list].publish(member, &mut next) };
            let numbers = self.rounds.end(member, &mut phase);
            level += numbers[2].max(1) as u32;
            [found, edges] = [numbers[0], numbers[1]];
        }
        level
    }

    /// Whether the search may end when all nodes up to a depth have been found. All members get the same answer: meanwhile others find only nodes
    /// that are further away.
    fn is_over(&self, level: u32) -> bool {
        let Search { last, target, .. } = self.search;
        level >= *last || target.is_some_and(|node| self.depths[node as usize].load(Relaxed) <= level)
    }

    /// Pushes from `nodes`, which have depth `level`, and returns the number of edges out of the nodes found.
    fn push(&self, nodes: &[u32], level: u32, next: &mut Vec<u32>) -> u64 {
        // As slices, because a graph's arrays may be mapped files, and each look at one asks again.
        let (offsets, columns) = (self.search.csr.offsets(), self.search.csr.columns());
        let row = |node: u32| offsets.row(node as usize);
        let (depths, mut edges) = (self.depths, 0);
        for (place, &node) in nodes.iter().enumerate() {
            let [first, second, third] = AHEAD.map(|ahead| nodes.get(place + ahead).copied());
            if let Some(node) = first {
                prefetch_offset(offsets, node as usize);
            }
            if let Some(node) = second {
                prefetch(columns, row(node).start);
            }
            if let Some(node) = third.filter(|&node| row(node).len() <= FEW) {
                columns[row(node)].iter().for_each(|neighbour| prefetch(depths, *neighbour as usize));
            }
            for &neighbour in &columns[row(node)] {
                let depth = &depths[neighbour as usize];
                if depth.load(Relaxed) == UNREACHED {
                    depth.store(level + 1, Relaxed);
                    next.push(neighbour);
                    edges += row(neighbour).len() as u64;
                }
            }
        }
        edges
    }

    /// Pushes from a short list until the next is long or empty. Returns the edges out of that and the number of levels.
    fn push_alone(&self, list: usize, level: u32, next: &mut Vec<u32>) -> (u64, u64) {
        let (mut nodes, mut levels) = (Vec::new(), 0);
        // SAFETY: the list was published before the last barrier, and is not again before the next.
        unsafe { self.lists[list].share(|piece| nodes.extend_from_slice(piece)) };
        loop {
            let edges = self.push(&nodes, level + levels, next);
            levels += 1;
            if next.is_empty() || next.len() > ALONE || self.is_over(level + levels) {
                return (edges, levels.into());
            }
            mem::swap(&mut nodes, next);
            next.clear();
        }
    }

    /// Takes levels from bitmap to bitmap until few nodes are found; returns how many were found last.
    fn pull_levels(&self, member: Member, level: &mut u32, phase: &mut usize, mut found: u64) -> u64 {
        self.make_bitmaps(member, *level);
        member.barrier();
        loop {
            let before = found;
            let count = self.pull(self.rounds.of(*phase), *level);
            self.rounds.of(*phase)[0].fetch_add(count, Relaxed);
            found = self.rounds.end(member, phase)[0];
            *level += 1;
            let is_few = found < before && found <= self.depths.len() as u64 / PUSH_NODES;
            if found == 0 || is_few || self.is_over(*level) {
                return found;
            }
        }
    }

    /// Makes the bitmaps of visited nodes and of the frontier from the depths.
    fn make_bitmaps(&self, member: Member, level: u32) {
        let Search { visited, isolated, fronts, words, .. } = self.search;
        for word in part_of(member, words.len()).map(|word| words.start + word) {
            let (mut seen, mut front) = (isolated[word], 0);
            for (bit, depth) in self.depths[64 * word..].iter().take(64).enumerate() {
                let depth = depth.load(Relaxed);
                seen |= u64::from(depth != UNREACHED) << bit;
                front |= u64::from(depth == level) << bit;
            }
            visited[word].store(seen, Relaxed);
            fronts[level as usize % 2][word].store(front, Relaxed);
        }
    }

    /// Lets nodes without a depth pull, word by word until none is left, and returns how many have found one.
    fn pull(&self, round: &[AtomicU64; 3], level: u32) -> u64 {
        let Search { csr, visited, fronts, words, .. } = self.search;
        let (offsets, columns) = (csr.offsets(), csr.columns());
        let [front, next] = [0, 1].map(|later| &fronts[(level as usize + later) % 2]);
        let is_in_front = |node: &u32| front[*node as usize / 64].load(Relaxed) >> (node % 64) & 1 == 1;
        let mut found = 0;
        loop {
            let begin = words.start + round[2].fetch_add(WORDS as u64, Relaxed) as usize;
            if begin >= words.end {
                return found;
            }
            for word in begin..words.end.min(begin + WORDS) {
                let seen = visited[word].load(Relaxed);
                let (mut open, mut new) = (!seen, 0u64);
                while open != 0 {
                    let bit = open.trailing_zeros();
                    open &= open - 1;
                    let node = 64 * word + bit as usize;
                    let row = offsets.row(node);
                    if columns[row].iter().any(is_in_front) {
                        self.depths[node].store(level + 1, Relaxed);
                        new |= 1 << bit;
                    }
                }
                next[word].store(new, Relaxed);
                visited[word].store(seen | new, Relaxed);
                found += u64::from(new.count_ones());
            }
        }
    }

    /// Lists a member's part of the frontier.
    fn list_front(&self, member: Member, level: u32, list: &mut Vec<u32>) {
        let Search { fronts, words, .. } = self.search;
        let front = &fronts[level as usize % 2];
        for word in part_of(member, words.len()).map(|word| words.start + word) {
            let mut bits = front[word].load(Relaxed);
            while bits != 0 {
                list.push(64 * word as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

/// A search in some rows of a graph, while others have the rest: between two levels they exchange what was found. Whoever has it says in
/// which direction each level goes.
pub(crate) struct RowSearch {
    search: Search,
    /// The depths of the nodes of these rows. Those of others are the levels at which they became known here.
    depths: Vec<AtomicU32>,
    /// Whether the bitmap of visited nodes is that of the last level.
    is_pulling: bool,
    team: Team,
}

impl RowSearch {
    /// Makes everything ready. The graph has all nodes, and edges in these rows alone.
    pub(crate) fn new(csr: &Csr, rows: Range<u32>) -> Self {
        let depths = (0..csr.nodes()).map(|_| AtomicU32::new(UNREACHED)).collect();
        let (search, team) = (Search::new(csr, rows, u32::MAX, None), Team::new(rayon::current_num_threads()));
        Self { search, depths, is_pulling: false, team }
    }

    /// Forgets all depths.
    pub(crate) fn begin(&mut self) {
        self.depths.par_iter().for_each(|depth| depth.store(UNREACHED, Relaxed));
        self.is_pulling = false;
    }

    /// The depths of these nodes.
    pub(crate) fn depths(&self, rows: Range<u32>) -> Vec<u32> {
        self.depths[rows.start as usize..rows.end as usize].iter().map(|depth| depth.load(Relaxed)).collect()
    }

    /// Gives a node a depth, unless it has one; returns whether it had none.
    pub(crate) fn note(&mut self, node: u32, depth: u32) -> bool {
        let slot = self.depths[node as usize].get_mut();
        let is_new = *slot == UNREACHED;
        if is_new {
            *slot = depth;
        }
        is_new
    }

    /// Pushes from nodes of these rows. Returns the nodes that were not known and got the depth `level`, in ascending order.
    pub(crate) fn push(&mut self, nodes: &[u32], level: u32) -> Vec<u32> {
        self.is_pulling = false;
        let running = Running::new(&self.search, &self.depths, self.team.threads());
        let mut found = Vec::new();
        if nodes.len() <= ALONE {
            running.push(nodes, level - 1, &mut found);
        } else {
            found = collected(&mut self.team, |member, list| {
                list.extend_from_slice(&nodes[part_of(member, nodes.len())]);
                // SAFETY: a barrier comes between this and what follows, and nothing is published after that.
                unsafe { running.lists[0].publish(member, list) };
                member.barrier();
                // SAFETY: as above.
                unsafe { running.lists[0].share(|nodes| _ = running.push(nodes, level - 1, list)) };
            });
        }
        found.par_sort_unstable();
        // Two threads may have found the same node.
        found.dedup();
        found
    }

    /// Lets nodes of these rows without a depth pull from the frontier of all, a bitmap of nodes. Returns those that got the depth `level`.
    pub(crate) fn pull(&mut self, frontier: &[u64], level: u32) -> Vec<u32> {
        let running = Running::new(&self.search, &self.depths, self.team.threads());
        let front = &self.search.fronts[(level - 1) as usize % 2];
        let makes_bitmaps = !mem::replace(&mut self.is_pulling, true);
        collected(&mut self.team, |member, list| {
            if makes_bitmaps {
                running.make_bitmaps(member, level - 1);
                member.barrier();
            }
            for word in part_of(member, front.len()) {
                front[word].store(frontier[word], Relaxed);
                let mut bits = frontier[word];
                while bits != 0 {
                    let depth = &self.depths[64 * word + bits.trailing_zeros() as usize];
                    bits &= bits - 1;
                    // Nobody needs to be told of this node again.
                    if depth.load(Relaxed) == UNREACHED {
                        depth.store(level - 1, Relaxed);
                    }
                }
            }
            member.barrier();
            running.pull(running.rounds.of(0), level - 1);
            member.barrier();
            running.list_front(member, level, list);
        })
    }
}

/// What all members of a team list together.
fn collected(team: &mut Team, work: impl Fn(Member, &mut Vec<u32>) + Sync) -> Vec<u32> {
    let all = Mutex::new(Vec::new());
    team.run(|member| {
        let mut list = Vec::new();
        work(member, &mut list);
        all.lock().unwrap_or_else(PoisonError::into_inner).append(&mut list);
    });
    all.into_inner().unwrap_or_else(PoisonError::into_inner)
}

//! The search from many sources on the CPU device, 64 at a time. As in the kernels a short frontier pushes and a long one pulls; a thread that
//! pulls settles what it finds at once, because nobody else writes the node.

use super::super::prelude::*;
use crate::{
    device::{Member, Team},
    engine::native::{Parts, RoundCounters, part_of, record_native},
};
use evenkeel_kernels::algorithm::many::Keep;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Nodes pull when the frontier has more than this part of all edges.
const PULL_SHARE: u64 = 12;

/// Nodes that a thread takes at a time when they pull.
const PIECE: usize = 1024;

/// Records the search as one step.
pub(super) fn record(
    device: &Device,
    csr: &Csr,
    keep: Keep,
    columns: usize,
    values: &Buffer<u32>,
    sources: &Buffer<u32>,
) -> Result<DeviceLoop> {
    let csr = csr.without_weights();
    let nodes = csr.nodes() as usize;
    let zeros = |name: &str| -> Vec<_> {
        let length = device.count::<u64>(name, nodes);
        (0..length).map(|_| AtomicU64::new(0)).collect()
    };
    let memory = (zeros("seen"), [zeros("even frontier"), zeros("odd frontier")]);
    // The threads' own lists.
    device.count::<u32>("lists", 2 * nodes);
    let memory = std::sync::Arc::new(memory);
    record_native(device, "many sources", "many_sources_cpu", [values, sources], move |team, [values, sources]| {
        let (seen, fronts) = &*memory;
        let word = |place: usize| sources[place].load(Relaxed);
        let from = (0..word(0) as usize).map(|source| word(2 + source)).collect();
        let lists = [Parts::new(team.threads()), Parts::new(team.threads())];
        let keeper = Keeper { keep, nodes, columns, column: word(1) as usize, values };
        let rounds = RoundCounters::new(0);
        let search =
            Search { csr: &csr, can_pull: csr.is_symmetric(), seen, fronts, lists, rounds, keeper, sources: from };
        (search.run(team), 0)
    })
}

/// Where depths go.
struct Keeper<'a> {
    keep: Keep,
    nodes: usize,
    columns: usize,
    /// The column of the first source.
    column: usize,
    values: &'a [AtomicU32],
}

impl Keeper<'_> {
    /// Notes that `new` sources have reached a node at `depth`, where `before` had earlier. Nobody else is at the node.
    fn note(&self, node: usize, depth: u32, before: u64, new: u64) {
        if self.keep == Keep::Sums {
            let [low, high, count] = [0, 1, 2].map(|word| &self.values[3 * node + word]);
            let sum = u64::from(low.load(Relaxed)) | u64::from(high.load(Relaxed)) << 32;
            let sum = sum + u64::from(depth) * u64::from(new.count_ones());
            low.store(sum as u32, Relaxed);
            high.store((sum >> 32) as u32, Relaxed);
            count.store(count.load(Relaxed) + new.count_ones(), Relaxed);
            return;
        }
        if before == 0 {
            let nearest = &self.values[node];
            nearest.store(nearest.load(Relaxed).min(depth), Relaxed);
        }
        if self.keep == Keep::Each {
            let row = self.nodes + node * self.columns + self.column;
            let mut left = new;
            while left != 0 {
                self.values[row + left.trailing_zeros() as usize].store(depth, Relaxed);
                left &= left - 1;
            }
        }
    }
}

/// A search that runs: what its members share.
struct Search<'a> {
    csr: &'a Csr,
    can_pull: bool,
    /// The sources that have reached each node.
    seen: &'a [AtomicU64],
    /// Those that have in the last level, and in this one, in turn.
    fronts: &'a [Vec<AtomicU64>; 2],
    lists: [Parts; 2],
    /// Nodes found, edges out of them, sources that found them, and pieces taken.
    rounds: RoundCounters<4>,
    keeper: Keeper<'a>,
    sources: Vec<u32>,
}

/// What a member has found in a level.
#[derive(Default)]
struct Found {
    nodes: Vec<u32>,
    edges: u64,
    sources: u64,
}

impl Search<'_> {
    fn run(&self, team: &mut Team) -> u32 {
        let levels = AtomicU32::new(0);
        team.run(|member| levels.store(self.take_part(member), Relaxed));
        levels.into_inner()
    }

    fn take_part(&self, member: Member) -> u32 {
        for node in part_of(member, self.seen.len()) {
            for words in [self.seen, &self.fronts[0], &self.fronts[1]] {
                words[node].store(0, Relaxed);
            }
        }
        let (mut phase, mut found) = (0, Found::default());
        self.rounds.end(member, &mut phase);
        if member.index == 0 {
            for (source, &node) in self.sources.iter().enumerate() {
                let word = &self.fronts[0][node as usize];
                let before = word.fetch_or(1 << source, Relaxed);
                if before == 0 {
                    found.nodes.push(node);
                }
            }
            let nodes = std::mem::take(&mut found.nodes);
            nodes.iter().for_each(|&node| self.settle(node, 0, 0, &mut found));
            found.nodes = nodes;
        }
        let mut depth = 0;
        loop {
            let round = self.rounds.of(phase);
            round[0].fetch_add(found.nodes.len() as u64, Relaxed);
            round[1].fetch_add(found.edges, Relaxed);
            round[2].fetch_or(found.sources, Relaxed);
            let list = &self.lists[depth as usize % 2];
            // SAFETY: this list was shared before the last barrier but one, and the round ends with one.
            unsafe { list.publish(member, &mut found.nodes) };
            let [count, edges, active, _] = self.rounds.end(member, &mut phase);
            if count == 0 {
                return depth;
            }
            found = Found::default();
            let side = depth as usize % 2;
            depth += 1;
            if self.can_pull && edges > self.csr.edges() / PULL_SHARE {
                self.pull(phase, active, side, depth, &mut found);
            } else {
                // SAFETY: the list was published before the last barrier, and is not again before the next but one.
                unsafe { list.share(|nodes| self.push(nodes, side, &mut found.nodes)) };
                // All have pushed before anybody settles.
                member.barrier();
                let nodes = std::mem::take(&mut found.nodes);
                nodes.iter().for_each(|&node| self.settle(node, 1 - side, depth, &mut found));
                found.nodes = nodes;
            }
            // The frontier has been read by all, and its words are those of the level after the next.
            self.rounds.end(member, &mut phase);
            for word in &self.fronts[side][part_of(member, self.seen.len())] {
                if word.load(Relaxed) != 0 {
                    word.store(0, Relaxed);
                }
            }
        }
    }

    /// Settles what is in the words of a frontier for a node that was found at `depth`.
    fn settle(&self, node: u32, side: usize, depth: u32, found: &mut Found) {
        let new = self.fronts[side][node as usize].load(Relaxed);
        let before = self.seen[node as usize].load(Relaxed);
        self.seen[node as usize].store(before | new, Relaxed);
        self.keeper.note(node as usize, depth, before, new);
        found.edges += u64::from(self.csr.degree(node));
        found.sources |= new;
    }

    /// Gives the bits of nodes to their neighbours, and lists those that had none in this level.
    fn push(&self, nodes: &[u32], side: usize, next: &mut Vec<u32>) {
        let (offsets, columns) = (self.csr.offsets(), self.csr.columns());
        let [front, words] = [side, 1 - side].map(|side| &self.fronts[side]);
        for &node in nodes {
            let bits = front[node as usize].load(Relaxed);
            for &neighbour in &columns[offsets.row(node as usize)] {
                let new = bits & !self.seen[neighbour as usize].load(Relaxed);
                let word = &words[neighbour as usize];
                if new & !word.load(Relaxed) != 0 && word.fetch_or(new, Relaxed) == 0 {
                    next.push(neighbour);
                }
            }
        }
    }

    /// Lets the nodes that lack the bit of an active source collect those of their neighbours.
    fn pull(&self, phase: usize, active: u64, side: usize, depth: u32, found: &mut Found) {
        let (offsets, columns) = (self.csr.offsets(), self.csr.columns());
        let front = &self.fronts[side];
        loop {
            let begin = self.rounds.of(phase)[3].fetch_add(PIECE as u64, Relaxed) as usize;
            if begin >= self.seen.len() {
                return;
            }
            for node in begin..self.seen.len().min(begin + PIECE) {
                let missing = active & !self.seen[node].load(Relaxed);
                if missing == 0 {
                    continue;
                }
                let mut bits = 0;
                for &neighbour in &columns[offsets.row(node)] {
                    bits |= front[neighbour as usize].load(Relaxed);
                    if missing & !bits == 0 {
                        break;
                    }
                }
                if bits & missing != 0 {
                    self.fronts[1 - side][node].store(bits & missing, Relaxed);
                    self.settle(node as u32, 1 - side, depth, found);
                    found.nodes.push(node as u32);
                }
            }
        }
    }
}

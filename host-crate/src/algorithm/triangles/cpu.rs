//! Triangles on the CPU device. A thread marks the ends of a node's kept edges in an array of its own and looks up there the ends of the
//! kept edges that leave the nodes of lower rank around it, as the bitmap of the kernels does. Where no node has many edges, each is
//! kept where it leads to a lower number: that is the first part of every row, which needs no copy, and lists are merged.

use super::{super::prelude::*, Counts};
use crate::{
    device::{Member, Team},
    engine::native::{RoundCounters, even_parts, prefetch},
    graph::OffsetsView,
};
use rayon::prelude::*;
use std::{
    ops::Range,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicU64, Ordering::Relaxed},
    },
};

/// Parts for each thread: enough that all end at about the same time, though a hub's part takes long.
const PARTS: usize = 64;

/// Where the ends of edges have no more edges than this in the mean, lists are merged as they are.
const FEW: u64 = 64;

/// How many neighbours ahead the memory of a list is asked for.
const AHEAD: usize = 4;

/// Records the whole count as one step.
pub(super) fn record(
    device: &Device,
    name: &str,
    csr: &Csr,
    marks: Arc<Vec<u32>>,
    counts: &Counts,
    per_node: bool,
) -> Result<Recording> {
    let (csr, kept) = (csr.without_weights(), csr.columns().len() / 2);
    let offsets = device.buffer::<u32>("kept offsets", csr.nodes() as usize + 1)?;
    let targets = device.buffer::<u32>("kept targets", kept)?;
    let kept_marks = device.buffer::<u32>("kept marks", if marks.is_empty() { 0 } else { kept })?;
    // An array of marks for each thread.
    device.count::<u32>("marks", rayon::current_num_threads() * csr.nodes() as usize);
    let [totals, _] = &counts.totals;
    let merges = !per_node && has_short_lists(&csr);
    let buffers = [&offsets, &targets, &kept_marks, &counts.nodes, totals].map(Buffer::raw);
    device.record(name, |recorder| {
        recorder.label("count");
        recorder.native("triangle_marks", &buffers, move |team, words| {
            let parts = even_parts(&csr, team.threads() * PARTS);
            let count = Count {
                csr: &csr,
                marks: &marks,
                kept: Kept { offsets: words[0], targets: words[1], marks: words[2] },
                counts: words[3],
                sums: parts.iter().map(|_| AtomicU64::new(0)).collect(),
                parts,
                total: AtomicU64::new(0),
                taken: RoundCounters::new(0),
            };
            let total = count.run(team, per_node, merges);
            words[4][0].store(total as u32, Relaxed);
            words[4][1].store((total >> 32) as u32, Relaxed);
        });
    })
}

/// Whether the lists at the ends of edges are short: merging all of them takes at most as many steps as the squares of the degrees.
fn has_short_lists(csr: &Csr) -> bool {
    let square = |node: u32| u64::from(csr.degree(node)) * u64::from(csr.degree(node));
    (0..csr.nodes()).into_par_iter().map(square).sum::<u64>() <= FEW * csr.edges()
}

/// The edges that are kept.
struct Kept<'a> {
    offsets: &'a [AtomicU32],
    targets: &'a [AtomicU32],
    marks: &'a [AtomicU32],
}

impl<'a> Kept<'a> {
    fn row(&self, node: u32) -> Range<usize> {
        let at = |node: usize| self.offsets[node].load(Relaxed) as usize;
        at(node as usize)..at(node as usize + 1)
    }

    fn targets(&self, row: Range<usize>) -> &'a [AtomicU32] {
        &self.targets[row]
    }
}

/// A count that runs: what its members share.
struct Count<'a> {
    csr: &'a Csr,
    /// In how many directions each edge was given; nothing where that does not matter.
    marks: &'a [u32],
    kept: Kept<'a>,
    counts: &'a [AtomicU32],
    parts: Vec<Range<usize>>,
    /// The number of edges that each part keeps.
    sums: Vec<AtomicU64>,
    total: AtomicU64,
    taken: RoundCounters<1>,
}

impl Count<'_> {
    fn run(&self, team: &mut Team, per_node: bool, merges: bool) -> u64 {
        if merges {
            team.run(|_| {
                let (rows, mut total) = ((self.csr.offsets(), self.csr.columns()), 0);
                self.each_part(0, |_, part| part.for_each(|node| total += merged(rows, node as u32)));
                self.total.fetch_add(total, Relaxed);
            });
        } else {
            team.run(|member| {
                let mut phase = 0;
                self.orient(member, &mut phase);
                let total = if per_node { self.count_nodes(member, phase) } else { self.count(phase) };
                self.total.fetch_add(total, Relaxed);
            });
        }
        self.total.load(Relaxed)
    }

    /// Takes parts of the nodes until there are none.
    fn each_part(&self, phase: usize, mut visit: impl FnMut(usize, Range<usize>)) {
        loop {
            let place = self.taken.of(phase)[0].fetch_add(1, Relaxed) as usize;
            let Some(part) = self.parts.get(place) else { return };
            visit(place, part.clone());
        }
    }

    fn rank(&self, node: u32) -> (u32, u32) {
        (self.csr.degree(node), node)
    }

    /// The edges of a node that lead to nodes of higher rank, or of lower rank, each once.
    fn edges(&self, node: u32, higher: bool) -> impl Iterator<Item = usize> {
        let (own, columns, row) = (self.rank(node), self.csr.columns(), self.csr.row(node));
        let begin = row.start;
        row.filter(move |&edge| {
            let other = columns[edge];
            (self.rank(other) > own) == higher && other != node && (edge == begin || columns[edge - 1] != other)
        })
    }

    /// Writes the kept edges.
    fn orient(&self, member: Member, phase: &mut usize) {
        self.each_part(*phase, |place, part| {
            let count: usize = part.map(|node| self.edges(node as u32, true).count()).sum();
            self.sums[place].store(count as u64, Relaxed);
        });
        self.taken.end(member, phase);
        let (mut next, mut before) = (0, 0);
        self.each_part(*phase, |place, part| {
            before += self.sums[next..place].iter().map(|sum| sum.load(Relaxed) as usize).sum::<usize>();
            next = place;
            let mut edges = before;
            for node in part {
                self.kept.offsets[node].store(edges as u32, Relaxed);
                for edge in self.edges(node as u32, true) {
                    self.kept.targets[edges].store(self.csr.columns()[edge], Relaxed);
                    if let Some(mark) = self.marks.get(edge) {
                        self.kept.marks[edges].store(*mark, Relaxed);
                    }
                    edges += 1;
                }
            }
            if place + 1 == self.parts.len() {
                self.kept.offsets[self.csr.nodes() as usize].store(edges as u32, Relaxed);
            }
        });
        self.taken.end(member, phase);
    }

    fn count(&self, phase: usize) -> u64 {
        let (mut is_marked, mut total) = (vec![0u8; self.csr.nodes() as usize], 0);
        self.each_part(phase, |_, part| {
            for node in part.map(|node| node as u32) {
                let own = self.kept.targets(self.kept.row(node));
                if own.is_empty() || own.len() == self.csr.degree(node) as usize {
                    continue;
                }
                own.iter().for_each(|target| is_marked[target.load(Relaxed) as usize] = 1);
                for edge in self.edges(node, false) {
                    let list = self.kept.targets(self.kept.row(self.csr.columns()[edge]));
                    total += list.iter().map(|target| u64::from(is_marked[target.load(Relaxed) as usize])).sum::<u64>();
                }
                own.iter().for_each(|target| is_marked[target.load(Relaxed) as usize] = 0);
            }
        });
        total
    }

    /// Counts also the triangles of each node: see `add_triangle` of the kernels.
    fn count_nodes(&self, member: Member, mut phase: usize) -> u64 {
        let clear = |node: usize| self.counts[2 * node..2 * node + 2].iter().for_each(|word| word.store(0, Relaxed));
        self.each_part(phase, |_, part| part.for_each(clear));
        self.taken.end(member, &mut phase);
        // One more than the place among the node's kept edges, and what is found for each of these.
        let (mut places, mut at_ends, mut total) = (vec![0u32; self.csr.nodes() as usize], Vec::<u64>::new(), 0);
        let mark = |edge: usize| self.kept.marks.get(edge).map_or(1, |mark| u64::from(mark.load(Relaxed)));
        self.each_part(phase, |_, part| {
            for node in part.map(|node| node as u32) {
                let row = self.kept.row(node);
                let own = self.kept.targets(row.clone());
                at_ends.clear();
                at_ends.resize(own.len(), 0);
                (1..).zip(own).for_each(|(place, target)| places[target.load(Relaxed) as usize] = place);
                let mut at_node = 0;
                for edge in self.edges(node, false) {
                    let (lower, mut at_lower) = (self.csr.columns()[edge], 0);
                    let between = self.marks.get(edge).map_or(1, |mark| u64::from(*mark));
                    for place in self.kept.row(lower) {
                        let end = places[self.kept.targets[place].load(Relaxed) as usize] as usize;
                        if end > 0 {
                            total += 1;
                            at_node += mark(place);
                            at_lower += mark(row.start + end - 1);
                            at_ends[end - 1] += between;
                        }
                    }
                    self.add(lower, at_lower);
                }
                self.add(node, at_node);
                for (target, count) in own.iter().map(|target| target.load(Relaxed)).zip(&at_ends) {
                    self.add(target, *count);
                    places[target as usize] = 0;
                }
            }
        });
        total
    }

    /// Adds to a node's count, which has two words.
    fn add(&self, node: u32, count: u64) {
        let (low, mut high) = (count as u32, (count >> 32) as u32);
        if count == 0 {
            return;
        }
        let [low_word, high_word] = [0, 1].map(|word| &self.counts[2 * node as usize + word]);
        high += u32::from(low_word.fetch_add(low, Relaxed).checked_add(low).is_none());
        if high > 0 {
            high_word.fetch_add(high, Relaxed);
        }
    }
}

/// The triangles of which a node has the highest number, in rows that begin at offsets.
fn merged((offsets, columns): (OffsetsView<'_>, &[u32]), node: u32) -> u64 {
    let begin = |node: u32| offsets.at(node as usize);
    let row_of = |node: u32| &columns[begin(node)..begin(node + 1)];
    let (row, mut total, mut last) = (row_of(node), 0, u32::MAX);
    for (place, &other) in row.iter().enumerate() {
        if other >= node {
            break;
        }
        if let Some(&ahead) = row.get(place + AHEAD) {
            prefetch(columns, begin(ahead));
        }
        if other != last {
            total += common_below(row, row_of(other), other);
        }
        last = other;
    }
    total
}

/// How many numbers below `bound`, which is in the first list, two sorted lists have in common; several that are alike count once.
fn common_below(a: &[u32], b: &[u32], bound: u32) -> u64 {
    let (mut place, mut count, mut last) = (0, 0, u32::MAX);
    for &number in b {
        if number >= bound {
            break;
        }
        // It ends at the bound at the latest.
        while a[place] < number {
            place += 1;
        }
        count += u64::from(a[place] == number && number != last);
        last = number;
    }
    count
}

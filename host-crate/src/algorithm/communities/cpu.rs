//! Label propagation on the CPU device: threads take parts of as many edges, and count the labels around a node in a small table. Where most
//! neighbours have one label, which is soon the rule, a vote finds it without counting the others.

use super::{super::prelude::*, LabelInputs};
use crate::{
    device::{Member, Team},
    engine::native::{RoundCounters, even_parts, part_of, record_native},
};
use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Parts for each thread: enough that all end at about the same time.
const PARTS: usize = 64;

/// Records all iterations as one step.
pub(super) fn record(
    device: &Device,
    inputs: &LabelInputs,
    labels: &[Buffer<u32>; 2],
    marks: &[Buffer<u32>; 2],
) -> Result<DeviceLoop> {
    let inputs = inputs.clone();
    let [even, odd] = labels;
    let buffers = [even, odd, &marks[0], &marks[1]];
    record_native(device, "communities", "communities_cpu", buffers, move |team, [even, odd, marks, next_marks]| {
        let parts = even_parts(&inputs.csr, team.threads() * PARTS);
        let propagation = Propagation {
            inputs: &inputs,
            labels: [even, odd],
            marks: [marks, next_marks],
            parts,
            rounds: RoundCounters::new(0),
        };
        (propagation.run(team), 0)
    })
}

/// A propagation that runs: what its members share.
struct Propagation<'a> {
    inputs: &'a LabelInputs,
    /// The labels before an iteration and after it, which iterations use alternately.
    labels: [&'a [AtomicU32]; 2],
    /// Not 0 for a node with a neighbour that the last iteration changed, and the same for the next iteration: iterations use them alternately.
    marks: [&'a [AtomicU32]; 2],
    parts: Vec<Range<usize>>,
    /// Parts that have been taken, and edges of the nodes that were changed.
    rounds: RoundCounters<2>,
}

/// What one iteration knows.
struct Iteration<'a> {
    labels: &'a [AtomicU32],
    next: &'a [AtomicU32],
    marks: &'a [AtomicU32],
    next_marks: &'a [AtomicU32],
    /// Nodes without a mark keep their label.
    selective: bool,
    /// The neighbours of nodes that change get a mark.
    marking: bool,
    /// Every neighbour has a label of its own, and the first the smallest.
    distinct: bool,
}

impl Propagation<'_> {
    fn run(&self, team: &mut Team) -> u32 {
        let iterations = AtomicU32::new(0);
        team.run(|member| iterations.store(self.take_part(member), Relaxed));
        iterations.into_inner()
    }

    fn take_part(&self, member: Member) -> u32 {
        let (mut phase, mut counter) = (0, Counter::default());
        for node in part_of(member, self.labels[0].len()) {
            self.labels[0][node].store(node as u32, Relaxed);
            self.marks.iter().for_each(|marks| marks[node].store(0, Relaxed));
        }
        self.rounds.end(member, &mut phase);
        let (mut selective, mut marking) = (false, self.inputs.csr.edges() < u64::from(self.inputs.mark_below));
        for number in 0..self.inputs.limit {
            let [now, next] = [number as usize % 2, (number as usize + 1) % 2];
            let iteration = Iteration {
                labels: self.labels[now],
                next: self.labels[next],
                marks: self.marks[now],
                next_marks: self.marks[next],
                selective,
                marking,
                distinct: self.inputs.distinct && number == 0,
            };
            let numbers = self.rounds.of(phase);
            loop {
                let place = numbers[0].fetch_add(1, Relaxed) as usize;
                let Some(part) = self.parts.get(place) else { break };
                let changed: u64 = part.clone().map(|node| self.step(&iteration, node as u32, &mut counter)).sum();
                numbers[1].fetch_add(changed, Relaxed);
            }
            let [_, changed] = self.rounds.end(member, &mut phase);
            if changed == 0 {
                return number + 1;
            }
            (selective, marking) = (marking, changed < u64::from(self.inputs.mark_below));
        }
        self.inputs.limit
    }

    /// Gives a node its next label; returns the number of its edges if that is another.
    #[inline]
    fn step(&self, iteration: &Iteration<'_>, node: u32, counter: &mut Counter) -> u64 {
        let place = node as usize;
        let before = iteration.labels[place].load(Relaxed);
        let neighbours = self.inputs.csr.neighbours(node);
        let is_kept = iteration.selective && iteration.marks[place].load(Relaxed) == 0;
        if iteration.selective && !is_kept {
            iteration.marks[place].store(0, Relaxed);
        }
        let label = match neighbours {
            _ if is_kept => before,
            [] => before,
            [first, ..] if iteration.distinct => *first,
            _ => counter.most(neighbours, iteration.labels),
        };
        iteration.next[place].store(label, Relaxed);
        if label == before {
            return 0;
        }
        if iteration.marking {
            neighbours.iter().for_each(|neighbour| iteration.next_marks[*neighbour as usize].store(1, Relaxed));
        }
        neighbours.len() as u64
    }
}

/// The memory in which a thread counts labels.
#[derive(Default)]
struct Counter {
    around: Vec<u32>,
    /// A label and how often it occurs; 0 where there is none.
    table: Vec<(u32, u32)>,
}

impl Counter {
    /// The label that most neighbours have, of several the smallest. There is a neighbour.
    fn most(&mut self, neighbours: &[u32], labels: &[AtomicU32]) -> u32 {
        self.around.clear();
        self.around.extend(neighbours.iter().map(|neighbour| labels[*neighbour as usize].load(Relaxed)));
        match self.around[..] {
            [only] => return only,
            [a, b] => return a.min(b),
            _ => {}
        }
        // If more than half have one label, it outlives this vote (Boyer and Moore).
        let (mut label, mut lead) = (self.around[0], 0u32);
        for &other in &self.around {
            if lead == 0 {
                label = other;
            }
            if other == label { lead += 1 } else { lead -= 1 }
        }
        if lead > 0 && 2 * self.around.iter().filter(|other| **other == label).count() > self.around.len() {
            return label;
        }
        self.count()
    }

    #[inline(never)]
    fn count(&mut self) -> u32 {
        let slots = (2 * self.around.len()).next_power_of_two();
        if self.table.len() < slots {
            self.table.resize(slots, (0, 0));
        }
        let (table, mask, shift) =
            (&mut self.table[..slots], slots - 1, u32::BITS.saturating_sub(slots.trailing_zeros()));
        table.fill((0, 0));
        let mut best = (0, u32::MAX);
        for &label in &self.around {
            let mut slot = (label.wrapping_mul(0x9e37_79b1) >> shift) as usize;
            while table[slot].1 > 0 && table[slot].0 != label {
                slot = (slot + 1) & mask;
            }
            let count = table[slot].1 + 1;
            table[slot] = (label, count);
            if count > best.0 || (count == best.0 && label < best.1) {
                best = (count, label);
            }
        }
        best.1
    }
}

//! `independent` on the CPU device: the same colours as the kernels give, without their rounds. A thread colours a node as soon as the last
//! neighbour of higher rank has its colour, and goes on with the nodes that waited for this one.

use super::{
    super::prelude::*,
    ColorInputs,
    independent::{labels, rank},
};
use crate::{
    device::{Member, Team},
    engine::native::{Parts, RoundCounters, even_parts, record_native},
};
use evenkeel_kernels::algorithm::color::{UNCOLORED, independent::Labels};
use std::{
    mem,
    ops::Range,
    sync::atomic::{
        AtomicU32,
        Ordering::{AcqRel, Relaxed},
    },
};

/// Parts of the nodes for each thread: enough that all end at about the same time.
const PARTS: usize = 16;

/// The most nodes that a thread keeps to itself; more are shared with all.
const OWN: usize = 1000;

/// Records the colouring as one step. `waits` is a word for each node.
pub(super) fn record(inputs: &ColorInputs<'_>, name: &str, waits: &Buffer<u32>) -> Result<DeviceLoop> {
    let &ColorInputs { device, csr, colors, seed, .. } = inputs;
    let labels = labels(csr, seed);
    let csr = csr.without_weights();
    record_native(device, name, "color_independent_cpu", [colors, waits], move |team, [colors, waits]| {
        let parts = even_parts(&csr, team.threads() * PARTS);
        let ready = Parts::new(team.threads());
        let coloring = Coloring { csr: &csr, labels, colors, waits, parts, ready, rounds: RoundCounters::new(0) };
        (coloring.run(team), 0)
    })
}

/// A colouring that runs: what its members share.
struct Coloring<'a> {
    csr: &'a Csr,
    labels: Labels,
    colors: &'a [AtomicU32],
    /// For how many edges each node waits.
    waits: &'a [AtomicU32],
    parts: Vec<Range<usize>>,
    /// Nodes that wait for none.
    ready: Parts,
    /// Parts that have been taken, and nodes that are ready.
    rounds: RoundCounters<2>,
}

impl Coloring<'_> {
    fn run(&self, team: &mut Team) -> u32 {
        let rounds = AtomicU32::new(0);
        team.run(|member| rounds.store(self.take_part(member), Relaxed));
        rounds.into_inner()
    }

    fn take_part(&self, member: Member) -> u32 {
        let (mut ready, mut own, mut marks) = (Vec::new(), Vec::new(), Marks::default());
        let (mut phase, mut rounds) = (0, 0);
        loop {
            let place = self.rounds.of(phase)[0].fetch_add(1, Relaxed) as usize;
            let Some(part) = self.parts.get(place) else { break };
            part.clone().for_each(|node| self.wait(node as u32, &mut ready));
        }
        loop {
            self.rounds.of(phase)[1].fetch_add(ready.len() as u64, Relaxed);
            // SAFETY: the list was shared before the last barrier, and the phase ends with one.
            unsafe { self.ready.publish(member, &mut ready) };
            if self.rounds.end(member, &mut phase)[1] == 0 {
                return rounds;
            }
            rounds += 1;
            let color = |nodes: &[u32]| nodes.iter().for_each(|node| self.color(*node, &mut marks, &mut ready));
            // SAFETY: the list was published before the last barrier, and is not again before the next.
            unsafe { self.ready.share(color) };
            while (1..OWN).contains(&ready.len()) {
                mem::swap(&mut own, &mut ready);
                own.drain(..).for_each(|node| self.color(node, &mut marks, &mut ready));
            }
            // All have taken from the list before anybody writes it.
            member.barrier();
        }
    }

    /// Counts the edges to neighbours of higher rank, as the kernels rank them.
    fn wait(&self, node: u32, ready: &mut Vec<u32>) {
        let rank = |node: u32| rank(self.csr, self.labels, node);
        let own = rank(node);
        let waits = self.csr.neighbours(node).iter().filter(|neighbour| rank(**neighbour) < own).count();
        self.colors[node as usize].store(UNCOLORED, Relaxed);
        self.waits[node as usize].store(waits as u32, Relaxed);
        if waits == 0 {
            ready.push(node);
        }
    }

    /// Gives a node the smallest colour that none of its neighbours has, and releases those without one: they wait for it.
    fn color(&self, node: u32, marks: &mut Marks, ready: &mut Vec<u32>) {
        let neighbours = self.csr.neighbours(node);
        for &neighbour in neighbours {
            marks.add(self.colors[neighbour as usize].load(Relaxed), node);
        }
        self.colors[node as usize].store(marks.smallest_free(node), Relaxed);
        for &neighbour in neighbours {
            if self.colors[neighbour as usize].load(Relaxed) == UNCOLORED
                && self.waits[neighbour as usize].fetch_sub(1, AcqRel) == 1
            {
                ready.push(neighbour);
            }
        }
    }
}

/// Marks the colours around a node: each has the node that marked it last, so that nothing needs to be cleared.
#[derive(Default)]
struct Marks(Vec<u32>);

impl Marks {
    fn add(&mut self, color: u32, node: u32) {
        if color == UNCOLORED {
            return;
        }
        let place = color as usize;
        if place >= self.0.len() {
            // No node of this number has edges, or marks.
            self.0.resize(2 * place + 1, u32::MAX);
        }
        self.0[place] = node;
    }

    fn smallest_free(&self, node: u32) -> u32 {
        self.0.iter().position(|mark| *mark != node).unwrap_or(self.0.len()) as u32
    }
}

//! Afforest on the CPU device: the same steps as the kernels', with parts of the nodes that threads take as they come.

use super::{super::prelude::*, ComponentInputs};
use crate::{
    device::{Member, Team},
    engine::native::{RoundCounters, even_parts, record_native},
};
use std::{
    collections::HashMap,
    ops::Range,
    sync::atomic::{
        AtomicBool, AtomicU32,
        Ordering::{Relaxed, Release},
    },
};

/// Parts of the nodes for each thread: enough that all end at about the same time, and few, for two that meet write to the same trees.
const PARTS: usize = 8;

/// How many nodes are asked for their component to find the largest.
const SAMPLES: usize = 1024;

/// In place of the largest component where none may be skipped.
const NO_GIANT: u32 = u32::MAX;

/// Records it as one step.
pub(super) fn record(inputs: &ComponentInputs<'_>, name: &str) -> Result<DeviceLoop> {
    let &ComponentInputs { device, csr, labels, .. } = inputs;
    let (csr, symmetric) = (csr.without_weights(), csr.is_symmetric());
    record_native(device, name, "components_cpu", [labels], move |team, [parents]| {
        let parts = even_parts(&csr, team.threads() * PARTS);
        let forest = Forest {
            csr: &csr,
            symmetric,
            parents,
            parts,
            giant: AtomicU32::new(NO_GIANT),
            hooked: AtomicBool::new(false),
        };
        forest.run(team);
        (1, 0)
    })
}

/// A forest that grows: what its members share.
struct Forest<'a> {
    csr: &'a Csr,
    symmetric: bool,
    parents: &'a [AtomicU32],
    parts: Vec<Range<usize>>,
    giant: AtomicU32,
    /// Whether a tree was joined to another after all were compressed.
    hooked: AtomicBool,
}

impl Forest<'_> {
    fn run(&self, team: &mut Team) {
        let taken = RoundCounters::<1>::new(0);
        team.run(|member| {
            let mut phase = 0;
            let mut each = |member: Member<'_>, visit: &dyn Fn(Range<usize>)| {
                loop {
                    let place = taken.of(phase)[0].fetch_add(1, Relaxed) as usize;
                    let Some(part) = self.parts.get(place) else { break };
                    visit(part.clone());
                }
                taken.end(member, &mut phase);
            };
            each(member, &|part| part.for_each(|node| self.begin(node)));
            each(member, &|part| part.for_each(|node| self.link_some(node)));
            each(member, &|part| part.for_each(|node| self.compress(node)));
            if self.symmetric && member.index == 0 {
                self.giant.store(self.sample(), Release);
            }
            member.barrier();
            let giant = self.giant.load(Relaxed);
            each(member, &|part| {
                let mut hooked = false;
                part.for_each(|node| hooked |= self.link_all(node, giant));
                if hooked {
                    self.hooked.store(true, Relaxed);
                }
            });
            if self.hooked.load(Relaxed) {
                each(member, &|part| part.for_each(|node| self.compress(node)));
            }
        });
    }

    fn parent(&self, node: u32) -> u32 {
        self.parents[node as usize].load(Relaxed)
    }

    /// Gives a node its first parent: of its two smallest neighbours the larger that is smaller than itself.
    fn begin(&self, node: usize) {
        let row = self.csr.neighbours(node as u32);
        let smaller = row.iter().take(2).rev().find(|neighbour| (**neighbour as usize) < node);
        self.parents[node].store(smaller.map_or(node as u32, |neighbour| *neighbour), Relaxed);
    }

    fn link_some(&self, node: usize) {
        for neighbour in self.csr.neighbours(node as u32).iter().take(2) {
            self.link(node as u32, *neighbour);
        }
    }

    /// Links all edges of a node outside the largest component. Returns whether a tree was joined to another.
    fn link_all(&self, node: usize, giant: u32) -> bool {
        let mut hooked = false;
        if self.parent(node as u32) != giant {
            for neighbour in self.csr.neighbours(node as u32) {
                hooked |= self.link(node as u32, *neighbour);
            }
        }
        hooked
    }

    /// Makes the root of a node's tree its parent.
    fn compress(&self, node: usize) {
        let (parent, mut root) = (self.parent(node as u32), self.parent(node as u32));
        loop {
            let above = self.parent(root);
            if above == root {
                break;
            }
            root = above;
        }
        if root != parent {
            self.parents[node].store(root, Relaxed);
        }
    }

    /// Joins the trees of two nodes as the kernels do. Returns whether this has hooked one under the other.
    fn link(&self, one: u32, other: u32) -> bool {
        let (mut one, mut other) = (self.parent(one), self.parent(other));
        while one != other {
            let (low, high) = (one.min(other), one.max(other));
            let mut parent = self.parent(high);
            if parent == high {
                match self.parents[high as usize].compare_exchange(high, low, Relaxed, Relaxed) {
                    Ok(_) => return true,
                    Err(above) => parent = above,
                }
            }
            (one, other) = (self.parent(parent), low);
            // An ancestor, whoever else writes one: the way is shorter for those who come after.
            self.parents[high as usize].store(one, Relaxed);
        }
        false
    }

    /// The component that most of the sampled nodes are in.
    fn sample(&self) -> u32 {
        let mut counts = HashMap::<u32, u32>::new();
        let nodes = self.parents.len();
        for sample in 0..SAMPLES.min(nodes) {
            *counts.entry(self.parent((sample * nodes / SAMPLES.min(nodes)) as u32)).or_default() += 1;
        }
        counts.into_iter().max_by_key(|(root, count)| (*count, *root)).map_or(NO_GIANT, |(root, _)| root)
    }
}

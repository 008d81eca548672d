//! Spanning forests on the CPU device: Kruskal's algorithm with a filter (Osipov, Sanders and Singler 2009). Threads collect and sort light
//! edges, one joins trees along them in their order; then the same with the heavy edges whose ends are still in different trees.

use super::{super::prelude::*, ForestInputs, is_symmetric};
use crate::{
    device::Team,
    engine::native::{RoundCounters, even_parts, record_native},
};
use evenkeel_kernels::algorithm::mst::{NONE, key};
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    ops::Range,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

/// Parts of the nodes for each thread: enough that all end at about the same time.
const PARTS: usize = 64;

/// An edge in the order of edges: its key and its place; and its source.
type Edge = (u64, u32);

/// Records it as one step.
pub(super) fn record(inputs: &ForestInputs<'_>, name: &str) -> Result<DeviceLoop> {
    let &ForestInputs { device, csr, forest, threshold } = inputs;
    let (csr, symmetric) = (csr.clone(), is_symmetric(csr));
    let parents = device.buffer("parents", csr.nodes() as usize)?;
    // An upper bound: light and heavy edges are not collected at the same time.
    device.count::<Edge>("edges", if symmetric { csr.columns().len() / 2 } else { csr.columns().len() });
    record_native(device, name, "mst_cpu", [forest, &parents], move |team, [forest, parents]| {
        (0..).zip(parents).for_each(|(node, parent): (u32, _)| parent.store(node, Relaxed));
        forest.iter().for_each(|word| word.store(0, Relaxed));
        let growing =
            Growing { csr: &csr, symmetric, threshold, parents, parts: even_parts(&csr, team.threads() * PARTS) };
        let light = growing.collect(team, false);
        growing.join(light, forest);
        if threshold < NONE {
            let heavy = growing.collect(team, true);
            growing.join(heavy, forest);
        }
        (1, 0)
    })
}

/// A forest that grows.
struct Growing<'a> {
    csr: &'a Csr,
    symmetric: bool,
    threshold: u32,
    parents: &'a [AtomicU32],
    parts: Vec<Range<usize>>,
}

impl Growing<'_> {
    /// The light edges, or the heavy ones between different trees: a sorted list for each thread.
    fn collect(&self, team: &mut Team, heavy: bool) -> Vec<Vec<Edge>> {
        let lists: Vec<Mutex<Vec<Edge>>> = (0..team.threads()).map(|_| Mutex::default()).collect();
        let taken = RoundCounters::<1>::new(0);
        team.run(|member| {
            let mut edges = Vec::new();
            loop {
                let place = taken.of(0)[0].fetch_add(1, Relaxed) as usize;
                let Some(part) = self.parts.get(place) else { break };
                part.clone().for_each(|node| self.add(node as u32, heavy, &mut edges));
            }
            edges.sort_unstable();
            *lists[member.index].lock().unwrap_or_else(PoisonError::into_inner) = edges;
        });
        lists.into_iter().map(|list| list.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }

    fn add(&self, node: u32, heavy: bool, edges: &mut Vec<Edge>) {
        for place in self.csr.row(node) {
            let target = self.csr.columns()[place];
            let weight = match self.csr.weights() {
                Weights::None => 1,
                Weights::U32(weights) => weights[place],
                Weights::F32(weights) => key(weights[place].to_bits(), 1),
            };
            let counts = if self.symmetric { node < target } else { node != target };
            if counts && (weight > self.threshold) == heavy && (!heavy || self.root(node) != self.root(target)) {
                edges.push(((u64::from(weight) << 32) | place as u64, node));
            }
        }
    }

    fn root(&self, mut node: u32) -> u32 {
        loop {
            let parent = self.parents[node as usize].load(Relaxed);
            if parent == node {
                return node;
            }
            // Of several threads that shorten the path each writes an ancestor.
            let above = self.parents[parent as usize].load(Relaxed);
            self.parents[node as usize].store(above, Relaxed);
            node = above;
        }
    }

    /// Joins trees along edges in their order, which are sorted in each list, and sets the bits of those that join any.
    fn join(&self, lists: Vec<Vec<Edge>>, forest: &[AtomicU32]) {
        let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
        let next = |list: usize, edges: &mut std::vec::IntoIter<Edge>| edges.next().map(|edge| Reverse((edge, list)));
        let mut heads: BinaryHeap<_> =
            lists.iter_mut().enumerate().filter_map(|(list, edges)| next(list, edges)).collect();
        while let Some(mut head) = heads.peek_mut() {
            let Reverse(((order, source), list)) = *head;
            match next(list, &mut lists[list]) {
                Some(after) => *head = after,
                None => drop(std::collections::binary_heap::PeekMut::pop(head)),
            }
            let (one, other) = (self.root(source), self.root(self.csr.columns()[order as u32 as usize]));
            if one != other {
                self.parents[one.max(other) as usize].store(one.min(other), Relaxed);
                let place = order as u32;
                forest[(place / 32) as usize].fetch_or(1 << (place % 32), Relaxed);
            }
        }
    }
}

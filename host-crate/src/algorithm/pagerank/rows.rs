//! PageRank of some rows of a graph on the CPU, for workers that each have a part of it.

use super::{
    PageRankConfig,
    cpu::{Number, PARTS, Sums, Walk, sums, total},
};
use crate::{
    device::{Member, Team},
    engine::native::even_parts,
    graph::Csr,
};
use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The ranks of the nodes of some rows, while others have the rest: between two iterations they exchange what nodes hand out.
pub(crate) struct RowRanks<'a, T: Number> {
    config: &'a PageRankConfig,
    leaving: &'a Csr,
    incoming: Csr,
    /// The first of these rows.
    first: usize,
    ranks: Vec<T::Cell>,
    teleports: Vec<T::Cell>,
    shares: [Vec<T::Cell>; 2],
    parts: Vec<Range<usize>>,
    dangling: Sums,
    changes: Sums,
    iteration: usize,
    team: Team,
}

impl<'a, T: Number> RowRanks<'a, T> {
    /// Makes everything ready. Both graphs have all nodes: `leaving` has the edges that leave the nodes of these rows, and `incoming` those
    /// that lead to them.
    pub(crate) fn new(leaving: &'a Csr, incoming: Csr, rows: Range<u32>, config: &'a PageRankConfig) -> Self {
        let (team, rows) = (Team::new(rayon::current_num_threads()), rows.start as usize..rows.end as usize);
        let within = |part: Range<usize>| part.start.max(rows.start)..part.end.min(rows.end);
        let parts = even_parts(&incoming, team.threads() * PARTS).into_iter().map(within);
        let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
        let cells = |count: usize| (0..count).map(|_| T::default().cell()).collect::<Vec<_>>();
        let nodes = leaving.nodes() as usize;
        Self {
            config,
            leaving,
            first: rows.start,
            ranks: cells(rows.len()),
            teleports: cells(rows.len()),
            shares: [(); 2].map(|()| cells(nodes.next_power_of_two())),
            dangling: sums(&parts),
            changes: sums(&parts),
            parts,
            incoming,
            iteration: 0,
            team,
        }
    }

    /// Calls something with the walk and each member of the team.
    fn on_team(&mut self, work: impl Fn(&Walk<'_, T>, Member) + Sync) {
        let walk = Walk {
            symmetric: false,
            leaving: self.leaving.offsets(),
            incoming: &self.incoming,
            config: self.config,
            first: self.first,
            ranks: &self.ranks,
            teleports: Some(&self.teleports),
            shares: self.shares.each_ref().map(|shares| &shares[..]),
            parts: &self.parts,
            dangling: &self.dangling,
            changes: &self.changes,
        };
        self.team.run(|member| work(&walk, member));
    }

    /// Begins at these ranks, which are also the nodes' parts in what does not follow an edge.
    pub(crate) fn begin(&mut self, parts: &[f64]) {
        self.teleports.iter().zip(parts).for_each(|(cell, part)| T::of(*part).store(cell));
        self.iteration = 0;
        self.on_team(|walk, member| walk.start(member));
    }

    /// The rank of all nodes of these rows that no edge leaves.
    pub(crate) fn dangling(&self) -> f64 {
        total(&self.dangling[self.iteration % 2])
    }

    /// What a node hands out along each of its edges.
    pub(crate) fn share(&self, node: u32) -> f64 {
        T::load(&self.shares[self.iteration % 2][node as usize]).into()
    }

    /// Takes what a node of other rows hands out along each of its edges.
    pub(crate) fn set_share(&mut self, node: u32, share: f64) {
        T::of(share).store(&self.shares[self.iteration % 2][node as usize]);
    }

    /// Goes on to the next ranks, where all dangling nodes of the graph have the rank `stuck` together. Returns by how much those of these rows
    /// changed.
    pub(crate) fn iterate(&mut self, stuck: f64) -> f64 {
        self.iteration += 1;
        let (iteration, taken) = (self.iteration, AtomicUsize::new(0));
        self.on_team(|walk, _| walk.iteration::<true, true>(iteration, stuck, || taken.fetch_add(1, Relaxed)));
        total(&self.changes[iteration % 2])
    }

    /// The ranks of these rows.
    pub(crate) fn ranks(&self) -> Vec<f64> {
        self.ranks.iter().map(|rank| T::load(rank).into()).collect()
    }
}

//! Level after level in one dispatch, while they have few nodes and every row is short. What a level reads beside the values of the one before
//! is loaded a level ahead, so that a level takes one access to memory and one barrier.

use super::data::{Bounds, LevelPass, PathParams, PathState, Paths};
use super::level::{NONE, Walk, size_next};
use super::order::MANY;
use super::scaled::Scaled;
use crate::memory::UVec4;
use crate::prelude::*;
use crate::rounds::{Cooperating, Round, Rounds, Team, Workgroup, join, run_rounds};
use core::marker::PhantomData;

/// More nodes than any team takes.
const TOO_MANY: u32 = u32::MAX;

/// The nodes of a level; [`TOO_MANY`] where rows are not short, and none where the pass is over.
#[derive(Clone, Copy)]
struct Extent {
    begin: u32,
    count: u32,
}

/// What is known before a level.
#[derive(Clone, Copy)]
struct Level {
    level: u32,
    extent: Extent,
    /// The extent of the level after it.
    next: Extent,
    /// The links of the first position that this invocation takes.
    links: UVec4,
}

/// A pass that takes many levels, as one invocation sees it.
struct Chain<'a, P> {
    walk: Walk<'a>,
    links: Read<'a, UVec4>,
    state: State<'a, PathState>,
    pass: PhantomData<P>,
}

#[inline_all]
impl<P: LevelPass> Chain<'_, P> {
    fn extent(&self, level: u32) -> Extent {
        let bounds = Bounds::of(self.walk.paths.ends, level);
        let count = if bounds.medium == bounds.end { bounds.count() } else { TOO_MANY };
        Extent { begin: bounds.short, count: if P::is_over(level, bounds.count()) { 0 } else { count } }
    }

    /// What comes after a level; nothing after the end of a pass.
    fn extent_after(&self, level: u32, extent: Extent) -> Extent {
        if extent.count == 0 { extent } else { self.extent(P::next(level)) }
    }

    /// The links of the first position of a level that this invocation takes.
    fn first_links<T: Team<PathState>>(&self, team: &T, extent: Extent) -> UVec4 {
        let mut links = UVec4::ZERO;
        if team.takes(extent.count)
            && let Some(entry) = team.entries(extent.count).next()
        {
            links = self.links.get(extent.begin + entry);
        }
        links
    }

    fn first_level<T: Team<PathState>>(&self, team: &T, level: u32) -> Level {
        let extent = self.extent(level);
        let next = self.extent_after(level, extent);
        Level { level, extent, next, links: self.first_links(team, extent) }
    }

    /// The sum of the values that links lead to.
    fn sum(&self, level: u32, position: u32, links: UVec4) -> Scaled {
        if links.x == MANY {
            let other = Bounds::of(self.walk.paths.ends, P::other(level));
            let (edge, end) = self.walk.row(position);
            return self.walk.sum::<true>(other, edge, end, 0, 1);
        }
        let present = |position: u32| u32::from(position != NONE);
        let count = present(links.x) + present(links.y) + present(links.z) + present(links.w);
        self.walk.lane.count_atoms(count);
        let (a, b) = (self.walk.value::<true>(links.x), self.walk.value::<true>(links.y));
        let (c, d) = (self.walk.value::<true>(links.z), self.walk.value::<true>(links.w));
        a.plus(b).plus(c.plus(d))
    }
}

#[inline_all]
impl<P: LevelPass, T: Team<PathState>> Round<PathState, T> for Chain<'_, P> {
    type Known = Level;
    type Memory = ();

    fn entries(level: Level) -> u32 {
        level.extent.count
    }

    fn clear(&mut self, _: &mut T, _: u32) {}

    fn run(&mut self, team: &mut T, _: &mut (), _: u32, level: Level) -> u32 {
        let mut links = level.links;
        let mut is_first = true;
        for entry in team.entries(level.extent.count) {
            let position = level.extent.begin + entry;
            if !is_first {
                links = self.links.get(position);
            }
            is_first = false;
            let sum = self.sum(level.level, position, links);
            self.walk.store::<P, true>(position, sum);
        }
        0
    }

    fn after(&mut self, team: &mut T, round: u32, known: Level) -> Level {
        // In flight while the team meets.
        let (level, extent) = (P::next(known.level), known.next);
        let next = self.extent_after(level, extent);
        let links = self.first_links(team, extent);
        team.finish_round(&mut self.state, round);
        Level { level, extent, next, links }
    }
}

/// As many levels as there are before one has too many nodes, by one workgroup.
#[kernel(threads = 1024, counts, each(P in for_each_pass))]
pub fn path_persistent<P: LevelPass>(
    lane: Lane,
    params: &PathParams,
    graph: Csr,
    paths: Paths,
    links: Read<UVec4>,
    state: State<PathState>,
    entries: Shared<u32, 2>,
    counts: Shared<u32, 3>,
) {
    let level = state.load(PathState::LEVEL);
    // The values are not the team's lists, which have no entries.
    let mut team = Workgroup::new(lane, entries, counts, &paths.values, (0, 0), 0, true);
    let walk = Walk { lane, graph, paths };
    let mut chain = Chain::<P> { walk, links, state, pass: PhantomData };
    let first = chain.first_level(&team, level);
    let Rounds { known, count, .. } = run_rounds(&mut team, &mut chain, &mut (), first, params.loop_limit);
    lane.barrier_with_buffers();
    if lane.local == 0 {
        chain.state.add(PathState::ITERATION, count);
        size_next::<P>(lane, params, &mut chain.state, chain.walk.paths.ends, known.level);
    }
}

/// As many levels as there are before one has too many nodes, or few, by a few workgroups.
#[kernel(threads = 256, counts, each(P in for_each_pass))]
pub fn path_cooperating<P: LevelPass>(
    lane: Lane,
    params: &PathParams,
    graph: Csr,
    paths: Paths,
    links: Read<UVec4>,
    mut state: State<PathState>,
    membership: Shared<u32, 2>,
) {
    let level = state.load(PathState::LEVEL);
    let mut team = join(lane, &mut state, membership, (0, 0), (params.short, params.medium));
    let walk = Walk { lane, graph, paths };
    let mut chain = Chain::<P> { walk, links, state, pass: PhantomData };
    let first = chain.first_level(&team, level);
    let Rounds { known, count, .. } = run_rounds(&mut team, &mut chain, &mut (), first, params.loop_limit);
    if team.is_leader() {
        chain.state.store(PathState::LEVEL, known.level);
        chain.state.add(PathState::ITERATION, count);
    }
    if chain.state.is_last(lane) {
        Cooperating::dissolve(&mut chain.state);
        let level = chain.state.load(PathState::LEVEL);
        size_next::<P>(lane, params, &mut chain.state, chain.walk.paths.ends, level);
    }
}

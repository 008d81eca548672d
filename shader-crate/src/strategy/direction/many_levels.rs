//! Level after level in one dispatch, while the frontier is short or of medium length: on a road or a grid a dispatch for each of thousands
//! of levels costs more than the levels. Every row is short.

use super::{PUSH, Reached, Search, SearchData, SearchParams, SearchState, ends, size_next};
use crate::prelude::*;
use crate::rounds::{Cooperating, Round, Rounds, Team, Workgroup, join, run_rounds};

/// The counter of the nodes found in a level.
const FOUND: u32 = 0;

/// What is known before a level.
#[derive(Clone, Copy)]
pub(super) struct Level {
    /// The depth of its frontier.
    depth: u32,
    /// The nodes of the frontier.
    count: u32,
}

impl Search<'_> {
    /// Gives a new node its depth and writes it to the list, at `place`. Returns the next place.
    #[inline(always)]
    fn put<T: Team<SearchState>>(&mut self, team: &mut T, round: u32, depth: u32, reached: Reached, place: u32) -> u32 {
        if reached.new == 1 {
            self.depths.set(reached.node, depth);
            if reached.node == self.params.target {
                // An atomic, because the others read it at the end of the level.
                self.depths.store(reached.node, depth);
            }
            team.put(&mut self.lists.entries, round, place, reached.node);
        }
        place + reached.new
    }
}

#[inline_all]
impl<T: Team<SearchState>> Round<SearchState, T> for Search<'_> {
    type Known = Level;
    type Memory = ();

    fn entries(level: Level) -> u32 {
        level.count
    }

    fn clear(&mut self, team: &mut T, round: u32) {
        team.set_count(&mut self.state, FOUND, round, 0);
    }

    fn run(&mut self, team: &mut T, _: &mut (), round: u32, level: Level) -> u32 {
        let depth = level.depth + 1;
        for entry in team.entries(level.count) {
            let node = team.entry(&self.lists.entries, round, entry);
            let (mut edge, count) = self.row(node);
            let end = edge + count;
            while edge < end {
                let nodes = ends(self.graph.columns, edge, 1, end);
                let (a, b, c, d) = self.visit_four(nodes, end - edge);
                let new = a.new + b.new + c.new + d.new;
                if new > 0 {
                    let place = team.reserve(&mut self.state, FOUND, round, new);
                    let place = self.put(team, round, depth, a, place);
                    let place = self.put(team, round, depth, b, place);
                    let place = self.put(team, round, depth, c, place);
                    self.put(team, round, depth, d, place);
                }
                edge += 4;
            }
        }
        0
    }

    fn after(&mut self, team: &mut T, round: u32, level: Level) -> Level {
        team.finish_round(&mut self.state, round);
        let depth = level.depth + 1;
        Level { depth, count: if self.has_arrived(depth) { 0 } else { team.count(&self.state, FOUND, round) } }
    }
}

/// Writes what is known after many levels, whose frontier is on list `half`.
#[inline(always)]
fn write(state: &mut State<SearchState>, half: u32, level: Level) {
    state.store(SearchState::HALF, half);
    state.store(SearchState::FRONTIER, level.count);
    state.store(SearchState::HEAVY, 0);
    state.store(SearchState::ITERATION, level.depth);
}

/// As many levels as there are before the frontier is not short any more, by one workgroup.
#[kernel(threads = 1024)]
pub fn search_persistent(
    lane: Lane,
    params: &SearchParams,
    graph: Csr,
    data: SearchData,
    state: State<SearchState>,
    entries: Shared<u32, 4092>,
    counts: Shared<u32, 3>,
) {
    let level = Level { depth: state.load(SearchState::ITERATION), count: state.load(SearchState::FRONTIER) };
    let (half, side) = (state.load(SearchState::HALF), state.load(SearchState::SIDE));
    let mut search = Search::new(lane, params, (graph, graph, graph.columns), data, state, (side, 0));
    let lists = &search.lists.entries;
    let has_target = params.target != UNREACHED;
    let mut team = Workgroup::new(lane, entries, counts, lists, (params.nodes, half), level.count, has_target);
    search.clear(&mut team, 0);
    lane.barrier();
    let Rounds { known: level, count: rounds, .. } =
        run_rounds(&mut team, &mut search, &mut (), level, params.loop_limit);
    team.write_back(&mut search.lists.entries, rounds, level.count);
    if lane.local == 0 {
        write(&mut search.state, (half + rounds) % 2, level);
        size_next(params, &mut search.state, PUSH, level.count, 0, 0);
    }
}

/// As many levels as there are before the frontier is long, or short, by a few workgroups.
#[kernel(threads = 256)]
pub fn search_cooperating(
    lane: Lane,
    params: &SearchParams,
    graph: Csr,
    data: SearchData,
    mut state: State<SearchState>,
    membership: Shared<u32, 2>,
) {
    let level = Level { depth: state.load(SearchState::ITERATION), count: state.load(SearchState::FRONTIER) };
    let (half, side) = (state.load(SearchState::HALF), state.load(SearchState::SIDE));
    let (lists, lengths) = ((params.nodes, half), (params.short, params.medium));
    let mut team = join(lane, &mut state, membership, lists, lengths);
    let mut search = Search::new(lane, params, (graph, graph, graph.columns), data, state, (side, 0));
    let Rounds { known: level, count: rounds, .. } =
        run_rounds(&mut team, &mut search, &mut (), level, params.loop_limit);
    let state = &mut search.state;
    if team.is_leader() {
        write(state, (half + rounds) % 2, level);
    }
    if state.is_last(lane) {
        for round in 0..3 {
            state.store(SearchState::FOUND.at(round), 0);
        }
        Cooperating::dissolve(state);
        let found = state.load(SearchState::FRONTIER);
        size_next(params, state, PUSH, found, 0, 0);
    }
}

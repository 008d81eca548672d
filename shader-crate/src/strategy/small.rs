//! The whole search of a small graph in one dispatch, by one workgroup. The distances and the lists of nodes are in the workgroup's own memory,
//! where an access takes a tenth of the time that it takes in device memory; the edges of the listed nodes are shared out evenly.
//!
//! Every iteration relaxes the edges of all nodes whose distance fell in the one before (Bellman–Ford).

use crate::operator::relax::Distance;
use crate::prelude::*;
use crate::primitive::share::{line_up, shared_out};
use crate::primitive::workgroup::SUBGROUPS;
use core::marker::PhantomData;

/// The most nodes of a small graph.
pub const NODES: u32 = 1024;

/// Words that have a bit for each node.
const WORDS: u32 = NODES / 32;

/// Edges that an invocation relaxes together, so that it waits once for all of them.
const TOGETHER: u32 = 4;

/// The word of workgroup memory that is 1 when a distance was too long for 32 bits. Those before it count what is on the lists, in turn.
const TOO_FAR: u32 = 3;

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SmallParams {
    /// The number of nodes, at most [`NODES`].
    pub nodes: u32,
    /// 1 when the search begins; 0 when it goes on where the last dispatch left it.
    pub begins: u32,
    /// The loop iterations of an invocation in one dispatch; at least one iteration of the search is done.
    pub loop_limit: u32,
}

/// What a workgroup keeps in its own memory.
struct Local<'a> {
    distances: Shared<'a, u32, { NODES as usize }>,
    /// The lists of even and of odd iterations, one behind the other.
    lists: Shared<'a, u32, { 2 * NODES as usize }>,
    /// For each list a bit for each node that is on it.
    listed: Shared<'a, u32, { 2 * WORDS as usize }>,
    counts: Shared<'a, u32, 4>,
}

/// An edge that is relaxed.
#[derive(Clone, Copy)]
struct Reached {
    node: u32,
    distance: u32,
}

/// A search, as one invocation sees it.
struct Search<'a, D> {
    lane: Lane,
    graph: Csr<Views<'a>>,
    weights: Read<'a, u32>,
    distance: PhantomData<D>,
}

#[inline_all]
impl<D: Distance> Search<'_, D> {
    /// The loop iterations that a part of a list takes at most, with so many edges.
    fn cost(&self, edges: u32) -> u32 {
        // A search for the node of an edge halves the workgroup again and again.
        3 * self.lane.subgroups + 16 + edges / (TOGETHER * self.lane.threads) * 16 * TOGETHER
    }

    /// Where an edge of `node` leads.
    fn reach(&self, local: &Local, node: u32, edge: u32) -> Reached {
        let distance = local.distances.load(node);
        Reached { node: self.graph.columns.get(edge), distance: D::along(distance, D::weight(self.weights, edge)) }
    }

    /// Lowers a node's distance. It goes on the list of the next iteration then.
    fn lower(&self, local: &mut Local, iteration: u32, Reached { node, distance }: Reached) {
        if distance < local.distances.load(node) && distance < local.distances.min(node, distance) {
            let (half, bit) = ((iteration + 1) % 2, 1 << (node % 32));
            if local.listed.or(half * WORDS + node / 32, bit) & bit == 0 {
                let place = local.counts.add(iteration % 3, 1);
                local.lists.set(half * NODES + place, node);
            }
        }
        if distance == UNREACHED {
            local.counts.or(TOO_FAR, 1);
        }
    }
}

/// Searches until no distance falls.
#[kernel(threads = 256, each(D in for_each_metric))]
pub fn small<D: Distance>(
    lane: Lane,
    params: &SmallParams,
    graph: Csr,
    weights: Read<u32>,
    source: Read<u32>,
    mut distances: Global<u32>,
    mut list: Global<u32>,
    mut state: State<LoopHeader>,
    own_distances: Shared<u32, 1024>,
    lists: Shared<u32, 2048>,
    listed: Shared<u32, 64>,
    counts: Shared<u32, 4>,
    mut cells: Shared<u32, 512>,
    mut slots: Shared<u32, SUBGROUPS>,
) {
    let search = Search::<D> { lane, graph, weights, distance: PhantomData };
    let mut local = Local { distances: own_distances, lists, listed, counts };
    let begins = params.begins == 1;
    let first = source.get(0);
    let mut count = if begins { 1 } else { state.get(LoopHeader::FRONTIER) };
    for node in lane.group_stride(params.nodes) {
        let unless_source = if node == first { 0 } else { UNREACHED };
        local.distances.set(node, if begins { unless_source } else { distances.get(node) });
    }
    for entry in lane.group_stride(count) {
        local.lists.set(entry, if begins { first } else { list.get(entry) });
    }
    for word in lane.group_stride(2 * WORDS) {
        local.listed.set(word, 0);
    }
    for word in lane.group_stride(4) {
        local.counts.set(word, 0);
    }
    lane.barrier();
    let (mut iteration, mut spent) = (0, 0);
    while count > 0 && spent < params.loop_limit {
        let half = iteration % 2;
        if lane.local == 0 {
            // It was read at the end of the iteration before the last.
            local.counts.set((iteration + 1) % 3, 0);
        }
        for part in step(0, count, lane.threads) {
            let (entry, mut begin, mut edges) = (part + lane.local, 0, 0);
            if entry < count {
                let node = local.lists.get(half * NODES + entry);
                begin = graph.row_offsets.get(node);
                edges = graph.row_offsets.get(node + 1) - begin;
                local.listed.and(half * WORDS + node / 32, !(1 << (node % 32)));
            }
            let total = line_up(lane, begin, edges, &mut cells, &mut slots);
            for place in step(TOGETHER * lane.local, total, TOGETHER * lane.threads) {
                let (mut owner, _) = shared_out(lane, &cells, place);
                let mut one = Reached { node: 0, distance: 0 };
                let (mut two, mut three, mut four) = (one, one, one);
                for offset in 0..TOGETHER {
                    // The last edge again where there are no more.
                    let place = (place + offset).min(total - 1);
                    while cells.get(owner) <= place {
                        owner += 1;
                    }
                    let node = local.lists.get(half * NODES + part + owner);
                    four = three;
                    three = two;
                    two = one;
                    one = search.reach(&local, node, place.wrapping_add(cells.get(lane.threads + owner)));
                }
                search.lower(&mut local, iteration, one);
                search.lower(&mut local, iteration, two);
                search.lower(&mut local, iteration, three);
                search.lower(&mut local, iteration, four);
            }
            lane.barrier();
            spent += search.cost(total);
        }
        count = local.counts.load(iteration % 3);
        iteration += 1;
    }
    for node in lane.group_stride(params.nodes) {
        distances.set(node, local.distances.load(node));
    }
    for entry in lane.group_stride(count) {
        list.set(entry, local.lists.get(iteration % 2 * NODES + entry));
    }
    if lane.local == 0 {
        let (before, flags) =
            if begins { (0, 0) } else { (state.get(LoopHeader::ITERATION), state.get(LoopHeader::FLAGS)) };
        state.set(LoopHeader::ITERATION, before + iteration);
        state.set(LoopHeader::FRONTIER, count);
        // The host looks into it if a node stays unreached.
        state.set(LoopHeader::FLAGS, flags | local.counts.load(TOO_FAR));
    }
}

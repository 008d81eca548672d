//! Core numbers from above (Lü, Zhou, Zhang and Stanley 2016, "The H-index of a network node and its relation to degree and coreness").
//! Every node begins with its degree. An iteration lowers a node's number to the largest h for which at least h of its neighbours have a
//! number of at least h, where a neighbour's number has changed, until none changes. The number of neighbours is counted again for each
//! step of a binary search.

use crate::algorithm::color::sections::{Counts, MARKS, SectionParams, SectionState, Sections, Share};
use crate::prelude::*;
use crate::strategy::degree;

/// What is read and written beside the state. A node is looked at in an iteration if its mark is the iteration's number: the marks of
/// even and of odd iterations are apart, so that none changes while it is read.
#[derive(Bundle)]
pub struct HIndexData<S: Storage> {
    /// The numbers, which are the core numbers at the end.
    pub cores: S::Write<u32>,
    /// The marks that this iteration reads.
    pub marks: S::Read<u32>,
    /// The marks that it writes for the next.
    pub next_marks: S::Write<u32>,
}

/// Begins with the degrees. All nodes are marked for the first iteration; the host has cleared the marks of the second and the state.
#[kernel(threads = 256, any_width)]
pub fn h_index_start(
    lane: Lane,
    params: &SectionParams,
    graph: Csr,
    mut cores: Global<u32>,
    mut marks: Global<u32>,
    mut state: State<SectionState>,
) {
    for node in lane.grid_stride(params.nodes) {
        cores.set(node, degree(graph.row_offsets, node));
        marks.set(node, 1);
    }
    if lane.global() == 0 {
        state.begin(params.nodes.min(1), params.max_groups);
    }
}

/// How many of the neighbours that this invocation looks at have a number of at least `wanted`.
#[inline(always)]
fn count(lane: Lane, share: &Share, graph: Csr<Views>, cores: &Global<u32>, wanted: u32) -> u32 {
    let mut count = 0;
    for edge in share.edges(graph) {
        lane.count_atoms(1);
        count += u32::from(cores.load(graph.columns.get(edge)) >= wanted);
    }
    count
}

/// A binary search for the largest number of at most `high` that enough neighbours have.
struct Bounds {
    low: u32,
    high: u32,
    /// The number to look at next: at first the own one, which mostly stays.
    wanted: u32,
}

#[inline_all]
impl Bounds {
    fn new(own: u32) -> Self {
        Self { low: 0, high: own, wanted: own }
    }

    fn narrow(&mut self, count: u32) {
        if count >= self.wanted {
            self.low = self.wanted;
        } else {
            self.high = self.wanted - 1;
        }
        self.wanted = self.high - (self.high - self.low) / 2;
    }
}

/// One iteration over all nodes in their sections.
#[kernel(threads = 256, counts)]
pub fn h_index(
    lane: Lane,
    params: &SectionParams,
    graph: Csr,
    worklist: Worklist,
    mut data: HIndexData,
    state: State<SectionState>,
    mut sums: Shared<u32, MARKS>,
) {
    let mut sections = Sections { params: *params, graph, worklist, state };
    let counts = Counts::all(params);
    let iteration = sections.state.get(SectionState::ITERATION) + 1;
    for round in lane.by_group(counts.rounds(lane)) {
        let share = sections.share(lane, &counts, round);
        let is_marked = share.is_some() && data.marks.get(share.node) == iteration;
        // The binary search has the same steps for all that share a node: nobody else writes its number.
        let own = if is_marked { data.cores.load(share.node) } else { 0 };
        let mut bounds = Bounds::new(own);
        lane.barrier();
        // Two loops: only where a workgroup shares a node do all of its invocations make as many steps, and may wait for each other.
        if share.is_for_workgroup(lane) {
            while bounds.low < bounds.high {
                let part = count(lane, &share, graph, &data.cores, bounds.wanted);
                bounds.narrow(share.sum(lane, part, &mut sums));
            }
        } else {
            while bounds.low < bounds.high {
                let part = count(lane, &share, graph, &data.cores, bounds.wanted);
                bounds.narrow(share.subgroup_sum(lane, part));
            }
        }
        lane.barrier();
        let low = bounds.low;
        if low < own {
            if share.leads() {
                data.cores.store(share.node, low);
                sections.state.store(SectionState::NEXT, 1);
            }
            for edge in share.edges(graph) {
                let neighbour = graph.columns.get(edge);
                if data.cores.load(neighbour) > low {
                    data.next_marks.store(neighbour, iteration + 1);
                }
            }
        }
    }
    sections.state.advance_all(lane, params.max_groups);
}

//! `speculative`: the smallest free colour, by worklists in sections. The kernels are `color/sections.rs` and `color/speculative.rs` of the
//! kernels.

use super::{super::prelude::*, ColorInputs, Steps};
use crate::engine::row_classes::by_length;
use evenkeel_kernels::algorithm::color::{
    UNCOLORED,
    sections::{LIGHT, MEDIUM, SectionParams, SectionState},
    speculative::{ColorBegin, ColorGuess, ColorSettle},
};
use evenkeel_types::{LoopHeader, LoopState, Worklist};

/// What an iteration reads and writes.
pub(super) struct Sectioned {
    params: SectionParams,
    graph: DeviceGraph,
    colors: Buffer<u32>,
    /// From all nodes, in their sections, to the first worklist.
    first: Worklist<Buffers>,
    /// The worklists of even and of odd iterations.
    worklists: [Worklist<Buffers>; 2],
    state: Buffer<SectionState>,
}

impl Sectioned {
    pub fn new(inputs: &ColorInputs<'_>) -> Result<Self> {
        let &ColorInputs { device, csr, graph, colors, seed } = inputs;
        let nodes = csr.nodes() as usize;
        let (order, medium, heavy) = by_length(csr, LIGHT, MEDIUM);
        let lists: [Buffer<u32>; 2] = [device.buffer("worklist", nodes)?, device.buffer("next worklist", nodes)?];
        let worklist =
            |current: &Buffer<u32>, next: &Buffer<u32>| Worklist { current: current.clone(), next: next.clone() };
        Ok(Self {
            params: SectionParams { nodes: csr.nodes(), medium, heavy, max_groups: device.info().max_groups, seed },
            graph: graph.rows()?.clone(),
            colors: colors.clone(),
            first: worklist(&device.buffer_from("order", &order)?, &lists[0]),
            worklists: [worklist(&lists[0], &lists[1]), worklist(&lists[1], &lists[0])],
            state: device.buffer("loop state", 1)?,
        })
    }
}

impl Steps for Sectioned {
    fn header(&self) -> Buffer<LoopHeader> {
        self.state.header()
    }

    fn start(&self, recorder: &mut Recorder) -> usize {
        recorder.fill(&self.colors, UNCOLORED);
        recorder.fill(&self.state.cast(), 0);
        let Self { params, graph, first: worklist, state, .. } = self;
        recorder.dispatch(&ColorBegin { graph, worklist, state }, *params, worklist.current.len());
        0
    }

    fn iteration(&self, recorder: &mut Recorder, odd: bool) {
        let Self { params, graph, colors, state, .. } = self;
        let worklist = &self.worklists[usize::from(odd)];
        let guess = ColorGuess { graph, worklist, colors, state };
        recorder.dispatch_indirect(&guess, *params, state, SectionState::GROUPS);
        let settle = ColorSettle { graph, worklist, colors, state };
        recorder.dispatch_indirect(&settle, *params, state, SectionState::GROUPS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn every_node_is_in_the_section_of_its_degree() {
        let csr = "rmat:scale=11".parse::<Generator>().unwrap().generate().unwrap().csr;
        let (mut order, medium, heavy) = by_length(&csr, LIGHT, MEDIUM);
        assert!(0 < medium && medium < heavy && heavy < csr.nodes(), "{medium} {heavy}");
        let degrees: Vec<u32> = order.iter().map(|node| csr.degree(*node)).collect();
        let (light, rest) = degrees.split_at(medium as usize);
        let (middle, large) = rest.split_at((heavy - medium) as usize);
        assert!(light.iter().all(|degree| *degree <= LIGHT));
        assert!(middle.iter().all(|degree| (LIGHT + 1..=MEDIUM).contains(degree)));
        assert!(large.iter().all(|degree| *degree > MEDIUM));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..csr.nodes()));
    }
}

//! The smallest free colour, by worklists in sections: `independent` and `speculative`. The kernels are `color/sections.rs`,
//! `color/independent.rs` and `color/speculative.rs` of the kernels.

use super::Steps;
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::Csr,
    strategy::DeviceGraph,
};
use evenkeel_kernels::algorithm::color::{
    independent::{ColorIndependent, ColorWait},
    speculative::{ColorBegin, ColorGuess, ColorSettle},
};
use evenkeel_types::{Control, LIGHT, MEDIUM, SectionParams, Sections, UNCOLORED, WORKGROUP};

/// The memory beside the graph and the colours.
pub(super) fn plan(csr: &Csr, speculative: bool) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    MemoryPlan::new()
        .with::<u32>("order", nodes)
        .with::<u32>("worklist", nodes)
        .with::<u32>("next worklist", nodes)
        .with::<u32>("waits", if speculative { 0 } else { nodes })
        .with::<Control>("control", 1)
        .with::<Sections>("sections", 1)
}

/// What an iteration reads and writes.
pub(super) struct Sectioned {
    speculative: bool,
    params: SectionParams,
    graph: DeviceGraph,
    colors: Buffer<u32>,
    /// All nodes, in their sections.
    order: Buffer<u32>,
    lists: [Buffer<u32>; 2],
    waits: Buffer<u32>,
    control: Buffer<Control>,
    words: Buffer<u32>,
    sections: Buffer<u32>,
}

/// All nodes by section, and where the second and the third begin.
fn order(csr: &Csr) -> (Vec<u32>, u32, u32) {
    let with = |from: u32, to: u32| (0..csr.nodes()).filter(move |node| (from..=to).contains(&csr.degree(*node)));
    let mut nodes = Vec::with_capacity(csr.nodes() as usize);
    nodes.extend(with(0, LIGHT));
    let medium = nodes.len() as u32;
    nodes.extend(with(LIGHT + 1, MEDIUM));
    let heavy = nodes.len() as u32;
    nodes.extend(with(MEDIUM + 1, u32::MAX));
    (nodes, medium, heavy)
}

impl Sectioned {
    pub fn new(
        device: &Device,
        csr: &Csr,
        graph: &DeviceGraph,
        colors: &Buffer<u32>,
        seed: u32,
        speculative: bool,
    ) -> Result<Self> {
        let nodes = csr.nodes() as usize;
        let (order, medium, heavy) = order(csr);
        let control = device.buffer::<Control>("control", 1)?;
        Ok(Self {
            speculative,
            params: SectionParams { nodes: csr.nodes(), medium, heavy, max_groups: device.info().max_groups, seed },
            graph: graph.clone(),
            colors: colors.clone(),
            order: device.buffer_from("order", &order)?,
            lists: [device.buffer("worklist", nodes)?, device.buffer("next worklist", nodes)?],
            waits: device.buffer("waits", if speculative { 0 } else { nodes })?,
            words: control.cast(),
            control,
            sections: device.buffer::<Sections>("sections", 1)?.cast(),
        })
    }

    /// An invocation to each light node, a subgroup of 32 to a medium one, a workgroup to a heavy one.
    fn invocations(&self) -> usize {
        let SectionParams { nodes, medium, heavy, .. } = self.params;
        medium as usize + 32 * (heavy - medium) as usize + WORKGROUP as usize * (nodes - heavy) as usize
    }
}

impl Steps for Sectioned {
    fn control(&self) -> &Buffer<Control> {
        &self.control
    }

    fn start(&self, recorder: &mut Recorder) {
        recorder.fill(&self.colors, UNCOLORED);
        recorder.fill(&self.words, 0);
        recorder.fill(&self.sections, 0);
        let Self { params, order, waits, words, sections, lists: [next, _], .. } = self;
        let DeviceGraph { row_offsets, columns } = &self.graph;
        if self.speculative {
            let begin = ColorBegin { order, row_offsets, next, control: words, sections };
            recorder.dispatch(&begin, *params, order.len());
        } else {
            let wait = ColorWait { row_offsets, columns, order, waits, next, control: words, sections };
            recorder.dispatch(&wait, *params, self.invocations());
        }
    }

    fn iteration(&self, recorder: &mut Recorder, odd: bool) {
        let Self { params, colors, waits, control, words, sections, .. } = self;
        let DeviceGraph { row_offsets, columns } = &self.graph;
        let [list, next] = if odd { [&self.lists[1], &self.lists[0]] } else { [&self.lists[0], &self.lists[1]] };
        if self.speculative {
            let guess = ColorGuess { row_offsets, columns, list, colors, sections };
            recorder.dispatch_indirect(&guess, *params, control, Control::GROUPS);
            let settle = ColorSettle { row_offsets, columns, list, colors, next, control: words, sections };
            recorder.dispatch_indirect(&settle, *params, control, Control::GROUPS);
        } else {
            let step = ColorIndependent { row_offsets, columns, list, colors, waits, next, control: words, sections };
            recorder.dispatch_indirect(&step, *params, control, Control::GROUPS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn every_node_is_in_the_section_of_its_degree() {
        let csr = "rmat:scale=11".parse::<Generator>().unwrap().generate().unwrap().csr;
        let (mut order, medium, heavy) = order(&csr);
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

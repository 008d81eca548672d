//! `independent`: the smallest free colour in the order of ranks, with shortcuts. The kernels are in `color/independent/` of the kernels.

use super::{super::prelude::*, ColorInputs, Steps};
use crate::{
    engine::{DevicePartition, partition},
    graph::Partition,
};
use bytemuck::Zeroable;
use evenkeel_kernels::algorithm::color::{
    independent::{
        COLOR, ColorWait, IndependentParams, IndependentState, LIGHT, Labels, before_first_run, light::ColorLight,
        lists::Lists, wide::ColorWide,
    },
    sections::MEDIUM,
};
use evenkeel_types::{LoopHeader, LoopState, RowRange, WORKGROUP};
use rayon::prelude::*;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The largest number of workgroups of a dispatch: three on each of the 132 multiprocessors of a large GPU. It could run more at a time, but where
/// fewer nodes are under way, fewer wait for each other.
const GROUPS: u32 = 396;

/// Up to so many light nodes are few: where that many workgroups may run, each invocation has three at most.
const FEW: u32 = 3 * GROUPS * WORKGROUP;

/// After how many passes without a change a subgroup gives up on its nodes, if it has no others to take. They are taken in the order of ranks, so
/// that the neighbours waited for are under way, and seldom does anybody give up.
const PATIENCE: u32 = 4096;

/// The patience in a graph of several partitions, where a neighbour may be in a partition that is not running.
const PARTITION_PATIENCE: u32 = 8;

/// The lengths of batches: two iterations suffice nearly always.
const BATCHES: [usize; 6] = [2, 4, 6, 12, 24, 48];

/// Batch lengths where each invocation has several light nodes, some of which are left to another iteration.
const LONG_BATCHES: [usize; 5] = [4, 6, 12, 24, 48];

/// Lengths of the first batch, used once a shorter one has sufficed.
const SHORTER: [usize; 3] = [1, 2, 3];

/// The buffers of each partition for wide nodes: the lists of their neighbours, and what is known of those that are left.
const BEFORE: &str = "neighbours of higher rank";
const SAVED: &str = "colours taken";

/// The words of these buffers. The host gives the node of a row that is cut its colour.
fn wide_words(partitions: &[Partition], has_wide: bool) -> Vec<(usize, usize)> {
    let edges = |part: &Partition| if has_wide && !part.is_cut { part.edge_count() as usize } else { 0 };
    partitions.iter().map(edges).map(|edges| (edges, edges / 3)).collect()
}

/// The colours of the nodes whose rows are cut. No other has so high a rank, so they depend on each other alone.
fn colors_of_cut_rows(csr: &Csr, labels: Labels, mut nodes: Vec<u32>) -> BTreeMap<u32, u32> {
    nodes.sort_unstable_by_key(|&node| rank(csr, labels, node));
    let mut colors = BTreeMap::new();
    for node in nodes {
        let around = csr.neighbours(node).iter().filter_map(|neighbour| colors.get(neighbour).copied());
        let taken: BTreeSet<u32> = around.collect();
        let free = (0..).find(|color| !taken.contains(color)).unwrap_or(0);
        colors.insert(node, free);
    }
    colors
}

/// How many rows are looked at, to find out how the nodes of a graph are numbered.
const SAMPLE: u32 = 1 << 14;

/// Nodes with odd numbers come first if more than one in 32 of the edges that are looked at is between nodes whose numbers follow each other, so
/// that fewer of those under way wait for each other. In a grid it is one in two, in a road network one in three, in graphs of the web and of
/// co-authors one in 20. In a random graph there are none: rows are then taken as they follow each other in memory.
pub(super) fn labels(csr: &Csr, seed: u32) -> Labels {
    let step = csr.nodes().div_ceil(SAMPLE).max(1) as usize;
    let (mut edges, mut consecutive) = (0, 0);
    for node in (0..csr.nodes()).step_by(step).filter(|&node| csr.degree(node) <= LIGHT) {
        let neighbours = csr.neighbours(node);
        edges += neighbours.len();
        consecutive += neighbours.iter().filter(|neighbour| neighbour.abs_diff(node) == 1).count();
    }
    Labels { seed, odd_first: u32::from(32 * consecutive > edges) }
}

/// In ascending order: the first has the highest rank.
pub(super) fn rank(csr: &Csr, labels: Labels, node: u32) -> Reverse<(u32, u32)> {
    let degree = csr.degree(node);
    Reverse((degree, labels.of(node, degree)))
}

/// All nodes: light ones first, then the others, both by rank. And the numbers of light and of heavy ones.
struct Order {
    nodes: Vec<u32>,
    light: u32,
    heavy: u32,
}

impl Order {
    fn new(csr: &Csr, labels: Labels) -> Self {
        // Each with its rank, which is then not computed for every comparison.
        let ranked = |node: u32| (rank(csr, labels, node), node);
        let mut ranked: Vec<_> = (0..csr.nodes()).into_par_iter().map(ranked).collect();
        ranked.par_sort_unstable();
        let mut nodes: Vec<u32> = ranked.into_par_iter().map(|(_, node)| node).collect();
        let with_more_than = |edges: u32| nodes.partition_point(|&node| csr.degree(node) > edges);
        let (heavy, wide) = (with_more_than(MEDIUM), with_more_than(LIGHT));
        nodes.rotate_left(wide);
        Self { light: (nodes.len() - wide) as u32, heavy: heavy as u32, nodes }
    }
}

/// What an iteration reads and writes.
pub(super) struct Independent {
    params: IndependentParams,
    parts: Vec<PartOf>,
    colors: Buffer<u32>,
    lists: Lists<Buffers>,
    waits: Buffer<u32>,
    state: Buffer<IndependentState>,
}

/// A partition, with what is kept for its wide nodes.
struct PartOf {
    graph: DeviceGraph,
    params: IndependentParams,
    before: Buffer<u32>,
    saved: Buffer<u32>,
}

impl Independent {
    pub fn new(inputs: &ColorInputs<'_>) -> Result<Self> {
        let &ColorInputs { device, csr, graph, colors, seed } = inputs;
        let (info, nodes) = (device.info(), csr.nodes() as usize);
        let labels = labels(csr, seed);
        let order = graph.once("order of ranks", || Ok(Order::new(csr, labels)))?;
        let partitions = graph.partitions()?;
        let patience = match info.kind.is_cpu() {
            // Where threads of a CPU run workgroups to their end, nobody changes anything while one waits.
            true => 1,
            false if partitions.len() > 1 => PARTITION_PATIENCE,
            false => PATIENCE,
        };
        let params = IndependentParams {
            nodes: csr.nodes(),
            light: order.light,
            heavy: order.heavy,
            max_groups: match info.loop_limit {
                // Each workgroup has a small share.
                Some(_) => info.max_groups,
                None => info.max_groups.min(GROUPS),
            },
            labels,
            patience,
            loop_budget: info.loop_budget(),
            first_color: 0,
            begins: 0,
            rows: RowRange::default(),
        };
        let planned = partition(info, csr);
        let (cut, words) = (
            colors_of_cut_rows(csr, labels, planned.cut_rows()),
            wide_words(planned.list(), order.light < csr.nodes()),
        );
        let part = |(DevicePartition { graph, rows }, (before, saved)): (&DevicePartition, (usize, usize))| {
            let first_color = if rows.is_cut == 1 { cut[&rows.first] } else { 0 };
            Ok(PartOf {
                graph: graph.clone(),
                params: IndependentParams { first_color, rows: *rows, ..params },
                before: device.buffer(BEFORE, before)?,
                saved: device.buffer(SAVED, saved)?,
            })
        };
        // No workgroups, and counters of 0, as after a run.
        let header = LoopHeader { groups: [0, 1, 1], ..LoopHeader::default() };
        let first_state = IndependentState { header, ..IndependentState::zeroed() };
        Ok(Self {
            params,
            parts: partitions.iter().zip(words).map(part).collect::<Result<_>>()?,
            colors: colors.clone(),
            lists: Lists {
                order: device.buffer_from("order", &order.nodes)?,
                even: device.buffer("worklist", nodes)?,
                odd: device.buffer("next worklist", nodes)?,
            },
            waits: device.buffer("waits", nodes)?,
            state: device.buffer_from("loop state", &[first_state])?,
        })
    }

    /// A word for each node.
    pub(super) fn waits(&self) -> &Buffer<u32> {
        &self.waits
    }

    /// A subgroup of 32 to a medium node, a workgroup to a heavy one.
    fn invocations_for_wide(&self) -> usize {
        let IndependentParams { nodes, light, heavy, .. } = self.params;
        32 * (nodes - light - heavy) as usize + WORKGROUP as usize * heavy as usize
    }
}

impl Steps for Independent {
    fn header(&self) -> Buffer<LoopHeader> {
        self.state.header()
    }

    fn batches(&self) -> (&'static [usize], &'static [usize]) {
        if self.params.light > FEW { (&SHORTER, &LONG_BATCHES) } else { (&SHORTER[..1], &BATCHES) }
    }

    fn first_words(&self, csr: &Csr) -> Option<Vec<u32>> {
        Some((0..csr.nodes()).into_par_iter().map(|node| before_first_run(csr.degree(node))).collect())
    }

    fn color_bits(&self) -> u32 {
        COLOR
    }

    /// Where all nodes are light, this is the first iteration.
    fn start(&self, recorder: &mut Recorder) -> usize {
        let Self { colors, lists, waits, state, .. } = self;
        let are_light = self.params.light == self.params.nodes && self.params.nodes > 0;
        for PartOf { graph, params, before, .. } in &self.parts {
            if are_light {
                let light = ColorLight { graph, lists, colors, waits, state };
                let groups = params.light_groups(params.light, WORKGROUP);
                let params = IndependentParams { begins: 1, ..*params };
                recorder.label("start, iteration 0");
                recorder.dispatch(&light, params, (groups * WORKGROUP) as usize);
            } else {
                let wait = ColorWait { graph, order: &lists.order, colors, waits, before, state };
                recorder.dispatch(&wait, *params, self.invocations_for_wide());
            }
        }
        usize::from(are_light)
    }

    /// Iterations take the worklists in turn by themselves.
    fn iteration(&self, recorder: &mut Recorder, _odd: bool) {
        let Self { colors, lists, waits, state, .. } = self;
        if self.params.light < self.params.nodes {
            for PartOf { graph, params, before, saved } in &self.parts {
                let wide = ColorWide { graph, lists, colors, waits, before, saved, state };
                let groups = params.wide_groups(params.nodes - params.light, WORKGROUP / 32);
                recorder.dispatch_in_loop(&wide, *params, state, IndependentState::WIDE_GROUPS, groups);
            }
        }
        if self.params.light > 0 {
            for PartOf { graph, params, .. } in &self.parts {
                let light = ColorLight { graph, lists, colors, waits, state };
                let groups = params.light_groups(params.light, WORKGROUP);
                recorder.dispatch_in_loop(&light, *params, state, IndependentState::GROUPS, groups);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    fn generated(spec: &str) -> Csr {
        spec.parse::<Generator>().unwrap().generate().unwrap().csr
    }

    #[test]
    fn odd_nodes_come_first_where_neighbours_have_consecutive_numbers() {
        let odd_first = |spec: &str| labels(&generated(spec), 1).odd_first;
        // The second grid has more nodes than are looked at.
        for spec in ["grid:rows=40,cols=40", "grid:rows=300,cols=200", "road:nodes=3000"] {
            assert_eq!(odd_first(spec), 1, "{spec}");
        }
        for spec in ["er:nodes=3000,degree=8", "rmat:scale=11", "grid:rows=1,cols=1"] {
            assert_eq!(odd_first(spec), 0, "{spec}");
        }
    }

    #[test]
    fn nodes_are_in_the_order_of_ranks() {
        let labels = Labels { seed: 1, odd_first: 0 };
        let csr = generated("rmat:scale=11");
        let Order { mut nodes, light, heavy } = Order::new(&csr, labels);
        assert!(0 < light && 0 < heavy && light + heavy < csr.nodes(), "{light} {heavy}");
        let (narrow, wide) = nodes.split_at(light as usize);
        assert!(narrow.iter().all(|&node| csr.degree(node) <= LIGHT));
        assert!(wide.iter().all(|&node| csr.degree(node) > LIGHT));
        let in_order = |nodes: &[u32]| nodes.is_sorted_by_key(|&node| rank(&csr, labels, node));
        assert!(in_order(narrow) && in_order(wide));
        assert!(csr.degree(wide[heavy as usize - 1]) > MEDIUM && csr.degree(wide[heavy as usize]) <= MEDIUM);
        nodes.sort_unstable();
        assert!(nodes.into_iter().eq(0..csr.nodes()));
    }
}

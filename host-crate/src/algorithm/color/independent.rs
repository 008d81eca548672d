//! `independent`: the smallest free colour in the order of ranks, with shortcuts. The kernels are `color/independent.rs` of the kernels.

use super::{super::prelude::*, Job, Steps};
use crate::{
    engine::{DevicePartition, are_even, partition},
    graph::Partition,
};
use evenkeel_kernels::algorithm::color::{
    independent::{ColorLight, ColorWait, ColorWide, IndependentParams, IndependentState},
    label,
    sections::{LIGHT, MEDIUM},
};
use evenkeel_types::{LoopHeader, LoopState, RowRange, WORKGROUP, Worklist};
use rayon::prelude::*;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// The workgroups of an iteration: as many as a large GPU runs at a time, five on each of its 132 multiprocessors.
const GROUPS: u32 = 660;

/// Where so many workgroups suffice to give each invocation one light node at most, there are as many as that takes.
const GROUPS_OF_ONE: u32 = 1056;

/// After how many passes without a change a subgroup gives up on its nodes. Wide nodes are taken in the order of ranks, so that the neighbours
/// waited for are under way, and seldom does anybody give up.
const PATIENCE: u32 = 4096;

/// The same for all nodes of a graph in several partitions: a neighbour may be of another one, and not under way.
const PARTITION_PATIENCE: u32 = 8;

/// After how many passes a subgroup leaves light nodes to the next iteration while it has others to take. Waiting would keep all of its
/// invocations from these for the sake of a few nodes.
const EARLY_PASSES: u32 = 4;

/// Most iterations of a loop are after its end: two suffice nearly always.
const BATCHES: [usize; 6] = [2, 4, 6, 12, 24, 48];

/// The same where each invocation has several light nodes, some of which are left to another iteration.
const LONG_BATCHES: [usize; 5] = [4, 6, 12, 24, 48];

/// The same, for the first batch, where that sufficed before.
const SHORTER: [usize; 1] = [2];

const _: () = assert!(are_even(&BATCHES) && are_even(&LONG_BATCHES) && are_even(&SHORTER));

/// The memory beside the graph and the colours.
pub(super) fn plan(device: &DeviceInfo, csr: &Csr) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    let words = wide_words(partition(device, csr).list(), csr.skew().highest > LIGHT);
    let plan = MemoryPlan::new()
        .with::<u32>("order", nodes)
        .with::<u32>("worklist", nodes)
        .with::<u32>("next worklist", nodes)
        .with::<u32>("waits", nodes)
        .with::<u32>("degrees", nodes.div_ceil(4));
    let plan = words.iter().fold(plan, |plan, (before, _)| plan.with::<u32>(BEFORE, *before));
    let plan = words.iter().fold(plan, |plan, (_, saved)| plan.with::<u32>(SAVED, *saved));
    plan.with::<IndependentState>("loop state", 1)
}

/// The buffers of each partition for wide nodes: the lists of their neighbours, and what is known of those that are left.
const BEFORE: &str = "neighbours of higher rank";
const SAVED: &str = "colours taken";

/// The words of these buffers. The host gives the node of a row that is cut its colour.
fn wide_words(partitions: &[Partition], has_wide: bool) -> Vec<(usize, usize)> {
    let edges = |part: &Partition| if has_wide && !part.is_cut { part.edge_count() as usize } else { 0 };
    partitions.iter().map(edges).map(|edges| (edges, edges / 3)).collect()
}

/// The colours of the nodes whose rows are cut. No other has so high a rank, so they depend on each other alone.
fn colors_of_cut_rows(csr: &Csr, seed: u32, mut nodes: Vec<u32>) -> BTreeMap<u32, u32> {
    nodes.sort_unstable_by_key(|&node| rank(csr, seed, node));
    let mut colors = BTreeMap::new();
    for node in nodes {
        let around = csr.neighbours(node).iter().filter_map(|neighbour| colors.get(neighbour).copied());
        let taken: BTreeSet<u32> = around.collect();
        let free = (0..).find(|color| !taken.contains(color)).unwrap_or(0);
        colors.insert(node, free);
    }
    colors
}

/// The degrees of all nodes, four to a word, and 255 for higher ones: little enough for a cache, because light nodes compare theirs with those of
/// all their neighbours.
fn packed_degrees(csr: &Csr) -> Vec<u32> {
    let degree = |node: u32| if node < csr.nodes() { csr.degree(node).min(255) } else { 0 };
    let word = |word: u32| (0..4).map(|place| degree(4 * word + place) << (8 * place)).sum();
    (0..csr.nodes().div_ceil(4)).into_par_iter().map(word).collect()
}

/// In ascending order: the first has the highest rank.
fn rank(csr: &Csr, seed: u32, node: u32) -> Reverse<(u32, u32)> {
    Reverse((csr.degree(node), label(seed, node)))
}

/// All nodes: light ones first, those of high degree first and else by number, so that rows that lie together are loaded together; then the others,
/// by rank. And the numbers of light and of heavy ones.
struct Order {
    nodes: Vec<u32>,
    light: u32,
    heavy: u32,
}

impl Order {
    fn new(csr: &Csr, seed: u32) -> Self {
        let by_rank = |nodes: &mut [u32]| {
            nodes.par_sort_unstable_by_key(|&node| rank(csr, seed, node));
        };
        let is_light = |node: &u32| csr.degree(*node) <= LIGHT;
        let mut nodes: Vec<u32> = (0..csr.nodes()).filter(is_light).collect();
        let light = nodes.len();
        nodes.par_sort_by_key(|&node| Reverse(csr.degree(node)));
        nodes.extend((0..csr.nodes()).filter(|node| !is_light(node)));
        by_rank(&mut nodes[light..]);
        let heavy = nodes[light..].partition_point(|&node| csr.degree(node) > MEDIUM);
        Self { nodes, light: light as u32, heavy: heavy as u32 }
    }
}

/// What an iteration reads and writes.
pub(super) struct Independent {
    params: IndependentParams,
    parts: Vec<PartOf>,
    colors: Buffer<u32>,
    order: Buffer<u32>,
    /// The worklists of even and of odd iterations.
    worklists: [Worklist<Buffers>; 2],
    waits: Buffer<u32>,
    /// The degrees of all nodes, four to a word.
    degrees: Buffer<u32>,
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
    pub fn new(job: &Job<'_>) -> Result<Self> {
        let &Job { device, csr, graph, colors, seed } = job;
        let (info, nodes) = (device.info(), csr.nodes() as usize);
        let order = Order::new(csr, seed);
        let lists: [Buffer<u32>; 2] = [device.buffer("worklist", nodes)?, device.buffer("next worklist", nodes)?];
        let worklist =
            |current: &Buffer<u32>, next: &Buffer<u32>| Worklist { current: current.clone(), next: next.clone() };
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
                None if order.light <= GROUPS_OF_ONE * WORKGROUP => info.max_groups.min(GROUPS_OF_ONE),
                None => info.max_groups.min(GROUPS),
            },
            seed,
            patience,
            early_passes: EARLY_PASSES,
            loop_budget: info.loop_budget(),
            first_color: 0,
            rows: RowRange::default(),
        };
        let planned = partition(info, csr);
        let (cut, words) =
            (colors_of_cut_rows(csr, seed, planned.cut_rows()), wide_words(planned.list(), order.light < csr.nodes()));
        let part = |(DevicePartition { graph, rows }, (before, saved)): (&DevicePartition, (usize, usize))| {
            let first_color = if rows.is_cut == 1 { cut[&rows.first] } else { 0 };
            Ok(PartOf {
                graph: graph.clone(),
                params: IndependentParams { first_color, rows: *rows, ..params },
                before: device.buffer(BEFORE, before)?,
                saved: device.buffer(SAVED, saved)?,
            })
        };
        Ok(Self {
            params,
            parts: partitions.iter().zip(words).map(part).collect::<Result<_>>()?,
            colors: colors.clone(),
            order: device.buffer_from("order", &order.nodes)?,
            worklists: [worklist(&lists[0], &lists[1]), worklist(&lists[1], &lists[0])],
            waits: device.buffer("waits", nodes)?,
            degrees: device.buffer_from("degrees", &packed_degrees(csr))?,
            state: device.buffer("loop state", 1)?,
        })
    }

    /// A word for each node.
    pub(super) fn waits(&self) -> &Buffer<u32> {
        &self.waits
    }

    /// A subgroup of 32 to a medium node, a workgroup to a heavy one; or one to a few of all nodes.
    fn invocations(&self) -> usize {
        let IndependentParams { nodes, light, heavy, .. } = self.params;
        let for_wide = 32 * (nodes - light - heavy) as usize + WORKGROUP as usize * heavy as usize;
        for_wide.max(nodes as usize / 4).max(1)
    }
}

impl Steps for Independent {
    fn header(&self) -> Buffer<LoopHeader> {
        self.state.header()
    }

    fn batches(&self) -> (&'static [usize], &'static [usize]) {
        if self.params.light > GROUPS_OF_ONE * WORKGROUP { (&SHORTER, &LONG_BATCHES) } else { (&[], &BATCHES) }
    }

    fn start(&self, recorder: &mut Recorder) {
        let Self { colors, order, waits, degrees, state, .. } = self;
        for PartOf { graph, params, before, .. } in &self.parts {
            let wait = ColorWait { graph, order, colors, waits, before, degrees, state };
            recorder.dispatch(&wait, *params, self.invocations());
        }
    }

    fn iteration(&self, recorder: &mut Recorder, odd: bool) {
        let Self { colors, order, waits, degrees, state, .. } = self;
        let worklist = &self.worklists[usize::from(odd)];
        if self.params.light < self.params.nodes {
            for PartOf { graph, params, before, saved } in &self.parts {
                let wide = ColorWide { graph, order, worklist, colors, waits, before, saved, state };
                recorder.dispatch_indirect(&wide, *params, state, IndependentState::WIDE_GROUPS);
            }
        }
        if self.params.light > 0 {
            for PartOf { graph, params, .. } in &self.parts {
                let light = ColorLight { graph, order, worklist, colors, waits, degrees, state };
                let groups = params.light.div_ceil(WORKGROUP).min(params.max_groups);
                recorder.dispatch_in_loop(&light, *params, state, IndependentState::GROUPS, groups);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn wide_nodes_are_in_the_order_of_ranks() {
        let csr = "rmat:scale=11".parse::<Generator>().unwrap().generate().unwrap().csr;
        let Order { mut nodes, light, heavy } = Order::new(&csr, 1);
        assert!(0 < light && 0 < heavy && light + heavy < csr.nodes(), "{light} {heavy}");
        let (narrow, wide) = nodes.split_at(light as usize);
        assert!(narrow.iter().all(|&node| csr.degree(node) <= LIGHT));
        assert!(wide.iter().all(|&node| csr.degree(node) > LIGHT));
        let rank = |node: u32| (csr.degree(node), label(1, node));
        assert!(wide.windows(2).all(|pair| rank(pair[0]) > rank(pair[1])));
        assert!(csr.degree(wide[heavy as usize - 1]) > MEDIUM && csr.degree(wide[heavy as usize]) <= MEDIUM);
        nodes.sort_unstable();
        assert!(nodes.into_iter().eq(0..csr.nodes()));
    }
}

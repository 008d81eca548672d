//! `independent`: the smallest free colour in the order of ranks, with shortcuts. The kernels are in `color/independent/` of the kernels.

use super::{super::prelude::*, Job, Steps};
use crate::{
    engine::{DevicePartition, partition},
    graph::Partition,
};
use evenkeel_kernels::algorithm::color::{
    independent::{
        ColorWait, IndependentParams, IndependentState, LIGHT, light::ColorLight, lists::Lists, wide::ColorWide,
    },
    label,
    sections::MEDIUM,
};
use evenkeel_types::{LoopHeader, LoopState, RowRange, WORKGROUP};
use rayon::prelude::*;
use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
};

/// How light nodes are taken where each invocation has several.
#[derive(Clone, Copy)]
struct Pace {
    /// The workgroups of an iteration: up to six on each of the 132 multiprocessors of a large GPU, which runs them at a time.
    groups: u32,
    /// After how many passes a subgroup leaves its nodes to the next iteration while it has others to take. Waiting would keep all of its
    /// invocations from these for the sake of a few nodes.
    early_passes: u32,
    /// Whether a node looks at the neighbour that kept it from a colour before it looks at the others.
    look_first: bool,
}

impl Pace {
    /// Loads of a few neighbours are in flight together, so what counts is that there are few passes and many invocations.
    const SPARSE: Self = Self { groups: 792, early_passes: 3, look_first: false };
    /// What counts is the number of loads. Where fewer nodes are under way, fewer wait for each other.
    const DENSE: Self = Self { groups: 528, early_passes: 6, look_first: true };
    /// Dense are graphs of more than so many edges for each node.
    const MANY: u64 = 6;

    fn of(csr: &Csr) -> Self {
        if csr.edges() > Self::MANY * u64::from(csr.nodes()) { Self::DENSE } else { Self::SPARSE }
    }
}

/// Up to so many light nodes have an invocation each.
const FEW: u32 = 1056 * WORKGROUP;

/// After how many passes without a change a subgroup gives up on its nodes. Wide nodes are taken in the order of ranks, so that the neighbours
/// waited for are under way, and seldom does anybody give up.
const PATIENCE: u32 = 4096;

/// The same for all nodes of a graph in several partitions: a neighbour may be of another one, and not under way.
const PARTITION_PATIENCE: u32 = 8;

/// The lengths of batches: two iterations suffice nearly always.
const BATCHES: [usize; 6] = [2, 4, 6, 12, 24, 48];

/// The same where each invocation has several light nodes, some of which are left to another iteration.
const LONG_BATCHES: [usize; 5] = [4, 6, 12, 24, 48];

/// The same, for the first batch, where that sufficed before.
const SHORTER: [usize; 3] = [1, 2, 3];

/// The memory beside the graph and the colours.
pub(super) fn plan(device: &DeviceInfo, csr: &Csr) -> MemoryPlan {
    let nodes = csr.nodes() as usize;
    let words = wide_words(partition(device, csr).list(), csr.skew().highest > LIGHT);
    let plan = MemoryPlan::new()
        .with::<u32>("order", nodes)
        .with::<u32>("worklist", nodes)
        .with::<u32>("next worklist", nodes)
        .with::<u32>("waits", nodes);
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
    pub fn new(job: &Job<'_>) -> Result<Self> {
        let &Job { device, csr, graph, colors, seed } = job;
        let (info, nodes) = (device.info(), csr.nodes() as usize);
        let order = Order::new(csr, seed);
        let partitions = graph.partitions()?;
        let patience = match info.kind.is_cpu() {
            // Where threads of a CPU run workgroups to their end, nobody changes anything while one waits.
            true => 1,
            false if partitions.len() > 1 => PARTITION_PATIENCE,
            false => PATIENCE,
        };
        let pace = Pace::of(csr);
        let params = IndependentParams {
            nodes: csr.nodes(),
            light: order.light,
            heavy: order.heavy,
            max_groups: match info.loop_limit {
                // Each workgroup has a small share.
                Some(_) => info.max_groups,
                None if order.light <= FEW => info.max_groups.min(FEW / WORKGROUP),
                None => info.max_groups.min(pace.groups),
            },
            seed,
            patience,
            early_passes: pace.early_passes,
            look_first: u32::from(pace.look_first),
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
            lists: Lists {
                order: device.buffer_from("order", &order.nodes)?,
                even: device.buffer("worklist", nodes)?,
                odd: device.buffer("next worklist", nodes)?,
            },
            waits: device.buffer("waits", nodes)?,
            state: device.buffer("loop state", 1)?,
        })
    }

    /// A word for each node.
    pub(super) fn waits(&self) -> &Buffer<u32> {
        &self.waits
    }

    /// A subgroup of 32 to a medium node, a workgroup to a heavy one; or an invocation to each node, or to four of many.
    fn invocations(&self) -> usize {
        let IndependentParams { nodes, light, heavy, .. } = self.params;
        let for_wide = 32 * (nodes - light - heavy) as usize + WORKGROUP as usize * heavy as usize;
        let for_all = (nodes / 4).max(nodes.min(FEW));
        for_wide.max(for_all as usize).max(1)
    }
}

impl Steps for Independent {
    fn header(&self) -> Buffer<LoopHeader> {
        self.state.header()
    }

    fn batches(&self) -> (&'static [usize], &'static [usize]) {
        if self.params.light > FEW { (&SHORTER, &LONG_BATCHES) } else { (&SHORTER[..1], &BATCHES) }
    }

    fn start(&self, recorder: &mut Recorder) {
        let (Self { colors, waits, state, .. }, order) = (self, &self.lists.order);
        for PartOf { graph, params, before, .. } in &self.parts {
            let wait = ColorWait { graph, order, colors, waits, before, state };
            recorder.dispatch(&wait, *params, self.invocations());
        }
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

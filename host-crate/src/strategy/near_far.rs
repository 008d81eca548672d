//! Shortest paths that take what is near first, and many iterations in one dispatch while the lists are short.

use super::{
    prelude::*,
    rounds::{MAX_GROUPS, Rounds},
    worklists::clear,
};
use crate::graph::{Skew, Weights};
use evenkeel_kernels::strategy::near_far::{
    NearFar as Iteration, NearFarData, NearFarParams, NearFarState, PIECE,
    begin::NearFarStart,
    many_iterations::{NearFarCooperating, NearFarPersistent},
};
use evenkeel_types::{UNREACHED, WORKGROUP};
use rayon::prelude::*;

/// The strategy `near-far`.
#[derive(Clone, Default)]
pub struct NearFar {
    /// By how much the distance grows up to which nodes are near; chosen from the graph where it is none.
    pub delta: Option<f64>,
}

/// Workgroups that take many iterations of a list of medium length in one dispatch.
const COOPERATING: u32 = 64;

/// Davidson et al. take the mean weight times a warp's width for each edge of a node: then what is near keeps a GPU busy.
const WIDTH: f64 = 32.0;

/// Where frontiers are short, a GPU has invocations to spare, and fewer splits are faster.
const WIDE: f64 = 128.0;

/// By how much the threshold grows, as the kernels read it; `given` is what was asked for.
fn delta(csr: &Csr, given: Option<f64>, mean_degree: f64, many: bool) -> u32 {
    let width = if many { WIDE } else { WIDTH };
    let delta = given.unwrap_or_else(|| csr.mean_weight() * width / mean_degree.max(1.0));
    match csr.weights() {
        Weights::F32(_) => (delta as f32).to_bits(),
        // Saturates at u32::MAX.
        _ => delta as u32,
    }
}

/// How many pieces the long rows have together.
fn pieces(csr: &Csr) -> usize {
    let degrees = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node));
    let long = degrees.filter(|&degree| degree > PIECE);
    long.map(|degree| degree.div_ceil(PIECE) as usize).sum()
}

impl Strategy for NearFar {
    fn about(&self) -> About {
        About::new(
            "near-far",
            "Davidson et al.",
            "what is near first; many iterations a dispatch while lists are short",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::SsspU32, Operator::SsspF32]
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "by how much the distance grows up to which nodes are near";
        let default = "the mean weight times 32 by the mean degree";
        vec![Key::optional("delta", about, default, &mut self.delta).within(0, f64::INFINITY)]
    }

    fn plan(&self, csr: &Csr, _: Target<'_>) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        MemoryPlan::new()
            .with::<u32>("lists", 4 * nodes)
            .with::<u32>("waiting", nodes.div_ceil(32))
            .with::<u32>("pieces of long rows", 4 * pieces(csr))
            .with::<NearFarState>("state", 1)
    }

    /// A workgroup shares the edges of its rows.
    fn rounds(&self, csr: &Csr, _: Target<'_>) -> u64 {
        loops::longest_row(csr)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let csr = &traversal.csr;
        let Skew { mean, .. } = csr.skew();
        let rounds = Rounds::new(device.info(), csr.skew(), COOPERATING);
        let Rounds { short, medium, cooperating, loop_limit } = rounds;
        let params = NearFarParams {
            nodes: csr.nodes(),
            max_groups: MAX_GROUPS,
            nodes_per_group: (f64::from(WORKGROUP) / mean.max(1.0)).ceil() as u32,
            delta: delta(csr, self.delta, mean, rounds.are_taken()),
            pieces: pieces(csr) as u32,
            short,
            medium,
            cooperating,
            loop_limit,
            target: traversal.target.unwrap_or(UNREACHED),
        };
        let (graph, path) = (&traversal.graph, traversal.path());
        let (nodes, pieces) = (params.nodes as usize, params.pieces as usize);
        let data = &NearFarData {
            weights: traversal.data.weights.clone(),
            distances: traversal.data.values.clone(),
            marks: traversal.data.marks.clone(),
            waiting: device.buffer("waiting", nodes.div_ceil(32))?,
            lists: device.buffer("lists", 4 * nodes)?,
            pieces: device.buffer("pieces of long rows", 4 * pieces)?,
        };
        let state = &device.buffer("state", 1)?;
        let start = |recorder: &mut Recorder| {
            clear(recorder, traversal);
            recorder.fill(&data.waiting, 0);
            recorder.dispatch(&NearFarStart { graph, source: &traversal.source, data, state }, params, 1);
        };
        let many_iterations = |recorder: &mut Recorder| {
            let persistent = NearFarPersistent { path, graph, data, state };
            recorder.dispatch_indirect(&persistent, params, state, NearFarState::PERSISTENT_GROUPS);
            let cooperating = NearFarCooperating { path, graph, data, state };
            recorder.dispatch_indirect(&cooperating, params, state, NearFarState::COOPERATING_GROUPS);
        };
        rounds.record((device, name, state), start, many_iterations, |recorder| {
            let step = Iteration { path, graph, data, state };
            recorder.dispatch_indirect(&step, params, state, NearFarState::GROUPS);
        })
    }
}

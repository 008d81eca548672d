//! Shortest paths that take what is near first, and many iterations in one dispatch while the lists are short (see the kernels'
//! folder `near_far`).

use super::{Delta, DeviceLoop, Iterate, Traversal, Tuning, direction, worklists::clear};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::{Csr, Weights},
};
use evenkeel_kernels::{
    operator::{Operator, Path},
    strategy::{
        direction::resident::SHORT,
        near_far::{NearFar as Level, abreast::NearFarAbreast, begin::NearFarStart, resident::NearFarResident},
    },
};
use evenkeel_types::{Control, NearFarParams, WORKGROUP};
use rayon::prelude::*;

/// See the module.
pub(super) struct NearFar;

/// The most workgroups of a dispatch: five for each of an H200's 132 multiprocessors.
const MAX_GROUPS: u32 = 660;

/// Workgroups that take many iterations of a middling list in one dispatch.
const ABREAST: u32 = 64;
/// The longest list that they take: four nodes for each of their invocations.
const MIDDLING: u32 = ABREAST * 1024;

/// Davidson et al. take the mean weight times a warp's width for each edge of a node: then what is near keeps a GPU busy.
const WIDTH: f64 = 32.0;

/// Where frontiers are short, a GPU has invocations to spare, and fewer splits are faster.
const WIDE: f64 = 128.0;

/// Iterations of the whole dispatch between two chances to take many in one.
const ITERATIONS_BETWEEN: usize = 2;

/// By how much the threshold grows unless said, as the kernels read it.
fn delta(csr: &Csr, tuning: &Tuning, mean_degree: f64, many: bool) -> u32 {
    let edges = csr.columns.len().max(1) as f64;
    let mean = match &csr.weights {
        Weights::None => 1.0,
        Weights::U32(weights) => weights.par_iter().map(|weight| f64::from(*weight)).sum::<f64>() / edges,
        Weights::F32(weights) => weights.par_iter().map(|weight| f64::from(*weight)).sum::<f64>() / edges,
    };
    let delta = tuning.delta.map_or(mean * if many { WIDE } else { WIDTH } / mean_degree.max(1.0), Delta::get);
    match csr.weights {
        Weights::F32(_) => (delta as f32).to_bits(),
        // What is more than a distance can be is that.
        _ => delta as u32,
    }
}

/// How many pieces the long rows have together.
fn pieces(csr: &Csr) -> usize {
    let degrees = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node));
    let long = degrees.filter(|&degree| degree > NearFarParams::PIECE);
    long.map(|degree| degree.div_ceil(NearFarParams::PIECE) as usize).sum()
}

impl Iterate for NearFar {
    fn plan(&self, csr: &Csr, _: Operator, _: &Tuning) -> MemoryPlan {
        let nodes = csr.nodes() as usize;
        MemoryPlan::new()
            .with::<u32>("lists", 4 * nodes)
            .with::<u32>("waiting", nodes.div_ceil(32))
            .with::<u32>("pieces of long rows", 4 * pieces(csr))
            .with::<Control>("control", 1)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { csr, tuning, skew, .. } = traversal;
        let many = direction::many_levels(device, *skew);
        let mut params = NearFarParams {
            nodes: csr.nodes(),
            max_groups: MAX_GROUPS,
            nodes_a_group: (f64::from(WORKGROUP) / skew.mean.max(1.0)).ceil() as u32,
            delta: delta(csr, tuning, skew.mean, many),
            pieces: pieces(csr) as u32,
            short: 0,
            middling: 0,
            few_groups: 0,
            turns: 0,
        };
        if many {
            let few_groups = direction::that_wait(device, ABREAST);
            let turns = device.info().turns();
            params = NearFarParams { short: SHORT, middling: MIDDLING, few_groups, turns, ..params };
        }
        let steps = Steps::new(device, params, traversal)?;
        DeviceLoop::record(
            device,
            name,
            &steps.control,
            |recorder| steps.start(recorder, traversal),
            |recorder, _| {
                if many {
                    steps.resident(recorder, traversal);
                    steps.abreast(recorder, traversal);
                }
                for _ in 0..if many { ITERATIONS_BETWEEN } else { 1 } {
                    steps.level(recorder, traversal);
                }
            },
        )
    }
}

/// What an iteration is made of.
struct Steps {
    params: NearFarParams,
    path: Path,
    waiting: Buffer<u32>,
    lists: Buffer<u32>,
    pieces: Buffer<u32>,
    control: Buffer<Control>,
    words: Buffer<u32>,
}

impl Steps {
    fn new(device: &Device, params: NearFarParams, traversal: &Traversal) -> Result<Self> {
        let nodes = params.nodes as usize;
        let control = device.buffer::<Control>("control", 1)?;
        Ok(Self {
            params,
            path: if traversal.operator == Operator::SsspF32 { Path::Real } else { Path::Whole },
            waiting: device.buffer("waiting", nodes.div_ceil(32))?,
            lists: device.buffer("lists", 4 * nodes)?,
            pieces: device.buffer("pieces of long rows", 4 * params.pieces as usize)?,
            words: control.cast(),
            control,
        })
    }

    fn start(&self, recorder: &mut Recorder, traversal: &Traversal) {
        clear(recorder, traversal);
        recorder.fill(&self.waiting, 0);
        let step = NearFarStart {
            row_offsets: &traversal.graph.row_offsets,
            source: &traversal.source,
            distances: &traversal.values,
            lists: &self.lists,
            pieces_near: &self.pieces,
            control: &self.words,
        };
        recorder.dispatch(&step, self.params, 1);
    }

    fn level(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = Level {
            path: self.path,
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            weights: &traversal.weights,
            distances: &traversal.values,
            marks: &traversal.marks,
            waiting: &self.waiting,
            lists: &self.lists,
            pieces: &self.pieces,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::GROUPS);
    }

    fn abreast(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = NearFarAbreast {
            path: self.path,
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            weights: &traversal.weights,
            distances: &traversal.values,
            marks: &traversal.marks,
            waiting: &self.waiting,
            lists: &self.lists,
            pieces: &self.pieces,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::ABREAST_GROUPS);
    }

    fn resident(&self, recorder: &mut Recorder, traversal: &Traversal) {
        let step = NearFarResident {
            path: self.path,
            row_offsets: &traversal.graph.row_offsets,
            columns: &traversal.graph.columns,
            weights: &traversal.weights,
            distances: &traversal.values,
            marks: &traversal.marks,
            waiting: &self.waiting,
            lists: &self.lists,
            pieces: &self.pieces,
            control: &self.words,
        };
        recorder.dispatch_indirect(&step, self.params, &self.control, Control::EXPAND_GROUPS);
    }
}

//! Graph colouring: a colour for every node that none of its neighbours has, and few of them. One colour an iteration as in Che
//! et al. (*Graph Coloring on the GPU and Some Techniques to Improve Load Imbalance*), or the smallest that is free. The colours
//! depend on the graph, the strategy and the seed, on nothing else.

mod labelled;
mod sections;
pub mod strategy;

pub use strategy::{AUTO, ColorStrategy, ColorTuning, STRATEGIES, has_queues, known_strategy, names_with_schedules};

use super::{Algorithm, Run};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan, Recorder},
    graph::{Csr, Graph, NodeIds, Weights, statistics::Skew, transform},
    strategy::{DeviceGraph, DeviceLoop, refuse_unending_rows},
};
use evenkeel_types::{Control, TENTATIVE};
use labelled::Labelled;
use rayon::prelude::*;
use sections::Sectioned;
use std::{borrow::Cow, time::Duration};
use strategy::Method;

pub(super) const ALGORITHM: Algorithm =
    Algorithm { name: "color", summary: "graph colouring: a colour for every node that no neighbour has" };

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct ColorConfig {
    /// How nodes get their colours: a name from `evenkeel strategies color`; random and hybrid also under a schedule, as
    /// random:merge-path.
    #[arg(long, value_name = "NAME", default_value = AUTO, value_parser = known_strategy)]
    pub strategy: String,
    /// The seed of the random labels: another one, another colouring.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u32,
    /// What to change about the strategy.
    #[command(flatten)]
    #[serde(flatten)]
    pub tuning: ColorTuning,
}

impl Default for ColorConfig {
    fn default() -> Self {
        Self { strategy: AUTO.to_owned(), seed: 0, tuning: ColorTuning::default() }
    }
}

/// What a strategy's file says: the recorded loop.
trait Steps: Send {
    /// The control block that the loop ends by.
    fn control(&self) -> &Buffer<Control>;

    /// Records the beginning: no node has a colour.
    fn start(&self, recorder: &mut Recorder);

    /// Records one iteration; whether its number is odd says which worklist it reads.
    fn iteration(&self, recorder: &mut Recorder, odd: bool);

    /// What each queue's workgroup has taken in the last run; nothing where there are no queues.
    fn queues(&self, _device: &Device) -> Result<Vec<QueueCount>> {
        Ok(Vec::new())
    }
}

/// What the workgroup of one queue took in a run, counted in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct QueueCount {
    /// Which queue.
    pub queue: usize,
    /// Off its own tail.
    pub popped: u32,
    /// Off the heads of others.
    pub stolen: u32,
}

/// What happened in one iteration.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Iteration {
    /// Its number, from 1 on.
    pub iteration: u32,
    /// Nodes that had no colour when it began.
    pub active: usize,
    /// Nodes that have one now, those of earlier iterations included.
    pub colored: usize,
    /// Colours given out so far.
    pub colors: u32,
    /// The lowest degree of an active node.
    pub lowest_degree: u32,
    /// The degree in the middle of those of the active nodes; of an even number, the lower.
    pub median_degree: u32,
    /// Their mean.
    pub mean_degree: f64,
    /// The highest.
    pub highest_degree: u32,
    /// How many active nodes have degree 0, 1, 2–3, 4–7 and so on, with spaces between.
    pub degrees: String,
    /// How long the device was busy with it, in milliseconds.
    pub kernel_ms: f64,
}

/// A graph that is ready to be coloured.
pub struct Color {
    device: Device,
    graph: DeviceGraph,
    colors: Buffer<u32>,
    steps: Box<dyn Steps>,
    whole: DeviceLoop,
}

/// How that strategy colours that graph.
fn method(csr: &Csr, config: &ColorConfig) -> Result<Method> {
    Ok(Method::by_name(&config.strategy)?.chosen(Skew::of(csr).highest))
}

impl Color {
    /// The device memory it needs, the graph included.
    ///
    /// # Errors
    /// When the strategy is not known, or does not read what was tuned.
    pub fn plan(csr: &Csr, config: &ColorConfig) -> Result<MemoryPlan> {
        config.tuning.check(&[&config.strategy])?;
        let plan = DeviceGraph::plan(csr).with::<u32>("colours", csr.nodes() as usize);
        Ok(plan.and(match method(csr, config)? {
            Method::Labelled { find, .. } => labelled::plan(csr, find, &config.tuning),
            Method::Independent | Method::Auto => sections::plan(csr, false),
            Method::Speculative => sections::plan(csr, true),
        }))
    }

    /// Copies the graph to the device and records the loop. Edges from a node to itself are ignored.
    ///
    /// # Errors
    /// When an edge has no reverse, the strategy is not known, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &ColorConfig) -> Result<Self> {
        device.admit(&Self::plan(csr, config)?)?;
        // Before edges are left out: what was planned is what is done.
        let method = method(csr, config)?;
        let csr = &*undirected(csr)?;
        let graph = DeviceGraph::upload(device, csr)?;
        let colors = device.buffer("colours", csr.nodes() as usize)?;
        let steps: Box<dyn Steps> = match method {
            Method::Labelled { hybrid, find } => {
                refuse_unending_rows(device, csr)?;
                Box::new(Labelled::new(device, csr, &graph, &colors, config, (hybrid, find))?)
            }
            Method::Independent | Method::Auto => {
                Box::new(Sectioned::new(device, csr, &graph, &colors, config.seed, false)?)
            }
            Method::Speculative => Box::new(Sectioned::new(device, csr, &graph, &colors, config.seed, true)?),
        };
        let whole = DeviceLoop::record(
            device,
            &format!("color {}", config.strategy),
            steps.control(),
            |recorder| steps.start(recorder),
            |recorder, odd| steps.iteration(recorder, odd),
        )?;
        Ok(Self { device: device.clone(), graph, colors, steps, whole })
    }

    /// Colours the graph.
    ///
    /// # Errors
    /// When the device fails.
    pub fn run(&mut self) -> Result<Run> {
        Ok(self.whole.run()?.into())
    }

    /// The colours that the last run found, counted from 0.
    ///
    /// # Errors
    /// When the device fails.
    pub fn colors(&self) -> Result<Vec<u32>> {
        self.device.download(&self.colors)
    }

    /// What each queue's workgroup took in the last run; nothing where there are no queues.
    ///
    /// # Errors
    /// When the device fails.
    pub fn queues(&self) -> Result<Vec<QueueCount>> {
        self.steps.queues(&self.device)
    }

    /// Colours the graph once more, with a look at it after every iteration. That takes its time, but for what it says of each.
    ///
    /// # Errors
    /// When the device fails.
    pub fn iterations(&mut self) -> Result<Vec<Iteration>> {
        let row_offsets = self.device.download(&self.graph.row_offsets)?;
        let degree = |node: usize| row_offsets[node + 1] - row_offsets[node];
        let mut start = self.device.record("color, start", |recorder| self.steps.start(recorder))?;
        start.run()?;
        let turn = |odd: bool| -> Result<_> {
            let mut control = None;
            let recording = self.device.record("color, one iteration", |recorder| {
                self.steps.iteration(recorder, odd);
                control = Some(recorder.read_back(self.steps.control()));
            })?;
            let control = control.ok_or_else(|| Error::Device("an iteration was not recorded".into()))?;
            Ok((recording, control))
        };
        let mut turns = [turn(false)?, turn(true)?];
        let mut iterations = Vec::new();
        let mut active: Vec<usize> = (0..self.colors.len()).collect();
        let mut colors = self.device.download(&self.colors)?;
        while !active.is_empty() {
            let (recording, control) = &mut turns[iterations.len() % 2];
            let kernel = recording.run()?;
            self.device.download_into(&self.colors, &mut colors)?;
            let still: Vec<usize> = active.iter().copied().filter(|node| colors[*node] & TENTATIVE != 0).collect();
            let degrees = active.into_iter().map(degree).collect();
            iterations.push(Iteration::new(iterations.len() as u32 + 1, degrees, still.len(), &colors, kernel));
            // The device has the last word on when it is over, as in a run.
            active = if recording.value(*control).frontier > 0 { still } else { Vec::new() };
        }
        Ok(iterations)
    }
}

impl Iteration {
    /// One in which the nodes with `degrees` were active, of which `left` still are, and after which the colours are as they
    /// are.
    fn new(iteration: u32, mut degrees: Vec<u32>, left: usize, colors: &[u32], kernel: Duration) -> Self {
        degrees.sort_unstable();
        let active = degrees.len();
        let sum: u64 = degrees.iter().map(|degree| u64::from(*degree)).sum();
        let highest = degrees.last().copied().unwrap_or(0);
        let bin = |degree: u32| (u32::BITS - degree.leading_zeros()) as usize;
        let mut bins = vec![0usize; bin(highest) + 1];
        degrees.iter().for_each(|degree| bins[bin(*degree)] += 1);
        let given = colors.par_iter().filter(|color| **color & TENTATIVE == 0).max();
        Self {
            iteration,
            active,
            colored: colors.len() - left,
            colors: given.map_or(0, |color| color + 1),
            lowest_degree: degrees.first().copied().unwrap_or(0),
            median_degree: degrees.get(active.saturating_sub(1) / 2).copied().unwrap_or(0),
            mean_degree: sum as f64 / active.max(1) as f64,
            highest_degree: highest,
            degrees: bins.iter().map(usize::to_string).collect::<Vec<_>>().join(" "),
            kernel_ms: kernel.as_secs_f64() * 1e3,
        }
    }
}

/// How many edges lead from a node to itself.
pub fn self_loops(csr: &Csr) -> u64 {
    let of = |node: u32| {
        let row = csr.neighbours(node);
        row.partition_point(|neighbour| *neighbour <= node) - row.partition_point(|neighbour| *neighbour < node)
    };
    (0..csr.nodes()).into_par_iter().map(|node| of(node) as u64).sum()
}

/// The graph without edges from a node to itself, if every edge has its reverse.
fn undirected(csr: &Csr) -> Result<Cow<'_, Csr>> {
    let plain = match csr.weights {
        Weights::None => Cow::Borrowed(csr),
        _ => Cow::Owned(Csr { weights: Weights::None, ..csr.clone() }),
    };
    if !transform::is_symmetric(&plain)? {
        return Err(Error::Graph(
            "an edge has no reverse, and colours are of undirected graphs: take each edge both ways (--undirected)"
                .into(),
        ));
    }
    if self_loops(&plain) == 0 {
        return Ok(plain);
    }
    let ids = NodeIds::Counted { first: 0 };
    let graph = Graph { name: String::new(), csr: plain.into_owned(), ids, directed: false };
    Ok(Cow::Owned(transform::drop_self_loops(&graph)?.0.csr))
}

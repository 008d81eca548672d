//! Graph colouring: a colour for every node that none of its neighbours has, and few of them. One colour an iteration as in Che
//! et al. (*Graph Coloring on the GPU and Some Techniques to Improve Load Imbalance*), or the smallest that is free. The colours
//! depend on the graph, the strategy and the seed, on nothing else.

mod cpu;
mod independent;
mod labelled;
mod sections;
pub mod strategy;
mod tables;

pub use strategy::names_with_schedules;
pub use tables::ColorTables;

use super::{
    prelude::*,
    undirected::{undirected, warn_of_self_loops},
};
use crate::{
    engine::BATCHES,
    oracle::color::{check, count, largest_first},
};
use evenkeel_kernels::algorithm::color::TENTATIVE;
use evenkeel_types::LoopHeader;
use independent::Independent;
use labelled::Labelled;
use rayon::prelude::*;
use sections::Sectioned;
use std::time::Duration;
use strategy::Method;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ColorConfig {
    /// How nodes get their colours.
    pub strategy: Configured<Color>,
    /// The seed of the random labels: another one, another colouring.
    pub seed: u32,
}

impl Settings for ColorConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let mut keys = self.strategy.keys();
        let about = "The seed of the random labels: another one, another colouring";
        keys.push(Key::option("seed", about, &mut self.seed).within(0, u32::MAX).placeholder("SEED"));
        keys
    }
}

/// The colour of each node, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colors(pub Vec<u32>);

impl Answer for Colors {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("color", Values::U32((&self.0).into()))]
    }
}

/// What a strategy's file says: the recorded loop.
trait Steps: Send {
    /// The header of the loop's state.
    fn header(&self) -> Buffer<LoopHeader>;

    /// How many iterations are recorded in each batch, after shorter ones for the first: even numbers, unless iterations do not heed theirs.
    fn batches(&self) -> (&'static [usize], &'static [usize]) {
        (&[], &BATCHES)
    }

    /// What `colors` must hold before the first run, and before a run that is looked at after every iteration: no node has a colour. `None` if
    /// every run begins with that by itself.
    fn first_words(&self, _csr: &Csr) -> Option<Vec<u32>> {
        None
    }

    /// The bits of a node's word that are its colour, if it has one.
    fn color_bits(&self) -> u32 {
        u32::MAX
    }

    /// Records the beginning of a run, after which only nodes that wait for no neighbour have colours, or that and the first iteration. Returns the
    /// number of iterations that it recorded.
    fn start(&self, recorder: &mut Recorder) -> usize;

    /// Records one iteration; whether its number is odd says which worklist it reads, where the kernels do not know by themselves.
    fn iteration(&self, recorder: &mut Recorder, odd: bool);

    /// Where each workgroup has a queue, how many elements it has popped and stolen in the last run.
    fn taken(&self) -> Option<&Buffer<u32>> {
        None
    }
}

/// What is coloured, and with what.
struct ColorInputs<'a> {
    device: &'a Device,
    csr: &'a Csr,
    graph: &'a SharedGraph,
    colors: &'a Buffer<u32>,
    seed: u32,
}

/// What the workgroup of one queue took in a run, counted in elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct QueueCount {
    /// The number of the queue.
    pub queue: usize,
    /// Pops from the tail of its own queue.
    pub popped: u32,
    /// Pops from the heads of other queues.
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
    /// How many active nodes have degree 0, 1, 2–3, 4–7 and so on.
    pub degrees: Vec<usize>,
    /// How long the device was busy with it, in milliseconds.
    pub kernel_ms: f64,
}

/// A graph that is ready to be coloured.
pub struct Color {
    session: Session,
    /// Without edges from a node to itself.
    graph: SharedGraph,
    colors: Buffer<u32>,
    steps: Box<dyn Steps>,
    whole: DeviceLoop,
}

impl Algorithm for Color {
    const ABOUT: Description = Description {
        name: "color",
        summary: "graph colouring: a colour for every node that no neighbour has",
        help: "\
Edges are taken both ways, and edges from a node to itself are ignored. The output is a line `id colour` for each node; colours \
are counted from 0. The same seed gives the same colours on every device. An answer is right when no edge has the same colour at \
both ends; how many colours a sequential greedy colouring takes, largest degrees first, is shown beside it.

Examples:
  evenkeel color rmat:scale=20 --validate
  evenkeel color schedule.col --seed 7 --output colours.txt
  evenkeel color rmat:scale=14 --strategy hybrid --switch-at 4 --per-iteration iterations.csv
  evenkeel color rmat:scale=14 --strategy stealing --queues 16 --queue-counts queues.csv
  evenkeel compare color rmat:scale=14 --strategies stealing,stealing:steal=false --chunk 64
  evenkeel compare color rmat:scale=14 --strategies random,random:merge-path,hybrid,auto",
        ..Description::DEFAULT
    };

    type Config = ColorConfig;
    type Input = ();
    type Answer = Colors;
    /// The number of colours that a sequential greedy colouring takes.
    type Reference = u32;

    /// Edges from a node to itself are ignored; an edge without its reverse is an error.
    fn build(graph: &SharedGraph, config: &ColorConfig) -> Result<Self> {
        let device = graph.device();
        let method = config.strategy.item().on(device.info())?.choose(device.info().kind);
        method.check_partitions(device.info(), graph.csr())?;
        let session = Session::new(graph)?;
        let graph = graph.derived("undirected", || Ok(undirected(graph.csr(), "colours are")?.into_owned()))?;
        let csr = graph.csr();
        let colors = device.buffer("colours", csr.nodes() as usize)?;
        let inputs = ColorInputs { device, csr, graph: &graph, colors: &colors, seed: config.seed };
        let name = format!("color {}", config.strategy);
        let mut native = None;
        let steps: Box<dyn Steps> = match method {
            Method::Labelled { hybrid, find } => {
                refuse_long_loops(device.info(), || labelled::rounds(csr, find))?;
                Box::new(Labelled::new(&inputs, hybrid, find)?)
            }
            Method::IndependentCpu => {
                let steps = Independent::new(&inputs)?;
                native = Some(cpu::record(&inputs, &name, steps.waits())?);
                Box::new(steps)
            }
            Method::Independent | Method::Auto => Box::new(Independent::new(&inputs)?),
            Method::Speculative => Box::new(Sectioned::new(&inputs)?),
        };
        let recorded = || {
            let start = |recorder: &mut Recorder| steps.start(recorder);
            let iteration = |recorder: &mut Recorder, odd| steps.iteration(recorder, odd);
            DeviceLoop::record_with_choice(device, &name, &steps.header(), steps.batches(), start, iteration)
        };
        let whole = match native {
            Some(whole) => whole,
            None => {
                set_first_words(&graph, &colors, &*steps)?;
                recorded()?
            }
        };
        let session = session.with_method(config.strategy.item().taken(&method));
        Ok(Self { session, graph, colors, steps, whole })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|_| Ok(self.whole.run()?.into()))
    }

    fn answer(&self) -> Result<Colors> {
        let mut colors = self.session.answered()?.device().download(&self.colors)?;
        let color_bits = self.steps.color_bits();
        colors.par_iter_mut().for_each(|word| *word &= color_bits);
        Ok(Colors(colors))
    }

    fn reference(graph: &Graph, (): &(), _: &ColorConfig) -> Result<u32> {
        Ok(count(&largest_first(&graph.csr)))
    }

    fn check(found: &Colors, _: &u32, graph: &Graph, (): &()) -> Option<Mismatch> {
        check(&graph.csr, &found.0).err()
    }
}

impl FrontEnd for Color {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ColorTables;

    fn choice(config: &mut ColorConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn is_undirected(_: &ColorConfig) -> bool {
        true
    }

    /// Warns of edges that are going to be ignored.
    fn input((): &(), graph: &Graph, _: &ColorConfig) -> Result<()> {
        warn_of_self_loops(graph);
        Ok(())
    }
}

impl Color {
    /// What each queue's workgroup took in the last run; nothing where there are no queues.
    ///
    /// # Errors
    /// [`Error::Usage`] when there are queues and no successful run; when the device fails.
    pub fn queues(&self) -> Result<Vec<QueueCount>> {
        let Some(taken) = self.steps.taken() else { return Ok(Vec::new()) };
        let count = |(queue, taken): (usize, &[u32])| QueueCount { queue, popped: taken[0], stolen: taken[1] };
        Ok(self.session.answered()?.device().download(taken)?.chunks_exact(2).enumerate().map(count).collect())
    }

    /// Colours the graph once more and looks at it after every iteration, which takes longer than a run.
    pub fn iterations(&mut self) -> Result<Vec<Iteration>> {
        let Self { session, graph, colors, steps, .. } = self;
        session.run(|_| iterations(graph, colors, &**steps))
    }
}

/// Makes `colors` what the first run needs, or one that is looked at after every iteration.
fn set_first_words(graph: &SharedGraph, colors: &Buffer<u32>, steps: &dyn Steps) -> Result<()> {
    steps.first_words(graph.csr()).map_or(Ok(()), |words| graph.device().upload(colors, 0, &words))
}

fn iterations(graph: &SharedGraph, buffer: &Buffer<u32>, steps: &dyn Steps) -> Result<Vec<Iteration>> {
    let device = graph.device();
    set_first_words(graph, buffer, steps)?;
    let degree = |node: usize| graph.csr().degree(node as u32);
    let record = |name: &str, steps_of: &dyn Fn(&mut Recorder) -> usize| -> Result<_> {
        let mut recorded = None;
        let recording = device.record(name, |recorder| {
            recorded = Some((steps_of(recorder), recorder.read_back(&steps.header().report())));
        })?;
        let (count, report) = recorded.ok_or_else(|| Error::Device("an iteration was not recorded".into()))?;
        Ok((count, recording, report))
    };
    let one = |odd: bool| {
        record("color, one iteration", &|recorder| {
            steps.iteration(recorder, odd);
            1
        })
    };
    let mut recordings = [one(false)?, one(true)?];
    let (begun, mut start, report) = record("color, start", &|recorder| steps.start(recorder))?;
    let kernel = start.run()?;
    let mut begun = (begun > 0).then(|| (kernel, start.value(report)));
    let mut iterations = Vec::new();
    let mut active: Vec<usize> = (0..buffer.len()).collect();
    let color_bits = steps.color_bits();
    let mut colors = device.download(buffer)?;
    while !active.is_empty() {
        let (kernel, report) = match begun.take() {
            Some(first) => first,
            None => {
                let (_, recording, report) = &mut recordings[iterations.len() % 2];
                (recording.run()?, recording.value(*report))
            }
        };
        device.download_into(buffer, &mut colors)?;
        let still: Vec<usize> = active.iter().copied().filter(|node| colors[*node] & TENTATIVE != 0).collect();
        let given = colors.par_iter().filter(|word| **word & TENTATIVE == 0).map(|word| (word & color_bits) + 1).max();
        let degrees = active.into_iter().map(degree).collect();
        let number = iterations.len() as u32 + 1;
        iterations.push(Iteration::new((number, kernel), degrees, still.len(), (colors.len(), given.unwrap_or(0))));
        // The device decides when it is over, as in a run.
        active = if report.frontier > 0 { still } else { Vec::new() };
    }
    Ok(iterations)
}

impl Iteration {
    const COLUMNS: &'static str =
        "iteration,active,colored,colors,lowest_degree,median_degree,mean_degree,highest_degree,degrees,kernel_ms";

    fn row(&self) -> String {
        let Self { iteration, active, colored, colors, lowest_degree, median_degree, .. } = self;
        let Self { mean_degree, highest_degree, kernel_ms, .. } = self;
        let degrees = self.degrees.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
        let degrees = format!("{lowest_degree},{median_degree},{mean_degree:?},{highest_degree},{degrees}");
        format!("{iteration},{active},{colored},{colors},{degrees},{kernel_ms:?}")
    }

    /// One of a graph of `nodes` nodes, in which those with `degrees` were active, of which `left` still are, and after which there are `colors`
    /// colours.
    fn new(
        (iteration, kernel): (u32, Duration),
        mut degrees: Vec<u32>,
        left: usize,
        (nodes, colors): (usize, u32),
    ) -> Self {
        degrees.sort_unstable();
        let active = degrees.len();
        let sum: u64 = degrees.iter().map(|degree| u64::from(*degree)).sum();
        let highest = degrees.last().copied().unwrap_or(0);
        let bin = |degree: u32| (u32::BITS - degree.leading_zeros()) as usize;
        let mut bins = vec![0usize; bin(highest) + 1];
        degrees.iter().for_each(|degree| bins[bin(*degree)] += 1);
        Self {
            iteration,
            active,
            colored: nodes - left,
            colors,
            lowest_degree: degrees.first().copied().unwrap_or(0),
            median_degree: degrees.get(active.saturating_sub(1) / 2).copied().unwrap_or(0),
            mean_degree: sum as f64 / active.max(1) as f64,
            highest_degree: highest,
            degrees: bins,
            kernel_ms: kernel.as_secs_f64() * 1e3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::DeviceOptions, graph::generate::Generator};
    use evenkeel_kernels::algorithm::color::independent::LIGHT;

    #[test]
    fn a_run_takes_no_colour_from_the_last_one() {
        let config = ColorConfig { strategy: "independent".parse().unwrap(), seed: 0 };
        let device = Device::open("cpu:subgroup=8", &DeviceOptions::default()).unwrap();
        // Light nodes alone; and with wide ones.
        for spec in ["er:nodes=600,degree=8", "rmat:scale=8"] {
            let csr = spec.parse::<Generator>().unwrap().generate().unwrap().csr;
            let mut color = Color::prepare(&device, &csr, &config).unwrap();
            color.run(&()).unwrap();
            let expected = color.answer().unwrap();
            for _ in 0..2 {
                let mut words = device.download(&color.colors).unwrap();
                for (node, word) in (0..).zip(&mut words).filter(|(node, _)| csr.degree(*node) <= LIGHT) {
                    assert!(*word & TENTATIVE == 0, "node {node} has no colour");
                    *word &= !color.steps.color_bits();
                }
                device.upload(&color.colors, 0, &words).unwrap();
                assert!(color.answer().unwrap() != expected, "{spec}");
                color.run(&()).unwrap();
                assert!(color.answer().unwrap() == expected, "{spec}");
            }
        }
    }
}

//! Minimum spanning forests: the lightest edges that connect what is connected. Borůvka's algorithm with light edges first (Fallin, Gonzalez,
//! Seo and Burtscher 2023). Edges are ordered by weight and then by their place in the graph, so there is one answer.

mod answer;
mod cpu;
mod record;
mod strategy;

pub use answer::{ForestWeights, SpanningForest};

use super::prelude::*;
use strategy::{Method, threshold};

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MstConfig {
    /// How the forest is found.
    pub strategy: Configured<Mst>,
}

impl Settings for MstConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        self.strategy.keys()
    }
}

/// A graph whose spanning forest is ready to be found.
pub struct Mst {
    session: Session,
    /// A bit for each edge of the graph: whether it is one of the forest.
    forest: Buffer<u32>,
    whole: DeviceLoop,
}

/// What is worked on, and with what.
struct ForestInputs<'a> {
    device: &'a Device,
    csr: &'a Csr,
    forest: &'a Buffer<u32>,
    /// The largest key of a light edge; all are where it is the largest number.
    threshold: u32,
}

/// The words of a bit for each edge.
fn words(csr: &Csr) -> usize {
    csr.columns().len().div_ceil(32)
}

/// Whether the edge to the larger node stands for its reverse, too.
fn is_symmetric(csr: &Csr) -> bool {
    csr.has_symmetric_weights()
}

impl Algorithm for Mst {
    const ABOUT: Description = Description {
        name: "mst",
        summary: "minimum spanning forest: the lightest edges that connect what is connected",
        help: "\
The directions of edges do not count; of parallel edges the lightest is taken, and edges from a node to itself are ignored. Weights may be \
negative; without weights every edge weighs 1. Of edges that weigh the same, the first in the order of the graph is taken, so the answer is \
the same in every run and on every device. The output is a line `source target weight` for each edge of the forest. There is a tree for \
each component, and a node without edges is one. The total weight is exact for whole weights, and in double precision for real ones.

Examples:
  evenkeel mst road:nodes=100000 --weights random:1..64 --validate
  evenkeel mst roads.gr.gz --output forest.csv
  evenkeel compare mst rmat:scale=14 --weights random:1..64",
        counted: true,
        weights: WeightUse::Optional,
        rows: RowKind::Edges,
        ..Description::DEFAULT
    };

    type Config = MstConfig;
    type Input = ();
    type Answer = SpanningForest;
    type Reference = SpanningForest;

    fn build(graph: &SharedGraph, config: &MstConfig) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        let session = Session::new(graph)?;
        let method = config.strategy.item().on(device.info())?.choose(device.info().kind, csr);
        let forest = device.buffer("forest", words(csr))?;
        let inputs = ForestInputs { device, csr, forest: &forest, threshold: threshold(method, csr) };
        let name = format!("mst {}", config.strategy);
        let whole = match method {
            Method::Kruskal => cpu::record(&inputs, &name)?,
            _ => record::record(&inputs, graph, &name)?,
        };
        let session = session.with_method(config.strategy.item().taken(&method));
        Ok(Self { session, forest, whole })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|graph| {
            let run = self.whole.run()?;
            refuse_given_up(graph.device(), &run, "this forest takes")?;
            Ok(run.into())
        })
    }

    fn answer(&self) -> Result<SpanningForest> {
        let graph = self.session.answered()?;
        let bits = graph.device().download(&self.forest)?;
        let of_word =
            |(word, bits): (u64, u32)| (0..32).filter(move |bit| (bits >> bit) & 1 > 0).map(move |bit| 32 * word + bit);
        let places: Vec<u64> = (0..).zip(bits).flat_map(of_word).collect();
        Ok(SpanningForest::of(graph.csr(), &places))
    }

    fn reference(graph: &Graph, (): &(), _: &MstConfig) -> Result<SpanningForest> {
        Ok(SpanningForest::of(&graph.csr, &oracle::mst::kruskal(&graph.csr)))
    }

    fn check(found: &SpanningForest, expected: &SpanningForest, _: &Graph, (): &()) -> Option<Mismatch> {
        found.first_difference(expected)
    }
}

impl FrontEnd for Mst {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut MstConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn ignores_directions(_: &MstConfig) -> bool {
        true
    }

    fn input((): &(), _: &Graph, _: &MstConfig) -> Result<()> {
        Ok(())
    }

    fn columns(_: &MstConfig) -> usize {
        3
    }
}

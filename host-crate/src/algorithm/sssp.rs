//! Single-source shortest paths: the distance of every node, the smallest sum of weights from the source. Weights are whole
//! or real, none negative.

use super::{SourceOptions, prelude::*, search::Search};
use crate::{
    oracle::dijkstra,
    strategy::{Operator, Strategy, Target, Traversal},
};
use evenkeel_types::UNREACHED;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SsspConfig {
    /// How edges are handed to invocations.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub strategy: Configured<Sssp>,
}

/// The distances of all nodes, in the kind of number that the weights are.
#[derive(Clone, Debug, PartialEq)]
pub enum Distances {
    /// Of whole weights; [`UNREACHED`] for nodes not reached.
    U32(Vec<u32>),
    /// Of real weights; infinite for nodes not reached.
    F32(Vec<f32>),
}

/// Shortest paths that are ready to run on one graph, from any source.
pub struct Sssp {
    session: Session,
    search: Search,
    overflowed: bool,
}

impl Algorithm for Sssp {
    const NAME: &'static str = "sssp";
    const SUMMARY: &'static str = "single-source shortest paths: the distance of every node by weighted edges";
    const HELP: &'static str = "\
The distance of a node is the smallest sum of weights from the source. A graph without weights is taken as if every edge weighed \
1. Negative weights are refused.

Examples:
  evenkeel sssp USA-road-d.NY.gr.gz --source 1 --validate
  evenkeel sssp rmat:scale=20 --weights random:1..64 --seed 7 --runs 5 --warmup 1
  evenkeel sssp roads.gr --output - | sort -k2,2n | tail";
    const COUNTED: bool = true;
    const WEIGHTS: WeightUse = WeightUse::Optional;
    const DEMO: &'static [&'static str] = &["node", "merge-path", "auto"];
    type Alternative = Box<dyn Strategy>;
    type Config = SsspConfig;
    type InputOptions = SourceOptions;
    type Tables = ();
    type Input = u32;
    type Answer = Distances;
    type Reference = Distances;

    fn choice(config: &mut SsspConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    /// For whole weights and for real ones there are the same strategies.
    fn takes(strategy: &Self::Alternative) -> bool {
        strategy.operators().contains(&Operator::SsspU32)
    }

    fn input(options: &SourceOptions, graph: &Graph, _: &SsspConfig) -> Result<u32> {
        options.source.find(graph)
    }

    fn source(input: &u32) -> Option<u32> {
        Some(*input)
    }

    fn plan(device: &DeviceInfo, csr: &Csr, config: &SsspConfig) -> Result<MemoryPlan> {
        let (target, strategy) = (Target { device, operator: operator(csr) }, config.strategy.item());
        let plan = Traversal::plan(csr, target.operator, strategy.reads_device_graph(target), "distances");
        Ok(plan.and(strategy.plan(csr, target)))
    }

    fn prepare_on(graph: &SharedGraph, config: &SsspConfig) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        refuse_negative(csr)?;
        refuse_unending_rows(device, csr)?;
        let session = Session::open(graph, Self::plan(device.info(), csr, config)?)?;
        let target = Target { device: device.info(), operator: operator(csr) };
        let on_device = config.strategy.item().reads_device_graph(target);
        let traversal = Traversal::new(graph, target.operator, on_device, "distances")?;
        Ok(Self { session, search: Search::record(device, traversal, &config.strategy)?, overflowed: false })
    }

    fn memory(&self) -> &MemoryPlan {
        self.session.memory()
    }

    fn run(&mut self, source: &u32) -> Result<Run> {
        self.session.run(|graph| {
            let run = self.search.run(graph, *source)?;
            self.overflowed = run.header.flags != 0;
            Ok(run.into())
        })
    }

    fn answer(&self) -> Result<Distances> {
        let graph = self.session.answered()?;
        let words = graph.device().download(&self.search.values)?;
        match graph.csr().weights() {
            Weights::F32(_) => {
                let real = |word: u32| if word == UNREACHED { f32::INFINITY } else { f32::from_bits(word) };
                Ok(Distances::F32(words.into_iter().map(real).collect()))
            }
            _ if self.overflowed => refuse_overflow(graph.csr(), &words).map(|()| Distances::U32(words)),
            _ => Ok(Distances::U32(words)),
        }
    }

    fn reference(graph: &Graph, source: &u32, _: &SsspConfig) -> Result<Distances> {
        Ok(match graph.csr.weights() {
            Weights::F32(_) => Distances::F32(dijkstra::real(&graph.csr, *source)?),
            _ => Distances::U32(dijkstra::whole(&graph.csr, *source)?),
        })
    }

    fn check(found: &Distances, expected: &Distances, graph: &Graph, _: &u32) -> Option<Mismatch> {
        first_difference(expected, found, graph)
    }

    fn figures(outcome: &Outcome<'_, Self>) -> Figures {
        outcome.reach()
    }
}

fn operator(csr: &Csr) -> Operator {
    if matches!(csr.weights(), Weights::F32(_)) { Operator::SsspF32 } else { Operator::SsspU32 }
}

impl Distances {
    /// The distance at a place of the list; none where there is no path.
    pub(super) fn at(&self, place: usize) -> Option<Value> {
        match self {
            Self::U32(all) => (all[place] != UNREACHED).then_some(Value::Whole(all[place])),
            Self::F32(all) => (all[place] != f32::INFINITY).then_some(Value::Real(all[place])),
        }
    }
}

impl Answer for Distances {
    fn value(&self, node: u32) -> Option<Value> {
        self.at(node as usize)
    }
}

/// A sum may have passed 32 bits. That matters only where a node has no shorter path: where an edge leads from a node that was
/// reached to one that was not.
pub(super) fn refuse_overflow(csr: &Csr, distances: &[u32]) -> Result<()> {
    for node in (0..csr.nodes()).filter(|node| distances[*node as usize] != UNREACHED) {
        if csr.neighbours(node).iter().any(|neighbour| distances[*neighbour as usize] == UNREACHED) {
            return Err(Error::Graph(
                "a shortest path is longer than 4,294,967,294, the most that whole distances hold; \
                 use smaller or real weights"
                    .into(),
            ));
        }
    }
    Ok(())
}

/// Shortest paths are not defined by relaxation alone where a weight is negative.
fn refuse_negative(csr: &Csr) -> Result<()> {
    if let Weights::F32(weights) = csr.weights()
        && let Some(weight) = weights.iter().find(|weight| **weight < 0.0)
    {
        return Err(Error::Graph(format!(
            "the graph has negative weights ({weight} is one), and shortest paths need weights that are not; \
             take --weights unit or --weights random:1..64 instead of the file's"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::NodeIds;

    /// 0 → 1; 2 is alone.
    fn edge(weights: Weights) -> Graph {
        let csr = Csr::new(vec![0, 1, 1, 1], vec![1], weights).unwrap();
        Graph { name: "edge".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
    }

    #[test]
    fn distances_are_checked_to_the_bit() {
        let whole = edge(Weights::U32(vec![5].into()));
        let check = |found: Distances, graph: &Graph| {
            let expected = Sssp::reference(graph, &0, &SsspConfig::default()).unwrap();
            let mismatch = Sssp::check(&found, &expected, graph, &0);
            mismatch.map(|mismatch| (mismatch.node, mismatch.expected, mismatch.found))
        };
        assert_eq!(check(Distances::U32(vec![0, 5, u32::MAX]), &whole), None);
        assert_eq!(check(Distances::U32(vec![0, 5, 7]), &whole), Some((2, "inf".into(), "7".into())));
        let real = edge(Weights::F32(vec![0.1].into()));
        assert_eq!(check(Distances::F32(vec![0.0, 0.1, f32::INFINITY]), &real), None);
        let next = f32::from_bits(0.1f32.to_bits() + 1);
        assert_eq!(check(Distances::F32(vec![0.0, next, f32::INFINITY]), &real).unwrap().0, 1);
        assert_eq!(check(Distances::F32(vec![0.0, 0.1, f32::NAN]), &real), Some((2, "inf".into(), "NaN".into())));
    }
}

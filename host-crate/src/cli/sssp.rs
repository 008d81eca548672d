//! Single-source shortest paths on the command line.

use super::{
    options::{SourceOptions, WeightOptions},
    task::{Answer, Task, first_difference},
};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{self, Distances, Run, Sssp, SsspConfig},
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, Weights, weights::WeightSource},
    oracle::{Mismatch, dijkstra},
    report::Value,
    strategy::{self, Operator, Strategy, Tuning},
};

/// What `evenkeel sssp --help` ends with.
pub const EXAMPLES: &str = "\
A graph without weights is taken as if every edge weighed 1. Negative weights are refused.

Examples:
  evenkeel sssp USA-road-d.NY.gr.gz --source 1 --validate
  evenkeel sssp rmat:scale=20 --weights random:1..64 --seed 7 --runs 5 --warmup 1
  evenkeel sssp roads.gr --output - | sort -k2,2n | tail";

/// Where to begin, and how long edges are.
#[derive(Args)]
pub struct SsspOptions {
    #[command(flatten)]
    source: SourceOptions,
    #[command(flatten)]
    weights: WeightOptions,
}

impl Task for Sssp {
    const ALGORITHM: &'static str = "sssp";
    const CHOICE: &'static str = "strategy";
    type Config = SsspConfig;
    type Tuning = Tuning;
    type Options = SsspOptions;
    type Input = u32;
    type Expected = Distances;
    type Answer = Distances;

    fn alternatives() -> Vec<String> {
        strategy::of(Operator::SsspU32).map(|strategy| strategy.name.to_owned()).collect()
    }

    fn known(name: &str) -> Result<String> {
        algorithm::sssp::known_strategy(name)
    }

    fn choice(config: &SsspConfig) -> &str {
        &config.strategy
    }

    fn with_choice(config: &SsspConfig, name: &str) -> SsspConfig {
        SsspConfig { strategy: name.to_owned(), tuning: config.tuning.read_by(name) }
    }

    fn tuned(tuning: &Tuning, names: &[String]) -> Result<SsspConfig> {
        tuning
            .check(&names.iter().map(|name| strategy::by_name(Operator::SsspU32, name)).collect::<Result<Vec<_>>>()?)?;
        Ok(SsspConfig { tuning: *tuning, ..SsspConfig::default() })
    }

    fn check(config: &SsspConfig) -> Result<()> {
        config.tuning.check(&[strategy::by_name(Operator::SsspU32, &config.strategy)?])
    }

    fn lines_of_code(name: &str) -> Option<usize> {
        strategy::by_name(Operator::SsspU32, name).ok().map(Strategy::lines_of_code)
    }

    fn weights(options: &SsspOptions) -> Result<WeightSource> {
        options.weights.source()
    }

    fn input(options: &SsspOptions, graph: &Graph) -> Result<u32> {
        options.source.source.find(graph)
    }

    fn source(input: &u32) -> Option<u32> {
        Some(*input)
    }

    fn plan(csr: &Csr, config: &SsspConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &SsspConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, source: &u32) -> Result<Run> {
        self.run(*source)
    }

    fn answer(&self) -> Result<Distances> {
        self.distances()
    }

    fn expected(graph: &Graph, source: &u32, _: &SsspConfig) -> Result<Distances> {
        Ok(match graph.csr.weights {
            Weights::F32(_) => Distances::F32(dijkstra::real(&graph.csr, *source)?),
            _ => Distances::U32(dijkstra::whole(&graph.csr, *source)?),
        })
    }

    fn mismatch(found: &Distances, expected: &Distances, graph: &Graph, _: &u32) -> Option<Mismatch> {
        first_difference(expected, found, graph)
    }
}

impl Answer for Distances {
    fn value(&self, node: u32) -> Option<Value> {
        match self {
            Self::U32(distances) => {
                let distance = distances[node as usize];
                (distance != dijkstra::UNREACHABLE).then_some(Value::Whole(distance))
            }
            Self::F32(distances) => {
                let distance = distances[node as usize];
                (distance != f32::INFINITY).then_some(Value::Real(distance))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::NodeIds;

    /// 0 → 1; 2 is alone.
    fn edge(weights: Weights) -> Graph {
        let csr = Csr { row_offsets: vec![0, 1, 1, 1].into(), columns: vec![1].into(), weights };
        Graph { name: "edge".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
    }

    #[test]
    fn distances_are_checked_to_the_bit() {
        let whole = edge(Weights::U32(vec![5].into()));
        let check = |found: Distances, graph: &Graph| {
            let expected = Sssp::expected(graph, &0, &SsspConfig::default()).unwrap();
            let mismatch = Sssp::mismatch(&found, &expected, graph, &0);
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

//! `evenkeel sssp GRAPH`.

use super::{
    options::WeightOptions,
    run::Traversal,
    task::{Answer, Task, readable},
};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{Distances, Run, Sssp, SsspConfig},
    device::{Device, MemoryPlan},
    graph::{Csr, Graph},
    oracle::{self, Mismatch, dijkstra},
    report::Value,
};

const EXAMPLES: &str = "\
A graph without weights is taken as if every edge weighed 1. Negative weights are refused.

Examples:
  evenkeel sssp USA-road-d.NY.gr.gz --source 1 --validate
  evenkeel sssp rmat:scale=20 --weights random:1..64 --seed 7 --runs 5 --warmup 1
  evenkeel sssp roads.gr --output - | sort -k2,2n | tail";

/// Single-source shortest paths: the distance of every node, that is, the smallest sum of weights from the source.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SsspCommand {
    #[command(flatten)]
    traversal: Traversal,
    #[command(flatten)]
    weights: WeightOptions,
    #[command(flatten, next_help_heading = "Algorithm")]
    config: SsspConfig,
}

impl SsspCommand {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        self.traversal.execute::<Sssp>(&self.config, self.weights.source()?, quiet)
    }
}

impl Task for Sssp {
    const ALGORITHM: &'static str = "sssp";
    type Config = SsspConfig;
    type Answer = Distances;

    fn strategy(config: &SsspConfig) -> &str {
        &config.strategy
    }

    fn with_strategy(_: &SsspConfig, strategy: &str) -> SsspConfig {
        SsspConfig { strategy: strategy.to_owned() }
    }

    fn plan(csr: &Csr, config: &SsspConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &SsspConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, source: u32) -> Result<Run> {
        self.run(source)
    }

    fn answer(&self) -> Result<Distances> {
        self.distances()
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
                distance.is_finite().then_some(Value::Real(distance))
            }
        }
    }

    fn check(&self, graph: &Graph, source: u32) -> Result<Option<Mismatch>> {
        let mismatch = match self {
            Self::U32(found) => oracle::first_mismatch(&dijkstra::whole(&graph.csr, source)?, found),
            Self::F32(found) => oracle::first_mismatch(&dijkstra::real(&graph.csr, source)?, found),
        };
        Ok(mismatch.map(readable))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::{NodeIds, Weights};

    /// 0 → 1; 2 is alone.
    fn edge(weights: Weights) -> Graph {
        let csr = Csr { row_offsets: vec![0, 1, 1, 1].into(), columns: vec![1].into(), weights };
        Graph { name: "edge".into(), csr, ids: NodeIds::Counted { first: 0 }, directed: true }
    }

    #[test]
    fn distances_are_checked_to_the_bit() {
        let whole = edge(Weights::U32(vec![5].into()));
        let check =
            |found: Distances, graph: &Graph| found.check(graph, 0).unwrap().map(|m| (m.node, m.expected, m.found));
        assert_eq!(check(Distances::U32(vec![0, 5, u32::MAX]), &whole), None);
        assert_eq!(check(Distances::U32(vec![0, 5, 7]), &whole), Some((2, "inf".into(), "7".into())));
        let real = edge(Weights::F32(vec![0.1].into()));
        assert_eq!(check(Distances::F32(vec![0.0, 0.1, f32::INFINITY]), &real), None);
        let next = f32::from_bits(0.1f32.to_bits() + 1);
        assert_eq!(check(Distances::F32(vec![0.0, next, f32::INFINITY]), &real).unwrap().0, 1);
    }
}

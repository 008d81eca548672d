//! All-pairs shortest paths on the command line.

use super::{
    options::WeightOptions,
    task::{Answer, Task},
};
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::{AllPairs, Apsp, ApspConfig, Distances, Run, apsp},
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, NodeIds, Weights, weights::WeightSource},
    oracle::{Mismatch, dijkstra, floyd_warshall},
    report::Value,
};
use rayon::prelude::*;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// What `evenkeel apsp --help` ends with.
pub const EXAMPLES: &str = "\
A graph without weights is taken as if every edge weighed 1. Weights may be negative with blocked and floyd-warshall; a cycle of \
negative length is an error. The output is text, a line `id distance distance …` for each node, with inf where there is no path, \
on standard output and in a file named .txt; any other file is binary: EVKPAIRS, the number of nodes and 0 (u32) or 1 (f32) as \
32-bit words, then the distances row by row, all little-endian. Whole distances are checked to the last digit, real ones to four.

Examples:
  evenkeel apsp complete:nodes=1000 --weights random:1..64 --validate
  evenkeel apsp soc-sign-bitcoinotc.csv --weights unit --strategy sssp --runs 5 --warmup 1
  evenkeel apsp roads.gr --output distances.bin";

/// How long edges are.
#[derive(Args)]
pub struct ApspOptions {
    #[command(flatten)]
    weights: WeightOptions,
}

/// There is nothing that `evenkeel compare apsp` can choose for all strategies.
#[derive(Args)]
pub struct NoTuning {}

impl Task for Apsp {
    const ALGORITHM: &'static str = "apsp";
    const CHOICE: &'static str = "strategy";
    type Config = ApspConfig;
    type Tuning = NoTuning;
    type Options = ApspOptions;
    type Input = ();
    type Expected = Distances;
    type Answer = AllPairs;

    fn alternatives() -> Vec<String> {
        apsp::STRATEGIES.iter().map(|strategy| strategy[0].to_owned()).collect()
    }

    fn known(name: &str) -> Result<String> {
        apsp::known_strategy(name)
    }

    fn choice(config: &ApspConfig) -> &str {
        &config.strategy
    }

    fn with_choice(_: &ApspConfig, name: &str) -> ApspConfig {
        ApspConfig { strategy: name.to_owned() }
    }

    fn weights(options: &ApspOptions) -> Result<WeightSource> {
        options.weights.source()
    }

    fn input(_: &ApspOptions, _: &Graph) -> Result<()> {
        Ok(())
    }

    /// Every edge once for each node to come from.
    fn edges_taken(csr: &Csr) -> u64 {
        u64::from(csr.nodes()) * u64::from(csr.edges())
    }

    fn refusal(error: Error, device: &Device, csr: &Csr, config: &ApspConfig) -> Error {
        match Self::most_nodes(device, csr, config) {
            Ok(most) => Error::Memory(format!("{error}; of {} nodes at most {most} would fit", csr.nodes())),
            Err(_) => error,
        }
    }

    fn plan(csr: &Csr, config: &ApspConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &ApspConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.run()
    }

    fn answer(&self) -> Result<AllPairs> {
        self.distances()
    }

    /// Dijkstra from every node, and where a weight is negative Floyd and Warshall.
    fn expected(graph: &Graph, (): &(), _: &ApspConfig) -> Result<Distances> {
        let (csr, nodes) = (&graph.csr, graph.csr.nodes());
        let negative = csr.weights.range().is_some_and(|(smallest, _)| smallest < 0.0);
        Ok(match csr.weights {
            Weights::F32(_) if negative => {
                Distances::F32(floyd_warshall::real(csr)?.into_iter().map(|distance| distance as f32).collect())
            }
            Weights::F32(_) => {
                let rows = (0..nodes).into_par_iter().map(|source| dijkstra::real(csr, source));
                Distances::F32(rows.collect::<Result<Vec<_>>>()?.concat())
            }
            _ => {
                let rows = (0..nodes).into_par_iter().map(|source| dijkstra::whole(csr, source));
                Distances::U32(rows.collect::<Result<Vec<_>>>()?.concat())
            }
        })
    }

    fn mismatch(found: &AllPairs, expected: &Distances, graph: &Graph, (): &()) -> Option<Mismatch> {
        let nodes = graph.csr.nodes() as usize;
        let place = match (&found.distances, expected) {
            (Distances::U32(found), Distances::U32(expected)) => {
                (0..nodes * nodes).find(|&place| found[place] != expected[place])
            }
            (Distances::F32(found), Distances::F32(expected)) => {
                let (low, high) = graph.csr.weights.range().unwrap_or_default();
                let unit = low.abs().max(high.abs());
                (0..nodes * nodes).find(|&place| !is_close(found[place].into(), expected[place].into(), unit))
            }
            _ => Some(0),
        }?;
        let (source, target) = ((place / nodes) as u32, (place % nodes) as u32);
        let text = |distances: &Distances| {
            let value = value(distances, place).map_or("inf".to_owned(), |value| value.to_string());
            format!("{value} to node {}", graph.ids.id(target))
        };
        Some(Mismatch { node: source, expected: text(expected), found: text(&found.distances) })
    }
}

/// Strategies add the weights of a path in different orders, so real distances differ by rounding: by some ten-thousandths of
/// a weight even where weights of both signs come to nothing.
fn is_close(found: f64, expected: f64, longest_weight: f64) -> bool {
    found == expected || (found - expected).abs() <= 1e-4 * expected.abs().max(longest_weight)
}

fn value(distances: &Distances, place: usize) -> Option<Value> {
    match distances {
        Distances::U32(all) => (all[place] != dijkstra::UNREACHABLE).then_some(Value::Whole(all[place])),
        Distances::F32(all) => (all[place] != f32::INFINITY).then_some(Value::Real(all[place])),
    }
}

impl Answer for AllPairs {
    fn value(&self, node: u32) -> Option<Value> {
        value(&self.distances, node as usize * self.nodes as usize)
    }

    fn further_columns(&self, node: u32, _: &NodeIds, line: &mut String) {
        let first = node as usize * self.nodes as usize;
        for place in first + 1..first + self.nodes as usize {
            // Writing to a string does not fail.
            let _ = match value(&self.distances, place) {
                Some(value) => write!(line, " {value}"),
                None => write!(line, " inf"),
            };
        }
    }

    fn write_binary(&self, writer: &mut dyn Write) -> io::Result<bool> {
        self.write(writer).map(|()| true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1; 2 is alone. The file counts from 1.
    fn edge(weights: Weights) -> Graph {
        let csr = Csr { row_offsets: vec![0, 1, 1, 1].into(), columns: vec![1].into(), weights };
        Graph { name: "edge".into(), csr, ids: NodeIds::Counted { first: 1 }, directed: true }
    }

    fn check(graph: &Graph, distances: Distances) -> Option<String> {
        let expected = Apsp::expected(graph, &(), &ApspConfig::default()).unwrap();
        let found = AllPairs { nodes: 3, distances };
        Apsp::mismatch(&found, &expected, graph, &()).map(|mismatch| mismatch.to_string())
    }

    #[test]
    fn a_wrong_pair_is_named() {
        const FAR: u32 = u32::MAX;
        let graph = edge(Weights::U32(vec![5].into()));
        assert_eq!(check(&graph, Distances::U32(vec![0, 5, FAR, FAR, 0, FAR, FAR, FAR, 0])), None);
        let wrong = check(&graph, Distances::U32(vec![0, 5, FAR, FAR, 0, 7, FAR, FAR, 0]));
        assert_eq!(wrong.unwrap(), "node 1: expected inf to node 3, found 7 to node 3");
    }

    #[test]
    fn reals_may_differ_by_rounding_alone() {
        const FAR: f32 = f32::INFINITY;
        for weight in [0.5, -0.5] {
            let graph = edge(Weights::F32(vec![weight].into()));
            let found = |distance| Distances::F32(vec![0.0, distance, FAR, FAR, 0.0, FAR, FAR, FAR, 0.0]);
            assert_eq!(check(&graph, found(weight * 1.000_01)), None);
            assert!(check(&graph, found(weight * 1.001)).is_some());
            assert!(check(&graph, found(FAR)).is_some());
            assert!(check(&graph, found(f32::NAN)).is_some());
        }
    }
}

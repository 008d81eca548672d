//! `evenkeel-papers measure-switching --model FILE TABLE…`: what it costs to predict the variant of a level, and to change it.

use crate::tuning::Table;
use anyhow::Context;
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{Algorithm, Bfs, BfsConfig},
    device::Device,
    graph::{Csr, generate::Generator},
    settings::Configured,
    strategy::adaptive::{Adaptive, Count, Family, Feature, Features, Implementation, Model, Node, Variant},
};
use evenkeel_cli::{
    options::DeviceOptions,
    output::{Output, refuse_same_files, write_json_or_print},
};
use serde::Serialize;
use std::{
    hint::black_box,
    path::PathBuf,
    time::{Duration, Instant},
};

/// Time predictions of a model on the host, and on the device searches that predict and that switch in every level.
#[derive(Args)]
pub struct MeasureSwitching {
    /// Tables that `evenkeel-papers measure-levels` wrote: the host predicts for each of their levels.
    #[arg(value_name = "TABLE")]
    tables: Vec<PathBuf>,
    /// The model that the host predicts by.
    #[arg(long, value_name = "FILE", requires = "tables")]
    model: Option<PathBuf>,
    /// The levels of the searches on the device, and as many leaves of their trees.
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(2..=4096), help_heading = "Run")]
    levels: u32,
    /// How often each of these searches runs; the median counts.
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..), help_heading = "Run")]
    runs: u32,
    /// Write the times as JSON. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    device: DeviceOptions,
}

/// What was measured.
#[derive(Serialize)]
struct Switching {
    /// Predictions on the host; none without a model and tables.
    #[serde(skip_serializing_if = "Option::is_none")]
    host: Option<Predictions>,
    /// The levels of a search on the device.
    levels: u32,
    /// The decisions of a tree in each level.
    decisions: u32,
    /// How often each search ran.
    runs: u32,
    /// Searches on the device, by an implementation beside the edge list.
    device: Vec<Pair>,
}

/// How long predictions take on the host, one for each level of the tables.
#[derive(Serialize)]
struct Predictions {
    /// The levels.
    levels: usize,
    /// The mean nanoseconds of a prediction.
    mean_ns: f64,
    /// The standard deviation over levels.
    deviation_ns: f64,
    /// The level whose prediction takes longest.
    most_ns: f64,
    /// The mean microseconds of these levels in their best variants.
    level_us: f64,
}

/// Median microseconds of a level in searches by an implementation and by the edge list.
#[derive(Serialize)]
struct Pair {
    /// The implementation.
    implementation: &'static str,
    /// By a tree that is one leaf, so that nothing is decided.
    alone_us: f64,
    /// By the tree whose leaves all name it.
    decided_us: f64,
    /// By the edge list, decided by the same tree.
    edge_list_us: f64,
    /// By the tree whose leaves name the two in turn, so that every level changes the variant.
    switching_us: f64,
    /// What the decisions of a level take.
    prediction_us: f64,
    /// What a change takes beyond the mean of both.
    switch_us: f64,
}

/// Each prediction is timed so many times together: a clock takes about as long to read as a prediction does.
const TOGETHER: u32 = 64;

impl MeasureSwitching {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        refuse_same_files(&[("--json", self.json.as_deref())], &self.tables)?;
        let json = Output::create_if(self.json.as_deref())?;
        let mut table = Table::default();
        for path in &self.tables {
            table.read(path)?;
        }
        let host = match &self.model {
            Some(path) if !table.rows.is_empty() => Some(predictions(&Model::read(path)?, &table)),
            _ => None,
        };
        let device = self.device.open(false)?;
        let chain = format!("chain:nodes={}", self.levels).parse::<Generator>()?.generate()?;
        let others = Implementation::TOPOLOGY_DRIVEN.into_iter().filter(|it| *it != Implementation::EdgeList);
        let pairs = others.map(|it| self.pair(&device, &chain.csr, it)).collect::<anyhow::Result<Vec<Pair>>>()?;
        let decisions = self.levels.next_power_of_two().ilog2();
        let measured = Switching { host, levels: self.levels, decisions, runs: self.runs, device: pairs };
        Ok(write_json_or_print(json, &measured, quiet, || said(&measured))?)
    }

    /// Searches by two implementations, alone and in turn. Their runs alternate, so that what disturbs them disturbs all.
    fn pair(&self, device: &Device, chain: &Csr, implementation: Implementation) -> anyhow::Result<Pair> {
        let [edge_list, other] = [Implementation::EdgeList, implementation]
            .map(|implementation| Variant { implementation, count: Count::Atomic });
        let tree = |leaf: &dyn Fn(u32) -> Variant| balanced(0, self.levels, leaf);
        let trees = [
            Node::Leaf(Some(other)),
            tree(&|_| other),
            tree(&|_| edge_list),
            tree(&|level| if level % 2 == 0 { edge_list } else { other }),
        ];
        let mut searches = trees.map(|root| prepared(device, chain, root)).into_iter().collect::<Result<Vec<Bfs>>>()?;
        let mut times = vec![Vec::new(); searches.len()];
        for round in 0..=self.runs {
            for (search, times) in searches.iter_mut().zip(&mut times) {
                let run = search.run(&0)?;
                // The first run warms up.
                if round > 0 {
                    times.push(run.total);
                }
            }
        }
        let mut medians = times.into_iter().map(|times| median(times).as_secs_f64() * 1e6 / f64::from(self.levels));
        let mut next = || medians.next().context("a search was not timed");
        let (alone_us, decided_us, edge_list_us, switching_us) = (next()?, next()?, next()?, next()?);
        let (prediction_us, switch_us) = (decided_us - alone_us, switching_us - (decided_us + edge_list_us) / 2.0);
        let implementation = implementation.name();
        Ok(Pair { implementation, alone_us, decided_us, edge_list_us, switching_us, prediction_us, switch_us })
    }
}

/// A tree that has a leaf for each level of a search along a chain: before level `n`, `n + 1` nodes are discovered.
fn balanced(first: u32, end: u32, leaf: &dyn Fn(u32) -> Variant) -> Node {
    if end - first <= 1 {
        return Node::Leaf(Some(leaf(first)));
    }
    let middle = first.midpoint(end);
    Node::If {
        feature: Feature::Discovered,
        threshold: middle.into(),
        at_most: Box::new(balanced(first, middle, leaf)),
        more: Box::new(balanced(middle, end, leaf)),
    }
}

fn prepared(device: &Device, chain: &Csr, root: Node) -> Result<Bfs> {
    let model = Model::new("switching", root, Family::Fifteen);
    let strategy = Adaptive { model: Some(model.into()), ..Adaptive::default() };
    Bfs::prepare(device, chain, &BfsConfig { strategy: Configured::new(strategy)?, ..BfsConfig::default() })
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Times the prediction for each level of a table.
fn predictions(model: &Model, table: &Table) -> Predictions {
    let of_level = |features: &Features| {
        let begin = Instant::now();
        for _ in 0..TOGETHER {
            black_box(model.choose(black_box(features)));
        }
        begin.elapsed().as_nanos() as f64 / f64::from(TOGETHER)
    };
    let times: Vec<f64> = table.rows.iter().map(|row| of_level(&row.features)).collect();
    let mean = |values: &dyn Fn(usize) -> f64| (0..times.len()).map(values).sum::<f64>() / times.len() as f64;
    let mean_ns = mean(&|level| times[level]);
    let least = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
    Predictions {
        levels: times.len(),
        mean_ns,
        deviation_ns: mean(&|level| (times[level] - mean_ns).powi(2)).sqrt(),
        most_ns: times.iter().copied().fold(0.0, f64::max),
        level_us: mean(&|level| least(&table.rows[level].microseconds)),
    }
}

fn said(measured: &Switching) -> String {
    let host = measured.host.as_ref().map_or_else(String::new, |it| {
        format!(
            "a prediction on the host: {:.0} ns, at most {:.0} ns, for {} levels\n",
            it.mean_ns, it.most_ns, it.levels
        )
    });
    let pair = |it: &Pair| {
        format!(
            "edge-list and {}: {} decisions on the device {:.2} µs, a change {:.2} µs, a level {:.2} µs\n",
            it.implementation, measured.decisions, it.prediction_us, it.switch_us, it.decided_us
        )
    };
    host + &measured.device.iter().map(pair).collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::strategy::adaptive::{GraphFeatures, LevelSize};

    #[test]
    fn the_leaves_of_a_balanced_tree_are_for_one_level_each() {
        let chain = "chain:nodes=37".parse::<Generator>().unwrap().generate().unwrap();
        let variants = Family::Fifteen.variants();
        let model = Model::new("test", balanced(0, 37, &|level| variants[level as usize % 15]), Family::Fifteen);
        let known = GraphFeatures::of(&chain.csr);
        for level in 0..37 {
            let size = LevelSize { frontier: 1, discovered: level + 1, edges: 2 };
            assert_eq!(model.choose(&Features::of(&known, size)), Some(variants[level as usize % 15]), "{level}");
        }
    }

    #[test]
    fn a_median_is_in_the_middle() {
        let times = [7, 1, 9, 3, 5].map(Duration::from_micros);
        assert_eq!(median(times.to_vec()), Duration::from_micros(5));
    }
}

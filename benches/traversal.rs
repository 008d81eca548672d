//! How long a traversal takes when the graph is on the device: BFS and SSSP with every strategy, on a skewed graph, a grid
//! and a road network. A sample is the sum of the runs' own times, from the first submission until the answer is ready on the
//! device. Every answer is checked before it is timed; rates are of the edges that leave the nodes reached.
//!
//! `target` is BFS with one invocation a node on a grid of 1,024 × 1,024 from a corner, whatever the size of the others: 2,047
//! levels of which none has much work, so that it measures what a level costs.

use criterion::{
    BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use evenkeel::{
    algorithm::{Algorithm, Bfs, BfsConfig, Distances, Run, Source, Sssp, SsspConfig},
    device::Device,
    graph::{
        Graph,
        weights::{WeightSource, assign},
    },
    oracle,
    strategy::{self, Operator},
};
use evenkeel_benches::{device, generate, scale};
use std::{cell::OnceCell, time::Duration};

const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

fn traversals(criterion: &mut Criterion) {
    let (device, scale) = (device(), scale());
    println!("on {}", device.info().name);
    let (rows, cols) = (1u64 << (scale / 2), 1u64 << scale.div_ceil(2));
    for text in [
        format!("rmat:scale={scale}"),
        format!("grid:rows={rows},cols={cols}"),
        format!("road:nodes={}", 1u64 << scale),
    ] {
        let mut graph = generate(&text);
        assign(&mut graph, WEIGHTS).expect("weights");
        let source = Source::MaxDegree.find(&graph).expect("a graph with nodes");
        let setting = Setting::new(&device, &graph, source);
        let mut group = group(criterion, &text);
        for strategy in strategy::of(Operator::Bfs) {
            setting.bfs(&mut group, &format!("bfs/{}", strategy.name), strategy.name);
        }
        for strategy in strategy::of(Operator::SsspU32) {
            setting.sssp(&mut group, &format!("sssp/{}", strategy.name), strategy.name);
        }
        group.finish();
    }
}

fn target(criterion: &mut Criterion) {
    let name = "grid:rows=1024,cols=1024";
    let (device, graph) = (device(), generate(name));
    let mut group = group(criterion, "target");
    Setting::new(&device, &graph, 0).bfs(&mut group, name, "node");
    group.finish();
}

type Group<'c> = BenchmarkGroup<'c, WallTime>;

fn group<'c>(criterion: &'c mut Criterion, name: &str) -> Group<'c> {
    let mut group = criterion.benchmark_group(name);
    // Few samples of many runs each, so that all strategies together take about a minute.
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

/// What is traversed, and what must come of it.
struct Setting<'a> {
    device: &'a Device,
    graph: &'a Graph,
    source: u32,
    depths: Vec<u32>,
    /// Found when a benchmark that needs them was not filtered out.
    distances: OnceCell<Vec<u32>>,
}

impl<'a> Setting<'a> {
    fn new(device: &'a Device, graph: &'a Graph, source: u32) -> Self {
        let depths = oracle::bfs::depths(&graph.csr, source);
        Self { device, graph, source, depths, distances: OnceCell::new() }
    }

    fn bfs(&self, group: &mut Group<'_>, name: &str, strategy: &str) {
        let config = BfsConfig { strategy: strategy.parse().unwrap(), ..BfsConfig::default() };
        let prepare = || {
            let mut bfs = Bfs::prepare(self.device, &self.graph.csr, &config).expect("the graph fits");
            bfs.run(&self.source).expect("a run");
            let found = bfs.answer().expect("depths").depths;
            assert!(found == self.depths, "{strategy} gives wrong depths on {}", self.graph.name);
            bfs
        };
        self.measure(group, name, prepare, |bfs| bfs.run(&self.source).expect("a run"));
    }

    fn sssp(&self, group: &mut Group<'_>, name: &str, strategy: &str) {
        let config = SsspConfig { strategy: strategy.parse().unwrap() };
        let prepare = || {
            let mut sssp = Sssp::prepare(self.device, &self.graph.csr, &config).expect("the graph fits");
            sssp.run(&self.source).expect("a run");
            let found = sssp.answer().expect("distances");
            assert!(found == self.distances(), "{strategy} gives wrong distances on {}", self.graph.name);
            sssp
        };
        self.measure(group, name, prepare, |sssp| sssp.run(&self.source).expect("a run"));
    }

    fn distances(&self) -> Distances {
        let dijkstra = || oracle::dijkstra::whole(&self.graph.csr, self.source).expect("distances of 32 bits");
        Distances::U32(self.distances.get_or_init(dijkstra).clone())
    }

    /// The edges that leave the nodes reached, which are the same for every algorithm here.
    fn reached_edges(&self) -> u64 {
        let reached = |node: &u32| self.depths[*node as usize] != oracle::bfs::UNREACHABLE;
        let csr = &self.graph.csr;
        (0..csr.nodes()).filter(reached).map(|node| u64::from(csr.degree(node))).sum()
    }

    fn measure<T>(
        &self,
        group: &mut Group<'_>,
        name: &str,
        prepare: impl Fn() -> T,
        mut run: impl FnMut(&mut T) -> Run,
    ) {
        group.throughput(Throughput::Elements(self.reached_edges()));
        let mut prepared = None;
        group.bench_function(name, |bencher| {
            let traversal = prepared.get_or_insert_with(&prepare);
            bencher.iter_custom(|runs| (0..runs).map(|_| run(traversal).total).sum());
        });
    }
}

// Pictures and the default's hundred thousand resamples would take longer than the runs.
criterion_group! {
    name = benches;
    config = Criterion::default().without_plots().nresamples(10_000);
    targets = traversals, target
}
criterion_main!(benches);

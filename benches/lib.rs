//! Shared parts of the benchmarks: the graph, device and size that the environment asks for, and an algorithm whose answer is checked
//! before its runs are timed.
//!
//! `EVENKEEL_BENCH_DEVICE` is what `--device` takes, `auto` unless set. `EVENKEEL_BENCH_SCALE` is the logarithm of the number
//! of nodes, small unless set, so that a benchmark is done in about a minute where the CPU plays the GPU.

use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, measurement::WallTime};
use evenkeel::{
    algorithm::{FrontEnd, Run},
    device::{Device, DeviceOptions},
    graph::{
        Graph,
        generate::Generator,
        weights::{WeightSource, assign},
    },
};
use std::{cell::OnceCell, env, time::Duration};

/// The graph that a generator's text describes.
pub fn generate(text: &str) -> Graph {
    let generator: Generator = text.parse().expect("a generator");
    generator.generate().expect("a graph")
}

/// Generates a graph from its text and gives it random weights.
pub fn weighted(text: &str) -> Graph {
    let mut graph = generate(text);
    assign(&mut graph, WeightSource::Random { low: 1, high: 64, seed: 0 }).expect("weights");
    graph
}

/// A grid of 2 to the power of `scale` nodes.
pub fn grid(scale: u32) -> String {
    format!("grid:rows={},cols={}", 1u64 << (scale / 2), 1u64 << scale.div_ceil(2))
}

/// The device to measure on.
pub fn device() -> Device {
    let selector = env::var("EVENKEEL_BENCH_DEVICE").unwrap_or_else(|_| "auto".to_owned());
    let options = DeviceOptions { pipeline_cache: true, ..DeviceOptions::default() };
    let device = Device::open(&selector, &options).expect("the device that EVENKEEL_BENCH_DEVICE names");
    println!("on {}", device.info().name);
    device
}

/// The logarithm of the number of nodes.
pub fn scale_or(default: u32) -> u32 {
    env::var("EVENKEEL_BENCH_SCALE")
        .map_or(default, |scale| scale.parse().expect("EVENKEEL_BENCH_SCALE is a whole number"))
}

/// Pictures and the default's hundred thousand resamples would take longer than the runs.
pub fn criterion() -> Criterion {
    Criterion::default().without_plots().nresamples(10_000)
}

/// Benchmarks whose results stand together.
pub type Group<'c> = BenchmarkGroup<'c, WallTime>;

/// A group whose rate is of so many elements: few samples of many runs each, so that all of it takes about a minute.
pub fn group<'c>(criterion: &'c mut Criterion, name: &str, elements: u64) -> Group<'c> {
    let mut group = criterion.benchmark_group(name);
    group.sample_size(10).sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(elements));
    group.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    group
}

/// Times what `prepare` makes ready, by the runs' own clock. What was filtered out is not prepared.
pub fn measure<T>(group: &mut Group<'_>, name: &str, prepare: impl Fn() -> T, mut run: impl FnMut(&mut T) -> Duration) {
    let mut prepared = None;
    group.bench_function(name, |bencher| {
        let ready = prepared.get_or_insert_with(&prepare);
        bencher.iter_custom(|runs| (0..runs).map(|_| run(ready)).sum());
    });
}

/// An algorithm on a graph, and the answer that it must give.
pub struct Subject<'a, A: FrontEnd> {
    graph: &'a Graph,
    input: A::Input,
    reference: OnceCell<A::Reference>,
}

impl<'a, A: FrontEnd> Subject<'a, A> {
    /// The algorithm with its default settings.
    pub fn new(graph: &'a Graph, input: A::Input) -> Self {
        Self { graph, input, reference: OnceCell::new() }
    }

    /// The oracle's answer.
    pub fn oracle(&self) -> A::Reference {
        A::reference(self.graph, &self.input, &A::Config::default()).expect("a reference answer")
    }

    /// Times an alternative, by what `time` takes of a run.
    pub fn measure(
        &self,
        group: &mut Group<'_>,
        name: &str,
        device: &Device,
        alternative: &str,
        time: fn(Run) -> Duration,
    ) {
        let config = A::with_alternative(&A::Config::default(), alternative).expect("a registered name");
        self.measure_with(group, name, device, &config, time);
    }

    /// Times it with other settings.
    pub fn measure_with(
        &self,
        group: &mut Group<'_>,
        name: &str,
        device: &Device,
        config: &A::Config,
        time: fn(Run) -> Duration,
    ) {
        let prepare = || {
            let mut algorithm = A::prepare(device, &self.graph.csr, config).expect("the graph fits");
            algorithm.run(&self.input).expect("a run");
            let answer = algorithm.answer().expect("an answer");
            let reference = self.reference.get_or_init(|| self.oracle());
            let mismatch = A::check(&answer, reference, self.graph, &self.input);
            assert!(mismatch.is_none(), "{name} is wrong on {}: {mismatch:?}", self.graph.name);
            algorithm
        };
        measure(group, name, prepare, |algorithm| time(algorithm.run(&self.input).expect("a run")));
    }
}

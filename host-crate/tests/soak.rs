//! Random graphs, algorithms, strategies and devices against the oracles, for as long as they are given.
//!
//! `cargo xtask soak` runs it for minutes or hours. A plain `cargo test` gives it a few seconds. In a build with debug assertions
//! most of the emulated GPUs also switch between invocations before accesses to shared memory, which is where races come out.
//!
//! - `EVENKEEL_SOAK_SECONDS`: how long; 10 unless said.
//! - `EVENKEEL_SOAK_SEED`: what the cases are drawn from; 1 unless said.
//! - `EVENKEEL_SOAK_DEVICES`: the devices, with blanks between, as `--device` takes them.
//!
//! A case that fails is made smaller for as long as it still fails, and saved below the target folder's `tmp/soak`.

use evenkeel::{
    Error,
    algorithm::{self, FrontEnd, Selectable, Visitor},
    device::{Device, DeviceOptions},
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds},
};
use fastrand::Rng;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The CPU, and the CPU as a GPU with subgroups of each width; with few and with several workgroups at a time.
const DEVICES: &str = if cfg!(debug_assertions) {
    "cpu cpu:subgroup=2,resident=3,accesses=8 cpu:subgroup=4,accesses=8 cpu:subgroup=8,resident=1,accesses=8 cpu:subgroup=16 \
     cpu:subgroup=32,accesses=8 cpu:subgroup=64,resident=2,accesses=8 cpu:subgroup=128,accesses=8"
} else {
    "cpu cpu:subgroup=2,resident=3 cpu:subgroup=4 cpu:subgroup=8,resident=1 cpu:subgroup=16 cpu:subgroup=32 \
     cpu:subgroup=64,resident=2 cpu:subgroup=128"
};

/// Weights of edges.
#[derive(Clone, Copy, Debug)]
enum Weighted {
    Not,
    /// Small ones, zero included.
    Whole,
    /// Fractions of 1.
    Real,
}

/// A random graph.
#[derive(Clone, Debug)]
struct Case {
    nodes: u32,
    edges: Vec<(u32, u32)>,
    weighted: Weighted,
    undirected: bool,
}

impl Case {
    fn draw(rng: &mut Rng, most: u32) -> Self {
        // Small ones more often: they take less time, and have most of the corners that larger ones have.
        let nodes = f64::from(most + 1).powf(rng.f64()) as u32;
        let node = |rng: &mut Rng| rng.u32(..nodes);
        let count = rng.usize(..=4 * nodes as usize);
        let mut edges: Vec<(u32, u32)> = match rng.u32(..6) {
            // Hubs, of which each has a part of all nodes.
            0 => {
                let hubs: Vec<_> = (0..rng.u32(1..4)).map(|_| node(rng)).collect();
                (0..count).map(|_| (hubs[rng.usize(..hubs.len())], node(rng))).collect()
            }
            // A path, with a few short cuts.
            1 => {
                let cuts = rng.usize(..4);
                let path = (1..nodes).map(|node| (node - 1, node));
                path.chain((0..cuts).map(|_| (node(rng), node(rng)))).collect()
            }
            // A grid.
            2 => {
                let side = nodes.isqrt().max(1);
                let right = (0..nodes - 1).filter(|node| (node + 1) % side != 0).map(|node| (node, node + 1));
                right.chain((0..nodes.saturating_sub(side)).map(|node| (node, node + side))).collect()
            }
            // A clique and what hangs on it.
            3 => {
                let size = nodes.min(rng.u32(2..24));
                let clique = (0..size).flat_map(|one| (0..one).map(move |other| (one, other)));
                clique.chain((size..nodes).map(|node| (node, rng.u32(..node)))).collect()
            }
            // Skewed, as in social networks: the product of two random numbers.
            4 => {
                let skewed = |rng: &mut Rng| (u64::from(node(rng)) * u64::from(node(rng)) / u64::from(nodes)) as u32;
                (0..count).map(|_| (skewed(rng), skewed(rng))).collect()
            }
            // Any edges, some of them twice.
            _ => {
                let edges: Vec<_> = (0..count).map(|_| (node(rng), node(rng))).collect();
                edges.iter().chain(edges.iter().take(count / 8)).copied().collect()
            }
        };
        if rng.bool() {
            edges.iter_mut().for_each(|edge| *edge = (edge.1, edge.0));
        }
        let weighted = [Weighted::Not, Weighted::Whole, Weighted::Real][rng.usize(..3)];
        Self { nodes, edges, weighted, undirected: rng.bool() }
    }

    /// A weight that follows from the edge, so that it is the same in a smaller graph.
    fn weight((source, target): (u32, u32)) -> u32 {
        (source.wrapping_mul(31) ^ target.wrapping_mul(17)) % 23
    }

    fn graph(&self, undirected: bool) -> Result<Graph, Error> {
        let weights = match self.weighted {
            Weighted::Not => EdgeWeights::None,
            Weighted::Whole => EdgeWeights::U32(self.edges.iter().map(|&edge| Self::weight(edge)).collect()),
            Weighted::Real => {
                EdgeWeights::F32(self.edges.iter().map(|&edge| Self::weight(edge) as f32 / 8.0).collect())
            }
        };
        let (sources, targets) = self.edges.iter().copied().unzip();
        let list = EdgeList { nodes: self.nodes, sources, targets, weights };
        let undirected = undirected || self.undirected;
        let options = BuildOptions { symmetrise: undirected, ..BuildOptions::default() };
        let csr = Csr::from_edges(list, options)?.0;
        Ok(Graph { name: "random".to_owned(), csr, ids: NodeIds::Counted { first: 0 }, directed: !undirected })
    }

    /// Removes some of the edges.
    fn without(&self, edges: std::ops::Range<usize>) -> Self {
        let mut smaller = self.clone();
        smaller.edges.drain(edges);
        smaller
    }

    /// Removes the nodes without edges, but for node 0, at which searches begin.
    fn renumbered(&self) -> Self {
        let used: BTreeSet<u32> = self.edges.iter().flat_map(|&(one, other)| [one, other]).chain([0]).collect();
        let numbers: BTreeMap<u32, u32> = used.into_iter().zip(0..).collect();
        let edges = self.edges.iter().map(|(one, other)| (numbers[one], numbers[other])).collect();
        Self { nodes: numbers.len() as u32, edges, ..self.clone() }
    }
}

/// One algorithm with one of its strategies, on a device.
struct Attempt<'a> {
    device: &'a Device,
    case: &'a Case,
    /// The number of the algorithm.
    algorithm: usize,
    /// The number of its strategy or schedule, modulo how many there are.
    alternative: usize,
    visited: usize,
    /// The algorithm and the strategy, once they are known.
    name: String,
    outcome: Outcome,
}

#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// There is no algorithm of that number.
    None,
    Right,
    /// The graph is none that the strategy takes.
    Refused,
    Wrong(String),
}

impl Visitor for Attempt<'_> {
    fn visit<A: FrontEnd>(&mut self) {
        if self.visited == self.algorithm {
            self.outcome = match self.run::<A>() {
                Ok(()) => Outcome::Right,
                Err(Failure::Error(Error::Usage(_) | Error::Memory(_))) => Outcome::Refused,
                Err(Failure::Error(error)) => Outcome::Wrong(error.to_string()),
                Err(Failure::Wrong(what)) => Outcome::Wrong(what),
            };
        }
        self.visited += 1;
    }
}

/// Counts the algorithms.
struct Count(usize);

impl Visitor for Count {
    fn visit<A: FrontEnd>(&mut self) {
        self.0 += 1;
    }
}

impl Count {
    fn all() -> usize {
        let mut count = Self(0);
        algorithm::visit(&mut count);
        count.0
    }
}

enum Failure {
    Error(Error),
    Wrong(String),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Error(error)
    }
}

impl Attempt<'_> {
    fn run<A: FrontEnd>(&mut self) -> Result<(), Failure> {
        let info = self.device.info();
        let alternatives: Vec<_> = A::alternatives().into_iter().filter(|it| it.about.runs_on(info)).collect();
        let name = alternatives[self.alternative % alternatives.len()].about.name;
        self.name = format!("{} --{} {name}", A::ABOUT.name, <A::Alternative as Selectable>::KIND);
        let config = A::with_alternative(&A::Config::default(), name)?;
        let graph = self.case.graph(A::is_undirected(&config))?;
        let input = A::input(&A::InputOptions::default(), &graph, &config)?;
        let mut prepared = A::prepare(self.device, &graph.csr, &config)?;
        let reference = A::reference(&graph, &input, &config)?;
        // What the first run leaves behind is no business of the second.
        for number in ["first", "second"] {
            prepared.run(&input)?;
            if let Some(mismatch) = A::check(&prepared.answer()?, &reference, &graph, &input) {
                return Err(Failure::Wrong(format!("{number} run: {mismatch:?}")));
            }
        }
        Ok(())
    }
}

fn attempt(device: &Device, case: &Case, algorithm: usize, alternative: usize) -> (Outcome, String) {
    let mut attempt =
        Attempt { device, case, algorithm, alternative, visited: 0, name: String::new(), outcome: Outcome::None };
    algorithm::visit(&mut attempt);
    (attempt.outcome, attempt.name)
}

/// A smaller case for which `fails` still holds: parts of the edges are left out, halves first, for as long as time is left.
fn smaller(mut case: Case, fails: impl Fn(&Case) -> bool) -> Case {
    let begin = Instant::now();
    let mut part = case.edges.len().div_ceil(2);
    while part > 0 && begin.elapsed() < Duration::from_secs(60) {
        let mut place = 0;
        while place < case.edges.len() {
            let without = case.without(place..(place + part).min(case.edges.len()));
            if fails(&without) {
                case = without;
            } else {
                place += part;
            }
        }
        part = if part == 1 { 0 } else { part.div_ceil(2) };
    }
    let renumbered = case.renumbered();
    if fails(&renumbered) { renumbered } else { case }
}

/// Writes a case as an edge list, and returns the file and what is wrong with it.
fn save(case: &Case, what: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("soak");
    fs::create_dir_all(&folder).unwrap();
    let mut text = format!("# {}\n# nodes: {}, {:?}\n", what.replace('\n', " "), case.nodes, case.weighted);
    for &(source, target) in &case.edges {
        let weight = Case::weight((source, target));
        match case.weighted {
            Weighted::Not => writeln!(text, "{source} {target}"),
            Weighted::Whole => writeln!(text, "{source} {target} {weight}"),
            Weighted::Real => writeln!(text, "{source} {target} {}", weight as f32 / 8.0),
        }
        .unwrap();
    }
    let file = folder.join(format!("case-{}.txt", std::process::id()));
    fs::write(&file, text).unwrap();
    file
}

fn setting(name: &str, default: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| default.to_owned())
}

#[test]
fn any_graph_with_any_strategy_on_any_device() {
    let seconds: u64 = setting("EVENKEEL_SOAK_SECONDS", "10").parse().expect("a number of seconds");
    let seed: u64 = setting("EVENKEEL_SOAK_SEED", "1").parse().expect("a seed");
    let options = DeviceOptions { validation: true, ..DeviceOptions::default() };
    let open = |selector: &str| (selector.to_owned(), Device::open(selector, &options).expect("a device"));
    let devices: Vec<_> = setting("EVENKEEL_SOAK_DEVICES", DEVICES).split_whitespace().map(open).collect();
    let (begin, mut rng, mut counts) = (Instant::now(), Rng::with_seed(seed), BTreeMap::<String, [u64; 2]>::new());
    let (mut graphs, algorithms) = (0u64, Count::all());
    while begin.elapsed() < Duration::from_secs(seconds) {
        let (selector, device) = &devices[rng.usize(..devices.len())];
        let is_emulated = selector.contains(':');
        // Emulation is a hundred times as slow, and a debug build ten times.
        let most = if is_emulated { 80 } else { 400 } / if cfg!(debug_assertions) { 4 } else { 1 };
        let (case, algorithm, alternative) = (Case::draw(&mut rng, most), rng.usize(..algorithms), rng.usize(..1000));
        graphs += 1;
        let (outcome, name) = attempt(device, &case, algorithm, alternative);
        let counts = counts.entry(name.clone()).or_default();
        counts[0] += 1;
        match outcome {
            Outcome::Right => {}
            Outcome::Refused | Outcome::None => counts[1] += 1,
            Outcome::Wrong(reason) => {
                let fails = |case: &Case| matches!(attempt(device, case, algorithm, alternative).0, Outcome::Wrong(_));
                let what = format!("{name} --device {selector} (seed {seed}, graph {graphs}): {reason}");
                let file = save(&smaller(case, fails), &what);
                panic!("{what}\nthe graph, made smaller, is {}", file.display());
            }
        }
    }
    for (_, device) in &devices {
        assert_eq!(device.validation_messages(), Vec::<String>::new());
    }
    let refused: u64 = counts.values().map(|[_, refused]| refused).sum();
    println!("{graphs} graphs, {refused} of them refused, {} strategies, seed {seed}", counts.len());
    let never: Vec<_> = counts.iter().filter(|(_, [all, refused])| *all > 20 && all == refused).collect();
    assert!(never.is_empty(), "refuses every graph: {never:?}");
}

//! Several workers find what one does, on graphs of every shape and from every kind of source.

use super::{
    super::{
        Cluster,
        load::{GraphSource, load},
        registry,
    },
    on_workers,
};
use crate::{
    Result,
    algorithm::{
        Bfs, BfsConfig, Components, FrontEnd, PageRank, PageRankConfig, Precision, SourceOptions, Sssp, TypedSetup,
    },
    device::Device,
    graph::{
        Direction, Graph, OpenOptions, adapt, formats,
        generate::Generator,
        open,
        weights::{WeightSource, assign},
    },
};
use std::{any::Any, path::PathBuf, sync::Arc};

/// A graph as several workers get it and as one does.
#[derive(Clone)]
pub struct Example {
    file: Option<PathBuf>,
    generator: Option<Generator>,
    options: OpenOptions,
    weights: WeightSource,
    whole: Arc<Graph>,
}

impl Example {
    pub fn generated(text: &str, direction: Option<Direction>, weights: &str) -> Self {
        let generator: Generator = text.parse().unwrap();
        let options = OpenOptions { direction, ..OpenOptions::default() };
        let whole = adapt(generator.generate().unwrap(), &options).unwrap().0;
        Self { file: None, generator: Some(generator), options, weights: WeightSource::File, whole: Arc::new(whole) }
            .weighted(weights)
    }

    pub fn file(path: PathBuf, direction: Option<Direction>) -> Self {
        let options = OpenOptions { direction, ..OpenOptions::default() };
        let whole = Arc::new(open(&path, &options).unwrap().0);
        Self { file: Some(path), generator: None, options, weights: WeightSource::File, whole }
    }

    fn weighted(mut self, weights: &str) -> Self {
        self.weights = weights.parse().unwrap();
        assign(Arc::make_mut(&mut self.whole), self.weights).unwrap();
        self
    }

    fn name(&self) -> String {
        format!("{} {:?} {}", self.whole.name, self.options.direction, self.weights)
    }

    /// Runs an algorithm on so many workers, and checks that the answer is right.
    fn check<A: FrontEnd>(&self, workers: usize, config: A::Config, options: fn() -> A::InputOptions)
    where
        A::Config: Send + Sync,
        A::Answer: Send,
    {
        self.check_on::<A>(&vec![None; workers], config, options);
    }

    /// Runs an algorithm twice on workers with these devices, or on threads of the CPU, and checks that the second answer is right.
    pub fn check_on<A: FrontEnd>(&self, devices: &[Option<Device>], config: A::Config, options: fn() -> A::InputOptions)
    where
        A::Config: Send + Sync,
        A::Answer: Send,
    {
        let (example, config, workers) = (self.clone(), Arc::new(config), devices.len());
        let (shared, devices) = (config.clone(), devices.to_vec());
        let run = move |cluster: &mut Cluster| -> Result<_> {
            let handle = registry::named(A::ABOUT.name).expect("several workers can run it");
            let setup = TypedSetup::<A> { config: (*shared).clone(), input: options(), ..TypedSetup::default() };
            let source = match (&example.file, &example.generator) {
                (Some(path), _) => GraphSource::File(path),
                (None, generator) => GraphSource::Generator(generator.as_ref().unwrap()),
            };
            let mut share = load(cluster, source, &example.options)?;
            assign(&mut share.graph, example.weights)?;
            let (edges, nodes) = (example.whole.csr.edges(), example.whole.csr.nodes());
            assert_eq!((share.edges, share.nodes()), (edges, nodes));
            let rows = share.rows.clone();
            assert!(
                rows.into_iter().all(|node| share.graph.csr.neighbours(node) == example.whole.csr.neighbours(node))
            );
            let device = devices[cluster.process()].as_ref();
            let mut prepared = handle.prepare(cluster, &share, &setup, device)?;
            prepared.run(cluster)?;
            let found = prepared.run(cluster)?;
            let answer = found.answer.map(|answer| *(answer as Box<dyn Any>).downcast::<A::Answer>().expect("its own"));
            Ok((answer, prepared.source()))
        };
        let mut ran = on_workers(workers, run).into_iter();
        let expected_input = A::input(&options(), &self.whole, &config);
        let (answer, source, input) = match (ran.next().unwrap(), expected_input) {
            // A graph without nodes has no source.
            (Err(error), Err(expected)) => return assert_eq!(error.to_string(), expected.to_string()),
            (Err(error), _) => panic!("{} on {workers}: {error}", self.name()),
            (Ok((answer, source)), input) => (answer, source, input.unwrap()),
        };
        assert!(ran.all(|ran| ran.is_ok_and(|(answer, _)| answer.is_none())), "only worker 0 has the answer");
        assert_eq!(source, A::source(&input), "all find the same source");
        let reference = A::reference(&self.whole, &input, &config).unwrap();
        let mismatch = A::check(&answer.unwrap(), &reference, &self.whole, &input);
        let shown = mismatch.map(|it| (it.node, it.expected, it.found));
        assert_eq!(shown, None, "{} of {} on {workers} workers", A::ABOUT.name, self.name());
    }

    fn check_all(&self, workers: usize) {
        self.check::<Bfs>(workers, BfsConfig::default(), Default::default);
        self.check::<Sssp>(workers, Default::default(), Default::default);
        self.check::<PageRank>(workers, PageRankConfig { iterations: 7, ..Default::default() }, Default::default);
        self.check::<Components>(workers, Default::default(), Default::default);
    }
}

fn named(name: &str) -> SourceOptions {
    SourceOptions { source: name.parse().ok() }
}

#[test]
fn generated_graphs_of_every_shape() {
    for (text, weights) in [
        ("er:nodes=0", "file"),
        ("star:nodes=1", "file"),
        ("star:nodes=2", "file"),
        ("chain:nodes=3", "random:1..9"),
        ("star:nodes=300", "random:0..5"),
        ("chain:nodes=400", "random:1..9"),
        ("complete:nodes=40", "random:1..1000"),
        ("er:nodes=400,degree=1.5", "random:1..9"),
        ("er:nodes=300,degree=3,directed=true", "random:1..64"),
        ("rmat:scale=8", "random:1..64"),
        ("rmat:scale=7,directed=true", "file"),
        ("grid:rows=9,cols=31", "file"),
        ("road:nodes=500,lengths=true", "file"),
    ] {
        Example::generated(text, None, weights).check_all(4);
    }
}

#[test]
fn any_number_of_workers() {
    for workers in [1, 2, 3, 5, 7] {
        Example::generated("rmat:scale=7,edge-factor=4", None, "random:1..20").check_all(workers);
        Example::generated("er:nodes=80,degree=2,directed=true", Some(Direction::Undirected), "file")
            .check_all(workers);
    }
}

#[test]
fn every_option_that_several_workers_follow() {
    let rmat = Example::generated("rmat:scale=7,directed=true", None, "file");
    rmat.check::<Bfs>(3, BfsConfig { max_depth: Some(2), ..BfsConfig::default() }, Default::default);
    rmat.check::<Bfs>(3, BfsConfig { max_depth: Some(0), ..BfsConfig::default() }, Default::default);
    rmat.check::<Bfs>(3, BfsConfig::default(), || named("random:5"));
    rmat.check::<Sssp>(3, Default::default(), || named("17"));
    let double = PageRankConfig { precision: Precision::Double, damping: 0.9, ..Default::default() };
    rmat.check::<PageRank>(3, double, Default::default);
    for iterations in [5, 100] {
        let until = PageRankConfig { tolerance: Some(1e-4), iterations, ..Default::default() };
        rmat.check::<PageRank>(3, until, Default::default);
    }
}

#[test]
fn distances_that_need_more_bits_get_them() {
    Example::generated("chain:nodes=40", None, "random:4000000000..4294967295").check::<Sssp>(
        3,
        Default::default(),
        Default::default,
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reals.txt");
    for weight in ["0.1", "3e38"] {
        let length = if weight == "0.1" { 20_000 } else { 4 };
        let lines: String = (0..length).map(|node| format!("{node} {} {weight}\n", node + 1)).collect();
        std::fs::write(&path, lines).unwrap();
        Example::file(path.clone(), None).check::<Sssp>(3, Default::default(), || named("0"));
    }
}

#[test]
fn files_are_shared_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let lines = |line: &dyn Fn(u64) -> String| (0..200).map(line).collect::<String>();
    let scattered = lines(&|i| format!("{} {}\n", i * i % 97 * 1_000_003, i * 7 % 89));
    // A real among whole weights, which only one of the workers reads.
    let reals = lines(&|i| {
        format!("{}\t{}\t{}\n", i % 41, i * 5 % 43, if i == 180 { "2.5".into() } else { (i % 9).to_string() })
    });
    let names = lines(&|i| format!("n{} n{}\n", i % 31, i * 3 % 37));
    let late_name =
        lines(&|i| format!("{} {}\n", i % 31, if i == 150 { "x".into() } else { (i * 3 % 37).to_string() }));
    for path in [
        text("scattered.txt", &format!("# a comment\n{scattered}# another\n")),
        text("short.txt", "5 7\n"),
        text("no_end.txt", "5 7\n7 9"),
        text("reals.tsv", &reals),
        text("names.txt", &names),
        text("late_name.txt", &late_name),
        text("metis.graph", "3 2\n2\n1 3\n2\n"),
        text("undirected.txt", "# Undirected graph\n1 2\n2 3\n9 8\n3 3\n"),
    ] {
        for direction in [None, Some(Direction::Undirected)] {
            Example::file(path.clone(), direction).check_all(4);
        }
    }
    for source in ["scattered.txt", "reals.tsv", "names.txt"] {
        let graph = open(&folder.path().join(source), &OpenOptions::default()).unwrap().0;
        let path = folder.path().join("binary.ekg");
        formats::write(&graph, &path, None).unwrap();
        for direction in [None, Some(Direction::Undirected)] {
            Example::file(path.clone(), direction).check_all(4);
        }
    }
}

#[test]
fn a_damaged_part_of_a_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.txt");
    let lines: String =
        (0..300).map(|i| if i == 222 { "7\n".to_owned() } else { format!("{i} {}\n", i + 1) }).collect();
    std::fs::write(&path, lines).unwrap();
    let ran = on_workers(4, move |cluster| load(cluster, GraphSource::File(&path), &OpenOptions::default()).map(drop));
    for (process, ran) in ran.into_iter().enumerate() {
        let error = ran.unwrap_err();
        assert!(
            error.to_string().contains("damaged.txt:223: the line ends where a node should be"),
            "{process}: {error}"
        );
        assert_eq!(error.exit_status(), 3);
    }
}

//! An algorithm of another crate: what it implements is the same whatever features of the library are enabled, and it is prepared, run, checked
//! and offered by name without being registered. CI also compiles this without any feature.

use evenkeel::{
    Result,
    algorithm::{
        Algorithm, Answer, Bfs, BfsConfig, Column, Description, FrontEnd, Handle, Of, Part, Run, Selectable, Session,
        Value, Values, plan,
    },
    device::{Buffer, Device, DeviceOptions, Recording},
    engine::SharedGraph,
    graph::Graph,
    oracle::{self, Mismatch},
    settings::{self, Configurable, Configured, Key, Settings},
    strategy::{About, DeviceLoop, Split, Strategy, Traversal},
};

/// The number of edges that leave each node.
struct Degrees {
    session: Session,
    found: Buffer<u32>,
    recording: Recording,
}

#[derive(Clone, Default)]
struct DegreesConfig {
    method: Configured<Degrees>,
    /// Added to each.
    more: u32,
}

impl Settings for DegreesConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let mut keys = self.method.keys();
        keys.push(Key::option("more", "Added to each", &mut self.more).within(0, 9));
        keys
    }
}

#[derive(Clone, Copy, Default)]
struct Copying;

impl Configurable for Copying {
    fn name(&self) -> &'static str {
        "copying"
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }
}

impl Selectable for Copying {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How degrees are found";

    fn all() -> Vec<Self> {
        vec![Self]
    }

    fn about(&self) -> About {
        About::new("copying", "", "from one buffer to another")
    }
}

struct Found(Vec<u32>);

impl Answer for Found {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("degree", Values::U32((&self.0).into()))]
    }
}

impl Algorithm for Degrees {
    const ABOUT: Description = Description {
        name: "degrees",
        summary: "the number of edges that leave every node",
        help: "The output is a line `id degree` for each node.",
        ..Description::DEFAULT
    };

    type Config = DegreesConfig;
    type Input = ();
    type Answer = Found;
    type Reference = Vec<u32>;

    fn build(graph: &SharedGraph, config: &DegreesConfig) -> Result<Self> {
        let (device, csr, session) = (graph.device(), graph.csr(), Session::new(graph)?);
        let degrees: Vec<u32> = (0..csr.nodes()).map(|node| csr.degree(node) + config.more).collect();
        let (known, found) = (device.buffer_from("known", &degrees)?, device.buffer("found", degrees.len())?);
        let recording = device.record("degrees", |recorder| recorder.copy(&known, &found))?;
        Ok(Self { session, found, recording })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        let Self { session, recording, .. } = self;
        session.run(|_| Ok(Run { kernel: recording.run()?, iterations: 1, ..Run::default() }))
    }

    fn answer(&self) -> Result<Found> {
        Ok(Found(self.session.answered()?.device().download(&self.found)?))
    }

    fn reference(graph: &Graph, (): &(), config: &DegreesConfig) -> Result<Vec<u32>> {
        Ok((0..graph.csr.nodes()).map(|node| graph.csr.neighbours(node).len() as u32 + config.more).collect())
    }

    fn check(found: &Found, expected: &Vec<u32>, _: &Graph, (): &()) -> Option<Mismatch> {
        let node = (0..expected.len()).find(|node| found.0[*node] != expected[*node])?;
        let [expected, found] = [expected[node], found.0[node]].map(|degree| degree.to_string());
        Some(Mismatch { node: node as u32, expected, found })
    }
}

impl FrontEnd for Degrees {
    type Alternative = Copying;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut DegreesConfig) -> &mut Configured<Self> {
        &mut config.method
    }

    fn input((): &(), _: &Graph, _: &DegreesConfig) -> Result<()> {
        Ok(())
    }
}

#[test]
fn an_algorithm_of_another_crate_runs_by_its_type_and_by_its_handle() {
    let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let graph = Graph::from_edges([("a", "b"), ("a", "c"), ("c", "a")]).unwrap();
    let config = DegreesConfig { more: 1, ..DegreesConfig::default() };
    let mut degrees = Degrees::prepare(&device, &graph.csr, &config).unwrap();
    degrees.run(&()).unwrap();
    let (found, expected) = (degrees.answer().unwrap(), Degrees::reference(&graph, &(), &config).unwrap());
    assert_eq!((Degrees::check(&found, &expected, &graph, &()), &found.0[..]), (None, &[3, 1, 2][..]));
    let planned = plan::<Degrees>(device.info(), &graph.csr, &config).unwrap();
    assert_eq!((&planned, planned.bytes()), (degrees.session().memory(), 24));

    let mut setup = Of::<Degrees>::HANDLE.setup();
    settings::set(setup.settings(Part::Config), "more", "2").unwrap();
    assert!(settings::set(setup.settings(Part::Config), "more", "10").is_err());
    let problem = setup.on(&graph).unwrap();
    let mut prepared = problem.prepare(&device).unwrap();
    prepared.run().unwrap();
    let answer = prepared.answer().unwrap();
    assert!(problem.ask_oracle().unwrap() && problem.check(&*answer).is_none());
    assert_eq!(answer.columns()[0].value(0), Some(Value::Whole(4)));
    assert_eq!(problem.report(), serde_json::json!({ "strategy": "copying", "more": 2 }));
}

/// A strategy of this crate, with a setting. It records what a strategy of the library does.
#[derive(Clone, Default)]
struct Own {
    inner: Split,
    unused: u32,
}

impl Strategy for Own {
    fn about(&self) -> About {
        About::new("own", "", "a strategy of another crate")
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        vec![Key::option("unused", "has no effect", &mut self.unused).within(0, 3)]
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        self.inner.record(device, traversal, name)
    }
}

#[test]
fn a_strategy_of_another_crate_need_not_be_registered() {
    let graph = Graph::from_edges([(0u32, 1u32), (1, 2), (2, 0), (0, 3)]).unwrap();
    let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let strategy: Configured<Bfs> = Configured::new(Own::default()).unwrap();
    assert_eq!(strategy.to_string(), "own");
    let config = BfsConfig { strategy, ..BfsConfig::default() };
    let mut bfs = Bfs::prepare(&device, &graph.csr, &config).unwrap();
    bfs.run(&0).unwrap();
    assert_eq!(bfs.answer().unwrap().depths, oracle::bfs::depths(&graph.csr, 0));
    assert_eq!(settings::report(&config)["strategy"], "own");
    let wrong = Configured::<Bfs>::new(Own { unused: 4, ..Own::default() }).unwrap_err();
    assert!(wrong.to_string().contains("4 is not in 0..=3"), "{wrong}");
}

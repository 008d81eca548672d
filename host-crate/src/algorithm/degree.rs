//! Degree centrality: how many edges leave each node, lead to it, or both, or the sums of their weights.

use super::{
    Precision,
    prelude::*,
    reals::{Number, Reals},
};
use crate::{
    engine::{EdgeArrays, Layout, TileSpaces},
    oracle::spmv::{Bounded, DOUBLE, SINGLE, first_mismatch},
};
use evenkeel_kernels::{
    algorithm::{
        degree::{DegreeCount, DegreeSum},
        spmv::ProductParams,
    },
    launch::Launch,
};

/// Selects the edges of a node that count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Those that leave it.
    Out,
    /// Those that lead to it.
    In,
    /// All.
    #[default]
    Both,
}

impl Choices for Direction {
    const CHOICES: &'static [(Self, NamedValue)] = &[
        (Self::Out, named("out", "Those that leave it")),
        (Self::In, named("in", "Those that lead to it")),
        (Self::Both, named("both", "All; in an undirected graph an edge counts once, one from a node to itself twice")),
    ];
}

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DegreeConfig {
    /// Who does which part.
    pub schedule: Configured<Degree>,
    /// Selects the edges of a node that count.
    pub direction: Direction,
    /// Add up the weights of the edges rather than count them.
    pub weighted: bool,
    /// Divide by the number of other nodes.
    pub normalized: bool,
}

impl Settings for DegreeConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { schedule, direction, weighted, normalized } = self;
        let mut keys = schedule.keys();
        keys.push(Key::choice("direction", "Which edges of a node count", direction).placeholder("NAME"));
        keys.push(Key::switch("weighted", "Add up the weights of the edges rather than count them", weighted));
        keys.push(Key::switch("normalized", "Divide by the number of other nodes", normalized));
        keys
    }
}

/// The degree of each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Degrees {
    /// Counts, or sums of weights, before they are divided.
    pub values: Vec<f64>,
    /// The precision of the sums.
    pub precision: Precision,
    whole: bool,
    normalized: bool,
}

impl Answer for Degrees {
    fn columns(&self) -> Vec<Column<'_>> {
        let others = (self.values.len() as f64 - 1.0).max(1.0);
        let values = match (self.normalized, self.whole) {
            (true, _) => Values::F64(self.values.iter().map(|value| value / others).collect()),
            (false, true) => Values::U64(self.values.iter().map(|value| *value as u64).collect()),
            (false, false) => Values::F64((&self.values).into()),
        };
        vec![Column::new("degree", values).meaning(Meaning::Score)]
    }
}

/// Degrees on one graph, ready to be found.
pub struct Degree {
    session: Session,
    config: DegreeConfig,
    /// Those of the edges that leave a node, and of those that lead to it, where they are needed and others.
    sides: [Option<(Reals, Recording)>; 2],
    /// Whether directions counted in the last run.
    directed: bool,
}

impl Algorithm for Degree {
    const ABOUT: Description = Description {
        name: "degree",
        summary: "degree centrality: how many edges each node has, or how much they weigh",
        help: "\
In a directed graph --direction both is the sum of out and in. With --normalized these are the values of networkx.degree_centrality, \
in_degree_centrality and out_degree_centrality. Parallel edges count each. Weights are added up in double precision where the device has it. The output is a line \
`id degree` for each node.

Examples:
  evenkeel degree rmat:scale=20 --validate
  evenkeel degree web.mtx --directed --direction in --top 10
  evenkeel degree friends.csv --weighted --output strength.csv",
        counted: true,
        weights: WeightUse::Optional,
        ..Description::DEFAULT
    };

    type Config = DegreeConfig;
    /// Whether the directions of edges count.
    type Input = bool;
    type Answer = Degrees;
    type Reference = Vec<Bounded>;

    fn build(graph: &SharedGraph, config: &DegreeConfig) -> Result<Self> {
        let leading = graph.incoming(config.weighted)?;
        let is_same = std::ptr::eq(leading.csr().columns(), graph.csr().columns());
        let choice = config.schedule.item().choose(graph.csr(), graph.device().info());
        let session = Session::new(graph)?.with_method(config.schedule.item().taken(choice));
        let side = |graph: &SharedGraph, is_needed: bool| {
            is_needed.then(|| record(graph, choice, config.weighted)).transpose()
        };
        let out = side(graph, config.direction != Direction::In || is_same)?;
        let sides = [out, side(&leading, config.direction != Direction::Out && !is_same)?];
        Ok(Self { session, config: config.clone(), sides, directed: false })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, directed: &bool) -> Result<Run> {
        self.directed = *directed;
        let sides = &mut self.sides;
        let mut all = || sides.iter_mut().flatten().map(|(_, recording)| recording.run()).sum();
        self.session.run(|_| Run::timed(1, &mut all))
    }

    fn answer(&self) -> Result<Degrees> {
        let graph = self.session.answered()?;
        let DegreeConfig { direction, weighted, normalized, .. } = self.config;
        let mut found = self.sides.iter().flatten().map(|(sums, _)| sums.download(graph.device()));
        let mut values = found.next().unwrap_or_else(|| Ok(Vec::new()))?;
        match found.next() {
            Some(leading) => values.iter_mut().zip(leading?).for_each(|(value, other)| *value += other),
            // What leaves a node is what leads to it.
            None if direction == Direction::Both && self.directed => values.iter_mut().for_each(|value| *value *= 2.0),
            None if direction == Direction::Both => add_loops(graph.csr(), weighted, &mut values),
            None => {}
        }
        let whole = !weighted || !matches!(graph.csr().weights(), Weights::F32(_));
        let precision = if weighted { Precision::best(graph.device().info()) } else { Precision::Double };
        Ok(Degrees { values, precision, whole, normalized })
    }

    fn reference(graph: &Graph, directed: &bool, config: &DegreeConfig) -> Result<Vec<Bounded>> {
        let (leaving, leading) = (config.direction != Direction::In, config.direction != Direction::Out);
        Ok(oracle::degree::degrees(&graph.csr, leaving, leading, config.weighted, *directed))
    }

    fn check(found: &Degrees, expected: &Vec<Bounded>, _: &Graph, _: &bool) -> Option<Mismatch> {
        first_mismatch(expected, &found.values, if found.precision == Precision::Single { SINGLE } else { DOUBLE })
    }
}

impl FrontEnd for Degree {
    type Alternative = RowSchedule;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut DegreeConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input((): &(), graph: &Graph, _: &DegreeConfig) -> Result<bool> {
        Ok(graph.directed)
    }
}

/// Counts the edges from each node to itself once more.
fn add_loops(csr: &Csr, weighted: bool, values: &mut [f64]) {
    for (node, value) in (0..).zip(values) {
        let loops = csr.row(node).filter(|edge| csr.columns()[*edge] == node);
        *value += loops.map(|edge| if weighted { csr.weights().real(edge) } else { 1.0 }).sum::<f64>();
    }
}

/// Allocates the sums of the rows of a graph, and records how they are found.
fn record(graph: &SharedGraph, choice: Choice, weighted: bool) -> Result<(Reals, Recording)> {
    let (device, csr, schedule) = (graph.device(), graph.csr(), choice.schedule);
    refuse_long_loops(device.info(), || choice.rounds(csr))?;
    match Precision::best(device.info()) {
        _ if !weighted => {
            let counts = device.buffer("counts", csr.nodes() as usize)?;
            let spaces = TileSpaces::new(device, choice, graph.tiles(&Layout::resident(device.info(), csr))?)?;
            let recording = device.record(&format!("degree {choice}"), |recorder| {
                for (part, space) in spaces.places().map(|place| spaces.at(place)) {
                    let launch = DegreeCount { schedule, graph: &part.graph, counts: &counts, scratch: &space.buffers };
                    space.record_gather(recorder, &launch, |schedule| ProductParams { tiles: part.range, schedule });
                }
            })?;
            Ok((u32::reals(&counts), recording))
        }
        Precision::Single => add_up::<f32>(graph, choice),
        Precision::Double => add_up::<f64>(graph, choice),
    }
}

/// Allocates the sums of weights, and records how they are found.
fn add_up<T: Number>(graph: &SharedGraph, choice: Choice) -> Result<(Reals, Recording)>
where
    for<'b> DegreeSum<'b, T>: Launch<Params = ProductParams>,
{
    let (device, csr, schedule) = (graph.device(), graph.csr(), choice.schedule);
    let (sums, layout) = (device.buffer("sums", csr.nodes() as usize)?, Layout::resident(device.info(), csr));
    let weights = EdgeArrays::values(device, csr, &layout, T::of)?;
    let spaces = TileSpaces::<T>::new(device, choice, graph.tiles(&layout)?)?;
    let recording = device.record(&format!("degree {choice}"), |recorder| {
        for place in spaces.places() {
            let ((part, space), weights) = (spaces.at(place), &weights.at(place).cast());
            let (graph, scratch) = (&part.graph, &space.buffers);
            let launch = DegreeSum { schedule, graph, weights, sums: &sums, scratch };
            space.record_gather(recorder, &launch, |schedule| ProductParams { tiles: part.range, schedule });
        }
    })?;
    Ok((T::reals(&sums), recording))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::values;

    #[test]
    fn the_values_of_networkx() {
        let edges = [(0, 1, 2.5), (1, 2, 4.0), (2, 0, 0.5), (2, 1, 8.0), (2, 2, 16.0)];
        let of = |direction, weighted, normalized, directed| {
            let config = DegreeConfig { direction, weighted, normalized, ..DegreeConfig::default() };
            values::<Degree>(&edges, directed, &config)
        };
        assert_eq!(of(Direction::Both, false, false, true), [2.0, 3.0, 5.0]);
        assert_eq!(of(Direction::In, false, true, true), [0.5, 1.0, 1.0]);
        assert_eq!(of(Direction::Out, true, false, true), [2.5, 4.0, 24.5]);
        assert_eq!(of(Direction::Both, true, false, true), [3.0, 14.5, 44.5]);
        // An edge that is given both ways is one edge of an undirected graph.
        assert_eq!(of(Direction::Both, true, false, false), [3.0, 6.5, 36.5]);
    }
}

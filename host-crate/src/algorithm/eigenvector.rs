//! Eigenvector centrality by power iteration, as networkx.eigenvector_centrality has it: a node is as central as those whose edges lead to it
//! are together. A gather over the rows of the transposed graph, under any schedule.

use super::{
    Precision,
    pagerank::{has_converged, last_rounds, round},
    prelude::*,
    reals::{Number, Reals},
};
use crate::{
    engine::{EdgeArrays, Layout, TileSpaces},
    settings,
};
use evenkeel_kernels::{
    algorithm::{
        eigenvector::{EigenvectorGather, EigenvectorParams, EigenvectorSquare, EigenvectorStep},
        pagerank::{CHANGE_BLOCK, RankBegin, RankBeginParams, RankEnd, RankEndParams, RankState},
    },
    launch::Launch,
    primitive::LengthParams,
};
use evenkeel_types::{LoopState, WORKGROUP};

/// What can be chosen.
#[derive(Clone, Debug, PartialEq)]
pub struct EigenvectorConfig {
    /// Who does which part.
    pub schedule: Configured<Eigenvector>,
    /// The most iterations.
    pub iterations: u32,
    /// Stop when the mean change of a value is less than this.
    pub tolerance: f64,
    /// Count edges by their weights.
    pub weighted: bool,
    /// The numbers that values are computed with.
    pub precision: Precision,
}

impl Default for EigenvectorConfig {
    fn default() -> Self {
        let (schedule, precision) = (Configured::default(), Precision::Single);
        Self { schedule, iterations: 100, tolerance: 1e-6, weighted: false, precision }
    }
}

impl Settings for EigenvectorConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { schedule, iterations, tolerance, weighted, precision } = self;
        let mut keys = schedule.keys();
        keys.push(Key::option("iterations", "The most iterations", iterations).within(1, u32::MAX).placeholder("N"));
        let about = "Stop after an iteration in which the mean change of a value is less than this";
        keys.push(Key::option("tolerance", about, tolerance).above(0).placeholder("EPS"));
        keys.push(Key::switch("weighted", "Count edges by their weights, which are not negative", weighted));
        let about = "The numbers that values are computed with; double needs a device that has them";
        keys.push(Key::choice("precision", about, precision).placeholder("NAME"));
        keys
    }
}

/// The value of each node; the squares add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigenvalues {
    /// In double precision, which holds both kinds.
    pub values: Vec<f64>,
    /// The precision they were computed in.
    pub precision: Precision,
    /// The iterations that it took.
    pub iterations: u32,
    /// Whether the values changed by less than the tolerance in the last of them.
    pub converged: bool,
}

impl Answer for Eigenvalues {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("centrality", Values::F64((&self.values).into())).meaning(Meaning::Score)]
    }

    fn facts(&self) -> Vec<Fact> {
        vec![Fact { name: "converged", value: Value::Truth(self.converged) }]
    }
}

/// Eigenvector centrality on one graph, ready to be computed.
pub struct Eigenvector {
    session: Session,
    config: EigenvectorConfig,
    values: Reals,
    changes: Reals,
    whole: DeviceLoop,
    iterations: u32,
}

impl Algorithm for Eigenvector {
    const ABOUT: Description = Description {
        name: "eigenvector",
        summary: "eigenvector centrality: how central the nodes are whose edges lead to a node",
        help: "\
In each iteration a node's value becomes its own and those of all nodes whose edges lead to it, and then the squares of all values add up \
to 1: the values and the rule of networkx.eigenvector_centrality. The output is a line `id centrality` for each node.

Examples:
  evenkeel eigenvector rmat:scale=20 --validate
  evenkeel eigenvector friends.csv --weighted --precision double --tolerance 1e-9 --top 10",
        counted: true,
        weights: WeightUse::Optional,
        ..Description::DEFAULT
    };

    type Config = EigenvectorConfig;
    type Input = ();
    type Answer = Eigenvalues;
    /// The iterations that may have been the last, and the values after each.
    type Reference = Vec<(u32, Vec<f64>)>;

    fn build(graph: &SharedGraph, config: &EigenvectorConfig) -> Result<Self> {
        settings::check_values(config)?;
        config.precision.check(graph.device().info())?;
        if config.weighted && graph.csr().weight_range().is_some_and(|(smallest, _)| smallest < 0.0) {
            return Err(Error::Graph("the graph has negative weights, by which no node is central".into()));
        }
        let session = Session::new(graph)?;
        let graph = &graph.incoming(config.weighted)?;
        let choice = config.schedule.item().choose(graph.csr(), graph.device().info());
        refuse_long_loops(graph.device().info(), || choice.rounds(graph.csr()))?;
        let (values, changes, whole) = match config.precision {
            Precision::Single => record::<f32>(graph, choice, config)?,
            Precision::Double => record::<f64>(graph, choice, config)?,
        };
        let session = session.with_method(config.schedule.item().taken(choice));
        Ok(Self { session, config: config.clone(), values, changes, whole, iterations: 0 })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        let run: Run = self.session.run(|_| self.whole.run())?.into();
        self.iterations = run.iterations;
        Ok(run)
    }

    fn answer(&self) -> Result<Eigenvalues> {
        let (device, iterations) = (self.session.answered()?.device(), self.iterations);
        let values = self.values.download(device)?;
        let (change, most) = (self.changes.download(device)?.iter().sum(), self.config.tolerance * values.len() as f64);
        let converged = values.is_empty() || has_converged(iterations, change, most);
        Ok(Eigenvalues { values, precision: self.config.precision, iterations, converged })
    }

    fn reference(graph: &Graph, (): &(), config: &EigenvectorConfig) -> Result<Vec<(u32, Vec<f64>)>> {
        let rounds = oracle::eigenvector::rounds(&graph.csr, config.weighted).take(config.iterations as usize);
        Ok(last_rounds(rounds, Some(config.tolerance * f64::from(graph.csr.nodes())), config.precision))
    }

    fn check(found: &Eigenvalues, expected: &Vec<(u32, Vec<f64>)>, _: &Graph, (): &()) -> Option<Mismatch> {
        let expected = round(expected, found.iterations)?;
        // What is far smaller than all others has no digits left.
        let (part, least) = if found.precision == Precision::Single { (1e-4, 1e-30) } else { (1e-9, 1e-200) };
        let is_close = |node: &usize| (expected[*node] - found.values[*node]).abs() <= part * expected[*node] + least;
        let node = (0..expected.len()).find(|node| !is_close(node))?;
        let [expected, found] = [expected, &found.values].map(|values| values[node].to_string());
        Some(Mismatch { node: node as u32, expected, found })
    }
}

impl FrontEnd for Eigenvector {
    type Alternative = RowSchedule;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut EigenvectorConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input((): &(), _: &Graph, _: &EigenvectorConfig) -> Result<()> {
        Ok(())
    }

    fn operations(csr: &Csr, config: &EigenvectorConfig) -> u64 {
        u64::from(config.iterations) * (u64::from(csr.nodes()) + csr.edges())
    }
}

/// Allocates and records everything, in numbers of one kind: the values, by how much they change, and the loop.
fn record<T: Number>(
    graph: &SharedGraph,
    choice: Choice,
    config: &EigenvectorConfig,
) -> Result<(Reals, Reals, DeviceLoop)>
where
    for<'b> EigenvectorGather<'b, T>: Launch<Params = EigenvectorParams>,
    for<'b> EigenvectorSquare<'b, T>: Launch<Params = LengthParams>,
    for<'b> EigenvectorStep<'b, T>: Launch<Params = LengthParams>,
    for<'b> RankEnd<'b, T>: Launch<Params = RankEndParams>,
{
    let (device, csr, schedule) = (graph.device(), graph.csr(), choice.schedule);
    let (nodes, layout) = (csr.nodes() as usize, Layout::resident(device.info(), csr));
    let blocks = nodes.div_ceil(CHANGE_BLOCK as usize);
    let spaces = TileSpaces::<T>::new(device, choice, graph.tiles(&layout)?)?;
    let weights = if config.weighted { Some(EdgeArrays::values(device, csr, &layout, T::of)?) } else { None };
    let no_weights = device.buffer::<T>("no weights", 1)?;
    let first = device.buffer_of("first values", nodes, || vec![T::of(1.0 / nodes as f64); nodes])?;
    let (values, sums) = (&device.buffer::<T>("values", nodes)?, &device.buffer("sums", nodes)?);
    let (squares, changes) = (&device.buffer("squares", blocks)?, &device.buffer("changes", blocks)?);
    let (state, length) = (&device.buffer("loop state", 1)?, LengthParams { length: csr.nodes() });
    let square = EigenvectorSquare { values, sums, squares };
    let start = |recorder: &mut Recorder| {
        recorder.copy(&first, values);
        let [gather, finish] = spaces.count_gather(recorder, |part, space| {
            let (graph, scratch) = (&part.graph, &space.buffers);
            EigenvectorGather { schedule, graph, weights: &no_weights, values, sums, scratch }
        });
        // The squares are added up where ranks join the sums of pieces.
        let step = recorder.count_groups(&square, blocks * WORKGROUP as usize);
        let limit = if nodes > 0 { config.iterations } else { 0 };
        let params = RankBeginParams { blocks: 0, gather, finish, join: step, step, limit };
        recorder.dispatch(&RankBegin { state }, params, 1);
    };
    let name = format!("eigenvector {choice}");
    let whole = DeviceLoop::record_in_batches(device, &name, state, &[8, 16, 32], start, |recorder, _| {
        for place in spaces.places() {
            let (part, space) = spaces.at(place);
            let weights = weights.as_ref().map_or(no_weights.clone(), |weights| weights.at(place).cast());
            let (graph, weights, scratch) = (&part.graph, &weights, &space.buffers);
            let launch = EigenvectorGather { schedule, graph, weights, values, sums, scratch };
            let (tiles, weighted) = (part.range, config.weighted.into());
            let params = |schedule| EigenvectorParams { tiles, schedule, weighted };
            let sizes = [RankState::GATHER, RankState::FINISH];
            space.record_gather_indirect(recorder, &launch, params, state, sizes);
        }
        recorder.dispatch_indirect(&square, length, state, RankState::JOIN);
        let step = EigenvectorStep { sums, squares, values, changes };
        recorder.dispatch_indirect(&step, length, state, RankState::STEP);
        let tolerance = (config.tolerance * nodes as f64) as f32;
        let end = RankEndParams { blocks: blocks as u32, limit: config.iterations, tolerance };
        recorder.dispatch_indirect(&RankEnd { changes, state }, end, state, RankState::GROUPS);
    })?;
    Ok((T::reals(values), T::reals(changes), whole))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::values;

    #[test]
    fn the_values_of_networkx() {
        let edges = [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 3.0), (2, 3, 4.0), (3, 0, 5.0)];
        let config = EigenvectorConfig { precision: Precision::Double, ..EigenvectorConfig::default() };
        let weighted = EigenvectorConfig { weighted: true, ..config.clone() };
        for (directed, config, expected) in [
            (true, &config, [0.6423588314257299, 0.5262015076917937, 0.43104970112724544, 0.3531051686825981]),
            (false, &weighted, [0.5689426653014801, 0.1952936081998112, 0.5338876010603106, 0.5942463122561328]),
        ] {
            let found = values::<Eigenvector>(&edges, directed, config);
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12), "{found:?}");
        }
    }
}

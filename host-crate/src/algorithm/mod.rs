//! Algorithms: what is computed, and how an answer is checked. Each is a file here, one in the kernels, one in
//! [`crate::oracle`], and one line in the registry at the end of this file. Commands, comparisons, reports and listings follow
//! from the traits [`Algorithm`] and [`FrontEnd`].
//!
//! ```
//! use evenkeel::algorithm::{Algorithm, Distances, Sssp, SsspConfig};
//! use evenkeel::device::{Device, DeviceOptions};
//! use evenkeel::{graph::generate::Generator, oracle::dijkstra};
//!
//! let town = "road:nodes=400,lengths=true".parse::<Generator>()?.generate()?;
//! let device = Device::open("cpu", &DeviceOptions::default())?;
//! let mut sssp = Sssp::prepare(&device, &town.csr, &SsspConfig::default())?;
//! for source in [0, 399] {
//!     sssp.run(&source)?;
//!     assert_eq!(sssp.answer()?.distances, Distances::U32(dijkstra::whole(&town.csr, source)?));
//! }
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod alternative;
mod answer;
mod dense;
mod handle;
mod many;
mod methods;
mod nearest;
mod paths;
pub(crate) mod reals;
mod reorder;
mod search;
mod session;
mod short;
pub mod source;
mod undirected;

pub mod apsp;
pub mod betweenness;
pub mod bfs;
pub mod closeness;
pub mod color;
pub mod communities;
pub mod components;
pub mod degree;
pub mod eigenvector;
pub mod kcore;
#[doc(hidden)]
pub mod level_times;
pub mod mst;
pub mod pagerank;
pub mod path;
pub mod spgemm;
pub mod spmm;
pub mod spmv;
pub mod sssp;
pub mod triangles;

pub use alternative::{Alternative, Selectable};
pub use answer::{Answer, ClassNames, Column, Fact, Meaning, RowKind, SOURCES, Shape, Value, Values, first_difference};
pub use dense::{Dense, DenseMatrix, DenseVector};
pub use handle::{Described, Handle, Of, Part, Prepared, Problem, Setup, TypedSetup};
pub use methods::{Line, Methods, Selected};
pub use reals::Precision;
pub use reorder::Reorder;
pub use session::Session;
pub use short::{Configures, Found, Loaded};
pub use source::{ALL_SOURCES, ManySources, Source, SourceOptions};

use crate::{
    device::profile::Span,
    engine::{LoopRun, Pass, PassRun},
};
use prelude::*;
use std::{
    iter,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

/// What most algorithms are written with.
mod prelude {
    pub(super) use super::{
        Algorithm, Answer, ClassNames, Column, Description, Fact, FrontEnd, Line, Meaning, Methods, RowKind, Run,
        SOURCES, Selectable, Selected, Session, Shape, Table, Tables, Value, Values, WeightUse, first_difference,
    };
    pub(super) use crate::{
        Error, Result,
        device::{Buffer, Device, DeviceInfo, DeviceKind, MemoryPlan, Recorder, Recording},
        engine::{
            DeviceGraph, DeviceLoop, DeviceRows, SharedGraph,
            loops::{self, refuse_long_loops, refuse_unending_rows},
            schedule::{Choice, RowSchedule, Schedule, ScratchSpace},
        },
        graph::{Csr, Graph, Weights},
        oracle::{self, Mismatch},
        settings::{Choices, Configured, Key, NamedValue, Settings, named},
        strategy::refuse_given_up,
    };
    pub(super) use evenkeel_kernels::launch::Buffers;
}

/// An algorithm: how it is configured, prepared on a graph, run, and checked.
pub trait Algorithm: Sized + 'static {
    /// What is said of it.
    const ABOUT: Description;

    /// What can be chosen.
    type Config: Settings + Default + Clone + 'static;
    /// What it is run on beside the graph: `()`, the node to begin at, or a dense vector or matrix.
    type Input: 'static;
    /// What it finds.
    type Answer: Answer;
    /// What the oracle finds.
    type Reference: Send + Sync + 'static;

    /// Allocates and records everything. It is run twice: first on a device that only counts the memory, and then, when that fits, on the
    /// device. What takes the host long, and is the same both times, is found by [`SharedGraph::once`].
    ///
    /// # Errors
    /// When the configuration or the graph is wrong, or the device fails.
    fn build(graph: &SharedGraph, config: &Self::Config) -> Result<Self>;

    /// What it was prepared on and with: the graph, the memory it takes, and the method that was taken.
    fn session(&self) -> &Session;

    /// Runs once. The answer of an earlier run is gone, also when this one fails.
    ///
    /// # Errors
    /// [`Error::Usage`] when the input does not suit the graph; when the device fails.
    fn run(&mut self, input: &Self::Input) -> Result<Run>;

    /// Brings back what the last run found.
    ///
    /// # Errors
    /// [`Error::Usage`] when there was no successful run; when the device fails.
    fn answer(&self) -> Result<Self::Answer>;

    /// Asks the oracle. Its answer is the same for every strategy or schedule; there may be none, say because of a negative cycle.
    fn reference(graph: &Graph, input: &Self::Input, config: &Self::Config) -> Result<Self::Reference>;

    /// The first node for which the oracle found something else.
    fn check(
        answer: &Self::Answer,
        reference: &Self::Reference,
        graph: &Graph,
        input: &Self::Input,
    ) -> Option<Mismatch>;

    /// Makes everything ready to run on a graph that nothing else uses; [`prepare_on`] does so on one that others use, too.
    ///
    /// # Errors
    /// When the configuration or the graph is wrong, or something does not fit.
    fn prepare(device: &Device, csr: &Csr, config: &Self::Config) -> Result<Self> {
        prepare_on(&SharedGraph::new(device, csr), config)
    }
}

/// Makes an algorithm ready to run on a graph that others may be prepared on, too.
///
/// # Errors
/// When the configuration or the graph is wrong, or something does not fit.
pub fn prepare_on<A: Algorithm>(graph: &SharedGraph, config: &A::Config) -> Result<A> {
    check_shape::<A>(graph.csr())?;
    graph.prepare(|graph| A::build(graph, config))
}

/// The memory that an algorithm needs on a device, the graph included: that which [`Algorithm::build`] allocates.
///
/// # Errors
/// When the configuration or the graph is wrong, or no device can hold the answer.
pub fn plan<A: Algorithm>(device: &DeviceInfo, csr: &Csr, config: &A::Config) -> Result<MemoryPlan> {
    check_shape::<A>(csr)?;
    SharedGraph::new(&Device::planner(device), csr).planned(|graph| A::build(graph, config))
}

/// Refuses a matrix that is not square, unless the algorithm takes such.
fn check_shape<A: Algorithm>(csr: &Csr) -> Result<()> {
    if A::ABOUT.takes_rectangles { Ok(()) } else { csr.refuse_rectangle(A::ABOUT.name) }
}

/// What is said of an algorithm.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// The name in commands and reports.
    pub name: &'static str,
    /// What it computes, in a line that begins in lower case.
    pub summary: &'static str,
    /// What its help ends with: conventions, and examples.
    pub help: &'static str,
    /// Whether its kernels count their atoms on a device that counts.
    pub counted: bool,
    /// Whether it takes matrices that are not square, too.
    pub takes_rectangles: bool,
    /// What the weights of edges mean to it.
    pub weights: WeightUse,
    /// Whether it finds paths, so that one to a target can be shown.
    pub finds_paths: bool,
    /// What the rows of its answer are.
    pub rows: RowKind,
}

impl Description {
    /// That of an algorithm of which nothing is said.
    pub const DEFAULT: Self = Self {
        name: "",
        summary: "",
        help: "",
        counted: false,
        takes_rectangles: false,
        weights: WeightUse::Ignored,
        finds_paths: false,
        rows: RowKind::Nodes,
    };
}

/// What front ends need of an algorithm to offer it: what can be chosen, and how its input is made.
pub trait FrontEnd: Algorithm {
    /// What it can be run with: strategies or schedules.
    type Alternative: Selectable;
    /// The settings by which a front end makes an [`Algorithm::Input`]; `()` when there are none.
    type InputOptions: Settings + Default + Clone + 'static;
    /// The tables it can write beside its answer; `()` when there are none.
    type Tables: Tables<Self>;

    /// What is counted of it for `balance`: a run by default, or less where that would be many runs in one.
    fn counted_config() -> Self::Config {
        Self::Config::default()
    }

    /// The strategy or schedule in a configuration.
    fn choice(config: &mut Self::Config) -> &mut Configured<Self>;

    /// Whether it can be run with one of [`Selectable::all`].
    fn takes(_alternative: &Self::Alternative) -> bool {
        true
    }

    /// All strategies or schedules, in the order they are listed.
    fn alternatives() -> Vec<Alternative> {
        let described = |item: Self::Alternative| {
            let (about, counted) = (item.about(), Self::ABOUT.counted && item.is_counted());
            Alternative { about, counted }
        };
        Self::Alternative::all().into_iter().filter(Self::takes).map(described).collect()
    }

    /// The name of a strategy or schedule as reports have it; [`Error::UnknownName`] when there is none.
    fn known_alternative(name: &str) -> Result<String> {
        name.parse().map(|alternative: Configured<Self>| alternative.to_string())
    }

    /// The strategy or schedule that a configuration names.
    fn alternative(config: &Self::Config) -> String {
        Self::choice(&mut config.clone()).to_string()
    }

    /// Replaces the strategy or schedule of a configuration, and drops the options that the new one does not read.
    fn with_alternative(config: &Self::Config, name: &str) -> Result<Self::Config> {
        let mut config = config.clone();
        let choice = Self::choice(&mut config);
        *choice = choice.with(name)?;
        Ok(config)
    }

    /// Refuses, by [`Error::Usage`], values out of range and options that none of the named strategies or schedules reads.
    fn check_config(config: &Self::Config, names: &[&str]) -> Result<()> {
        Self::choice(&mut config.clone()).check_given(names)
    }

    /// Whether the directions of edges do not count, so configured: then they cannot be asked for.
    fn ignores_directions(config: &Self::Config) -> bool {
        Self::is_undirected(config)
    }

    /// Whether it needs every edge in both directions, so configured.
    fn is_undirected(_config: &Self::Config) -> bool {
        false
    }

    /// Looks up the nodes that the configuration names. Fails if the graph has no node of such a name.
    fn find_nodes(config: &Self::Config, _graph: &Graph) -> Result<Self::Config> {
        Ok(config.clone())
    }

    /// Makes the input that the options describe, once for each graph. It is an error when they do not suit it.
    fn input(options: &Self::InputOptions, graph: &Graph, config: &Self::Config) -> Result<Self::Input>;

    /// The node it begins at, if it begins at one.
    fn source(_input: &Self::Input) -> Option<u32> {
        None
    }

    /// About how many operations a run takes. A run of few is over before a GPU has started, so that it need not be started.
    fn operations(csr: &Csr, _config: &Self::Config) -> u64 {
        4 * (u64::from(csr.nodes()) + csr.edges())
    }

    /// How many columns the answer has with such a configuration.
    fn columns(_config: &Self::Config) -> usize {
        1
    }
}

/// What the weights of edges mean to an algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightUse {
    /// They do not matter.
    Ignored,
    /// They are read; a graph without weights is taken as if each were 1.
    Optional,
}

/// The tables that an algorithm can write beside its answer, each into a file that an option names.
pub trait Tables<A: FrontEnd>: Settings + Default + Clone + 'static {
    /// The files that were asked for.
    fn paths(&self) -> Vec<&Path> {
        Vec::new()
    }

    /// Refuses, by [`Error::Usage`], a table that the configuration does not give.
    fn check(&self, _config: &A::Config) -> Result<()> {
        Ok(())
    }

    /// Whether a table shows the time of each step, for which the device must be opened with `profile`.
    fn need_spans(&self) -> bool {
        false
    }

    /// Makes the tables after the last run, which found `answer`; `spans` are those of the timed runs.
    fn make(&self, _algorithm: &mut A, _answer: &A::Answer, _spans: &[Span]) -> Result<Vec<Table>> {
        Ok(Vec::new())
    }

    /// What the report's `details` have of the last run, where the options ask for it.
    fn details(&self, _algorithm: &mut A) -> Result<serde_json::Map<String, serde_json::Value>> {
        Ok(serde_json::Map::new())
    }
}

impl<A: FrontEnd> Tables<A> for () {}

/// A table for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The file.
    pub path: PathBuf,
    /// The names of the columns, and a line for each row.
    pub csv: String,
}

impl Table {
    /// A table whose columns have these names, with commas between, as the cells of each row have.
    pub fn new(path: &Path, columns: &str, rows: impl IntoIterator<Item = String>) -> Self {
        let lines = iter::once(columns.to_owned()).chain(rows);
        Self { path: path.to_owned(), csv: lines.map(|line| line + "\n").collect() }
    }
}

/// What one run of an algorithm took.
#[derive(Default, Clone, Copy, Debug)]
pub struct Run {
    /// From the first submission until the result is ready on the device.
    pub total: Duration,
    /// The part of that during which the device was busy.
    pub kernel: Duration,
    /// The number of iterations of the loop.
    pub iterations: u32,
    /// The bytes of the graph that were copied to the device meanwhile, where it is streamed.
    pub streamed_bytes: u64,
}

impl Run {
    /// Times recordings that are so many iterations together.
    pub(crate) fn timed(iterations: u32, run: impl FnOnce() -> Result<Duration>) -> Result<Self> {
        let begin = Instant::now();
        let kernel = run()?;
        Ok(Self { total: begin.elapsed(), kernel, iterations, streamed_bytes: 0 })
    }

    /// Runs a pass over a graph that is all there is to do.
    pub(crate) fn of_pass(pass: &mut Pass) -> Result<Self> {
        let begin = Instant::now();
        let PassRun { kernel, bytes } = pass.run()?;
        Ok(Self { total: begin.elapsed(), kernel, iterations: 1, streamed_bytes: bytes })
    }
}

impl From<LoopRun> for Run {
    fn from(run: LoopRun) -> Self {
        let LoopRun { total, kernel, report, streamed_bytes } = run;
        Self { total, kernel, iterations: report.iteration, streamed_bytes }
    }
}

/// The algorithm of this name.
///
/// # Errors
/// [`Error::UnknownName`] when there is none.
pub fn named(name: &str) -> Result<&'static dyn Handle> {
    let known = || all().map(|algorithm| algorithm.described().name);
    all().find(|algorithm| algorithm.described().name == name).ok_or_else(|| Error::unknown("algorithm", name, known()))
}

/// What is done with every registered algorithm in turn.
pub trait Visitor {
    /// Takes the next one.
    fn visit<A: FrontEnd>(&mut self);
}

/// The registry. An algorithm's line names its module, its type, its configuration, and what else of it this module exports.
macro_rules! algorithms {
    ($($module:ident::{$algorithm:ident, $config:ident $(, $export:ident)*},)*) => {
        $(pub use $module::{$algorithm, $config $(, $export)*};)*

        $(impl Configures for $config {
            type Algorithm = $algorithm;
        })*

        /// All algorithms, in the order they are listed.
        pub fn all() -> impl Iterator<Item = &'static dyn Handle> {
            const ALL: &[&dyn Handle] = &[$(&Of::<$algorithm>::HANDLE),*];
            ALL.iter().copied()
        }

        /// Visits all algorithms, in the order they are listed.
        pub fn visit(visitor: &mut impl Visitor) {
            $(visitor.visit::<$algorithm>();)*
        }
    };
}

algorithms! {
    bfs::{Bfs, BfsConfig, SourceDepths, Tree},
    sssp::{Sssp, SsspConfig, Distances, ShortestPaths},
    apsp::{Apsp, ApspConfig, AllPairs},
    spmv::{Spmv, SpmvConfig},
    spmm::{Spmm, SpmmConfig},
    spgemm::{Spgemm, SpgemmConfig},
    pagerank::{PageRank, PageRankConfig, Seeds},
    color::{Color, ColorConfig},
    kcore::{KCore, KCoreConfig, Cores},
    triangles::{Triangles, TrianglesConfig, PerNode, TriangleCounts, NodeTriangles},
    betweenness::{Betweenness, BetweennessConfig, PathSources},
    components::{Components, ComponentsConfig, ComponentLabels},
    communities::{Communities, CommunitiesConfig},
    closeness::{Closeness, ClosenessConfig},
    degree::{Degree, DegreeConfig},
    eigenvector::{Eigenvector, EigenvectorConfig},
    mst::{Mst, MstConfig, SpanningForest},
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::device::DeviceOptions;

    /// The first column of what an algorithm finds on the CPU device, for a graph of weighted edges.
    pub fn values<A: FrontEnd>(edges: &[(u32, u32, f64)], directed: bool, config: &A::Config) -> Vec<f64> {
        let edges = edges.iter().copied();
        let graph = if directed { Graph::from_edges(edges) } else { Graph::from_undirected_edges(edges) }.unwrap();
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let mut algorithm = A::prepare(&device, &graph.csr, config).unwrap();
        let input = A::input(&A::InputOptions::default(), &graph, config).unwrap();
        algorithm.run(&input).unwrap();
        let answer = algorithm.answer().unwrap();
        let reference = A::reference(&graph, &input, config).unwrap();
        assert_eq!(A::check(&answer, &reference, &graph, &input), None);
        let column = answer.columns().swap_remove(0);
        (0..column.values.len()).filter_map(|place| column.value(place)).map(Value::real).collect()
    }
}

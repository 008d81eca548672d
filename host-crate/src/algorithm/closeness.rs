//! Closeness centrality: how near all other nodes are to each, exact or estimated from sampled ones, on the search from many sources.
//! Sums of distances are whole numbers, so that the answer does not depend on the device.

use super::{
    betweenness::drawn,
    many::{self, Keep, ManySearch},
    prelude::*,
};
use crate::oracle::closeness;

/// How distances are added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// 64 sources at a time, by kernels.
    Bits,
    /// 64 sources at a time, by the threads of the CPU device.
    BitsCpu,
    /// The one that suits the device.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "How distances are added up: a name from `evenkeel strategies closeness`";
    const HEADING: &'static str = "for closeness";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "bits",
            "Then et al.",
            "64 sources at a time with a bit each; a short frontier pushes, of a long one nodes pull",
            Self::Bits,
        ),
        Line::on_cpu("bits-cpu", "Then et al.", "the same in a form for few threads with large caches", Self::BitsCpu),
        Line::auto("bits-cpu on the CPU device, else bits", Self::Auto),
    ];
}

impl Method {
    fn choose(self, device: &DeviceInfo) -> Self {
        match self {
            Self::Auto if many::is_native(device) => Self::BitsCpu,
            Self::Auto => Self::Bits,
            method => method,
        }
    }
}

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClosenessConfig {
    /// How distances are added up.
    pub strategy: Configured<Closeness>,
    /// Estimate from the distances of so many nodes, which are drawn; all nodes unless given.
    pub sources: Option<u32>,
    /// The seed by which these nodes are drawn.
    pub seed: u64,
}

impl Settings for ClosenessConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { strategy, sources, seed } = self;
        let mut keys = strategy.keys();
        let about = "Estimate from the distances of so many nodes, which are drawn; all nodes unless given";
        keys.push(Key::optional("sources", about, "", sources).within(1, u32::MAX).placeholder("K"));
        let about = "The seed by which these nodes are drawn";
        keys.push(Key::option("seed", about, seed).needs(&["sources"]).placeholder("SEED"));
        keys
    }
}

/// The closeness of each node.
#[derive(Clone, Debug, PartialEq)]
pub struct Closenesses {
    /// The values of all nodes, in the order of the graph.
    pub values: Vec<f64>,
    /// How many nodes the distances that count are from.
    pub sources: u64,
}

impl Answer for Closenesses {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("closeness", Values::F64((&self.values).into())).meaning(Meaning::Score)]
    }

    fn facts(&self) -> Vec<Fact> {
        vec![Fact { name: SOURCES, value: Value::Count(self.sources) }]
    }
}

/// Closeness on one graph, ready to run.
pub struct Closeness {
    session: Session,
    search: ManySearch,
    /// The nodes of the last run.
    sources: Vec<u32>,
}

impl Algorithm for Closeness {
    const ABOUT: Description = Description {
        name: "closeness",
        summary: "closeness centrality: how near all other nodes are to every node",
        help: "\
The closeness of a node is the number of other nodes from which there is a path to it, divided by the sum of their distances, and \
multiplied by the part of all other nodes that they are (Wasserman and Faust). Distances are counted in edges; on a directed graph they \
are those of paths that lead to the node. These are the values of networkx.closeness_centrality. With --sources K only the distances from \
K nodes count, which are drawn by --seed: an estimate. Weights and parallel edges do not matter.

The output is a line `id closeness` for each node. Distances are added up as whole numbers: the same graph and sources give the same \
answer in every run and on every device.

Examples:
  evenkeel closeness rmat:scale=12 --validate
  evenkeel closeness friends.csv --top 5 --output closeness.csv
  evenkeel closeness rmat:scale=20 --sources 1024 --seed 7",
        counted: true,
        ..Description::DEFAULT
    };

    type Config = ClosenessConfig;
    /// The nodes from which distances count, in ascending order.
    type Input = Vec<u32>;
    type Answer = Closenesses;
    type Reference = Vec<f64>;

    fn build(graph: &SharedGraph, config: &ClosenessConfig) -> Result<Self> {
        let (info, strategy) = (graph.device().info(), config.strategy.item());
        let method = strategy.on(info)?.choose(info);
        let session = Session::new(graph)?.with_method(strategy.taken(&method));
        let search = ManySearch::new(graph, method == Method::BitsCpu, Keep::Sums, 0)?;
        Ok(Self { session, search, sources: Vec::new() })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, sources: &Vec<u32>) -> Result<Run> {
        let Self { session, search, .. } = self;
        let run = session.run(|graph| {
            refuse_unknown(graph.csr(), sources)?;
            search.run(graph.device(), sources)
        });
        self.sources.clone_from(sources);
        run
    }

    fn answer(&self) -> Result<Closenesses> {
        let words = self.session.answered()?.device().download(&self.search.values)?;
        let count = self.sources.len() as f64;
        let mut own = self.sources.iter().peekable();
        let of_node = |(node, words): (u32, &[u32])| {
            let is_source = own.next_if(|source| **source == node).is_some();
            let itself = if is_source { 1.0 } else { 0.0 };
            let sum = (u64::from(words[0]) | u64::from(words[1]) << 32) as f64;
            let (others, reached) = (count - itself, f64::from(words[2]) - itself);
            if sum > 0.0 { reached / sum * (reached / others) } else { 0.0 }
        };
        let values = (0..).zip(words.chunks_exact(3)).map(of_node).collect();
        Ok(Closenesses { values, sources: self.sources.len() as u64 })
    }

    fn reference(graph: &Graph, sources: &Vec<u32>, _: &ClosenessConfig) -> Result<Vec<f64>> {
        Ok(closeness::closeness(&graph.csr, sources))
    }

    fn check(found: &Closenesses, expected: &Vec<f64>, _: &Graph, _: &Vec<u32>) -> Option<Mismatch> {
        closeness::first_mismatch(expected, &found.values)
    }
}

impl FrontEnd for Closeness {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn counted_config() -> ClosenessConfig {
        // As many as are searched from at once.
        ClosenessConfig { sources: Some(64), ..ClosenessConfig::default() }
    }

    fn choice(config: &mut ClosenessConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn input((): &(), graph: &Graph, config: &ClosenessConfig) -> Result<Vec<u32>> {
        Ok(drawn(graph, config.sources, config.seed)?.0)
    }
}

/// Refuses a node that the graph has not, and an order that is not ascending.
fn refuse_unknown(csr: &Csr, sources: &[u32]) -> Result<()> {
    if let Some(node) = sources.iter().find(|node| **node >= csr.nodes()) {
        return Err(Error::Usage(format!("there is no node {node} to begin at: the graph has {} nodes", csr.nodes())));
    }
    match sources.windows(2).all(|pair| pair[0] < pair[1]) {
        true => Ok(()),
        false => Err(Error::Usage("the nodes to begin at must be in ascending order, and each once".into())),
    }
}

//! The short form: a graph on a device, an algorithm in one line, and an answer that is asked by the names of nodes. It is made of what the
//! rest of this module offers, and is for those who run an algorithm once.

use super::{Answer, FrontEnd, Run, Value};
use crate::{
    Error, Result,
    device::{Device, DeviceOptions},
    engine::SharedGraph,
    graph::{Graph, NodeName},
};
use std::ops::Deref;

/// The configuration of an algorithm, which says which one it is.
pub trait Configures: Sized {
    /// The algorithm.
    type Algorithm: FrontEnd<Config = Self>;
}

impl Device {
    /// The best GPU there is, else the CPU.
    ///
    /// # Errors
    /// When the device fails.
    pub fn auto() -> Result<Self> {
        Self::open("auto", &DeviceOptions::default())
    }

    /// A graph to run algorithms on. Its arrays are copied to the device when an algorithm first needs them.
    ///
    /// ```
    /// use evenkeel::{
    ///     algorithm::{BfsConfig, PageRankConfig},
    ///     device::Device,
    ///     graph::Graph,
    /// };
    ///
    /// let friends = Graph::from_edges([("ann", "bob"), ("bob", "cem"), ("dan", "bob")])?;
    /// let graph = Device::auto()?.load(&friends);
    ///
    /// let ranks = graph.run(PageRankConfig::default())?;
    /// assert_eq!(ranks.top(1)[0].0.to_string(), "cem");
    /// println!("{} iterations in {:?}", ranks.run().iterations, ranks.run().total);
    ///
    /// let tree = graph.run_from("ann", BfsConfig::default())?;
    /// assert_eq!(tree.of("cem")?.map(|depth| depth.real()), Some(2.0));
    /// assert_eq!(tree.of("dan")?, None);
    /// # Ok::<(), evenkeel::Error>(())
    /// ```
    pub fn load<'g>(&self, graph: &'g Graph) -> Loaded<'g> {
        Loaded { graph, shared: SharedGraph::new(self, &graph.csr) }
    }
}

/// A graph on a device.
pub struct Loaded<'g> {
    graph: &'g Graph,
    shared: SharedGraph,
}

impl<'g> Loaded<'g> {
    /// Runs an algorithm once, from the input that it has by default: a search begins at the node with the most edges.
    ///
    /// # Errors
    /// As [`super::prepare_on`], [`super::Algorithm::run`] and [`super::Algorithm::answer`].
    pub fn run<C: Configures>(&self, config: C) -> Result<Found<'g, C::Algorithm>> {
        self.run_with(config, &Default::default())
    }

    /// Runs an algorithm once, from a node.
    ///
    /// # Errors
    /// Also when the graph has no node of this name.
    pub fn run_from<C>(&self, node: &str, config: C) -> Result<Found<'g, C::Algorithm>>
    where
        C: Configures<Algorithm: FrontEnd<InputOptions = super::SourceOptions>>,
    {
        let source = Some(super::Source::Node(node.to_owned()));
        self.run_with(config, &super::SourceOptions { source })
    }

    /// Runs an algorithm once, from the input that these settings describe.
    ///
    /// # Errors
    /// Also when the settings do not suit the graph.
    pub fn run_with<C: Configures>(
        &self,
        config: C,
        options: &<C::Algorithm as FrontEnd>::InputOptions,
    ) -> Result<Found<'g, C::Algorithm>> {
        let config = C::Algorithm::find_nodes(&config, self.graph)?;
        let input = C::Algorithm::input(options, self.graph, &config)?;
        let mut algorithm: C::Algorithm = super::prepare_on(&self.shared, &config)?;
        let run = super::Algorithm::run(&mut algorithm, &input)?;
        Ok(Found { graph: self.graph, answer: super::Algorithm::answer(&algorithm)?, run })
    }
}

/// What a run found. It is the algorithm's answer, which can also be asked by node.
pub struct Found<'g, A: FrontEnd> {
    graph: &'g Graph,
    answer: A::Answer,
    run: Run,
}

impl<A: FrontEnd> Found<'_, A> {
    /// What a node has in the first column; none where it is missing, as the depth of a node that is not reached.
    ///
    /// # Errors
    /// [`Error::Usage`] when there is no such node, or nothing is found for each node.
    pub fn of(&self, node: &str) -> Result<Option<Value>> {
        let place = self.graph.ids.find(node, self.graph.csr.nodes());
        let place = place.ok_or_else(|| Error::Usage(format!("{} has no node {node}", self.graph.name)))?;
        let columns = self.answer.columns();
        let first = columns.first().ok_or_else(|| Error::Usage("nothing is found for each node".into()))?;
        Ok(first.value(place as usize))
    }

    /// The nodes with the largest values in the first column, the largest first; of several that are alike, the first.
    pub fn top(&self, count: usize) -> Vec<(NodeName<'_>, Value)> {
        let columns = self.answer.columns();
        let Some(first) = columns.first() else { return Vec::new() };
        let mut all: Vec<(u32, Value)> =
            (0..self.graph.csr.nodes()).filter_map(|node| Some((node, first.value(node as usize)?))).collect();
        all.sort_by(|(a, one), (b, other)| other.real().total_cmp(&one.real()).then(a.cmp(b)));
        all.truncate(count);
        all.into_iter().map(|(node, value)| (self.graph.ids.name(node), value)).collect()
    }

    /// What the run took.
    pub fn run(&self) -> Run {
        self.run
    }

    /// The answer.
    pub fn into_answer(self) -> A::Answer {
        self.answer
    }
}

impl<A: FrontEnd> Deref for Found<'_, A> {
    type Target = A::Answer;

    fn deref(&self) -> &A::Answer {
        &self.answer
    }
}

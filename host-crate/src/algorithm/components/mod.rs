//! Components: which nodes are connected. Weakly, when the directions of edges do not count, by Afforest (Sutton, Ben-Nun and Barak 2018) or by
//! a hook along every edge; strongly, when each node reaches the other, by signatures (Alabandi, Sands, Biros and Burtscher 2023). A component
//! is named by its smallest node, so the answer does not depend on who was faster.

mod cpu;
pub mod strategy;
mod strong;
mod strong_cpu;
mod weak;

use super::prelude::*;
use crate::engine::Layout;
use strategy::Method;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentsConfig {
    /// How components are found.
    pub strategy: Configured<Components>,
    /// Find strongly connected components, whose nodes all reach each other along the directions of edges
    pub strong: bool,
}

impl Settings for ComponentsConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let mut keys = self.strategy.keys();
        let about =
            "Find strongly connected components, whose nodes all reach each other along the directions of edges";
        keys.push(Key::switch("strong", about, &mut self.strong));
        keys
    }
}

/// The component of each node: the index of its smallest node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComponentLabels(pub Vec<u32>);

impl Answer for ComponentLabels {
    fn columns(&self) -> Vec<Column<'_>> {
        let names = ClassNames { one: "component", several: "components", largest: "largest_component" };
        vec![Column::new("component", Values::Nodes((&self.0).into())).meaning(Meaning::Class(names))]
    }
}

impl ComponentLabels {
    /// The components by their smallest nodes, in ascending order, with the number of nodes of each.
    pub fn sizes(&self) -> Vec<(u32, u64)> {
        let mut sizes = vec![0u64; self.0.len()];
        self.0.iter().for_each(|&component| sizes[component as usize] += 1);
        (0..).zip(sizes).filter(|(_, size)| *size > 0).collect()
    }
}

/// A graph whose components are ready to be found.
pub struct Components {
    session: Session,
    labels: Buffer<u32>,
    whole: DeviceLoop,
}

/// What is worked on, and with what.
struct ComponentInputs<'a> {
    device: &'a Device,
    csr: &'a Csr,
    graph: &'a SharedGraph,
    layout: Layout,
    labels: &'a Buffer<u32>,
}

impl Algorithm for Components {
    const ABOUT: Description = Description {
        name: "components",
        summary: "the connected component of every node",
        help: "\
Components are weak: the directions of edges do not count. With --strong they are strongly connected: every node of a component \
reaches every other along the directions of edges. In an undirected graph both are the same. A component is named by the first of its \
nodes in the order of the graph, and the output is a line `id component` for each node; a node without edges is a component by itself. \
The answer is the same in every run and on every device.

Examples:
  evenkeel components rmat:scale=20 --validate
  evenkeel components web.mtx --directed --strong --output components.csv
  evenkeel components friends.csv --top 3
  evenkeel compare components rmat:scale=14 --strategies afforest,all-edges,all-edges:merge-path",
        counted: true,
        ..Description::DEFAULT
    };

    type Config = ComponentsConfig;
    type Input = ();
    type Answer = ComponentLabels;
    type Reference = Vec<u32>;

    fn build(graph: &SharedGraph, config: &ComponentsConfig) -> Result<Self> {
        let (session, info, csr) = (Session::any(graph), graph.device().info(), graph.csr());
        // Where every edge has its reverse, nodes that are connected reach each other.
        let (directed, strategy) = (!csr.is_symmetric(), config.strategy.item());
        let strong = config.strong && directed;
        let asked = strategy.on(info)?.choose(info.kind, config.strong, directed)?;
        let way = |graph: &SharedGraph, method: Method, layout: Layout| {
            let labels = graph.device().buffer("components", csr.nodes() as usize)?;
            let inputs = ComponentInputs { device: graph.device(), csr, graph, layout, labels: &labels };
            let name = format!("components {}", config.strategy);
            let schedule = |choice: Option<Choice>| choice.unwrap_or_else(|| RowSchedule::Auto.choose(csr, info));
            let whole = match method {
                Method::PathBased => strong_cpu::record(&inputs, &name)?,
                Method::AfforestCpu => cpu::record(&inputs, &name)?,
                Method::AllEdges(choice) if strong => strong::record(&inputs, schedule(choice), &name)?,
                Method::AllEdges(choice) => weak::record_all_edges(&inputs, schedule(choice), &name)?,
                Method::Afforest | Method::Auto => weak::record_afforest(&inputs, &name)?,
            };
            Ok((labels, whole))
        };
        let resident = Layout::resident(info, csr);
        let method = *graph.once("method", || {
            if !strategy.chooses() || asked != Method::Afforest {
                return Ok(asked);
            }
            // What takes every edge once can be streamed: each partition is copied to the device once.
            match graph.planned(|graph| way(graph, asked, resident)) {
                Ok(plan) if plan.bytes() <= info.available() => Ok(asked),
                Ok(_) | Err(Error::Memory(_)) => Ok(Method::AllEdges(None)),
                Err(other) => Err(other),
            }
        })?;
        let layout = match method {
            Method::AllEdges(_) => graph.layout(csr, size_of::<u32>(), |graph, layout| way(graph, method, *layout))?,
            _ => resident,
        };
        let (labels, whole) = way(graph, method, layout)?;
        Ok(Self { session: session.with_method(strategy.taken(&method)), labels, whole })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        self.session.run(|graph| {
            let run = self.whole.run()?;
            refuse_given_up(graph.device(), &run, "these components take")?;
            // Weak components are one iteration, which nobody counts.
            Ok(Run { iterations: run.report.iteration.max(1), ..run.into() })
        })
    }

    fn answer(&self) -> Result<ComponentLabels> {
        self.session.answered()?.device().download(&self.labels).map(ComponentLabels)
    }

    fn reference(graph: &Graph, (): &(), config: &ComponentsConfig) -> Result<Vec<u32>> {
        Ok(match config.strong {
            true => oracle::components::strong(&graph.csr),
            false => oracle::components::weak(&graph.csr),
        })
    }

    fn check(found: &ComponentLabels, expected: &Vec<u32>, _: &Graph, (): &()) -> Option<Mismatch> {
        oracle::first_mismatch(expected, &found.0)
    }
}

impl FrontEnd for Components {
    type Alternative = Selected<Method>;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut ComponentsConfig) -> &mut Configured<Self> {
        &mut config.strategy
    }

    fn ignores_directions(config: &ComponentsConfig) -> bool {
        !config.strong
    }

    fn input((): &(), _: &Graph, _: &ComponentsConfig) -> Result<()> {
        Ok(())
    }
}

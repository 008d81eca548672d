//! Picks one of the other strategies before a run, by the algorithm, the graph and the device. What it picks on a GPU chooses again
//! in every iteration, on the device, by the frontier. The rule is [`choose`] and nothing else; docs/measurements.md has what
//! supports it.

use super::{
    adaptive::Adaptive,
    cpu::{DeltaStepping, DirectionCpu},
    direction::Direction,
    near_far::NearFar,
    node::Node,
    prelude::*,
    small::Small,
    sweep::Sweep,
};
use crate::{
    engine::{Layout, SharedGraph, partition},
    graph::Skew,
};
use std::collections::HashSet;

/// The strategy `auto`.
#[derive(Clone)]
pub(super) struct Auto;

/// The rule.
fn choose(operator: Operator, device: DeviceKind, graph: &Csr) -> Box<dyn Strategy> {
    if device == DeviceKind::Cpu && operator == Operator::Bfs {
        Box::new(DirectionCpu)
    } else if device == DeviceKind::Cpu {
        Box::new(DeltaStepping::default())
    } else if device == DeviceKind::Software {
        // There is no hardware that makes sharing a node cheap, and every barrier costs.
        Box::new(Node)
    } else if Small::takes(graph) && graph.edges() <= SMALL {
        Box::new(Small)
    } else if is_mesh(graph) {
        Box::new(NearFar::default())
    } else if operator == Operator::Bfs && graph.edges() < SMALL_FOR_BFS {
        Box::new(Adaptive::default())
    } else if operator == Operator::Bfs && expands(graph) {
        Box::new(Direction)
    } else if operator == Operator::Bfs {
        Box::new(NearFar::default())
    } else if graph.edges() >= LARGE_FOR_SSSP && expands(graph) {
        Box::new(Sweep::default())
    } else {
        Box::new(NearFar::default())
    }
}

/// The rule for a device and a graph, of which not all may fit into one buffer, or on the device.
fn chosen(graph: &SharedGraph, operator: Operator) -> Result<Box<dyn Strategy>> {
    let (device, csr) = (graph.device().info(), graph.csr());
    let simple = choose(operator, device.kind, csr);
    if device.kind == DeviceKind::Cpu {
        return Ok(simple);
    }
    let is_whole = partition(device, csr).list().len() == 1;
    if is_whole && fits(graph, &*simple, operator)? { Ok(simple) } else { in_partitions(graph, operator) }
}

/// Whether all of the graph certainly fits on the device beside what a strategy needs, and the algorithm.
fn fits(graph: &SharedGraph, strategy: &dyn Strategy, operator: Operator) -> Result<bool> {
    /// Values, marks and parents of a node, and what else there may be.
    const BYTES_OF_A_NODE: u64 = 16;
    let (device, csr) = (graph.device().info(), graph.csr());
    let planned = graph.planned(|graph| {
        let traversal = Traversal::new(graph, operator, Some(Layout::resident(device, csr)), "values")?;
        strategy.record(graph.device(), &traversal, "plan")
    });
    match planned {
        Ok(plan) => Ok(plan.bytes() + BYTES_OF_A_NODE * (u64::from(csr.nodes()) + 64) <= device.available()),
        Err(Error::Memory(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// The rule among the strategies that take several partitions.
fn in_partitions(graph: &SharedGraph, operator: Operator) -> Result<Box<dyn Strategy>> {
    let csr = graph.csr();
    let sweeps = || Ok(csr.edges() >= LARGE_FOR_SSSP && expands(csr) && fits(graph, &Sweep::default(), operator)?);
    Ok(if operator == Operator::Bfs {
        Box::new(Direction)
    } else if sweeps()? {
        Box::new(Sweep::default())
    } else {
        // A sweep would have all of a graph copied to the device in each iteration.
        Box::new(NearFar::default())
    })
}

/// With so few edges, and nodes that fit a workgroup's memory, one workgroup is faster than the dispatches for many.
const SMALL: u64 = 8_192;
/// With fewer edges than this, what a level costs is its dispatch, and `adaptive` takes several levels in one.
const SMALL_FOR_BFS: u64 = 2_000_000;
/// With so many edges, and few iterations, adding nodes to lists costs more than looking at all of them.
const LARGE_FOR_SSSP: u64 = 16_000_000;

/// Whether searches have few levels: one that begins anywhere finds thousands of nodes nearly as soon as in a random graph with as many edges.
fn expands(graph: &Csr) -> bool {
    const STARTS: u32 = 3;
    const ENOUGH: usize = 4096;
    /// A start may lie apart.
    const MORE: f64 = 3.0;
    // There, each level has as many times the nodes of the one before as a node has edges.
    let most = (ENOUGH as f64).ln() / graph.skew().mean.max(1.5).ln() + MORE;
    let levels_from = |start: u32| {
        let (mut found, mut list, mut begin, mut levels) = (HashSet::from([start]), vec![start], 0, 0);
        while list.len() < ENOUGH && begin < list.len() && f64::from(levels) <= most {
            let level = begin..list.len();
            begin = list.len();
            for place in level {
                // The first edges of a hub suffice.
                let ends = graph.neighbours(list[place]).iter().take(ENOUGH);
                list.extend(ends.filter(|&&end| found.insert(end)));
                if list.len() >= ENOUGH {
                    break;
                }
            }
            levels += 1;
        }
        levels
    };
    // An isolated node says nothing.
    let has_edges = |node: &u32| graph.degree(*node) > 0;
    let starts = (0..STARTS).filter_map(|part| (graph.nodes() / STARTS * part..graph.nodes()).find(has_edges));
    starts.map(levels_from).all(|levels| f64::from(levels) <= most)
}

/// Whether it is as a road network or a grid: its searches have very many short levels, of which `near-far` takes many in one dispatch.
fn is_mesh(graph: &Csr) -> bool {
    let Skew { mean, highest } = graph.skew();
    graph.nodes() >= 1000 && mean < 6.0 && highest <= 12
}

impl Strategy for Auto {
    fn about(&self) -> About {
        About::new("auto", "", "whichever of these suits the algorithm, the graph and the device")
    }

    /// What it chooses on the CPU device hands no atoms out to invocations.
    fn is_counted(&self) -> bool {
        false
    }

    fn choose(&self, graph: &SharedGraph, operator: Operator) -> Result<Option<Box<dyn Strategy>>> {
        chosen(graph, operator).map(Some)
    }

    fn takes_partitions(&self) -> bool {
        true
    }

    fn reads_device_graph(&self, target: Target<'_>) -> bool {
        // Only what it chooses on the CPU device, whatever the graph, does not.
        target.device.kind != DeviceKind::Cpu
    }

    /// What it chooses is recorded in its place.
    fn record(&self, _: &Device, _: &Traversal, name: &str) -> Result<DeviceLoop> {
        Err(Error::Usage(format!("{name}: auto leaves a graph to another strategy, which records the loop")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn searches_of_meshes_and_chains_have_many_levels() {
        let expands = |graph: &str| expands(&graph.parse::<Generator>().unwrap().generate().unwrap().csr);
        assert!(expands("rmat:scale=16") && expands("er:nodes=65536,degree=8") && expands("star:nodes=9000"));
        assert!(expands("er:nodes=65536,degree=3") && expands("er:nodes=65536,degree=4,directed=true"));
        assert!(!expands("grid:rows=256,cols=256") && !expands("chain:nodes=20000") && !expands("road:nodes=65536"));
    }

    #[test]
    fn algorithm_graph_and_device_decide() {
        let choose = |operator, graph: &str, device| {
            let csr = graph.parse::<Generator>().unwrap().generate().unwrap().csr;
            choose(operator, device, &csr).about().name
        };
        let (mesh, tiny, small, large) = ("grid:rows=40,cols=40", "rmat:scale=8", "rmat:scale=11", "rmat:scale=17");
        assert_eq!(choose(Operator::Bfs, tiny, DeviceKind::Discrete), "small");
        assert_eq!(choose(Operator::SsspF32, tiny, DeviceKind::Discrete), "small");
        assert_eq!(choose(Operator::Bfs, mesh, DeviceKind::Discrete), "near-far");
        assert_eq!(choose(Operator::Bfs, small, DeviceKind::Discrete), "adaptive");
        assert_eq!(choose(Operator::Bfs, large, DeviceKind::Discrete), "direction");
        assert_eq!(choose(Operator::Bfs, "rmat:scale=18,directed=true", DeviceKind::Integrated), "direction");
        assert_eq!(choose(Operator::Bfs, "chain:nodes=1100000", DeviceKind::Discrete), "near-far");
        assert_eq!(choose(Operator::SsspU32, mesh, DeviceKind::Discrete), "near-far");
        assert_eq!(choose(Operator::SsspF32, small, DeviceKind::Virtual), "near-far");
        assert_eq!(choose(Operator::SsspF32, large, DeviceKind::Virtual), "near-far");
        assert_eq!(choose(Operator::SsspF32, mesh, DeviceKind::Software), "node");
        assert_eq!(choose(Operator::Bfs, small, DeviceKind::Cpu), "direction-cpu");
        assert_eq!(choose(Operator::SsspU32, mesh, DeviceKind::Cpu), "delta-stepping");
    }
}

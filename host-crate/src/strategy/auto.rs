//! Picks one of the other strategies before a run, by the algorithm, the graph and the device. What it picks on a GPU chooses again
//! in every iteration, on the device, by the frontier. The rule is [`choose`] and nothing else; docs/measurements.md has what
//! supports it.

use super::{
    adaptive::{Adaptive, LevelSize},
    cpu::{DeltaStepping, DirectionCpu},
    direction::Direction,
    near_far::NearFar,
    node::Node,
    prelude::*,
    small::Small,
    sweep::Sweep,
};
use crate::graph::Skew;
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

/// With so few edges, and nodes that fit a workgroup's memory, one workgroup is faster than the dispatches for many.
const SMALL: u32 = 8_192;
/// With fewer edges than this, what a level costs is its dispatch, and `adaptive` takes several levels in one.
const SMALL_FOR_BFS: u32 = 2_000_000;
/// With so many edges, and few iterations, adding nodes to lists costs more than looking at all of them.
const LARGE_FOR_SSSP: u32 = 16_000_000;

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

    fn plan(&self, csr: &Csr, target: Target<'_>) -> MemoryPlan {
        choose(target.operator, target.device.kind, csr).plan(csr, target)
    }

    fn taken(&self, csr: &Csr, target: Target<'_>) -> Option<&'static str> {
        Some(choose(target.operator, target.device.kind, csr).about().name)
    }

    fn reads_device_graph(&self, target: Target<'_>) -> bool {
        // Only what it chooses on the CPU device, whatever the graph, does not.
        target.device.kind != DeviceKind::Cpu
    }

    fn level_names(&self, device: &Device, csr: &Csr, levels: &[LevelSize]) -> Result<Option<Vec<String>>> {
        choose(Operator::Bfs, device.info().kind, csr).level_names(device, csr, levels)
    }

    fn rounds(&self, csr: &Csr, target: Target<'_>) -> u64 {
        choose(target.operator, target.device.kind, csr).rounds(csr, target)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let chosen = choose(traversal.operator, device.info().kind, &traversal.csr);
        let chosen_name = chosen.about().name;
        tracing::info!("{name} takes {chosen_name}");
        chosen.record(device, traversal, &format!("{name}, {chosen_name}"))
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

//! Picks one of the other strategies before a run, by the degrees of the graph, the algorithm and the device. The rule is
//! [`choose`] and nothing else; what supports it, in milliseconds on an H200, is this (docs/measurements.md has all of them):
//!
//! | graph | mean degree | highest / mean | BFS: edge, group-mapped, merge-path, direction | SSSP: the first three |
//! | --- | --- | --- | --- | --- |
//! | road-NY | 2.8 | 3 | 4.09, 6.15, 16.0, 2.0 | 5.42, 7.78, 20.5 |
//! | com-dblp, directed | 3.3 | 104 | 0.49, 0.77, 1.52, – | 0.56, 0.94, 1.58 |
//! | grid 1,024² | 4 | 1 | 20.6, 29.1, 76.3, 6.7 | 38.5, 48.3, 113 |
//! | er 2^22 | 8 | 3 | 2.93, 1.87, 2.77, 0.80 | 17.1, 13.0, 14.3 |
//! | rmat 20 | 30 | 2,162 | 3.00, 5.10, 0.96, 0.15 | 5.30, 10.5, 2.89 |

use super::{
    DeviceLoop, Iterate, Traversal, Tuning, direction::Direction, edge::Edge, node::Node, scheduled::Scheduled,
};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::{Csr, statistics::Skew},
};
use evenkeel_kernels::{operator::Operator, schedule::Schedule};

/// See the module.
pub(super) struct Auto;

/// Where the highest degree is at most this many times the mean, a group of lanes evens it out.
const EVEN: f64 = 128.0;

/// A mean degree below this leaves a group nothing to share, and a list of edges is not long.
const FEW: f64 = 6.0;

const NODE: (&str, &dyn Iterate) = ("node", &Node);
const EDGE: (&str, &dyn Iterate) = ("edge", &Edge);
const GROUP_MAPPED: (&str, &dyn Iterate) = (Schedule::GroupMapped.name(), &Scheduled(Schedule::GroupMapped));
const MERGE_PATH: (&str, &dyn Iterate) = (Schedule::MergePath.name(), &Scheduled(Schedule::MergePath));
const DIRECTION: (&str, &dyn Iterate) = ("direction", &Direction);

/// What the rule is told.
struct Case {
    skew: Skew,
    operator: Operator,
    /// Whether every edge has its reverse; only looked at for a search.
    symmetric: bool,
    on_cpu: bool,
}

/// The rule.
fn choose(case: &Case) -> (&'static str, &'static dyn Iterate) {
    let search = case.operator == Operator::Bfs;
    if case.on_cpu {
        // There is no hardware that makes sharing a node cheap, and every barrier costs.
        NODE
    } else if search && case.symmetric {
        DIRECTION
    } else if f64::from(case.skew.highest) > EVEN * case.skew.mean.max(1.0) {
        MERGE_PATH
    } else if case.skew.mean < FEW {
        EDGE
    } else {
        GROUP_MAPPED
    }
}

impl Iterate for Auto {
    /// The most that what is chosen on a GPU may need, for either algorithm.
    fn plan(&self, csr: &Csr, tuning: &Tuning) -> MemoryPlan {
        let skew = Skew::of(csr);
        let plan = |operator| choose(&Case { skew, operator, symmetric: true, on_cpu: false }).1.plan(csr, tuning);
        let plans = [Operator::Bfs, Operator::SsspU32].map(plan);
        plans.into_iter().max_by_key(MemoryPlan::bytes).unwrap_or_default()
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let Traversal { skew, operator, .. } = traversal;
        let on_cpu = device.info().kind.is_cpu();
        let symmetric = !on_cpu && *operator == Operator::Bfs && traversal.is_symmetric();
        let (chosen, how) = choose(&Case { skew: *skew, operator: *operator, symmetric, on_cpu });
        tracing::info!("{name} takes {chosen}");
        how.record(device, traversal, &format!("{name}, {chosen}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn degrees_decide() {
        let choose = |text: &str, operator, on_cpu| {
            let graph = text.parse::<Generator>().unwrap().generate().unwrap();
            choose(&Case { skew: Skew::of(&graph.csr), operator, symmetric: false, on_cpu }).0
        };
        assert_eq!(choose("grid:rows=20,cols=20", Operator::Bfs, false), "edge");
        assert_eq!(choose("grid:rows=20,cols=20", Operator::SsspU32, false), "edge");
        assert_eq!(choose("er:nodes=2000,degree=8", Operator::Bfs, false), "group-mapped");
        assert_eq!(choose("star:nodes=2000", Operator::Bfs, false), "merge-path");
        assert_eq!(choose("star:nodes=2000", Operator::SsspF32, true), "node");
        assert_eq!(choose("chain:nodes=1", Operator::Bfs, false), "edge");
        let case = |operator| Case { skew: Skew { mean: 4.0, highest: 4 }, operator, symmetric: true, on_cpu: false };
        assert_eq!(super::choose(&case(Operator::Bfs)).0, "direction");
        assert_eq!(super::choose(&case(Operator::SsspF32)).0, "edge");
    }
}

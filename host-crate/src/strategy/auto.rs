//! Picks one of the other strategies before a run, by the degrees of the graph, the algorithm and the device. The rule is
//! [`choose`] and nothing else; what supports it, in milliseconds on an H200, is this (docs/measurements.md has all of them):
//!
//! | graph | mean degree | highest / mean | BFS: node, group-mapped, merge-path | SSSP: the same |
//! | --- | --- | --- | --- | --- |
//! | road-NY | 2.8 | 3 | 5.53, 5.93, 15.9 | 17.5, 13.0, 34.1 |
//! | er 2^22 | 8 | 3 | 2.26, 1.90, 2.76 | 17.8, 12.2, 13.4 |
//! | com-dblp | 6.6 | 52 | 1.75, 0.91, 1.50 | |
//! | rmat 20 | 30 | 2,162 | 66.0, 5.13, 0.99 | 120, 10.4, 2.68 |

use super::{DeviceLoop, Iterate, Traversal, Tuning, node::Node, scheduled::Scheduled};
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

/// A mean degree below this leaves a group nothing to share in a search.
const FEW: f64 = 6.0;

const NODE: (&str, &dyn Iterate) = ("node", &Node);
const GROUP_MAPPED: (&str, &dyn Iterate) = (Schedule::GroupMapped.name(), &Scheduled(Schedule::GroupMapped));
const MERGE_PATH: (&str, &dyn Iterate) = (Schedule::MergePath.name(), &Scheduled(Schedule::MergePath));

/// The rule.
fn choose(skew: Skew, operator: Operator, on_cpu: bool) -> (&'static str, &'static dyn Iterate) {
    let search = operator == Operator::Bfs;
    if on_cpu {
        // There is no hardware that makes sharing a node cheap, and every barrier costs.
        NODE
    } else if f64::from(skew.highest) > EVEN * skew.mean.max(1.0) {
        MERGE_PATH
    } else if search && skew.mean < FEW {
        NODE
    } else {
        GROUP_MAPPED
    }
}

impl Iterate for Auto {
    /// Of the one that is chosen on a GPU, for either algorithm: the others need no more.
    fn plan(&self, csr: &Csr, tuning: &Tuning) -> MemoryPlan {
        choose(Skew::of(csr), Operator::SsspU32, false).1.plan(csr, tuning)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (chosen, how) = choose(traversal.skew, traversal.operator, device.info().kind.is_cpu());
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
            choose(Skew::of(&graph.csr), operator, on_cpu).0
        };
        assert_eq!(choose("grid:rows=20,cols=20", Operator::Bfs, false), "node");
        assert_eq!(choose("grid:rows=20,cols=20", Operator::SsspU32, false), "group-mapped");
        assert_eq!(choose("er:nodes=2000,degree=8", Operator::Bfs, false), "group-mapped");
        assert_eq!(choose("star:nodes=2000", Operator::Bfs, false), "merge-path");
        assert_eq!(choose("star:nodes=2000", Operator::SsspF32, true), "node");
        assert_eq!(choose("chain:nodes=1", Operator::Bfs, false), "node");
    }
}

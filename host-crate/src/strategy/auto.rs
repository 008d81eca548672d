//! Picks one of the other strategies before a run, by the algorithm, the graph and the device. What it picks on a GPU chooses again
//! in every iteration, on the device, by the frontier. The rule is [`choose`] and nothing else; what supports it, in milliseconds
//! on an H200, is this (docs/measurements.md has more):
//!
//! | search, symmetric | rmat 20 | er 2^22 | grid 1,024² | road-NY | com-dblp |
//! | --- | --- | --- | --- | --- | --- |
//! | edge, group-mapped, merge-path | 3.00, 5.10, 0.96 | 2.93, 1.87, 2.77 | 20.6, 29.1, 76.3 | 4.09, 6.15, 16.0 | – |
//! | direction | 0.098 | 0.48 | 6.8 | 2.0 | 0.42 |
//!
//! | search, not symmetric | com-dblp | cnr-2000 | soc-Slashdot0902 | cit-HepPh | web-EPA |
//! | --- | --- | --- | --- | --- | --- |
//! | edge, group-mapped, merge-path | 0.31, 0.58, 0.92 | 1.22, 2.44, 1.72 | 0.44, 0.87, 0.49 | 0.28, 0.69, 0.57 | 0.14, 0.16, 0.32 |
//! | direction, adaptive | 0.36, 0.33 | 1.78, 0.85 | 0.45, 0.17 | 0.33, 0.22 | 0.15, 0.09 |
//!
//! | shortest paths | rmat 20 | er 2^22 | grid 1,024² | grid 4,096² | road-NY | cnr-2000 | com-dblp, directed |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | edge, group-mapped, merge-path | 5.78, 11.1, 2.78 | 15.9, 12.2, 13.4 | 40.5, 49.7, 114 | –, 1,507, 1,754 | 5.62, 8.24, 21.4 | 3.14, 5.86, 3.49 | 0.47, 0.83, 1.01 |
//! | near-far | 1.71 | 4.33 | 19.2 | 94.4 | 5.62 | 2.41 | 0.54 |

use super::{
    DeviceLoop, Iterate, Traversal, Tuning, adaptive::Adaptive, direction::Direction, near_far::NearFar, node::Node,
};
use crate::{
    Result,
    device::{Device, MemoryPlan},
    graph::{Csr, transform::is_surely_symmetric},
};
use evenkeel_kernels::operator::Operator;

/// See the module.
pub(super) struct Auto;

/// What the rule is told.
struct Case {
    operator: Operator,
    /// Whether every edge has its reverse; only looked at for a search.
    symmetric: bool,
    on_cpu: bool,
}

/// The rule.
fn choose(case: &Case) -> (&'static str, &'static dyn Iterate) {
    if case.on_cpu {
        // There is no hardware that makes sharing a node cheap, and every barrier costs.
        ("node", &Node)
    } else if case.operator != Operator::Bfs {
        ("near-far", &NearFar)
    } else if case.symmetric {
        ("direction", &Direction)
    } else {
        ("adaptive", &Adaptive)
    }
}

impl Iterate for Auto {
    /// Of what is chosen on a GPU, which is the most.
    fn plan(&self, csr: &Csr, operator: Operator, tuning: &Tuning) -> MemoryPlan {
        let symmetric = operator == Operator::Bfs && is_surely_symmetric(csr);
        choose(&Case { operator, symmetric, on_cpu: false }).1.plan(csr, operator, tuning)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let operator = traversal.operator;
        let on_cpu = device.info().kind.is_cpu();
        let symmetric = !on_cpu && operator == Operator::Bfs && traversal.is_symmetric();
        let (chosen, how) = choose(&Case { operator, symmetric, on_cpu });
        tracing::info!("{name} takes {chosen}");
        how.record(device, traversal, &format!("{name}, {chosen}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithm_graph_and_device_decide() {
        let choose = |operator, symmetric, on_cpu| choose(&Case { operator, symmetric, on_cpu }).0;
        assert_eq!(choose(Operator::Bfs, true, false), "direction");
        assert_eq!(choose(Operator::Bfs, false, false), "adaptive");
        assert_eq!(choose(Operator::SsspU32, false, false), "near-far");
        assert_eq!(choose(Operator::SsspF32, true, false), "near-far");
        assert_eq!(choose(Operator::SsspF32, true, true), "node");
    }
}

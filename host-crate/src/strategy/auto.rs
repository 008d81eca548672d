//! Picks one of the other strategies before a run, by the algorithm, the graph and the device. What it picks on a GPU chooses again
//! in every iteration, on the device, by the frontier. The rule is [`choose`] and nothing else; docs/measurements.md has what
//! supports it.

use super::{adaptive::Adaptive, direction::Direction, near_far::NearFar, node::Node, prelude::*};

/// The strategy `auto`.
#[derive(Clone)]
pub(super) struct Auto;

/// The rule. `is_symmetric` says whether every edge has its reverse, and is only asked for a search on a GPU.
fn choose(operator: Operator, on_cpu: bool, is_symmetric: impl FnOnce() -> bool) -> Box<dyn Strategy> {
    if on_cpu {
        // There is no hardware that makes sharing a node cheap, and every barrier costs.
        Box::new(Node)
    } else if operator != Operator::Bfs {
        Box::new(NearFar::default())
    } else if is_symmetric() {
        Box::new(Direction)
    } else {
        Box::new(Adaptive::default())
    }
}

impl Strategy for Auto {
    fn about(&self) -> About {
        About::new("auto", "", "whichever of these suits the algorithm, the graph and the device")
    }

    fn plan(&self, csr: &Csr, target: Target<'_>) -> MemoryPlan {
        choose(target.operator, target.device.kind.is_cpu(), || csr.is_symmetric()).plan(csr, target)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let chosen = choose(traversal.operator, device.info().kind.is_cpu(), || traversal.csr.is_symmetric());
        let chosen_name = chosen.about().name;
        tracing::info!("{name} takes {chosen_name}");
        chosen.record(device, traversal, &format!("{name}, {chosen_name}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithm_graph_and_device_decide() {
        let choose = |operator, symmetric, on_cpu| choose(operator, on_cpu, || symmetric).about().name;
        assert_eq!(choose(Operator::Bfs, true, false), "direction");
        assert_eq!(choose(Operator::Bfs, false, false), "adaptive");
        assert_eq!(choose(Operator::SsspU32, false, false), "near-far");
        assert_eq!(choose(Operator::SsspF32, true, false), "near-far");
        assert_eq!(choose(Operator::SsspF32, true, true), "node");
    }
}

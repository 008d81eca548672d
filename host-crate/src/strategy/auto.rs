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
};

/// The strategy `auto`.
#[derive(Clone)]
pub(super) struct Auto;

/// The rule. `is_symmetric` says whether every edge has its reverse, and is only asked for a search on a GPU.
fn choose(operator: Operator, device: DeviceKind, is_symmetric: impl FnOnce() -> bool) -> Box<dyn Strategy> {
    if device == DeviceKind::Cpu && operator == Operator::Bfs {
        Box::new(DirectionCpu)
    } else if device == DeviceKind::Cpu {
        Box::new(DeltaStepping::default())
    } else if device == DeviceKind::Software {
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

    /// What it chooses on the CPU device hands no atoms out to invocations.
    fn is_counted(&self) -> bool {
        false
    }

    fn plan(&self, csr: &Csr, target: Target<'_>) -> MemoryPlan {
        choose(target.operator, target.device.kind, || csr.is_symmetric()).plan(csr, target)
    }

    fn taken(&self, csr: &Csr, target: Target<'_>) -> Option<&'static str> {
        Some(choose(target.operator, target.device.kind, || csr.is_symmetric()).about().name)
    }

    fn reads_device_graph(&self, target: Target<'_>) -> bool {
        // Whether the graph is symmetric does not matter to this, and may take long to find.
        choose(target.operator, target.device.kind, || false).reads_device_graph(target)
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let chosen = choose(traversal.operator, device.info().kind, || traversal.csr.is_symmetric());
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
        let choose = |operator, symmetric, device| choose(operator, device, || symmetric).about().name;
        assert_eq!(choose(Operator::Bfs, true, DeviceKind::Discrete), "direction");
        assert_eq!(choose(Operator::Bfs, false, DeviceKind::Integrated), "adaptive");
        assert_eq!(choose(Operator::SsspU32, false, DeviceKind::Discrete), "near-far");
        assert_eq!(choose(Operator::SsspF32, true, DeviceKind::Virtual), "near-far");
        assert_eq!(choose(Operator::SsspF32, true, DeviceKind::Software), "node");
        assert_eq!(choose(Operator::Bfs, false, DeviceKind::Cpu), "direction-cpu");
        assert_eq!(choose(Operator::SsspU32, true, DeviceKind::Cpu), "delta-stepping");
    }
}

//! The strategies by which core numbers are found, by name.

use super::super::Selectable;
use crate::{
    device::DeviceKind,
    settings::{Configurable, Key},
    strategy::About,
};

/// A strategy of finding core numbers.
#[derive(Clone)]
pub struct KCoreStrategy {
    about: About,
    method: Method,
}

/// How core numbers are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// From below, by taking nodes away.
    Peel,
    /// From below, by the threads of the CPU device.
    PeelCpu,
    /// From above, by lowering numbers.
    HIndex,
    /// Whichever suits the device.
    Auto,
}

/// Name, where it comes from, what it does.
const STRATEGIES: [(&str, &str, &str, Method); 3] = [
    (
        "peel",
        "PKC, Kabir and Madduri; PeelOne, Zhao et al.",
        "takes away nodes of few neighbours, level after level in one dispatch",
        Method::Peel,
    ),
    (
        "h-index",
        "Lü et al.",
        "lowers the numbers of all nodes at once to what those of their neighbours allow, until none changes",
        Method::HIndex,
    ),
    ("auto", "", "peel; on the CPU device in a form of its own", Method::Auto),
];

impl Configurable for KCoreStrategy {
    fn name(&self) -> &'static str {
        self.about.name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }
}

impl KCoreStrategy {
    /// What it does on such a device.
    pub(super) fn method(&self, device: DeviceKind) -> Method {
        match self.method {
            Method::Auto if device == DeviceKind::Cpu => Method::PeelCpu,
            Method::Auto => Method::Peel,
            method => method,
        }
    }

    /// The name of the strategy that does so, if this one chooses among the others.
    pub(super) fn taken(&self, method: Method) -> Option<&'static str> {
        let named = || STRATEGIES.iter().find(|(.., other)| *other == method).map_or("peel-cpu", |(name, ..)| *name);
        (self.method == Method::Auto).then(named)
    }
}

impl Default for KCoreStrategy {
    fn default() -> Self {
        let [.., (name, paper, summary, method)] = STRATEGIES;
        Self { about: About::new(name, paper, summary), method }
    }
}

impl Selectable for KCoreStrategy {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How core numbers are found: a name from `evenkeel strategies kcore`";
    const HEADING: &'static str = "cores";

    fn all() -> Vec<Self> {
        let strategy = |(name, paper, summary, method)| Self { about: About::new(name, paper, summary), method };
        STRATEGIES.map(strategy).to_vec()
    }

    fn about(&self) -> About {
        self.about
    }

    /// What is chosen on the CPU device is no kernel.
    fn is_counted(&self) -> bool {
        self.method != Method::Auto
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_decides() {
        let auto = KCoreStrategy::default();
        assert_eq!(auto.taken(auto.method(DeviceKind::Discrete)), Some("peel"));
        assert_eq!(auto.taken(auto.method(DeviceKind::Cpu)), Some("peel-cpu"));
        let [peel, h_index, _] = KCoreStrategy::all().try_into().ok().unwrap();
        assert_eq!((peel.method(DeviceKind::Cpu), peel.taken(Method::Peel)), (Method::Peel, None));
        assert_eq!(h_index.method(DeviceKind::Discrete), Method::HIndex);
    }
}

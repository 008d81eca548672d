//! The strategies of betweenness, by name.

use super::super::{Selectable, prelude::*};
use crate::{
    device::DeviceKind,
    settings::{Configurable, Key},
    strategy::About,
};

/// How paths are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BetweennessStrategy {
    /// One source after the other, level by level.
    Levels,
    /// 32 sources at a time.
    Batched,
    /// In a form for the CPU device.
    LevelsCpu,
    /// The one that suits the device.
    #[default]
    Auto,
}

/// What a strategy comes to on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Levels,
    Batched,
    Cpu,
}

/// Name, origin and summary of each.
const STRATEGIES: [[&str; 3]; 4] = [
    [
        "levels",
        "Brandes",
        "one source after the other; nodes sorted by level, each level a sum over the rows of its nodes",
    ],
    [
        "batched",
        "Brandes; Then et al.",
        "32 sources at a time, one to each invocation; sources with many levels are left to levels",
    ],
    ["levels-cpu", "Brandes", "a source to each thread at a time; one source alone level by level, by all threads"],
    [
        "auto",
        "",
        "levels-cpu on the CPU device; else batched for several sources where levels are few and memory suffices, or levels",
    ],
];

impl Configurable for BetweennessStrategy {
    fn name(&self) -> &'static str {
        self.about().name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }
}

impl Selectable for BetweennessStrategy {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How paths are counted: a name from `evenkeel strategies betweenness`";
    const HEADING: &'static str = "for betweenness";

    fn all() -> Vec<Self> {
        vec![Self::Levels, Self::Batched, Self::LevelsCpu, Self::Auto]
    }

    fn about(&self) -> About {
        let [name, paper, summary] = STRATEGIES[*self as usize];
        About { cpu_only: *self == Self::LevelsCpu, ..About::new(name, paper, summary) }
    }

    fn is_counted(&self) -> bool {
        matches!(self, Self::Levels | Self::Batched)
    }
}

impl BetweennessStrategy {
    /// What it does on such a device; `suits_batches` says whether a batch suits the graph and the sources.
    pub(super) fn method(self, device: DeviceKind, suits_batches: impl FnOnce() -> Result<bool>) -> Result<Method> {
        Ok(match self {
            Self::Levels => Method::Levels,
            Self::Batched => Method::Batched,
            Self::LevelsCpu => Method::Cpu,
            Self::Auto if device == DeviceKind::Cpu => Method::Cpu,
            Self::Auto if suits_batches()? => Method::Batched,
            Self::Auto => Method::Levels,
        })
    }

    /// The name of what it does, if it chooses.
    pub(super) fn taken(self, method: Method) -> Option<&'static str> {
        let taken = match method {
            Method::Levels => Self::Levels,
            Method::Batched => Self::Batched,
            Method::Cpu => Self::LevelsCpu,
        };
        (self == Self::Auto).then(|| taken.about().name)
    }

    /// Refuses a device that cannot run it.
    pub(super) fn check_device(self, device: &DeviceInfo) -> Result<()> {
        self.about().check_device(device)
    }
}

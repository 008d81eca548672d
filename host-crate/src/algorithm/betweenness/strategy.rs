//! The methods by which betweenness is found.

use super::super::prelude::*;

/// How paths are counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One source after the other, level by level.
    Levels,
    /// 32 sources at a time.
    Batched,
    /// By the threads of the CPU device.
    LevelsCpu,
    /// The one that suits the device.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "How paths are counted: a name from `evenkeel strategies betweenness`";
    const HEADING: &'static str = "for betweenness";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "levels",
            "Brandes",
            "one source after the other; nodes sorted by level, each level a sum over the rows of its nodes",
            Self::Levels,
        ),
        Line::new(
            "batched",
            "Brandes; Then et al.",
            "32 sources at a time, one to each invocation; sources with many levels are left to levels",
            Self::Batched,
        ),
        Line::on_cpu(
            "levels-cpu",
            "Brandes",
            "a source to each thread at a time; one source alone level by level, by all threads",
            Self::LevelsCpu,
        ),
        Line::auto(
            "levels-cpu on the CPU device; else batched for several sources where levels are few and memory suffices, or levels",
            Self::Auto,
        ),
    ];
}

impl Method {
    /// What it comes to on such a device; `suits_batches` says whether a batch suits the graph and the sources.
    pub(super) fn choose(self, device: DeviceKind, suits_batches: impl FnOnce() -> Result<bool>) -> Result<Self> {
        Ok(match self {
            Self::Auto if device == DeviceKind::Cpu => Self::LevelsCpu,
            Self::Auto if suits_batches()? => Self::Batched,
            Self::Auto => Self::Levels,
            method => method,
        })
    }
}

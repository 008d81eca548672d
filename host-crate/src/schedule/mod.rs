//! Schedules as the host sees them: a choice by name, and the room in device memory that a schedule works in. What they do is
//! in `schedule/` of the kernels.

mod room;

pub use evenkeel_kernels::schedule::Schedule;
pub use room::Room;

use crate::{
    Error, Result,
    graph::{Csr, statistics::max_degree_node},
};
use evenkeel_types::{ScheduleParams, WORKGROUP};
use std::{fmt, str::FromStr};

/// A schedule, and for group-mapped the size of its groups: `merge-path`, `group-mapped`, `group-mapped:64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which.
    pub schedule: Schedule,
    /// Invocations in a group.
    pub group: u32,
}

/// A subgroup's width on most GPUs.
const DEFAULT_GROUP: u32 = 32;

impl Choice {
    /// All schedules with their defaults.
    pub fn all() -> Vec<Self> {
        Schedule::ALL.iter().copied().map(Self::from).collect()
    }

    /// What a kernel is told of it.
    pub fn params(self, pass: u32) -> ScheduleParams {
        ScheduleParams { group: self.group, pass }
    }

    /// The schedule for gathers over the rows of `csr`, by what was measured on an H200 (docs/measurements.md): where rows are
    /// alike (grids, er) an invocation a row is fastest, and where some are far longer than the mean (rmat) merge-path is.
    pub fn of_rows(csr: &Csr) -> Self {
        let mean = csr.columns.len() / (csr.nodes() as usize).max(1) + 1;
        let longest = max_degree_node(csr).map_or(0, |node| csr.degree(node) as usize);
        if longest <= ALIKE * mean { Schedule::ThreadMapped.into() } else { Schedule::MergePath.into() }
    }
}

/// Rows are alike when the longest has at most this many times the mean: 4 on er, thousands on rmat.
const ALIKE: usize = 16;

impl From<Schedule> for Choice {
    fn from(schedule: Schedule) -> Self {
        Self { schedule, group: DEFAULT_GROUP }
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, group) = text.split_once(':').map_or((text, None), |(name, group)| (name, Some(group)));
        let found = Schedule::ALL.iter().copied().find(|schedule| schedule.name() == name);
        let schedule = found.ok_or_else(|| Error::UnknownName {
            kind: "schedule",
            name: text.to_owned(),
            known: Schedule::ALL.iter().map(|schedule| schedule.name().to_owned()).collect(),
        })?;
        let Some(group) = group else { return Ok(schedule.into()) };
        match group.parse::<u32>() {
            Ok(group) if schedule == Schedule::GroupMapped && group.is_power_of_two() && group <= WORKGROUP => {
                Ok(Self { schedule, group })
            }
            _ => Err(Error::Usage(format!(
                "'{text}' is no schedule: only group-mapped has a size, a power of two up to {WORKGROUP}"
            ))),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.schedule {
            Schedule::GroupMapped if self.group != DEFAULT_GROUP => {
                write!(f, "{}:{}", self.schedule.name(), self.group)
            }
            _ => f.write_str(self.schedule.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for text in ["merge-path", "group-mapped", "group-mapped:8", "radix-binned"] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in ["group-mapped:24", "group-mapped:512", "group-mapped:", "merge-path:8"] {
            assert!(matches!(text.parse::<Choice>(), Err(Error::Usage(_))), "{text}");
        }
        assert!(matches!("even".parse::<Choice>(), Err(Error::UnknownName { known, .. }) if known.len() == 5));
    }
}

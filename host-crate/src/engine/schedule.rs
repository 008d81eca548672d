//! Schedules as the host sees them: a choice by name, and the room in device memory that a schedule works in. What they do is
//! in `schedule/` of the kernels.

pub use super::scratch::{Extent, Room};
pub use evenkeel_kernels::schedule::Schedule;

use crate::{
    Error, Result,
    device::Device,
    graph::{Csr, statistics::Skew},
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

    /// The schedule of that name for gathers over the rows of `csr` on a device: a schedule's own, [`AUTO`], or [`PAPER`].
    ///
    /// # Errors
    /// When there is no such schedule.
    pub fn for_rows(name: &str, csr: &Csr, device: &Device) -> Result<Self> {
        match name {
            // There is no hardware that makes sharing a row cheap, and every barrier costs.
            AUTO if device.info().kind.is_cpu() => Ok(Schedule::ThreadMapped.into()),
            _ => Self::planned(name, csr),
        }
    }

    /// The same before the device is known: on any device it takes as much memory, or more.
    ///
    /// # Errors
    /// When there is no such schedule.
    pub fn planned(name: &str, csr: &Csr) -> Result<Self> {
        match name {
            AUTO => Ok(Self::of_rows(csr)),
            PAPER => Ok(Self::of_the_paper(csr)),
            _ => name.parse(),
        }
    }

    /// By what was measured on an H200 (docs/measurements.md): where rows are alike (grids) an invocation a row is fastest, and
    /// where they are not (er, rmat) nonzero-split is.
    fn of_rows(csr: &Csr) -> Self {
        let Skew { mean, highest } = Skew::of(csr);
        if f64::from(highest) <= ALIKE * mean.ceil() {
            Schedule::ThreadMapped.into()
        } else {
            Schedule::NonzeroSplit.into()
        }
    }

    /// Osama et al., section 6.2: merge-path but for small matrices; for those thread- or group-mapped, it does not say which.
    /// Here thread-mapped where a row has less than a group's width of entries in the mean.
    fn of_the_paper(csr: &Csr) -> Self {
        const ALPHA: u32 = 500;
        const BETA: usize = 10_000;
        let (rows, entries) = (csr.nodes(), csr.columns.len());
        if rows >= ALPHA || entries >= BETA {
            Schedule::MergePath.into()
        } else if entries < (rows * DEFAULT_GROUP) as usize {
            Schedule::ThreadMapped.into()
        } else {
            Schedule::GroupMapped.into()
        }
    }
}

/// Rows are alike when the longest has at most this many times the mean: 1 on grids, 3 on er, thousands on rmat.
const ALIKE: f64 = 2.0;

/// In place of a schedule's name: whichever suits the rows and the device.
pub const AUTO: &str = "auto";

/// In place of a schedule's name: the choice of Osama et al., by the size of the matrix alone.
pub const PAPER: &str = "paper";

/// The names of all schedules, and of the ways to choose one by the rows.
pub fn names() -> Vec<String> {
    Choice::all().iter().map(Choice::to_string).chain([AUTO, PAPER].map(str::to_owned)).collect()
}

/// That name as reports have it, if a schedule or a way to choose one has it: for the command line.
///
/// # Errors
/// When there is no such schedule.
pub fn known(name: &str) -> Result<String> {
    if [AUTO, PAPER].contains(&name) {
        return Ok(name.to_owned());
    }
    name.parse::<Choice>().map(|choice| choice.to_string())
}

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
        let schedule =
            found.ok_or_else(|| Error::UnknownName { kind: "schedule", name: text.to_owned(), known: names() })?;
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
    use crate::graph::generate::Generator;

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
        assert!(matches!("even".parse::<Choice>(), Err(Error::UnknownName { known, .. }) if known.len() == 7));
    }

    #[test]
    fn the_paper_takes_merge_path_but_for_small_matrices() {
        let choose = |text: &str| {
            let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
            Choice::planned(PAPER, &csr).unwrap().schedule
        };
        assert_eq!(choose("grid:rows=20,cols=20"), Schedule::ThreadMapped);
        assert_eq!(choose("grid:rows=30,cols=20"), Schedule::MergePath);
        assert_eq!(choose("er:nodes=100,degree=60"), Schedule::GroupMapped);
        assert_eq!(choose("er:nodes=300,degree=60"), Schedule::MergePath);
    }
}

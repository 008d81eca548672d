//! Schedules as the host sees them: a choice by name, with the schedule's parameter, and the rules that choose by the rows. What
//! they do is in `schedule/` of the kernels.

pub use super::scratch::ScratchSpace;
pub use evenkeel_kernels::schedule::{Schedule, TileExtent};

use crate::{
    Error, Result,
    device::Device,
    graph::{Csr, Skew},
    settings::{self, Key},
};
use evenkeel_kernels::schedule::Parameter;
use evenkeel_types::ScheduleParams;
use std::{fmt, str::FromStr};

/// A schedule and its parameter, if it has one: `merge-path`, `group-mapped`, `group-mapped:64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The schedule.
    pub schedule: Schedule,
    /// The value of its parameter; 0 where it has none.
    pub parameter: u32,
}

impl Choice {
    /// All schedules with their defaults.
    pub fn all() -> Vec<Self> {
        Schedule::ALL.iter().copied().map(Self::from).collect()
    }

    /// What a kernel is told of it in one of its passes.
    pub fn params(self, pass: u32) -> ScheduleParams {
        ScheduleParams { group: self.parameter, pass }
    }

    /// Its settings.
    pub(crate) fn keys(&mut self) -> Vec<Key<'_>> {
        let Some(Parameter { name, about, values, .. }) = self.schedule.implementation().parameter() else {
            return Vec::new();
        };
        vec![Key::option(name, about, &mut self.parameter).positional().one_of(values)]
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

    /// By what was measured on a GPU (docs/measurements.md): where rows are alike an invocation a row is fastest, and where they
    /// are not nonzero-split is.
    fn of_rows(csr: &Csr) -> Self {
        let Skew { mean, highest } = csr.skew();
        if f64::from(highest) <= ALIKE * mean.ceil() {
            Schedule::ThreadMapped.into()
        } else {
            Schedule::NonzeroSplit.into()
        }
    }

    /// Osama et al., section 6.2: merge-path but for small matrices; for those thread- or group-mapped, it does not say which.
    /// Here thread-mapped where a row has fewer entries in the mean than a group has invocations.
    fn of_the_paper(csr: &Csr) -> Self {
        const ALPHA: u32 = 500;
        const BETA: usize = 10_000;
        let (rows, entries, groups) = (csr.nodes(), csr.columns().len(), Self::from(Schedule::GroupMapped));
        if rows >= ALPHA || entries >= BETA {
            Schedule::MergePath.into()
        } else if entries < (rows * groups.parameter) as usize {
            Schedule::ThreadMapped.into()
        } else {
            groups
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

/// A schedule with the default of its parameter.
impl From<Schedule> for Choice {
    fn from(schedule: Schedule) -> Self {
        let parameter = schedule.implementation().parameter().map_or(0, |parameter| parameter.default);
        Self { schedule, parameter }
    }
}

impl FromStr for Choice {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, settings) = text.split_once(':').map_or((text, None), |(name, settings)| (name, Some(settings)));
        let found = Schedule::ALL.iter().copied().find(|schedule| schedule.name() == name);
        let unknown = || Error::UnknownName { kind: "schedule", name: text.to_owned(), known: names() };
        let mut choice = Self::from(found.ok_or_else(unknown)?);
        match settings {
            Some("") => return Err(Error::Usage(format!("'{text}' has no setting behind the colon"))),
            Some(settings) => settings::read(name, settings, choice.keys())?,
            None => {}
        }
        Ok(choice)
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut choice, mut default) = (*self, Self::from(self.schedule));
        f.write_str(&settings::canonical(self.schedule.name(), &choice.keys(), &default.keys()))
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
        assert_eq!("group-mapped:group=8".parse::<Choice>().unwrap().to_string(), "group-mapped:8");
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in ["group-mapped:24", "group-mapped:512", "group-mapped:", "merge-path:8", "merge-path:group=8"] {
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

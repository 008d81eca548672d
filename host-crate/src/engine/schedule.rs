//! Schedules as the host sees them: a choice by name, with the schedule's parameter, and the rules that choose by the rows. What
//! they do is in `schedule/` of the kernels.

pub use super::scratch::ScratchSpace;
pub use evenkeel_kernels::schedule::{Schedule, TileExtent};

use crate::{
    Error, Result,
    device::DeviceInfo,
    graph::{Csr, Skew},
    settings::{self, Configurable, Key},
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

impl Configurable for Choice {
    fn name(&self) -> &'static str {
        self.schedule.name()
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Some(Parameter { name, about, values, .. }) = self.schedule.implementation().parameter() else {
            return Vec::new();
        };
        vec![Key::option(name, about, &mut self.parameter).positional().one_of(values)]
    }
}

/// Rows are alike when the longest has at most this many times the mean: 1 on grids, 3 on er, thousands on rmat.
const ALIKE: f64 = 2.0;

/// How a gather over rows gets its schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSchedule {
    /// It is this one.
    Fixed(Choice),
    /// Whichever suits the rows and the device.
    #[default]
    Auto,
    /// The choice of Osama et al., by the size of the matrix alone.
    Paper,
}

impl RowSchedule {
    /// All schedules with their defaults, and the rules that choose one.
    pub fn all() -> Vec<Self> {
        Choice::all().into_iter().map(Self::Fixed).chain([Self::Auto, Self::Paper]).collect()
    }

    /// The name of the schedule that it chose, if it is a rule that chooses one.
    pub fn taken(self, choice: Choice) -> Option<String> {
        (!matches!(self, Self::Fixed(_))).then(|| choice.to_string())
    }

    /// The schedule for gathers over the rows of `csr` on a device.
    pub fn choose(self, csr: &Csr, device: &DeviceInfo) -> Choice {
        match self {
            Self::Fixed(choice) => choice,
            // There is no hardware that makes sharing a row cheap, and every barrier costs.
            Self::Auto if device.kind.is_cpu() => Schedule::ThreadMapped.into(),
            Self::Auto => Choice::of_rows(csr),
            Self::Paper => Choice::of_the_paper(csr),
        }
    }
}

impl Configurable for RowSchedule {
    fn name(&self) -> &'static str {
        match self {
            Self::Fixed(choice) => choice.name(),
            Self::Auto => "auto",
            Self::Paper => "paper",
        }
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        if let Self::Fixed(choice) = self { choice.keys() } else { Vec::new() }
    }
}

/// The rows of a graph as tiles, and its edges as their atoms.
pub fn extent(csr: &Csr) -> TileExtent {
    TileExtent::new(csr.nodes() as usize, csr.columns().len())
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
        settings::parse_item("schedule", Self::all(), text)
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
        assert!(matches!("even".parse::<Choice>(), Err(Error::UnknownName { known, .. }) if known.len() == 5));
    }

    #[test]
    fn the_paper_takes_merge_path_but_for_small_matrices() {
        let choose = |text: &str| {
            let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
            Choice::of_the_paper(&csr).schedule
        };
        assert_eq!(choose("grid:rows=20,cols=20"), Schedule::ThreadMapped);
        assert_eq!(choose("grid:rows=30,cols=20"), Schedule::MergePath);
        assert_eq!(choose("er:nodes=100,degree=60"), Schedule::GroupMapped);
        assert_eq!(choose("er:nodes=300,degree=60"), Schedule::MergePath);
    }
}

//! Schedules as the host sees them: a choice by name, with the schedule's parameter, and the rules that choose by the rows. What
//! they do is in `schedule/` of the kernels.

use super::super::loops;
use crate::{
    Error, Result,
    device::DeviceInfo,
    graph::{Csr, Dimensions, Skew},
    settings::{self, Configurable, Key},
};
use evenkeel_kernels::schedule::{Parameter, Schedule, TileExtent};
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

    /// What a kernel is told of it in a dispatch that gathers nothing.
    pub fn params(self) -> ScheduleParams {
        ScheduleParams { group: self.parameter, atoms: 0, pass: ScheduleParams::MAIN }
    }

    /// The most rounds that the loops of an invocation go through in a dispatch over the rows of a graph, whichever rows are tiles
    /// and in whatever order.
    pub(crate) fn rounds(self, csr: &Csr) -> u64 {
        match self.schedule {
            Schedule::GroupMapped => loops::rounds_of_a_group(csr, self.parameter),
            Schedule::MergePath | Schedule::MergePathThread | Schedule::NonzeroSplit | Schedule::RadixBinned => {
                loops::rounds_of_a_share(csr)
            }
            Schedule::Dynamic | Schedule::Stealing => {
                loops::rounds_of_chunks(csr.nodes(), self.parameter, |rows| loops::edges_of_longest(csr, rows))
            }
            _ => loops::rounds_of_a_row(loops::longest_row(csr)),
        }
    }

    /// The most rounds in a dispatch over tiles of one atom each.
    pub(crate) fn rounds_of_entries(self, entries: u32) -> u64 {
        match self.schedule {
            Schedule::Dynamic | Schedule::Stealing => {
                loops::rounds_of_chunks(entries, self.parameter, |entries| entries as u64)
            }
            _ => loops::rounds_of_a_row(1),
        }
    }

    /// By what was measured on a GPU with 175 matrices (docs/papers.md): an invocation a row is fastest where all rows are short, and an
    /// even share of the work where there is much of it. Of a small matrix rows of like length together are fastest, unless one
    /// row is so long that it would keep the others waiting.
    fn of_rows(csr: &Csr) -> Self {
        let Skew { mean, highest } = csr.skew();
        let are_alike = f64::from(highest) <= ALIKE * mean.ceil();
        let is_large = csr.edges() >= LARGE;
        let schedule = if highest <= SHORT_ROW && (are_alike || !is_large) {
            Schedule::ThreadMapped
        } else if !is_large && highest <= LONG_ROW {
            Schedule::RadixBinned
        } else {
            Schedule::MergePath
        };
        schedule.into()
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
/// An invocation takes a row of up to this many entries about as fast as a dispatch begins.
const SHORT_ROW: u32 = 32;
/// A longer row keeps its workgroup busy for longer than the whole product takes otherwise.
const LONG_ROW: u32 = 16_384;
/// With as many entries, the memory's bandwidth decides, and no longer how long one dispatch takes to begin and to end.
const LARGE: u64 = 4_000_000;

/// Which matrices are small to Osama et al.: those with fewer rows or fewer columns than `alpha`, and fewer entries than `beta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallMatrix {
    /// As many rows and as many columns are too many.
    pub alpha: u32,
    /// As many entries are too many.
    pub beta: u32,
}

impl SmallMatrix {
    /// Osama et al., section 6.2: merge-path but for small matrices; for those thread- or group-mapped, it does not say which.
    /// Here thread-mapped where a row has fewer entries in the mean than a group has invocations.
    pub fn choose(self, Dimensions { rows, columns }: Dimensions, entries: u64) -> Choice {
        let groups = Choice::from(Schedule::GroupMapped);
        if rows.min(columns) >= self.alpha || entries >= u64::from(self.beta) {
            Schedule::MergePath.into()
        } else if entries < u64::from(rows) * u64::from(groups.parameter) {
            Schedule::ThreadMapped.into()
        } else {
            groups
        }
    }
}

/// What the paper chose for the matrices that it measured.
impl Default for SmallMatrix {
    fn default() -> Self {
        Self { alpha: 500, beta: 10_000 }
    }
}

/// How a gather over rows gets its schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSchedule {
    /// It is this one.
    Fixed(Choice),
    /// Whichever suits the rows and the device.
    #[default]
    Auto,
    /// The choice of Osama et al., by the size of the matrix alone.
    Paper(SmallMatrix),
}

impl RowSchedule {
    /// All schedules with their defaults, and the rules that choose one.
    pub fn all() -> Vec<Self> {
        Choice::all().into_iter().map(Self::Fixed).chain([Self::Auto, Self::Paper(SmallMatrix::default())]).collect()
    }

    /// The name of the schedule that it chose, if it is a rule that chooses one.
    pub fn taken(self, choice: Choice) -> Option<String> {
        (!matches!(self, Self::Fixed(_))).then(|| choice.to_string())
    }

    /// What it may choose for rows that are not known yet; `csr` has as many, with as many entries together.
    pub fn candidates(self, csr: &Csr, device: &DeviceInfo) -> Vec<Schedule> {
        match self {
            Self::Auto if !device.kind.is_cpu() => {
                vec![Schedule::ThreadMapped, Schedule::RadixBinned, Schedule::MergePath]
            }
            _ => vec![self.choose(csr, device).schedule],
        }
    }

    /// The schedule for gathers over the rows of `csr` on a device.
    pub fn choose(self, csr: &Csr, device: &DeviceInfo) -> Choice {
        match self {
            Self::Fixed(choice) => choice,
            // There is no hardware that makes sharing a row cheap, and every barrier costs.
            Self::Auto if device.kind.is_cpu() => Schedule::ThreadMapped.into(),
            Self::Auto => Choice::of_rows(csr),
            Self::Paper(limits) => limits.choose(csr.dimensions(), csr.edges()),
        }
    }
}

impl Configurable for RowSchedule {
    fn name(&self) -> &'static str {
        match self {
            Self::Fixed(choice) => choice.name(),
            Self::Auto => "auto",
            Self::Paper(_) => "paper",
        }
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        match self {
            Self::Fixed(choice) => choice.keys(),
            Self::Auto => Vec::new(),
            Self::Paper(SmallMatrix { alpha, beta }) => vec![
                Key::option("alpha", "a matrix with as many rows and as many columns gets merge-path", alpha),
                Key::option("beta", "a matrix with as many entries gets merge-path", beta),
            ],
        }
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
        for text in ["merge-path", "group-mapped", "group-mapped:8", "radix-binned", "dynamic", "stealing:4"] {
            assert_eq!(text.parse::<Choice>().unwrap().to_string(), text);
        }
        assert_eq!("group-mapped:group=8".parse::<Choice>().unwrap().to_string(), "group-mapped:8");
    }

    #[test]
    fn what_is_no_schedule_is_refused() {
        for text in ["group-mapped:24", "group-mapped:512", "group-mapped:", "merge-path:8", "merge-path:group=8"] {
            assert!(matches!(text.parse::<Choice>(), Err(Error::Usage(_))), "{text}");
        }
        assert!(matches!("even".parse::<Choice>(), Err(Error::UnknownName { known, .. }) if known.len() == 8));
    }

    #[test]
    fn of_many_parts_of_short_tiles_a_workgroup_takes_several() {
        let size = |tiles, atoms| Schedule::MergePath.implementation().gather_size(TileExtent::new(tiles, atoms), &[]);
        let parts = 30_000_000usize.div_ceil(1760);
        let many = size(6_000_000, 24_000_000);
        assert_eq!((many.main, many.scatter), (parts.div_ceil(4) * 256, parts * 256));
        assert_eq!(many.finish, Some(parts));
        let (few, long) = (size(600_000, 2_400_000), size(1_000_000, 32_000_000));
        assert_eq!((few.main, long.main), (few.scatter, long.scatter));
    }

    #[test]
    fn rows_choose() {
        let choose = |text: &str| {
            let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
            Choice::of_rows(&csr).schedule
        };
        assert_eq!(choose("grid:rows=1500,cols=1500"), Schedule::ThreadMapped);
        assert_eq!(choose("er:nodes=1000,degree=8"), Schedule::ThreadMapped);
        assert_eq!(choose("er:nodes=600000,degree=8"), Schedule::MergePath);
        assert_eq!(choose("er:nodes=100,degree=60"), Schedule::RadixBinned);
        assert_eq!(choose("star:nodes=16385"), Schedule::RadixBinned);
        assert_eq!(choose("star:nodes=16386"), Schedule::MergePath);
    }

    #[test]
    fn the_paper_takes_merge_path_but_for_small_matrices() {
        let choose_by = |text: &str, limits: SmallMatrix| {
            let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
            limits.choose(csr.dimensions(), csr.edges()).schedule
        };
        let choose = |text: &str| choose_by(text, SmallMatrix::default());
        assert_eq!(choose("grid:rows=20,cols=20"), Schedule::ThreadMapped);
        assert_eq!(choose("grid:rows=30,cols=20"), Schedule::MergePath);
        assert_eq!(choose("er:nodes=100,degree=60"), Schedule::GroupMapped);
        assert_eq!(choose("er:nodes=300,degree=60"), Schedule::MergePath);
        let grid = |alpha, beta| choose_by("grid:rows=30,cols=20", SmallMatrix { alpha, beta });
        assert_eq!(grid(601, 10_000), Schedule::ThreadMapped);
        assert_eq!(grid(600, 10_000), Schedule::MergePath);
        assert_eq!(grid(601, 2300), Schedule::MergePath);
        assert_eq!(grid(0, u32::MAX), Schedule::MergePath);
        let of = |rows, columns| SmallMatrix::default().choose(Dimensions { rows, columns }, 9_999).schedule;
        assert_eq!(of(5000, 499), Schedule::ThreadMapped);
        assert_eq!(of(499, 5000), Schedule::ThreadMapped);
        assert_eq!(of(500, 500), Schedule::MergePath);
    }
}

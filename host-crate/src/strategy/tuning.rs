//! What can be changed about some strategies. The defaults are the paper's; an option that a strategy does not read is refused
//! with the names of those that do.

use super::{STRATEGIES, Strategy};
use crate::{
    Error, Result,
    strategy::adaptive::{Count, Model},
};
use evenkeel_types::Threshold;
use std::str::FromStr;

/// See the module. What is not given is the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct Tuning {
    /// edge: reserve room for all edges of a node at once, or for one edge at a time [default: node].
    #[arg(long, value_name = "UNIT", value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunking: Option<Chunking>,
    /// split, hierarchical: bins of the degrees' histogram, which says how many edges are one piece [default: 10].
    #[arg(long, value_name = "B", value_parser = clap::value_parser!(u32).range(1..=i64::from(Self::MAX_BINS)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bins: Option<u32>,
    /// hierarchical: leave lists shorter than this to workload decomposition [default: 1024].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(..=i64::from(Self::MAX_SWITCH_BELOW)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_below: Option<u32>,
    /// two-phase: nodes that an invocation takes (thread coarsening) [default: 1].
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=i64::from(Self::MAX_COARSEN)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarsen: Option<u32>,
    /// near-far: by how much the distance grows up to which nodes are near [default: the mean weight times 32 by the mean degree].
    #[arg(long, value_name = "D")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delta: Option<Delta>,
    /// edge-list, reverse-edge-list, vertex-push, vertex-pull, vertex-push-warp: what adds up before an atomic counts the
    /// discovered [default: atomic].
    #[arg(long, value_name = "BY", value_enum)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// vertex-push-warp, adaptive: invocations that share a node's edges, a power of two from 2 to 32 [default: 8].
    #[arg(long, value_name = "N", value_parser = virtual_warp)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub virtual_warp: Option<u32>,
    /// adaptive: the model that chooses, as `evenkeel train` writes it [default: the device's].
    #[arg(long, value_name = "FILE", value_parser = Model::option)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<&'static Model>,
}

fn virtual_warp(text: &str) -> Result<u32> {
    let width = text.parse().ok().filter(|width| Tuning::is_virtual_warp(*width));
    width.ok_or_else(|| Error::Usage(format!("'{text}' is not one of 2, 4, 8, 16, 32")))
}

/// A number that is not negative, and finite.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Delta(f64);

/// No number that compares with itself as different is one.
impl Eq for Delta {}

impl Delta {
    /// That number.
    ///
    /// # Errors
    /// [`Error::Usage`] when it is negative or not finite.
    pub fn new(number: f64) -> Result<Self> {
        let is_one = number.is_finite() && number >= 0.0;
        is_one
            .then_some(Self(number))
            .ok_or_else(|| Error::Usage(format!("--delta is a number from 0 on, not {number}")))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl FromStr for Delta {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.parse().map_err(|_| Error::Usage(format!("'{text}' is not a number"))).and_then(Self::new)
    }
}

/// For what one atomic addition makes room on a worklist of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Chunking {
    /// All edges of a node: the paper's work chunking.
    #[default]
    Node,
    /// One edge.
    Edge,
}

/// Something that can be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`Tuning::chunking`].
    Chunking,
    /// [`Tuning::bins`].
    Bins,
    /// [`Tuning::switch_below`].
    SwitchBelow,
    /// [`Tuning::coarsen`].
    Coarsen,
    /// [`Tuning::delta`].
    Delta,
    /// [`Tuning::count`].
    Count,
    /// [`Tuning::virtual_warp`].
    VirtualWarp,
    /// [`Tuning::model`].
    Model,
}

impl Setting {
    const ALL: [Self; 8] = [
        Self::Chunking,
        Self::Bins,
        Self::SwitchBelow,
        Self::Coarsen,
        Self::Delta,
        Self::Count,
        Self::VirtualWarp,
        Self::Model,
    ];

    /// The option that sets it.
    fn option(self) -> &'static str {
        match self {
            Self::Chunking => "--chunking",
            Self::Bins => "--bins",
            Self::SwitchBelow => "--switch-below",
            Self::Coarsen => "--coarsen",
            Self::Delta => "--delta",
            Self::Count => "--count",
            Self::VirtualWarp => "--virtual-warp",
            Self::Model => "--model",
        }
    }
}

impl Tuning {
    /// The bins of the histogram of degrees unless said.
    pub const DEFAULT_BINS: u32 = 10;
    /// The most there can be: a workgroup counts in as many words.
    pub const MAX_BINS: u32 = Threshold::MAX_BINS;
    /// The length below which lists are left to workload decomposition unless said.
    pub const DEFAULT_SWITCH_BELOW: u32 = 1024;
    /// The most it can be: one workgroup makes the prefix sums of such a list.
    pub const MAX_SWITCH_BELOW: u32 = 65_535;
    /// The invocations of a virtual warp unless said.
    pub const DEFAULT_VIRTUAL_WARP: u32 = 8;

    /// The most nodes that an invocation may take: with more, there are too few invocations to measure anything.
    pub const MAX_COARSEN: u32 = 1024;

    /// For what one atomic makes room.
    pub fn chunking(&self) -> Chunking {
        self.chunking.unwrap_or_default()
    }

    /// The bins of the histogram of degrees.
    pub fn bins(&self) -> u32 {
        self.bins.unwrap_or(Self::DEFAULT_BINS)
    }

    /// The length below which lists are left to workload decomposition.
    pub fn switch_below(&self) -> u32 {
        self.switch_below.unwrap_or(Self::DEFAULT_SWITCH_BELOW)
    }

    /// How many nodes an invocation takes.
    pub fn coarsen(&self) -> u32 {
        self.coarsen.unwrap_or(1)
    }

    /// How the discovered are counted.
    pub fn count(&self) -> Count {
        self.count.unwrap_or_default()
    }

    /// The invocations of a virtual warp.
    pub fn virtual_warp(&self) -> u32 {
        self.virtual_warp.unwrap_or(Self::DEFAULT_VIRTUAL_WARP)
    }

    fn is_virtual_warp(width: u32) -> bool {
        (2..=32).contains(&width) && width.is_power_of_two()
    }

    /// What of it the strategy of that name reads.
    pub fn read_by(&self, name: &str) -> Self {
        let strategy = STRATEGIES.iter().find(|strategy| strategy.name == name);
        let reads = |setting| strategy.is_some_and(|strategy| strategy.reads.contains(&setting));
        Self {
            chunking: self.chunking.filter(|_| reads(Setting::Chunking)),
            bins: self.bins.filter(|_| reads(Setting::Bins)),
            switch_below: self.switch_below.filter(|_| reads(Setting::SwitchBelow)),
            coarsen: self.coarsen.filter(|_| reads(Setting::Coarsen)),
            delta: self.delta.filter(|_| reads(Setting::Delta)),
            count: self.count.filter(|_| reads(Setting::Count)),
            virtual_warp: self.virtual_warp.filter(|_| reads(Setting::VirtualWarp)),
            model: self.model.filter(|_| reads(Setting::Model)),
        }
    }

    /// Refuses numbers that mean nothing, and what none of `strategies` reads.
    ///
    /// # Errors
    /// [`Error::Usage`] with the option and what it is for.
    pub fn check(&self, strategies: &[&Strategy]) -> Result<()> {
        if !(1..=Self::MAX_BINS).contains(&self.bins()) {
            return Err(Error::Usage(format!("--bins is at least 1 and at most {}", Self::MAX_BINS)));
        }
        if self.switch_below() > Self::MAX_SWITCH_BELOW {
            return Err(Error::Usage(format!("--switch-below is at most {}", Self::MAX_SWITCH_BELOW)));
        }
        if !(1..=Self::MAX_COARSEN).contains(&self.coarsen()) {
            return Err(Error::Usage(format!("--coarsen is at least 1 and at most {}", Self::MAX_COARSEN)));
        }
        if !Self::is_virtual_warp(self.virtual_warp()) || self.count() == Count::List {
            return Err(Error::Usage("--virtual-warp is 2, 4, 8, 16 or 32, and --count names no list".into()));
        }
        let reads = |strategy: &Strategy, setting| strategy.reads.contains(&setting);
        for setting in Setting::ALL.into_iter().filter(|setting| self.is_given(*setting)) {
            if !strategies.iter().any(|strategy| reads(strategy, setting)) {
                let names: Vec<_> = STRATEGIES
                    .iter()
                    .filter(|strategy| reads(strategy, setting))
                    .map(|strategy| strategy.name)
                    .collect();
                return Err(Error::Usage(format!("{} is for strategy {}", setting.option(), names.join(" and "))));
            }
        }
        Ok(())
    }

    fn is_given(&self, setting: Setting) -> bool {
        match setting {
            Setting::Chunking => self.chunking.is_some(),
            Setting::Bins => self.bins.is_some(),
            Setting::SwitchBelow => self.switch_below.is_some(),
            Setting::Coarsen => self.coarsen.is_some(),
            Setting::Delta => self.delta.is_some(),
            Setting::Count => self.count.is_some(),
            Setting::VirtualWarp => self.virtual_warp.is_some(),
            Setting::Model => self.model.is_some(),
        }
    }
}

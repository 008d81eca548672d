//! The ways to colour a graph, by name, and what can be changed about some of them.

use crate::{
    Error, Result,
    engine::schedule::{Choice, Schedule},
};

/// A strategy of colouring that can be asked for by name.
pub struct ColorStrategy {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    method: Method,
}

/// The strategy unless another is asked for.
pub const AUTO: &str = "auto";

/// All strategies.
pub const STRATEGIES: &[ColorStrategy] = &[
    ColorStrategy {
        name: "random",
        paper: "the baseline of Che et al.",
        summary: "one colour an iteration, to nodes whose random label is the largest around",
        method: Method::Labelled { hybrid: false, find: Find::Node },
    },
    ColorStrategy {
        name: "stealing",
        paper: "Che et al.",
        summary: "the same with a queue of nodes for each workgroup, which steals when its own is empty",
        method: Method::Labelled { hybrid: false, find: Find::Stealing },
    },
    ColorStrategy {
        name: "hybrid",
        paper: "Che et al.",
        summary: "one colour an iteration, to nodes of the highest degree around first, then by random labels",
        method: Method::Labelled { hybrid: true, find: Find::Node },
    },
    ColorStrategy {
        name: "hybrid-stealing",
        paper: "left for later by Che et al.",
        summary: "the hybrid with queues and stealing",
        method: Method::Labelled { hybrid: true, find: Find::Stealing },
    },
    ColorStrategy {
        name: "independent",
        paper: "Jones and Plassmann; Welsh and Powell",
        summary: "the smallest free colour to each node once all of higher degree around it have theirs",
        method: Method::Independent,
    },
    ColorStrategy {
        name: "speculative",
        paper: "Gebremedhin and Manne",
        summary: "the smallest free colour to all nodes at once; of neighbours with the same, one keeps it",
        method: Method::Speculative,
    },
    ColorStrategy {
        name: AUTO,
        paper: "",
        summary: "speculative where no node has many edges, else independent",
        method: Method::Auto,
    },
];

/// How a strategy colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// One colour an iteration, to the largest label around.
    Labelled {
        /// Whether labels are degrees at first.
        hybrid: bool,
        /// How the largest label is found.
        find: Find,
    },
    /// The smallest free colour to nodes that wait for nobody.
    Independent,
    /// The smallest free colour to all, and repair.
    Speculative,
    /// Whichever of the last two suits the degrees.
    Auto,
}

/// Where no node has more edges than this there are few colours, so speculation is over after a few rounds.
const FEW: u32 = 64;

/// How the largest label around each node is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// An invocation to each node.
    Node,
    /// Queues and stealing.
    Stealing,
    /// A gather under a schedule.
    Scheduled(Choice),
}

impl Method {
    /// The method that a name stands for: a strategy's own, or `random` or `hybrid` with a schedule behind a colon.
    ///
    /// # Errors
    /// When there is no such strategy, or no such schedule.
    pub(super) fn by_name(name: &str) -> Result<Self> {
        let own = |name: &str| STRATEGIES.iter().find(|strategy| strategy.name == name).map(|strategy| strategy.method);
        if let Some(method) = own(name) {
            return Ok(method);
        }
        let scheduled = name.split_once(':').and_then(|(base, schedule)| Some((own(base)?, schedule)));
        if let Some((Self::Labelled { hybrid, find: Find::Node }, schedule)) = scheduled {
            return Ok(Self::Labelled { hybrid, find: Find::Scheduled(schedule.parse()?) });
        }
        let scheduled = ["random:SCHEDULE", "hybrid:SCHEDULE"].map(str::to_owned);
        let known = STRATEGIES.iter().map(|strategy| strategy.name.to_owned()).chain(scheduled).collect();
        Err(Error::UnknownName { kind: "strategy", name: name.to_owned(), known })
    }

    /// What `auto` chooses for a graph whose highest degree is that. In milliseconds on an H200, `independent` and `speculative`:
    /// 5.3 and 3.8 for er 2^22, 9.6 and 6.3 for a grid of 4096², 5.9 and 7.3 for cnr-2000, 39 and 32 for rmat 20.
    pub(super) fn chosen(self, highest_degree: u32) -> Self {
        match self {
            Self::Auto if highest_degree <= FEW => Self::Speculative,
            Self::Auto => Self::Independent,
            method => method,
        }
    }

    fn is_hybrid(self) -> bool {
        matches!(self, Self::Labelled { hybrid: true, .. })
    }

    fn steals(self) -> bool {
        matches!(self, Self::Labelled { find: Find::Stealing, .. })
    }
}

/// That name as reports have it, if a strategy has it: for the command line.
///
/// # Errors
/// When there is no such strategy.
pub fn known_strategy(name: &str) -> Result<String> {
    Ok(match Method::by_name(name)? {
        Method::Labelled { hybrid, find: Find::Scheduled(choice) } => {
            format!("{}:{choice}", if hybrid { "hybrid" } else { "random" })
        }
        _ => name.to_owned(),
    })
}

/// Whether the strategy of that name has queues, whose counts can be asked for.
pub fn has_queues(name: &str) -> bool {
    Method::by_name(name).is_ok_and(Method::steals)
}

/// The names of all strategies, those under a schedule included.
pub fn names_with_schedules() -> Vec<String> {
    let own = STRATEGIES.iter().map(|strategy| strategy.name.to_owned());
    let under = |base: &'static str| Schedule::ALL.iter().map(move |schedule| format!("{base}:{}", schedule.name()));
    own.chain(under("random")).chain(under("hybrid")).collect()
}

/// What can be changed about some strategies. What is not given is the default; what a strategy does not read is refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct ColorTuning {
    /// hybrid: compare degrees in the first K iterations at most, and random labels after that [default: no limit].
    #[arg(long, value_name = "K")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_at: Option<u32>,
    /// hybrid: compare random labels once degrees have coloured fewer than N nodes in an iteration: 1 waits until they colour
    /// nobody, the number of invocations that fill the device stops before it idles [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch_below: Option<u32>,
    /// stealing: how many workgroups there are, with a queue each [default: 1024 on a GPU, 16 on a CPU].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(Self::MAX_QUEUES)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
}

impl ColorTuning {
    /// The most queues there can be.
    pub const MAX_QUEUES: u32 = 16_384;

    /// What of it the strategy of that name reads.
    pub fn read_by(&self, name: &str) -> Self {
        let method = Method::by_name(name);
        let reads = |what: fn(Method) -> bool| method.as_ref().is_ok_and(|method| what(*method));
        Self {
            switch_at: self.switch_at.filter(|_| reads(Method::is_hybrid)),
            switch_below: self.switch_below.filter(|_| reads(Method::is_hybrid)),
            queues: self.queues.filter(|_| reads(Method::steals)),
        }
    }

    /// Refuses numbers that mean nothing, and what none of the named strategies reads.
    ///
    /// # Errors
    /// [`Error::Usage`] with the option and what it is for; when there is no such strategy.
    pub fn check(&self, names: &[&str]) -> Result<()> {
        let methods = names.iter().map(|name| Method::by_name(name)).collect::<Result<Vec<_>>>()?;
        if self.switch_below == Some(0) {
            return Err(Error::Usage("--switch-below is at least 1".into()));
        }
        if self.queues.is_some_and(|queues| !(1..=Self::MAX_QUEUES).contains(&queues)) {
            return Err(Error::Usage(format!("--queues is at least 1 and at most {}", Self::MAX_QUEUES)));
        }
        let (hybrids, thieves) = ("hybrid and hybrid-stealing", "stealing and hybrid-stealing");
        let (hybrid, steals) =
            (methods.iter().any(|method| method.is_hybrid()), methods.iter().any(|method| method.steals()));
        let unread = [
            ("--switch-at", self.switch_at.is_some() && !hybrid, hybrids),
            ("--switch-below", self.switch_below.is_some() && !hybrid, hybrids),
            ("--queues", self.queues.is_some() && !steals, thieves),
        ];
        match unread.into_iter().find(|(_, is_unread, _)| *is_unread) {
            Some((option, _, readers)) => Err(Error::Usage(format!("{option} is for strategy {readers}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_there_and_back() {
        for name in names_with_schedules() {
            assert_eq!(known_strategy(&name).unwrap(), name);
        }
        assert_eq!(known_strategy("hybrid:group-mapped:8").unwrap(), "hybrid:group-mapped:8");
        assert_eq!(known_strategy("random:group-mapped:32").unwrap(), "random:group-mapped");
    }

    #[test]
    fn what_is_no_strategy_is_refused() {
        for name in ["greedy", "stealing:merge-path", "independent:merge-path", "random:", "random:even", ":"] {
            let error = known_strategy(name).unwrap_err();
            assert!(matches!(error, Error::UnknownName { .. }), "{name}: {error}");
        }
    }

    #[test]
    fn options_that_change_nothing_are_refused() {
        let at = ColorTuning { switch_at: Some(3), ..ColorTuning::default() };
        let queues = ColorTuning { queues: Some(3), ..ColorTuning::default() };
        assert!(at.check(&["hybrid"]).is_ok() && at.check(&["random", "hybrid:merge-path"]).is_ok());
        assert!(queues.check(&["hybrid-stealing"]).is_ok() && queues.check(&["stealing"]).is_ok());
        let message = at.check(&["auto", "stealing"]).unwrap_err().to_string();
        assert!(message.contains("--switch-at is for strategy hybrid and hybrid-stealing"), "{message}");
        assert!(queues.check(&["hybrid"]).is_err());
        assert_eq!(at.read_by("hybrid"), at);
        assert_eq!(at.read_by("stealing"), ColorTuning::default());
        assert!(ColorTuning { switch_below: Some(0), ..at }.check(&["hybrid"]).is_err());
    }
}

//! The strategies of colouring, by name, each with its settings.

use crate::{
    engine::schedule::{Choice, Schedule},
    settings::{Configurable, Key, Registry},
};

/// A strategy of colouring with its settings.
#[derive(Clone)]
pub struct ColorStrategy {
    /// Its name in commands and reports.
    pub name: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    method: Method,
}

/// All strategies with their default settings.
pub const STRATEGIES: &[ColorStrategy] = &[
    ColorStrategy {
        name: "random",
        paper: "the baseline of Che et al.",
        summary: "one colour an iteration, to nodes whose random label is the largest around",
        method: Method::Labelled { hybrid: None, find: Find::Rows(None) },
    },
    ColorStrategy {
        name: "stealing",
        paper: "Che et al.",
        summary: "the same with a queue of nodes for each workgroup, which steals when its own is empty",
        method: Method::Labelled { hybrid: None, find: Find::Stealing(None) },
    },
    ColorStrategy {
        name: "hybrid",
        paper: "Che et al.",
        summary: "one colour an iteration, to nodes of the highest degree around first, then by random labels",
        method: Method::Labelled { hybrid: Some(Hybrid::DEFAULT), find: Find::Rows(None) },
    },
    ColorStrategy {
        name: "hybrid-stealing",
        paper: "left for later by Che et al.",
        summary: "the hybrid with queues and stealing",
        method: Method::Labelled { hybrid: Some(Hybrid::DEFAULT), find: Find::Stealing(None) },
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
    AUTO,
];

/// The strategy that is taken unless another is asked for.
const AUTO: ColorStrategy = ColorStrategy {
    name: "auto",
    paper: "",
    summary: "speculative where no node has many edges, else independent",
    method: Method::Auto,
};

/// How a strategy colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// One colour an iteration, to the largest label around.
    Labelled {
        /// When labels stop being degrees, if they are at first.
        hybrid: Option<Hybrid>,
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

/// When a colouring by degrees goes on by random labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hybrid {
    /// After so many iterations at the latest; no limit where it is none.
    pub switch_at: Option<u32>,
    /// Once degrees have coloured fewer nodes than this in an iteration.
    pub switch_below: u32,
}

impl Hybrid {
    const DEFAULT: Self = Self { switch_at: None, switch_below: 1 };
}

/// How the largest label around each node is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Find {
    /// By a gather under a schedule, or by an invocation for each node where there is none.
    Rows(Option<Choice>),
    /// By workgroups with a queue each, which steal from each other. The number of queues suits the device where it is none.
    Stealing(Option<u32>),
}

/// Where no node has more edges than this there are few colours, so speculation is over after a few rounds.
const FEW: u32 = 64;

/// The most queues there can be.
const MAX_QUEUES: u32 = 16_384;

impl Configurable for ColorStrategy {
    fn name(&self) -> &'static str {
        self.name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Method::Labelled { hybrid, find } = &mut self.method else { return Vec::new() };
        let mut keys = vec![match find {
            Find::Rows(schedule) => {
                let about = "the schedule by which the largest label around each node is found";
                Key::optional("schedule", about, "an invocation for each node", schedule).positional()
            }
            Find::Stealing(queues) => {
                let about = "how many workgroups there are, with a queue each";
                Key::optional("queues", about, "1024 on a GPU, 16 on a CPU", queues).within(1, MAX_QUEUES)
            }
        }];
        if let Some(Hybrid { switch_at, switch_below }) = hybrid {
            let about = "compare degrees in so many iterations at most, and random labels after that";
            keys.push(Key::optional("switch-at", about, "no limit", switch_at));
            let about = "compare random labels once degrees have coloured fewer nodes in an iteration: 1 waits until they \
                         colour none, the number of invocations that fill the device stops before it idles";
            keys.push(Key::option("switch-below", about, switch_below).within(1, u32::MAX));
        }
        keys
    }
}

impl ColorStrategy {
    /// What it does with a graph whose highest degree is that.
    pub(super) fn method(&self, highest_degree: u32) -> Method {
        match self.method {
            Method::Auto if highest_degree <= FEW => Method::Speculative,
            Method::Auto => Method::Independent,
            method => method,
        }
    }

    /// Whether it has queues, whose counts can be asked for.
    pub fn has_queues(&self) -> bool {
        matches!(self.method, Method::Labelled { find: Find::Stealing(_), .. })
    }
}

impl Registry for super::Color {
    type Item = ColorStrategy;
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How nodes get their colours: a name from `evenkeel strategies color`, and settings behind a \
                                colon; random and hybrid also under a schedule, as random:merge-path";

    fn items() -> Vec<ColorStrategy> {
        STRATEGIES.to_vec()
    }

    fn default_item() -> ColorStrategy {
        AUTO
    }
}

/// The names of all strategies, those under a schedule included.
pub fn names_with_schedules() -> Vec<String> {
    let own = STRATEGIES.iter().map(|strategy| strategy.name.to_owned());
    let under = |base: &'static str| Schedule::ALL.iter().map(move |schedule| format!("{base}:{}", schedule.name()));
    own.chain(under("random")).chain(under("hybrid")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Result, algorithm::Color, settings::Configured};

    fn parse(text: &str) -> Result<Configured<Color>> {
        text.parse()
    }

    #[test]
    fn names_go_there_and_back() {
        for name in names_with_schedules() {
            assert_eq!(parse(&name).unwrap().to_string(), name);
        }
        let same = [
            ("hybrid:group-mapped:8", "hybrid:group-mapped:8"),
            ("random:group-mapped:32", "random:group-mapped"),
            ("random:schedule=group-mapped:group=8", "random:group-mapped:8"),
            ("random:group-mapped:group=8", "random:group-mapped:8"),
            ("hybrid:merge-path,switch-at=3", "hybrid:merge-path,switch-at=3"),
            ("hybrid-stealing:switch-below=7,queues=9", "hybrid-stealing:queues=9,switch-below=7"),
        ];
        for (text, canonical) in same {
            assert_eq!(parse(text).unwrap().to_string(), canonical);
        }
    }

    #[test]
    fn what_is_no_strategy_is_refused() {
        for text in ["greedy", "stealing:merge-path", "independent:merge-path", "random:", "random:even", ":"] {
            let error = parse(text).unwrap_err();
            assert_eq!(error.exit_status(), 2, "{text}: {error}");
        }
        assert!(parse("random:even").unwrap_err().to_string().contains("no schedule named 'even'"));
        assert!(parse("hybrid:switch-below=0").unwrap_err().to_string().contains("0 is not in 1..=4294967295"));
        assert!(parse("stealing:queues=16385").unwrap_err().to_string().contains("16385 is not in 1..=16384"));
    }

    #[test]
    fn the_degrees_decide() {
        assert_eq!(AUTO.method(FEW), Method::Speculative);
        assert_eq!(AUTO.method(FEW + 1), Method::Independent);
        let queues: Vec<_> = STRATEGIES.iter().filter(|strategy| strategy.has_queues()).map(|it| it.name).collect();
        assert_eq!(queues, ["stealing", "hybrid-stealing"]);
    }
}

//! The methods of colouring, each with its settings.

use super::super::prelude::*;
use crate::strategy::refuse_partitions_for;

const RANDOM: Method = Method::Labelled { hybrid: None, find: Find::Rows(None) };
const STEALING: Method = Method::Labelled { hybrid: None, find: Find::Queues(QUEUES) };
const HYBRID: Method = Method::Labelled { hybrid: Some(Hybrid::DEFAULT), find: Find::Rows(None) };
const HYBRID_STEALING: Method = Method::Labelled { hybrid: Some(Hybrid::DEFAULT), find: Find::Queues(QUEUES) };
const QUEUES: Queues = Queues { count: None, chunk: None, steal: true };

/// How a strategy colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One colour an iteration, to the largest label around.
    Labelled {
        /// When labels stop being degrees, if they are at first.
        hybrid: Option<Hybrid>,
        /// How the largest label is found.
        find: Find,
    },
    /// The smallest free colour in the order of ranks, with shortcuts.
    Independent,
    /// The smallest free colour in the order of ranks, by the threads of the CPU device.
    IndependentCpu,
    /// The smallest free colour to all, and repair.
    Speculative,
    /// The fastest of the others.
    Auto,
}

/// When a colouring by degrees goes on by random labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hybrid {
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
pub enum Find {
    /// By a gather under a schedule, or by an invocation for each node where there is none.
    Rows(Option<Choice>),
    /// By workgroups with a queue each.
    Queues(Queues),
}

/// Queues of nodes, one for each workgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queues {
    /// The number of queues; it suits the device where it is none.
    pub count: Option<u32>,
    /// The number of nodes that a workgroup takes at a time; a node for each of its invocations where it is none.
    pub chunk: Option<u32>,
    /// Whether workgroups steal from each other.
    pub steal: bool,
}

/// The most queues there can be.
const MAX_QUEUES: u32 = 16_384;

impl Methods for Method {
    const HELP: &'static str = "How nodes get their colours: a name from `evenkeel strategies color`, and settings behind a \
                                colon; random and hybrid also under a schedule, as random:merge-path";
    const HEADING: &'static str = "colouring";
    const NOTE: &'static str =
        "random and hybrid also run under a schedule, as random:merge-path or hybrid:group-mapped:8.";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "random",
            "the baseline of Che et al.",
            "one colour an iteration, to nodes whose random label is the largest around",
            RANDOM,
        ),
        Line::new(
            "stealing",
            "Che et al.",
            "the same with a queue of nodes for each workgroup, which steals when its own is empty",
            STEALING,
        ),
        Line::new(
            "hybrid",
            "Che et al.",
            "one colour an iteration, to nodes of the highest degree around first, then by random labels",
            HYBRID,
        ),
        Line::new(
            "hybrid-stealing",
            "left for later by Che et al.",
            "the hybrid with queues and stealing",
            HYBRID_STEALING,
        ),
        Line::new(
            "independent",
            "Alabandi et al.; Jones and Plassmann",
            "the smallest free colour to each node once none of higher degree around it can take it",
            Self::Independent,
        ),
        Line::new(
            "speculative",
            "Gebremedhin and Manne",
            "the smallest free colour to all nodes at once; of neighbours with the same, one keeps it",
            Self::Speculative,
        ),
        Line::on_cpu(
            "independent-cpu",
            "Alabandi et al.; Jones and Plassmann",
            "independent in a form for few threads",
            Self::IndependentCpu,
        ),
        Line::auto("independent-cpu on the CPU device, else independent", Self::Auto),
    ];

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Method::Labelled { hybrid, find } = self else { return Vec::new() };
        let mut keys = match find {
            Find::Rows(schedule) => {
                let about = "the schedule by which the largest label around each node is found";
                vec![Key::optional("schedule", about, "an invocation for each node", schedule).positional()]
            }
            Find::Queues(Queues { count, chunk, steal }) => {
                let about = "how many workgroups there are, with a queue each";
                let count = Key::optional("queues", about, "1024 on a GPU, 16 on a CPU", count).within(1, MAX_QUEUES);
                let about = "how many nodes an element of a queue has, which a workgroup takes at a time";
                let chunk = Key::optional("chunk", about, "256, more for many nodes", chunk).within(1, u32::MAX);
                let about =
                    "whether a workgroup whose queue is empty steals from another; false is the paper's baseline";
                vec![count, chunk, Key::option("steal", about, steal).one_of([true, false])]
            }
        };
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

impl Method {
    /// What it comes to on such a device.
    pub(super) fn choose(self, device: DeviceKind) -> Self {
        match self {
            Self::Auto if device == DeviceKind::Cpu => Self::IndependentCpu,
            Self::Auto => Self::Independent,
            method => method,
        }
    }

    /// Refuses a graph of several partitions if it does not take them.
    pub(super) fn check_partitions(self, device: &DeviceInfo, csr: &Csr) -> Result<()> {
        if self != Self::Speculative {
            return Ok(());
        }
        let takers = names().into_iter().filter(|name| *name != "speculative");
        refuse_partitions_for(device, csr, "speculative", takers)
    }

    /// Whether it has queues, whose counts can be asked for.
    pub(super) fn has_queues(self) -> bool {
        matches!(self, Self::Labelled { find: Find::Queues(_), .. })
    }
}

/// The names of the methods that run on every device.
fn names() -> Vec<&'static str> {
    let all = Selected::<Method>::all().into_iter().map(|method| method.about());
    all.filter(|about| !about.cpu_only).map(|about| about.name).collect()
}

/// The names of all strategies, those under a schedule included.
pub fn names_with_schedules() -> Vec<String> {
    let own = names().into_iter().map(str::to_owned);
    let under = |base: &'static str| Schedule::ALL.iter().map(move |schedule| format!("{base}:{}", schedule.name()));
    own.chain(under("random")).chain(under("hybrid")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Color;

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
            ("stealing:steal=false,chunk=64", "stealing:chunk=64,steal=false"),
            ("stealing:steal=true", "stealing"),
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
        assert!(parse("stealing:chunk=0").unwrap_err().to_string().contains("0 is not in 1..=4294967295"));
        assert!(parse("hybrid-stealing:steal=yes").unwrap_err().to_string().contains("one of true, false"));
    }

    #[test]
    fn the_device_decides_and_two_have_queues() {
        assert_eq!(Method::Auto.choose(DeviceKind::Discrete), Method::Independent);
        assert_eq!(Method::Auto.choose(DeviceKind::Cpu), Method::IndependentCpu);
        let all = Selected::<Method>::all();
        let queues: Vec<_> = all.iter().filter(|it| it.method().has_queues()).map(|it| it.about().name).collect();
        assert_eq!(queues, ["stealing", "hybrid-stealing"]);
    }
}

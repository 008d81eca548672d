//! `evenkeel demo`: a graph whose degrees differ widely and one whose degrees do not, a few strategies of a few algorithms on each, and
//! what they show: skew hurts, balance helps, `auto` chooses well. With `--all`, everything there is.

use super::{
    balance::count,
    compare::{CompareOptions, Comparison},
    options::{make, weigh},
    output::print,
};
use crate::report::{comparison::Entry, table::table};
use clap::Args;
use evenkeel::{
    algorithm::{self, Handle},
    graph::{BuildReport, Graph, Skew, weights::WeightSource},
    numerals::grouped,
    report::shown::three_digits,
};

/// Shortest paths need weights; these are those of the benchmarks.
const WEIGHTS: WeightSource = WeightSource::Random { low: 1, high: 64, seed: 0 };

/// The algorithms that are shown, each with a plain strategy or schedule, a balanced one, and the default, which chooses.
const SHOWN: [(&str, [&str; 3]); 3] = [
    ("bfs", ["node", "merge-path", "auto"]),
    ("sssp", ["node", "merge-path", "auto"]),
    ("spmv", ["thread-mapped", "merge-path", "auto"]),
];

/// How many invocations of a GPU wait for each other.
const LANES: u32 = 32;

const EXAMPLES: &str = "\
Examples:
  evenkeel demo
  evenkeel demo --scale 18 --all --device cpu";

/// See what skew costs and balance gains: a few strategies on a skewed and a road-like graph, all answers checked.
#[derive(Args)]
#[command(after_help = EXAMPLES, next_help_heading = "Run")]
#[command(mut_arg("runs", |runs| runs.default_value("3")))]
pub struct Demo {
    /// The graphs have 2 to this power nodes.
    #[arg(long, value_name = "N", default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=26))]
    scale: u32,
    /// Run every algorithm with every strategy, and print a table for each.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    comparing: CompareOptions,
}

/// One strategy of one algorithm on one graph.
pub struct Scene {
    graph: String,
    algorithm: &'static str,
    strategy: &'static str,
    /// The share of their time that lanes wait for others, if that can be counted.
    idle: Option<f64>,
    entry: Entry,
}

impl Demo {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let mut comparison = self.comparing.begin(quiet)?;
        let shown = comparison.shown;
        // A strategy at a time is for `--all`; else one table says it all, at the end.
        comparison.shown &= self.all;
        let (mut scenes, mut head) = (Vec::new(), comparison.head());
        for (generator, what) in [
            (format!("rmat:scale={}", self.scale), "is skewed"),
            (format!("road:nodes={}", 1u64 << self.scale), "is even"),
        ] {
            let mut graph = make(&generator.parse()?)?;
            weigh(&mut graph, &BuildReport::default(), WEIGHTS)?;
            let Skew { mean, highest } = graph.csr.skew();
            let (nodes, highest) = (grouped(graph.csr.nodes().into()), grouped(highest.into()));
            head += &format!("\n{generator} {what}: {nodes} nodes with up to {highest} edges, {mean:.1} in the mean.");
            for algorithm in algorithm::all() {
                if self.all {
                    comparison.add_all(algorithm, &graph)?;
                } else {
                    scenes.extend(demonstrate(algorithm, &mut comparison, &graph)?);
                }
            }
        }
        if shown && !self.all {
            print(&format!("{head}\n\n{}\n{}", scene_table(&scenes), lesson(&scenes, comparison.is_on_cpu())))?;
        }
        comparison.shown = shown;
        comparison.finish()?;
        if shown {
            print(NEXT)?;
        }
        Ok(())
    }
}

/// Measures what the demonstration shows of an algorithm on one graph, and counts how evenly it is shared out.
fn demonstrate(
    algorithm: &'static dyn Handle,
    comparison: &mut Comparison<'_>,
    graph: &Graph,
) -> anyhow::Result<Vec<Scene>> {
    let name = algorithm.described().name;
    let Some((_, shown)) = SHOWN.iter().find(|(shown, _)| *shown == name) else { return Ok(Vec::new()) };
    let names: Vec<String> = shown.iter().map(|&name| name.to_owned()).collect();
    let entries = comparison.add_default(algorithm, graph, &names)?;
    let counted = algorithm.alternatives().into_iter().filter(|it| it.counted).map(|it| it.about.name);
    let (counted, mut problem) = (counted.collect::<Vec<_>>(), algorithm.setup().counted().on(graph)?);
    let mut idle = |name: &str| count(&mut *problem, name, LANES).map(|balance| balance.idle_lanes);
    let scene = |(&strategy, entry): (&&'static str, Entry)| {
        let idle = if counted.contains(&strategy) { Some(idle(strategy)?) } else { None };
        Ok(Scene { graph: graph.name.clone(), algorithm: name, strategy, idle, entry })
    };
    shown.iter().zip(entries).map(scene).collect()
}

fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

fn scene_table(scenes: &[Scene]) -> String {
    let headings = ["graph", "algorithm", "strategy", ">lanes idle", ">total ms", ">ratio", "valid"];
    table(
        &headings,
        scenes.iter().enumerate().map(|(place, scene)| {
            let before = place.checked_sub(1).map(|before| &scenes[before]);
            let again = |same: fn(&Scene, &Scene) -> bool| before.is_some_and(|before| same(before, scene));
            let once = |text: &str, again: bool| if again { String::new() } else { text.to_owned() };
            let mut row = vec![
                once(&scene.graph, again(|one, other| one.graph == other.graph)),
                once(scene.algorithm, again(|one, other| one.graph == other.graph && one.algorithm == other.algorithm)),
                scene.strategy.to_owned(),
                scene.idle.map_or(String::new(), percent),
            ];
            match &scene.entry {
                Entry::Measured(measured) => row.extend([
                    three_digits(measured.report.median.total_ms),
                    measured.ratio.map_or(String::new(), three_digits),
                    measured.report.valid.map_or("", |valid| if valid { "✓" } else { "✗" }).to_owned(),
                ]),
                Entry::Refused(refusal) => row.extend([String::new(), String::new(), refusal.refused.clone()]),
            }
            row
        }),
    )
}

/// What the table says, in its own numbers.
fn lesson(scenes: &[Scene], on_cpu: bool) -> String {
    let mut text = format!(
        "Lanes idle: what part of its time an invocation of a GPU would wait for the busiest of its {LANES} neighbours, counted.\n"
    );
    // The plainest strategy of the first algorithm, and the next, on both graphs.
    let first = scenes.first().map_or("", |scene| scene.algorithm);
    let counted: Vec<_> = scenes.iter().filter(|scene| scene.algorithm == first && scene.idle.is_some()).collect();
    if let [plain, balanced, plain_even, balanced_even] = counted[..] {
        let idle = |scene: &Scene| percent(scene.idle.unwrap_or_default());
        text += &format!(
            "Skew hurts: with {} they wait {} of the time on {}, {} on {}.\n",
            plain.strategy,
            idle(plain),
            plain.graph,
            idle(plain_even),
            plain_even.graph
        );
        text += &format!(
            "Balance helps: with {} it is {} and {}.\n",
            balanced.strategy,
            idle(balanced),
            idle(balanced_even)
        );
    }
    if on_cpu {
        text += "On a CPU no lane waits for another, so that the times here do not gain by it: a GPU's do.\n";
    }
    let auto: Vec<f64> = scenes.iter().filter(|scene| scene.idle.is_none()).filter_map(Scene::ratio).collect();
    if let Some(worst) = auto.iter().copied().max_by(f64::total_cmp) {
        let best = auto.iter().filter(|ratio| **ratio <= 1.0).count();
        text += &format!("auto chooses well: it is the fastest of these in {best} of {} cases", auto.len());
        text += &match best == auto.len() {
            true => ".\n".to_owned(),
            false => format!(", and takes at most {} times as long as the fastest.\n", three_digits(worst)),
        };
    }
    text
}

impl Scene {
    fn ratio(&self) -> Option<f64> {
        match &self.entry {
            Entry::Measured(measured) => measured.ratio,
            Entry::Refused(_) => None,
        }
    }
}

const NEXT: &str = "
What to try next:
  evenkeel bfs YOURS.csv                      your own graph, from a file
  evenkeel demo --scale 18                    larger graphs; --all runs every algorithm with every strategy
  evenkeel devices                            other devices, and which one is taken
  evenkeel info GRAPH                         what a graph looks like: a file, or a generator such as rmat:scale=18
  evenkeel compare bfs GRAPH                  the strategies side by side
";

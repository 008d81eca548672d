//! `evenkeel compare ALGORITHM GRAPH…`: every strategy, or those asked for, side by side. A strategy that is refused, say because
//! it does not fit, is a line that says why; the others still run.

use super::{
    failure::{self, Interrupted},
    measure::{Bench, Rounds},
    options::{DeviceOptions, FoundGraph, ReadingOptions, unchanged},
    output::{Output, print, refuse_same_files, takes_standard},
    pictures::{PictureOptions, Pictures},
    progress::{Steps, aside},
    registry::{Group, Names, Offer, Weighing, input_options, parsed},
    settings::{self, Blank, Given, with_dashes},
};
use crate::report::{
    comparison::{self, Entry, Refusal},
    html,
};
use clap::{ArgMatches, Args, Command, FromArgMatches, parser::ValueSource};
use evenkeel::{
    Error, Result,
    algorithm::{Described, Handle, Part, Problem},
    device::{Device, DeviceInfo},
    graph::{BuildReport, Graph, random::mix},
    numerals::counted,
    report::{GraphReport, Report},
};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  evenkeel compare bfs rmat:scale=18 road:nodes=262144
  evenkeel compare sssp rmat:scale=18 --strategies edge --chunking edge --memory 2GiB
  evenkeel compare sssp roads.gr.gz --strategies node,merge-path --source 1 --csv times.csv
  evenkeel compare spmv matrix.mtx --runs 20 --strategies merge-path,group-mapped:8,group-mapped:32";

pub const COMPARE: Group = Group {
    name: "compare",
    about: "Run an algorithm with every strategy on the same graphs, and show them side by side",
    examples: EXAMPLES,
    example: |algorithm| {
        let names: Vec<_> = algorithm.alternatives().iter().map(|it| it.about.name).take(2).collect();
        format!("--strategies {} --runs 20 --csv times.csv", names.join(","))
    },
    offer: Offer { options, execute, is_offered: |_| true },
};

/// The graphs to compare on.
#[derive(Args)]
struct GraphNames {
    /// Files, or generators such as rmat:scale=20 (`evenkeel generate --help` lists them)
    #[arg(value_name = "GRAPH", required = true)]
    graphs: Vec<String>,
}

/// All strategies are run, so the option that chooses one is not offered.
fn options(algorithm: &'static dyn Handle, command: Command) -> Command {
    let command = GraphNames::augment_args(command).arg(Names::option(algorithm));
    let command = CompareOptions::augment_args(ReadingOptions::augment_args(command));
    let command = settings::augment(input_options(algorithm, command), Blank { algorithm, part: Part::Config });
    command.mut_arg(algorithm.described().alternative, |choice| choice.hide(true))
}

fn execute(algorithm: &'static dyn Handle, matches: &ArgMatches, quiet: bool) -> anyhow::Result<()> {
    let option = algorithm.described().alternative;
    let (comparing, reading) =
        (parsed(CompareOptions::from_arg_matches(matches)), parsed(ReadingOptions::from_arg_matches(matches)));
    let given = parsed(Given::from_matches(algorithm, &[Part::Input, Part::Config], matches));
    if matches.value_source(option) == Some(ValueSource::CommandLine) {
        return Err(Error::Usage(format!("--{option} is for a single run: take --strategies here")).into());
    }
    let asked = Names::from_matches(matches);
    let mut names = asked.chosen(algorithm, |_| true)?;
    let setup = given.read()?;
    setup.check(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
    let weighing = Weighing::from_matches(algorithm, matches)?;
    let find = |graph: &String| reading.find(graph)?.directed_for(&*setup);
    let graphs = parsed(GraphNames::from_arg_matches(matches)).graphs;
    let found: Vec<FoundGraph> = graphs.iter().map(find).collect::<Result<_>>()?;
    let outputs = comparing.outputs();
    found.iter().try_for_each(|found| refuse_same_files(&outputs, &found.files()))?;
    let mut comparison = comparing.begin(quiet)?;
    if asked.is_all() {
        comparison.keep_those_that_run(algorithm, &mut names);
    }
    comparison.steps = Some(Steps::new(found.len() as u64 * comparing.steps(names.len()), "strategies"));
    failure::heed_interrupts();
    for found in found {
        if failure::is_interrupted() {
            break;
        }
        let (mut graph, built) = found.load()?;
        weighing.weigh(&mut graph, &built)?;
        comparison.add(&graph, &built, &mut *setup.on(&graph)?, &names)?;
    }
    comparison.finish()
}

/// How to compare, and where to write it.
#[derive(Args)]
pub struct CompareOptions {
    /// How many runs to time.
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help_heading = "Run")]
    runs: u32,
    /// How many runs to do before these.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Run")]
    warmup: u32,
    /// How often to make every strategy ready and measure it, in another order each time. What preparing takes is then the median, and a round
    /// before these does not count.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help_heading = "Run")]
    rounds: u32,
    /// Time each kernel by itself, which makes runs a little longer; the JSON has the times.
    #[arg(long, help_heading = "Run")]
    profile: bool,
    /// Do not check the answers against a sequential oracle.
    #[arg(long, help_heading = "Run")]
    no_validate: bool,
    /// Write a line for each strategy as CSV. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    csv: Option<PathBuf>,
    /// Write all that was measured as a JSON array. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

/// A comparison under way: what there is to compare on, and what came of it so far.
pub struct Comparison<'a> {
    options: &'a CompareOptions,
    csv: Option<Output>,
    json: Option<Output>,
    pictures: Pictures,
    device: Device,
    /// Whether tables are printed.
    pub shown: bool,
    entries: Vec<Entry>,
    /// How far it has come, where it is long.
    steps: Option<Steps>,
    /// The first answer that was wrong.
    wrong: Option<anyhow::Error>,
    /// The first reason for which a strategy was refused.
    refused: Option<anyhow::Error>,
}

impl CompareOptions {
    /// The options that name a file, with the file.
    fn outputs(&self) -> [(&'static str, Option<&Path>); 4] {
        let [html, svg] = self.pictures.paths();
        [("--csv", self.csv.as_deref()), ("--json", self.json.as_deref()), html, svg]
    }

    /// How a strategy is measured.
    fn bench<'a>(
        &self,
        device: &'a Device,
        graph: &'a Graph,
        built: &'a BuildReport,
        problem: &'a dyn Problem,
    ) -> Bench<'a> {
        let (runs, warmup, validate) = (self.runs, self.warmup, !self.no_validate);
        Bench { device, graph, built, problem, runs, warmup, is_warm: false, validate, show: None, capture: false }
    }

    /// Whether a round precedes those that count.
    fn is_rehearsed(&self) -> bool {
        self.rounds > 1
    }

    /// How often a strategy is made ready for one graph, all strategies together.
    fn steps(&self, strategies: usize) -> u64 {
        strategies as u64 * (u64::from(self.rounds) + u64::from(self.is_rehearsed()))
    }

    /// Opens what will be written and the device.
    pub fn begin(&self, quiet: bool) -> Result<Comparison<'_>> {
        let paths = self.outputs().into_iter().filter_map(|(_, path)| path);
        let standard_taken = takes_standard(paths, "--csv, --json, --html and --svg")?;
        let [csv, json] = [&self.csv, &self.json].map(|path| Output::create_if(path.as_deref()));
        Ok(Comparison {
            options: self,
            csv: csv?,
            json: json?,
            pictures: self.pictures.open()?,
            device: self.device.open(self.profile)?,
            shown: !quiet && !standard_taken,
            entries: Vec::new(),
            steps: None,
            wrong: None,
            refused: None,
        })
    }
}

/// Whether the device is lost.
fn is_lost(error: &anyhow::Error) -> bool {
    matches!(error.root_cause().downcast_ref(), Some(Error::Lost(_)))
}

/// The order of so many strategies in a round. The first round has that of the names; in the others they are shuffled by a seed that never
/// changes and rotated by the round, so that what a strategy leaves behind is not always to the good or the bad of the same other one.
fn order(count: usize, round: u32) -> impl Iterator<Item = usize> {
    let mut places: Vec<usize> = (0..count).collect();
    if round > 0 {
        places.sort_by_key(|place| mix(*place as u64));
        places.rotate_left(round as usize % count.max(1));
    }
    places.into_iter()
}

impl Comparison<'_> {
    /// Measures all alternatives of an algorithm on one graph, as it is by default.
    pub fn add_all(&mut self, algorithm: &'static dyn Handle, graph: &Graph) -> anyhow::Result<()> {
        let mut names: Vec<String> = algorithm.alternatives().iter().map(|it| it.about.name.to_owned()).collect();
        self.keep_those_that_run(algorithm, &mut names);
        self.add_default(algorithm, graph, &names).map(drop)
    }

    /// Measures the named alternatives likewise, and returns what came of them.
    pub fn add_default(
        &mut self,
        algorithm: &'static dyn Handle,
        graph: &Graph,
        names: &[String],
    ) -> anyhow::Result<Vec<Entry>> {
        let place = self.entries.len();
        self.add(graph, &unchanged(graph), &mut *algorithm.setup().on(graph)?, names)?;
        Ok(self.entries[place..].to_vec())
    }

    /// Whether the device is the CPU, by whatever way.
    pub fn is_on_cpu(&self) -> bool {
        self.device.info().kind.is_cpu()
    }

    /// What is said before anything else: on what it runs, and how often.
    pub fn head(&self) -> String {
        let DeviceInfo { name, kind, .. } = self.device.info();
        let runs = self.options.runs * self.options.rounds;
        let runs = if runs == 1 { "1 run".to_owned() } else { format!("median of {runs} runs") };
        format!("evenkeel on {name} ({kind}), {runs}\n")
    }

    /// Leaves out what this device cannot run, where all were asked for.
    fn keep_those_that_run(&self, algorithm: &'static dyn Handle, names: &mut Vec<String>) {
        let others = algorithm.alternatives().into_iter().filter(|it| !it.about.runs_on(self.device.info()));
        let others: Vec<_> = others.map(|it| it.about.name).collect();
        names.retain(|name| !others.contains(&name.as_str()));
    }

    /// Measures the named strategies of an algorithm on one graph, each with what it takes of the settings, and prints them.
    pub fn add(
        &mut self,
        graph: &Graph,
        built: &BuildReport,
        problem: &mut dyn Problem,
        names: &[String],
    ) -> anyhow::Result<()> {
        let (device, algorithm) = (self.device.clone(), problem.described().name);
        let begin_step = |comparison: &Self, name: &str| {
            comparison.steps.iter().for_each(|steps| steps.begin(&format!("{algorithm} {name}")));
        };
        if self.options.is_rehearsed() {
            for (place, name) in names.iter().enumerate().take_while(|_| !failure::is_interrupted()) {
                begin_step(self, name);
                problem.choose(name)?;
                // What is refused here is refused in the rounds that count, too, and shown there.
                let bench = self.options.bench(&device, graph, built, problem);
                let rehearsed = Bench { is_warm: place > 0, ..bench }.rehearse();
                rehearsed.or_else(|error| if is_lost(&error) { Err(error) } else { Ok(()) })?;
                self.steps.iter().for_each(Steps::end);
            }
        }
        let mut measured: Vec<(Rounds, Option<Result<Report, Refusal>>)> = Vec::new();
        measured.resize_with(names.len(), Default::default);
        for round in 0..self.options.rounds {
            for place in order(names.len(), round).take_while(|_| !failure::is_interrupted()) {
                begin_step(self, &names[place]);
                problem.choose(&names[place])?;
                let (rounds, outcome) = &mut measured[place];
                // While an oracle is asked the device is idle.
                let is_warm = self.options.is_rehearsed() && self.options.no_validate;
                let bench = Bench { is_warm, ..self.options.bench(&device, graph, built, problem) };
                *outcome = Some(self.outcome(&bench, rounds)?);
                self.steps.iter().for_each(Steps::end);
            }
        }
        let outcomes = measured.into_iter().filter_map(|(_, outcome)| outcome).collect();
        let entries = comparison::compare(outcomes);
        if self.shown && !entries.is_empty() {
            aside(|| print(&self.block(&self.options.bench(&device, graph, built, problem), &entries)))?;
        }
        self.entries.extend(entries);
        Ok(())
    }

    /// One strategy. What it is refused for before it runs is a part of the comparison; what fails after that is an error.
    fn outcome(&mut self, bench: &Bench<'_>, rounds: &mut Rounds) -> anyhow::Result<Result<Report, Refusal>> {
        match bench.prepare() {
            Ok(ready) => {
                let measured = bench.measure(ready, rounds)?;
                self.wrong = self.wrong.take().or(measured.verdict(bench.graph).err());
                Ok(Ok(measured.report))
            }
            // There is nothing left to compare on.
            Err(error) if is_lost(&error) => Err(error),
            Err(error) => {
                let refusal = Refusal {
                    graph: GraphReport::new(bench.graph, bench.built),
                    device: bench.device.info().clone(),
                    algorithm: bench.problem.described().name,
                    strategy: bench.problem.alternative(),
                    refused: with_dashes(&error.root_cause().to_string()).into_owned(),
                };
                self.refused.get_or_insert(error);
                Ok(Err(refusal))
            }
        }
    }

    /// What is printed of one algorithm on one graph; before the first, of the device.
    fn block(&self, bench: &Bench<'_>, entries: &[Entry]) -> String {
        let Described { name, alternative, .. } = bench.problem.described();
        let head = if self.entries.is_empty() { self.head() } else { String::new() };
        let graph = GraphReport::new(bench.graph, bench.built);
        let source = bench.problem.source();
        let from = source.map_or(String::new(), |node| format!(", from node {}", bench.graph.ids.name(node)));
        format!("{head}\n{name} on {graph}{from}\n{}", comparison::text(alternative, entries))
    }

    /// Writes what was asked for. It is an error if an answer was wrong, or if nothing could be run at all.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.steps = None;
        let reports = || self.entries.iter().filter_map(Entry::report);
        let checked = reports().filter(|report| report.valid.is_some()).count();
        let right = reports().filter(|report| report.valid == Some(true)).count();
        if self.shown && checked > 0 {
            let agree = match (right, checked) {
                (1, 1) => "The answer agrees".to_owned(),
                _ if right == checked => format!("All {right} answers agree"),
                _ => format!("{right} of {} agree", counted(checked as u64, "answer")),
            };
            print(&format!("\n{agree} with the sequential oracle.\n"))?;
        }
        if let Some(output) = self.csv {
            output.write(|writer| comparison::write_csv(&self.entries, writer))?;
        }
        if let Some(output) = self.json {
            output.write_json(&self.entries)?;
        }
        self.pictures.write(|| html::comparison::page(&self.entries, env!("CARGO_PKG_VERSION")))?;
        if failure::is_interrupted() {
            return Err(self.wrong.unwrap_or_else(|| Interrupted.into()));
        }
        let nothing_ran = self.entries.iter().all(|entry| entry.report().is_none());
        self.wrong.or(self.refused.filter(|_| nothing_ran)).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::WrongAnswer;
    use clap::Parser;
    use evenkeel::{
        algorithm::{Algorithm, Answer, Column, Description, FrontEnd, Of, Run, Selectable, Session, Values},
        engine::SharedGraph,
        graph::generate::Generator,
        oracle::Mismatch,
        settings::{Configurable, Configured, Key, Settings},
        strategy::About,
    };
    use std::time::Duration;

    #[derive(Clone, Default)]
    struct LieConfig {
        strategy: Configured<Liar>,
    }

    impl Settings for LieConfig {
        fn keys(&mut self) -> Vec<Key<'_>> {
            self.strategy.keys()
        }
    }

    #[derive(Clone, Copy, Default)]
    enum Lie {
        #[default]
        Honest,
        Not,
        Neither,
    }

    impl Configurable for Lie {
        fn name(&self) -> &'static str {
            ["honest", "not", "neither"][*self as usize]
        }

        fn keys(&mut self) -> Vec<Key<'_>> {
            Vec::new()
        }
    }

    impl Selectable for Lie {
        const KIND: &'static str = "strategy";
        const HELP: &'static str = "";

        fn all() -> Vec<Self> {
            vec![Self::Honest, Self::Not, Self::Neither]
        }

        fn about(&self) -> About {
            About::new(self.name(), "", "")
        }
    }

    /// Has a strategy that is right, one that is wrong, and one that is refused.
    struct Liar {
        answer: u32,
        session: Session,
    }

    #[derive(PartialEq)]
    struct Word(u32);

    impl Answer for Word {
        fn columns(&self) -> Vec<Column<'_>> {
            vec![Column::new("word", Values::U32(std::slice::from_ref(&self.0).into()))]
        }
    }

    impl Algorithm for Liar {
        const ABOUT: Description =
            Description { name: "lie", summary: "says what it likes", help: "", ..Description::DEFAULT };

        type Config = LieConfig;
        type Input = ();
        type Answer = Word;
        type Reference = Word;

        fn build(graph: &SharedGraph, config: &LieConfig) -> Result<Self> {
            let answer = match config.strategy.item() {
                Lie::Honest => 1,
                Lie::Not => 2,
                Lie::Neither => return Err(Error::Graph("there is nothing to say".into())),
            };
            Ok(Self { answer, session: Session::new(graph)? })
        }

        fn session(&self) -> &Session {
            &self.session
        }

        fn run(&mut self, (): &()) -> Result<Run> {
            let time = Duration::from_millis(self.answer.into());
            Ok(Run { total: time, kernel: time, iterations: 1, ..Run::default() })
        }

        fn answer(&self) -> Result<Word> {
            Ok(Word(self.answer))
        }

        fn reference(_: &Graph, (): &(), _: &LieConfig) -> Result<Word> {
            Ok(Word(1))
        }

        fn check(found: &Word, expected: &Word, _: &Graph, (): &()) -> Option<Mismatch> {
            let text = |Word(value): &Word| value.to_string();
            (found != expected).then(|| Mismatch { node: 2, expected: text(expected), found: text(found) })
        }
    }

    impl FrontEnd for Liar {
        type Alternative = Lie;
        type InputOptions = ();
        type Tables = ();

        fn choice(config: &mut LieConfig) -> &mut Configured<Self> {
            &mut config.strategy
        }

        fn input((): &(), _: &Graph, _: &LieConfig) -> Result<()> {
            Ok(())
        }
    }

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: CompareOptions,
    }

    /// What comes of comparing the named strategies, and the JSON.
    fn compared(names: &[&str]) -> (anyhow::Result<()>, serde_json::Value) {
        compared_with(&[], names)
    }

    fn compared_with(more: &[&str], names: &[&str]) -> (anyhow::Result<()>, serde_json::Value) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("entries.json");
        let words = ["compare", "--device", "cpu", "--json", path.to_str().unwrap()];
        let options = Line::parse_from(words.iter().chain(more)).options;
        let graph = "chain:nodes=3".parse::<Generator>().unwrap().generate().unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut comparison = options.begin(true).unwrap();
        let mut problem = Of::<Liar>::HANDLE.setup().on(&graph).unwrap();
        comparison.add(&graph, &BuildReport::default(), &mut *problem, &names).unwrap();
        let outcome = comparison.finish();
        (outcome, serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap())
    }

    #[test]
    fn a_wrong_answer_is_shown_among_the_others_and_is_an_error_in_the_end() {
        let (outcome, entries) = compared(&["not", "neither", "honest"]);
        let error = outcome.unwrap_err();
        assert!(error.is::<WrongAnswer>(), "{error}");
        let expected = "lie with strategy not gave a wrong answer on chain:nodes=3: node 2: expected 1, found 2";
        assert_eq!(error.to_string(), expected);
        assert_eq!((&entries[0]["valid"], &entries[0]["ratio"]), (&false.into(), &2.0.into()));
        assert_eq!(entries[1]["refused"], "there is nothing to say");
        assert_eq!((&entries[2]["valid"], &entries[2]["ratio"]), (&true.into(), &1.0.into()));
    }

    #[test]
    fn all_rounds_are_in_one_entry_each() {
        let (outcome, entries) = compared_with(&["--rounds", "3", "--runs", "2"], &["honest", "neither", "not"]);
        assert!(outcome.unwrap_err().is::<WrongAnswer>());
        let names: Vec<_> =
            entries.as_array().unwrap().iter().map(|entry| entry["strategy"].as_str().unwrap()).collect();
        assert_eq!(names, ["honest", "neither", "not"]);
        assert_eq!(entries[1]["refused"], "there is nothing to say");
        for entry in [&entries[0], &entries[2]] {
            assert_eq!(entry["runs"].as_array().unwrap().len(), 6, "{entry}");
            assert!(entry["prepare_ms"]["total"].as_f64().unwrap() > 0.0, "{entry}");
        }
    }

    #[test]
    fn rounds_differ_in_their_order() {
        let orders: Vec<Vec<usize>> = (0..6).map(|round| order(5, round).collect()).collect();
        assert_eq!(orders[0], [0, 1, 2, 3, 4]);
        for (place, one) in orders.iter().enumerate() {
            let mut sorted = one.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, orders[0]);
            assert!(orders[..place].iter().all(|other| other != one), "{orders:?}");
        }
        // After the first, every strategy is once at each place.
        for place in 0..5 {
            assert_eq!(orders[1..].iter().map(|one| one[place]).sum::<usize>(), 10, "{orders:?}");
        }
        assert_eq!(order(0, 3).count(), 0);
    }

    #[test]
    fn a_refusal_is_an_error_only_where_nothing_ran() {
        assert!(compared(&["honest", "neither"]).0.is_ok());
        let error = compared(&["neither"]).0.unwrap_err();
        assert!(matches!(error.downcast_ref(), Some(Error::Graph(_))), "{error}");
    }
}

//! `evenkeel path GRAPH FROM TO`, and `evenkeel path GRAPH NODE --all-hops K`.

use super::{
    answers::NodeList,
    failure::{NoPath, WrongAnswer},
    measure::{QUICK, answers_need_a_check},
    options::{DeviceOptions, GraphOptions, WeightOptions, weigh},
    output::{Output, is_standard, refuse_same_files, write_json_or_print},
    progress::while_showing,
};
use clap::Args;
use evenkeel::{
    algorithm::{
        Bfs, BfsConfig, FrontEnd, Run, Source, Value,
        path::{Route, check_path, neighbourhood, shortest_path},
    },
    device::DeviceInfo,
    engine::SharedGraph,
    graph::{Graph, NodeName, Weights},
    numerals::{counted, grouped},
    report::{GraphReport, shown::FoundPath},
};
use serde::Serialize;
use std::{iter, path::PathBuf};

const EXAMPLES: &str = "\
The path is the shortest by weights where the graph has any, else by the number of edges. The search stops when the target is settled. Of \
several shortest paths it is the same one every time. The output is a line `node distance` for each node of the path; with --all-hops \
`node hops` for each node that is near. When there is no path, a message says so, the JSON has null for the length, and the exit \
status is 1.

Examples:
  evenkeel path roads.gr.gz 1 264346
  evenkeel path friends.csv alice bob --unweighted --output path.csv
  evenkeel path friends.csv alice --all-hops 2";

/// Find one shortest path between two nodes, or the nodes within some hops of one.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct PathCommand {
    #[command(flatten)]
    graph: GraphOptions,
    /// The node to begin at: its name in the file, or where no node has that name max-degree or random:SEED.
    #[arg(value_parser = str::parse::<Source>)]
    from: Source,
    /// The node to go to, named in the same way.
    #[arg(value_parser = str::parse::<Source>, required_unless_present = "all_hops", conflicts_with = "all_hops")]
    to: Option<Source>,
    /// List the nodes within so many hops instead.
    #[arg(long, value_name = "K", help_heading = "Algorithm", conflicts_with = "weights")]
    all_hops: Option<u32>,
    /// Count edges, whatever they weigh.
    #[arg(long, help_heading = "Algorithm", conflicts_with_all = ["all_hops", "weights"])]
    unweighted: bool,
    #[command(flatten)]
    weights: WeightOptions,
    #[command(flatten)]
    device: DeviceOptions,
    /// Check the path against a sequential oracle; exit with 1 if it is wrong.
    #[arg(long, help_heading = "Run", conflicts_with = "all_hops")]
    validate: bool,
    /// Write the nodes as the name ends: .txt (a line `node distance` each), .csv, .json or .jsonl, also compressed. `-` is text on standard
    /// output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: Option<PathBuf>,
    /// Write what was found as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output", conflicts_with = "output")]
    json: Option<PathBuf>,
}

/// What was found.
#[derive(Serialize)]
struct Found<'a> {
    version: &'static str,
    graph: GraphReport,
    device: DeviceInfo,
    from: NodeName<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<NodeName<'a>>,
    by_weights: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    hops: Option<u32>,
    length: Option<Value>,
    total_ms: f64,
    iterations: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid: Option<bool>,
    nodes: NodeList<'a>,
}

impl PathCommand {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let weights = self.weights.source()?;
        let form = self.output.as_deref().map(NodeList::form).transpose()?;
        let found = self.graph.find()?;
        let outputs = [("--output", self.output.as_deref()), ("--json", self.json.as_deref())];
        refuse_same_files(&outputs, &found.files())?;
        let [output, json] = [&self.output, &self.json].map(|path| Output::create_if(path.as_deref()));
        let (output, json) = (output?, json?);
        let (mut graph, built) = found.load()?;
        if self.to.is_some() && !self.unweighted {
            weigh(&mut graph, &built, weights)?;
        }
        let from = self.from.find(&graph)?;
        let to = self.to.as_ref().map(|to| to.find(&graph)).transpose()?;
        let by_weights = to.is_some() && !self.unweighted && !matches!(graph.csr.weights(), Weights::None);
        let is_quick = self.device.may_be_cpu() && Bfs::operations(&graph.csr, &BfsConfig::default()) <= QUICK;
        let device = if is_quick { self.device.open_as("cpu", false)? } else { self.device.open(false)? };
        let shared = SharedGraph::new(&device, &graph.csr);
        let name = |node: u32| graph.ids.name(node);
        let (nodes, length, run, valid) = match to {
            Some(to) => {
                let search = || shortest_path(&shared, from, to, by_weights);
                let (route, run) = while_showing("searching", "", search)?;
                let is_checked = self.validate || answers_need_a_check(&device);
                let check = || check(&graph, route.as_ref(), (from, to), by_weights);
                let valid = is_checked.then(check).transpose()?;
                let nodes =
                    route.iter().flat_map(|route| route.nodes.iter().copied().map(name).zip(route.distances.clone()));
                let list = NodeList { column: "distance", rows: nodes.collect() };
                (list, route.as_ref().and_then(Route::length), run, valid)
            }
            None => {
                let (near, run) = neighbourhood(&shared, from, self.all_hops.unwrap_or(0))?;
                let rows = near.into_iter().map(|(node, hops)| (name(node), Value::Whole(hops))).collect();
                (NodeList { column: "hops", rows }, None, run, None)
            }
        };
        let missing = to.filter(|_| length.is_none()).map(|to| NoPath::new(&name(from), &name(to), &graph));
        let shown = !quiet && !self.output.as_deref().is_some_and(is_standard) && missing.is_none();
        if let (Some(form), Some(output), None) = (form, output, &missing) {
            output.write(|writer| nodes.write(form, writer))?;
        }
        let Run { total, iterations, .. } = run;
        let found = Found {
            version: env!("CARGO_PKG_VERSION"),
            graph: GraphReport::new(&graph, &built),
            device: device.info().clone(),
            from: name(from),
            to: to.map(name),
            by_weights,
            hops: self.all_hops,
            length,
            total_ms: total.as_secs_f64() * 1e3,
            iterations,
            valid,
            nodes,
        };
        write_json_or_print(json, &found, !shown, || found.text())?;
        drop(shared);
        self.device.let_go(device);
        missing.map_or(Ok(()), |missing| Err(missing.into()))
    }
}

/// That the path is right, or an error.
fn check(graph: &Graph, route: Option<&Route>, ends: (u32, u32), by_weights: bool) -> anyhow::Result<bool> {
    match while_showing("checking", "", || check_path(graph, route, ends, by_weights))? {
        None => Ok(true),
        Some(mismatch) => Err(WrongAnswer::of_path(&graph.ids.name(mismatch.node), &mismatch).into()),
    }
}

/// Nodes of a hop that are shown.
const SHOWN: usize = 10;

impl Found<'_> {
    fn text(&self) -> String {
        let DeviceInfo { name, kind, .. } = &self.device;
        let mut lines = vec![("graph", self.graph.to_string()), ("device", format!("{name} ({kind})"))];
        match self.hops {
            None => {
                let path = FoundPath {
                    target: self.to.clone().map_or(NodeName::Number(0), NodeName::into_owned),
                    length: self.length,
                    nodes: self.nodes.rows.iter().map(|(node, _)| node.clone().into_owned()).collect(),
                };
                lines.extend(["path"].into_iter().chain(iter::repeat("")).zip(path.lines()));
            }
            Some(hops) => {
                let count = self.nodes.rows.len();
                lines.push((
                    "near",
                    format!(
                        "{} within {} of {}",
                        counted(count as u64, "node"),
                        counted(hops.into(), "hop"),
                        self.from
                    ),
                ));
                for group in self.nodes.rows.chunk_by(|a, b| a.1 == b.1) {
                    let names: Vec<String> = group.iter().take(SHOWN).map(|(node, _)| node.to_string()).collect();
                    let more = if group.len() > SHOWN { ", …" } else { "" };
                    let (hops, count) = (group[0].1, grouped(group.len() as u64));
                    lines.push(("", format!("at {hops}: {count}, namely {}{more}", names.join(", "))));
                }
            }
        }
        lines.push(("time", format!("{:.3} ms, {}", self.total_ms, counted(self.iterations.into(), "iteration"))));
        if self.valid == Some(true) {
            lines.push(("valid", "✓ the path is there, and none is shorter".to_owned()));
        }
        lines.into_iter().map(|(word, text)| format!("{word:<9} {text}\n")).collect()
    }
}

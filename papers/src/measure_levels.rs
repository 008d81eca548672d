//! `evenkeel-papers measure-levels GRAPH… --output FILE`: the time of every variant to search a level, for `train`.

use crate::tuning::{Measuring, Searched, Table, levels_page};
use clap::Args;
use evenkeel::{Error, Result, graph::Csr, strategy::adaptive::VIRTUAL_WARPS};
use evenkeel_cli::{
    failure::{self, Interrupted},
    options::{DeviceOptions, FoundGraph, ReadingOptions},
    output::{Output, is_standard, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::{Steps, while_showing},
};
use serde::Serialize;
use std::{ops::ControlFlow, path::PathBuf};

/// Time every variant to search a level on every level of some searches, all from the same frontier.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct MeasureLevels {
    /// Files, or generators such as rmat:scale=20 (`evenkeel generate --help` lists them).
    #[arg(value_name = "GRAPH", required = true)]
    graphs: Vec<String>,
    /// The table; Parquet if its name ends in .parquet, else CSV. `-` is standard output.
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    output: PathBuf,
    /// Write as JSON which graphs were measured. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
    #[command(flatten, next_help_heading = "Run")]
    measuring: Measuring,
    #[command(flatten)]
    reading: ReadingOptions,
    #[command(flatten)]
    device: DeviceOptions,
}

const EXAMPLES: &str = "\
Example, from measuring to a search that switches:
  evenkeel-papers measure-levels rmat:scale=16 grid:rows=300,cols=300 er:nodes=100000,degree=8 --output levels.csv
  evenkeel-papers train levels.csv --output my.tree
  evenkeel bfs rmat:scale=18 --strategy adaptive --model my.tree --validate";

/// What was measured of a graph, or why nothing was.
#[derive(Default, Serialize)]
struct Measured {
    graph: String,
    collection: String,
    nodes: u32,
    edges: u64,
    directed: bool,
    /// Whether its nodes are of two kinds, and each edge joins one of each kind.
    bipartite: bool,
    searches: usize,
    /// The searches of which all levels were measured.
    whole_searches: usize,
    levels: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
}

impl MeasureLevels {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        if !VIRTUAL_WARPS.contains(&self.measuring.virtual_warp) {
            return Err(Error::Usage("--virtual-warp is 2, 4, 8, 16 or 32".into()).into());
        }
        let found: Vec<FoundGraph> = self.graphs.iter().map(|graph| self.reading.find(graph)).collect::<Result<_>>()?;
        let [html, svg] = self.pictures.paths();
        let outputs = [("--output", Some(&*self.output)), ("--json", self.json.as_deref()), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--output, --json, --html and --svg")?;
        found.iter().try_for_each(|found| refuse_same_files(&outputs, &found.files()))?;
        let (output, pictures) = (Output::create(&self.output)?, self.pictures.open()?);
        let json = Output::create_if(self.json.as_deref())?;
        let device = self.device.open(true)?;
        let (mut table, mut measured) = (Table::default(), Vec::new());
        let steps = Steps::new(found.len() as u64 * u64::from(self.measuring.sources), "searches");
        failure::heed_interrupts();
        for (name, found) in self.graphs.iter().zip(&found) {
            if failure::is_interrupted() {
                break;
            }
            let collection = found.collection();
            let graph = match found.load() {
                Ok((graph, _)) => graph,
                // One file among many that is no graph is no reason to lose the others.
                Err(error) if self.graphs.len() > 1 => {
                    tracing::warn!("{name} is left out: {error}");
                    let refused = Some(error.to_string());
                    measured.push(Measured { graph: name.clone(), collection, refused, ..Measured::default() });
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let before = table.rows.len();
            let Searched { searches, whole } = while_showing("measuring", &graph.name, || {
                self.measuring.measure(&device, &graph, &collection, |row| {
                    // The rows of a search follow each other.
                    let is_new =
                        table.rows.last().is_none_or(|last| (&last.graph, last.source) != (&row.graph, row.source));
                    if is_new && table.rows.len() > before {
                        steps.end();
                    }
                    table.rows.push(row);
                    if failure::is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                })
            })?;
            steps.end();
            let levels = table.rows.len() - before;
            tracing::info!("{}: {levels} levels", graph.name);
            let (nodes, edges, directed) = (graph.csr.nodes(), graph.csr.edges(), !graph.csr.is_symmetric());
            measured.push(Measured {
                bipartite: is_bipartite(&graph.csr),
                graph: graph.name,
                collection,
                nodes,
                edges,
                directed,
                searches,
                whole_searches: whole,
                levels,
                refused: None,
            });
        }
        drop(steps);
        if table.rows.is_empty() && !failure::is_interrupted() {
            return Err(Error::Usage("none of these graphs has a level to measure".into()).into());
        }
        output.write(|writer| table.write(&self.output, writer))?;
        pictures.write(|| levels_page::page(&table))?;
        if failure::is_interrupted() {
            return Err(Interrupted.into());
        }
        let quiet = quiet || is_standard(&self.output) || self.pictures.take_standard();
        let said = || {
            let graphs = measured.iter().filter(|it| it.refused.is_none()).count();
            format!("{} levels of {graphs} graphs in {}\n", table.rows.len(), self.output.display())
        };
        Ok(write_json_or_print(json, &measured, quiet, said)?)
    }
}

/// Whether the nodes of a graph can be parted into two kinds so that each edge joins one of each; the direction of edges says nothing.
///
/// Each node knows another one of its component and whether that is of the other kind, by a union of what edges join.
fn is_bipartite(csr: &Csr) -> bool {
    let mut above: Vec<(u32, bool)> = (0..csr.nodes()).map(|node| (node, false)).collect();
    for node in 0..csr.nodes() {
        for &target in csr.neighbours(node) {
            let ((one, of_node), (other, of_target)) = (root(&mut above, node), root(&mut above, target));
            if one == other && of_node == of_target {
                return false;
            }
            above[one as usize] = (other, of_node == of_target);
        }
    }
    true
}

/// The node that stands for the component of another, and whether both are of different kinds. Paths are halved on the way.
fn root(above: &mut [(u32, bool)], mut node: u32) -> (u32, bool) {
    let mut differs = false;
    loop {
        let (next, of_next) = above[node as usize];
        if next == node {
            return (node, differs);
        }
        // One that stands for its component is not different from itself.
        let (after, of_after) = above[next as usize];
        above[node as usize] = (after, of_next != of_after);
        differs ^= of_next;
        node = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::{BuildOptions, EdgeList, EdgeWeights, generate::Generator};

    #[test]
    fn two_kinds_of_nodes_are_found() {
        let cases = [
            ("grid:rows=30,cols=17", true),
            ("star:nodes=40", true),
            ("chain:nodes=1000", true),
            ("complete:nodes=3", false),
            ("er:nodes=300,degree=8", false),
        ];
        for (graph, expected) in cases {
            let graph = graph.parse::<Generator>().unwrap().generate().unwrap();
            assert_eq!(is_bipartite(&graph.csr), expected, "{}", graph.name);
        }
    }

    #[test]
    fn a_ring_is_of_two_kinds_if_it_is_even_whichever_way_its_edges_go() {
        for nodes in 3..40_u32 {
            let next = |node: u32| (node + 1) % nodes;
            // Every third edge is turned round.
            let turned = |node: &u32| node.is_multiple_of(3);
            let sources = (0..nodes).map(|node| if turned(&node) { next(node) } else { node }).collect();
            let targets = (0..nodes).map(|node| if turned(&node) { node } else { next(node) }).collect();
            let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
            let csr = Csr::from_edges(list, BuildOptions::default()).unwrap().0;
            assert_eq!(is_bipartite(&csr), nodes % 2 == 0, "{nodes}");
        }
    }
}

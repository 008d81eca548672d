//! `evenkeel info GRAPH`.

use super::{
    options::{GraphOptions, remark_on_weights},
    output::{Output, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::while_showing,
};
use crate::report::html;
use clap::Args;
use evenkeel::{
    graph::{BuildReport, Csr, Limit, PartitionOptions, Partitions, formats::Recognised, statistics::Statistics},
    numerals::{counted, grouped},
    report::SplitReport,
    strategy::{
        SplitGraph,
        threshold::{DEFAULT_BINS, MAX_BINS},
    },
};
use serde::Serialize;
use std::{num::NonZeroU32, path::PathBuf};

const EXAMPLES: &str = "\
Examples:
  evenkeel info roads.gr.gz
  evenkeel info rmat:scale=18 --split --json -";

/// Describe a graph: what its file was taken for, nodes, edges, degrees, self-loops, parallel edges, weights.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Info {
    #[command(flatten)]
    graph: GraphOptions,
    /// Say too what node splitting, strategy split, would make of it.
    #[arg(long, help_heading = "Strategy")]
    split: bool,
    /// Bins of the degrees' histogram, which says how many edges are too many.
    #[arg(long, value_name = "B", requires = "split", default_value_t = DEFAULT_BINS)]
    #[arg(help_heading = "Strategy", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_BINS)))]
    bins: u32,
    /// The most edges of a piece, in place of what the histogram says.
    #[arg(long, value_name = "N", requires = "split", conflicts_with = "bins", help_heading = "Strategy")]
    mdt: Option<NonZeroU32>,
    /// Write the description as a JSON object. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
}

impl Info {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let found = self.graph.find()?;
        let [html, svg] = self.pictures.paths();
        let outputs = [("--json", self.json.as_deref()), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--json, --html and --svg")?;
        refuse_same_files(&outputs, &found.files())?;
        let (output, pictures) = (Output::create_if(self.json.as_deref())?, self.pictures.open()?);
        let (graph, built) = found.load()?;
        remark_on_weights(&built);
        let statistics = while_showing("counting", "", || Statistics::of(&graph));
        let split = self.split.then(|| {
            let (splitting, [memory_bytes, memory_bytes_after]) =
                SplitGraph::describe(&graph.csr, Limit::new(self.bins, self.mdt));
            SplitReport { splitting, memory_bytes, memory_bytes_after }
        });
        let partitions = PartitionReport::of(&graph.csr);
        let BuildReport { edges_given, self_loops_dropped, parallel_edges_merged, recognised, .. } = built;
        let description = Description {
            statistics,
            edges_given,
            self_loops_dropped,
            parallel_edges_merged,
            recognised,
            partitions,
            split,
        };
        pictures.write(|| description.page(graph.directed))?;
        let text = || description.text();
        Ok(write_json_or_print(output, &description, quiet || self.pictures.take_standard(), text)?)
    }
}

#[derive(Serialize)]
struct Description {
    #[serde(flatten)]
    statistics: Statistics,
    /// Edges in the file, or that the generator made.
    edges_given: u64,
    self_loops_dropped: u64,
    /// Edges that were merged into a parallel one, both directions counted where the graph is undirected.
    parallel_edges_merged: u64,
    /// What the file was taken for; none for a generated graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    recognised: Option<Recognised>,
    /// The partitions of a graph that does not fit into one buffer.
    #[serde(skip_serializing_if = "Option::is_none")]
    partitions: Option<PartitionReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    split: Option<SplitReport>,
}

/// The most bytes that GPUs bind as one buffer, for the most part: 4 GiB.
const BUFFER_BYTES: u64 = 4 << 30;

/// Into how many partitions a graph is cut on a device with buffers of a limited size.
#[derive(Serialize)]
struct PartitionReport {
    limit_bytes: u64,
    count: usize,
    /// How many rows are cut, because each alone does not fit.
    cut_rows: usize,
}

impl PartitionReport {
    /// None for a graph that fits into one.
    fn of(csr: &Csr) -> Option<Self> {
        Self::with_limit(csr, BUFFER_BYTES)
    }

    fn with_limit(csr: &Csr, limit_bytes: u64) -> Option<Self> {
        let partitions = Partitions::plan(csr, PartitionOptions::new(limit_bytes));
        let (count, cut_rows) = (partitions.list().len(), partitions.cut_rows().len());
        (count > 1).then_some(Self { limit_bytes, count, cut_rows })
    }

    fn text(&self) -> String {
        let cut = match self.cut_rows {
            0 => String::new(),
            rows => format!(", {} cut", counted(rows as u64, "row")),
        };
        let [count, limit] = [self.count as u64, self.limit_bytes].map(grouped);
        format!("{count}, for buffers of at most {limit} bytes{cut}")
    }
}

impl Description {
    fn page(&self, directed: bool) -> html::Page {
        let mut facts = self.recognised.as_ref().map_or(Vec::new(), |recognised| recognised.lines(directed));
        facts.extend(self.partitions.as_ref().map(|partitions| ("partitions", partitions.text())));
        html::graph::page(&self.statistics, &facts, self.split.as_ref())
    }

    fn text(&self) -> String {
        let split = self.split.as_ref().map_or(String::new(), |split| format!("\n{split}"));
        let statistics = self.statistics.to_string();
        let (name, rest) = statistics.split_once('\n').unwrap_or((&statistics, ""));
        let recognised = self.recognised.as_ref().map(|recognised| recognised.lines(self.statistics.directed));
        let lines = recognised.into_iter().flatten().chain(self.changes().map(|changes| ("edges given", changes)));
        let lines = lines.chain(self.partitions.as_ref().map(|partitions| ("partitions", partitions.text())));
        let lines: String = lines.map(|(what, value)| format!("{what:<21}{value}\n")).collect();
        format!("{name}\n{lines}{rest}{split}")
    }

    /// What was made of the edges that were given, where not all are as they were.
    fn changes(&self) -> Option<String> {
        let mut text = grouped(self.edges_given);
        if self.self_loops_dropped > 0 {
            text += &format!(", {} dropped", counted(self.self_loops_dropped, "self-loop"));
        }
        if self.parallel_edges_merged > 0 {
            let both = if self.statistics.directed { "" } else { " (both directions counted)" };
            text += &format!(", {} merged{both}", counted(self.parallel_edges_merged, "parallel edge"));
        }
        (self.self_loops_dropped + self.parallel_edges_merged > 0).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::generate::Generator;

    #[test]
    fn only_a_graph_that_exceeds_a_buffer_has_partitions() {
        let star = "star:nodes=1001".parse::<Generator>().unwrap().generate().unwrap().csr;
        let text = |limit| PartitionReport::with_limit(&star, limit).map(|partitions| partitions.text());
        assert_eq!(text(8000), None);
        assert_eq!(text(4000).unwrap(), "3, for buffers of at most 4,000 bytes");
        assert_eq!(text(3999).unwrap(), "4, for buffers of at most 3,999 bytes, 1 row cut");
        assert!(PartitionReport::of(&star).is_none());
    }
}

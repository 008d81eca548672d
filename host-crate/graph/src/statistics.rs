//! Statistics of a graph and a histogram of its degrees, as `evenkeel info` shows them.
//! Degrees are those of the stored rows: out-degrees where edges have a direction.

use super::{
    Csr, Graph, NodeName, Weights,
    weights::{Shown, is_whole},
};
use evenkeel_base::numerals::grouped;
use rayon::prelude::*;
use serde::Serialize;
use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};

/// The description of a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// The graph's name.
    pub name: String,
    /// The number of nodes.
    pub nodes: u32,
    /// The number of edges stored; an undirected edge counts twice.
    pub edges: u64,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether every edge has its reverse, as often and with the same weights.
    pub symmetric: bool,
    /// Edges from a node to itself.
    pub self_loops: u64,
    /// Edges beyond the first between the same nodes in the same direction.
    pub parallel_edges: u64,
    /// Nodes at which no edge starts or ends.
    pub nodes_without_edges: u64,
    /// The degrees; none when there are no nodes.
    pub degrees: Option<Degrees>,
    /// The weights, if edges have some.
    pub weights: Option<WeightStatistics>,
}

/// How degrees are distributed. A quartile is the degree at that share of the way through the sorted degrees, rounded down.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Degrees {
    /// The smallest.
    pub min: u32,
    /// The first quartile.
    pub lower_quartile: u32,
    /// The second quartile.
    pub median: u32,
    /// The third quartile.
    pub upper_quartile: u32,
    /// The largest.
    pub max: u32,
    /// The id of the node of the largest degree; of several, that of the first.
    pub max_node: NodeName<'static>,
    /// The average.
    pub mean: f64,
    /// The standard deviation, of the nodes as a whole population.
    pub standard_deviation: f64,
    /// How many nodes have degree 0, 1, 2–3, 4–7, …, up to the largest.
    pub histogram: Vec<Bin>,
}

/// A range of degrees and how many nodes are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bin {
    /// The smallest degree of the range.
    pub from: u32,
    /// The largest degree of the range.
    pub to: u32,
    /// The nodes with such a degree.
    pub nodes: u64,
}

/// The kind and the range of the weights.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WeightStatistics {
    /// `u32` or `f32`.
    pub kind: &'static str,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The average.
    pub mean: f64,
}

impl Statistics {
    /// Describes a graph.
    pub fn of(graph: &Graph) -> Self {
        let csr = &graph.csr;
        let repeated = |row: &[u32]| row.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        Self {
            name: graph.name.clone(),
            nodes: csr.nodes(),
            edges: csr.edges(),
            directed: graph.directed,
            symmetric: csr.has_symmetric_weights(),
            self_loops: csr.self_loops(),
            parallel_edges: (0..csr.nodes()).into_par_iter().map(|node| repeated(csr.neighbours(node))).sum(),
            nodes_without_edges: nodes_without_edges(csr),
            degrees: csr.max_degree_node().and_then(|max_node| Degrees::of(csr, graph.ids.name(max_node).into_owned())),
            weights: WeightStatistics::of(csr),
        }
    }
}

/// How many nodes there are at which no edge starts or ends.
#[doc(hidden)]
pub fn nodes_without_edges(csr: &Csr) -> u64 {
    let left: Vec<u32> = (0..csr.nodes()).into_par_iter().filter(|&node| csr.degree(node) == 0).collect();
    if left.is_empty() || csr.is_symmetric() {
        return left.len() as u64;
    }
    let entered: Vec<AtomicBool> = (0..csr.nodes()).into_par_iter().map(|_| AtomicBool::new(false)).collect();
    csr.columns().par_iter().for_each(|&target| entered[target as usize].store(true, Ordering::Relaxed));
    left.par_iter().filter(|&&node| !entered[node as usize].load(Ordering::Relaxed)).count() as u64
}

impl Degrees {
    /// Computes the distribution; none for a graph without nodes. `max_node` is the id of the node of the highest degree.
    fn of(csr: &Csr, max_node: NodeName<'static>) -> Option<Self> {
        let degrees = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node)).collect();
        Self::of_list(degrees, max_node)
    }

    /// Computes the distribution of a list of degrees; `None` for an empty list.
    #[doc(hidden)]
    pub fn of_list(mut degrees: Vec<u32>, max_node: NodeName<'static>) -> Option<Self> {
        if degrees.is_empty() {
            return None;
        }
        let mean = degrees.par_iter().map(|&degree| u64::from(degree)).sum::<u64>() as f64 / degrees.len() as f64;
        // Whole numbers, so that the sum does not depend on how threads divided it; (2^32)^2 · 2^32 fits.
        let squares: u128 = degrees.par_iter().map(|&degree| u128::from(degree) * u128::from(degree)).sum();
        let variance = squares as f64 / degrees.len() as f64 - mean * mean;
        let last = degrees.len() - 1;
        let mut at_quarter = |quarter: usize| *degrees.select_nth_unstable(last * quarter / 4).1;
        let [min, lower_quartile, median, upper_quartile, max] = [0, 1, 2, 3, 4].map(&mut at_quarter);
        let standard_deviation = variance.max(0.0).sqrt();
        let histogram = histogram(&degrees, max);
        Some(Self { min, lower_quartile, median, upper_quartile, max, max_node, mean, standard_deviation, histogram })
    }
}

/// The bin of a degree: 0, then one for each number of binary digits.
pub(super) fn bin_of(degree: u32) -> usize {
    (u32::BITS - degree.leading_zeros()) as usize
}

/// The number of bins that cover all degrees.
pub(super) const BIN_COUNT: usize = u32::BITS as usize + 1;

fn histogram(degrees: &[u32], max: u32) -> Vec<Bin> {
    let counts = degrees
        .par_chunks(1 << 16)
        .map(|chunk| {
            let mut counts = [0u64; BIN_COUNT];
            chunk.iter().for_each(|&degree| counts[bin_of(degree)] += 1);
            counts
        })
        .reduce(|| [0; BIN_COUNT], add_bins);
    bins_up_to(bin_of(max), &counts)
}

/// The counts of two parts of the nodes together.
pub(super) fn add_bins(a: [u64; BIN_COUNT], b: [u64; BIN_COUNT]) -> [u64; BIN_COUNT] {
    std::array::from_fn(|bin| a[bin] + b[bin])
}

/// The bins from the first to `last`, with how many nodes are in each.
pub(super) fn bins_up_to(last: usize, counts: &[u64; BIN_COUNT]) -> Vec<Bin> {
    let first = |bin: usize| if bin == 0 { 0 } else { 1 << (bin - 1) };
    let end = |bin: usize| ((1u64 << bin) - 1) as u32;
    (0..=last).map(|bin| Bin { from: first(bin), to: end(bin), nodes: counts[bin] }).collect()
}

impl WeightStatistics {
    fn of(csr: &Csr) -> Option<Self> {
        let (min, max) = csr.weight_range()?;
        let sum = match csr.weights() {
            Weights::None => return None,
            Weights::U32(weights) => weights.par_iter().map(|&weight| u64::from(weight)).sum::<u64>() as f64,
            // Fixed pieces, added in order: the same for any number of threads.
            Weights::F32(weights) => {
                let sums = weights.par_chunks(1 << 16).map(|chunk| chunk.iter().map(|&weight| f64::from(weight)).sum());
                sums.collect::<Vec<f64>>().into_iter().sum()
            }
        };
        Some(Self { kind: csr.weights().kind().name(), min, max, mean: sum / csr.edges() as f64 })
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let are = if self.directed { "(directed)" } else { "(undirected, both directions counted)" };
        let mut line = |name: &str, value: String| writeln!(f, "{name:<21}{value}");
        line("graph", self.name.clone())?;
        line("nodes", grouped(self.nodes.into()))?;
        line("edges", format!("{} {}", grouped(self.edges), are))?;
        line("symmetric", if self.symmetric { "yes" } else { "no" }.into())?;
        line("self-loops", grouped(self.self_loops))?;
        line("parallel edges", grouped(self.parallel_edges))?;
        line("nodes without edges", grouped(self.nodes_without_edges))?;
        match &self.weights {
            None => line("weights", "none".into())?,
            Some(WeightStatistics { kind, min, max, mean }) => {
                line("weights", format!("{kind}, {} to {}, mean {}", shown(*min), shown(*max), rounded(*mean)))?;
            }
        }
        let Some(degrees) = &self.degrees else { return Ok(()) };
        let quartiles = [degrees.lower_quartile, degrees.median, degrees.upper_quartile];
        let [first, second, third] = quartiles.map(|degree| grouped(degree.into()));
        line("degree", format!("{} to {}", grouped(degrees.min.into()), grouped(degrees.max.into())))?;
        line("  quartiles", format!("{first} · {second} · {third}"))?;
        line("  mean, σ", format!("{:.2}, {:.2}", degrees.mean, degrees.standard_deviation))?;
        line("  highest at", format!("node {}", degrees.max_node))?;
        write!(f, "\n{}", Histogram(&degrees.histogram))
    }
}

/// A histogram as lines of text, one a bin: degrees, nodes, bar.
pub struct Histogram<'a>(pub &'a [Bin]);

impl fmt::Display for Histogram<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = |bin: &Bin| match bin.from == bin.to {
            true => grouped(bin.from.into()),
            false => format!("{} – {}", grouped(bin.from.into()), grouped(bin.to.into())),
        };
        let rows: Vec<[String; 2]> = self.0.iter().map(|bin| [label(bin), grouped(bin.nodes)]).collect();
        let width = |column: usize, heading: &str| {
            rows.iter().map(|row| row[column].chars().count()).chain([heading.len()]).max().unwrap_or(0)
        };
        let [degrees, nodes] = [width(0, "degree"), width(1, "nodes")];
        writeln!(f, "{:>degrees$}  {:>nodes$}", "degree", "nodes")?;
        let most = self.0.iter().map(|bin| bin.nodes).max().unwrap_or(0);
        for (bin, [label, count]) in self.0.iter().zip(&rows) {
            let text = format!("{label:>degrees$}  {count:>nodes$}  {}", bar(bin.nodes, most));
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Draws a bar of up to 40 characters in steps of an eighth; every value above 0 gets at least one step.
#[doc(hidden)]
pub fn bar(value: u64, most: u64) -> String {
    if value == 0 { String::new() } else { bar_of(value as f64 / most as f64, 40) }
}

/// Draws a part of the longest bar, which has so many characters.
#[doc(hidden)]
pub fn bar_of(part: f64, longest: usize) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let eighths = ((part.min(1.0) * (8 * longest) as f64).round() as usize).max(1);
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

/// A weight, which is a whole number of 32 bits or a 32-bit real.
fn shown(weight: f64) -> String {
    if is_whole(weight) { Shown(weight).to_string() } else { Shown(weight as f32).to_string() }
}

/// A mean with three decimals, or as many digits where it is large.
fn rounded(mean: f64) -> String {
    if mean.abs() < 1e15 { format!("{mean:.3}") } else { format!("{mean:.3e}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeIds;

    fn graph(row_offsets: Vec<u32>, columns: Vec<u32>, weights: Weights) -> Graph {
        let csr = Csr::new(row_offsets, columns, weights).unwrap();
        Graph { name: "example".into(), csr, ids: NodeIds::Counted { first: 1 }, directed: true }
    }

    #[test]
    fn a_directed_graph_with_everything() {
        // 0: loop, 1, 1; 1: 3; 2: 0, 1, 3; 3: nothing but entered; 4: alone.
        let weights = Weights::F32(vec![1.0, -2.0, 0.5, 4.0, 1.0, 1.0, 1.5].into());
        let statistics = Statistics::of(&graph(vec![0, 3, 4, 7, 7, 7], vec![0, 1, 1, 3, 0, 1, 3], weights));
        assert_eq!((statistics.nodes, statistics.edges, statistics.symmetric), (5, 7, false));
        assert_eq!((statistics.self_loops, statistics.parallel_edges, statistics.nodes_without_edges), (1, 1, 1));
        let degrees = statistics.degrees.unwrap();
        assert_eq!((degrees.min, degrees.lower_quartile, degrees.median), (0, 0, 1));
        assert_eq!((degrees.upper_quartile, degrees.max, degrees.max_node), (3, 3, NodeName::Number(1)));
        assert_eq!(degrees.mean, 1.4);
        assert!((degrees.standard_deviation - 1.84f64.sqrt()).abs() < 1e-12);
        let counts: Vec<(u32, u32, u64)> = degrees.histogram.iter().map(|bin| (bin.from, bin.to, bin.nodes)).collect();
        assert_eq!(counts, [(0, 0, 2), (1, 1, 1), (2, 3, 2)]);
        assert_eq!(statistics.weights, Some(WeightStatistics { kind: "f32", min: -2.0, max: 4.0, mean: 1.0 }));
    }

    #[test]
    fn a_graph_without_nodes_has_no_degrees() {
        let statistics = Statistics::of(&graph(vec![0], vec![], Weights::None));
        assert_eq!((statistics.nodes, statistics.degrees.clone(), statistics.weights.clone()), (0, None, None));
        assert!(statistics.to_string().contains("nodes                0\n"));
    }

    #[test]
    fn the_picture_is_aligned() {
        let bins =
            [(0, 0, 4), (1, 1, 1000), (2, 3, 502), (1024, 2047, 1)].map(|(from, to, nodes)| Bin { from, to, nodes });
        let expected = format!(
            "       degree  nodes\n            0      4  ▏\n            1  1,000  {}\n        2 – 3    502  {}▏\n1,024 – 2,047      1  ▏\n",
            "█".repeat(40),
            "█".repeat(20)
        );
        assert_eq!(Histogram(&bins).to_string(), expected);
    }

    #[test]
    fn numbers_are_grouped_by_three() {
        let texts = [0, 999, 1000, 4_294_967_295].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "4,294,967,295"]);
    }

    #[test]
    fn bins_cover_all_degrees() {
        assert_eq!([0, 1, 2, 3, 4, u32::MAX].map(bin_of), [0, 1, 2, 2, 3, 32]);
        let bins = histogram(&[u32::MAX], u32::MAX);
        assert_eq!(bins[32], Bin { from: 1 << 31, to: u32::MAX, nodes: 1 });
    }
}

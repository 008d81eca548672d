//! What node splitting would make of a graph, as `evenkeel info` shows it: how many nodes, with which degrees, in how much memory.

use crate::{
    device::memory::Bytes,
    graph::{Splitting, statistics::Histogram},
    numerals::grouped,
};
use serde::Serialize;
use std::fmt;

/// What node splitting makes of a graph, and the memory it takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplitReport {
    /// How it is split. Its fields are those of the object itself.
    #[serde(flatten)]
    pub splitting: Splitting,
    /// Bytes of device memory that the graph takes.
    pub memory_bytes: u64,
    /// Bytes that it takes with its nodes split.
    pub memory_bytes_after: u64,
}

impl fmt::Display for SplitReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Splitting { bins, threshold, nodes, nodes_split, nodes_after, histogram } = &self.splitting;
        let mut line = |name: &str, value: String| writeln!(f, "{name:<21}{value}");
        let percent = 100.0 * *nodes_split as f64 / f64::from((*nodes).max(1));
        let by = bins.map_or_else(|| "given".to_owned(), |bins| format!("by {bins} bins"));
        line("split", format!("nodes of more than {} edges (MDT, {by})", grouped((*threshold).into())))?;
        line("  nodes split", format!("{}, {percent:.2} %", grouped(*nodes_split)))?;
        line("  nodes after", grouped(*nodes_after))?;
        line("  memory", format!("{}, before {}", Bytes(self.memory_bytes_after), Bytes(self.memory_bytes)))?;
        write!(f, "\n{}", Histogram(histogram))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        graph::{Csr, Limit, Weights},
        strategy::SplitGraph,
    };

    #[test]
    fn a_star_is_split_at_its_hub() {
        let columns: Vec<u32> = (1..=40).chain([0; 40]).collect();
        let row_offsets: Vec<u32> = [0].into_iter().chain(40..=80).collect();
        let csr = Csr::new(row_offsets, columns, Weights::None).unwrap();
        let (splitting, [memory_bytes, memory_bytes_after]) = SplitGraph::describe(&csr, Limit::Bins(10));
        let report = SplitReport { splitting, memory_bytes, memory_bytes_after };
        let expected = "\
split                nodes of more than 4 edges (MDT, by 10 bins)
  nodes split        1, 2.44 %
  nodes after        50
  memory             1.0 KiB, before 488 B

degree  nodes
     0      0
     1     40  ████████████████████████████████████████
 2 – 3      0
 4 – 7     10  ██████████
";
        assert_eq!(report.to_string(), expected);
        let object = serde_json::to_value(&report).unwrap();
        assert_eq!(
            (&object["threshold"], &object["memory_bytes_after"]),
            (&4.into(), &(488 + 4 * (42 + 51 + 50)).into())
        );
    }
}

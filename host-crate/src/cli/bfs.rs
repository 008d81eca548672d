//! `evenkeel bfs GRAPH`.

use super::{
    run::Traversal,
    task::{Answer, Task, readable},
};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{Bfs, BfsConfig, Run},
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, NodeIds, weights::WeightSource},
    oracle::{self, Mismatch, bfs::UNREACHABLE},
    report::Value,
};
use std::fmt::Write;

const EXAMPLES: &str = "\
With --parents each line of the output is `id depth parent`, with - for the parent of the source and of nodes not reached.

Examples:
  evenkeel bfs rmat:scale=20 --validate
  evenkeel bfs soc-LiveJournal1.txt.gz --source 0 --parents --output tree.txt
  evenkeel bfs grid:rows=1024,cols=1024 --runs 10 --warmup 2 --profile";

/// Breadth-first search: the depth of every node, that is, the fewest edges from the source.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct BfsCommand {
    #[command(flatten)]
    traversal: Traversal,
    #[command(flatten, next_help_heading = "Algorithm")]
    config: BfsConfig,
}

impl BfsCommand {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        self.traversal.execute::<Bfs>(&self.config, WeightSource::File, quiet)
    }
}

/// Depths, and parents if they were asked for.
pub struct Tree {
    depths: Vec<u32>,
    parents: Option<Vec<u32>>,
}

impl Task for Bfs {
    const ALGORITHM: &'static str = "bfs";
    type Config = BfsConfig;
    type Answer = Tree;

    fn strategy(config: &BfsConfig) -> &str {
        &config.strategy
    }

    fn with_strategy(config: &BfsConfig, strategy: &str) -> BfsConfig {
        BfsConfig { strategy: strategy.to_owned(), ..config.clone() }
    }

    fn plan(csr: &Csr, config: &BfsConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &BfsConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, source: u32) -> Result<Run> {
        self.run(source)
    }

    fn answer(&self) -> Result<Tree> {
        Ok(Tree { depths: self.depths()?, parents: self.parents()? })
    }
}

impl Answer for Tree {
    fn value(&self, node: u32) -> Option<Value> {
        let depth = self.depths[node as usize];
        (depth != UNREACHABLE).then_some(Value::Whole(depth))
    }

    fn further_columns(&self, node: u32, ids: &NodeIds, line: &mut String) {
        // Writing to a string does not fail.
        let _ = match self.parent(node) {
            None => Ok(()),
            Some(None) => line.write_str(" -"),
            Some(Some(parent)) => write!(line, " {}", ids.id(parent)),
        };
    }

    fn check(&self, graph: &Graph, source: u32) -> Result<Option<Mismatch>> {
        let depths = oracle::bfs::depths(&graph.csr, source);
        if let Some(mismatch) = oracle::first_mismatch(&depths, &self.depths) {
            return Ok(Some(readable(mismatch)));
        }
        let Some(parents) = &self.parents else { return Ok(None) };
        let mismatch = oracle::bfs::check_parents(&graph.csr, source, &depths, parents).err();
        Ok(mismatch.map(|mismatch| self.parent_mismatch(mismatch, graph)))
    }
}

impl Tree {
    /// The parent of a node, if parents were asked for and it has one.
    fn parent(&self, node: u32) -> Option<Option<u32>> {
        let parent = self.parents.as_ref()?[node as usize];
        Some((parent != UNREACHABLE).then_some(parent))
    }

    /// Says that it is the parent that is wrong, and which, by its own id where it is a node at all.
    fn parent_mismatch(&self, mismatch: Mismatch, graph: &Graph) -> Mismatch {
        let found = match self.parent(mismatch.node).flatten() {
            None => "none".to_owned(),
            Some(parent) if parent < graph.csr.nodes() => format!("node {}", graph.ids.id(parent)),
            Some(parent) => format!("{parent}, which is no node"),
        };
        Mismatch { expected: format!("as parent {}", mismatch.expected), found, ..mismatch }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::Weights;

    /// 1 → 2 → 3 by their own ids; 4 is alone.
    fn path() -> Graph {
        let csr = Csr { row_offsets: vec![0, 1, 2, 2, 2].into(), columns: vec![1, 2].into(), weights: Weights::None };
        Graph { name: "path".into(), csr, ids: NodeIds::Counted { first: 1 }, directed: true }
    }

    fn check(depths: [u32; 4], parents: Option<[u32; 4]>) -> Option<(u32, String, String)> {
        let tree = Tree { depths: depths.to_vec(), parents: parents.map(|parents| parents.to_vec()) };
        tree.check(&path(), 0).unwrap().map(|mismatch| (mismatch.node, mismatch.expected, mismatch.found))
    }

    #[test]
    fn right_answers_pass_and_wrong_ones_are_explained() {
        const NONE: u32 = UNREACHABLE;
        assert_eq!(check([0, 1, 2, NONE], None), None);
        assert_eq!(check([0, 1, 2, NONE], Some([NONE, 0, 1, NONE])), None);
        assert_eq!(check([0, 1, NONE, NONE], None), Some((2, "2".into(), "inf".into())));
        let (node, expected, found) = check([0, 1, 2, NONE], Some([NONE, 0, 0, NONE])).unwrap();
        assert_eq!((node, expected.as_str(), found.as_str()), (2, "as parent a neighbour at depth 1", "node 1"));
        assert_eq!(check([0, 1, 2, NONE], Some([NONE, 0, 9, NONE])).unwrap().2, "9, which is no node");
        assert_eq!(check([0, 1, 2, NONE], Some([NONE, NONE, 1, NONE])).unwrap().2, "none");
    }
}

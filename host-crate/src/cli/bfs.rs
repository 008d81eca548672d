//! Breadth-first search on the command line.

use super::{
    options::SourceOptions,
    task::{Answer, Task, first_difference},
};
use evenkeel::{
    Result,
    algorithm::{self, Bfs, BfsConfig, Run},
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, NodeIds},
    oracle::{self, Mismatch, bfs::UNREACHABLE},
    report::Value,
    strategy::{self, Operator, Strategy, Tuning},
};
use std::fmt::Write;

/// What `evenkeel bfs --help` ends with.
pub const EXAMPLES: &str = "\
With --parents each line of the output is `id depth parent`, with - for the parent of the source and of nodes not reached.

Examples:
  evenkeel bfs rmat:scale=20 --validate
  evenkeel bfs soc-LiveJournal1.txt.gz --source 0 --parents --output tree.txt
  evenkeel bfs grid:rows=1024,cols=1024 --runs 10 --warmup 2 --profile
  evenkeel bfs rmat:scale=18 --strategy adaptive --levels levels.csv";

/// Depths, and parents if they were asked for.
pub struct Tree {
    depths: Vec<u32>,
    parents: Option<Vec<u32>>,
}

impl Task for Bfs {
    const ALGORITHM: &'static str = "bfs";
    const CHOICE: &'static str = "strategy";
    type Config = BfsConfig;
    type Tuning = Tuning;
    type Options = SourceOptions;
    type Input = u32;
    type Expected = Tree;
    type Answer = Tree;

    fn alternatives() -> Vec<String> {
        strategy::of(Operator::Bfs).map(|strategy| strategy.name.to_owned()).collect()
    }

    fn known(name: &str) -> Result<String> {
        algorithm::bfs::known_strategy(name)
    }

    fn choice(config: &BfsConfig) -> &str {
        &config.strategy
    }

    fn with_choice(config: &BfsConfig, name: &str) -> BfsConfig {
        BfsConfig { strategy: name.to_owned(), tuning: config.tuning.read_by(name), ..config.clone() }
    }

    fn tuned(tuning: &Tuning, names: &[String]) -> Result<BfsConfig> {
        tuning.check(&names.iter().map(|name| strategy::by_name(Operator::Bfs, name)).collect::<Result<Vec<_>>>()?)?;
        Ok(BfsConfig { tuning: *tuning, ..BfsConfig::default() })
    }

    fn check(config: &BfsConfig) -> Result<()> {
        config.tuning.check(&[strategy::by_name(Operator::Bfs, &config.strategy)?])
    }

    fn lines_of_code(name: &str) -> Option<usize> {
        strategy::by_name(Operator::Bfs, name).ok().map(Strategy::lines_of_code)
    }

    fn input(options: &SourceOptions, graph: &Graph) -> Result<u32> {
        options.source.find(graph)
    }

    fn source(input: &u32) -> Option<u32> {
        Some(*input)
    }

    fn plan(csr: &Csr, config: &BfsConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &BfsConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, source: &u32) -> Result<Run> {
        self.run(*source)
    }

    fn answer(&self) -> Result<Tree> {
        Ok(Tree { depths: self.depths()?, parents: self.parents()? })
    }

    fn expected(graph: &Graph, source: &u32, _: &BfsConfig) -> Result<Tree> {
        Ok(Tree { depths: oracle::bfs::depths(&graph.csr, *source), parents: None })
    }

    fn mismatch(found: &Tree, expected: &Tree, graph: &Graph, source: &u32) -> Option<Mismatch> {
        first_difference(expected, found, graph).or_else(|| {
            let parents = found.parents.as_ref()?;
            let mismatch = oracle::bfs::check_parents(&graph.csr, *source, &expected.depths, parents).err()?;
            Some(found.parent_mismatch(mismatch, graph))
        })
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
}

impl Tree {
    /// The depth of each node.
    pub fn depths(&self) -> &[u32] {
        &self.depths
    }

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
        let expected = Bfs::expected(&path(), &0, &BfsConfig::default()).unwrap();
        Bfs::mismatch(&tree, &expected, &path(), &0).map(|mismatch| (mismatch.node, mismatch.expected, mismatch.found))
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

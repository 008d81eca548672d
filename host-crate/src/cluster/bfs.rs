//! Breadth-first search on several workers, direction-optimising (Beamer, Asanović and Patterson 2012). While the frontier is small each
//! worker pushes: it follows the edges of its part of the frontier and sends the nodes that it has found to those who have them. While it
//! is large they pull: each sends its part of the frontier to all, and looks for a neighbour in it for each of its nodes without a depth.
//! Nodes are sent as a list or as bits, whichever is smaller. An iteration is one exchange either way.
//!
//! Pulling reads a row as the edges that lead to its node, so that a directed graph is only pushed.

use super::{
    Cluster,
    blocks::{Reader, Writer},
    on_device,
    run::{Distributed, Found, Prepared, Step, find_source, iterate, refuse},
    share::Share,
    watch::Watch,
};
use crate::{
    Result, UNREACHED,
    algorithm::{Bfs, BfsConfig, SourceOptions, Tree},
    device::Device,
    strategy::RowSearch,
};
use rayon::prelude::*;

/// Workers pull while more than one in so many nodes is in the frontier.
const PULL_FROM: u64 = 20;
/// They push again when fewer than one in so many is.
const PUSH_FROM: u64 = 40;

/// The distributed form of [`Bfs`].
pub struct DistributedBfs;

impl Distributed for DistributedBfs {
    type Algorithm = Bfs;

    fn options(&self) -> &'static [&'static str] {
        &["source", "max-depth"]
    }

    fn check(&self, config: &BfsConfig) -> Result<()> {
        refuse(config.parents, "parents")?;
        refuse(config.from.are_given(), "sources")?;
        refuse(config.per_source, "per-source")
    }

    fn input(&self, cluster: &mut Cluster, share: &Share, options: &SourceOptions, _: &BfsConfig) -> Result<u32> {
        find_source(cluster, share, options.source.as_ref())
    }

    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        config: &'a BfsConfig,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared<Bfs> + 'a>> {
        let part: Box<dyn LocalSearch + 'a> = match on_device::of_share(device, share) {
            Some(device) => {
                let watch = cluster.watch().clone();
                Box::new(watch.during(|| on_device::bfs::SearchOnDevice::new(device, share))?)
            }
            None => Box::new(NativeSearch::new(cluster, share)),
        };
        let max_depth = config.max_depth.unwrap_or(UNREACHED);
        let process = cluster.process();
        Ok(Box::new(Search { share, process, max_depth, part, level: 0, sent: Sending::Nothing, is_pulling: false }))
    }
}

impl Prepared<Bfs> for Search<'_> {
    fn run(&mut self, cluster: &mut Cluster, source: &u32) -> Result<Found<Tree>> {
        (self.level, self.sent, self.is_pulling) = (0, Sending::Nothing, false);
        self.part.begin(*source)?;
        let rounds = iterate(cluster, self)?;
        let (share, depths, level) = (self.share, self.part.depths()?, self.level);
        let reached =
            |(node, depth): (u32, &u32)| u64::from(*depth != UNREACHED) * u64::from(share.graph.csr.degree(node));
        let [edges] = cluster.sum([share.rows.clone().zip(&depths).map(reached).sum()])?;
        let depths = cluster.gather(&depths)?.concat();
        let answer = Tree { depths, parents: None, sources: vec![*source], per_source: None };
        Ok(Found { answer: (cluster.process() == 0).then_some(answer), iterations: level, rounds, edges })
    }
}

/// What a worker sends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// Nothing yet.
    Nothing,
    /// To each worker the nodes of its that were found.
    Found,
    /// To all its part of the frontier.
    Frontier,
}

/// What a worker has of the search, wherever it is computed: the depths of its own nodes, and which nodes of all are known.
pub(super) trait LocalSearch {
    /// Starts the search at `source`, whichever worker owns it.
    fn begin(&mut self, source: u32) -> Result<()>;

    /// Follows the edges of the frontier, and gives nodes of this worker that were not known the depth `level`: they begin the next frontier.
    fn push(&mut self, level: u32) -> Result<Pushed>;

    /// Takes the nodes of this worker that the others have found at the depth `level`, for the next frontier.
    fn take(&mut self, level: u32, found: Vec<Reader<'_>>) -> Result<()>;

    /// The block with the nodes of the frontier, which have the depth `level`, behind their number.
    fn frontier(&mut self, level: u32) -> Result<Writer>;

    /// Looks for a neighbour in the frontier of all workers, of each a block, for every node without a depth; those that have one get the depth
    /// `level`, and are the next frontier.
    fn pull(&mut self, level: u32, frontier: Vec<Reader<'_>>) -> Result<()>;

    /// The depths of this worker's nodes.
    fn depths(&self) -> Result<Vec<u32>>;
}

/// What a push has found.
pub(super) struct Pushed {
    /// How many nodes, this worker's own among them.
    pub count: u64,
    /// The nodes of others, in ascending order. This worker's own may be among them.
    pub nodes: Vec<u32>,
}

/// The exchange, from level to level.
struct Search<'a> {
    share: &'a Share,
    process: usize,
    max_depth: u32,
    part: Box<dyn LocalSearch + 'a>,
    level: u32,
    sent: Sending,
    is_pulling: bool,
}

impl Search<'_> {
    /// Pushes, and returns what was found for each worker.
    fn push(&mut self) -> Result<Vec<Vec<u8>>> {
        self.level += 1;
        let Pushed { count, nodes } = self.part.push(self.level)?;
        let block = |(worker, nodes): (usize, &[u32])| {
            let block = Writer::with(&[count]);
            if worker == self.process { block.0 } else { block.nodes(nodes, &self.share.ranges.of(worker)).0 }
        };
        self.sent = Sending::Found;
        Ok(self.share.ranges.cut(&nodes).into_iter().enumerate().map(block).collect())
    }

    /// Takes the nodes of this worker that the others have found, and returns how many were found by all.
    fn take_found(&mut self, incoming: &[Vec<u8>]) -> Result<u64> {
        let mut readers: Vec<Reader<'_>> = incoming.iter().map(|block| Reader(block)).collect();
        let found = readers.iter_mut().map(Reader::number).sum();
        readers.remove(self.process);
        self.part.take(self.level, readers)?;
        Ok(found)
    }

    /// The frontier, for all.
    fn send_frontier(&mut self) -> Result<Vec<Vec<u8>>> {
        let block = self.part.frontier(self.level)?.0;
        self.sent = Sending::Frontier;
        Ok(vec![block; self.share.ranges.workers()])
    }

    /// Pulls; returns the size of the frontier that was pulled from.
    fn pull(&mut self, incoming: &[Vec<u8>]) -> Result<u64> {
        let mut readers: Vec<Reader<'_>> = incoming.iter().map(|block| Reader(block)).collect();
        let size = readers.iter_mut().map(Reader::number).sum();
        self.level += 1;
        self.part.pull(self.level, readers)?;
        Ok(size)
    }
}

impl Step for Search<'_> {
    fn step(&mut self, incoming: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>> {
        let nodes = u64::from(self.share.nodes());
        // Whatever is decided follows from what all workers know.
        let is_over = match self.sent {
            Sending::Nothing => nodes == 0,
            Sending::Found => {
                let found = self.take_found(&incoming)?;
                self.is_pulling = !self.share.graph.directed && found > nodes / PULL_FROM;
                found == 0
            }
            Sending::Frontier => {
                let size = self.pull(&incoming)?;
                self.is_pulling = size > nodes / PUSH_FROM;
                size == 0
            }
        };
        if is_over || self.level >= self.max_depth {
            return Ok(None);
        }
        if self.is_pulling { self.send_frontier() } else { self.push() }.map(Some)
    }
}

/// A part of a search on the threads of the CPU.
struct NativeSearch<'a> {
    share: &'a Share,
    watch: Watch,
    rows: RowSearch,
    /// The nodes of this worker at the depth of the last level.
    frontier: Vec<u32>,
}

impl<'a> NativeSearch<'a> {
    fn new(cluster: &Cluster, share: &'a Share) -> Self {
        let rows = RowSearch::new(&share.graph.csr, share.rows.clone());
        Self { share, watch: cluster.watch().clone(), rows, frontier: Vec::new() }
    }
}

impl LocalSearch for NativeSearch<'_> {
    fn begin(&mut self, source: u32) -> Result<()> {
        self.rows.begin();
        self.frontier.clear();
        // A graph without nodes has no source either.
        if source < self.share.nodes() {
            self.rows.note(source, 0);
        }
        if self.share.rows.contains(&source) {
            self.frontier.push(source);
        }
        Ok(())
    }

    fn push(&mut self, level: u32) -> Result<Pushed> {
        let nodes = self.watch.during(|| self.rows.push(&self.frontier, level));
        let rows = &self.share.rows;
        let begin = nodes.partition_point(|node| *node < rows.start);
        let own = &nodes[begin..begin + nodes[begin..].partition_point(|node| *node < rows.end)];
        self.frontier = own.to_vec();
        Ok(Pushed { count: nodes.len() as u64, nodes })
    }

    fn take(&mut self, level: u32, found: Vec<Reader<'_>>) -> Result<()> {
        for reader in found {
            reader.nodes(&self.share.rows, |node| {
                if self.rows.note(node, level) {
                    self.frontier.push(node);
                }
            });
        }
        Ok(())
    }

    fn frontier(&mut self, _: u32) -> Result<Writer> {
        self.frontier.par_sort_unstable();
        Ok(Writer::with(&[self.frontier.len() as u64]).nodes(&self.frontier, &self.share.rows))
    }

    fn pull(&mut self, level: u32, blocks: Vec<Reader<'_>>) -> Result<()> {
        let mut frontier = vec![0_u64; self.share.nodes().div_ceil(64) as usize];
        for (worker, reader) in blocks.into_iter().enumerate() {
            reader.nodes(&self.share.ranges.of(worker), |node| frontier[node as usize / 64] |= 1 << (node % 64));
        }
        self.frontier = self.watch.during(|| self.rows.pull(&frontier, level));
        Ok(())
    }

    fn depths(&self) -> Result<Vec<u32>> {
        Ok(self.rows.depths(self.share.rows.clone()))
    }
}

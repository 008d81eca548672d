//! PageRank on several workers. Each worker gathers the ranks of its own nodes along the edges that lead to them. It needs what the nodes at
//! the other ends have to give, and gets exactly that: which nodes these are is told once, and then each iteration sends their values, in
//! the order in which they were asked for, with the rank of the nodes that no edge leaves.

use super::{
    Cluster,
    blocks::{Reader, Writer},
    load::transposed,
    on_device,
    run::{Distributed, Found, Prepared, Step, iterate},
    share::Share,
    watch::Watch,
};
use crate::{
    Result,
    algorithm::{
        PageRank, PageRankConfig, Precision, Reorder, Seeds,
        pagerank::{Number, Ranks, RowRanks, SeedOptions, has_converged},
    },
    device::Device,
    graph::Csr,
};

/// The distributed form of [`PageRank`].
pub struct DistributedPageRank;

impl Distributed for DistributedPageRank {
    type Algorithm = PageRank;

    fn options(&self) -> &'static [&'static str] {
        &["damping", "iterations", "tolerance", "precision", "seeds"]
    }

    fn check(&self, config: &PageRankConfig) -> Result<()> {
        super::run::refuse(config.reorder != Reorder::Auto, "reorder")
    }

    fn input(&self, cluster: &mut Cluster, share: &Share, options: &SeedOptions, _: &PageRankConfig) -> Result<Seeds> {
        let read = || options.seeds.as_ref().map_or(Ok(Seeds::default()), |file| Seeds::read(file, &share.graph));
        cluster.first(read)
    }

    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        config: &'a PageRankConfig,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared<PageRank> + 'a>> {
        // Where every edge has its reverse, those that lead to a node are those that leave it.
        let incoming =
            if share.graph.directed { transposed(cluster, share)? } else { share.graph.csr.without_weights() };
        let asked_for = ask(cluster, share, &incoming)?;
        let ranking: Box<dyn LocalRanks + 'a> = match on_device::of_share(device, share) {
            Some(device) => {
                let watch = cluster.watch().clone();
                watch.during(|| on_device::pagerank::prepare(device, share, &incoming, &asked_for, config))?
            }
            None => {
                let (csr, rows, watch) = (&share.graph.csr, share.rows.clone(), cluster.watch().clone());
                match config.precision {
                    Precision::Single => {
                        Box::new(NativeRanks::<f32> { watch, rows: RowRanks::new(csr, incoming, rows, config) })
                    }
                    Precision::Double => {
                        Box::new(NativeRanks::<f64> { watch, rows: RowRanks::new(csr, incoming, rows, config) })
                    }
                }
            }
        };
        let walk = Walk {
            process: cluster.process(),
            config,
            ranking,
            asked_for,
            change: f64::INFINITY,
            last_change: f64::INFINITY,
            iterations: 0,
            is_begun: false,
        };
        Ok(Box::new(PreparedRanks { share, walk }))
    }
}

/// What is ready to run.
struct PreparedRanks<'a> {
    share: &'a Share,
    walk: Walk<'a>,
}

impl Prepared<PageRank> for PreparedRanks<'_> {
    fn run(&mut self, cluster: &mut Cluster, seeds: &Seeds) -> Result<Found<Ranks>> {
        let Self { share, walk } = self;
        let config = walk.config;
        let rows = share.rows.start as usize..share.rows.end as usize;
        walk.begin(&seeds.parts(share.nodes())?[rows])?;
        let rounds = iterate(cluster, walk)?;
        let Walk { iterations, last_change, .. } = *walk;
        let ranks = cluster.gather(&walk.ranking.ranks()?)?.concat();
        let is_first = cluster.process() == 0;
        let converged = config.tolerance.filter(|_| is_first).map(|most| match iterations < config.iterations {
            true => true,
            false => has_converged(iterations, last_change, most),
        });
        let answer = Ranks { ranks, precision: config.precision, iterations, converged };
        Ok(Found { answer: is_first.then_some(answer), iterations, rounds, edges: share.edges })
    }
}

/// What was asked for: of each worker by this one, and of this one by each worker; in ascending order.
pub(super) struct AskedFor {
    pub by_this: Vec<Vec<u32>>,
    pub by_others: Vec<Vec<u32>>,
}

/// Tells every worker whose values this one needs.
fn ask(cluster: &mut Cluster, share: &Share, incoming: &Csr) -> Result<AskedFor> {
    let mut needed = vec![false; share.nodes() as usize];
    incoming.columns().iter().for_each(|node| needed[*node as usize] = true);
    let needed: Vec<u32> = (0..share.nodes()).filter(|node| needed[*node as usize]).collect();
    let by_this: Vec<Vec<u32>> = share.ranges.cut(&needed).into_iter().map(<[u32]>::to_vec).collect();
    let block = |(worker, nodes): (usize, &Vec<u32>)| Writer::default().nodes(nodes, &share.ranges.of(worker)).0;
    let mut blocks: Vec<Vec<u8>> = by_this.iter().enumerate().map(block).collect();
    blocks[cluster.process()].clear();
    let by_others = cluster.round(blocks)?.into_iter().map(|block| {
        let mut nodes = Vec::new();
        Reader(&block).nodes(&share.rows, |node| nodes.push(node));
        nodes
    });
    Ok(AskedFor { by_this, by_others: by_others.collect() })
}

/// The ranks of this worker's nodes, wherever they are computed.
pub(super) trait LocalRanks {
    /// Begins at these ranks, which are also the nodes' parts in what does not follow an edge.
    fn begin(&mut self, parts: &[f64]) -> Result<()>;

    /// Finds what each node gives along each of its edges. Returns the rank of those that have none.
    fn give(&mut self) -> Result<f64>;

    /// What the nodes give that a worker has asked for, in that order.
    fn given_to(&self, worker: usize, nodes: &[u32]) -> Vec<f64>;

    /// Takes what the nodes of another worker give that this one has asked for, in that order.
    fn take(&mut self, worker: usize, nodes: &[u32], values: &mut dyn Iterator<Item = f64>);

    /// Gathers the next ranks, where all nodes without edges have the rank `stuck` together. Returns by how much they changed.
    fn gather(&mut self, stuck: f64) -> Result<f64>;

    /// The ranks.
    fn ranks(&self) -> Result<Vec<f64>>;
}

/// The exchange, from iteration to iteration.
struct Walk<'a> {
    process: usize,
    config: &'a PageRankConfig,
    ranking: Box<dyn LocalRanks + 'a>,
    asked_for: AskedFor,
    /// By how much the ranks of this worker changed in the last iteration.
    change: f64,
    /// The change of the ranks of all workers in the last iteration of which it is known.
    last_change: f64,
    iterations: u32,
    is_begun: bool,
}

impl Walk<'_> {
    fn begin(&mut self, parts: &[f64]) -> Result<()> {
        (self.change, self.last_change) = (f64::INFINITY, f64::INFINITY);
        (self.iterations, self.is_begun) = (0, false);
        self.ranking.begin(parts)
    }

    /// The blocks of an iteration: what all need, and for each worker the values that it asked for.
    fn blocks(&mut self) -> Result<Vec<Vec<u8>>> {
        let stuck = self.ranking.give()?;
        let is_single = self.config.precision == Precision::Single;
        let block = |(worker, nodes): (usize, &Vec<u32>)| {
            let mut block = Writer::with(&[stuck.to_bits(), self.change.to_bits()]).0;
            if worker != self.process {
                let values = self.ranking.given_to(worker, nodes).into_iter();
                match is_single {
                    true => values.for_each(|value| block.extend((value as f32).to_le_bytes())),
                    false => values.for_each(|value| block.extend(value.to_le_bytes())),
                }
            }
            block
        };
        Ok(self.asked_for.by_others.iter().enumerate().map(block).collect())
    }

    /// Takes the values that the others give; returns the rank of all nodes without edges, and the change of all ranks.
    fn take(&mut self, blocks: &[Vec<u8>]) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (worker, block) in blocks.iter().enumerate() {
            let mut reader = Reader(block);
            sums.iter_mut().for_each(|sum| *sum += f64::from_bits(reader.number()));
            if worker == self.process {
                continue;
            }
            let nodes = &self.asked_for.by_this[worker];
            match self.config.precision {
                Precision::Single => {
                    let values: Vec<f32> = super::values_of(reader.0);
                    self.ranking.take(worker, nodes, &mut values.into_iter().map(f64::from));
                }
                Precision::Double => {
                    let values: Vec<f64> = super::values_of(reader.0);
                    self.ranking.take(worker, nodes, &mut values.into_iter());
                }
            }
        }
        sums
    }
}

impl Step for Walk<'_> {
    fn step(&mut self, incoming: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>> {
        if !self.is_begun {
            self.is_begun = true;
            return if self.config.iterations > 0 { self.blocks().map(Some) } else { Ok(None) };
        }
        let [stuck, change] = self.take(&incoming);
        self.last_change = change;
        // By how much the ranks changed is known to all only after the next exchange.
        let is_still = self.config.tolerance.is_some_and(|most| self.iterations > 0 && change < most);
        if is_still || self.iterations == self.config.iterations {
            return Ok(None);
        }
        self.change = self.ranking.gather(stuck)?;
        self.iterations += 1;
        let is_last = self.iterations == self.config.iterations && self.config.tolerance.is_none();
        if is_last { Ok(None) } else { self.blocks().map(Some) }
    }
}

/// Ranks that are computed on the threads of the CPU.
struct NativeRanks<'a, T: Number> {
    watch: Watch,
    rows: RowRanks<'a, T>,
}

impl<T: Number> LocalRanks for NativeRanks<'_, T> {
    fn begin(&mut self, parts: &[f64]) -> Result<()> {
        self.watch.during(|| self.rows.begin(parts));
        Ok(())
    }

    fn give(&mut self) -> Result<f64> {
        Ok(self.rows.dangling())
    }

    fn given_to(&self, _: usize, nodes: &[u32]) -> Vec<f64> {
        nodes.iter().map(|node| self.rows.share(*node)).collect()
    }

    fn take(&mut self, _: usize, nodes: &[u32], values: &mut dyn Iterator<Item = f64>) {
        nodes.iter().zip(values).for_each(|(node, value)| self.rows.set_share(*node, value));
    }

    fn gather(&mut self, stuck: f64) -> Result<f64> {
        Ok(self.watch.during(|| self.rows.iterate(stuck)))
    }

    fn ranks(&self) -> Result<Vec<f64>> {
        Ok(self.rows.ranks())
    }
}

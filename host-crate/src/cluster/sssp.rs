//! Shortest paths on several workers. Each worker relaxes the edges of its own nodes until none of those that are near enough can become
//! nearer, and sends to every other the nodes of its that it has found a shorter path to: each at most once in an iteration. What is near
//! enough follows from the nearest node that any worker has still to do, as in delta-stepping (Meyer and Sanders 2003) with wide steps,
//! since an exchange costs more than a relaxation in vain.
//!
//! Distances are kept as 64-bit numbers that order as they do: whole ones, or the bits of reals, none of which is negative.

use super::{
    Cluster,
    blocks::Reader,
    on_device,
    run::{Distributed, Found, Prepared, Step, find_source, iterate, refuse},
    share::Share,
    watch::Watch,
};
use crate::{
    Result, UNREACHED,
    algorithm::{
        Distances, ShortestPaths, SourceOptions, Sssp, SsspConfig,
        sssp::{TOO_LONG, loses_digits, refuse_negative},
    },
    device::Device,
    graph::{Csr, Weights},
    strategy::{Metric, RowPaths},
};
use std::ops::Range;

/// A step is as wide as so many edges of mean weight, divided by the mean degree: the more edges a node has, the more paths to it are
/// found in vain.
const EDGES_IN_A_STEP: f64 = 64.0;
/// The distance of a node that was not reached.
pub(super) const NOWHERE: u64 = u64::MAX;

/// The distributed form of [`Sssp`].
pub struct DistributedSssp;

/// The numbers that distances are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Whole,
    Single,
    Double,
}

impl Distributed for DistributedSssp {
    type Algorithm = Sssp;

    fn options(&self) -> &'static [&'static str] {
        &["source", "weights", "seed"]
    }

    fn check(&self, config: &SsspConfig) -> Result<()> {
        refuse(config.parents, "parents")?;
        refuse(config.from.are_given(), "sources")
    }

    fn input(&self, cluster: &mut Cluster, share: &Share, options: &SourceOptions, _: &SsspConfig) -> Result<u32> {
        find_source(cluster, share, options.source.as_ref())
    }

    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        _: &'a SsspConfig,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared<Sssp> + 'a>> {
        refuse_negative(&share.graph.csr)?;
        let [mean_weight, largest_weight] = weight_facts(cluster, share)?;
        let on_device = match on_device::of_share(device, share) {
            Some(device) => {
                let watch = cluster.watch().clone();
                Some(watch.during(|| on_device::sssp::PathsOnDevice::new(device, share, &watch))?)
            }
            None => None,
        };
        let are_on_devices = cluster.sum([on_device.is_some().into()])? != [0];
        Ok(Box::new(PreparedPaths { share, mean_weight, largest_weight, on_device, are_on_devices }))
    }
}

/// What is ready to run.
struct PreparedPaths<'a> {
    share: &'a Share,
    mean_weight: f64,
    largest_weight: f64,
    /// The worker's part of the search, if it is on a device; else it is made for each run.
    on_device: Option<on_device::sssp::PathsOnDevice<'a>>,
    /// Whether some worker computes on a device.
    are_on_devices: bool,
}

/// What came of a search.
struct Searched {
    number: Number,
    /// The distances of this worker's nodes.
    own: Vec<u64>,
    rounds: Range<usize>,
    iterations: u32,
}

impl PreparedPaths<'_> {
    /// Searches on all workers, on their devices where they have some.
    fn search(&mut self, cluster: &mut Cluster, source: u32) -> Result<Searched> {
        let is_real = matches!(self.share.graph.csr.weights(), Weights::F32(_));
        let number = if is_real { Number::Single } else { Number::Whole };
        let Some(part) = &mut self.on_device else { return self.search_on_threads(cluster, source, number) };
        part.begin(source)?;
        let mut search = Search::new(cluster, self.share, number, self.mean_weight, part);
        let rounds = iterate(cluster, &mut search)?;
        let (own, iterations) = (search.part.distances()?, search.iterations);
        Ok(Searched { number, own, rounds, iterations })
    }

    /// Searches on the CPU threads of all workers.
    fn search_on_threads(&self, cluster: &mut Cluster, source: u32, number: Number) -> Result<Searched> {
        let mut part = match number {
            Number::Whole => NativePaths::begin(cluster, self.share, source, RowPaths::whole),
            Number::Single => NativePaths::begin(cluster, self.share, source, RowPaths::single),
            Number::Double => NativePaths::begin(cluster, self.share, source, RowPaths::double),
        };
        let mut search = Search::new(cluster, self.share, number, self.mean_weight, &mut *part);
        let rounds = iterate(cluster, &mut search)?;
        let (own, iterations) = (search.part.distances()?, search.iterations);
        Ok(Searched { number, own, rounds, iterations })
    }

    /// Why all is to be searched once more, with other numbers, and these; nothing where it is not.
    fn needs_more(&self, cluster: &mut Cluster, found: &Searched) -> Result<Option<(String, Number)>> {
        if self.are_on_devices {
            // Devices have 32 bits.
            let has_overflowed = self.on_device.as_ref().is_some_and(|part| part.has_overflowed());
            if cluster.sum([has_overflowed.into()])? != [0] {
                let reason = "a path is longer than 32 bits hold; distances are computed in 64 bits on the CPU";
                return Ok(Some((reason.to_owned(), Number::Whole)));
            }
        }
        if found.number != Number::Single {
            return Ok(None);
        }
        let reason = self.needs_double(cluster, &found.own)?;
        let on_the_cpu = if self.are_on_devices { " on the CPU" } else { "" };
        let message = |reason| format!("{reason}; distances are computed in double precision{on_the_cpu}");
        Ok(reason.map(|reason| (message(reason), Number::Double)))
    }

    /// Why the distances need double precision, if they do: the same rule as on one device.
    fn needs_double(&self, cluster: &mut Cluster, own: &[u64]) -> Result<Option<&'static str>> {
        let (share, csr) = (self.share, &self.share.graph.csr);
        let furthest = own.iter().copied().filter(|distance| *distance != NOWHERE).max().unwrap_or(0);
        let furthest = cluster.share(&[furthest])?.concat().into_iter().max().unwrap_or(0);
        if self.largest_weight * f64::from(share.nodes()) > f64::from(f32::MAX) {
            // The nodes that an edge leads to whose sum is too large; whether they were reached in another way, their workers know.
            let mut beyond = Vec::new();
            for (node, distance) in share.rows.clone().zip(own) {
                let is_beyond =
                    |edge: &usize| *distance != NOWHERE && further(Number::Single, csr, *distance, *edge).is_none();
                beyond.extend(csr.row(node).filter(is_beyond).map(|edge| csr.columns()[edge]));
            }
            beyond.sort_unstable();
            beyond.dedup();
            let blocks = share.ranges.cut(&beyond).into_iter().map(|nodes| bytemuck::cast_slice(nodes).to_vec());
            let asked = cluster.round(blocks.collect())?;
            let is_missing = |node: &u32| share.rows.contains(node) && own[share.local(*node)] == NOWHERE;
            let missing = asked.iter().flat_map(|block| super::values_of::<u32>(block)).filter(is_missing).count();
            if cluster.sum([missing as u64])? != [0] {
                return Ok(Some(TOO_LONG));
            }
        }
        Ok(loses_digits(share.nodes(), f32::from_bits(furthest as u32), self.mean_weight))
    }
}

impl Prepared<Sssp> for PreparedPaths<'_> {
    fn run(&mut self, cluster: &mut Cluster, source: &u32) -> Result<Found<ShortestPaths>> {
        let mut found = self.search(cluster, *source)?;
        if let Some((reason, number)) = self.needs_more(cluster, &found)? {
            tracing::warn!("{reason}");
            let more = self.search_on_threads(cluster, *source, number)?;
            let (rounds, iterations) = (found.rounds.start..more.rounds.end, found.iterations + more.iterations);
            found = Searched { rounds, iterations, ..more };
        }
        let (Searched { number, own, rounds, iterations }, csr) = (found, &self.share.graph.csr);
        let reached = |(node, distance): (u32, &u64)| u64::from(*distance != NOWHERE) * u64::from(csr.degree(node));
        let [edges] = cluster.sum([self.share.rows.clone().zip(&own).map(reached).sum()])?;
        let distances = match number {
            Number::Double => {
                let real = |bits: u64| if bits == NOWHERE { f64::INFINITY } else { f64::from_bits(bits) };
                Distances::F64(cluster.gather(&own)?.concat().into_iter().map(real).collect())
            }
            Number::Single => {
                let bits: Vec<u32> = own.iter().map(|bits| u32::try_from(*bits).unwrap_or(UNREACHED)).collect();
                let real = |bits: u32| if bits == UNREACHED { f32::INFINITY } else { f32::from_bits(bits) };
                Distances::F32(cluster.gather(&bits)?.concat().into_iter().map(real).collect())
            }
            Number::Whole => whole(cluster, &own)?,
        };
        let answer = ShortestPaths { distances, parents: None, sources: vec![*source] };
        Ok(Found { answer: (cluster.process() == 0).then_some(answer), iterations, rounds, edges })
    }
}

/// The mean weight of an edge and the largest of all workers.
fn weight_facts(cluster: &mut Cluster, share: &Share) -> Result<[f64; 2]> {
    let csr = &share.graph.csr;
    let own = [csr.mean_weight() * csr.edges() as f64, csr.weight_range().map_or(1.0, |(_, largest)| largest)];
    let all = cluster.share(&own)?;
    let sum: f64 = all.iter().map(|own| own[0]).sum();
    Ok([sum / share.edges.max(1) as f64, all.iter().map(|own| own[1]).fold(0.0, f64::max)])
}

/// Whole distances, in 32 bits where they fit.
fn whole(cluster: &mut Cluster, own: &[u64]) -> Result<Distances> {
    let is_wide = own.iter().any(|distance| *distance != NOWHERE && *distance >= u64::from(UNREACHED));
    if cluster.sum([u64::from(is_wide)])? != [0] {
        tracing::warn!("a shortest path is longer than 32 bits hold; distances are given in 64 bits");
        return Ok(Distances::U64(cluster.gather(own)?.concat()));
    }
    let narrow: Vec<u32> = own.iter().map(|distance| u32::try_from(*distance).unwrap_or(UNREACHED)).collect();
    Ok(Distances::U32(cluster.gather(&narrow)?.concat()))
}

/// A worker's part of the search, wherever it is computed. It begins at the source, if it has it.
pub(super) trait LocalPaths {
    /// Takes shorter paths that others have found to nodes of this worker, each with the distance.
    fn take(&mut self, paths: &[(u32, u64)]) -> Result<()>;

    /// Relaxes edges until all nodes of this worker nearer than `end` are as near as they get by its own edges.
    fn relax_up_to(&mut self, end: f64) -> Result<()>;

    /// The nodes of others, in ascending order, to which a shorter path was found since the last time.
    fn improved(&mut self) -> Result<Improved>;

    /// The distances of this worker's nodes.
    fn distances(&self) -> Result<Vec<u64>>;
}

/// What a worker tells others.
pub(super) struct Improved {
    /// The nearest node that there is still to do, those of others included.
    pub nearest: u64,
    pub nodes: Vec<u32>,
    /// The distance of each of them.
    pub distances: Vec<u64>,
}

/// The exchange, from step to step.
struct Search<'a> {
    share: &'a Share,
    process: usize,
    number: Number,
    /// How wide a step is.
    width: f64,
    part: &'a mut dyn LocalPaths,
    iterations: u32,
}

impl<'a> Search<'a> {
    fn new(cluster: &Cluster, share: &'a Share, number: Number, mean: f64, part: &'a mut dyn LocalPaths) -> Self {
        let degree = share.edges as f64 / f64::from(share.nodes().max(1));
        let width = if mean > 0.0 { mean * (EDGES_IN_A_STEP / degree).max(1.0) } else { f64::INFINITY };
        Self { share, process: cluster.process(), number, width, part, iterations: 0 }
    }

    /// The shorter paths to nodes of this worker in a block.
    fn read(&self, mut reader: Reader<'_>, paths: &mut Vec<(u32, u64)>) {
        let (count, width) = (reader.number() as usize, reader.number() as usize);
        let nodes = self.share.rows.clone();
        if count == 0 || reader.0.len() != count * (4 + width) {
            return;
        }
        let (places, values) = reader.0.split_at(4 * count);
        for (place, value) in places.chunks_exact(4).zip(values.chunks_exact(width)) {
            let node = nodes.start + u32::from_le_bytes([place[0], place[1], place[2], place[3]]);
            let mut bytes = [0; 8];
            bytes[..width].copy_from_slice(value);
            if nodes.contains(&node) {
                paths.push((node, u64::from_le_bytes(bytes)));
            }
        }
    }

    /// The block for each worker: the nearest node that there is still to do, and the shorter paths to its nodes.
    fn blocks(&mut self) -> Result<Vec<Vec<u8>>> {
        let Improved { nearest, nodes, distances } = self.part.improved()?;
        let mut values = &distances[..];
        let block = |(worker, nodes): (usize, &[u32])| {
            let first = self.share.ranges.of(worker).start;
            let own;
            (own, values) = values.split_at(nodes.len());
            let width = if own.iter().all(|value| u32::try_from(*value).is_ok()) { 4 } else { 8 };
            let mut block = Vec::with_capacity(24 + nodes.len() * (4 + width));
            for number in [nearest, nodes.len() as u64, width as u64] {
                block.extend(number.to_le_bytes());
            }
            nodes.iter().for_each(|node| block.extend((node - first).to_le_bytes()));
            own.iter().for_each(|value| block.extend(&value.to_le_bytes()[..width]));
            block
        };
        Ok(self.share.ranges.cut(&nodes).into_iter().enumerate().map(block).collect())
    }
}

impl Step for Search<'_> {
    fn step(&mut self, incoming: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>> {
        let mut nearest = if self.iterations == 0 { 0 } else { NOWHERE };
        let mut paths = Vec::new();
        for (worker, block) in incoming.iter().enumerate().filter(|(_, block)| !block.is_empty()) {
            let mut reader = Reader(block);
            nearest = nearest.min(reader.number());
            if worker != self.process {
                self.read(reader, &mut paths);
            }
        }
        self.part.take(&paths)?;
        if nearest == NOWHERE || self.share.nodes() == 0 {
            return Ok(None);
        }
        self.iterations += 1;
        self.part.relax_up_to(real(self.number, nearest) + self.width)?;
        self.blocks().map(Some)
    }
}

/// A distance as a real.
fn real(number: Number, distance: u64) -> f64 {
    match number {
        Number::Whole => distance as f64,
        Number::Single => f32::from_bits(distance as u32).into(),
        Number::Double => f64::from_bits(distance),
    }
}

/// The distance one edge further on; none where no number is so large.
fn further(number: Number, csr: &Csr, distance: u64, edge: usize) -> Option<u64> {
    match (number, csr.weights()) {
        (Number::Whole, Weights::U32(weights)) => distance.checked_add(weights[edge].into()),
        (Number::Single, Weights::F32(weights)) => {
            let sum = f32::from_bits(distance as u32) + weights[edge];
            // A weight of -0 is 0.
            sum.is_finite().then_some((sum + 0.0).to_bits().into())
        }
        (Number::Double, Weights::F32(weights)) => {
            let sum = f64::from_bits(distance) + f64::from(weights[edge]);
            sum.is_finite().then_some((sum + 0.0).to_bits())
        }
        _ => distance.checked_add(1),
    }
}

/// A part of the search on the threads of the CPU.
struct NativePaths<'a, M: Metric> {
    share: &'a Share,
    watch: Watch,
    rows: RowPaths<'a, M>,
    /// The nearest node of this worker that there is still to do.
    nearest: u64,
}

impl<'a, M: Metric + 'a> NativePaths<'a, M> {
    fn begin(
        cluster: &Cluster,
        share: &'a Share,
        source: u32,
        rows: impl FnOnce(&'a Csr, Range<u32>) -> RowPaths<'a, M>,
    ) -> Box<dyn LocalPaths + 'a> {
        let watch = cluster.watch().clone();
        let mut rows = watch.during(|| rows(&share.graph.csr, share.rows.clone()));
        if share.rows.contains(&source) {
            rows.lower(source, 0);
        }
        Box::new(Self { share, watch, rows, nearest: NOWHERE })
    }
}

impl<M: Metric> LocalPaths for NativePaths<'_, M> {
    fn take(&mut self, paths: &[(u32, u64)]) -> Result<()> {
        paths.iter().for_each(|(node, distance)| self.rows.lower(*node, *distance));
        Ok(())
    }

    fn relax_up_to(&mut self, end: f64) -> Result<()> {
        self.nearest = self.watch.during(|| self.rows.relax_up_to(end)).unwrap_or(NOWHERE);
        Ok(())
    }

    fn improved(&mut self) -> Result<Improved> {
        let nodes = self.rows.improved();
        let distances: Vec<u64> = nodes.iter().filter_map(|node| self.rows.distance(*node)).collect();
        let nearest = distances.iter().copied().fold(self.nearest, u64::min);
        Ok(Improved { nearest, nodes, distances })
    }

    fn distances(&self) -> Result<Vec<u64>> {
        Ok(self.share.rows.clone().map(|node| self.rows.distance(node).unwrap_or(NOWHERE)).collect())
    }
}

//! 32 sources at once on the device (see the kernels' file `betweenness/batch.rs`): a search that tells them apart by bits, and passes over all
//! rows for each level, with a source to each invocation. That is for graphs of few levels; where a search shows that there are many, its
//! sources are left to [`Levels`], as are too few to fill a batch.

use super::{
    super::{
        many::{Keep, ManySearch},
        prelude::*,
    },
    Dependencies, Directions,
    levels::{Levels, Totals},
};
use crate::{
    engine::{DevicePartition, partition},
    graph::Partitions,
    phase,
    strategy::MAX_GROUPS,
};
use evenkeel_kernels::{
    algorithm::betweenness::{
        Pass, PathState,
        batch::{
            Batch, BatchAdd, BatchBegin, BatchJoin, BatchLevel, BatchParams, BatchTurn, DEEPEST, LANES, PIECE, WHOLE,
        },
    },
    memory::UVec4,
};
use evenkeel_types::LoopState;
use std::{ops::Range, time::Instant};

/// Fewer sources than this are taken one after the other.
pub(super) const FEWEST: usize = 8;

/// Rows and pieces of rows, and which of them belong together.
#[derive(Default)]
struct Pieces {
    /// The node, its first edge in the columns of its partition, the one behind its last, and the number of the piece.
    rows: Vec<UVec4>,
    /// Those of each partition.
    parts: Vec<Range<u32>>,
    /// The node, its first piece, and the one behind its last.
    cuts: Vec<UVec4>,
}

impl Pieces {
    /// The rows of a graph. Where edges have no reverse, a node whose row is empty may still be reached, and has a sum of 0.
    fn of(partitions: &Partitions<'_>) -> Self {
        let csr = partitions.csr();
        let (mut pieces, mut count, symmetric) = (Self::default(), 0, csr.is_symmetric());
        for part in partitions.list() {
            let first_of_part = pieces.rows.len() as u32;
            for node in part.rows.clone().filter(|node| !symmetric || csr.degree(*node) > 0) {
                let row = csr.row(node);
                let edges = if part.is_cut { part.edges.clone() } else { row.start as u64..row.end as u64 };
                let [begin, end] = [edges.start, edges.end].map(|edge| (edge - part.edges.start) as u32);
                if end - begin <= PIECE && !part.is_cut {
                    pieces.rows.push(UVec4::new(node, begin, end, WHOLE));
                    continue;
                }
                let first = count;
                for begin in (begin..end).step_by(PIECE as usize) {
                    pieces.rows.push(UVec4::new(node, begin, end.min(begin.saturating_add(PIECE)), count));
                    count += 1;
                }
                match pieces.cuts.last_mut() {
                    // A later part of a row that is cut between partitions.
                    Some(cut) if cut.x == node => cut.z = count,
                    _ => pieces.cuts.push(UVec4::new(node, first, count, 0)),
                }
            }
            pieces.parts.push(first_of_part..pieces.rows.len() as u32);
        }
        pieces
    }
}

/// Everything that is recorded.
pub(super) struct Batches {
    search: ManySearch,
    /// The deepest level of the batch.
    deepest: Buffer<u32>,
    forward: DeviceLoop,
    backward: DeviceLoop,
    add: Recording,
    /// For what does not suit a batch; it has the sums.
    levels: Levels,
}

impl Batches {
    pub fn new(directions: &Directions) -> Result<Self> {
        let graph = &directions.leaving;
        let (device, csr, nodes) = (graph.device(), graph.csr(), graph.csr().nodes() as usize);
        // What kernels number has two words for each node and source.
        if nodes as u64 * u64::from(2 * LANES) > u64::from(u32::MAX) {
            return Err(Error::Memory(format!(
                "{nodes} nodes are too many for a batch of sources: take strategy levels"
            )));
        }
        let levels = Levels::new(directions)?;
        let search = ManySearch::new(graph, false, Keep::Bytes, 0)?;
        let leaving = Direction::new(graph)?;
        let other = if csr.is_symmetric() { None } else { Some(Direction::new(&directions.leading)?) };
        let leading = other.as_ref().unwrap_or(&leaving);
        let pieces = leaving.count.max(leading.count);
        let buffers = PassBuffers {
            device: device.clone(),
            nodes: csr.nodes(),
            depths: search.values.clone(),
            values: device.buffer("path counts of a batch", 2 * LANES as usize * nodes)?,
            dependencies: device.buffer("dependencies of a batch", LANES as usize * nodes)?,
            sums: device.buffer("sums of pieces", 2 * LANES as usize * pieces.max(1))?,
            deepest: device.buffer("deepest level", 1)?,
            state: device.buffer("state", 1)?,
        };
        let forward = buffers.record(Pass::Forward, leading, |recorder, params| {
            let (deepest, values) = (&buffers.deepest, &buffers.values);
            let begin = BatchBegin { sources: &search.sources, deepest, values, state: &buffers.state };
            recorder.dispatch(&begin, params, 1);
        })?;
        let backward = buffers.record(Pass::Backward, &leaving, |recorder, params| {
            recorder.dispatch(&BatchTurn { deepest: &buffers.deepest, state: &buffers.state }, params, 1);
        })?;
        let (params, depths, dependencies) = (buffers.params(&leaving), &buffers.depths, &buffers.dependencies);
        let add = device.record("betweenness, sums of a batch", |recorder| match levels.sums() {
            Totals::Single(totals) => recorder.dispatch(&BatchAdd { depths, dependencies, totals }, params, nodes),
            Totals::Double(totals) => recorder.dispatch(&BatchAdd { depths, dependencies, totals }, params, nodes),
        })?;
        Ok(Self { search, deepest: buffers.deepest, forward, backward, add, levels })
    }
}

impl Dependencies for Batches {
    fn run(&mut self, device: &Device, sources: &[u32]) -> Result<Run> {
        let begin = Instant::now();
        let mut run = Run { kernel: self.levels.clear()?, ..Run::default() };
        let mut done = 0;
        for batch in sources.chunks(LANES as usize) {
            let mut is_batch = batch.len() >= FEWEST;
            if is_batch {
                let found = self.search.run(device, batch)?;
                run.kernel += found.kernel;
                // The sources are settled first, and the last level has found nothing.
                let deepest = found.iterations.saturating_sub(2);
                is_batch = deepest <= DEEPEST;
                if is_batch {
                    device.upload(&self.deepest, 0, &[deepest])?;
                    run.kernel += self.forward.run()?.kernel + self.backward.run()?.kernel + self.add.run()?;
                    run.iterations = run.iterations.saturating_add(deepest);
                }
            }
            if !is_batch {
                let alone = self.levels.add(batch)?;
                run.kernel += alone.kernel;
                run.iterations = run.iterations.saturating_add(alone.iterations);
            }
            done += batch.len() as u64;
            phase::advance("sources", done, Some(sources.len() as u64));
        }
        run.total = begin.elapsed();
        Ok(run)
    }

    fn totals(&self, device: &Device) -> Result<Vec<f64>> {
        self.levels.totals(device)
    }
}

/// The rows of one direction.
struct Direction {
    /// Each partition, with its rows and pieces.
    parts: Vec<(DevicePartition, Range<u32>)>,
    pieces: Buffer<UVec4>,
    cuts: Buffer<UVec4>,
    /// Rows and pieces, rows that are cut, and pieces of these.
    rows: usize,
    cut: usize,
    count: usize,
}

impl Direction {
    fn new(graph: &SharedGraph) -> Result<Self> {
        let device = graph.device();
        let found = graph.once("pieces of rows", || Ok(Pieces::of(&partition(device.info(), graph.csr()))))?;
        let Pieces { rows, parts, cuts } = &*found;
        // A buffer has an element at least.
        let at_least_one = |name: &str, list: &[UVec4]| match list {
            [] => device.buffer_from(name, &[UVec4::ZERO]),
            list => device.buffer_from(name, list),
        };
        Ok(Self {
            parts: graph.partitions()?.iter().cloned().zip(parts.iter().cloned()).collect(),
            pieces: at_least_one("pieces of rows", rows)?,
            cuts: at_least_one("cut rows", cuts)?,
            rows: rows.len(),
            cut: cuts.len(),
            count: cuts.last().map_or(0, |cut| cut.z as usize),
        })
    }
}

/// What both passes read and write.
struct PassBuffers {
    device: Device,
    nodes: u32,
    depths: Buffer<u32>,
    values: Buffer<u32>,
    dependencies: Buffer<f32>,
    sums: Buffer<u32>,
    deepest: Buffer<u32>,
    state: Buffer<PathState>,
}

impl PassBuffers {
    fn params(&self, direction: &Direction) -> BatchParams {
        let teams = direction.rows.max(direction.cut).max(1);
        let groups = (teams * LANES as usize).div_ceil(256).min(4 * MAX_GROUPS as usize) as u32;
        BatchParams { nodes: self.nodes, first_piece: 0, pieces: 0, cuts: direction.cut as u32, groups }
    }

    /// Records a pass: for each level a dispatch for each partition, and one more.
    fn record(
        &self,
        pass: Pass,
        direction: &Direction,
        start: impl Fn(&mut Recorder, BatchParams),
    ) -> Result<DeviceLoop> {
        let (params, state) = (self.params(direction), &self.state);
        let batch = &Batch {
            pieces: direction.pieces.clone(),
            depths: self.depths.clone(),
            values: self.values.clone(),
            dependencies: self.dependencies.clone(),
            sums: self.sums.clone(),
        };
        let name = format!("betweenness, a batch {}", pass.name());
        let start = |recorder: &mut Recorder| start(recorder, params);
        DeviceLoop::record(&self.device, &name, state, start, |recorder, _| {
            for (DevicePartition { graph, .. }, pieces) in &direction.parts {
                let params = BatchParams { first_piece: pieces.start, pieces: pieces.end - pieces.start, ..params };
                recorder.dispatch_indirect(&BatchLevel { pass, graph, batch, state }, params, state, PathState::GROUPS);
            }
            let join = BatchJoin { pass, batch, cuts: &direction.cuts, state };
            recorder.dispatch_indirect(&join, params, state, PathState::GROUPS);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{PartitionOptions, generate::Generator};

    #[test]
    fn pieces_cover_all_edges_once() {
        for text in ["star:nodes=3000", "complete:nodes=600", "chain:nodes=5", "rmat:scale=9", "star:nodes=513"] {
            let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
            for bytes in [u64::MAX, 8000, 4000, 200] {
                let partitions = Partitions::plan(&csr, PartitionOptions::new(bytes));
                let Pieces { rows, cuts, parts } = Pieces::of(&partitions);
                let mut edges = Vec::new();
                for (part, places) in partitions.list().iter().zip(parts) {
                    for piece in &rows[places.start as usize..places.end as usize] {
                        let (first, end) = (part.edges.start as u32 + piece.y, part.edges.start as u32 + piece.z);
                        assert!(csr.row(piece.x).contains(&(first as usize)), "{text}");
                        edges.extend(first..end);
                    }
                }
                edges.sort_unstable();
                assert!(edges.into_iter().eq(0..csr.narrow_edges().unwrap()), "{text}");
                let count = rows.iter().filter(|piece| piece.w != WHOLE).count();
                assert_eq!(cuts.last().map_or(0, |cut| cut.z as usize), count, "{text}");
                let cut_edges = |cut: &UVec4| {
                    let pieces = rows.iter().filter(|piece| piece.w != WHOLE && (cut.y..cut.z).contains(&piece.w));
                    pieces.map(|piece| piece.z - piece.y).sum::<u32>()
                };
                assert!(cuts.iter().all(|cut| cut_edges(cut) == csr.degree(cut.x)), "{text}");
            }
        }
        let one_way = Csr::new(vec![0, 1, 1], vec![1], Weights::None).unwrap();
        let whole = Partitions::plan(&one_way, PartitionOptions::new(u64::MAX));
        assert_eq!(Pieces::of(&whole).rows, [UVec4::new(0, 0, 1, WHOLE), UVec4::new(1, 1, 1, WHOLE)]);
    }
}

//! Breadth-first search from many sources, 64 at a time with a bit each (Then et al. 2014), by kernels or in a form for the CPU device. What
//! is kept of the depths is up to the algorithm: that from the nearest source, those from each, or their sums.

mod cpu;

use super::prelude::*;
use crate::{
    engine::{DevicePartition, row_classes::pieces_by_edge},
    phase,
    strategy::MAX_GROUPS,
};
pub use evenkeel_kernels::algorithm::many::Keep;
use evenkeel_kernels::algorithm::many::{
    ALL_SHARE, LONG, ManyParams, ManyState, PIECE, Reach, SOURCES, Width,
    level::ManyLevel,
    settle::{ManyBegin, ManyClear, ManySettle},
};
use evenkeel_types::{LoopState, UNREACHED};
use rayon::prelude::*;
use std::time::Instant;

/// Words of `values` for each node; `columns` are the sources whose depths are kept one by one.
fn words_of_a_node(keep: Keep, columns: usize) -> usize {
    match keep {
        Keep::Nearest => 1,
        Keep::Each => 1 + columns,
        Keep::Sums => 3,
        Keep::Bytes => 8,
    }
}

/// The number of words of `values`, which kernels number with 32 bits.
fn value_words(csr: &Csr, keep: Keep, columns: usize) -> Result<usize> {
    let words = csr.nodes() as u64 * words_of_a_node(keep, columns) as u64;
    match u32::try_from(words) {
        Ok(words) => Ok(words as usize),
        Err(_) => Err(Error::Memory(format!(
            "{columns} depths for each of {} nodes are {} GiB, and one buffer holds 16 GiB; leave the depths from each source out",
            csr.nodes(),
            words >> 28
        ))),
    }
}

/// Whether a device runs the form for CPUs unless the kernels are asked for.
pub(super) fn is_native(device: &DeviceInfo) -> bool {
    device.kind == DeviceKind::Cpu
}

/// A search that is ready to run.
pub(super) struct ManySearch {
    /// What is kept: see [`Keep`].
    pub values: Buffer<u32>,
    /// The number of sources of the last batch, the column of the first, and the nodes.
    pub sources: Buffer<u32>,
    clear: Recording,
    /// For up to 32 sources, and for up to 64.
    loops: Vec<DeviceLoop>,
}

impl ManySearch {
    pub fn new(graph: &SharedGraph, native: bool, keep: Keep, columns: usize) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        let values: Buffer<u32> = device.buffer("values", value_words(csr, keep, columns)?)?;
        let sources = device.buffer("sources", 2 + SOURCES as usize)?;
        let clear = device.record("many sources, clear", |recorder| {
            recorder.fill(&values, if keep == Keep::Sums { 0 } else { UNREACHED });
        })?;
        let loops = match native {
            true => vec![cpu::record(device, csr, keep, columns, &values, &sources)?],
            false => {
                refuse_unending_rows(device, csr)?;
                let widths = if keep == Keep::Bytes { &Width::ALL[..1] } else { Width::ALL };
                record(graph, widths, keep, columns, &values, &sources)?
            }
        };
        Ok(Self { values, sources, clear, loops })
    }

    /// Searches from these nodes, each of which is one of the graph.
    pub fn run(&mut self, device: &Device, sources: &[u32]) -> Result<Run> {
        let begin = Instant::now();
        let mut run = Run::default();
        if !self.values.is_empty() {
            run.kernel += self.clear.run()?;
        }
        let last = self.loops.len() - 1;
        let batches = sources.chunks(SOURCES as usize);
        let (count, mut column) = (batches.len() as u64, 0);
        for (number, batch) in batches.enumerate() {
            let words: Vec<u32> = [batch.len() as u32, column].into_iter().chain(batch.iter().copied()).collect();
            device.upload(&self.sources, 0, &words)?;
            let width = if batch.len() > SOURCES as usize / 2 { last } else { 0 };
            let found = self.loops[width].run()?;
            run.kernel += found.kernel;
            run.iterations = run.iterations.saturating_add(found.report.iteration);
            column += batch.len() as u32;
            phase::advance("batches of sources", number as u64 + 1, Some(count));
        }
        run.total = begin.elapsed();
        Ok(run)
    }
}

/// Records the search by kernels, once for each width: a level is a dispatch for each partition that finds nodes, and one that settles what was
/// found. All widths share the buffers, because one search runs at a time.
fn record(
    graph: &SharedGraph,
    widths: &[Width],
    keep: Keep,
    columns: usize,
    values: &Buffer<u32>,
    sources: &Buffer<u32>,
) -> Result<Vec<DeviceLoop>> {
    let (device, csr, parts) = (graph.device(), graph.csr(), graph.partitions()?);
    // What settles and begins reads the degrees of all nodes, and no columns.
    let first = &parts[0].graph;
    let nodes = csr.nodes() as usize;
    let pieces = graph.once("pieces of long rows", || Ok(pieces_by_edge(csr, LONG, PIECE).collect::<Vec<_>>()))?;
    let params = ManyParams {
        nodes: csr.nodes(),
        edges: csr.narrow_edges()?,
        max_groups: MAX_GROUPS,
        can_pull: csr.is_symmetric().into(),
        pieces: pieces.len() as u32,
        fewest: csr.nodes() / ALL_SHARE / csr.skew().highest.max(1),
        columns: columns as u32,
        rows: parts[0].rows,
    };
    let words = widths.len();
    let pieces = if pieces.is_empty() { &[[0; 2]] } else { &pieces[..] };
    let pieces = &device.buffer_from("pieces of long rows", pieces.as_flattened())?;
    let reach = &Reach {
        seen: device.buffer("seen", words * nodes)?,
        fronts: device.buffer("frontiers", (2 * words + 1) * nodes)?,
        lists: device.buffer("lists", 2 * nodes)?,
    };
    let state: &Buffer<ManyState> = &device.buffer("state", 1)?;
    let one_width = |&width: &Width| {
        let settle = |recorder: &mut Recorder| {
            let settle = ManySettle { width, keep, graph: first, reach, state, values };
            recorder.dispatch_indirect(&settle, params, state, ManyState::SETTLE_GROUPS);
        };
        let start = |recorder: &mut Recorder| {
            recorder.dispatch(&ManyClear { width, reach, state }, params, nodes);
            recorder.dispatch(&ManyBegin { width, graph: first, reach, state, sources }, params, 1);
            settle(recorder);
        };
        DeviceLoop::record(device, &format!("many sources, {}", width.name()), state, start, |recorder, _| {
            for DevicePartition { graph, rows } in parts {
                let level = ManyLevel { width, graph, reach, state, pieces };
                recorder.dispatch_indirect(&level, ManyParams { rows: *rows, ..params }, state, ManyState::GROUPS);
            }
            settle(recorder);
        })
    };
    widths.iter().map(one_width).collect()
}

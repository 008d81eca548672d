//! The recorded steps of each method for all distances.

use super::{marks, width};
use crate::{
    Result,
    device::{Buffer, Device, Recorder, Recording},
    engine::{DeviceLoop, Part},
};
use evenkeel_kernels::{
    algorithm::apsp::{
        ApspDiagonal, ApspEdges, EdgeParams, Length, MATRIX_TILE, PivotParams, SPAN,
        batched::{Batched, BatchedParams, BatchedStart},
        blocked::{BlockedCross, BlockedPivot, BlockedRest},
        floyd_warshall::FloydWarshall,
    },
    memory::UVec4,
};
use evenkeel_types::{LoopHeader, LoopState, RowRange, WORKGROUP};

/// Nodes, or tiles of them, in one recording: few enough that no device is kept from other work for long, even with the largest matrices.
const NODES_AT_A_TIME: u32 = 256;
const TILES_AT_A_TIME: u32 = 16;

/// The most workgroups that share an iteration over the edges: as many as fill a large GPU twice. Each ends with an atomic on
/// the same word, and a hundred thousand of those take longer than the iteration.
const MOST_GROUPS: u32 = 4096;

/// What is recorded of, and on.
pub(super) struct MatrixInputs<'a> {
    pub device: &'a Device,
    /// The number of nodes.
    pub nodes: u32,
    /// The partitions of the graph.
    pub parts: Vec<Part>,
    pub length: Length,
    /// The matrix as fours and as words.
    pub fours: Buffer<UVec4>,
    pub words: Buffer<u32>,
}

impl MatrixInputs<'_> {
    fn params(&self, pivot: u32) -> PivotParams {
        PivotParams { nodes: self.nodes, width: width(self.nodes), pivot }
    }

    /// Nothing is reached but every node by itself.
    fn clear(&self, recorder: &mut Recorder) {
        recorder.fill(&self.words, self.length.unreached());
        recorder.dispatch(&ApspDiagonal { matrix: &self.words }, self.params(0), self.nodes as usize);
    }

    /// The matrix of the edges.
    fn start(&self) -> Result<Recording> {
        self.device.record("apsp start", |recorder| {
            recorder.label("start");
            self.clear(recorder);
            for Part { graph, rows, weights } in &self.parts {
                let edges = ApspEdges { length: self.length, graph, weights, matrix: &self.words };
                let params = EdgeParams { width: width(self.nodes), rows: *rows };
                recorder.dispatch(&edges, params, workgroups(rows.count));
            }
        })
    }

    /// Records the matrix of the edges and then `step` for each of so many pivots.
    fn dense(
        &self,
        name: &str,
        pivots: u32,
        at_a_time: u32,
        step: impl Fn(&mut Recorder, u32),
    ) -> Result<Vec<Recording>> {
        let mut recordings = vec![self.start()?];
        for first in (0..pivots).step_by(at_a_time as usize) {
            let last = pivots.min(first + at_a_time);
            let recording = self.device.record(&format!("apsp {name}, {first} to {}", last - 1), |recorder| {
                recorder.label(name);
                (first..last).for_each(|pivot| step(recorder, pivot));
            });
            recordings.push(recording?);
        }
        Ok(recordings)
    }

    pub fn floyd_warshall(&self) -> Result<Vec<Recording>> {
        let nodes = self.nodes;
        let step = FloydWarshall { length: self.length, matrix: &self.words };
        self.dense("floyd-warshall", nodes, NODES_AT_A_TIME, |recorder, pivot| {
            recorder.dispatch(&step, self.params(pivot), workgroups(nodes));
        })
    }

    pub fn blocked(&self) -> Result<Vec<Recording>> {
        let (nodes, length) = (self.nodes, self.length);
        let (tiles, spans) = (width(nodes) / MATRIX_TILE, width(nodes) / SPAN);
        let pivot_tile = BlockedPivot { length, matrix: &self.words };
        let cross = BlockedCross { length, matrix: &self.fours };
        let rest = BlockedRest { length, matrix: &self.fours };
        self.dense("blocked", nodes.div_ceil(MATRIX_TILE), TILES_AT_A_TIME, |recorder, pivot| {
            recorder.dispatch(&pivot_tile, self.params(pivot), workgroups(1));
            recorder.dispatch(&cross, self.params(pivot), workgroups(2 * tiles));
            recorder.dispatch(&rest, self.params(pivot), workgroups(spans * spans));
        })
    }

    pub fn batched(&self) -> Result<DeviceLoop> {
        let (device, nodes) = (self.device, self.nodes);
        let marks = device.buffer("marks", marks(nodes))?;
        let state = device.buffer::<LoopHeader>("loop state", 1)?;
        let groups = (marks.len() as u32).min(MOST_GROUPS);
        let params = BatchedParams { nodes, width: width(nodes), groups, rows: RowRange::default() };
        let start = |recorder: &mut Recorder| {
            self.clear(recorder);
            recorder.fill(&marks, 0);
            recorder.dispatch(&BatchedStart { marks: &marks, state: &state }, params, nodes as usize);
        };
        DeviceLoop::record(device, "apsp sssp", &state, start, |recorder, _| {
            for Part { graph, rows, weights } in &self.parts {
                let (length, matrix) = (self.length, &self.words);
                let step = Batched { length, graph, weights, matrix, marks: &marks, state: &state };
                let params = BatchedParams { rows: *rows, ..params };
                recorder.dispatch_indirect(&step, params, &state, LoopHeader::GROUPS);
            }
        })
    }
}

/// The invocations of so many workgroups, as a dispatch counts.
fn workgroups(count: u32) -> usize {
    count as usize * WORKGROUP as usize
}

//! A worker's part of a breadth-first search on its device: the levels of the strategy `direction`, of which each has the worker's rows alone. Here
//! the host chooses the direction, with the other workers, so it writes the state before each level. All nodes have a depth and a bit on the device;
//! only of the worker's own nodes they are complete.

use super::{
    super::{
        bfs::{LocalSearch, Pushed},
        blocks::{Reader, Writer},
        share::Share,
    },
    Observed,
};
use crate::{
    Result,
    device::{Buffer, Device, Recorder, Recording},
    engine::{DevicePartition, SharedGraph, edge_shift, loops::refuse_unending_rows},
    strategy::MAX_GROUPS,
};
use evenkeel_kernels::{
    frontier::HEAVY,
    launch::Buffers,
    strategy::direction::{
        COLLECT, LONG, PULL, PUSH, SearchData, SearchLevel, SearchParams, SearchState,
        begin::{SearchIsolated, SearchStart},
        exchange::{AS_BITS, SearchBits, SearchMerge, SearchPart as Part, SearchReceive, SearchSortOut},
    },
};
use evenkeel_types::{LoopHeader, LoopReport, LoopState, RowRange, UNREACHED, WORKGROUP};
use rayon::prelude::*;

/// A part of a search on a device.
pub struct SearchOnDevice<'a> {
    share: &'a Share,
    device: Device,
    part: Part,
    buffers: SearchBuffers,
    recordings: Recordings,
    /// Whether the frontier is on a list: after a pull it is known by its bits and depths alone.
    is_listed: bool,
    /// That list, 0 or 1, or the one before.
    half: u32,
    /// The bitmap that is up to date, 0 or 1.
    side: u32,
    /// The nodes of the frontier, and those of them that are heavy.
    count: u32,
    heavy: u32,
}

struct SearchBuffers {
    data: SearchData<Buffers>,
    state: Buffer<SearchState>,
    source: Buffer<u32>,
    /// Nodes of others that were found, behind their number.
    outgoing: Buffer<u32>,
    /// Nodes of this worker that others have found: see [`SearchReceive`].
    received: Buffer<u32>,
    /// The frontier of all workers as bits.
    frontier: Buffer<u32>,
    /// The worker's part of it.
    own_frontier: Buffer<u32>,
}

struct Recordings {
    start: Recording,
    push: Observed<SearchState>,
    collect: Observed<SearchState>,
    receive: Observed<SearchState>,
    pull: Observed<SearchState>,
    bits: Recording,
}

impl<'a> SearchOnDevice<'a> {
    /// Copies a share to a device, and makes it ready.
    pub fn new(device: &Device, share: &'a Share) -> Result<Self> {
        device.prepare(|device| Self::build(device, share))
    }

    fn build(device: &Device, share: &'a Share) -> Result<Self> {
        let csr = &share.graph.csr.without_weights();
        refuse_unending_rows(device, csr)?;
        let (nodes, rows) = (csr.nodes() as usize, share.rows.clone());
        let long: Vec<u32> = rows.clone().filter(|node| csr.degree(*node) > LONG).collect();
        let part = Part { nodes: csr.nodes(), first: rows.start, count: rows.len() as u32 };
        let (words, own_words) = (part.words() as usize, part.own_words() as usize);
        let graph = SharedGraph::new(device, csr);
        let parts = graph.partitions()?;
        let params = SearchParams {
            nodes: csr.nodes(),
            edges: (csr.edges() >> edge_shift(csr)) as u32,
            edge_shift: edge_shift(csr),
            max_groups: MAX_GROUPS,
            // The host chooses, so that nothing is left to many levels in one dispatch, nor to the end of a search.
            pull_factor: 0,
            symmetric: 0,
            short: 0,
            medium: 0,
            cooperating: 0,
            loop_limit: 0,
            mean_degree: 0,
            long: long.len() as u32,
            hubs: 0,
            target: UNREACHED,
            rows: parts[0].rows,
            incoming_rows: parts[0].rows,
        };
        let buffers = SearchBuffers {
            data: SearchData {
                depths: device.buffer("depths", nodes)?,
                visited: device.buffer("visited", 2 * words)?,
                lists: device.buffer("lists", 2 * nodes)?,
            },
            state: device.buffer("state", 1)?,
            source: device.buffer("source", 1)?,
            outgoing: device.buffer("outgoing", nodes + 1)?,
            received: device.buffer("received", own_words + 1)?,
            frontier: device.buffer("frontier", words)?,
            own_frontier: device.buffer("own frontier", own_words)?,
        };
        let isolated = &device.buffer("isolated", words)?;
        let find = SearchIsolated { graph: &parts[0].graph, isolated };
        device.record("isolated nodes", |recorder| recorder.dispatch(&find, params, words))?.run()?;
        let long = &device.buffer_from("long rows", &long)?;
        let recordings = Recordings::new(device, parts, (params, part), &buffers, isolated, long)?;
        let device = device.clone();
        Ok(Self { share, device, part, buffers, recordings, is_listed: true, half: 0, side: 0, count: 0, heavy: 0 })
    }

    /// The state before a step with about so many items, of a search that has come to the depth `level`.
    fn state(&self, level: u32, items: usize) -> SearchState {
        let groups = items.div_ceil(WORKGROUP as usize).clamp(1, MAX_GROUPS as usize) as u32;
        let report = LoopReport { frontier: self.count, iteration: level, ..Default::default() };
        SearchState {
            header: LoopHeader { report, groups: [groups, 1, 1], ticket: 0 },
            persistent_groups: [0, 1, 1],
            cooperating_groups: [0, 1, 1],
            half: self.half,
            side: self.side,
            heavy: self.heavy,
            // Nodes with many edges are always looked at.
            long_left: [level; 2],
            ..SearchState::default()
        }
    }

    /// Writes the state, runs a step, and returns the state after it.
    fn run(
        &mut self,
        state: SearchState,
        step: fn(&mut Recordings) -> &mut Observed<SearchState>,
    ) -> Result<SearchState> {
        self.device.upload(&self.buffers.state, 0, &[state])?;
        step(&mut self.recordings).run()
    }

    /// Makes the frontier a list, if it is not. It has the depth `level`.
    fn list(&mut self, level: u32) -> Result<()> {
        if !self.is_listed {
            let state = SearchState { mode: COLLECT, ..self.state(level, self.part.nodes as usize) };
            let after = self.run(state, |recordings| &mut recordings.collect)?;
            (self.half, self.count, self.heavy) = (after.half, after.header.report.frontier, after.heavy);
            self.is_listed = true;
        }
        Ok(())
    }

    /// The mean number of edges of a node of this worker.
    fn mean_degree(&self) -> usize {
        self.share.graph.csr.columns().len() / self.share.rows.len().max(1)
    }
}

impl Recordings {
    fn new(
        device: &Device,
        parts: &[DevicePartition],
        (params, part): (SearchParams, Part),
        buffers: &SearchBuffers,
        isolated: &Buffer<u32>,
        long: &Buffer<u32>,
    ) -> Result<Self> {
        let SearchBuffers { data, state, source, outgoing, received, frontier, own_frontier } = buffers;
        let graph = &parts[0].graph;
        let looking = |name: &str, steps: &dyn Fn(&mut Recorder)| {
            Observed::record(device, name, state, |recorder| steps(recorder))
        };
        let level = |recorder: &mut Recorder| {
            for DevicePartition { graph, rows } in parts {
                let level = SearchLevel { graph, incoming: graph, data, state, long, hubs: long };
                let params = SearchParams { rows: *rows, incoming_rows: own(rows, part), ..params };
                recorder.dispatch_indirect(&level, params, state, SearchState::GROUPS);
            }
        };
        Ok(Self {
            start: device.record("bfs, start", |recorder| {
                let start = SearchStart { graph, source, isolated, data, state };
                recorder.dispatch(&start, params, params.nodes as usize);
            })?,
            push: looking("bfs, push", &|recorder| {
                level(recorder);
                let sort_out = SearchSortOut { graph, data, state, outgoing };
                recorder.dispatch_indirect(&sort_out, part, state, SearchState::GROUPS);
            })?,
            collect: looking("bfs, collect", &level)?,
            receive: looking("bfs, receive", &|recorder| {
                let receive = SearchReceive { graph, received, data, state };
                recorder.dispatch(&receive, part, part.own_words() as usize);
            })?,
            pull: looking("bfs, pull", &|recorder| {
                recorder.dispatch(&SearchMerge { frontier, data, state }, part, part.words() as usize);
                level(recorder);
            })?,
            bits: device.record("bfs, frontier", |recorder| {
                let bits = SearchBits { data, state, frontier: own_frontier };
                recorder.dispatch(&bits, part, part.own_words() as usize);
            })?,
        })
    }
}

/// The rows of a partition that are the worker's own: only these pull.
fn own(rows: &RowRange, part: Part) -> RowRange {
    let first = rows.first.max(part.first);
    let end = rows.end().min(part.first + part.count);
    RowRange { first: first.min(end), count: end.saturating_sub(first), ..*rows }
}

impl LocalSearch for SearchOnDevice<'_> {
    fn begin(&mut self, source: u32) -> Result<()> {
        self.device.upload(&self.buffers.source, 0, &[source])?;
        self.recordings.start.run()?;
        let is_own = self.share.rows.contains(&source);
        let is_heavy = is_own && self.share.graph.csr.degree(source) > HEAVY;
        (self.is_listed, self.half, self.side) = (true, 0, 0);
        (self.count, self.heavy) = (is_own.into(), is_heavy.into());
        Ok(())
    }

    fn push(&mut self, level: u32) -> Result<Pushed> {
        self.list(level - 1)?;
        if self.count == 0 {
            return Ok(Pushed { count: 0, nodes: Vec::new() });
        }
        self.device.upload(&self.buffers.outgoing, 0, &[0])?;
        let items = self.count as usize * self.mean_degree().max(2) / 2;
        let after = self.run(SearchState { mode: PUSH, ..self.state(level - 1, items) }, |it| &mut it.push)?;
        let LoopReport { frontier: found, next, .. } = after.header.report;
        // This worker's own are on the list that was read before.
        (self.count, self.heavy) = (next + after.next_heavy, after.next_heavy);
        let mut nodes = vec![0; (found - self.count) as usize];
        self.device.download_from(&self.buffers.outgoing, 1, &mut nodes)?;
        nodes.par_sort_unstable();
        Ok(Pushed { count: found.into(), nodes })
    }

    fn take(&mut self, level: u32, found: Vec<Reader<'_>>) -> Result<()> {
        let (rows, words) = (&self.share.rows, self.part.own_words() as usize);
        let mut list = vec![0];
        // As many words hold all nodes as bits.
        if found.iter().map(Reader::most_nodes).sum::<usize>() <= words {
            found.into_iter().for_each(|reader| reader.nodes(rows, |node| list.push(node)));
            list[0] = list.len() as u32 - 1;
        } else {
            list = vec![0; words + 1];
            let bits = bytemuck::cast_slice_mut(&mut list[1..]);
            found.into_iter().for_each(|reader| reader.set_bits(rows, rows.start, bits));
            list[0] = AS_BITS;
        }
        if list[0] == 0 {
            return Ok(());
        }
        self.device.upload(&self.buffers.received, 0, &list)?;
        // What is found goes where this worker's own are.
        let mut state = SearchState { half: 1 - self.half, next_heavy: self.heavy, ..self.state(level, 1) };
        state.header.report.next = self.count - self.heavy;
        let after = self.run(state, |it| &mut it.receive)?;
        (self.count, self.heavy) = (after.header.report.next + after.next_heavy, after.next_heavy);
        Ok(())
    }

    fn frontier(&mut self, level: u32) -> Result<Writer> {
        let block = Writer::with(&[self.count.into()]);
        if self.count == 0 {
            return Ok(block.nodes(&[], &self.share.rows));
        }
        self.device.upload(&self.buffers.state, 0, &[self.state(level, 1)])?;
        self.recordings.bits.run()?;
        let bits = self.device.download(&self.buffers.own_frontier)?;
        Ok(block.bits(bytemuck::cast_slice(&bits), self.count.into(), &self.share.rows))
    }

    fn pull(&mut self, level: u32, frontier: Vec<Reader<'_>>) -> Result<()> {
        let mut bits = vec![0_u32; self.part.words() as usize];
        for (worker, reader) in frontier.into_iter().enumerate() {
            reader.set_bits(&self.share.ranges.of(worker), 0, bytemuck::cast_slice_mut(&mut bits));
        }
        self.device.upload(&self.buffers.frontier, 0, &bits)?;
        let items = (2 * self.part.words() as usize).max(self.share.graph.csr.columns().len());
        let after = self.run(SearchState { mode: PULL, ..self.state(level - 1, items) }, |it| &mut it.pull)?;
        (self.side, self.count, self.is_listed) = (after.side, after.header.report.frontier, false);
        Ok(())
    }

    fn depths(&self) -> Result<Vec<u32>> {
        let mut depths = vec![0; self.share.rows.len()];
        self.device.download_from(&self.buffers.data.depths, self.share.rows.start as usize, &mut depths)?;
        Ok(depths)
    }
}

//! The edges of one piece of a text, and their joining into one edge list: the pieces' lengths are added up, then all pieces
//! are copied to their places in parallel.

use super::{
    lines::{Flaw, Line, Text},
    rounding::{Rounding, Unit},
    weight::Weight,
};
use bytemuck::Pod;
use evenkeel_base::Result;
use evenkeel_graph::{EdgeWeights, build::concatenate, csr::MOST_NODES};

/// Nodes any file may claim. A file may claim more when it is large: [`NODES_PER_BYTE`] for each of its bytes.
const FREE_NODES: u64 = 1 << 26;

// A line of an edge is at least four bytes long, so that this allows 256 nodes for each edge.
const NODES_PER_BYTE: u64 = 64;

/// A guess at the length of an edge's line, for reserving memory.
const BYTES_PER_EDGE: usize = 12;

/// Edges read so far. `Id` is u32 where nodes are counted, u64 where ids are arbitrary.
pub(super) struct Batch<Id> {
    pub sources: Vec<Id>,
    pub targets: Vec<Id>,
    pub weights: EdgeWeights,
    /// What became of the weights.
    pub rounding: Rounding,
}

impl<Id> Batch<Id> {
    /// A batch for the edges of `bytes` bytes of text, whose weights are those of `weights`: an empty column, or none.
    pub fn new(bytes: usize, weights: EdgeWeights) -> Self {
        let edges = bytes / BYTES_PER_EDGE;
        let (sources, targets) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        let rounding = Rounding::new(&weights, Unit::Byte);
        Self { sources, targets, weights, rounding }
    }

    /// Makes a batch whose weights are located by something else than a byte position.
    pub fn with_places_in(self, unit: Unit) -> Self {
        Self { rounding: Rounding::new(&self.weights, unit), ..self }
    }

    /// Adds an edge, with the next field of the line as its weight if edges have weights.
    #[inline]
    pub fn push(&mut self, source: Id, target: Id, line: &mut Line<'_>) -> Result<(), Flaw> {
        if !self.weights.is_none() {
            let Some(field) = line.field() else { return Err(line.flaw("the line ends where a weight should be")) };
            self.push_weight_of(field, line)?;
        }
        self.sources.push(source);
        self.targets.push(target);
        Ok(())
    }

    /// Adds a field of a line to the weights: whole when it is written as digits that fit 32 bits, else a finite real.
    #[inline]
    pub fn push_weight_of(&mut self, field: &[u8], line: &Line<'_>) -> Result<(), Flaw> {
        // Most weights are whole, which needs no error and no other kind of weight to be made.
        match lexical_core::parse::<u32>(field) {
            Ok(whole) => self.push_weight(Weight::Whole(whole), line.position),
            Err(_) => self.push_weight(Weight::of_text(field).map_err(|reason| line.flaw(reason))?, line.position),
        }
        Ok(())
    }

    /// Adds the weight at a place of the file.
    #[inline]
    pub fn push_weight(&mut self, weight: Weight, place: usize) {
        self.rounding.push(&mut self.weights, weight, place);
    }
}

/// Reads the lines from byte `start` on that are data, each with `read`, and joins their edges in file order.
pub(super) fn read_edges<Id: Pod + Send + Sync>(
    text: Text<'_>,
    start: usize,
    weights: &EdgeWeights,
    is_data: impl Fn(&Line<'_>) -> bool + Sync,
    read: impl Fn(&mut Line<'_>, &mut Batch<Id>) -> Result<(), Flaw> + Sync,
) -> Result<Batch<Id>> {
    join(read_batches(text, start, weights, is_data, read)?)
}

/// Reads the lines from byte `start` on that are data, each with `read`; the batches are in file order.
pub(super) fn read_batches<Id: Pod + Send + Sync>(
    text: Text<'_>,
    start: usize,
    weights: &EdgeWeights,
    is_data: impl Fn(&Line<'_>) -> bool + Sync,
    read: impl Fn(&mut Line<'_>, &mut Batch<Id>) -> Result<(), Flaw> + Sync,
) -> Result<Vec<Batch<Id>>> {
    text.in_pieces(start, |lines| {
        let mut batch = Batch::new(lines.bytes.len(), weights.clone());
        for mut line in lines.filter(&is_data) {
            read(&mut line, &mut batch)?;
        }
        Ok(batch)
    })
}

/// Checks a number of nodes that a file claims, before anything of that size is allocated.
pub(super) fn check_claimed_nodes(text: Text<'_>, nodes: u64) -> Result<u32> {
    check_nodes(text, nodes)?;
    let bytes = text.bytes.len() as u64;
    let believed = FREE_NODES.saturating_add(bytes.saturating_mul(NODES_PER_BYTE));
    if nodes > believed {
        return Err(text.error_of_file(format!(
            "the file claims {nodes} nodes, but a file of {bytes} bytes is believed only up to {believed} \
             ({FREE_NODES} and {NODES_PER_BYTE} a byte)"
        )));
    }
    Ok(nodes as u32)
}

pub(super) fn check_nodes(text: Text<'_>, nodes: u64) -> Result<()> {
    match nodes > MOST_NODES {
        true => Err(text.error_of_file(format!("{nodes} nodes are too many: 32-bit indices allow {MOST_NODES}"))),
        false => Ok(()),
    }
}

/// Whether as many edges are there as a header promised: if not, that is an error where promises are kept, else a warning.
pub(super) fn check_edges(text: Text<'_>, keeps_promise: bool, promised: u64, found: usize) -> Result<()> {
    if found as u64 != promised && keeps_promise {
        return Err(text.error_of_file(format!("the header promises {promised} edges, but the file holds {found}")));
    }
    if found as u64 != promised {
        tracing::warn!("{}: {promised} edges promised, {found} there", text.path.display());
    }
    Ok(())
}

/// Joins batches in their order. One array is joined after the other, and the pieces of each are given back before the next, so that the
/// copy never takes as much as what is copied.
pub(super) fn join<Id: Pod + Send + Sync>(mut batches: Vec<Batch<Id>>) -> Result<Batch<Id>> {
    if batches.len() == 1
        && let Some(only) = batches.pop()
    {
        return Ok(only);
    }
    let rounding = batches.iter().map(|batch| batch.rounding.clone()).reduce(Rounding::and_then).unwrap_or_default();
    let weights = batches.iter_mut().map(|batch| std::mem::replace(&mut batch.weights, EdgeWeights::None));
    let weights = join_weights(weights.collect())?;
    let (sources, targets): (Vec<_>, Vec<_>) = batches.into_iter().map(|batch| (batch.sources, batch.targets)).unzip();
    let sources = join_pieces(sources)?;
    Ok(Batch { sources, targets: join_pieces(targets)?, weights, rounding })
}

fn join_pieces<T: Pod + Send + Sync>(pieces: Vec<Vec<T>>) -> Result<Vec<T>> {
    concatenate(&pieces, |item| item)
}

fn join_weights(mut columns: Vec<EdgeWeights>) -> Result<EdgeWeights> {
    columns.retain(|weights| !weights.is_none());
    if columns.iter().any(|weights| matches!(weights, EdgeWeights::F32(_))) {
        let reals = columns.into_iter().map(|weights| match weights {
            EdgeWeights::F32(column) => column,
            EdgeWeights::U32(column) => column.into_iter().map(|whole| whole as f32).collect(),
            EdgeWeights::None => Vec::new(),
        });
        return Ok(EdgeWeights::F32(join_pieces(reals.collect())?));
    }
    let whole = columns.into_iter().filter_map(|weights| match weights {
        EdgeWeights::U32(column) => Some(column),
        _ => None,
    });
    let whole: Vec<_> = whole.collect();
    Ok(if whole.is_empty() { EdgeWeights::None } else { EdgeWeights::U32(join_pieces(whole)?) })
}

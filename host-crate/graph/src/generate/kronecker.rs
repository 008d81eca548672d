//! What rmat and graph500 share: each edge is a cell of a 2^scale × 2^scale matrix, found bit by bit; then ids are shuffled, so
//! that an id says nothing of a degree.

use super::{
    Parts, build_drawn, check_drawn,
    random::{Stream, ranks},
};
use crate::{Csr, array::zeroed};
use evenkeel_base::{Error, Result};
use rayon::prelude::*;

/// Refuses a scale whose nodes cannot be counted, or with more draws than could be stored.
pub(super) fn check_scale(scale: u32, edge_factor: u64) -> Result<()> {
    if scale > 31 {
        return Err(Error::Graph(format!(
            "scale={scale} means 2^{scale} nodes, and node ids are 32 bits wide: at most 31"
        )));
    }
    check_drawn(1 << scale, edge_factor.saturating_mul(1 << scale))
}

/// The edges of a graph whose edge `index` is `cell(index)`, a row and a column, one by one.
pub(super) fn shuffled_parts<'a>(
    scale: u32,
    edge_factor: u64,
    seed: u64,
    cell: impl Fn(u64) -> (u32, u32) + Sync + 'a,
) -> Result<Parts<'a>> {
    let nodes = 1 << scale;
    let new_ids = ranks(nodes, Stream::SHUFFLE.seeded(seed))?;
    let ends = move |index| <[u32; 2]>::from(cell(index)).map(|end| new_ids[end as usize]);
    Ok(Parts::Drawn { nodes, draws: u64::from(nodes) * edge_factor, ends: Box::new(ends) })
}

/// The graph whose edge `index` is `cell(index)`, a row and a column.
pub(super) fn shuffled(
    scale: u32,
    edge_factor: u64,
    seed: u64,
    directed: bool,
    cell: impl Fn(u64) -> (u32, u32) + Sync,
) -> Result<Csr> {
    const CHUNK: usize = 1024;
    let nodes = 1 << scale;
    let new_ids = ranks(nodes, Stream::SHUFFLE.seeded(seed))?;
    // Kept, since a cell takes longer to find than to store and the builder visits it twice.
    let mut ends = zeroed::<[u32; 2]>(u64::from(nodes) * edge_factor)?;
    ends.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, ends)| {
        for (index, ends) in ends.iter_mut().enumerate() {
            *ends = cell((chunk * CHUNK + index) as u64).into();
        }
        // On their own, so that the processor waits for many of these misses of its caches at once.
        for end in ends.as_flattened_mut() {
            *end = new_ids[*end as usize];
        }
    });
    let edges = ends.len() as u64;
    build_drawn(nodes, edges, directed, move |index| ends[index as usize])
}

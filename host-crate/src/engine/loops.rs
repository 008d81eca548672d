//! How many rounds the loops of an invocation go through. Some drivers stop an invocation after a number of rounds, of all its loops together,
//! with a wrong answer and no error: llvmpipe after 65,535. So every strategy and schedule says what it may need at most, and where that is
//! more than the driver allows, it is refused before it runs.

use crate::{
    Error, Result,
    device::{Device, DeviceInfo},
    graph::Csr,
};
use evenkeel_types::WORKGROUP;

/// The most edges that a node has.
pub(crate) fn longest_row(csr: &Csr) -> u64 {
    csr.max_degree_node().map_or(0, |node| csr.degree(node).into())
}

/// The most edges that lead to a node.
pub(crate) fn longest_column(csr: &Csr) -> u64 {
    if csr.is_symmetric() {
        return longest_row(csr);
    }
    let mut counts = vec![0u64; csr.nodes() as usize];
    csr.columns().iter().for_each(|&target| counts[target as usize] += 1);
    counts.into_iter().max().unwrap_or_default()
}

/// The most rounds of an invocation that has a row to itself.
pub(crate) fn rounds_of_a_row(edges: u64) -> u64 {
    edges + BESIDE
}

/// The most rounds of an invocation if an edge that finds a node lists all pieces of that node in a loop of its own.
pub(crate) fn rounds_of_a_row_in_pieces(edges: u64) -> u64 {
    3 * edges + BESIDE
}

/// The most rounds of an invocation where shares are of a fixed length, or a subgroup or a workgroup takes a long row: pieces of the longest row
/// are joined at the end, and empty rows are passed over by a workgroup.
pub(crate) fn rounds_of_a_share(csr: &Csr) -> u64 {
    longest_row(csr) / LEAST_SUBGROUP + u64::from(csr.nodes()) / u64::from(WORKGROUP) + BESIDE
}

/// The most rounds of an invocation whose group shares the edges of as many rows as it has invocations, whichever these are: for each edge it
/// searches for the row.
pub(crate) fn rounds_of_a_group(csr: &Csr, group: u32) -> u64 {
    let edges = edges_of_longest(csr, group.max(1) as usize);
    edges.div_ceil(group.max(1).into()) * u64::from(4 + group.max(1).ilog2()) + u64::from(group) + BESIDE
}

/// The most rounds of an invocation where workgroups take chunks of `chunk` tiles as they get done: one of them may take all chunks, and an
/// invocation the longest tiles of each. `atoms` says how many atoms so many tiles have at most.
pub(crate) fn rounds_of_chunks(tiles: u32, chunk: u32, atoms: impl Fn(usize) -> u64) -> u64 {
    let width = (LEAST_LANES / chunk.max(1)).clamp(1, LEAST_SUBGROUP as u32);
    let tiles = tiles_of_chunks(tiles, chunk);
    // A chunk is taken in a few attempts, and what the lanes have of a tile is joined.
    atoms(tiles as usize) / u64::from(width) + 24 * tiles + BESIDE
}

/// The most tiles that an invocation takes of, where workgroups take chunks of `chunk` tiles.
fn tiles_of_chunks(tiles: u32, chunk: u32) -> u64 {
    u64::from(tiles.div_ceil(chunk.max(1))) * u64::from(chunk.div_ceil(LEAST_LANES).max(1))
}

/// How many edges so many rows have at most.
pub(crate) fn edges_of_longest(csr: &Csr, rows: usize) -> u64 {
    let mut degrees: Vec<u64> = (0..csr.nodes()).map(|node| csr.degree(node).into()).collect();
    let most = degrees.len().min(rows);
    if most == 0 {
        return 0;
    }
    degrees.select_nth_unstable_by(most - 1, |one, other| other.cmp(one));
    degrees[..most].iter().sum()
}

/// The fewest invocations that share a long row.
const LEAST_SUBGROUP: u64 = 4;

/// The fewest lanes of a workgroup on devices with such a limit, where two invocations at most are one lane.
const LEAST_LANES: u32 = WORKGROUP / 2;

/// The iterations of all loops but those over edges: prefix sums, searches in lists of offsets.
const BESIDE: u64 = 512;

/// Refuses what an invocation needs more rounds of loops for than the driver lets it go through: the driver would stop it in the middle, with a
/// wrong answer and no error. `rounds` is only asked for where there is such a limit.
pub(crate) fn refuse_long_loops(device: &DeviceInfo, rounds: impl FnOnce() -> u64) -> Result<()> {
    let Some(limit) = device.loop_limit else { return Ok(()) };
    let rounds = rounds();
    if rounds < limit.into() {
        return Ok(());
    }
    Err(Error::Unsupported(format!(
        "an invocation may need {rounds} rounds of its loops here, and the driver of {} stops it after {limit}; take a strategy or schedule \
         that shares long rows out, or --device cpu",
        device.name
    )))
}

/// Refuses a graph with a row that the driver would stop in the middle of, with a wrong answer and no error.
pub fn refuse_unending_rows(device: &Device, csr: &Csr) -> Result<()> {
    let info = device.info();
    // Most devices have no limit, and then there is nothing to look for.
    let Some(limit) = info.loop_limit else { return Ok(()) };
    match csr.max_degree_node() {
        Some(node) if u64::from(csr.degree(node)) + BESIDE >= u64::from(limit) => Err(Error::Unsupported(format!(
            "a node has {} edges, and the driver of {} stops every loop after {limit} rounds; take --device cpu",
            csr.degree(node),
            info.name
        ))),
        _ => Ok(()),
    }
}

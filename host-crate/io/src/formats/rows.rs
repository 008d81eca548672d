//! Writing text: the rows of a graph are formatted in parallel, a group of blocks at a time, and written in order.

use evenkeel_graph::{Graph, NodeName, Weights, weights::is_whole};
use lexical_core::FormattedSize;
use rayon::prelude::*;
use std::io::{self, Write};

const BLOCK_NODES: u32 = 1 << 12;
// Bounds the text held in memory: 64 blocks of 4,096 nodes are some tens of megabytes at ordinary degrees.
const GROUP_BLOCKS: usize = 64;

/// Writes what `row` appends for each node, in the order of nodes.
pub(super) fn write_rows(graph: &Graph, out: &mut dyn Write, row: impl Fn(u32, &mut Vec<u8>) + Sync) -> io::Result<()> {
    let nodes = graph.csr.nodes();
    let starts: Vec<u32> = (0..nodes).step_by(BLOCK_NODES as usize).collect();
    for group in starts.chunks(GROUP_BLOCKS) {
        let format_block = |start: &u32| {
            let mut text = Vec::new();
            for node in *start..start.saturating_add(BLOCK_NODES).min(nodes) {
                row(node, &mut text);
            }
            text
        };
        let texts: Vec<Vec<u8>> = group.par_iter().map(format_block).collect();
        texts.iter().try_for_each(|text| out.write_all(text))?;
    }
    Ok(())
}

/// The edges that a file lists in `node`'s row, as (target, position): of an undirected graph each edge at its lower end.
pub(super) fn listed(graph: &Graph, node: u32) -> impl Iterator<Item = (u32, usize)> {
    let row = graph.csr.row(node);
    let targets = graph.csr.columns()[row.clone()].iter().copied().zip(row);
    targets.filter(move |(target, _)| graph.directed || *target >= node)
}

/// How many edges [`listed`] gives in all.
pub(super) fn listed_edges(graph: &Graph) -> u64 {
    match graph.directed {
        true => graph.csr.edges(),
        false => (0..graph.csr.nodes()).into_par_iter().map(|node| listed(graph, node).count() as u64).sum(),
    }
}

pub(super) fn push_whole(text: &mut Vec<u8>, value: u64) {
    text.extend_from_slice(lexical_core::write(value, &mut [0; u64::FORMATTED_SIZE_DECIMAL]));
}

/// Appends a separator and the weight at `position`; nothing when there are no weights. A real is written so that it is read
/// back as the same real, and never as a whole number.
pub(super) fn push_weight(text: &mut Vec<u8>, separator: u8, weights: &Weights, position: usize) {
    match weights {
        Weights::None => {}
        Weights::U32(column) => {
            text.push(separator);
            push_whole(text, u64::from(column[position]));
        }
        Weights::F32(column) => {
            text.push(separator);
            let (real, mut digits) = (column[position], [0; f64::FORMATTED_SIZE_DECIMAL]);
            // All digits of a whole number: programs that read 64 bits would take the fewest for another one.
            text.extend_from_slice(match is_whole(real.into()) {
                true => lexical_core::write(f64::from(real), &mut digits),
                false => lexical_core::write(real, &mut digits),
            });
        }
    }
}

/// What formats without ids of their own call a node.
pub(super) fn counted<'a>(node: u32) -> NodeName<'a> {
    NodeName::Number(u64::from(node) + 1)
}

pub(super) fn push_name(text: &mut Vec<u8>, name: &NodeName<'_>) {
    match name {
        NodeName::Number(number) => push_whole(text, *number),
        NodeName::Text(name) => text.extend_from_slice(name.as_bytes()),
    }
}

/// Appends a line for an edge: `prefix`, both ends and the weight if there is one.
pub(super) fn push_edge(
    text: &mut Vec<u8>,
    prefix: &str,
    ends: &[NodeName<'_>; 2],
    weights: &Weights,
    position: usize,
) {
    text.extend_from_slice(prefix.as_bytes());
    push_name(text, &ends[0]);
    text.push(b' ');
    push_name(text, &ends[1]);
    push_weight(text, b' ', weights, position);
    text.push(b'\n');
}

/// Writes a line for each listed edge, with the names that `name` gives the nodes.
pub(super) fn write_edges<'a>(
    graph: &'a Graph,
    out: &mut dyn Write,
    prefix: &str,
    name: impl Fn(u32) -> NodeName<'a> + Sync,
    weights: &Weights,
) -> io::Result<()> {
    write_rows(graph, out, |node, text| {
        for (target, position) in listed(graph, node) {
            push_edge(text, prefix, &[node, target].map(&name), weights, position);
        }
    })
}

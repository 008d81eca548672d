//! `--output`: an answer as text, one line a node in the order of the graph, formatted by all threads.

use crate::{algorithm::Answer, graph::Graph};
use rayon::prelude::*;
use std::{
    fmt::Write as _,
    io::{self, Write},
};

/// Nodes that one thread formats at a time: half a megabyte of text.
const PIECE: u32 = 1 << 15;

/// Writes `id value` for each node, by its own id, with `inf` for those not reached.
pub fn write(answer: &impl Answer, graph: &Graph, writer: &mut dyn Write) -> io::Result<()> {
    let nodes = graph.csr.nodes();
    let pieces: Vec<u32> = (0..nodes.div_ceil(PIECE)).collect();
    // A few pieces a thread at a time: enough to keep all busy, without holding the whole text.
    for batch in pieces.chunks(4 * rayon::current_num_threads()) {
        let format = |piece: &u32| piece_text(answer, graph, *piece);
        for text in batch.par_iter().map(format).collect::<Vec<String>>() {
            writer.write_all(text.as_bytes())?;
        }
    }
    Ok(())
}

fn piece_text(answer: &impl Answer, graph: &Graph, piece: u32) -> String {
    let first = piece * PIECE;
    let last = first.saturating_add(PIECE).min(graph.csr.nodes());
    let mut text = String::with_capacity(16 * PIECE as usize);
    for node in first..last {
        let id = graph.ids.name(node);
        // Writing to a string does not fail.
        let _ = match answer.value(node) {
            Some(value) => write!(text, "{id} {value}"),
            None => write!(text, "{id} inf"),
        };
        answer.further_columns(node, &graph.ids, &mut text);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        algorithm::Value,
        graph::{Csr, NodeIds, Weights},
    };

    struct EveryOther;

    impl Answer for EveryOther {
        fn value(&self, node: u32) -> Option<Value> {
            node.is_multiple_of(2).then_some(Value::Real(node as f32 / 4.0))
        }

        fn further_columns(&self, node: u32, ids: &NodeIds, line: &mut String) {
            let _ = write!(line, " {}0", ids.name(node));
        }
    }

    #[test]
    fn lines_are_in_order_across_pieces() {
        let nodes = 9 * PIECE + 5;
        let csr = Csr::new(vec![0; nodes as usize + 1], vec![], Weights::None).unwrap();
        let graph = Graph { name: String::new(), csr, ids: NodeIds::Counted { first: 1 }, directed: true };
        let mut written = Vec::new();
        write(&EveryOther, &graph, &mut written).unwrap();
        let lines: Vec<&str> = str::from_utf8(&written).unwrap().lines().collect();
        assert_eq!(lines.len(), nodes as usize);
        assert_eq!(lines[..3], ["1 0 10", "2 inf 20", "3 0.5 30"]);
        for (line, id) in lines.iter().zip(1..) {
            assert!(line.starts_with(&format!("{id} ")), "{line} is not of {id}");
        }
    }
}

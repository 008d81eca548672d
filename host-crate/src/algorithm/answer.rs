//! Answers: a value for each node that was reached, and how they are compared and written.

use crate::{
    graph::{Graph, NodeIds},
    oracle::Mismatch,
};
use serde::Serialize;
use std::{
    fmt,
    io::{self, Write},
};

/// A number that an algorithm finds: for a node, or about the whole answer. In JSON it is a plain number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A depth, a colour, or a distance of whole weights.
    Whole(u32),
    /// A distance of real weights, or another number in single precision.
    Real(f32),
    /// A number in double precision.
    Double(f64),
    /// A count or an id.
    Count(u64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
            Self::Double(value) => value.fmt(f),
            Self::Count(value) => value.fmt(f),
        }
    }
}

/// A value for each node that was reached.
pub trait Answer: Sync {
    /// What was found for a node; none when it was not reached.
    fn value(&self, node: u32) -> Option<Value>;

    /// Appends further columns of a node's line in the output, each with a space before it.
    fn further_columns(&self, _node: u32, _ids: &NodeIds, _line: &mut String) {}

    /// Writes the answer for a program, where it has a binary form; returns false when it has none.
    fn write_binary(&self, _writer: &mut dyn Write) -> io::Result<bool> {
        Ok(false)
    }
}

/// A value as a person reads it: a node that was not reached is at `inf`.
pub(super) fn text(value: Option<Value>) -> String {
    value.map_or("inf".to_owned(), |value| value.to_string())
}

/// The first node whose value differs.
pub fn first_difference(expected: &impl Answer, found: &impl Answer, graph: &Graph) -> Option<Mismatch> {
    let node = (0..graph.csr.nodes()).find(|&node| expected.value(node) != found.value(node))?;
    Some(Mismatch { node, expected: text(expected.value(node)), found: text(found.value(node)) })
}

//! What an algorithm finds for a node: a whole number or a real.

use serde::Serialize;
use std::fmt;

/// See the module. In JSON it is a plain number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A depth, or a distance of whole weights.
    Whole(u32),
    /// A distance of real weights.
    Real(f32),
    /// A number in double precision.
    Double(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(f),
            Self::Real(value) => value.fmt(f),
            Self::Double(value) => value.fmt(f),
        }
    }
}

//! Answers: columns of values, one or more for each node or edge, and how they are compared. Whoever writes an answer reads its columns
//! and knows nothing else of it.

use crate::{
    graph::{
        Csr, Graph,
        weights::{Shown, is_whole},
    },
    oracle::Mismatch,
};
use evenkeel_types::UNREACHED;
use serde::{Serialize, Serializer};
use std::{any::Any, borrow::Cow, fmt};

/// A number that an algorithm finds: for a node, or about the whole answer. In JSON it is a plain number, or true or false.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// A depth, a colour, or a distance of whole weights.
    Whole(u32),
    /// A distance of real weights, or another number in single precision.
    #[serde(serialize_with = "exactly")]
    Real(f32),
    /// A number in double precision.
    Double(f64),
    /// A count, an id, or a distance that exceeds 32 bits.
    Count(u64),
    /// Whether something holds.
    Truth(bool),
}

/// A whole number keeps all its digits, which the shortest text for a 32-bit real would round.
fn exactly<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    match is_whole((*value).into()) {
        true => serializer.serialize_f64((*value).into()),
        false => serializer.serialize_f32(*value),
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(value) => value.fmt(f),
            Self::Real(value) => Shown(*value).fmt(f),
            Self::Double(value) => Shown(*value).fmt(f),
            Self::Count(value) => value.fmt(f),
            Self::Truth(value) => value.fmt(f),
        }
    }
}

impl Value {
    /// The number in double precision, which is the nearest to it.
    pub fn real(self) -> f64 {
        match self {
            Self::Whole(value) => value.into(),
            Self::Real(value) => value.into(),
            Self::Double(value) => value,
            Self::Count(value) => value as f64,
            Self::Truth(value) => value.into(),
        }
    }
}

/// The values of a column, of all nodes one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<'a> {
    /// Whole numbers.
    U32(Cow<'a, [u32]>),
    /// Whole numbers of 64 bits.
    U64(Cow<'a, [u64]>),
    /// Reals in single precision.
    F32(Cow<'a, [f32]>),
    /// Reals in double precision.
    F64(Cow<'a, [f64]>),
    /// Nodes by their indices, which are written by their names.
    Nodes(Cow<'a, [u32]>),
}

impl Values<'_> {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::U32(all) | Self::Nodes(all) => all.len(),
            Self::U64(all) => all.len(),
            Self::F32(all) => all.len(),
            Self::F64(all) => all.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// How many values of a column belong to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One.
    Single,
    /// So many, which are numbered from 0.
    Wide(usize),
    /// One for every node of the graph.
    Square,
}

/// What the values of a column mean: from it follows what is shown of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Nothing that decides how the values are shown.
    Other,
    /// How important a node is: the highest values are shown.
    Score,
    /// How many levels a node is from where a search began.
    Level,
    /// How far a node is from where a search began.
    Distance,
    /// The class that a node belongs to, as one of the class's nodes: the largest classes are shown.
    Class(ClassNames),
}

/// What the classes of an answer are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassNames {
    /// One class: `component`.
    pub one: &'static str,
    /// Several classes, and the figure that counts them: `components`.
    pub several: &'static str,
    /// The figure that states the size of the largest class: `largest_component`.
    pub largest: &'static str,
}

/// A number about a whole answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fact {
    /// Its name in JSON.
    pub name: &'static str,
    /// The number.
    pub value: Value,
}

/// A column of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Column<'a> {
    /// Its name in files and reports.
    pub name: &'static str,
    /// The values of all nodes, in the order of the graph.
    pub values: Values<'a>,
    /// How many of them belong to a node.
    pub shape: Shape,
    /// What tells the values of a node apart, where there are several; their numbers unless given.
    pub labels: &'a [String],
    /// Whether some may be missing: then the largest whole number, or infinity, stands for a value that is not there.
    pub partial: bool,
    /// What the values mean.
    pub meaning: Meaning,
}

impl<'a> Column<'a> {
    /// A column with one value for each node.
    pub fn new(name: &'static str, values: Values<'a>) -> Self {
        Self { name, values, shape: Shape::Single, labels: &[], partial: false, meaning: Meaning::Other }
    }

    /// Sets what the values mean.
    pub fn meaning(self, meaning: Meaning) -> Self {
        Self { meaning, ..self }
    }

    /// Marks the column as one with missing values: the largest whole number, or infinity, stands for them.
    pub fn partial(self) -> Self {
        Self { partial: true, ..self }
    }

    /// Sets how many values belong to each node.
    pub fn shaped(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// Gives each node a value for every label.
    pub fn labelled(self, labels: &'a [String]) -> Self {
        Self { shape: Shape::Wide(labels.len()), labels, ..self }
    }

    /// The name of one of the values of a node in a table.
    pub fn name_at(&self, place: usize) -> String {
        match (self.shape, self.labels.get(place)) {
            (Shape::Single, _) => self.name.to_owned(),
            (_, Some(label)) => format!("{}_{label}", self.name),
            (_, None) => format!("{}_{place}", self.name),
        }
    }

    /// How many values belong to each of `nodes` nodes.
    pub fn width(&self, nodes: u32) -> usize {
        match self.shape {
            Shape::Single => 1,
            Shape::Wide(width) => width,
            Shape::Square => nodes as usize,
        }
    }

    /// The value at a place; none where it is missing.
    pub fn value(&self, place: usize) -> Option<Value> {
        let (value, is_missing) = match &self.values {
            Values::U32(all) | Values::Nodes(all) => (Value::Whole(all[place]), all[place] == UNREACHED),
            Values::U64(all) => (Value::Count(all[place]), all[place] == u64::MAX),
            Values::F32(all) => (Value::Real(all[place]), all[place] == f32::INFINITY),
            Values::F64(all) => (Value::Double(all[place]), all[place] == f64::INFINITY),
        };
        (!self.partial || !is_missing).then_some(value)
    }
}

/// What the rows of an answer are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowKind {
    /// The nodes of the graph, in its order: each has its name in front of its values.
    Nodes,
    /// The nodes of the graph, each with a value for every node.
    Pairs,
    /// Edges: columns of nodes name their ends, and every column has one value for each.
    Edges,
}

/// What an algorithm finds: columns of values in the order of the graph's nodes, or of some of its edges.
pub trait Answer: Any + Send + Sync {
    /// The columns. The first is what the algorithm is about; there is none where nothing is found for each node ([`FrontEnd::columns`]).
    ///
    /// [`FrontEnd::columns`]: super::FrontEnd::columns
    fn columns(&self) -> Vec<Column<'_>>;

    /// Numbers about the whole answer that the columns do not say. Where searches began at several nodes and each went through the whole
    /// graph, [`SOURCES`] is their number.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// The nodes of a path to `target` from where the search began, both included; `None` where no path was found.
    fn path(&self, _csr: &Csr, _target: u32) -> Option<Vec<u32>> {
        None
    }
}

/// The name of the fact that says how many nodes searches began at.
pub const SOURCES: &str = "sources";

/// A value as a person reads it: a node that was not reached is at `inf`.
pub(super) fn text(value: Option<Value>) -> String {
    value.map_or("inf".to_owned(), |value| value.to_string())
}

/// The first node whose value differs in the first column, which has a value for each.
pub fn first_difference(expected: &dyn Answer, found: &dyn Answer, graph: &Graph) -> Option<Mismatch> {
    let (expected, found) = (expected.columns(), found.columns());
    let (expected, found) = (expected.first()?, found.first()?);
    let node = (0..graph.csr.nodes()).find(|&node| expected.value(node as usize) != found.value(node as usize))?;
    let [expected, found] = [expected, found].map(|column| text(column.value(node as usize)));
    Some(Mismatch { node, expected, found })
}

//! What a run shows of its answer: the nodes that matter most, how the values are spread, the path that was asked for.

use super::Figure;
use crate::{
    algorithm::{Column, Value},
    graph::{NodeIds, NodeName},
};
use rayon::prelude::*;
use serde::{Serialize, Serializer, ser::SerializeMap};

/// What is shown of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Show {
    /// How many entries the list of the most important ones has at most.
    pub top: usize,
    /// The node to which a path is shown, by an algorithm that finds paths.
    pub target: Option<u32>,
}

impl Default for Show {
    fn default() -> Self {
        Self { top: 10, target: None }
    }
}

/// The answer in a few lines. In JSON the numbers are fields beside the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summary {
    /// Numbers about the whole answer.
    #[serde(flatten, serialize_with = "as_fields")]
    pub numbers: Vec<Figure>,
    /// How the values are spread.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
    /// The most important entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top: Option<Listing>,
    /// The path that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<FoundPath>,
}

fn as_fields<S: Serializer>(numbers: &[Figure], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(numbers.iter().map(|figure| (figure.name, figure.value)))
}

/// A short table. In JSON it is an array with an object for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The word in front of it where a person reads it.
    pub word: &'static str,
    /// The names of its columns.
    pub columns: Vec<&'static str>,
    /// As many cells in each row.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a [`Listing`].
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Cell {
    /// A node.
    Node(NodeName<'static>),
    /// A number.
    Value(Value),
}

impl Serialize for Listing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Row<'a>(&'a [&'static str], &'a [Cell]);

        impl Serialize for Row<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(Some(self.0.len()))?;
                self.0.iter().zip(self.1).try_for_each(|(name, cell)| map.serialize_entry(name, cell))?;
                map.end()
            }
        }

        serializer.collect_seq(self.rows.iter().map(|row| Row(&self.columns, row)))
    }
}

impl Listing {
    /// Nodes with their values in `column`.
    pub(super) fn of_nodes(word: &'static str, column: &Column<'_>, nodes: Vec<usize>, ids: &NodeIds) -> Option<Self> {
        let row = |node: usize| {
            let name = Cell::Node(ids.name(node as u32).into_owned());
            Some(vec![name, Cell::Value(column.value(node)?)])
        };
        Self::new(word, vec!["node", column.name], nodes.into_iter().filter_map(row).collect())
    }

    /// A table; none where it would be empty.
    pub(crate) fn new(word: &'static str, columns: Vec<&'static str>, rows: Vec<Vec<Cell>>) -> Option<Self> {
        (!rows.is_empty()).then_some(Self { word, columns, rows })
    }
}

/// How many nodes have which values. In JSON it is an array of its bins.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Histogram {
    /// What is counted: the name of a column.
    #[serde(skip)]
    pub name: &'static str,
    /// From the smallest value to the largest.
    pub bins: Vec<ValueBin>,
}

/// Nodes whose values are alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ValueBin {
    /// The smallest value.
    pub from: Value,
    /// The largest whole value, or where reals of the next bin begin.
    pub to: Value,
    /// How many nodes have one of these.
    pub nodes: u64,
}

/// The most bins of a histogram: what a person takes in at a glance.
const BINS: u64 = 12;

impl Histogram {
    /// Counts the values of a column from 0 on, none of which is negative; none where there are no values.
    pub(super) fn of(column: &Column<'_>) -> Option<Self> {
        let furthest = largest(column.values.len(), 1, |place| column.value(place)).first().copied();
        let furthest = column.value(furthest?)?;
        let is_whole = matches!(furthest, Value::Whole(_) | Value::Count(_));
        // A bin of whole numbers is `step` wide, and one of reals `width`.
        let (last, width) = (whole(furthest), furthest.real() / BINS as f64);
        let step = last / BINS + 1;
        let count = match is_whole {
            true => last / step + 1,
            false if width > 0.0 && width.is_finite() => BINS,
            false => 1,
        };
        let bin_of = |value: Value| match is_whole {
            true => whole(value) / step,
            false => ((value.real() / width) as u64).min(count - 1),
        };
        let none = || vec![0u64; count as usize];
        let counted = (0..column.values.len()).into_par_iter().filter_map(|place| column.value(place));
        let counts = counted.fold(none, |mut counts, value| {
            counts[bin_of(value) as usize] += 1;
            counts
        });
        let counts = counts.reduce(none, |a, b| a.iter().zip(b).map(|(a, b)| a + b).collect());
        let edges = |bin: u64| match furthest {
            Value::Whole(_) => {
                (Value::Whole((bin * step) as u32), Value::Whole((bin * step + (step - 1)).min(last) as u32))
            }
            Value::Count(_) => {
                (Value::Count(bin * step), Value::Count((bin * step).saturating_add(step - 1).min(last)))
            }
            _ if count == 1 => (Value::Double(0.0), furthest),
            _ => (Value::Double(bin as f64 * width), Value::Double((bin + 1) as f64 * width)),
        };
        let bins = counts.into_iter().zip(0..).map(|(nodes, bin)| {
            let (from, to) = edges(bin);
            ValueBin { from, to, nodes }
        });
        Some(Self { name: column.name, bins: bins.collect() })
    }
}

/// A whole value.
fn whole(value: Value) -> u64 {
    match value {
        Value::Whole(value) => value.into(),
        Value::Count(value) => value,
        Value::Real(_) | Value::Double(_) | Value::Truth(_) => value.real() as u64,
    }
}

/// A path from the source to the node that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FoundPath {
    /// The node that was asked for.
    pub target: NodeName<'static>,
    /// The length of the path; none where there is no path.
    pub length: Option<Value>,
    /// The nodes from the source to the target, both included; none of them where there is no path.
    pub nodes: Vec<NodeName<'static>>,
}

/// The places of the `count` largest values, the largest first, and of equal ones those that come first. A value is none where a
/// place is to be left out.
pub(super) fn largest<V: PartialOrd + Copy + Send>(
    length: usize,
    count: usize,
    value: impl Fn(usize) -> Option<V> + Sync,
) -> Vec<usize> {
    let comes_before = |a: &(V, usize), b: &(V, usize)| a.0 > b.0 || (a.0 == b.0 && a.1 < b.1);
    let insert = |mut list: Vec<(V, usize)>, item: (V, usize)| {
        if list.len() < count || list.last().is_some_and(|last| comes_before(&item, last)) {
            let place = list.partition_point(|other| comes_before(other, &item));
            list.insert(place, item);
            list.truncate(count);
        }
        list
    };
    let items = (0..length).into_par_iter().filter_map(|place| Some((value(place)?, place)));
    let best = items.fold(Vec::new, insert).reduce(Vec::new, |a, b| b.into_iter().fold(a, insert));
    best.into_iter().map(|(_, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Values;
    use evenkeel_types::UNREACHED;

    fn bins(values: Values<'static>) -> Vec<(String, u64)> {
        let column = Column::new("distance", values).partial();
        let histogram = Histogram::of(&column).unwrap();
        histogram.bins.iter().map(|bin| (format!("{}-{}", bin.from, bin.to), bin.nodes)).collect()
    }

    #[test]
    fn the_largest_come_first_and_ties_in_their_order() {
        let values = [3, 9, 1, 9, 7];
        assert_eq!(largest(5, 3, |place| Some(values[place])), [1, 3, 4]);
        assert_eq!(largest(5, 9, |place| (values[place] != 9).then_some(values[place])), [4, 0, 2]);
        assert_eq!(largest(5, 0, |place| Some(values[place])), [0usize; 0]);
        let many: Vec<u32> = (0..100_000).map(|number: u32| number.wrapping_mul(2_654_435_761) % 1000).collect();
        let mut sorted: Vec<usize> = (0..many.len()).collect();
        sorted.sort_by_key(|&place| (std::cmp::Reverse(many[place]), place));
        assert_eq!(largest(many.len(), 50, |place| Some(many[place])), sorted[..50]);
    }

    #[test]
    fn a_histogram_has_at_most_twelve_bins_that_hold_every_value_once() {
        let expected = [("0-0", 1), ("1-1", 2), ("2-2", 0), ("3-3", 1)].map(|(text, nodes)| (text.to_owned(), nodes));
        assert_eq!(bins(Values::U32(vec![0, 1, 3, 1, UNREACHED].into())), expected);
        for last in [11u32, 12, 13, 100, 4_000_000_000] {
            let found = bins(Values::U32(vec![0, last / 2, last, UNREACHED].into()));
            assert!(found.len() <= 12 && found.iter().map(|(_, nodes)| nodes).sum::<u64>() == 3, "{found:?}");
            assert!(found.last().unwrap().0.ends_with(&format!("-{last}")), "{found:?}");
        }
        let wide = bins(Values::U64(vec![0, 1 << 40, u64::MAX - 1, u64::MAX].into()));
        assert_eq!(wide.iter().map(|(_, nodes)| nodes).sum::<u64>(), 3);
        let reals = bins(Values::F32(vec![0.0, 0.5, 6.0, f32::INFINITY].into()));
        assert_eq!((reals.len(), reals[0].clone(), reals[11].clone()), (12, ("0-0.5".into(), 1), ("5.5-6".into(), 1)));
        assert_eq!(bins(Values::F32(vec![0.0, 0.0].into())), [("0-0".to_owned(), 2)]);
    }
}

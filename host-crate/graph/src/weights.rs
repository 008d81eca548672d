//! Edge weights: none, whole numbers or reals, one for each entry of a CSR's columns; and weights that replace those of a file. Random weights are a function of an edge's ends, so both directions of an undirected edge weigh the same.

use super::{Array, Graph, random::Stream};
use evenkeel_base::{Error, Result};
use rayon::prelude::*;
use std::{fmt, ops::Deref, str::FromStr};

/// Weights of edges: none, whole numbers or reals. `U` and `F` hold them, or nothing where only the kind matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightsOf<U, F> {
    /// The graph has none; algorithms that need some take 1.
    None,
    /// Whole, non-negative.
    U32(U),
    /// Reals; may be negative, never NaN.
    F32(F),
}

/// The weights of a [`Csr`](super::Csr), in the order of its columns.
pub type Weights = WeightsOf<Array<u32>, Array<f32>>;

/// The weights of an [`EdgeList`](super::EdgeList), in the order of its edges.
pub type EdgeWeights = WeightsOf<Vec<u32>, Vec<f32>>;

/// The kind of the weights.
pub type WeightKind = WeightsOf<(), ()>;

impl<U, F> WeightsOf<U, F> {
    /// Whether there are none.
    #[inline]
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// The kind, without the weights.
    pub fn kind(&self) -> WeightKind {
        match self {
            Self::None => WeightKind::None,
            Self::U32(_) => WeightKind::U32(()),
            Self::F32(_) => WeightKind::F32(()),
        }
    }
}

impl<U: Deref<Target = [u32]>, F: Deref<Target = [f32]>> WeightsOf<U, F> {
    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        match self {
            Self::None => 0,
            Self::U32(weights) => weights.len(),
            Self::F32(weights) => weights.len(),
        }
    }

    /// A number that orders as the weight at `edge` does among those of its kind; 0 without weights.
    #[inline]
    #[doc(hidden)]
    pub fn key(&self, edge: usize) -> u32 {
        match self {
            Self::None => 0,
            Self::U32(weights) => weights[edge],
            Self::F32(weights) => key_of(weights[edge]),
        }
    }

    /// The weight at `edge` as a real, which holds any of them exactly; 1 without weights.
    #[inline]
    pub fn real(&self, edge: usize) -> f64 {
        match self {
            Self::None => 1.0,
            Self::U32(weights) => weights[edge].into(),
            Self::F32(weights) => weights[edge].into(),
        }
    }

    /// Whether there are no weights or no edges.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl WeightKind {
    /// The name that reports use.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::U32(()) => "u32",
            Self::F32(()) => "f32",
        }
    }
}

impl Weights {
    /// Finds the smallest and the largest; both are NaN when any weight is.
    /// [`Csr::weight_range`](super::Csr::weight_range) remembers them.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        match self {
            Self::None => None,
            Self::U32(weights) => least_and_most(weights, |weight| weight).map(|(low, high)| (low.into(), high.into())),
            Self::F32(weights) => {
                // A key of NaN is beyond that of infinity, at one end or the other.
                let (low, high) = least_and_most(weights, key_of)?;
                let (low, high) = (weight_of(low), weight_of(high));
                let is_nan = low.is_nan() || high.is_nan();
                Some(if is_nan { (f64::NAN, f64::NAN) } else { (low.into(), high.into()) })
            }
        }
    }

    /// Converts the weights to reals; whole ones above 2^24 are rounded. A graph without weights stays without.
    pub fn to_f32(&self) -> Self {
        match self {
            Self::None => Self::None,
            Self::U32(weights) => Self::F32(weights.par_iter().map(|&weight| weight as f32).collect::<Vec<_>>().into()),
            Self::F32(weights) => Self::F32(weights.clone()),
        }
    }
}

fn least_and_most<T: Copy + Sync>(weights: &[T], key: impl Fn(T) -> u32 + Sync) -> Option<(u32, u32)> {
    let merge = |a: (u32, u32), b: (u32, u32)| (a.0.min(b.0), a.1.max(b.1));
    let of_chunk = |chunk: &[T]| {
        chunk.iter().map(|&weight| key(weight)).fold((u32::MAX, 0), |range, key| merge(range, (key, key)))
    };
    weights.par_chunks(1 << 14).map(of_chunk).reduce_with(merge)
}

/// From here on, not every whole number is a 64-bit real.
const LAST_WHOLE: f64 = (1u64 << 53) as f64;

/// Whether a real is a whole number all of whose digits mean something.
#[doc(hidden)]
pub fn is_whole(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() < LAST_WHOLE
}

/// A real as it is shown: a whole number with all its digits, any other with the fewest that tell it from its neighbours.
#[doc(hidden)]
pub struct Shown<T>(pub T);

impl<T: Copy + Into<f64> + fmt::Display + fmt::LowerExp> fmt::Display for Shown<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.into() {
            number if is_whole(number) => (number as i64).fmt(f),
            number if number.abs() >= LAST_WHOLE && number.is_finite() => fmt::LowerExp::fmt(&self.0, f),
            _ => fmt::Display::fmt(&self.0, f),
        }
    }
}

/// Maps a weight to an integer of the same order, so that one sort serves whole and real weights.
fn key_of(weight: f32) -> u32 {
    let bits = weight.to_bits();
    if bits >> 31 == 1 { !bits } else { bits | 1 << 31 }
}

/// The weight that has this key.
pub(super) fn weight_of(key: u32) -> f32 {
    f32::from_bits(if key >> 31 == 1 { key & !(1 << 31) } else { !key })
}

/// The first edge of negative weight, as its ends and the weight.
pub fn first_negative(graph: &Graph) -> Option<(u32, u32, f32)> {
    let Weights::F32(weights) = graph.csr.weights() else { return None };
    graph.csr.weight_range().filter(|(smallest, _)| *smallest < 0.0)?;
    let edge = weights.par_iter().position_first(|&weight| weight < 0.0)?;
    Some((graph.csr.source_of(edge), graph.csr.columns()[edge], weights[edge]))
}

/// Where the weights of a graph come from, written `file`, `unit`, `random:1..64` or `random:1..64,seed=7`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WeightSource {
    /// The weights of the file, if it has any.
    #[default]
    File,
    /// Every edge weighs 1.
    Unit,
    /// Whole numbers drawn for each edge.
    Random {
        /// The smallest.
        low: u32,
        /// The largest.
        high: u32,
        /// The seed.
        seed: u64,
    },
}

/// Gives a graph its weights. Unit weights are stored as none at all, which means the same.
///
/// # Errors
/// When the range of random weights is empty, or there is no memory for them.
pub fn assign(graph: &mut Graph, source: WeightSource) -> Result<()> {
    match source {
        WeightSource::File => {}
        WeightSource::Unit => graph.csr = graph.csr.without_weights(),
        WeightSource::Random { low, high, seed } => {
            graph.csr = graph.csr.with_weights(random(graph, low, high, seed)?)?;
        }
    }
    Ok(())
}

fn random(graph: &Graph, low: u32, high: u32, seed: u64) -> Result<Weights> {
    let empty = || Error::Usage(format!("there is no weight in {low}..{high}"));
    let choices = u64::from(high.checked_sub(low).ok_or_else(empty)?) + 1;
    let stream = Stream::WEIGHTS.seeded(seed);
    let weights = graph.csr.map_edges(|u, v| {
        let (u, v) = if graph.directed { (u, v) } else { (u.min(v), u.max(v)) };
        low + (stream.at(u64::from(u) << 32 | u64::from(v)) % choices) as u32
    })?;
    Ok(Weights::U32(weights.into()))
}

impl FromStr for WeightSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (name, settings) = text.split_once(':').unwrap_or((text, ""));
        match (name, settings) {
            ("file", "") => Ok(Self::File),
            ("unit", "") => Ok(Self::Unit),
            ("random", settings) => parse_random(settings).ok_or_else(|| {
                Error::Usage(format!(
                    "weights '{text}': write random:LOW..HIGH or random:LOW..HIGH,seed=S, with LOW ≤ HIGH < 2^32"
                ))
            }),
            _ => Err(Error::unknown("source of weights", text, ["file", "unit", "random:1..64"])),
        }
    }
}

fn parse_random(settings: &str) -> Option<WeightSource> {
    let (range, seed) = match settings.split_once(",seed=") {
        Some((range, seed)) => (range, seed.parse().ok()?),
        None => (settings, 0),
    };
    let (low, high) = range.split_once("..")?;
    let (low, high) = (low.parse().ok()?, high.parse().ok()?);
    (low <= high).then_some(WeightSource::Random { low, high, seed })
}

impl fmt::Display for WeightSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => f.write_str("file"),
            Self::Unit => f.write_str("unit"),
            Self::Random { low, high, seed: 0 } => write!(f, "random:{low}..{high}"),
            Self::Random { low, high, seed } => write!(f, "random:{low}..{high},seed={seed}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Csr, NodeIds, generate::random::mix};

    fn triangle(weights: Weights, directed: bool) -> Graph {
        let csr = Csr::new(vec![0, 2, 4, 6], vec![1, 2, 0, 2, 0, 1], weights).unwrap();
        Graph { name: "triangle".into(), csr, ids: NodeIds::Counted { first: 0 }, directed }
    }

    #[test]
    fn sources_are_read_and_written() {
        for text in ["file", "unit", "random:1..64", "random:0..4294967295,seed=3"] {
            assert_eq!(text.parse::<WeightSource>().unwrap().to_string(), text);
        }
        for text in ["", "units", "unit:1", "random", "random:5", "random:6..5", "random:-1..5", "random:1..2,seed=x"] {
            assert!(text.parse::<WeightSource>().is_err(), "{text}");
        }
    }

    #[test]
    fn random_weights_follow_the_rule() {
        let mut graph = triangle(Weights::None, false);
        assign(&mut graph, "random:1..64".parse().unwrap()).unwrap();
        let Weights::U32(weights) = graph.csr.weights() else { panic!("no weights") };
        let expected = |u: u64, v: u64| 1 + (mix(0x7EE1_0000_0000_0000 + (u << 32 | v)) % 64) as u32;
        let [a, b, c] = [expected(0, 1), expected(0, 2), expected(1, 2)];
        assert_eq!(weights[..], [a, b, a, c, b, c]);
        assert!(graph.csr.has_symmetric_weights());

        let mut directed = triangle(Weights::None, true);
        assign(&mut directed, "random:1..64".parse().unwrap()).unwrap();
        let Weights::U32(weights) = directed.csr.weights() else { panic!("no weights") };
        assert_eq!(weights[2], expected(1, 0));

        assign(&mut graph, WeightSource::Unit).unwrap();
        assert!(graph.csr.weights().is_none());
    }

    #[test]
    fn the_whole_range_of_u32_can_be_drawn_from() {
        let mut graph = triangle(Weights::None, false);
        assign(&mut graph, WeightSource::Random { low: 0, high: u32::MAX, seed: 9 }).unwrap();
        assert!(assign(&mut graph.clone(), WeightSource::Random { low: 2, high: 1, seed: 0 }).is_err());
        let (low, high) = graph.csr.weight_range().unwrap();
        assert!(low < high);
    }

    #[test]
    fn the_first_negative_weight_is_found_with_its_ends() {
        let graph = triangle(Weights::F32(vec![1.0, 0.0, -0.0, -2.5, 3.0, -4.0].into()), true);
        assert_eq!(first_negative(&graph), Some((1, 2, -2.5)));
        assert_eq!(graph.csr.weight_range(), Some((-4.0, 3.0)));
        assert_eq!(first_negative(&triangle(Weights::None, true)), None);
    }

    #[test]
    fn whole_reals_are_shown_with_all_their_digits() {
        let shown = [4_294_967_296.0, -2_147_483_648.0, 16_777_218.0, -0.0, 0.1, 3e38, 1e-7, f32::INFINITY].map(Shown);
        let expected = ["4294967296", "-2147483648", "16777218", "0", "0.1", "3e38", "0.0000001", "inf"];
        assert_eq!(shown.map(|number| number.to_string()), expected);
        let shown = [9_007_199_254_740_991.0, 6e38, 0.1].map(Shown::<f64>);
        assert_eq!(shown.map(|number| number.to_string()), ["9007199254740991", "6e38", "0.1"]);
    }

    #[test]
    fn keys_order_as_weights_do() {
        let weights = [f32::NEG_INFINITY, -1.5, -f32::MIN_POSITIVE, -0.0, 0.0, 1e-40, 1.5, f32::INFINITY];
        assert!(weights.map(key_of).is_sorted_by(|a, b| a < b));
        assert_eq!(weights.map(key_of).map(weight_of).map(f32::to_bits), weights.map(f32::to_bits));
    }

    #[test]
    fn whole_weights_become_reals() {
        let weights = Weights::U32(vec![0, 7, 1 << 24].into());
        assert_eq!(weights.to_f32(), Weights::F32(vec![0.0, 7.0, 16_777_216.0].into()));
        assert_eq!(Weights::None.to_f32(), Weights::None);
        assert_eq!((weights.len(), Weights::None.is_empty()), (3, true));
    }
}

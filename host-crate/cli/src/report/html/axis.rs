//! Axes of charts: linear, logarithmic, or with a place for each of some names. Text is without the measures of a font, which only the
//! program that shows a picture has.

use evenkeel::numerals::grouped;
use plotters::coord::{
    ranged1d::{BoldPoints, KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter},
    types::RangedCoordf64,
};
use std::ops::Range;

/// What an axis shows.
#[derive(Clone, Debug)]
pub struct Axis {
    /// The quantity and its unit.
    pub label: String,
    /// How values are placed.
    pub scale: Scale,
    /// Where it begins, if that is not for the values to say.
    pub begin: Option<f64>,
    /// Where it ends at the earliest.
    pub end: Option<f64>,
    /// How values are written.
    pub text: fn(f64) -> String,
}

/// How values are placed on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// By their difference; the axis begins at 0.
    Linear,
    /// A linear axis that labels whole numbers alone.
    Whole,
    /// By their ratio. What is not above 0 has no place.
    Log,
}

impl Axis {
    /// A linear axis from 0.
    pub fn linear(label: &str) -> Self {
        Self { label: label.to_owned(), scale: Scale::Linear, begin: None, end: None, text: short }
    }

    /// A linear axis of counted things.
    pub fn whole(label: &str) -> Self {
        Self { scale: Scale::Whole, ..Self::linear(label) }
    }

    /// An axis of parts of a whole, up to all of it.
    pub fn shares(label: &str) -> Self {
        Self { end: Some(1.0), text: percent, ..Self::linear(label) }
    }

    /// A logarithmic axis of how many times a value is as large as another; bars begin at 1.
    pub fn ratios(label: &str) -> Self {
        Self { begin: Some(1.0), ..Self::log(label) }
    }

    /// A logarithmic axis, over whole powers of ten.
    pub fn log(label: &str) -> Self {
        Self { scale: Scale::Log, ..Self::linear(label) }
    }

    /// Changes how the values are written.
    pub fn written(self, text: fn(f64) -> String) -> Self {
        Self { text, ..self }
    }

    /// The coordinates that have a place for all of these values. Where bars are drawn from the beginning, the shortest has some length.
    pub(super) fn over(&self, values: impl Iterator<Item = f64>, bars: bool) -> Coordinate {
        let has_place = |value: &f64| value.is_finite() && (self.scale != Scale::Log || *value > 0.0);
        let values: Vec<f64> = values.chain(self.begin).chain(self.end).filter(has_place).collect();
        let low = values.iter().copied().reduce(f64::min);
        let high = values.iter().copied().reduce(f64::max);
        match self.scale {
            Scale::Linear | Scale::Whole => {
                let begin = self.begin.unwrap_or_else(|| low.unwrap_or(0.0).min(0.0));
                let end = high.filter(|high| *high > begin).unwrap_or(begin + 1.0);
                if self.scale == Scale::Whole { Coordinate::Whole(begin..end) } else { Coordinate::Linear(begin..end) }
            }
            Scale::Log => {
                // Less than a tenth of a decade could not be seen.
                let room = if bars && self.begin.is_none() { 0.1 } else { 0.0 };
                let low = (low.unwrap_or(1.0).log10() - room).floor();
                Coordinate::Log(low..high.unwrap_or(1.0).log10().ceil().max(low + 1.0))
            }
        }
    }
}

/// Values and where they are on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Coordinate {
    /// The ends.
    Linear(Range<f64>),
    /// The ends of an axis of whole numbers.
    Whole(Range<f64>),
    /// The exponents of the ends, to the base ten.
    Log(Range<f64>),
    /// So many places of width 1, the first at the top.
    Places(usize),
}

impl Coordinate {
    /// The smallest value that has a place: where bars begin.
    pub(super) fn begin(&self) -> f64 {
        self.range().start
    }

    /// Whether a value has a place.
    pub(super) fn has(&self, value: f64) -> bool {
        value.is_finite() && (!matches!(self, Self::Log(_)) || value > 0.0)
    }
}

impl Ranged for Coordinate {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (begin, end): (i32, i32)) -> i32 {
        let part = match self {
            Self::Linear(ends) | Self::Whole(ends) => (value - ends.start) / (ends.end - ends.start),
            Self::Log(ends) => (value.log10() - ends.start) / (ends.end - ends.start),
            Self::Places(count) => 1.0 - value / *count as f64,
        };
        begin + (part.clamp(0.0, 1.0) * f64::from(end - begin)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self {
            // Lines between those that are written would say nothing here.
            Self::Linear(ends) => RangedCoordf64::from(ends.clone()).key_points(BoldPoints(hint.bold_points())),
            Self::Whole(ends) => {
                let points = RangedCoordf64::from(ends.clone()).key_points(BoldPoints(hint.bold_points()));
                points.into_iter().filter(|point| point.fract() == 0.0).collect()
            }
            Self::Log(ends) => {
                let decades = ends.start as i32..=ends.end as i32;
                let most = hint.bold_points().max(1);
                let step = decades.clone().count().div_ceil(most);
                let powers = decades.clone().step_by(step).map(|exponent| 10f64.powi(exponent));
                match hint.weight().allow_light_points() && step == 1 && decades.count() <= 6 {
                    true => powers.flat_map(|power| (1..10).map(move |digit| f64::from(digit) * power)).collect(),
                    false => powers.collect(),
                }
            }
            Self::Places(count) => (0..*count).map(|place| place as f64 + 0.5).collect(),
        }
    }

    fn range(&self) -> Range<f64> {
        match self {
            Self::Linear(ends) | Self::Whole(ends) => ends.clone(),
            Self::Log(ends) => 10f64.powf(ends.start)..10f64.powf(ends.end),
            Self::Places(count) => 0.0..*count as f64,
        }
    }
}

impl ValueFormatter<f64> for Coordinate {
    fn format(value: &f64) -> String {
        short(*value)
    }
}

/// A number in about three digits, with the sign of a thousand powers where it is large.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let signs = [(1e12, "T"), (1e9, "G"), (1e6, "M")];
    if let Some((unit, sign)) = signs.into_iter().find(|(unit, _)| size >= *unit) {
        return format!("{} {sign}", short(value / unit));
    }
    if size >= 1000.0 {
        return format!("{}{}", if value < 0.0 { "-" } else { "" }, grouped(size.round() as u64));
    }
    if value == 0.0 || size < 1e-9 {
        return "0".to_owned();
    }
    // Three digits, and none of the zeros that end a fraction.
    let digits = (2 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// A part of 1 in percent.
pub fn percent(part: f64) -> String {
    format!("{} %", short(100.0 * part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use plotters::coord::ranged1d::LightPoints;

    #[test]
    fn numbers_are_short() {
        let values = [0.0, 1.0, 0.5, 12.345, 0.001_234, 999.6, 1234.0, 2.5e6, 1e13, -3.25];
        let texts = ["0", "1", "0.5", "12.3", "0.00123", "1000", "1,234", "2.5 M", "10 T", "-3.25"];
        assert_eq!(values.map(short), texts);
        assert_eq!(percent(0.125), "12.5 %");
    }

    #[test]
    fn a_log_axis_has_whole_powers_of_ten() {
        let axis = Axis::log("ms").over([0.0, 0.03, 4.0, f64::NAN].into_iter(), true);
        assert_eq!(axis, Coordinate::Log(-2.0..1.0));
        assert_eq!([0.01, 0.1, 10.0, 1e9, 1e-9].map(|value| axis.map(&value, (0, 300))), [0, 100, 300, 300, 0]);
        assert_eq!(axis.key_points(BoldPoints(10)), [0.01, 0.1, 1.0, 10.0]);
        assert_eq!(axis.key_points(LightPoints::new(10, 100)).len(), 4 * 9);
        assert!(!axis.has(0.0) && axis.has(5.0));
        // The smallest bar can be seen, a point need not be above the axis, and nothing at all is no failure.
        assert_eq!(Axis::log("").over([1.0].into_iter(), true), Coordinate::Log(-1.0..0.0));
        assert_eq!(Axis::log("").over([1.0].into_iter(), false), Coordinate::Log(0.0..1.0));
        assert_eq!(Axis::log("").over([].into_iter(), false), Coordinate::Log(0.0..1.0));
        assert_eq!(Axis::ratios("").over([1.0, 30.0].into_iter(), true), Coordinate::Log(0.0..2.0));
        let wide = Axis::log("").over([1e-5, 1e15].into_iter(), true);
        assert!(wide.key_points(BoldPoints(7)).len() <= 7);
    }

    #[test]
    fn a_linear_axis_begins_at_0() {
        let axis = Axis::linear("ms").over([2.0, 8.0].into_iter(), true);
        assert_eq!((axis.begin(), axis.map(&4.0, (0, 100))), (0.0, 50));
        assert_eq!(Axis::linear("").over([0.0].into_iter(), true), Coordinate::Linear(0.0..1.0));
        assert_eq!(Axis::shares("").over([0.2].into_iter(), true), Coordinate::Linear(0.0..1.0));
        let whole = Axis::whole("level").over([0.0, 3.0].into_iter(), false);
        assert_eq!(whole.key_points(BoldPoints(10)), [0.0, 1.0, 2.0, 3.0]);
        let places = Coordinate::Places(4);
        assert_eq!((places.map(&0.0, (0, 100)), places.key_points(4)), (100, vec![0.5, 1.5, 2.5, 3.5]));
    }
}

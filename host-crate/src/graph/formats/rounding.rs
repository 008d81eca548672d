//! Weights that are not kept as they are written. One weight that is no whole number makes all of them 32-bit reals, which
//! hold whole numbers up to 2^24 only; a user is told of that once, with the first line.

use super::{
    super::EdgeWeights,
    batch::Batch,
    lines::{Line, Lines, Text},
};

/// Whole numbers up to this one have a 32-bit real each.
const LAST_EXACT: f32 = 16_777_216.0;

/// Where in a piece of a text weights became reals, as the positions of lines.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Rounding {
    /// Where the piece begins.
    pub start: usize,
    /// The first weight that is real because it is written so.
    first_real: Option<usize>,
    /// The first line at which whole and real weights meet.
    mixed: Option<usize>,
    /// The first weight that is another number as a 32-bit real.
    rounded: Option<(usize, f64)>,
}

impl Rounding {
    /// Notes a real at this line. `whole` are the weights before it, if they are whole.
    #[inline]
    pub fn note_real(&mut self, line: &Line<'_>, real: f32, field: &[u8], whole: &[u32]) {
        self.first_real.get_or_insert(line.position);
        if let Some(weight) = whole.iter().find(|weight| is_rounded(**weight)) {
            self.rounded.get_or_insert((line.position, f64::from(*weight)));
        }
        if !whole.is_empty() {
            self.mixed.get_or_insert(line.position);
        }
        if real.abs() > LAST_EXACT
            && self.rounded.is_none()
            && let Ok(written) = lexical_core::parse::<f64>(field)
            && f64::from(real) != written
        {
            self.rounded = Some((line.position, written));
        }
    }

    /// Notes a whole weight among reals.
    #[inline]
    pub fn note_whole(&mut self, line: &Line<'_>, weight: u32) {
        self.mixed.get_or_insert(line.position);
        if is_rounded(weight) {
            self.rounded.get_or_insert((line.position, weight.into()));
        }
    }
}

fn is_rounded(weight: u32) -> bool {
    f64::from(weight as f32) != f64::from(weight)
}

/// What there is to say of the weights of all pieces, with the line. `is_data` tells which lines hold a weight.
pub(super) fn remark<Id>(
    text: Text<'_>,
    batches: &[&Batch<Id>],
    is_data: impl Fn(&Line<'_>) -> bool,
) -> Option<(u64, String)> {
    if !batches.iter().any(|batch| matches!(batch.weights, EdgeWeights::F32(_))) {
        return None;
    }
    let rounded = batches.iter().find_map(|batch| match &batch.weights {
        EdgeWeights::U32(column) => {
            let edge = column.iter().position(|weight| is_rounded(*weight))?;
            Some((position_of_data(text, batch, edge, &is_data), f64::from(column[edge])))
        }
        _ => batch.rounding.rounded,
    });
    if let Some((position, weight)) = rounded {
        let read = weight as f32;
        return Some((text.line_number(position), format!("the weight {weight} is read as {read}, a 32-bit real")));
    }
    let position = mixed_at(text, batches, &is_data)?;
    let reason = "not every weight is a whole number of 32 bits, so that all are read as 32-bit reals";
    Some((text.line_number(position), reason.to_owned()))
}

/// The line at which whole and real weights meet first.
fn mixed_at<Id>(text: Text<'_>, batches: &[&Batch<Id>], is_data: impl Fn(&Line<'_>) -> bool) -> Option<usize> {
    let (mut whole, mut real) = (false, false);
    for batch in batches {
        match &batch.weights {
            EdgeWeights::U32(column) if !column.is_empty() => {
                if real {
                    return Some(position_of_data(text, batch, 0, is_data));
                }
                whole = true;
            }
            EdgeWeights::F32(_) => {
                if whole || batch.rounding.mixed.is_some() {
                    return if whole { batch.rounding.first_real } else { batch.rounding.mixed };
                }
                real = true;
            }
            _ => {}
        }
    }
    None
}

/// Where the line of an edge of a piece begins.
fn position_of_data<Id>(text: Text<'_>, batch: &Batch<Id>, edge: usize, is_data: impl Fn(&Line<'_>) -> bool) -> usize {
    let mut lines: Lines<'_> = text.lines_from(batch.rounding.start);
    lines.by_ref().filter(|line| is_data(line)).nth(edge).map_or(batch.rounding.start, |line| line.position)
}

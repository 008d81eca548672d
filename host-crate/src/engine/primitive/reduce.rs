//! The sum, the smallest or the largest element of a buffer.

use crate::device::{Buffer, Recorder};
use evenkeel_kernels::primitive::{
    LengthParams,
    reduce::{ReduceAdd, ReduceMax, ReduceMin},
};

/// What to join elements by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Their sum, wrapping.
    Sum,
    /// The smallest; `u32::MAX` of none.
    Smallest,
    /// The largest; 0 of none.
    Largest,
}

/// Records the reduction of all of `input` into the only element of `result`.
pub fn reduce(recorder: &mut Recorder, reduction: Reduction, input: &Buffer<u32>, result: &Buffer<u32>) {
    assert!(!result.is_empty(), "there is no element for the result");
    // Enough workgroups to fill a large GPU; each adds its part by one atomic.
    let (params, invocations) = (LengthParams { length: input.len() as u32 }, input.len().min(1 << 20));
    recorder.fill(result, if reduction == Reduction::Smallest { u32::MAX } else { 0 });
    match reduction {
        Reduction::Sum => recorder.dispatch(&ReduceAdd { input, result }, params, invocations),
        Reduction::Smallest => recorder.dispatch(&ReduceMin { input, result }, params, invocations),
        Reduction::Largest => recorder.dispatch(&ReduceMax { input, result }, params, invocations),
    }
}

//! Compaction: the elements whose flag is set, in their order, and how many there are.

use super::{Kind, Reduction, Scan, reduce};
use crate::{
    Result,
    device::{Buffer, Device, Recorder},
};
use evenkeel_kernels::primitive::{LengthParams, compact::CompactScatter};

/// The memory that compactions of up to some length need.
pub struct Compact {
    scan: Scan,
    places: Buffer<u32>,
}

impl Compact {
    /// Allocates the memory for compactions of up to `length` elements.
    pub fn new(device: &Device, length: usize) -> Result<Self> {
        Ok(Self { scan: Scan::new(device, length)?, places: device.buffer("places", length)? })
    }

    /// Records the compaction of `values` by `flags`, each 0 or 1, into `output`, with their number into `count`.
    ///
    /// # Safety
    /// No flag is more than 1 when the recording runs, there are as many flags as values, and the buffers are different ones: the kernel
    /// writes where the sums of the flags say.
    pub unsafe fn record(
        &self,
        recorder: &mut Recorder,
        values: &Buffer<u32>,
        flags: &Buffer<u32>,
        output: &Buffer<u32>,
        count: &Buffer<u32>,
    ) {
        let (length, places) = (values.len(), &self.places);
        let shortest = flags.len().min(places.len()).min(output.len());
        assert!(length <= shortest && !count.is_empty(), "{length} elements do not fit");
        reduce(recorder, Reduction::Sum, flags, count);
        self.scan.record(recorder, flags, places, length, Kind::Exclusive);
        recorder.dispatch(
            &CompactScatter { values, flags, places, output },
            LengthParams { length: length as u32 },
            length,
        );
    }
}

//! Prefix sums of any length: blocks are summed, the sums scanned, by the same kernels again while there are many, and the
//! blocks scanned from there.

use crate::{
    Result,
    device::{Buffer, Device, Recorder},
};
use evenkeel_kernels::primitive::{
    LengthParams,
    scan::{ScanBlocks, ScanParams, ScanSums},
};
use evenkeel_types::{SCAN_BLOCK, WORKGROUP};

/// Whether an element's own value counts in its prefix sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It does.
    Inclusive,
    /// Only those before it do.
    Exclusive,
}

/// The memory that prefix sums of up to some length need.
pub struct Scan {
    levels: Vec<Level>,
    zero: Buffer<u32>,
}

/// The sums of the blocks of the level below, and their prefix sums.
struct Level {
    sums: Buffer<u32>,
    prefixes: Buffer<u32>,
}

/// The lengths of the levels for `length` elements.
fn level_lengths(length: usize) -> Vec<usize> {
    std::iter::successors(Some(length), |length| (*length > 1).then(|| length.div_ceil(SCAN_BLOCK as usize)))
        .skip(1)
        .take_while(|blocks| *blocks > 1)
        .collect()
}

impl Scan {
    /// Allocates the memory for prefix sums of up to `length` elements.
    pub fn new(device: &Device, length: usize) -> Result<Self> {
        let level = |blocks| -> Result<Level> {
            Ok(Level { sums: device.buffer("block sums", blocks)?, prefixes: device.buffer("block prefixes", blocks)? })
        };
        let levels = level_lengths(length).into_iter().map(level).collect::<Result<_>>()?;
        Ok(Self { levels, zero: device.buffer_from("zero", &[0])? })
    }

    /// Records the prefix sum of the first `length` elements of `input` into `output`, which is another buffer.
    pub fn record(
        &self,
        recorder: &mut Recorder,
        input: &Buffer<u32>,
        output: &Buffer<u32>,
        length: usize,
        kind: Kind,
    ) {
        let blocks = self.levels.first().map_or(1, |level| level.sums.len());
        let most = input.len().min(output.len()).min(blocks * SCAN_BLOCK as usize);
        assert!(length <= most, "{length} elements do not fit");
        self.record_level(recorder, 0, input, output, length, kind);
    }

    fn record_level(
        &self,
        recorder: &mut Recorder,
        level: usize,
        input: &Buffer<u32>,
        output: &Buffer<u32>,
        length: usize,
        kind: Kind,
    ) {
        if length == 0 {
            return;
        }
        let blocks = length.div_ceil(SCAN_BLOCK as usize);
        let invocations = blocks * WORKGROUP as usize;
        let params = ScanParams { length: length as u32, inclusive: u32::from(kind == Kind::Inclusive) };
        if blocks == 1 {
            recorder.dispatch(&ScanBlocks { input, offsets: &self.zero, output }, params, invocations);
            return;
        }
        let Level { sums, prefixes } = &self.levels[level];
        recorder.dispatch(&ScanSums { input, sums }, LengthParams { length: length as u32 }, invocations);
        self.record_level(recorder, level + 1, sums, prefixes, blocks, Kind::Exclusive);
        recorder.dispatch(&ScanBlocks { input, offsets: prefixes, output }, params, invocations);
    }
}

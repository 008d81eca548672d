//! A stable sort of pairs of any length by the bits of their keys, four at a time: the digits of each block are counted, the counts scanned, and
//! the pairs moved to the other one of two lists.

use super::{Kind, Scan};
use crate::{
    Result,
    device::{Buffer, Device, Recorder},
};
use evenkeel_kernels::primitive::sort::{DIGIT_BITS, DIGITS, SORT_BLOCK, SortCount, SortParams, SortPlace};
use evenkeel_types::WORKGROUP;

/// Keys, and what moves with them.
pub struct Pairs {
    /// What is sorted by.
    pub keys: Buffer<u32>,
    /// One for each key.
    pub payloads: Buffer<u32>,
}

/// The memory to sort up to some number of pairs.
pub struct Sort {
    /// Two lists: pairs move from one to the other and back.
    pub pairs: [Pairs; 2],
    counts: Buffer<u32>,
    places: Buffer<u32>,
    scan: Scan,
}

impl Sort {
    /// Allocates the memory for up to `length` pairs.
    pub fn new(device: &Device, length: usize) -> Result<Self> {
        let counts = length.div_ceil(SORT_BLOCK as usize) * DIGITS as usize;
        let pairs = || -> Result<Pairs> {
            Ok(Pairs { keys: device.buffer("keys", length)?, payloads: device.buffer("order", length)? })
        };
        Ok(Self {
            pairs: [pairs()?, pairs()?],
            counts: device.buffer("digits of blocks", counts)?,
            places: device.buffer("places of digits", counts)?,
            scan: Scan::new(device, counts)?,
        })
    }

    /// Records a sort of the first `length` pairs of list `from` by the lowest `bits` bits of their keys. Returns the list that they are in then; what
    /// is in the other one is lost.
    pub fn record(&self, recorder: &mut Recorder, from: usize, length: usize, bits: u32) -> usize {
        let blocks = length.div_ceil(SORT_BLOCK as usize);
        let (counts, invocations) = (blocks * DIGITS as usize, blocks * WORKGROUP as usize);
        assert!(counts <= self.counts.len(), "{length} pairs do not fit");
        let mut from = from;
        for shift in (0..bits).step_by(DIGIT_BITS as usize).take_while(|_| length > 0) {
            let params = SortParams { length: length as u32, shift };
            let (Pairs { keys, payloads }, sorted) = (&self.pairs[from], &self.pairs[1 - from]);
            recorder.dispatch(&SortCount { keys, counts: &self.counts }, params, invocations);
            self.scan.record(recorder, &self.counts, &self.places, counts, Kind::Exclusive);
            let (sorted_keys, sorted_payloads) = (&sorted.keys, &sorted.payloads);
            let place = SortPlace { keys, payloads, places: &self.places, sorted_keys, sorted_payloads };
            recorder.dispatch(&place, params, invocations);
            from = 1 - from;
        }
        from
    }
}

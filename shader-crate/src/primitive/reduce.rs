//! The sum, the smallest and the largest of a buffer: one atomic a workgroup into `result[0]`, which the host sets to the identity.

use super::LengthParams;
use crate::prelude::*;

macro_rules! reduction {
    ($(#[$documentation:meta])* $kernel:ident, $subgroup:ident, $atomic:ident, $identity:expr, $join:expr) => {
        $(#[$documentation])*
        #[kernel(threads = 256)]
        pub fn $kernel(
            lane: Lane,
            params: &LengthParams,
            input: Read<u32>,
            mut result: Global<u32>,
            mut joined: Shared<u32, 1>,
        ) {
            if lane.local == 0 {
                joined.set(0, $identity);
            }
            lane.barrier();
            let mut value: u32 = $identity;
            for index in lane.grid_stride(params.length) {
                value = $join(value, input.get(index));
            }
            value = lane.$subgroup(value);
            if lane.subgroup_lane == 0 {
                joined.$atomic(0, value);
            }
            lane.barrier();
            if lane.local == 0 {
                result.$atomic(0, joined.get(0));
            }
        }
    };
}

reduction!(
    /// The sum, wrapping.
    reduce_add, reduce_add, add, 0, u32::wrapping_add
);
reduction!(
    /// The smallest element.
    reduce_min, reduce_min, min, u32::MAX, u32::min
);
reduction!(
    /// The largest element.
    reduce_max, reduce_max, max, 0, u32::max
);

//! Sums over a workgroup of any subgroup width.

use crate::prelude::*;

/// The most subgroups a workgroup has. On the CPU device a subgroup is a single invocation; on a GPU it has at least four,
/// which the host sees to, and the workgroup memory saved lets more workgroups run at a time.
pub const SUBGROUPS: usize = if cfg!(target_arch = "spirv") { SUBGROUPS_ON_GPU } else { WORKGROUP as usize };

/// The most subgroups that a workgroup has on a GPU.
pub const SUBGROUPS_ON_GPU: usize = WORKGROUP as usize / 4;

/// One word for each subgroup.
pub type Slots<'a> = Shared<'a, u32, SUBGROUPS>;

/// A workgroup's prefix sum, as one invocation sees it.
pub struct Prefix {
    /// The sum of the values before its own.
    pub before: u32,
    /// The sum of all.
    pub total: u32,
}

// Up to this many subgroups every invocation adds them up itself, which saves a barrier; 32 covers lavapipe and every GPU.
const FEW: u32 = 32;

/// The prefix sum of the workgroup's values. All invocations call it together; `slots` is free again after a barrier.
#[inline(always)]
pub fn prefix_sum(lane: Lane, value: u32, slots: &mut Slots) -> Prefix {
    let inclusive = lane.inclusive_add(value);
    let subgroup_total = lane.reduce_add(value);
    if lane.subgroup_lane == 0 {
        slots.set(lane.subgroup, subgroup_total);
    }
    lane.barrier();
    let mut before = 0u32;
    let mut total = 0u32;
    if lane.subgroups <= FEW {
        for subgroup in 0..lane.subgroups {
            let sum = slots.get(subgroup);
            if subgroup < lane.subgroup {
                before = before.wrapping_add(sum);
            }
            total = total.wrapping_add(sum);
        }
    } else {
        if lane.local == 0 {
            for subgroup in 1..lane.subgroups {
                slots.set(subgroup, slots.get(subgroup).wrapping_add(slots.get(subgroup - 1)));
            }
        }
        lane.barrier();
        if lane.subgroup > 0 {
            before = slots.get(lane.subgroup - 1);
        }
        total = slots.get(lane.subgroups - 1);
    }
    Prefix { before: before.wrapping_add(inclusive).wrapping_sub(value), total }
}

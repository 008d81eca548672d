//! Many iterations in one dispatch while lists are short, by one workgroup or by a few that cooperate, for graphs whose traversals
//! have many short iterations (see the kernels' folder `rounds`). Used by `direction`, `near-far` and
//! betweenness.

use super::prelude::*;
use crate::{
    engine::{BATCHES, Parts},
    graph::Skew,
};
use evenkeel_kernels::rounds::{INVOCATIONS, SHORT, SHORT_ROW};

/// The most workgroups of a dispatch: five for each of an H200's 132 multiprocessors, which is how many run at a time there. More
/// would only wait.
pub(crate) const MAX_GROUPS: u32 = 660;

/// Where nodes have fewer edges than this on average, and none has many, frontiers grow slowly and there are many iterations.
const FEW: f64 = 6.0;

/// Dispatches of one iteration between two chances to take many in one: each chance not taken costs an empty dispatch.
const BETWEEN: usize = 2;

/// Lengths of the first batch of a loop without such dispatches, for searches of few levels.
const SHORTER: [usize; 2] = [4, 5];

/// When many iterations are taken in one dispatch, as the kernels read it: never where all is 0.
#[derive(Clone, Copy, Default)]
pub(crate) struct CooperationPlan {
    /// The longest list that one workgroup takes.
    pub short: u32,
    /// The longest list that cooperating workgroups take.
    pub medium: u32,
    /// How many workgroups cooperate.
    pub cooperating: u32,
    /// The loop iterations of an invocation in one dispatch.
    pub loop_limit: u32,
}

impl CooperationPlan {
    /// Whether the traversals of a graph with such degrees have many iterations.
    pub fn suit(skew: Skew) -> bool {
        skew.mean < FEW && skew.highest <= SHORT_ROW
    }

    /// For a graph whose traversals have many iterations, if the device has what it takes; `groups` workgroups cooperate.
    pub fn new(device: &DeviceInfo, skew: Skew, groups: u32) -> Self {
        if !Self::suit(skew) || device.workgroup_invocations < INVOCATIONS {
            return Self::default();
        }
        Self {
            short: SHORT,
            // Four nodes for each invocation.
            medium: groups * 1024,
            // Where workgroups are threads of a CPU, waiting for each other takes longer than the work.
            cooperating: if device.kind.is_cpu() { 1 } else { groups },
            loop_limit: device.loop_budget(),
        }
    }

    /// Chooses for a graph in partitions: if there are several, a dispatch runs a part of one iteration.
    pub fn in_parts(device: &DeviceInfo, skew: Skew, parts: &Parts, groups: u32) -> Self {
        if parts.are_several() { Self::default() } else { Self::new(device, skew, groups) }
    }

    /// Whether many iterations are ever taken in one dispatch.
    pub fn are_taken(self) -> bool {
        self.short > 0
    }

    /// Records a loop of `one` iteration a dispatch, with the chance to take `many` every few of them.
    pub fn record<S: LoopState>(
        self,
        (device, name, state): (&Device, &str, &Buffer<S>),
        start: impl Fn(&mut Recorder),
        many: impl Fn(&mut Recorder),
        one: impl Fn(&mut Recorder),
    ) -> Result<DeviceLoop> {
        if self.are_taken() {
            return DeviceLoop::record(device, name, state, start, |recorder, _| {
                many(recorder);
                (0..BETWEEN).for_each(|_| one(recorder));
            });
        }
        let lengths = (&SHORTER[..], &BATCHES[..]);
        let start = |recorder: &mut Recorder| {
            start(recorder);
            0
        };
        DeviceLoop::record_with_choice(device, name, state, lengths, start, |recorder, _| one(recorder))
    }
}

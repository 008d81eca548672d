//! Where a sequence of steps must wait. Steps that touch different buffers, or only read the same ones, may overlap; a step that
//! reads what an earlier one wrote, or writes what an earlier one touched, begins a new *segment*, and between two segments
//! stands one barrier. A barrier's scopes are the stages of the two segments beside it: what happened before them is ordered by
//! the barriers before.

use super::context::Context;
use ash::vk::{self, AccessFlags as Access, PipelineStageFlags as Stages};
use std::{collections::HashMap, ops::Range};

/// What each stage of the pipeline that is used here reads and writes. `ALL_COMMANDS` is all that was submitted earlier, by whomever.
const ACCESS: [(Stages, Access, Access); 5] = [
    (Stages::ALL_COMMANDS, Access::empty(), Access::MEMORY_WRITE),
    (Stages::TRANSFER, Access::TRANSFER_READ, Access::TRANSFER_WRITE),
    (Stages::COMPUTE_SHADER, Access::SHADER_READ, Access::SHADER_WRITE),
    (Stages::DRAW_INDIRECT, Access::INDIRECT_COMMAND_READ, Access::empty()),
    (Stages::HOST, Access::HOST_READ, Access::empty()),
];

fn access(stages: Stages) -> (Access, Access) {
    let used = ACCESS.iter().filter(|(stage, ..)| stages.contains(*stage));
    used.fold(Default::default(), |(reads, writes), (_, read, write)| (reads | *read, writes | *write))
}

/// What one step touches.
#[derive(Clone, Debug)]
pub(super) struct Uses {
    pub(super) stages: Stages,
    /// Each buffer, and whether it may be written.
    pub(super) buffers: Vec<(vk::Buffer, bool)>,
}

/// Steps that may overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) steps: Range<usize>,
    pub(super) stages: Stages,
}

/// Cuts steps into segments; with `alone`, one for each step, so that each can be timed by itself.
pub(super) fn segments<'u>(steps: impl IntoIterator<Item = &'u Uses>, alone: bool) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    // Buffers touched in the running segment, and whether any step of it may write them.
    let mut touched: HashMap<vk::Buffer, bool> = HashMap::new();
    for (index, step) in steps.into_iter().enumerate() {
        let conflict =
            |&(buffer, writes): &(vk::Buffer, bool)| touched.get(&buffer).is_some_and(|&wrote| wrote || writes);
        if segments.is_empty() || alone || step.buffers.iter().any(conflict) {
            segments.push(Segment { steps: index..index, stages: Stages::empty() });
            touched.clear();
        }
        for &(buffer, writes) in &step.buffers {
            *touched.entry(buffer).or_default() |= writes;
        }
        if let Some(segment) = segments.last_mut() {
            segment.steps.end = index + 1;
            segment.stages |= step.stages;
        }
    }
    segments
}

/// Commands after this one, in the stages of `to`, wait for commands before it, in the stages of `from`, and see what they wrote.
pub(super) fn barrier(context: &Context, commands: vk::CommandBuffer, from: Stages, to: Stages) {
    let ((_, written), (reads, writes)) = (access(from), access(to));
    let memory = [vk::MemoryBarrier::default().src_access_mask(written).dst_access_mask(reads | writes)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: the caller is recording the command buffer, and the queue has all of these stages.
    unsafe { context.vk().cmd_pipeline_barrier(commands, from, to, flags, &memory, &[], &[]) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    fn step(stages: Stages, reads: &[u64], writes: &[u64]) -> Uses {
        let reads = reads.iter().map(|&buffer| (vk::Buffer::from_raw(buffer), false));
        let writes = writes.iter().map(|&buffer| (vk::Buffer::from_raw(buffer), true));
        Uses { stages, buffers: reads.chain(writes).collect() }
    }

    /// How many steps each segment has.
    fn cuts(steps: &[Uses]) -> Vec<usize> {
        segments(steps, false).into_iter().map(|segment| segment.steps.len()).collect()
    }

    #[test]
    fn independent_steps_and_readers_overlap() {
        let steps = [
            step(Stages::TRANSFER, &[], &[1]),
            step(Stages::TRANSFER, &[], &[2]),
            step(Stages::COMPUTE_SHADER, &[3], &[4]),
            step(Stages::COMPUTE_SHADER, &[3], &[5]),
        ];
        assert_eq!(cuts(&steps), [4]);
    }

    #[test]
    fn every_hazard_is_a_cut() {
        let (read, write) = (step(Stages::COMPUTE_SHADER, &[1], &[]), step(Stages::COMPUTE_SHADER, &[], &[1]));
        assert_eq!(cuts(&[write.clone(), read.clone()]), [1, 1], "read after write");
        assert_eq!(cuts(&[read.clone(), write.clone()]), [1, 1], "write after read");
        assert_eq!(cuts(&[write.clone(), write.clone()]), [1, 1], "write after write");
        assert_eq!(cuts(&[read.clone(), read]), [2], "reads do not conflict");
    }

    #[test]
    fn a_hazard_counts_from_the_last_cut_only() {
        // The third step reads what the first wrote, but the cut before the second has settled that.
        let steps = [
            step(Stages::COMPUTE_SHADER, &[], &[1, 2]),
            step(Stages::COMPUTE_SHADER, &[1], &[3]),
            step(Stages::COMPUTE_SHADER, &[2], &[4]),
            step(Stages::COMPUTE_SHADER, &[4], &[5]),
        ];
        assert_eq!(cuts(&steps), [1, 2, 1]);
    }

    #[test]
    fn scopes_join_and_steps_can_stand_alone() {
        let steps = [
            step(Stages::TRANSFER, &[], &[1]),
            step(Stages::COMPUTE_SHADER | Stages::DRAW_INDIRECT, &[2], &[3]),
            step(Stages::COMPUTE_SHADER, &[4], &[5]),
        ];
        let joined = segments(&steps, false);
        assert_eq!(joined.len(), 1);
        assert_eq!(joined[0].stages, Stages::TRANSFER | Stages::COMPUTE_SHADER | Stages::DRAW_INDIRECT);
        assert_eq!(segments(&steps, true).len(), 3);
        assert!(segments(&[], false).is_empty());
    }
}

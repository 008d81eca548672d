//! Where a sequence of steps must wait. Steps that touch different buffers, or only read the same ones, may overlap; a step that
//! reads what an earlier one wrote, or writes what an earlier one touched, begins a new *segment*, and between two segments
//! stands one barrier. A barrier's scopes are the stages of the two segments beside it: what happened before them is ordered by
//! the barriers before.

use super::context::Context;
use ash::vk;
use std::{collections::HashMap, ops::Range};

/// Stages of the pipeline and what they do to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Scope {
    pub(super) stages: vk::PipelineStageFlags,
    pub(super) access: vk::AccessFlags,
}

impl Scope {
    /// All that was submitted earlier, by whomever.
    pub(super) const EVERYTHING: Self =
        Self { stages: vk::PipelineStageFlags::ALL_COMMANDS, access: vk::AccessFlags::MEMORY_WRITE };
    /// Fills and copies.
    pub(super) const TRANSFER: Self = Self {
        stages: vk::PipelineStageFlags::TRANSFER,
        access: vk::AccessFlags::from_raw(
            vk::AccessFlags::TRANSFER_READ.as_raw() | vk::AccessFlags::TRANSFER_WRITE.as_raw(),
        ),
    };
    /// Kernels.
    pub(super) const COMPUTE: Self = Self {
        stages: vk::PipelineStageFlags::COMPUTE_SHADER,
        access: vk::AccessFlags::from_raw(
            vk::AccessFlags::SHADER_READ.as_raw() | vk::AccessFlags::SHADER_WRITE.as_raw(),
        ),
    };
    /// Reading the size of a dispatch.
    pub(super) const INDIRECT: Self =
        Self { stages: vk::PipelineStageFlags::DRAW_INDIRECT, access: vk::AccessFlags::INDIRECT_COMMAND_READ };
    /// The host reading what was copied for it.
    pub(super) const HOST: Self = Self { stages: vk::PipelineStageFlags::HOST, access: vk::AccessFlags::HOST_READ };

    const NOTHING: Self = Self { stages: vk::PipelineStageFlags::empty(), access: vk::AccessFlags::empty() };

    /// Both.
    pub(super) fn and(self, other: Self) -> Self {
        Self { stages: self.stages | other.stages, access: self.access | other.access }
    }

    /// What a barrier makes available of it: its writes.
    fn writes(self) -> vk::AccessFlags {
        self.access & (vk::AccessFlags::SHADER_WRITE | vk::AccessFlags::TRANSFER_WRITE | vk::AccessFlags::MEMORY_WRITE)
    }
}

/// What one step touches.
#[derive(Clone, Debug)]
pub(super) struct Uses {
    pub(super) scope: Scope,
    /// Each buffer, and whether it may be written.
    pub(super) buffers: Vec<(vk::Buffer, bool)>,
}

/// Steps that may overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    pub(super) steps: Range<usize>,
    pub(super) scope: Scope,
}

/// Cuts steps into segments; with `alone`, one for each step, so that each can be timed by itself.
pub(super) fn segments(steps: &[Uses], alone: bool) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    // Buffers touched in the running segment, and whether any step of it may write them.
    let mut touched: HashMap<vk::Buffer, bool> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        let conflict =
            |&(buffer, writes): &(vk::Buffer, bool)| touched.get(&buffer).is_some_and(|&wrote| wrote || writes);
        if segments.is_empty() || alone || step.buffers.iter().any(conflict) {
            segments.push(Segment { steps: index..index, scope: Scope::NOTHING });
            touched.clear();
        }
        for &(buffer, writes) in &step.buffers {
            *touched.entry(buffer).or_default() |= writes;
        }
        if let Some(segment) = segments.last_mut() {
            segment.steps.end = index + 1;
            segment.scope = segment.scope.and(step.scope);
        }
    }
    segments
}

/// Commands after this one, in the stages of `to`, wait for commands before it, in the stages of `from`, and see what they wrote.
pub(super) fn barrier(context: &Context, commands: vk::CommandBuffer, from: Scope, to: Scope) {
    let memory = [vk::MemoryBarrier::default().src_access_mask(from.writes()).dst_access_mask(to.access)];
    let flags = vk::DependencyFlags::empty();
    // SAFETY: the caller is recording the command buffer, and the queue has all of these stages.
    unsafe { context.vk().cmd_pipeline_barrier(commands, from.stages, to.stages, flags, &memory, &[], &[]) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use ash::vk::Handle;

    fn step(scope: Scope, reads: &[u64], writes: &[u64]) -> Uses {
        let reads = reads.iter().map(|&buffer| (vk::Buffer::from_raw(buffer), false));
        let writes = writes.iter().map(|&buffer| (vk::Buffer::from_raw(buffer), true));
        Uses { scope, buffers: reads.chain(writes).collect() }
    }

    /// How many steps each segment has.
    fn cuts(steps: &[Uses]) -> Vec<usize> {
        segments(steps, false).into_iter().map(|segment| segment.steps.len()).collect()
    }

    #[test]
    fn independent_steps_and_readers_overlap() {
        let steps = [
            step(Scope::TRANSFER, &[], &[1]),
            step(Scope::TRANSFER, &[], &[2]),
            step(Scope::COMPUTE, &[3], &[4]),
            step(Scope::COMPUTE, &[3], &[5]),
        ];
        assert_eq!(cuts(&steps), [4]);
    }

    #[test]
    fn every_hazard_is_a_cut() {
        let (read, write) = (step(Scope::COMPUTE, &[1], &[]), step(Scope::COMPUTE, &[], &[1]));
        assert_eq!(cuts(&[write.clone(), read.clone()]), [1, 1], "read after write");
        assert_eq!(cuts(&[read.clone(), write.clone()]), [1, 1], "write after read");
        assert_eq!(cuts(&[write.clone(), write.clone()]), [1, 1], "write after write");
        assert_eq!(cuts(&[read.clone(), read]), [2], "reads do not conflict");
    }

    #[test]
    fn a_hazard_counts_from_the_last_cut_only() {
        // The third step reads what the first wrote, but the cut before the second has settled that.
        let steps = [
            step(Scope::COMPUTE, &[], &[1, 2]),
            step(Scope::COMPUTE, &[1], &[3]),
            step(Scope::COMPUTE, &[2], &[4]),
            step(Scope::COMPUTE, &[4], &[5]),
        ];
        assert_eq!(cuts(&steps), [1, 2, 1]);
    }

    #[test]
    fn scopes_join_and_steps_can_stand_alone() {
        let steps = [
            step(Scope::TRANSFER, &[], &[1]),
            step(Scope::COMPUTE.and(Scope::INDIRECT), &[2], &[3]),
            step(Scope::COMPUTE, &[4], &[5]),
        ];
        let joined = segments(&steps, false);
        assert_eq!(joined.len(), 1);
        assert_eq!(joined[0].scope, Scope::TRANSFER.and(Scope::COMPUTE).and(Scope::INDIRECT));
        assert_eq!(segments(&steps, true).len(), 3);
        assert!(segments(&[], false).is_empty());
    }
}

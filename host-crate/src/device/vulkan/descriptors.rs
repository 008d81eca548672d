//! The descriptor sets of one recording, in a pool of just their size that goes with it.

use super::{Failed, context::Context, plan::DescriptorSet};
use crate::Result;
use ash::vk;
use std::sync::Arc;

/// A pool and all the sets in it.
pub(super) struct DescriptorPool {
    pub(super) sets: Vec<vk::DescriptorSet>,
    handle: vk::DescriptorPool,
    context: Arc<Context>,
}

impl DescriptorPool {
    /// Makes and fills `sets`; `None` when there are none, which Vulkan has no pool for.
    pub(super) fn new(context: &Arc<Context>, name: &str, sets: &[DescriptorSet]) -> Result<Option<Self>> {
        if sets.is_empty() {
            return Ok(None);
        }
        let buffers: usize = sets.iter().map(|set| set.buffers.len()).sum();
        let sizes = [vk::DescriptorPoolSize::default()
            .ty(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(buffers.max(1) as u32)];
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(sets.len() as u32).pool_sizes(&sizes);
        // SAFETY: the device is alive.
        let handle = unsafe { context.vk().create_descriptor_pool(&info, None) }.failed("making descriptors")?;
        context.name(handle, name);
        let mut pool = Self { handle, sets: Vec::new(), context: context.clone() };
        let layouts: Vec<_> = sets.iter().map(|set| set.layout).collect();
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(handle).set_layouts(&layouts);
        // SAFETY: the pool was made for exactly these sets, and the plan keeps their layouts alive.
        pool.sets = unsafe { context.vk().allocate_descriptor_sets(&info) }.failed("making descriptors")?;
        pool.fill(sets);
        Ok(Some(pool))
    }

    fn fill(&self, sets: &[DescriptorSet]) {
        let writes: Vec<_> = self
            .sets
            .iter()
            .zip(sets)
            .flat_map(|(&handle, set)| {
                set.buffers.iter().enumerate().map(move |(binding, buffer)| {
                    vk::WriteDescriptorSet::default()
                        .dst_set(handle)
                        .dst_binding(binding as u32)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .buffer_info(std::slice::from_ref(buffer))
                })
            })
            .collect();
        // SAFETY: the sets are new, so nothing uses them, and the buffers are alive: the plan holds them.
        unsafe { self.context.vk().update_descriptor_sets(&writes, &[]) };
    }
}

impl Drop for DescriptorPool {
    fn drop(&mut self) {
        // SAFETY: the recording that uses the sets has dropped its commands before.
        unsafe { self.context.vk().destroy_descriptor_pool(self.handle, None) };
    }
}

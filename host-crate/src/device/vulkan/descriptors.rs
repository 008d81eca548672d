//! The descriptor sets of one recording, in a pool of just their size that goes with it.

use super::{Failed, context::Context, owned::Owned, plan::DescriptorSet};
use crate::Result;
use ash::vk;
use std::sync::Arc;

pub(super) struct DescriptorPool {
    pub(super) sets: Vec<vk::DescriptorSet>,
    _pool: Owned<vk::DescriptorPool>,
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
        let make = |vk: &ash::Device| unsafe { vk.create_descriptor_pool(&info, None) };
        let pool = Owned::new(context, name, "making descriptors", make)?;
        let layouts: Vec<_> = sets.iter().map(|set| set.layout).collect();
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool.handle).set_layouts(&layouts);
        // SAFETY: the pool was made for exactly these sets, and the plan keeps their layouts alive.
        let handles = unsafe { context.vk().allocate_descriptor_sets(&info) }.failed("making descriptors")?;
        let filled = handles.iter().zip(sets).filter(|(_, set)| !set.buffers.is_empty());
        // Buffers beyond the first binding go to the bindings after it.
        let writes: Vec<_> = filled
            .map(|(handle, set)| vk::WriteDescriptorSet::default().dst_set(*handle).buffer_info(&set.buffers))
            .map(|write| write.descriptor_type(vk::DescriptorType::STORAGE_BUFFER))
            .collect();
        // SAFETY: the sets are new, so nothing uses them, and the buffers are alive: the plan holds them.
        unsafe { context.vk().update_descriptor_sets(&writes, &[]) };
        Ok(Some(Self { sets: handles, _pool: pool }))
    }
}

//! Vulkan objects that are destroyed with their owner.

use super::{Failed, context::Context};
use crate::Result;
use ash::{prelude::VkResult, vk};
use std::sync::Arc;

/// An object of an open device, which it keeps open.
pub(super) struct Owned<H: Destroy> {
    pub(super) handle: H,
    pub(super) context: Arc<Context>,
}

impl<H: Destroy> Owned<H> {
    /// What `make` makes, under that name; `doing` is what a failure says was being done.
    pub(super) fn new(
        context: &Arc<Context>,
        name: &str,
        doing: &str,
        make: impl FnOnce(&ash::Device) -> VkResult<H>,
    ) -> Result<Self> {
        let handle = make(&context.vk()).failed(doing)?;
        context.name(handle, name);
        Ok(Self { handle, context: context.clone() })
    }
}

impl<H: Destroy> Drop for Owned<H> {
    fn drop(&mut self) {
        // SAFETY: the object is of this device. Whatever runs with it holds its owner, and waits before it lets go.
        unsafe { self.handle.destroy(&self.context.vk()) };
    }
}

/// A kind of object, and how it is destroyed.
pub(super) trait Destroy: vk::Handle + Copy {
    /// # Safety
    /// The object is of this device, and nothing uses it any more.
    unsafe fn destroy(self, device: &ash::Device);
}

macro_rules! destroy {
    ($($kind:ident: $destroy:ident;)*) => { $(
        impl Destroy for vk::$kind {
            unsafe fn destroy(self, device: &ash::Device) {
                // SAFETY: the caller promises the same.
                unsafe { device.$destroy(self, None) };
            }
        }
    )* };
}

destroy! {
    CommandPool: destroy_command_pool;
    DescriptorPool: destroy_descriptor_pool;
    DescriptorSetLayout: destroy_descriptor_set_layout;
    Fence: destroy_fence;
    Pipeline: destroy_pipeline;
    PipelineCache: destroy_pipeline_cache;
    PipelineLayout: destroy_pipeline_layout;
    QueryPool: destroy_query_pool;
    ShaderModule: destroy_shader_module;
}

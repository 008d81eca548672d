//! Kernels made ready for the device: one pipeline a kernel, compiled when it is first used and kept while the device is open.

use super::{Failed, context::Context, lock, pipeline_cache::PipelineCache, statistics};
use crate::{Error, Result};
use ash::vk;
use evenkeel_kernels::launch::Kernel;
use std::{
    collections::HashMap,
    ffi::CString,
    io::Cursor,
    path::Path,
    sync::{Arc, Mutex},
};

/// A compiled kernel.
pub(super) struct Pipeline {
    pub(super) handle: vk::Pipeline,
    pub(super) layout: vk::PipelineLayout,
    pub(super) set_layout: vk::DescriptorSetLayout,
    context: Arc<Context>,
}

/// All kernels compiled so far.
pub(super) struct Pipelines {
    context: Arc<Context>,
    cache: PipelineCache,
    // By address: a kernel's description is a static of its own.
    made: Mutex<HashMap<usize, Arc<Pipeline>>>,
}

impl Pipelines {
    /// None yet; what is compiled is kept in `folder` for the next run, if there is one.
    pub(super) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self> {
        let cache = PipelineCache::new(context, folder)?;
        Ok(Self { context: context.clone(), cache, made: Mutex::default() })
    }

    /// The pipeline of `kernel`.
    pub(super) fn get(&self, kernel: &'static Kernel) -> Result<Arc<Pipeline>> {
        let mut made = lock(&self.made);
        let key = std::ptr::from_ref(kernel).addr();
        if let Some(pipeline) = made.get(&key) {
            return Ok(pipeline.clone());
        }
        let start = self.context.clock.now();
        let pipeline = Arc::new(Pipeline::new(&self.context, &self.cache, kernel)?);
        self.context.spans.host(&self.context.clock, "compile", kernel.name, start);
        made.insert(key, pipeline.clone());
        Ok(pipeline)
    }
}

impl Pipeline {
    fn new(context: &Arc<Context>, cache: &PipelineCache, kernel: &'static Kernel) -> Result<Self> {
        check(context, kernel)?;
        let code = ash::util::read_spv(&mut Cursor::new(kernel.spirv))
            .map_err(|error| Error::Device(format!("the module of kernel {} is damaged: {error}", kernel.name)))?;
        let module = Module::new(context, &code, kernel.name)?;
        let mut pipeline = Self {
            handle: vk::Pipeline::null(),
            layout: vk::PipelineLayout::null(),
            set_layout: vk::DescriptorSetLayout::null(),
            context: context.clone(),
        };
        pipeline.set_layout = set_layout(context, kernel)?;
        pipeline.layout = layout(context, kernel, pipeline.set_layout)?;
        let entry_point = CString::new(kernel.name).unwrap_or_default();
        let full = context.physical.extras.full_subgroups
            && kernel.threads.is_multiple_of(context.physical.info.subgroup_size.max(1));
        let flags = if full {
            vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS
        } else {
            vk::PipelineShaderStageCreateFlags::empty()
        };
        let stage = vk::PipelineShaderStageCreateInfo::default()
            .flags(flags)
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module.handle)
            .name(&entry_point);
        let flags = if context.statistics.is_some() {
            vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR
        } else {
            vk::PipelineCreateFlags::empty()
        };
        let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(pipeline.layout)];
        // SAFETY: module and layouts are alive, and the layouts were made from the same declaration as the module.
        let made = unsafe { context.vk().create_compute_pipelines(cache.handle, &info, None) }
            .map_err(|(_, error)| error)
            .failed(&format!("compiling kernel {}", kernel.name))?;
        pipeline.handle = made.first().copied().unwrap_or_default();
        context.name(pipeline.handle, kernel.name);
        statistics::log(context, pipeline.handle, kernel.name);
        Ok(pipeline)
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        // SAFETY: recordings hold a reference to the pipelines in them; null handles are ignored.
        unsafe {
            self.context.vk().destroy_pipeline(self.handle, None);
            self.context.vk().destroy_pipeline_layout(self.layout, None);
            self.context.vk().destroy_descriptor_set_layout(self.set_layout, None);
        }
    }
}

/// Refuses a kernel that asks for more than the device has, in words rather than by a driver's crash.
fn check(context: &Context, kernel: &Kernel) -> Result<()> {
    let limits = &context.physical.limits;
    let shared: usize = kernel.shared_bytes.iter().sum();
    let threads = limits.max_compute_work_group_invocations.min(limits.max_compute_work_group_size[0]);
    for (what, needed, available) in [
        ("invocations in a workgroup", kernel.threads as usize, threads),
        ("bytes of workgroup memory", shared, limits.max_compute_shared_memory_size),
        ("bytes of parameters", kernel.params_bytes, limits.max_push_constants_size),
        ("buffers", kernel.buffers.len(), limits.max_per_stage_descriptor_storage_buffers),
    ] {
        if needed > available as usize {
            let device = &context.physical.info.name;
            return Err(Error::Device(format!(
                "kernel {} needs {needed} {what}, {device} has {available}",
                kernel.name
            )));
        }
    }
    Ok(())
}

fn set_layout(context: &Context, kernel: &Kernel) -> Result<vk::DescriptorSetLayout> {
    let bindings: Vec<_> = (0..kernel.buffers.len() as u32)
        .map(|binding| {
            vk::DescriptorSetLayoutBinding::default()
                .binding(binding)
                .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                .descriptor_count(1)
                .stage_flags(vk::ShaderStageFlags::COMPUTE)
        })
        .collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the device is alive.
    let layout =
        unsafe { context.vk().create_descriptor_set_layout(&info, None) }.failed("making a descriptor layout")?;
    context.name(layout, kernel.name);
    Ok(layout)
}

fn layout(context: &Context, kernel: &Kernel, set: vk::DescriptorSetLayout) -> Result<vk::PipelineLayout> {
    let range =
        vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(kernel.params_bytes as u32);
    let ranges: &[_] = if kernel.params_bytes == 0 { &[] } else { &[range] };
    let sets = [set];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
    // SAFETY: the device and the set layout are alive.
    let layout = unsafe { context.vk().create_pipeline_layout(&info, None) }.failed("making a pipeline layout")?;
    context.name(layout, kernel.name);
    Ok(layout)
}

/// A shader module; a pipeline needs it only while it is compiled.
struct Module<'c> {
    handle: vk::ShaderModule,
    context: &'c Context,
}

impl<'c> Module<'c> {
    fn new(context: &'c Context, code: &[u32], name: &str) -> Result<Self> {
        // SAFETY: the code is a module that rust-gpu made and spirv-val accepted.
        let handle =
            unsafe { context.vk().create_shader_module(&vk::ShaderModuleCreateInfo::default().code(code), None) }
                .failed(&format!("loading kernel {name}"))?;
        context.name(handle, name);
        Ok(Self { handle, context })
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: nothing is compiled from it any more.
        unsafe { self.context.vk().destroy_shader_module(self.handle, None) };
    }
}

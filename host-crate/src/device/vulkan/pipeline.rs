//! Kernels made ready for the device: one pipeline a kernel, compiled when it is first used and kept while the device is open.

use super::{context::Context, lock, owned::Owned, pipeline_cache::PipelineCache, statistics};
use crate::{Error, Result};
use ash::vk;
use evenkeel_kernels::launch::Kernel;
use std::{
    collections::HashMap,
    ffi::CString,
    io::Cursor,
    path::Path,
    ptr,
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    thread,
};

pub(super) struct Pipeline {
    pub(super) pipeline: Owned<vk::Pipeline>,
    pub(super) layout: Owned<vk::PipelineLayout>,
    pub(super) set_layout: Owned<vk::DescriptorSetLayout>,
}

pub(super) struct Pipelines {
    context: Arc<Context>,
    cache: PipelineCache,
    /// By [`key`].
    made: Mutex<HashMap<usize, Arc<Pipeline>>>,
}

impl Pipelines {
    /// None yet; what is compiled is kept in `folder` for the next run, if there is one.
    pub(super) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self> {
        let cache = PipelineCache::new(context, folder)?;
        Ok(Self { context: context.clone(), cache, made: Mutex::default() })
    }

    /// The pipelines of these kernels, in their order. What is not there yet is compiled, several at a time.
    pub(super) fn get(&self, kernels: &[&'static Kernel]) -> Result<Vec<Arc<Pipeline>>> {
        let mut made = lock(&self.made);
        let mut missing: Vec<&'static Kernel> = Vec::new();
        for &kernel in kernels {
            if !made.contains_key(&key(kernel)) && !missing.iter().any(|other| ptr::eq(*other, kernel)) {
                missing.push(kernel);
            }
        }
        if !missing.is_empty() {
            let start = self.context.clock.now();
            let pipelines = self.compile(&missing)?;
            let names: Vec<_> = missing.iter().map(|kernel| kernel.name).collect();
            self.context.clock.host_span("compile", &names.join(", "), start);
            made.extend(missing.into_iter().map(key).zip(pipelines));
        }
        let find = |kernel: &&'static Kernel| made.get(&key(kernel)).cloned();
        kernels.iter().map(find).collect::<Option<_>>().ok_or_else(|| Error::Device("a pipeline was not made".into()))
    }

    /// Compiles kernels with several threads. They are not the pool's threads, for the reason that copies have (staging.rs).
    fn compile(&self, kernels: &[&'static Kernel]) -> Result<Vec<Arc<Pipeline>>> {
        let places: Vec<OnceLock<Result<Pipeline>>> = kernels.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let take = || {
            let index = next.fetch_add(1, Relaxed);
            kernels.get(index).zip(places.get(index))
        };
        let work = || {
            while let Some((kernel, place)) = take() {
                place.get_or_init(|| Pipeline::new(&self.context, &self.cache, kernel));
            }
        };
        thread::scope(|scope| {
            for _ in 1..kernels.len().min(rayon::current_num_threads()) {
                // Where the system starts no more threads, those that run do the work.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        let made = places.into_iter().filter_map(OnceLock::into_inner);
        made.map(|pipeline| pipeline.map(Arc::new)).collect()
    }

    /// Writes what was compiled for the next run.
    #[cfg(feature = "cli")]
    pub(super) fn keep(&self) {
        self.cache.keep();
    }
}

/// Kernels are told apart by address: the description of each is a static of its own.
fn key(kernel: &'static Kernel) -> usize {
    ptr::from_ref(kernel).addr()
}

impl Pipeline {
    fn new(context: &Arc<Context>, cache: &PipelineCache, kernel: &'static Kernel) -> Result<Self> {
        let name = kernel.name;
        check(context, kernel)?;
        let code = ash::util::read_spv(&mut Cursor::new(kernel.spirv))
            .map_err(|error| Error::Device(format!("the module of kernel {name} is damaged: {error}")))?;
        let info = vk::ShaderModuleCreateInfo::default().code(&code);
        // SAFETY: the code is a module that rust-gpu made and spirv-val accepted.
        let make = |vk: &ash::Device| unsafe { vk.create_shader_module(&info, None) };
        let module = Owned::new(context, name, &format!("loading kernel {name}"), make)?;
        let set_layout = set_layout(context, kernel)?;
        let layout = layout(context, kernel, set_layout.handle)?;
        let entry_point = CString::new(name).unwrap_or_default();
        let full = context.physical.extras.full_subgroups
            && kernel.threads.is_multiple_of(context.physical.info.subgroup_size.max(1));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(module.handle)
            .name(&entry_point);
        if full {
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
        }
        let mut info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout.handle);
        if context.statistics.is_some() {
            info = info.flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR);
        }
        let pipeline = Owned::new(context, name, &format!("compiling kernel {name}"), |vk| {
            // SAFETY: module and layouts are alive, and the layouts were made from the same declaration as the module.
            let made = unsafe { vk.create_compute_pipelines(cache.cache.handle, &[info], None) };
            made.map(|made| made[0]).map_err(|(_, error)| error)
        })?;
        statistics::log(context, pipeline.handle, name);
        Ok(Self { pipeline, layout, set_layout })
    }
}

/// Refuses a kernel that asks for more than the device has, in words rather than by a driver's crash.
fn check(context: &Context, kernel: &Kernel) -> Result<()> {
    let physical = &context.physical;
    let limits = &physical.properties.limits;
    let shared: usize = kernel.shared_bytes.iter().sum();
    for (what, needed, available) in [
        ("invocations in a workgroup", kernel.threads as usize, physical.info.workgroup_invocations),
        ("bytes of workgroup memory", shared, limits.max_compute_shared_memory_size),
        ("bytes of parameters", kernel.params_bytes, limits.max_push_constants_size),
        ("buffers", kernel.buffers.len(), limits.max_per_stage_descriptor_storage_buffers),
    ] {
        if needed > available as usize {
            let (kernel, device) = (kernel.name, &physical.info.name);
            return Err(Error::Device(format!("kernel {kernel} needs {needed} {what}, {device} has {available}")));
        }
    }
    Ok(())
}

fn set_layout(context: &Arc<Context>, kernel: &Kernel) -> Result<Owned<vk::DescriptorSetLayout>> {
    let storage = vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE);
    let bindings: Vec<_> = (0..kernel.buffers.len() as u32).map(|binding| storage.binding(binding)).collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the device is alive.
    let make = |vk: &ash::Device| unsafe { vk.create_descriptor_set_layout(&info, None) };
    Owned::new(context, kernel.name, "making a descriptor layout", make)
}

fn layout(context: &Arc<Context>, kernel: &Kernel, set: vk::DescriptorSetLayout) -> Result<Owned<vk::PipelineLayout>> {
    let range =
        vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(kernel.params_bytes as u32);
    let ranges: &[_] = if kernel.params_bytes == 0 { &[] } else { &[range] };
    let sets = [set];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
    // SAFETY: the device and the set layout are alive.
    let make = |vk: &ash::Device| unsafe { vk.create_pipeline_layout(&info, None) };
    Owned::new(context, kernel.name, "making a pipeline layout", make)
}

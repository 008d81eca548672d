//! Kernels made ready for the device: one pipeline a kernel, compiled when it is first used and kept while the device is open.

use super::{
    context::Context, crash_marker::CrashMarker, lock, module::Module, owned::Owned, pipeline_cache::PipelineCache,
    statistics,
};
use crate::{Error, Result};
use ash::vk;
use evenkeel_kernels::launch::Kernel;
use std::{
    collections::HashMap,
    ffi::CString,
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
    marker: CrashMarker,
    /// By [`key`].
    made: Mutex<HashMap<usize, Arc<Pipeline>>>,
}

impl Pipelines {
    /// None yet; what is compiled is kept in `folder` for the next run, if there is one.
    pub(super) fn new(context: &Arc<Context>, folder: Option<&Path>) -> Result<Self> {
        let cache = PipelineCache::new(context, folder)?;
        let marker = CrashMarker::new(context, folder);
        Ok(Self { context: context.clone(), cache, marker, made: Mutex::default() })
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
            let modules: Vec<Module> = missing.iter().map(|kernel| Module::of(kernel)).collect::<Result<_>>()?;
            let pipelines: Vec<_> = self.compile(&modules).into_iter().collect::<Result<_>>()?;
            for (kernel, pipeline) in missing.iter().zip(&pipelines) {
                statistics::log(&self.context, pipeline.pipeline.handle, kernel.name);
            }
            let names: Vec<_> = missing.iter().map(|kernel| kernel.name).collect();
            self.context.clock.host_span("compile", &names.join(", "), start);
            made.extend(missing.into_iter().map(key).zip(pipelines.into_iter().map(Arc::new)));
        }
        let find = |kernel: &&'static Kernel| made.get(&key(kernel)).cloned();
        kernels.iter().map(find).collect::<Option<_>>().ok_or_else(|| Error::Device("a pipeline was not made".into()))
    }

    /// Compiles modules with several threads. They are not the pool's threads, for the reason that copies have (staging.rs).
    pub(super) fn compile(&self, modules: &[Module]) -> Vec<Result<Pipeline>> {
        let places: Vec<OnceLock<Result<Pipeline>>> = modules.iter().map(|_| OnceLock::new()).collect();
        let next = AtomicUsize::new(0);
        let take = || {
            let index = next.fetch_add(1, Relaxed);
            modules.get(index).zip(places.get(index))
        };
        let work = || {
            while let Some((module, place)) = take() {
                place.get_or_init(|| Pipeline::new(&self.context, &self.cache, &self.marker, module));
            }
        };
        thread::scope(|scope| {
            for _ in 1..modules.len().min(rayon::current_num_threads()) {
                // Where the system starts no more threads, those that run do the work.
                if thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    break;
                }
            }
            work();
        });
        places.into_iter().filter_map(OnceLock::into_inner).collect()
    }

    /// Writes what was compiled for the next run.
    pub(super) fn keep(&self) {
        self.cache.keep();
        self.marker.remove();
    }
}

/// Kernels are told apart by address: the description of each is a static of its own.
fn key(kernel: &'static Kernel) -> usize {
    ptr::from_ref(kernel).addr()
}

impl Pipeline {
    fn new(context: &Arc<Context>, cache: &PipelineCache, marker: &CrashMarker, module: &Module) -> Result<Self> {
        let name = module.name.as_str();
        check(context, module)?;
        let info = vk::ShaderModuleCreateInfo::default().code(&module.code);
        // SAFETY: the code is a module that rust-gpu made and spirv-val accepted.
        let make = |vk: &ash::Device| unsafe { vk.create_shader_module(&info, None) };
        let shader = Owned::new(context, name, &format!("loading kernel {name}"), make)?;
        let set_layout = set_layout(context, module)?;
        let layout = layout(context, module, set_layout.handle)?;
        let entry_point = CString::new(name).unwrap_or_default();
        let full = context.physical.extras.full_subgroups
            && module.threads.is_multiple_of(context.physical.info.subgroup_size.max(1));
        let mut stage = vk::PipelineShaderStageCreateInfo::default()
            .stage(vk::ShaderStageFlags::COMPUTE)
            .module(shader.handle)
            .name(&entry_point);
        if full {
            stage = stage.flags(vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS);
        }
        let mut info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout.handle);
        if context.statistics.is_some() {
            info = info.flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR);
        }
        marker.begin(name);
        let pipeline = Owned::new(context, name, &format!("compiling kernel {name}"), |vk| {
            // SAFETY: shader and layouts are alive, and the layouts were made from the same declaration as the module.
            let made = unsafe { vk.create_compute_pipelines(cache.cache.handle, &[info], None) };
            made.map(|made| made[0]).map_err(|(_, error)| error)
        });
        marker.end(name);
        Ok(Self { pipeline: pipeline?, layout, set_layout })
    }
}

/// Kernels that a driver's compiler takes all memory for and never ends with.
const NEVER_COMPILED: [(vk::DriverId, &str); 1] = [(vk::DriverId::GOOGLE_SWIFTSHADER, "level_listed")];

/// Refuses a kernel that asks for more than the device has, in words rather than by a driver's crash.
fn check(context: &Context, module: &Module) -> Result<()> {
    let (physical, name) = (&context.physical, module.name.as_str());
    let (limits, device) = (&physical.properties.limits, &physical.info.name);
    if NEVER_COMPILED.contains(&(physical.driver, name)) {
        let driver = &physical.info.driver;
        return Err(Error::Unsupported(format!("the compiler of {driver} does not end with kernel {name}")));
    }
    for capability in module.capabilities() {
        if let Some(lacks) = physical.lacks.iter().find(|lacks| lacks.number == capability) {
            return Err(Error::Unsupported(format!("kernel {name} needs {}, which {device} lacks", lacks.name)));
        }
    }
    for (what, needed, available) in [
        ("invocations in a workgroup", module.threads as usize, physical.info.workgroup_invocations),
        ("bytes of workgroup memory", module.workgroup_bytes, limits.max_compute_shared_memory_size),
        ("bytes of parameters", module.params_bytes, limits.max_push_constants_size),
        ("buffers", module.buffers, limits.max_per_stage_descriptor_storage_buffers),
    ] {
        if needed > available as usize {
            return Err(Error::Unsupported(format!("kernel {name} needs {needed} {what}, {device} has {available}")));
        }
    }
    Ok(())
}

fn set_layout(context: &Arc<Context>, module: &Module) -> Result<Owned<vk::DescriptorSetLayout>> {
    let storage = vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE);
    let bindings: Vec<_> = (0..module.buffers as u32).map(|binding| storage.binding(binding)).collect();
    let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
    // SAFETY: the device is alive.
    let make = |vk: &ash::Device| unsafe { vk.create_descriptor_set_layout(&info, None) };
    Owned::new(context, &module.name, "making a descriptor layout", make)
}

fn layout(context: &Arc<Context>, module: &Module, set: vk::DescriptorSetLayout) -> Result<Owned<vk::PipelineLayout>> {
    let range =
        vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::COMPUTE).size(module.params_bytes as u32);
    let ranges: &[_] = if module.params_bytes == 0 { &[] } else { &[range] };
    let sets = [set];
    let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(ranges);
    // SAFETY: the device and the set layout are alive.
    let make = |vk: &ash::Device| unsafe { vk.create_pipeline_layout(&info, None) };
    Owned::new(context, &module.name, "making a pipeline layout", make)
}

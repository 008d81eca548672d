//! What a driver tells about a kernel that it compiled: on AMD and NVIDIA, say, how many registers an invocation takes, which limits
//! how many workgroups run at a time. Asked for when the device was opened for profiling or for compiling alone.

use super::context::Context;
use ash::vk;
use serde_json::{Map, Value};

/// What is known of one program that a driver made of a kernel.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Executable {
    /// Invocations of a subgroup.
    pub subgroup_size: u32,
    /// By the driver's names.
    pub statistics: Map<String, Value>,
}

/// Writes what is known about a pipeline to the log.
pub(super) fn log(context: &Context, pipeline: vk::Pipeline, kernel: &str) {
    for Executable { statistics, .. } in executables(context, pipeline) {
        let text: Vec<_> = statistics.iter().map(|(name, value)| format!("{name} {value}")).collect();
        tracing::info!("kernel {kernel}: {}", text.join(", "));
    }
}

/// What is known about a pipeline that was made with `CAPTURE_STATISTICS`.
pub(super) fn executables(context: &Context, pipeline: vk::Pipeline) -> Vec<Executable> {
    let Some(driver) = &context.statistics else { return Vec::new() };
    let driver = context.calls(driver);
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    // SAFETY: the pipeline is alive. A driver that has nothing to say is no reason to stop.
    let executables = unsafe { driver.get_pipeline_executable_properties(&info) }.unwrap_or_default();
    let executable = |(index, properties): (u32, &vk::PipelineExecutablePropertiesKHR)| {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
        // SAFETY: the pipeline is alive, has that executable, and was made so that statistics are kept.
        let statistics = unsafe { driver.get_pipeline_executable_statistics(&info) }.unwrap_or_default();
        Executable {
            subgroup_size: properties.subgroup_size,
            statistics: statistics.iter().filter_map(named_value).collect(),
        }
    };
    (0..).zip(&executables).map(executable).collect()
}

/// Name and value, if both can be read.
fn named_value(statistic: &vk::PipelineExecutableStatisticKHR) -> Option<(String, Value)> {
    let name = statistic.name_as_c_str().ok()?.to_str().ok()?;
    let value = statistic.value;
    // SAFETY: the format says which of the union's members was written.
    let value = unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => (value.b32 == vk::TRUE).into(),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => value.i64.into(),
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => value.u64.into(),
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => value.f64.into(),
            _ => return None,
        }
    };
    Some((name.to_owned(), value))
}

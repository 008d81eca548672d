//! What a driver tells about a kernel that it compiled: on NVIDIA, say, how many registers an invocation takes, which limits how
//! many workgroups run at a time. Asked for when the device was opened for profiling, and written to the log.

use super::context::Context;
use ash::vk;

/// Writes what is known about a pipeline that was made with `CAPTURE_STATISTICS`.
pub(super) fn log(context: &Context, pipeline: vk::Pipeline, kernel: &str) {
    let Some(driver) = &context.statistics else { return };
    let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
    // SAFETY: the pipeline is alive. A driver that has nothing to say is no reason to stop.
    let executables = unsafe { driver.get_pipeline_executable_properties(&info) }.unwrap_or_default();
    for index in 0..executables.len() as u32 {
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(index);
        // SAFETY: the pipeline is alive, has that executable, and was made so that statistics are kept.
        let statistics = unsafe { driver.get_pipeline_executable_statistics(&info) }.unwrap_or_default();
        let text: Vec<_> = statistics.iter().filter_map(describe).collect();
        tracing::info!("kernel {kernel}: {}", text.join(", "));
    }
}

/// `name value`, if the name can be read.
fn describe(statistic: &vk::PipelineExecutableStatisticKHR) -> Option<String> {
    let name = statistic.name_as_c_str().ok()?.to_str().ok()?;
    let value = statistic.value;
    // SAFETY: the format says which of the union's members was written.
    let text = unsafe {
        match statistic.format {
            vk::PipelineExecutableStatisticFormatKHR::BOOL32 => (value.b32 == vk::TRUE).to_string(),
            vk::PipelineExecutableStatisticFormatKHR::INT64 => value.i64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::UINT64 => value.u64.to_string(),
            vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => value.f64.to_string(),
            _ => return None,
        }
    };
    Some(format!("{name} {text}"))
}

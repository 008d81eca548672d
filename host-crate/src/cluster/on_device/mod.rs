//! Workers that compute on devices: which device a worker has, and for each algorithm what its kernels do between two exchanges. A share is
//! copied to the device when the algorithm is made ready; after that only what is exchanged comes and goes.
//!
//! The kernels are those of one device, which take a part of the rows there, too. Beside them there are a few that sort out what others need,
//! and take what they give.

pub(super) mod bfs;
pub(super) mod components;
pub(super) mod pagerank;
pub(super) mod sssp;

use super::share::Share;
use crate::{
    Error, Result,
    device::{Buffer, Device, DeviceInfo, DeviceKind, DeviceOptions, ReadBack, Recorder, Recording},
    graph::Csr,
};
use bytemuck::Pod;
use std::ops::Range;

/// Opens the device of a worker, by what `--device` says; none for the threads of the CPU. `auto` matches every GPU as good as the best, a part of a
/// name every device of Vulkan that has it, and an index one device. Worker I takes the I-th of those that match, and where there are fewer, they
/// begin again with the first.
///
/// # Errors
/// When there is no such device, or it lacks something.
pub fn open(selector: &str, worker: usize, options: &DeviceOptions) -> Result<Option<Device>> {
    // What is empty is a part of every name, and opens none.
    let is_one = selector == "cpu" || selector.starts_with("cpu:") || selector.trim().is_empty();
    let devices = if is_one { Vec::new() } else { Device::list() };
    let device = Device::open(&selector_of(selector, worker, &devices), options)?;
    Ok(Some(device).filter(|device| device.info().kind != DeviceKind::Cpu))
}

/// What opens the device of a worker: an index, or what was given where it matches none.
fn selector_of(selector: &str, worker: usize, devices: &[DeviceInfo]) -> String {
    let best = Device::automatic(devices).map(|best| best.kind);
    let is_able = |info: &DeviceInfo| info.missing.is_empty() && info.kind != DeviceKind::Cpu;
    let matches = |info: &&DeviceInfo| match selector.parse::<usize>() {
        Ok(index) => info.index == Some(index),
        Err(_) if selector == "auto" => is_able(info) && Some(info.kind) == best,
        Err(_) => is_able(info) && info.name.to_lowercase().contains(&selector.to_lowercase()),
    };
    let matching: Vec<usize> = devices.iter().filter(matches).filter_map(|info| info.index).collect();
    match matching.len() {
        0 => selector.to_owned(),
        count => matching[worker % count].to_string(),
    }
}

/// The device that a worker computes its share on. One without rows has nothing to compute, and needs none.
pub(super) fn of_share<'a>(device: Option<&'a Device>, share: &Share) -> Option<&'a Device> {
    device.filter(|_| !share.rows.is_empty())
}

/// A recording after which the host looks at a state.
struct Observed<S> {
    recording: Recording,
    state: ReadBack<S>,
}

impl<S: Pod> Observed<S> {
    fn record(device: &Device, name: &str, state: &Buffer<S>, steps: impl FnOnce(&mut Recorder)) -> Result<Self> {
        let mut after = None;
        let recording = device.record(name, |recorder| {
            steps(recorder);
            after = Some(recorder.read_back(state));
        })?;
        let state = after.ok_or_else(|| Error::Device("a recording was not made".into()))?;
        Ok(Self { recording, state })
    }

    /// Runs it, and returns the state after it.
    fn run(&mut self) -> Result<S> {
        self.recording.run()?;
        Ok(self.recording.value(self.state))
    }
}

/// Where the rows of a worker begin among its own edges, and the number of these.
fn own_offsets(csr: &Csr, rows: &Range<u32>) -> Result<Vec<u32>> {
    let begin = csr.offsets().at(rows.start as usize);
    let offset = |row: u32| {
        let edges = csr.offsets().at(row as usize) - begin;
        u32::try_from(edges).ok().filter(|edges| *edges < u32::MAX).ok_or_else(|| {
            Error::Graph(format!("a worker has {edges} edges or more, which a device cannot index: take more workers"))
        })
    };
    (rows.start..=rows.end).map(offset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn info(index: usize, name: &str, kind: DeviceKind) -> DeviceInfo {
        let cpu = Device::open("cpu", &DeviceOptions::default()).unwrap();
        DeviceInfo { index: Some(index), name: name.into(), kind, ..cpu.info().clone() }
    }

    #[test]
    fn each_worker_has_its_own_where_there_are_several() {
        let devices = [
            info(0, "llvmpipe", DeviceKind::Software),
            info(1, "Big GPU", DeviceKind::Discrete),
            info(2, "Little GPU", DeviceKind::Integrated),
            info(3, "Big GPU", DeviceKind::Discrete),
            info(4, "Big CPU", DeviceKind::Cpu),
        ];
        let of = |selector: &str| [0, 1, 2, 3].map(|worker| selector_of(selector, worker, &devices));
        assert_eq!(of("auto"), ["1", "3", "1", "3"]);
        assert_eq!(of("gpu"), ["1", "2", "3", "1"]);
        assert_eq!(of("big"), ["1", "3", "1", "3"]);
        assert_eq!(of("2"), ["2"; 4]);
        assert_eq!(of("nothing"), ["nothing"; 4]);
        assert_eq!(["auto", "4"].map(|selector| selector_of(selector, 1, &devices[4..])), ["auto", "4"]);
    }

    #[test]
    fn the_cpu_is_no_device_and_an_emulated_one_is() {
        let open = |selector: &str| open(selector, 1, &DeviceOptions::default()).unwrap();
        assert!(open("cpu").is_none());
        assert_eq!(open("cpu:subgroup=8").unwrap().info().subgroup_size, 8);
    }
}

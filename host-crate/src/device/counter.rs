//! A device that counts the memory that is allocated on it. Alone it is a planner: it has the limits of another device, but no memory, and
//! what is recorded on it does nothing, so that preparing an algorithm there says what memory the algorithm needs. In front of a device it
//! counts what is really allocated.

use super::{Backend, DeviceInfo, MemoryPlan, Recorded, Step, Transferring, lock, profile::Span};
use crate::{Error, Result};
use evenkeel_kernels::launch::{Kernel, RawBuffer};
use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

pub(super) struct Counter {
    info: DeviceInfo,
    /// The device that does what is asked for; a planner has none.
    device: Option<Arc<dyn Backend>>,
    counted: Mutex<MemoryPlan>,
}

impl Counter {
    /// A planner with the limits of a device.
    pub fn planner(info: &DeviceInfo) -> Self {
        Self { info: info.clone(), device: None, counted: Mutex::default() }
    }

    /// A counter in front of a device.
    pub fn before(device: Arc<dyn Backend>) -> Self {
        Self { info: device.info().clone(), device: Some(device), counted: Mutex::default() }
    }

    /// Adds a buffer, and makes it unless this is a planner.
    fn add(
        &self,
        name: &str,
        bytes: u64,
        allocate: impl FnOnce(&dyn Backend) -> Result<RawBuffer>,
    ) -> Result<RawBuffer> {
        self.count(name, bytes);
        self.forward(|| Arc::new(()) as RawBuffer, allocate)
    }

    /// What the device gives, or what there is instead of it on a planner.
    fn forward<T>(&self, instead: impl FnOnce() -> T, device: impl FnOnce(&dyn Backend) -> Result<T>) -> Result<T> {
        self.device.as_deref().map_or_else(|| Ok(instead()), device)
    }
}

impl Backend for Counter {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn allocate(&self, name: &str, bytes: u64) -> Result<RawBuffer> {
        self.add(name, bytes, |device| device.allocate(name, bytes))
    }

    fn allocate_slot(&self, name: &str, bytes: u64) -> Result<RawBuffer> {
        self.add(name, bytes, |device| device.allocate_slot(name, bytes))
    }

    /// Memory of the host is not counted.
    fn allocate_host(&self, name: &str, bytes: &[u8]) -> Result<RawBuffer> {
        self.forward(|| Arc::new(()) as RawBuffer, |device| device.allocate_host(name, bytes))
    }

    fn upload(&self, buffer: &RawBuffer, offset: u64, bytes: &[u8]) -> Result<()> {
        self.forward(|| (), |device| device.upload(buffer, offset, bytes))
    }

    fn download(&self, buffer: &RawBuffer, offset: u64, bytes: &mut [u8]) -> Result<()> {
        self.forward(|| (), |device| device.download(buffer, offset, bytes))
    }

    fn record(&self, name: &str, steps: Vec<Step>) -> Result<Box<dyn Recorded>> {
        match &self.device {
            Some(device) => device.record(name, steps),
            None => Ok(Box::new(Nothing::new(&steps))),
        }
    }

    fn transfer(&self, name: &str, copies: Vec<(RawBuffer, RawBuffer, u64)>) -> Result<Box<dyn Transferring>> {
        match &self.device {
            Some(device) => device.transfer(name, copies),
            None => Ok(Box::new(Nothing::new(&[]))),
        }
    }

    fn max_groups(&self, kernel: &Kernel) -> u32 {
        self.device.as_ref().map_or(self.info.max_groups, |device| device.max_groups(kernel))
    }

    fn is_planner(&self) -> bool {
        self.device.is_none()
    }

    fn count(&self, name: &str, bytes: u64) {
        if bytes > 0 {
            lock(&self.counted).buffers.push((name.to_owned(), bytes));
        }
    }

    fn describe(&self, layout: String) {
        lock(&self.counted).layout = Some(layout);
    }

    fn counted(&self) -> MemoryPlan {
        lock(&self.counted).clone()
    }

    fn keep_pipelines(&self) {
        if let Some(device) = &self.device {
            device.keep_pipelines();
        }
    }

    fn take_spans(&self) -> Vec<Span> {
        self.device.as_ref().map(|device| device.take_spans()).unwrap_or_default()
    }

    fn validation_messages(&self) -> Vec<String> {
        self.device.as_ref().map(|device| device.validation_messages()).unwrap_or_default()
    }

    fn begin_capture(&self) -> Result<()> {
        let nothing = || Err(Error::Device("nothing runs on a planner".into()));
        self.device.as_ref().map_or_else(nothing, |device| device.begin_capture())
    }

    fn end_capture(&self) -> Result<()> {
        self.device.as_ref().map_or(Ok(()), |device| device.end_capture())
    }
}

/// A recording of a planner. What it brings back is zero.
struct Nothing {
    read_backs: Vec<Vec<u8>>,
}

impl Nothing {
    fn new(steps: &[Step]) -> Self {
        let zeros = |step: &Step| match step {
            Step::ReadBack { bytes, .. } => Some(vec![0; *bytes as usize]),
            _ => None,
        };
        Self { read_backs: steps.iter().filter_map(zeros).collect() }
    }
}

impl Recorded for Nothing {
    fn run(&mut self) -> Result<Duration> {
        Ok(Duration::ZERO)
    }

    fn read_back(&self, slot: usize) -> &[u8] {
        &self.read_backs[slot]
    }
}

impl Transferring for Nothing {
    fn start(&mut self) -> Result<()> {
        Ok(())
    }

    fn wait(&mut self) -> Result<()> {
        Ok(())
    }
}

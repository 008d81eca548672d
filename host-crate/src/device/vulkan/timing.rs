//! Time on two clocks. The device stamps its work in ticks of its own; [`Clock`] turns ticks into time on the host's clock, so
//! that a trace shows both side by side.

use super::{
    Failed,
    context::{Context, LogicalDevice},
    lock,
    physical::Physical,
};
use crate::{Result, device::profile::Span};
use ash::{ext, vk};
use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

/// The device's clock, and the host's since the device was opened.
pub(super) struct Clock {
    opened: Instant,
    ticks: Ticks,
    calibration: Option<ext::calibrated_timestamps::Device>,
}

/// One moment on both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) ticks: u64,
    pub(super) host: Duration,
}

/// How a device counts: nanoseconds a tick, and the bits that count.
#[derive(Clone, Copy, Debug)]
struct Ticks {
    nanoseconds: f64,
    mask: u64,
}

impl Ticks {
    fn between(self, from: u64, to: u64) -> Duration {
        Duration::from_nanos(((to.wrapping_sub(from) & self.mask) as f64 * self.nanoseconds) as u64)
    }

    /// When `ticks` was, given a moment near it, before or after.
    fn on_host(self, anchor: Anchor, ticks: u64) -> Duration {
        if ticks.wrapping_sub(anchor.ticks) & self.mask <= self.mask / 2 {
            anchor.host + self.between(anchor.ticks, ticks)
        } else {
            anchor.host.saturating_sub(self.between(ticks, anchor.ticks))
        }
    }
}

impl Clock {
    pub(super) fn new(device: &LogicalDevice, physical: &Physical) -> Self {
        let mask = u64::MAX.checked_shr(64 - physical.timestamp_bits.min(64)).unwrap_or(0);
        Self {
            opened: Instant::now(),
            ticks: Ticks { nanoseconds: f64::from(physical.limits.timestamp_period), mask },
            calibration: physical
                .extras
                .calibrated_timestamps
                .then(|| ext::calibrated_timestamps::Device::new(&device.instance.handle, &device.handle)),
        }
    }

    /// Whether the device stamps its work.
    pub(super) fn has_timestamps(&self) -> bool {
        self.ticks.mask != 0
    }

    /// The host's time.
    pub(super) fn now(&self) -> Duration {
        self.opened.elapsed()
    }

    /// The time between two stamps.
    pub(super) fn between(&self, from: u64, to: u64) -> Duration {
        self.ticks.between(from, to)
    }

    /// The host's time of a stamp.
    pub(super) fn on_host(&self, anchor: Anchor, ticks: u64) -> Duration {
        self.ticks.on_host(anchor, ticks)
    }

    /// Reads both clocks at once, where the device can.
    pub(super) fn anchor(&self) -> Option<Anchor> {
        let info = [vk::CalibratedTimestampInfoEXT::default().time_domain(vk::TimeDomainEXT::DEVICE)];
        let before = self.now();
        // SAFETY: every device with the extension can read its own clock.
        let (stamps, _) = unsafe { self.calibration.as_ref()?.get_calibrated_timestamps(&info) }.ok()?;
        Some(Anchor { ticks: *stamps.first()?, host: (before + self.now()) / 2 })
    }
}

/// The stamps of one recording.
pub(super) struct Stamps {
    pool: vk::QueryPool,
    count: u32,
    context: Arc<Context>,
}

impl Stamps {
    pub(super) fn new(context: &Arc<Context>, name: &str, count: u32) -> Result<Self> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        // SAFETY: the device is alive.
        let pool = unsafe { context.vk().create_query_pool(&info, None) }.failed("making room for timestamps")?;
        context.name(pool, name);
        Ok(Self { pool, count, context: context.clone() })
    }

    /// Forgets all stamps, before a command buffer that writes them is submitted. The host does it: the device would take longer.
    pub(super) fn reset(&self) {
        // SAFETY: no command that uses the pool is in flight, and every device with Vulkan 1.2 lets the host reset it.
        unsafe { self.context.vk().reset_query_pool(self.pool, 0, self.count) };
    }

    /// Stamps the moment when all commands before this one are finished.
    pub(super) fn write(&self, commands: vk::CommandBuffer, index: u32) {
        let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
        // SAFETY: the command buffer is being recorded; the pool is reset before it is submitted.
        unsafe { self.context.vk().cmd_write_timestamp(commands, stage, self.pool, index) };
    }

    /// All stamps, in ticks, after the command buffer has run.
    pub(super) fn read(&self) -> Result<Vec<u64>> {
        let mut ticks = vec![0u64; self.count as usize];
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        // SAFETY: the pool has as many timestamps as there is room for.
        unsafe { self.context.vk().get_query_pool_results(self.pool, 0, &mut ticks, flags) }
            .failed("reading timestamps")?;
        Ok(ticks)
    }
}

impl Drop for Stamps {
    fn drop(&mut self) {
        // SAFETY: the recording that writes to it is finished and dropped before.
        unsafe { self.context.vk().destroy_query_pool(self.pool, None) };
    }
}

/// What has been timed and not yet taken; nothing is kept unless the device was opened with `profile`.
pub(super) struct Spans {
    kept: Option<Mutex<Vec<Span>>>,
}

impl Spans {
    pub(super) fn new(profile: bool) -> Self {
        Self { kept: profile.then(Mutex::default) }
    }

    /// Whether spans are kept at all.
    pub(super) fn profile(&self) -> bool {
        self.kept.is_some()
    }

    pub(super) fn extend(&self, spans: impl IntoIterator<Item = Span>) {
        if let Some(kept) = &self.kept {
            lock(kept).extend(spans);
        }
    }

    /// Something that the host did from `start` until now.
    pub(super) fn host(&self, clock: &Clock, name: &str, label: &str, start: Duration) {
        if self.profile() {
            let duration = clock.now().saturating_sub(start);
            self.extend([Span { name: name.to_owned(), label: label.to_owned(), start, duration, on_device: false }]);
        }
    }

    pub(super) fn take(&self) -> Vec<Span> {
        self.kept.as_ref().map(|kept| std::mem::take(&mut *lock(kept))).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_wrap_around_and_lie_on_either_side_of_the_anchor() {
        let ticks = Ticks { nanoseconds: 2.0, mask: 0xff };
        assert_eq!(ticks.between(0xf0, 0x10), Duration::from_nanos(0x40));
        let anchor = Anchor { ticks: 0x05, host: Duration::from_nanos(1_000) };
        assert_eq!(ticks.on_host(anchor, 0x0a), Duration::from_nanos(1_010));
        assert_eq!(ticks.on_host(anchor, 0xfb), Duration::from_nanos(980));
    }
}

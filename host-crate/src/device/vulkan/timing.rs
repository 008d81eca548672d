//! Time on two clocks. The device stamps its work in ticks of its own; [`Clock`] turns ticks into time on the host's clock, so
//! that a trace shows both side by side, and keeps the spans that were timed.

use super::{instance::Instance, lock, physical::Physical};
use crate::device::profile::{self, Span};
use ash::{ext, vk};
use std::{sync::Mutex, time::Duration};

/// The device's clock, and the host's.
pub(super) struct Clock {
    pub(super) ticks: Ticks,
    calibration: Option<ext::calibrated_timestamps::Device>,
    /// What has been timed and not yet taken; nothing is kept unless the device was opened with `profile`.
    spans: Option<Mutex<Vec<Span>>>,
}

/// One moment on both clocks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) ticks: u64,
    pub(super) host: Duration,
}

/// How a device counts: nanoseconds a tick, and the bits that count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ticks {
    nanoseconds: f64,
    mask: u64,
}

impl Ticks {
    pub(super) fn between(self, from: u64, to: u64) -> Duration {
        Duration::from_nanos(((to.wrapping_sub(from) & self.mask) as f64 * self.nanoseconds) as u64)
    }

    /// The host's time of a stamp, given a moment near it, before or after.
    pub(super) fn on_host(self, anchor: Anchor, ticks: u64) -> Duration {
        if ticks.wrapping_sub(anchor.ticks) & self.mask <= self.mask / 2 {
            anchor.host + self.between(anchor.ticks, ticks)
        } else {
            anchor.host.saturating_sub(self.between(ticks, anchor.ticks))
        }
    }
}

impl Clock {
    pub(super) fn new(instance: &Instance, device: &ash::Device, physical: &Physical, profile: bool) -> Self {
        let mask = u64::MAX.checked_shr(64 - physical.timestamp_bits.min(64)).unwrap_or(0);
        let ticks = Ticks { nanoseconds: physical.properties.limits.timestamp_period.into(), mask };
        let calibration = || ext::calibrated_timestamps::Device::new(&instance.handle, device);
        let calibration = physical.extras.calibrated_timestamps.then(calibration);
        Self { ticks, calibration, spans: profile.then(Mutex::default) }
    }

    pub(super) fn has_timestamps(&self) -> bool {
        self.ticks.mask != 0
    }

    pub(super) fn now(&self) -> Duration {
        profile::now()
    }

    /// Reads both clocks at once, where the device can.
    pub(super) fn anchor(&self, instance: &Instance) -> Option<Anchor> {
        let info = [vk::CalibratedTimestampInfoEXT::default().time_domain(vk::TimeDomainEXT::DEVICE)];
        let before = self.now();
        // SAFETY: every device with the extension can read its own clock.
        let (stamps, _) =
            unsafe { instance.calls(self.calibration.as_ref()?).get_calibrated_timestamps(&info) }.ok()?;
        Some(Anchor { ticks: *stamps.first()?, host: (before + self.now()) / 2 })
    }

    pub(super) fn profiles(&self) -> bool {
        self.spans.is_some()
    }

    pub(super) fn keep(&self, spans: impl IntoIterator<Item = Span>) {
        if let Some(kept) = &self.spans {
            lock(kept).extend(spans);
        }
    }

    /// Something that the host did from `start` until now.
    pub(super) fn host_span(&self, name: &str, label: &str, start: Duration) {
        if self.profiles() {
            let duration = self.now().saturating_sub(start);
            self.keep([Span { name: name.to_owned(), label: label.to_owned(), start, duration, on_device: false }]);
        }
    }

    pub(super) fn take_spans(&self) -> Vec<Span> {
        self.spans.as_ref().map(|kept| std::mem::take(&mut *lock(kept))).unwrap_or_default()
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

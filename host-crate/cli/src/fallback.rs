//! What `--device auto` does where the device that it chose refuses what the CPU device can do: it takes that one, and says so. A
//! device that was asked for by name refuses.

use super::{
    measure::{Bench, Ready},
    options::DeviceOptions,
};
use evenkeel::{
    Error,
    device::{Device, DeviceKind},
};
use std::mem;

impl DeviceOptions {
    /// The device to take where the one that was opened refuses; none where the user named that one, or it is the last resort itself.
    pub fn fallback(&self, opened: &Device) -> Option<Device> {
        let is_last = opened.info().kind == DeviceKind::Cpu;
        // It is there on every machine, so that opening it is no reason to fail.
        (self.is_automatic() && !is_last).then(|| self.open_as("cpu", opened.times_steps()).ok()).flatten()
    }
}

impl<'a> Bench<'a> {
    /// Makes one strategy ready as [`Bench::prepare`] does. Where the device refuses and `fallback` does not, that is from then on the
    /// device of this bench.
    pub fn prepare_or_on(&mut self, fallback: Option<&'a Device>) -> anyhow::Result<Ready<'a>> {
        let error = match self.prepare() {
            Ok(prepared) => return Ok(prepared),
            Err(error) => error,
        };
        let Some(fallback) = fallback.filter(|_| self.is_refusal(&error)) else { return Err(error) };
        let refusing = mem::replace(&mut self.device, fallback);
        match self.prepare() {
            Ok(prepared) => {
                let [refusing, taken] = [refusing, fallback].map(|device| &device.info().name);
                tracing::warn!("{refusing} cannot run this, so {taken} does (--device cpu): {error:#}");
                Ok(prepared)
            }
            // Where neither can do it, the reason of the first counts.
            Err(_) => {
                self.device = refusing;
                Err(error)
            }
        }
    }

    /// Whether an error says that this device is too small or unfit, rather than that something is wrong.
    fn is_refusal(&self, error: &anyhow::Error) -> bool {
        let lacks = matches!(error.downcast_ref(), Some(Error::Memory(_) | Error::Unsupported(_)));
        lacks || !self.problem.runs_on(self.device.info())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Rounds;
    use evenkeel::{
        algorithm, device,
        graph::{BuildReport, Graph, generate::Generator},
    };

    fn cpu(memory_limit: Option<u64>) -> Device {
        Device::open("cpu", &device::DeviceOptions { memory_limit, ..Default::default() }).unwrap()
    }

    fn star(nodes: u32) -> Graph {
        format!("star:nodes={nodes}").parse::<Generator>().unwrap().generate().unwrap()
    }

    /// The device that a search was run on, or the error.
    fn device_taken(device: &Device, fallback: Option<&Device>, graph: &Graph) -> anyhow::Result<Device> {
        let mut setup = algorithm::named("bfs").unwrap().setup();
        evenkeel::settings::set(setup.settings(algorithm::Part::Input), "source", "0").unwrap();
        let problem = setup.on(graph).unwrap();
        let mut bench = Bench {
            device,
            graph,
            built: &BuildReport::default(),
            problem: &*problem,
            runs: 1,
            warmup: 0,
            is_warm: false,
            validate: true,
            capture: false,
            show: None,
        };
        let ready = bench.prepare_or_on(fallback)?;
        let measured = bench.measure(ready, &mut Rounds::default())?;
        assert_eq!(measured.report.valid, Some(true));
        Ok(bench.device.clone())
    }

    /// Whether it is a device with one of the memory limits below, by which they are told apart.
    fn is_limited(device: &Device) -> bool {
        device.admit(&device::MemoryPlan::new().with::<u32>("much", 1 << 10)).is_err()
    }

    #[test]
    fn what_does_not_fit_runs_where_it_fits() {
        let (small, large, graph) = (cpu(Some(1 << 10)), cpu(None), star(1000));
        assert!(!is_limited(&device_taken(&small, Some(&large), &graph).unwrap()));
        assert!(is_limited(&device_taken(&small, Some(&large), &star(2)).unwrap()));
        for fallback in [None, Some(&cpu(Some(1 << 11)))] {
            let error = device_taken(&small, fallback, &graph).unwrap_err();
            assert!(error.root_cause().to_string().contains("the memory limit is 1.0 KiB"), "{error:?}");
        }
    }

    /// A software driver ends loops after 65,535 rounds.
    #[test]
    fn what_never_ends_runs_where_it_does() {
        let Ok(software) = Device::open("llvmpipe", &device::DeviceOptions::default()) else {
            assert!(std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_none(), "there is no software driver");
            return;
        };
        let graph = star(70_000);
        assert_eq!(device_taken(&software, Some(&cpu(None)), &graph).unwrap().info().kind, DeviceKind::Cpu);
        assert!(device_taken(&software, None, &graph).unwrap_err().to_string().contains("stops every loop"));
    }
}

//! Shared helpers of the benchmarks: a generated graph, and the device and size that the environment asks for.
//!
//! `EVENKEEL_BENCH_DEVICE` is what `--device` takes, `auto` unless set. `EVENKEEL_BENCH_SCALE` is the logarithm of the number
//! of nodes, small unless set, so that a benchmark is done in about a minute where the CPU plays the GPU.

use evenkeel::{
    device::{Device, DeviceOptions},
    graph::{Graph, generate::Generator},
};
use std::env;

/// 4,096 nodes.
const DEFAULT_SCALE: u32 = 12;

/// The graph that a generator's text describes.
pub fn generate(text: &str) -> Graph {
    let generator: Generator = text.parse().expect("a generator");
    generator.generate().expect("a graph")
}

/// The device to measure on.
pub fn device() -> Device {
    let selector = env::var("EVENKEEL_BENCH_DEVICE").unwrap_or_else(|_| "auto".to_owned());
    let options = DeviceOptions { pipeline_cache: true, ..DeviceOptions::default() };
    Device::open(&selector, &options).expect("the device that EVENKEEL_BENCH_DEVICE names")
}

/// The logarithm of the number of nodes.
pub fn scale() -> u32 {
    scale_or(DEFAULT_SCALE)
}

/// The same for a benchmark that is small enough for another default.
pub fn scale_or(default: u32) -> u32 {
    env::var("EVENKEEL_BENCH_SCALE")
        .map_or(default, |scale| scale.parse().expect("EVENKEEL_BENCH_SCALE is a whole number"))
}

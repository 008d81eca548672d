//! What the tests on a device share: the device, the check that the validation layer is silent, and how much is tested.
//!
//! `EVENKEEL_TEST_DEVICE` names the device (`cpu` is one), else it is the best Vulkan device. Where there is none, a test
//! says so in one line and passes, unless one was named or `EVENKEEL_REQUIRE_VULKAN` is set. The validation layer watches when
//! it is installed.
//!
//! `EVENKEEL_FULL` asks for every combination and for all random cases. Without it, tests that multiply strategies by settings
//! by graphs run a part of them, in which each strategy, each setting and each graph occurs.

use evenkeel::{
    device::{Device, DeviceKind, DeviceOptions},
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, Graph, NodeIds},
};
use std::{io::Write, path::PathBuf, sync::OnceLock};

/// The device of the tests, one for all of them.
pub fn device() -> Option<Device> {
    static DEVICE: OnceLock<Option<Device>> = OnceLock::new();
    DEVICE.get_or_init(|| device_with(DeviceOptions::default())).clone()
}

/// One of its own with other options; validation is always on.
pub fn device_with(options: DeviceOptions) -> Option<Device> {
    let options = DeviceOptions { validation: true, ..options };
    let reason = match selector().map(|selector| Device::open(&selector, &options)) {
        Some(Ok(device)) => return Some(device),
        Some(Err(error)) => error.to_string(),
        None => "there is no Vulkan device".to_owned(),
    };
    let is_needed =
        ["EVENKEEL_TEST_DEVICE", "EVENKEEL_REQUIRE_VULKAN"].map(std::env::var_os).iter().any(Option::is_some);
    assert!(!is_needed, "{reason}");
    say(&format!("skipped: {reason}"));
    None
}

/// What selects the device of the tests: what was named, else the best Vulkan device, a software one included; none without Vulkan.
pub fn selector() -> Option<String> {
    static SELECTOR: OnceLock<Option<String>> = OnceLock::new();
    let best = || {
        let vulkan = Device::list().into_iter().filter(|info| info.kind != DeviceKind::Cpu && info.missing.is_empty());
        vulkan.min_by_key(|info| (info.kind, info.index)).and_then(|info| info.index).map(|index| index.to_string())
    };
    SELECTOR.get_or_init(|| std::env::var("EVENKEEL_TEST_DEVICE").ok().or_else(best)).clone()
}

/// Every device the tests can have: the Vulkan one, and the CPU.
pub fn devices() -> Vec<Device> {
    let cpu = Device::open("cpu", &DeviceOptions::default()).expect("the CPU device is always there");
    device().filter(|device| device.info().kind != DeviceKind::Cpu).into_iter().chain([cpu]).collect()
}

/// The devices of case number `turn`: the one whose turn it is, or all of them in a full run.
pub fn devices_in_turn(turn: usize) -> Vec<Device> {
    let devices = devices();
    share(&devices, devices.len(), turn)
}

fn is_full() -> bool {
    static FULL: OnceLock<bool> = OnceLock::new();
    *FULL.get_or_init(|| std::env::var_os("EVENKEEL_FULL").is_some())
}

/// How many random cases a test runs: a quarter of these unless it is a full run.
pub fn cases(all: u32) -> u32 {
    if is_full() { all } else { all.div_ceil(4) }
}

/// One in `parts` of `all`, those that follow each other at this distance from the one numbered `turn` on; all of them in a full run. `parts` calls with
/// consecutive numbers have each once.
pub fn share<T: Clone>(all: &[T], parts: usize, turn: usize) -> Vec<T> {
    let (first, step) = if is_full() { (0, 1) } else { (turn % parts, parts) };
    all.iter().skip(first).step_by(step).cloned().collect()
}

/// Copies a graph with 64-bit offsets.
pub fn widened(csr: &Csr) -> Csr {
    let offsets: Vec<u64> = (0..csr.offsets().len()).map(|row| csr.offsets().at(row) as u64).collect();
    Csr::new_wide(offsets, csr.columns().to_vec(), csr.weights().clone()).unwrap()
}

/// A graph of these edges, each with its reverse unless it is directed.
pub fn graph(nodes: u32, edges: impl IntoIterator<Item = (u32, u32)>, directed: bool) -> Graph {
    let (sources, targets) = edges.into_iter().unzip();
    let options = BuildOptions { symmetrise: !directed, ..BuildOptions::default() };
    let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(list, options).unwrap().0;
    Graph { name: "graph".into(), csr, ids: NodeIds::Counted { first: 0 }, directed }
}

/// Where the real graphs are, or `None` after a line that says so.
pub fn data() -> Option<PathBuf> {
    let folder = std::env::var_os("EVENKEEL_DATA").map(PathBuf::from);
    if folder.is_none() {
        say("skipped: EVENKEEL_DATA names no folder of real graphs");
    }
    folder
}

/// What was prepared, or nothing where the driver stops long loops and the strategy may need longer ones.
pub fn unless_too_long<T>(device: &Device, prepared: evenkeel::Result<T>) -> Option<T> {
    match prepared {
        Err(evenkeel::Error::Unsupported(reason)) if device.info().loop_limit.is_some() => {
            assert!(reason.contains("rounds"), "{reason}");
            None
        }
        prepared => Some(prepared.unwrap()),
    }
}

/// Fails when the validation layer had anything to say.
pub fn finish(device: &Device) {
    assert_eq!(device.validation_messages(), Vec::<String>::new());
}

/// Past the test runner, which keeps what a passing test prints to itself.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

//! Workers that compute on devices find what the oracle does: with subgroups that the CPU emulates, on a Vulkan device, with partitions, and
//! beside workers that compute on threads.

use super::algorithms::Example;
use crate::{
    algorithm::{Bfs, BfsConfig, Components, FrontEnd, PageRank, PageRankConfig, Precision, SourceOptions, Sssp},
    device::{Device, DeviceOptions},
};

/// Opens a device for each of so many workers.
fn open(selector: &str, workers: usize, options: &DeviceOptions) -> Vec<Option<Device>> {
    (0..workers).map(|_| Some(Device::open(selector, options).unwrap())).collect()
}

fn emulated(workers: usize) -> Vec<Option<Device>> {
    open("cpu:subgroup=32", workers, &DeviceOptions::default())
}

/// Devices for up to four workers: those that the CPU emulates and, where it is there, software that speaks Vulkan.
fn kinds() -> Vec<Vec<Option<Device>>> {
    let options = DeviceOptions { validation: true, ..DeviceOptions::default() };
    let is_there = Device::open("llvmpipe", &options).is_ok();
    assert!(is_there || std::env::var_os("EVENKEEL_REQUIRE_VULKAN").is_none(), "there is no software driver");
    let software = is_there.then(|| open("llvmpipe", 4, &options));
    [emulated(4)].into_iter().chain(software).collect()
}

/// Runs an algorithm on every graph, with one worker, two and four, on every kind of device.
fn check_all<A: FrontEnd>(kinds: &[Vec<Option<Device>>], config: &A::Config)
where
    A::Config: Send + Sync,
    A::Answer: Send,
    A::Input: Send,
    A::InputOptions: Default,
{
    for example in examples() {
        for (devices, workers) in kinds.iter().flat_map(|devices| [1, 2, 4].map(|workers| (devices, workers))) {
            example.check_on::<A>(&devices[..workers], config.clone(), Default::default);
        }
    }
}

/// Graphs directed and not, weighted and not, in one piece and in many, with nodes without edges and with hubs.
fn examples() -> Vec<Example> {
    [
        ("star:nodes=2", "file"),
        ("star:nodes=1500", "random:0..5"),
        ("chain:nodes=70", "random:1..9"),
        ("er:nodes=300,degree=1.5", "random:1..9"),
        ("er:nodes=200,degree=3,directed=true", "random:1..64"),
        ("rmat:scale=8", "random:1..64"),
        ("rmat:scale=7,directed=true", "file"),
        ("road:nodes=200,lengths=true", "file"),
    ]
    .map(|(text, weights)| Example::generated(text, None, weights))
    .into()
}

fn ranks(iterations: u32) -> PageRankConfig {
    PageRankConfig { iterations, ..PageRankConfig::default() }
}

fn named(name: &str) -> SourceOptions {
    SourceOptions { source: name.parse().ok() }
}

#[test]
fn ranks_on_devices() {
    let kinds = kinds();
    check_all::<PageRank>(&kinds, &ranks(5));
    let rmat = Example::generated("rmat:scale=7,directed=true", None, "file");
    let double = PageRankConfig { precision: Precision::Double, damping: 0.9, ..ranks(20) };
    for devices in &kinds {
        rmat.check_on::<PageRank>(&devices[..3], double.clone(), Default::default);
    }
    rmat.check_on::<PageRank>(&emulated(3), PageRankConfig { tolerance: Some(1e-4), ..ranks(50) }, Default::default);
}

#[test]
fn searches_on_devices() {
    check_all::<Bfs>(&kinds(), &BfsConfig::default());
    // The hub is found by another worker than its own.
    let star = Example::generated("star:nodes=1500", None, "file");
    star.check_on::<Bfs>(&emulated(3), BfsConfig::default(), || named("1400"));
    let rmat = Example::generated("rmat:scale=8", None, "file");
    for max_depth in [0, 2] {
        let config = BfsConfig { max_depth: Some(max_depth), ..BfsConfig::default() };
        rmat.check_on::<Bfs>(&emulated(3), config, || named("random:5"));
    }
}

#[test]
fn components_on_devices() {
    check_all::<Components>(&kinds(), &Default::default());
}

#[test]
fn shortest_paths_on_devices() {
    let kinds = kinds();
    check_all::<Sssp>(&kinds, &Default::default());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reals.txt");
    let lines: String = (0..300).map(|i| format!("{} {} {}.25\n", i % 41, i * 5 % 43, i % 9)).collect();
    std::fs::write(&path, lines).unwrap();
    for (devices, workers) in kinds.iter().flat_map(|devices| [1, 2, 4].map(|workers| (devices, workers))) {
        Example::file(path.clone(), None).check_on::<Sssp>(&devices[..workers], Default::default(), || named("0"));
    }
    // The hub is found by another worker than its own.
    let star = Example::generated("star:nodes=1500", None, "random:1..9");
    star.check_on::<Sssp>(&emulated(3), Default::default(), || named("1400"));
}

#[test]
fn distances_that_devices_do_not_hold_are_found_on_threads() {
    let wide = Example::generated("chain:nodes=40", None, "random:4000000000..4294967295");
    wide.check_on::<Sssp>(&emulated(3), Default::default(), Default::default);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reals.txt");
    let lines: String = (0..4).map(|node| format!("{node} {} 3e38\n", node + 1)).collect();
    std::fs::write(&path, lines).unwrap();
    Example::file(path, None).check_on::<Sssp>(&emulated(3), Default::default(), || named("0"));
}

/// Shares in several partitions, and rows that are cut.
#[test]
fn shares_in_partitions() {
    let options = DeviceOptions { partition_bytes: Some(512), ..DeviceOptions::default() };
    for text in ["rmat:scale=7", "star:nodes=400", "er:nodes=200,degree=3,directed=true"] {
        let (example, devices) = (Example::generated(text, None, "random:1..64"), open("cpu:subgroup=32", 2, &options));
        example.check_on::<Bfs>(&devices, BfsConfig::default(), Default::default);
        example.check_on::<Sssp>(&devices, Default::default(), Default::default);
        example.check_on::<PageRank>(&devices, ranks(5), Default::default);
        example.check_on::<Components>(&devices, Default::default(), Default::default);
    }
}

/// Workers on devices and on threads, and more workers than some have rows for.
#[test]
fn workers_of_both_kinds_understand_each_other() {
    for text in ["rmat:scale=7", "er:nodes=120,degree=3,directed=true", "star:nodes=2"] {
        let example = Example::generated(text, None, "random:1..20");
        let mut devices = emulated(4);
        (devices[0], devices[2]) = (None, None);
        for _ in 0..2 {
            devices.rotate_left(1);
            example.check_on::<Bfs>(&devices, BfsConfig::default(), Default::default);
            example.check_on::<Sssp>(&devices, Default::default(), Default::default);
            example.check_on::<PageRank>(&devices, ranks(5), Default::default);
            example.check_on::<Components>(&devices, Default::default(), Default::default);
        }
    }
    // A path that is too long for a device, which a worker on threads finds.
    let wide = Example::generated("chain:nodes=40", None, "random:4000000000..4294967295");
    let mut devices = emulated(2);
    devices[0] = None;
    wide.check_on::<Sssp>(&devices, Default::default(), || named("0"));
}

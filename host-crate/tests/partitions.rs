//! Graphs in several partitions on a device: the answers are those of one, whichever strategy takes them, and a strategy that does not is
//! refused by name.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{
        Algorithm, Bfs, BfsConfig, PageRank, PageRankConfig, Spmv, SpmvConfig, Sssp, SsspConfig, plan, prepare_on,
        sssp::Distances,
    },
    device::{Device, DeviceInfo, DeviceOptions, MemoryPlan},
    engine::SharedGraph,
    graph::{Csr, PartitionOptions, Partitions, Weights, generate::Generator},
    oracle,
    strategy::{self, Operator},
};

const EMULATED: &str = "cpu:subgroup=32";

pub fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

/// Adds weights that an edge and its reverse share.
pub fn weighted(csr: &Csr) -> Csr {
    let ends = (0..csr.nodes()).flat_map(|node| csr.neighbours(node).iter().map(move |&other| (node, other)));
    let weights: Vec<u32> = ends.map(|(a, b)| 1 + (a.min(b).wrapping_mul(31) ^ a.max(b)) % 100).collect();
    Csr::new(csr.row_offsets().unwrap().to_vec(), csr.columns().to_vec(), Weights::U32(weights.into())).unwrap()
}

/// The largest partitions of which a graph has at least `count`, and how many it has then.
pub fn bytes_for(csr: &Csr, count: usize) -> (u64, usize) {
    let parts = |bytes: u64| Partitions::plan(csr, PartitionOptions::new(bytes)).list().len();
    let mut bytes = 4 * csr.edges().max(u64::from(csr.nodes()) + 1);
    while parts(bytes) < count && bytes > 8 {
        bytes -= (bytes / 16).max(4);
    }
    (bytes, parts(bytes))
}

/// The devices of the tests, with graphs cut into partitions of at most so many bytes.
pub fn devices(bytes: u64) -> Vec<Device> {
    let options = DeviceOptions { partition_bytes: Some(bytes), ..DeviceOptions::default() };
    let open = |selector: &str| Device::open(selector, &options).unwrap();
    common::device_with(options.clone()).into_iter().chain([open("cpu"), open(EMULATED)]).collect()
}

/// Small graphs, of which one has a row that must be cut, one is directed, one has few edges and one has none.
fn graphs() -> Vec<(&'static str, Csr)> {
    let names = ["rmat:scale=8", "star:nodes=700", "grid:rows=12,cols=16", "er:nodes=600,degree=4,directed=true"];
    let mut graphs: Vec<_> = names.into_iter().map(|name| (name, generated(name))).collect();
    graphs.push(("isolated", Csr::new(vec![0; 1001], vec![], Weights::None).unwrap()));
    graphs
}

/// Runs `check` with each strategy on each graph in 1, 2 and 7 partitions on each device; unless it is a full run, a graph has one device in
/// three for each number of partitions. Strategies that take one alone are tested with one elsewhere; here they are refused.
fn sweep(operator: Operator, takers: &[&str], check: impl Fn(&Device, &Csr, &str) -> evenkeel::Result<()>) {
    for (turn, (name, csr)) in graphs().into_iter().enumerate() {
        for (place, wanted) in [1, 2, 7].into_iter().enumerate() {
            let (bytes, count) = if wanted == 1 { (1 << 40, 1) } else { bytes_for(&csr, wanted) };
            assert!(count >= wanted, "{name} has {count} partitions");
            for device in common::share(&devices(bytes), 3, turn + place) {
                for about in strategy::of(operator, device.info()) {
                    if count == 1 && !takers.contains(&about.name) {
                        continue;
                    }
                    let case = format!("{} on {name} in {count} partitions, {:?}", about.name, device);
                    match check(&device, &csr, about.name) {
                        Ok(()) => {
                            let takes = count == 1 || about.cpu_only || takers.contains(&about.name);
                            assert!(takes, "{case}");
                        }
                        Err(Error::Unsupported(reason)) if reason.contains("rounds of its loops") => {}
                        Err(Error::Unsupported(reason)) => {
                            assert!(count > 1 && !takers.contains(&about.name), "{case}: {reason}");
                            let all_named = takers.iter().all(|taker| reason.contains(taker));
                            let said = reason.contains(&format!("{count} partitions")) && reason.contains(about.name);
                            assert!(said && all_named, "{case}: {reason}");
                        }
                        Err(error) => panic!("{case}: {error}"),
                    }
                }
                common::finish(&device);
            }
        }
    }
}

#[test]
fn searches_find_the_same_in_any_number_of_partitions() {
    sweep(Operator::Bfs, &["direction", "near-far", "auto"], |device, csr, strategy| {
        let config = BfsConfig { strategy: strategy.parse()?, parents: true, ..BfsConfig::default() };
        let mut bfs = Bfs::prepare(device, csr, &config)?;
        for source in [0, csr.nodes() - 1] {
            bfs.run(&source)?;
            let tree = bfs.answer()?;
            assert_eq!(tree.depths, oracle::bfs::depths(csr, source), "{strategy} from {source}");
            assert_eq!(oracle::bfs::check_parents(csr, &[source], &tree.depths, &tree.parents.unwrap()), Ok(()));
        }
        Ok(())
    });
}

#[test]
fn shortest_paths_are_the_same_in_any_number_of_partitions() {
    sweep(Operator::SsspU32, &["near-far", "sweep", "auto"], |device, csr, strategy| {
        let csr = weighted(csr);
        let config = SsspConfig { strategy: strategy.parse()?, ..SsspConfig::default() };
        let mut sssp = Sssp::prepare(device, &csr, &config)?;
        for source in [0, csr.nodes() - 1] {
            sssp.run(&source)?;
            let Distances::U32(found) = sssp.answer()?.distances else { panic!("weights are whole") };
            assert_eq!(found, oracle::dijkstra::whole(&csr, source).unwrap(), "{strategy} from {source}");
        }
        Ok(())
    });
}

#[test]
fn offsets_of_64_bits_are_taken_in_partitions() {
    for (turn, (name, csr)) in graphs().into_iter().enumerate() {
        let wide = common::widened(&csr);
        let (bytes, _) = bytes_for(&wide, 3);
        for device in common::share(&devices(bytes), 3, turn) {
            let mut bfs = Bfs::prepare(&device, &wide, &BfsConfig::default()).unwrap();
            bfs.run(&1).unwrap();
            assert_eq!(bfs.answer().unwrap().depths, oracle::bfs::depths(&csr, 1), "{name} on {device:?}");
            let mut sssp = Sssp::prepare(&device, &wide, &SsspConfig::default()).unwrap();
            sssp.run(&1).unwrap();
            let Distances::U32(found) = sssp.answer().unwrap().distances else { panic!("weights are whole") };
            assert_eq!(found, oracle::dijkstra::whole(&csr, 1).unwrap(), "{name} on {device:?}");
        }
    }
}

/// Devices with the most memory, in steps of a part of the edges, with which a plan has the graph streamed, in partitions small enough for it.
fn short_of_memory(csr: &Csr, plan: impl Fn(&DeviceInfo) -> evenkeel::Result<MemoryPlan>) -> Vec<Device> {
    let partition_bytes = Some(bytes_for(csr, 7).0);
    let options = |memory_limit| DeviceOptions { memory_limit, partition_bytes, ..DeviceOptions::default() };
    let open = |options: &DeviceOptions| Device::open(EMULATED, options).unwrap();
    let mut limit = plan(open(&options(None)).info()).unwrap().bytes();
    while plan(open(&options(Some(limit))).info()).unwrap().layout.is_none() {
        limit -= csr.edges() / 2;
    }
    let options = options(Some(limit));
    let emulated = open(&options);
    common::device_with(options).into_iter().chain([emulated]).collect()
}

#[test]
fn what_exceeds_the_memory_is_streamed() {
    for (name, csr) in graphs().into_iter().filter(|(_, csr)| csr.edges() > 1000) {
        for (turn, strategy) in ["direction", "near-far", "auto"].into_iter().enumerate() {
            let config = BfsConfig { strategy: strategy.parse().unwrap(), parents: true, ..BfsConfig::default() };
            let devices = short_of_memory(&csr, |device| plan::<Bfs>(device, &csr, &config));
            for device in common::share(&devices, 2, turn + name.len()) {
                let mut bfs = Bfs::prepare(&device, &csr, &config).unwrap();
                let layout = bfs
                    .session()
                    .memory()
                    .layout
                    .as_ref()
                    .unwrap_or_else(|| panic!("{strategy} on {name} is streamed"));
                assert!(
                    layout.contains("streamed") && bfs.session().memory().bytes() <= device.info().available(),
                    "{layout}"
                );
                for source in [0, csr.nodes() / 2] {
                    bfs.run(&source).unwrap();
                    let tree = bfs.answer().unwrap();
                    assert_eq!(tree.depths, oracle::bfs::depths(&csr, source), "{strategy} on {name} from {source}");
                    let parents = tree.parents.unwrap();
                    assert_eq!(oracle::bfs::check_parents(&csr, &[source], &tree.depths, &parents), Ok(()));
                }
                common::finish(&device);
            }
        }
        let csr = weighted(&csr);
        for (turn, strategy) in ["near-far", "sweep", "auto"].into_iter().enumerate() {
            let config = SsspConfig { strategy: strategy.parse().unwrap(), ..SsspConfig::default() };
            let devices = short_of_memory(&csr, |device| plan::<Sssp>(device, &csr, &config));
            for device in common::share(&devices, 2, turn + name.len()) {
                let mut sssp = Sssp::prepare(&device, &csr, &config).unwrap();
                assert!(sssp.session().memory().layout.is_some(), "{strategy} on {name} is streamed");
                for source in [0, csr.nodes() / 2] {
                    sssp.run(&source).unwrap();
                    let Distances::U32(found) = sssp.answer().unwrap().distances else { panic!("weights are whole") };
                    assert_eq!(found, oracle::dijkstra::whole(&csr, source).unwrap(), "{strategy} on {name}");
                }
                common::finish(&device);
            }
        }
    }
}

#[test]
fn searches_on_one_streamed_graph_do_not_disturb_each_other() {
    let csr = weighted(&generated("rmat:scale=8"));
    for device in short_of_memory(&csr, |device| plan::<Bfs>(device, &csr, &BfsConfig::default())) {
        let graph = SharedGraph::new(&device, &csr);
        let mut searches: Vec<Bfs> =
            (0..2).map(|_| prepare_on::<Bfs>(&graph, &BfsConfig::default()).unwrap()).collect();
        for source in [0, 3, csr.nodes() / 2, 3] {
            let expected = oracle::bfs::depths(&csr, source);
            for search in &mut searches {
                search.run(&source).unwrap();
                assert_eq!(search.answer().unwrap().depths, expected, "from {source} on {device:?}");
            }
        }
        // At the same time, too.
        std::thread::scope(|scope| {
            for (turn, search) in (0..).zip(&mut searches) {
                let csr = &csr;
                scope.spawn(move || {
                    for source in [turn, 50 + turn, 100 + turn] {
                        search.run(&source).unwrap();
                        assert_eq!(search.answer().unwrap().depths, oracle::bfs::depths(csr, source), "from {source}");
                    }
                });
            }
        });
        common::finish(&device);
    }
}

/// A level that leaves partitions out, because all of their nodes were found, must not forget these.
#[test]
fn streamed_searches_end_wherever_they_begin() {
    for name in ["rmat:scale=9", "er:nodes=1500,degree=6"] {
        let csr = generated(name);
        let config = BfsConfig { strategy: "direction".parse().unwrap(), ..BfsConfig::default() };
        let devices = short_of_memory(&csr, |device| plan::<Bfs>(device, &csr, &config));
        for (turn, device) in devices.into_iter().enumerate() {
            let mut bfs = Bfs::prepare(&device, &csr, &config).unwrap();
            let sources: Vec<u32> = (0..8).map(|part| part * csr.nodes() / 8).collect();
            for source in common::share(&sources, 4, turn + name.len()) {
                bfs.run(&source).unwrap();
                let expected = oracle::bfs::depths(&csr, source);
                assert_eq!(bfs.answer().unwrap().depths, expected, "{name} from {source} on {device:?}");
            }
            common::finish(&device);
        }
    }
}

#[test]
fn what_does_not_even_stream_is_refused_with_the_numbers() {
    let csr = generated("rmat:scale=9");
    let options = DeviceOptions { memory_limit: Some(5000), ..DeviceOptions::default() };
    let device = Device::open(EMULATED, &options).unwrap();
    let reasons = [
        Bfs::prepare(&device, &csr, &BfsConfig::default()).map(|_| ()),
        Spmv::prepare(&device, &csr, &SpmvConfig::default()).map(|_| ()),
        PageRank::prepare(&device, &csr, &PageRankConfig::default()).map(|_| ()),
    ];
    for reason in reasons {
        let Err(Error::Memory(reason)) = reason else { panic!("it fits: {reason:?}") };
        let sizes: Vec<f64> = reason.split(' ').filter_map(|word| word.trim_start_matches('(').parse().ok()).collect();
        assert!(sizes.first() > Some(&4.9) && reason.contains("4.9 KiB"), "{reason}");
        match reason.contains("even with the graph in the host's memory") {
            true => assert!(sizes[0] < sizes[1], "a stream takes less than all of it: {reason}"),
            // Where it does not, all of it is listed.
            false => assert!(reason.contains("row offsets"), "{reason}"),
        }
    }
}

#[test]
fn partitions_are_as_small_as_the_memory_asks_for() {
    let csr = generated("rmat:scale=9");
    let partition_bytes = Some(1 << 20);
    let options = |memory_limit| DeviceOptions { memory_limit, partition_bytes, ..DeviceOptions::default() };
    let device = Device::open(EMULATED, &options(None)).unwrap();
    let needed = plan::<Bfs>(device.info(), &csr, &BfsConfig::default()).unwrap().bytes();
    let device = Device::open(EMULATED, &options(Some(needed - csr.edges()))).unwrap();
    let planned = plan::<Bfs>(device.info(), &csr, &BfsConfig::default()).unwrap();
    assert!(planned.layout.is_some() && planned.bytes() <= device.info().available(), "{planned}");
}

//! Colouring, searches from many sources, betweenness and all pairs of graphs in one, two and seven partitions, against the oracles. The graphs
//! have rows that are cut, too. A strategy that takes one partition is refused with the names of those that take several.

use crate::common::{self, graph};
use evenkeel::{
    Error,
    algorithm::{
        ALL_SOURCES, Algorithm, Apsp, ApspConfig, Betweenness, BetweennessConfig, Bfs, BfsConfig, Closeness,
        ClosenessConfig, Color, ColorConfig, Communities, CommunitiesConfig, FrontEnd, ManySources, Source,
        color::names_with_schedules, plan,
    },
    device::{Device, DeviceOptions},
    graph::{Csr, Graph, PartitionOptions, Partitions, Weights, generate::Generator},
};

fn generated(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

/// Two nodes that are neighbours of all others, whose rows are longer than what a workgroup takes alone, and are cut in seven partitions.
fn hubs() -> Graph {
    let to_hubs = (2..2600).flat_map(|node| [(0, node), (1, node)]);
    let others = (2..2600).step_by(4).map(|node| (node, 2 + node * 31 % 2598));
    graph(2600, to_hubs.chain(others).chain([(0, 1)]), false)
}

/// Adds weights to a graph.
fn weighted(csr: &Csr) -> Csr {
    let weights: Vec<u32> = (0..csr.edges() as u32).map(|edge| 1 + edge.wrapping_mul(0x9e37_79b9) % 100).collect();
    Csr::new(csr.row_offsets().unwrap().to_vec(), csr.columns().to_vec(), Weights::U32(weights.into())).unwrap()
}

fn undirected() -> Vec<(&'static str, Graph)> {
    vec![
        ("a skewed graph", generated("rmat:scale=7")),
        ("a star", generated("star:nodes=300")),
        ("hubs", hubs()),
        ("a grid", generated("grid:rows=8,cols=12")),
        ("no edge", graph(500, [], false)),
    ]
}

fn graphs() -> Vec<(&'static str, Graph)> {
    let one_way = (0..600).flat_map(|node| [(234, node), (node, node * 7 % 600), (node, 17)]);
    undirected().into_iter().chain([("one way", graph(600, one_way, true))]).collect()
}

fn count(csr: &Csr, bytes: u64) -> usize {
    Partitions::plan(csr, PartitionOptions::new(bytes)).list().len()
}

/// The largest partitions of which a graph has at least `wanted`.
fn bytes_for(csr: &Csr, wanted: usize) -> u64 {
    let mut bytes = 4 * csr.edges().max(u64::from(csr.nodes()) + 1);
    while count(csr, bytes) < wanted && bytes > 8 {
        bytes -= (bytes / 16).max(4);
    }
    bytes
}

/// The devices of the tests, with graphs cut into partitions of at most so many bytes.
fn devices(bytes: Option<u64>) -> Vec<Device> {
    let options = DeviceOptions { partition_bytes: bytes, ..DeviceOptions::default() };
    let cpu = ["cpu", "cpu:subgroup=32"].map(|name| Device::open(name, &options).unwrap());
    cpu.into_iter().chain(common::device_with(options)).collect()
}

/// Calls `check` for each graph in 1, 2 and 7 partitions on each device, with the number of the case. Unless it is a full run, a graph has one device
/// in three for each number of partitions.
fn sweep(graphs: Vec<(&'static str, Graph)>, check: impl Fn(&Device, &Graph, usize, &str)) {
    let mut case = 0;
    for (turn, (name, graph)) in graphs.into_iter().enumerate() {
        for (place, wanted) in common::share(&[1, 2, 7], 2, turn).into_iter().enumerate() {
            let bytes = (wanted > 1).then(|| bytes_for(&graph.csr, wanted));
            let count = count(&graph.csr, bytes.unwrap_or(u64::MAX));
            assert!(count >= wanted, "{name} has {count} partitions");
            for device in common::share(&devices(bytes), 3, turn + place) {
                check(&device, &graph, case, &format!("{name} in {count} partitions on {device:?}"));
                common::finish(&device);
                case += 1;
            }
        }
    }
}

/// Checks two runs against the reference, and what was allocated against the plan. Returns the answer; none where the driver stops loops
/// that are as long as this needs.
fn answer<A: FrontEnd>(
    device: &Device,
    graph: &Graph,
    input: &A::Input,
    config: &A::Config,
    what: &str,
) -> Option<A::Answer> {
    let expected = A::reference(graph, input, config).unwrap();
    let mut prepared = common::unless_too_long(device, A::prepare(device, &graph.csr, config))?;
    let planned = plan::<A>(device.info(), &graph.csr, config).unwrap();
    assert!(prepared.session().memory().bytes() <= planned.bytes(), "{what}");
    for _ in 0..2 {
        prepared.run(input).unwrap();
        let found = prepared.answer().unwrap();
        assert_eq!(A::check(&found, &expected, graph, input), None, "{what}");
    }
    prepared.answer().ok()
}

#[test]
fn colours_of_partitions() {
    let names: Vec<String> = names_with_schedules().into_iter().filter(|name| name != "speculative").collect();
    sweep(undirected(), |device, graph, case, what| {
        let whole = Device::open("cpu", &DeviceOptions::default()).unwrap();
        for name in common::share(&names, 6, case).into_iter().chain(["auto".to_owned()]) {
            let config = ColorConfig { strategy: name.parse().unwrap(), seed: 3 };
            if let Some(found) = answer::<Color>(device, graph, &(), &config, &format!("{name}, {what}")) {
                let expected = answer::<Color>(&whole, graph, &(), &config, &name).unwrap();
                assert!(found == expected, "{name}, {what}: not the colours of one partition");
            }
        }
    });
}

/// A run begins with its first iteration, which is dispatched for each partition and leaves nodes to the next.
#[test]
fn colours_of_light_nodes_in_partitions() {
    let graph = generated("er:nodes=1500,degree=6");
    let config = ColorConfig { strategy: "independent".parse().unwrap(), seed: 3 };
    let whole = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let expected = answer::<Color>(&whole, &graph, &(), &config, "one partition").unwrap();
    for wanted in [1, 2, 7] {
        let bytes = (wanted > 1).then(|| bytes_for(&graph.csr, wanted));
        for device in devices(bytes) {
            let what = format!("{wanted} partitions on {device:?}");
            let mut color = Color::prepare(&device, &graph.csr, &config).unwrap();
            for _ in 0..3 {
                let iterations = color.run(&()).unwrap().iterations;
                assert!((1..1500).contains(&iterations), "{iterations} iterations of {what}");
                assert!(color.answer().unwrap() == expected, "{what}");
            }
            let iterations = color.iterations().unwrap();
            assert_eq!((iterations[0].active, iterations.last().unwrap().colored), (1500, 1500), "{what}");
            assert!(color.answer().unwrap() == expected, "{what}, by iterations");
            color.run(&()).unwrap();
            assert!(color.answer().unwrap() == expected, "{what}, once more");
            common::finish(&device);
        }
    }
}

/// Every row but the shortest is cut, light ones included.
#[test]
fn colours_where_short_rows_are_cut() {
    for (turn, graph) in [generated("complete:nodes=13"), generated("star:nodes=40")].into_iter().enumerate() {
        for (place, name) in ["independent", "random", "hybrid-stealing", "hybrid:merge-path"].into_iter().enumerate() {
            for device in common::share(&devices(Some(40)), 3, place + turn) {
                let config = ColorConfig { strategy: name.parse().unwrap(), seed: 3 };
                let what = format!("{name} on {device:?}");
                let found = answer::<Color>(&device, &graph, &(), &config, &what).unwrap();
                let whole = Device::open("cpu", &DeviceOptions::default()).unwrap();
                assert!(found == answer::<Color>(&whole, &graph, &(), &config, &what).unwrap(), "{what}");
                common::finish(&device);
            }
        }
    }
}

#[test]
fn searches_from_many_sources_in_partitions() {
    sweep(graphs(), |device, graph, _, what| {
        let nodes: Vec<u32> = (0..70).map(|source| source * 13 % graph.csr.nodes()).collect();
        for nodes in [&nodes[..3], &nodes[..]] {
            let from = ManySources::from(nodes.to_vec());
            let config = BfsConfig { from, per_source: true, parents: true, ..BfsConfig::default() };
            answer::<Bfs>(device, graph, &ALL_SOURCES, &config, what);
        }
    });
}

#[test]
fn closeness_in_partitions() {
    sweep(graphs(), |device, graph, _, what| {
        let config = ClosenessConfig { sources: Some(40), seed: 5, ..ClosenessConfig::default() };
        let input = Closeness::input(&(), graph, &config).unwrap();
        for strategy in Closeness::alternatives().iter().filter(|it| it.about.runs_on(device.info())) {
            let config = Closeness::with_alternative(&config, strategy.about.name).unwrap();
            answer::<Closeness>(device, graph, &input, &config, &format!("{}, {what}", strategy.about.name));
        }
    });
}

/// From as many sources as fill a batch and some more, and from one.
#[test]
fn betweenness_in_partitions() {
    sweep(graphs(), |device, graph, _, what| {
        let several = BetweennessConfig { sources: Some(34), seed: 3, ..BetweennessConfig::default() };
        let one = BetweennessConfig { source: Some(Source::Node("17".into())), ..BetweennessConfig::default() };
        for config in common::share(&[several, one], 2, what.len()) {
            let input = Betweenness::input(&(), graph, &config).unwrap();
            for strategy in Betweenness::alternatives().iter().filter(|it| it.about.runs_on(device.info())) {
                let name = strategy.about.name;
                if config.sources.is_some() && name == "levels" {
                    continue;
                }
                let config = Betweenness::with_alternative(&config, name).unwrap();
                answer::<Betweenness>(device, graph, &input, &config, &format!("{name}, {what}"));
            }
        }
    });
}

/// Every row but the shortest is cut, and counted in several parts.
#[test]
fn betweenness_where_short_rows_are_cut() {
    let one_way = graph(30, (0..30).flat_map(|node| [(node, node * 7 % 30), (node, 17), (3, node)]), true);
    for (turn, graph) in [generated("complete:nodes=13"), one_way].into_iter().enumerate() {
        for (place, name) in ["levels", "batched"].into_iter().enumerate() {
            for device in common::share(&devices(Some(40)), 3, place + 2 * turn) {
                let config = BetweennessConfig { strategy: name.parse().unwrap(), ..BetweennessConfig::default() };
                let input = Betweenness::input(&(), &graph, &config).unwrap();
                answer::<Betweenness>(&device, &graph, &input, &config, &format!("{name} on {device:?}"));
                common::finish(&device);
            }
        }
    }
}

#[test]
fn all_pairs_in_partitions() {
    let few = ["rmat:scale=6", "star:nodes=100", "grid:rows=8,cols=12", "er:nodes=60,degree=20,directed=true"];
    let few = few.into_iter().map(|name| (name, generated(name)));
    sweep(few.collect(), |device, graph, case, what| {
        let mut graph = graph.clone();
        if case % 2 == 0 {
            graph.csr = weighted(&graph.csr);
        }
        for strategy in Apsp::alternatives().iter().filter(|it| it.about.runs_on(device.info())) {
            let config = Apsp::with_alternative(&ApspConfig::default(), strategy.about.name).unwrap();
            answer::<Apsp>(device, &graph, &(), &config, &format!("{}, {what}", strategy.about.name));
        }
    });
}

/// In partitions of a few edges, too, where every row but the shortest is cut.
#[test]
fn communities_in_partitions() {
    let check = |device: &Device, graph: &Graph, what: &str| {
        for strategy in Communities::alternatives().iter().filter(|it| it.about.runs_on(device.info())) {
            let config = Communities::with_alternative(&CommunitiesConfig::default(), strategy.about.name).unwrap();
            answer::<Communities>(device, graph, &(), &config, &format!("{}, {what}", strategy.about.name));
        }
    };
    sweep(graphs(), |device, graph, _, what| check(device, graph, what));
    for (turn, graph) in [generated("complete:nodes=13"), generated("star:nodes=40")].into_iter().enumerate() {
        // The star has two devices, the last of which emulates a GPU.
        for device in common::share(&devices(Some(40)), 2, turn) {
            check(&device, &graph, &format!("many partitions on {device:?}"));
            common::finish(&device);
        }
    }
}

/// What a strategy is refused with.
fn refusal<A: FrontEnd>(graph: &Graph, config: &A::Config) -> String {
    let device = devices(Some(bytes_for(&graph.csr, 3))).swap_remove(1);
    let planned = plan::<A>(device.info(), &graph.csr, config).map(drop);
    let Err(Error::Unsupported(reason)) = A::prepare(&device, &graph.csr, config).map(drop) else {
        panic!("it is not refused")
    };
    assert!(matches!(planned, Err(Error::Unsupported(planned)) if planned == reason), "{reason}");
    reason
}

#[test]
fn strategies_of_one_partition_are_refused_by_name() {
    let graph = generated("rmat:scale=8");
    let config = ColorConfig { strategy: "speculative".parse().unwrap(), seed: 0 };
    let reason = refusal::<Color>(&graph, &config);
    let takers = "take one of random, stealing, hybrid, hybrid-stealing, independent, auto";
    assert!(reason.contains("partitions, as none may exceed") && reason.ends_with(takers), "{reason}");
    assert!(reason.contains("strategy speculative takes only one"), "{reason}");
}

//! Breadth-first search in fifteen variants and more, and by a decision tree that chooses one for each level: every variant and any
//! tree must find what the oracle finds.

use crate::common;
use evenkeel::{
    algorithm::{Algorithm, Bfs, BfsConfig, plan},
    device::{Device, DeviceOptions},
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, OpenOptions, generate::Generator, open},
    oracle,
    settings::Configured,
    strategy::adaptive::{Adaptive, Count, Family, Feature, Fixed, Implementation, Model, Variant},
};
use proptest::prelude::*;
use std::path::Path;

fn csr(nodes: u32, edges: &[(u32, u32)]) -> Csr {
    let (sources, targets) = edges.iter().copied().unzip();
    let list = EdgeList { nodes, sources, targets, weights: EdgeWeights::None };
    Csr::from_edges(list, BuildOptions::default()).unwrap().0
}

fn generated(text: &str) -> Csr {
    text.parse::<Generator>().unwrap().generate().unwrap().csr
}

fn model(body: &str) -> Model {
    let text = format!("evenkeel level model 1\n{body}");
    Model::parse(Path::new("test"), &text).unwrap()
}

fn adaptive(model: Model) -> BfsConfig {
    let strategy = Adaptive { model: Some(model.into()), ..Adaptive::default() };
    BfsConfig { strategy: Configured::new(strategy).unwrap(), ..BfsConfig::default() }
}

/// The fifteen as strategies, virtual warps of other widths, and the variants that only a model can choose as models of one leaf.
fn all_ways() -> Vec<BfsConfig> {
    let fixed = |implementation: Implementation, count, virtual_warp| {
        let strategy = Fixed { implementation, count, virtual_warp };
        BfsConfig { strategy: Configured::new(strategy).unwrap(), ..BfsConfig::default() }
    };
    let fifteen = Family::Fifteen.variants().into_iter().map(|variant| fixed(variant.implementation, variant.count, 8));
    let warps = [2, 4, 16, 32].map(|width| fixed(Implementation::VertexPushWarp, Count::Atomic, width));
    let listed = Family::Listed.variants().into_iter().map(|variant| adaptive(model(&variant.to_string())));
    fifteen.chain(warps).chain(listed).collect()
}

fn check(device: &Device, csr: &Csr, source: u32, configs: &[BfsConfig]) {
    let expected = oracle::bfs::depths(csr, source);
    for config in configs {
        let mut bfs = Bfs::prepare(device, csr, config).unwrap();
        // Twice: a run must not depend on what the one before it left.
        for _ in 0..2 {
            let run = bfs.run(&source).unwrap();
            let found = bfs.answer().unwrap().depths;
            assert_eq!(oracle::first_mismatch(&expected, &found), None, "{config:?} on {device:?}");
            let deepest = found.iter().filter(|depth| **depth != u32::MAX).max().unwrap();
            assert_eq!(run.iterations, deepest + 1, "{config:?} on {device:?}: the last level finds nothing");
        }
    }
}

#[test]
fn every_way_on_graphs_of_every_shape() {
    let star: Vec<_> = (1..3000).map(|leaf| (0, leaf)).collect();
    let inward: Vec<_> = (2..3000).map(|leaf| (leaf, 0)).chain([(0, 1), (1, 2)]).collect();
    let chain: Vec<_> = (0..90).map(|node| (node, node + 1)).collect();
    // 1,300 nodes in one level, more than are taken one by one; behind them hubs that share their leaves.
    let fan = (1..=1300).flat_map(|node| [(0, node), (node, 1301 + node % 7)]);
    let hubs: Vec<_> = fan.chain((1301..1308).flat_map(|hub| (1308..2200).map(move |leaf| (hub, leaf)))).collect();
    // The same with heavy hubs among many light nodes, and with nothing but heavy ones.
    let among = (1..=1400).flat_map(|node| [(0, node), (node, 1401 + node)]);
    let heavy = |hub: u32| (2802..3902).map(move |leaf| (hub, leaf + hub % 7));
    let hubs_among: Vec<_> = among.chain((1..=1400).step_by(200).flat_map(heavy)).collect();
    let equal_hubs: Vec<_> = (1..=9).map(|hub| (0, hub)).chain((1..=9).flat_map(heavy)).collect();
    // A hub of hubs, both variants, and leaves that all lead to one node.
    let of_stars = (1..=40).flat_map(|hub| [(0, hub), (hub, 0)]);
    let leaves = (1..=40).flat_map(|hub| (0..50).map(move |leaf| (hub, 41 + 50 * (hub - 1) + leaf)));
    let star_of_stars: Vec<_> = of_stars.chain(leaves.flat_map(|(hub, leaf)| [(hub, leaf), (leaf, hub)])).collect();
    let inward_at_last: Vec<_> = (1..2600).flat_map(|leaf| [(0, leaf), (leaf, 2600)]).chain([(2600, 2601)]).collect();
    let shapes = [
        ("one node", csr(1, &[]), 0),
        ("one node and a loop", csr(1, &[(0, 0)]), 0),
        ("no edges", csr(700, &[]), 699),
        ("parallel edges and loops", csr(3, &[(0, 1), (0, 1), (1, 1), (1, 2), (0, 2), (2, 2)]), 0),
        ("two components", csr(600, &[(0, 1), (1, 0), (598, 599)]), 598),
        ("a star from its hub", csr(3000, &star), 0),
        ("a star from a leaf", csr(3000, &star), 7),
        ("a star inward", csr(3000, &inward), 17),
        ("hubs with the same leaves", csr(2200, &hubs), 0),
        ("hubs among many", csr(3920, &hubs_among), 0),
        ("equal hubs", csr(3920, &equal_hubs), 0),
        ("a star of stars from a leaf", csr(2100, &star_of_stars), 2040),
        ("a star out and in", csr(2700, &inward_at_last), 0),
        ("a chain longer than a batch", csr(91, &chain), 0),
        ("symmetric and skewed", generated("rmat:scale=10"), 1),
        ("a grid", generated("grid:rows=30,cols=17"), 40),
    ];
    let variants = all_ways();
    assert_eq!(variants.len(), 15 + 4 + 4);
    for (turn, (shape, csr, source)) in shapes.iter().enumerate() {
        for device in common::devices_in_turn(turn) {
            println!("{shape}");
            check(&device, csr, *source, &variants);
            common::finish(&device);
        }
    }
}

/// More levels, and more edges in one, than one workgroup takes in a dispatch.
#[test]
fn several_levels_to_a_dispatch_on_long_and_on_large_graphs() {
    let stays = adaptive(model("list-push-resident list"));
    // Leaves the dispatch and comes back, with lists that have no room in workgroup memory, and with heavy nodes.
    let leaves = adaptive(model("if frontier-edges <= 1000\nlist-push-resident list\nelse\nlist-push-even list"));
    let between = |layer: u32, node: u32| {
        let ends = [node, (node + 1) % 650].map(|end| (1 + 650 * layer + node, 651 + 650 * layer + end));
        ends.into_iter().take(if layer % 3 == 1 && node > 9 { 1 } else { 2 })
    };
    let layered = (0..8).flat_map(|layer| (0..650).flat_map(move |node| between(layer, node)));
    let heavy = (0..1100).map(|leaf| (2000, 5900 + leaf));
    let layers = csr(7000, &(1..651).map(|node| (0, node)).chain(layered).chain(heavy).collect::<Vec<_>>());
    for device in common::devices() {
        for text in ["chain:nodes=3000", "grid:rows=120,cols=150", "road:nodes=20000", "rmat:scale=15"] {
            check(&device, &generated(text), 5, std::slice::from_ref(&stays));
        }
        check(&device, &layers, 0, &[stays.clone(), leaves.clone()]);
        common::finish(&device);
    }
}

/// Published graphs, taken as undirected and as directed.
#[test]
fn every_way_on_real_graphs() {
    let Some(data) = common::data() else { return };
    let names = ["ca-GrQc.txt.gz", "p2p-Gnutella04.txt.gz", "EU-email-core.txt.gz", "minnesota.txt.gz"];
    for (turn, name) in names.into_iter().enumerate() {
        let graph = open(&data.join("corpus").join(name), &OpenOptions::default()).unwrap();
        for device in common::devices_in_turn(turn) {
            check(&device, &graph.0.csr, 0, &all_ways());
            common::finish(&device);
        }
    }
}

#[test]
fn the_models_that_come_with_the_program() {
    let config = BfsConfig { strategy: "adaptive".parse().unwrap(), ..BfsConfig::default() };
    for device in common::devices() {
        for text in
            ["rmat:scale=12", "er:nodes=3000,degree=5", "grid:rows=40,cols=53", "star:nodes=4000", "chain:nodes=9"]
        {
            check(&device, &generated(text), 1, std::slice::from_ref(&config));
        }
        common::finish(&device);
    }
}

/// `repeat` alone is the edge list from the first level to the last, and with lists the one workgroup that goes on.
#[test]
fn what_a_model_does_not_know_is_repeated() {
    let graph = generated("rmat:scale=9");
    let models = [
        "repeat",
        "if frontier <= 1\n  vertex-pull subgroup\nelse\n  repeat",
        "if discovered <= 4\n  repeat\nelse\n  list-push-warp list",
    ];
    for device in common::devices() {
        check(&device, &graph, 3, &models.map(|body| adaptive(model(body))));
        common::finish(&device);
    }
}

/// The body of a random model of one family.
fn random_model(family: Family) -> impl Strategy<Value = String> {
    let variants: Vec<String> = family.variants().iter().map(Variant::to_string).chain(["repeat".into()]).collect();
    let leaf = proptest::sample::select(variants);
    let threshold = prop_oneof![0.0..1.0f64, (0u32..400).prop_map(f64::from)];
    leaf.prop_recursive(4, 16, 2, move |inner| {
        let feature = proptest::sample::select(&Feature::ALL[..]);
        (feature, threshold.clone(), inner.clone(), inner).prop_map(|(feature, threshold, at_most, more)| {
            format!("if {} <= {threshold}\n{at_most}\nelse\n{more}", feature.name())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: common::cases(24), ..ProptestConfig::default() })]

    /// Searches are right with any model, however often it switches between variants.
    #[test]
    fn any_model_on_any_graph(
        fifteen in random_model(Family::Fifteen),
        listed in random_model(Family::Listed),
        nodes in 1u32..600,
        ends in proptest::collection::vec(any::<(u32, u32)>(), 0..1500),
        source in any::<u32>(),
    ) {
        let edges: Vec<_> = ends.into_iter().map(|(from, to)| (from % nodes, to % nodes)).collect();
        let graph = csr(nodes, &edges);
        for device in common::devices() {
            check(&device, &graph, source % nodes, &[adaptive(model(&fifteen)), adaptive(model(&listed))]);
            common::finish(&device);
        }
    }
}

/// The memory is what the paper's section 4.3 says: one graph with the origins of its edges, and its reverse where that is
/// another graph.
#[test]
fn memory_is_of_one_graph_and_its_origins() {
    let cpu = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let plan = |csr: &Csr, strategy: &str| {
        let config = BfsConfig { strategy: strategy.parse().unwrap(), ..BfsConfig::default() };
        plan::<Bfs>(cpu.info(), csr, &config).unwrap().bytes()
    };
    let (symmetric, directed) =
        (generated("star:nodes=1001"), csr(1001, &(0..2000).map(|it| (it % 7, it % 1001)).collect::<Vec<_>>()));
    let (words, edges, rows) = (4, 2000, 1002);
    // A word stands in the place of each array that is not needed.
    let is_more = |csr: &Csr, more: &str, less: &str, array: u64| {
        let (planned, expected) = (plan(csr, more), plan(csr, less) + words * array);
        assert!(planned <= expected && planned + 4 * words >= expected, "{more}: {planned} bytes of {expected}");
    };
    for csr in [&symmetric, &directed] {
        is_more(csr, "edge-list", "vertex-push", edges);
    }
    is_more(&symmetric, "vertex-pull", "vertex-push", 0);
    is_more(&symmetric, "reverse-edge-list", "edge-list", 0);
    is_more(&directed, "vertex-pull", "vertex-push", edges + rows);
    is_more(&directed, "reverse-edge-list", "vertex-pull", edges);
    // The CPU's model needs no origins, but two lists, two words for each 256 edges of the hub, and the decisions of its tree.
    let lists = plan(&symmetric, "vertex-push") + words * (2 * 1001 + 2 * 4);
    let adaptive = plan(&symmetric, "adaptive");
    assert!((lists - 4 * words..lists + 1024).contains(&adaptive), "{adaptive} bytes of {lists}");
}

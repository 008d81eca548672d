//! Breadth-first search in fifteen variants and more, and by a decision tree that chooses one for each level: every variant and any
//! tree must find what the oracle finds; and from measuring to an adaptive run on the command line.

use crate::common;
use assert_cmd::assert::OutputAssertExt;
use evenkeel::{
    algorithm::{Algorithm, Bfs, BfsConfig},
    device::{Device, DeviceOptions},
    graph::{BuildOptions, Csr, EdgeList, EdgeWeights, OpenOptions, generate::Generator, open},
    oracle,
    settings::Configured,
    strategy::adaptive::{Adaptive, Count, Family, Feature, Fixed, Implementation, Model, Variant},
};
use proptest::prelude::*;
use std::{fs, path::Path, process::Command};

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
    for device in common::devices() {
        for (shape, csr, source) in &shapes {
            println!("{shape}");
            check(&device, csr, *source, &variants);
        }
        common::finish(&device);
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
    for name in ["ca-GrQc.txt.gz", "p2p-Gnutella04.txt.gz", "EU-email-core.txt.gz", "minnesota.txt.gz"] {
        let graph = open(&data.join("corpus").join(name), &OpenOptions::default()).unwrap();
        for device in common::devices() {
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

    /// Whatever is chosen, and however often it is switched.
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

fn evenkeel(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.current_dir(folder).args(arguments.split(' '));
    command
}

fn printed(folder: &Path, arguments: &str) -> String {
    let output = evenkeel(folder, arguments).assert().success().get_output().clone();
    String::from_utf8(output.stdout).unwrap()
}

fn refused(folder: &Path, arguments: &str, status: i32) -> String {
    let output = evenkeel(folder, arguments).assert().code(status).get_output().clone();
    String::from_utf8(output.stderr).unwrap()
}

/// Measured, trained and run: as CSV and as Parquet, and with either family of variants.
#[test]
fn from_measuring_to_an_adaptive_run() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let device = std::env::var("EVENKEEL_TEST_DEVICE").unwrap_or_else(|_| "cpu".into());
    let graphs = "rmat:scale=7 grid:rows=9,cols=30 star:nodes=400 er:nodes=300,degree=4";
    let measure = format!("measure-levels {graphs} --sources 2 --max-levels 9 --device {device}");
    assert!(printed(folder, &format!("{measure} -o levels.csv")).contains(" levels of 4 graphs in levels.csv"));
    printed(folder, &format!("{measure} --seed 7 -o levels.parquet"));
    let rows = fs::read_to_string(folder.join("levels.csv")).unwrap();
    assert_eq!(rows.lines().next().unwrap().split(',').count(), 5 + Feature::ALL.len() + Variant::all().len() + 1);
    assert!(rows.lines().filter(|line| line.starts_with("\"grid")).count() == 2 * 9, "{rows}");

    for family in ["fifteen", "listed"] {
        let text = printed(folder, &format!("train levels.csv levels.parquet --ways {family} -o {family}.tree"));
        assert!(text.contains("grown on 3 graphs") && text.contains("\noracle "), "{text}");
        let tree = fs::read_to_string(folder.join(format!("{family}.tree"))).unwrap();
        assert!(tree.starts_with("evenkeel level model 1\n# Measured on "), "{tree}");
        let run =
            format!("bfs rmat:scale=9 --strategy adaptive --model {family}.tree --device {device} --validate --json -");
        let report: serde_json::Value = serde_json::from_str(&printed(folder, &run)).unwrap();
        assert_eq!((&report["valid"], &report["config"]["model"]), (&true.into(), &family.into()));
    }
    let again = |tables: &str| printed(folder, &format!("train {tables} --seed 3 -o -"));
    assert_eq!(
        again("levels.csv levels.parquet"),
        again("levels.csv levels.parquet"),
        "the same seed gives the same model"
    );
}

/// What `train` says of a model that was grown in another way, and of collections that it has not seen.
#[test]
fn models_are_judged_in_more_ways_than_one() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let graphs =
        "rmat:scale=6 rmat:scale=7,directed=true grid:rows=5,cols=9 grid:rows=9,cols=4 star:nodes=90 star:nodes=9";
    let measure = format!("measure-levels {graphs} --sources 2 --max-levels 4 --device cpu -o levels.csv --json -");
    let measured: serde_json::Value = serde_json::from_str(&printed(folder, &measure)).unwrap();
    let of = |graph: usize, key: &str| measured[graph][key].clone();
    assert_eq!((of(0, "collection"), of(0, "directed"), of(0, "nodes")), ("rmat".into(), false.into(), 64.into()));
    assert_eq!(
        (of(1, "collection"), of(1, "directed"), of(2, "collection")),
        ("rmat".into(), true.into(), "grid".into())
    );

    let train =
        "train levels.csv --variants fifteen --degrees all --criterion gini --leave-one-out --json - -o gini.tree";
    let judged: serde_json::Value = serde_json::from_str(&printed(folder, train)).unwrap();
    let names = |key: &str| judged[key].as_array().unwrap().clone();
    assert_eq!(["training", "tuning", "test"].map(|set| names(set).len()), [4, 1, 1]);
    assert_eq!(
        (&judged["criterion"], &judged["degrees"], judged["size"]["depth"].is_u64()),
        (&"gini".into(), &"all".into(), true)
    );
    let tree = fs::read_to_string(folder.join("gini.tree")).unwrap();
    let without_comment = tree.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n") + "\n";
    assert_eq!(judged["model"].as_str(), Some(without_comment.as_str()));
    let left_out = names("left_out");
    assert_eq!(
        left_out.iter().map(|it| it["collection"].as_str().unwrap()).collect::<Vec<_>>(),
        ["grid", "rmat", "star"]
    );
    assert!(left_out.iter().all(|it| it["graphs"] == 2 && it["scores"][1]["average"].as_f64().unwrap() >= 1.0));
    assert_eq!(names("scores").len(), 2 + 15);
    let levels = |key: &str| names(key).iter().map(|it| it["levels"].as_u64().unwrap()).sum::<u64>();
    assert_eq!(levels("accuracy_by_level"), judged["accuracy"]["levels"].as_u64().unwrap());
    assert_eq!(levels("accuracy_by_phase"), levels("accuracy_by_level"));

    let held_out = printed(folder, "train levels.csv --hold-out star -o star.tree --html tree.html");
    assert!(held_out.contains("tested on 2 graphs, 4 searches: star:nodes=9"), "{held_out}");
    assert!(fs::read_to_string(folder.join("tree.html")).unwrap().contains("Levels of the test graphs"));
    assert!(refused(folder, "train levels.csv --hold-out road -o road.tree", 2).contains("there is grid, rmat"));

    // A file that is no graph is left out, unless nothing else is there.
    fs::write(folder.join("broken.mtx"), "nonsense\n").unwrap();
    let measure = "measure-levels broken.mtx star:nodes=9 --sources 1 --device cpu -o some.csv --json -";
    let measured: serde_json::Value = serde_json::from_str(&printed(folder, measure)).unwrap();
    assert!(measured[0]["refused"].as_str().unwrap().contains("broken.mtx:1"), "{measured}");
    assert_eq!((&measured[0]["collection"], &measured[1]["graph"]), (&"files".into(), &"star:nodes=9".into()));
    for graphs in ["broken.mtx", "broken.mtx broken.mtx"] {
        refused(
            folder,
            &format!("measure-levels {graphs} --device cpu -o none.csv"),
            if graphs.contains(' ') { 2 } else { 3 },
        );
    }
    assert!(!folder.join("none.csv").exists());
}

/// The trees that come with the program are what the tables beside them give, to the byte.
#[test]
fn shipped_trees_grow_again_from_the_kept_tables() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let files = |folder: &Path| {
        let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let grown: Vec<String> = files(&models)
        .iter()
        .filter(|path| path.is_dir())
        .map(|folder| {
            let mut train = evenkeel(&models, "train --output -");
            let text = train.args(files(folder)).assert().success().get_output().stdout.clone();
            let shipped = fs::read_to_string(folder.with_extension("tree")).unwrap();
            assert_eq!(String::from_utf8(text).unwrap(), shipped, "{}", folder.display());
            folder.file_name().unwrap().to_string_lossy().into_owned()
        })
        .collect();
    assert!(grown.iter().any(|name| name == "software"), "{grown:?}");
}

/// The frontiers of all levels are the nodes reached, whatever the strategy; an adaptive run names the variants it took.
#[test]
fn levels_add_up() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let graph = generated("rmat:scale=9");
    let depths = oracle::bfs::depths(&graph, 5);
    let reached: Vec<u32> = (0..graph.nodes()).filter(|node| depths[*node as usize] != u32::MAX).collect();
    let edges: u64 = reached.iter().map(|node| u64::from(graph.degree(*node))).sum();
    fs::write(
        folder.join("two.tree"),
        "evenkeel level model 1\nif frontier <= 1\nvertex-push subgroup\nelse\nvertex-pull workgroup\n",
    )
    .unwrap();
    fs::write(folder.join("stays.tree"), "evenkeel level model 1\nlist-push-resident list\n").unwrap();
    let selected = std::env::var("EVENKEEL_TEST_DEVICE").unwrap_or_else(|_| "auto".into());
    for (strategy, first, second) in [
        ("node", "node", "node"),
        ("merge-path", "merge-path", "merge-path"),
        ("edge-list --count workgroup", "edge-list workgroup", "edge-list workgroup"),
        ("adaptive --model two.tree", "vertex-push subgroup", "vertex-pull workgroup"),
        ("adaptive --model stays.tree", "list-push-resident list", "list-push-resident list"),
    ] {
        let run = "--runs 2 --source 5 --levels levels.csv";
        printed(folder, &format!("bfs rmat:scale=9 --device {selected} --strategy {strategy} {run}"));
        let mut reader = csv::Reader::from_path(folder.join("levels.csv")).unwrap();
        let levels: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let sum = |column: usize| levels.iter().map(|level| level[column].parse::<u64>().unwrap()).sum::<u64>();
        assert_eq!((sum(1), sum(3)), (reached.len() as u64, edges), "{strategy}");
        assert_eq!(levels.last().unwrap()[2].parse::<usize>().unwrap(), reached.len(), "{strategy}");
        assert_eq!((&levels[0][4], &levels[1][4]), (first, second));
        assert!(levels.iter().all(|level| level[5].parse::<f64>().unwrap() > 0.0), "{strategy}: {levels:?}");
    }
    assert!(
        refused(folder, "bfs star --device cpu --strategy hierarchical --levels l.csv", 2)
            .contains("does not record its levels")
    );
    assert!(refused(folder, "bfs star --device cpu --levels -", 2).contains("goes to a file"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("broken.tree"), "evenkeel level model 1\nif nodes <= many\n").unwrap();
    let run = |options: &str, status| refused(folder, &format!("bfs star --device cpu {options}"), status);
    assert!(run("--strategy adaptive --model broken.tree", 2).contains("broken.tree:2: 'many' is no number"));
    assert!(run("--strategy adaptive --model none.tree", 2).contains("none.tree"));
    assert!(run("--strategy node --count subgroup", 2).contains("--count is for strategy edge-list and "));
    assert!(
        run("--strategy vertex-push --virtual-warp 4", 2).contains("--virtual-warp is for strategy vertex-push-warp")
    );
    assert!(run("--strategy vertex-push-warp --virtual-warp 6", 2).contains("2, 4, 8, 16, 32"));
    assert!(run("--strategy vertex-push --model broken.tree", 2).contains("broken.tree"));
    assert!(refused(folder, "sssp star --device cpu --strategy edge-list", 2).contains("there is node, "));
    assert!(refused(folder, "train none.csv -o model.tree", 3).contains("none.csv"));
    fs::write(folder.join("other.csv"), "a,b\n1,2\n").unwrap();
    assert!(
        refused(folder, "train other.csv -o model.tree", 3)
            .contains("other.csv:1: the columns are not those of this version")
    );
    assert!(!folder.join("model.tree").exists());
    assert!(
        refused(folder, "measure-levels star --virtual-warp 3 --device cpu -o l.csv", 2).contains("--virtual-warp")
    );
}

/// The memory is what the paper's section 4.3 says: one graph with the origins of its edges, and its reverse where that is
/// another graph.
#[test]
fn memory_is_of_one_graph_and_its_origins() {
    let cpu = Device::open("cpu", &DeviceOptions::default()).unwrap();
    let plan = |csr: &Csr, strategy: &str| {
        let config = BfsConfig { strategy: strategy.parse().unwrap(), ..BfsConfig::default() };
        Bfs::plan(cpu.info(), csr, &config).unwrap().bytes()
    };
    let (symmetric, directed) =
        (generated("star:nodes=1001"), csr(1001, &(0..2000).map(|it| (it % 7, it % 1001)).collect::<Vec<_>>()));
    let (words, edges) = (4, 2000);
    let rows = 1002;
    for csr in [&symmetric, &directed] {
        assert_eq!(plan(csr, "edge-list"), plan(csr, "vertex-push") + words * edges);
    }
    assert_eq!(plan(&symmetric, "vertex-pull"), plan(&symmetric, "vertex-push"));
    assert_eq!(plan(&symmetric, "reverse-edge-list"), plan(&symmetric, "edge-list"));
    assert_eq!(plan(&directed, "vertex-pull"), plan(&directed, "vertex-push") + words * (edges + rows));
    assert_eq!(plan(&directed, "reverse-edge-list"), plan(&directed, "vertex-pull") + words * edges);
    // The CPU's model needs no origins, but two lists, and at most a piece of two words for each 256 edges.
    let lists = 2 * 1001 + 2 * (edges / 256);
    assert_eq!(plan(&symmetric, "adaptive"), plan(&symmetric, "vertex-push") + words * lists);
}

//! What the CPU device counts: how evenly each strategy shares out the atoms, and that counting changes no answer.

use assert_cmd::assert::OutputAssertExt;
use evenkeel::{
    algorithm::{
        Algorithm, Betweenness, Bfs, BfsConfig, Closeness, Communities, DenseVector, Distances, FrontEnd, KCore, Mst,
        Spmv, SpmvConfig, Sssp, SsspConfig, Triangles, spmv::random_vector,
    },
    device::{Device, balance::DispatchBalance},
    engine::schedule::Schedule,
    graph::{Graph, generate::Generator},
    oracle,
};
use evenkeel_cli::report::balance::StrategyBalance;
use std::process::Command;

fn generate(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

/// What breadth-first search from node 0 counts; its answer is checked.
fn search(graph: &Graph, strategy: &str) -> StrategyBalance {
    let (device, counters) = Device::counting(32);
    let config = BfsConfig { strategy: strategy.parse().unwrap(), ..BfsConfig::default() };
    let mut bfs = Bfs::prepare(&device, &graph.csr, &config).unwrap();
    bfs.run(&0).unwrap();
    assert!(bfs.answer().unwrap().depths == oracle::bfs::depths(&graph.csr, 0), "{strategy}");
    StrategyBalance::new(strategy.to_owned(), counters.take())
}

/// The strategies of an algorithm whose atoms can be counted.
fn counted<A: FrontEnd>() -> impl Iterator<Item = String> {
    A::alternatives().into_iter().filter(|strategy| strategy.counted).map(|strategy| strategy.about.name.to_owned())
}

/// What a product counts under a schedule; its answer is checked.
fn multiply(graph: &Graph, schedule: Schedule) -> Vec<DispatchBalance> {
    let (device, counters) = Device::counting(32);
    let x = random_vector(graph.csr.nodes() as usize, 0);
    let config = SpmvConfig { schedule: schedule.name().parse().unwrap(), ..SpmvConfig::default() };
    let mut spmv = Spmv::prepare(&device, &graph.csr, &config).unwrap();
    spmv.run(&DenseVector::from(x.as_slice())).unwrap();
    let expected = oracle::spmv::product(&graph.csr, &x);
    assert!(
        oracle::spmv::first_mismatch(&expected, &spmv.answer().unwrap().rows, oracle::spmv::SINGLE).is_none(),
        "{config:?}"
    );
    counters.take()
}

#[test]
fn a_search_takes_each_edge_of_the_nodes_reached_once() {
    let graph = generate("rmat:scale=10");
    let depths = oracle::bfs::depths(&graph.csr, 0);
    let reached = |node: &u32| depths[*node as usize] != oracle::bfs::UNREACHABLE;
    let edges: u64 = (0..graph.csr.nodes()).filter(reached).map(|node| u64::from(graph.csr.degree(node))).sum();
    assert!(edges > 0);
    for strategy in counted::<Bfs>() {
        assert_eq!(search(&graph, &strategy).atoms, edges, "{strategy}");
    }
}

/// What an algorithm that needs nothing but a graph counts; its answer is checked.
fn whole<A: FrontEnd>(graph: &Graph, strategy: &str) -> StrategyBalance
where
    A::InputOptions: Default,
{
    let (device, counters) = Device::counting(32);
    let config = A::with_alternative(&A::counted_config(), strategy).unwrap();
    let input = A::input(&A::InputOptions::default(), graph, &config).unwrap();
    let mut algorithm = A::prepare(&device, &graph.csr, &config).unwrap();
    algorithm.run(&input).unwrap();
    let expected = A::reference(graph, &input, &config).unwrap();
    assert_eq!(A::check(&algorithm.answer().unwrap(), &expected, graph, &input), None, "{strategy}");
    StrategyBalance::new(strategy.to_owned(), counters.take())
}

#[test]
fn triangles_take_each_element_that_is_looked_up_once() {
    let graph = generate("rmat:scale=9");
    let csr = &graph.csr;
    let rank = |node: u32| (csr.degree(node), node);
    let mut rows: Vec<Vec<u32>> = (0..csr.nodes()).map(|node| csr.neighbours(node).to_vec()).collect();
    rows.iter_mut().for_each(|row| row.dedup());
    let kept: Vec<Vec<u32>> = (0..csr.nodes())
        .map(|node| rows[node as usize].iter().copied().filter(|other| rank(*other) > rank(node)).collect())
        .collect();
    let length = |node: u32| kept[node as usize].len();
    let sizes = |node: u32| kept[node as usize].iter().map(|other| (length(node), length(*other))).collect::<Vec<_>>();
    let all = || (0..csr.nodes()).flat_map(sizes);
    let shorter: usize = all().map(|(own, other)| own.min(other)).sum();
    assert_eq!(whole::<Triangles>(&graph, "binary-search").atoms, shorter as u64);
    // A node that keeps no edge has no bitmap.
    let lower: usize = all().filter(|(_, other)| *other > 0).map(|(own, _)| own).sum();
    assert_eq!(whole::<Triangles>(&graph, "bitmap:heavy=1").atoms, lower as u64);
}

#[test]
fn core_numbers_take_each_edge_once_by_peeling() {
    let graph = generate("rmat:scale=9");
    assert_eq!(whole::<KCore>(&graph, "peel").atoms, graph.csr.edges());
    assert!(whole::<KCore>(&graph, "h-index").atoms > graph.csr.edges());
}

#[test]
fn forests_communities_and_centralities_count_every_edge_they_look_at() {
    let graph = generate("grid:rows=20,cols=20");
    let edges = graph.csr.edges();
    let labels = whole::<Communities>(&graph, "all").atoms;
    // Ten iterations, of which the first counts nothing: all labels differ.
    assert_eq!(labels, 9 * edges);
    assert!(whole::<Communities>(&graph, "changed").atoms <= labels);
    // The list of the first iteration has each edge once.
    assert_eq!(whole::<Mst>(&graph, "boruvka").dispatches[0].atoms, edges / 2);
    // From each of 32 sources there and back, along the edges of shortest paths: every edge of a grid is one. Back to the source none is needed.
    let paths = whole::<Betweenness>(&graph, "levels").atoms;
    assert!((32 * (edges - 4)..=32 * edges).contains(&paths), "{paths}");
    // A batch looks along whole rows, and its search from all sources at once along all rows twice a level.
    let rows = whole::<Betweenness>(&graph, "batched").atoms;
    assert!((paths..=(64 + 2 * 38) * edges).contains(&rows), "{rows}");
    // Each level of 64 searches looks along all rows at most twice: once to pull and once to push.
    let sums = whole::<Closeness>(&graph, "bits");
    assert!((edges..=2 * edges * sums.dispatches.len() as u64).contains(&sums.atoms), "{}", sums.atoms);
}

#[test]
fn an_iteration_takes_the_edges_of_its_worklist() {
    let graph = generate("star:nodes=1000");
    for strategy in counted::<Bfs>() {
        let balance = search(&graph, &strategy);
        let iterations: Vec<_> = balance.dispatches.iter().map(|it| (it.iteration, it.atoms)).collect();
        assert_eq!(iterations, [(1, 999), (2, 999)], "{strategy}");
    }
}

#[test]
fn a_star_is_uneven_by_node_and_even_by_merge_path() {
    let graph = generate("star:nodes=200000");
    let (node, merge_path) = (search(&graph, "node"), search(&graph, "merge-path"));
    assert!(node.max_over_mean.invocations > 200.0, "{:?}", node.max_over_mean);
    assert!(node.simd_efficiency < 0.1 && node.worst.unwrap().invocations.max == 199_999);
    assert!(merge_path.max_over_mean.invocations < 1.1, "{:?}", merge_path.max_over_mean);
    assert!(merge_path.simd_efficiency > 0.95 && merge_path.gini.invocations < 0.1);
}

#[test]
fn shortest_paths_count_every_relaxation() {
    let graph = generate("road:nodes=2000,lengths=true");
    for strategy in counted::<Sssp>() {
        let (device, counters) = Device::counting(32);
        let config = SsspConfig { strategy: strategy.parse().unwrap(), ..SsspConfig::default() };
        let mut sssp = Sssp::prepare(&device, &graph.csr, &config).unwrap();
        sssp.run(&0).unwrap();
        let expected = oracle::dijkstra::whole(&graph.csr, 0).unwrap();
        assert!(sssp.answer().unwrap().distances == Distances::U32(expected), "{strategy}");
        let atoms: u64 = counters.take().iter().map(|dispatch| dispatch.atoms).sum();
        assert!(atoms >= graph.csr.edges(), "{strategy}: {atoms}");
    }
}

#[test]
fn a_product_takes_every_entry() {
    let graph = generate("rmat:scale=10");
    let entries = graph.csr.edges();
    for schedule in Schedule::ALL {
        let atoms: u64 = multiply(&graph, *schedule).iter().map(|dispatch| dispatch.atoms).sum();
        match schedule {
            // These fill a round up with an entry that another lane takes too.
            Schedule::MergePath | Schedule::MergePathThread | Schedule::NonzeroSplit => {
                assert!(atoms >= entries && atoms < 2 * entries, "{atoms}");
            }
            _ => assert_eq!(atoms, entries, "{schedule:?}"),
        }
    }
}

#[test]
fn groups_of_one_lane_are_never_idle() {
    let (device, counters) = Device::counting(1);
    let graph = generate("star:nodes=500");
    let config = BfsConfig { strategy: "node".parse().unwrap(), ..BfsConfig::default() };
    Bfs::prepare(&device, &graph.csr, &config).unwrap().run(&0).unwrap();
    let dispatches = counters.take();
    assert!(!dispatches.is_empty());
    assert!(dispatches.iter().all(|it| it.simd_efficiency == 1.0 && it.invocations == it.lane_groups));
}

fn evenkeel(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
    command.args(arguments.split(' '));
    command
}

#[test]
fn the_command_prints_a_table_or_json() {
    let output = evenkeel("balance bfs star:nodes=3000 --lanes 16").assert().success().get_output().clone();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(counted::<Bfs>().all(|strategy| text.lines().any(|line| line.starts_with(&strategy))), "{text}");
    assert!(text.contains("by 16 lanes"), "{text}");
    for algorithm in ["sssp", "spmv"] {
        let arguments = format!("balance {algorithm} star:nodes=300 --strategies merge-path,thread-mapped --json -");
        let output = evenkeel(&arguments).assert().success().get_output().clone();
        let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(object["algorithm"], algorithm);
        let names = [0, 1].map(|index| object["strategies"][index]["strategy"].clone());
        assert_eq!(names, ["merge-path", "thread-mapped"]);
        assert!(object["strategies"][1]["dispatches"][0]["lane_groups"]["gini"].is_f64());
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, reason) in [
        ("balance pagerank star", "sssp"),
        ("balance bfs star --strategies even", "merge-path"),
        ("balance spmv star --strategies node", "merge-path"),
        ("balance spmv star --source 1", "--source"),
        ("balance bfs star --weights unit", "--weights"),
        ("balance bfs star --lanes 0", "1..=256"),
    ] {
        let output = evenkeel(arguments).assert().code(2).get_output().clone();
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains(reason), "{arguments}: {message}");
    }
}

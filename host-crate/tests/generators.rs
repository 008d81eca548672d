//! The generated graphs are the ones on which published figures were measured: sizes, degrees and sources are pinned here, for
//! any number of threads. `EVENKEEL_LARGE=1` adds the graphs that take minutes or many gigabytes.

use evenkeel::{
    graph::{Graph, generate::Generator, statistics::Statistics, weights::assign},
    oracle::bfs,
};
use proptest::prelude::*;

fn generate(text: &str) -> Graph {
    text.parse::<Generator>().unwrap().generate().unwrap()
}

fn with_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// A graph's nodes, directed edges, highest degree, nodes without edges, and first node of the highest degree.
struct Row(&'static str, [u32; 5]);

fn check(Row(text, expected): Row) {
    let csr = generate(text).csr;
    let source = csr.max_degree_node().unwrap();
    let alone = (0..csr.nodes()).filter(|&node| csr.degree(node) == 0).count() as u32;
    assert_eq!([csr.nodes(), csr.narrow_edges().unwrap(), csr.degree(source), alone, source], expected, "{text}");
    let is_simple = |node| csr.neighbours(node).is_sorted_by(|a, b| a < b) && !csr.neighbours(node).contains(&node);
    assert!((0..csr.nodes()).all(is_simple), "{text}: rows are sorted, without self-loops and duplicates");
}

#[test]
fn rmat_20() {
    check(Row("rmat:scale=20", [1_048_576, 31_400_690, 64_739, 402_433, 714_716]));
}

#[test]
fn directed_graphs_have_each_edge_one_way() {
    for text in ["rmat:scale=9,directed=true", "er:nodes=700,degree=6,directed=true"] {
        let (directed, undirected) = (generate(text), generate(text.strip_suffix(",directed=true").unwrap()));
        assert!(directed.directed && !directed.csr.is_symmetric() && directed.name == text);
        let both =
            |from, to| undirected.csr.neighbours(from).contains(&to) && undirected.csr.neighbours(to).contains(&from);
        let nodes = 0..directed.csr.nodes();
        assert!(nodes.into_iter().all(|from| directed.csr.neighbours(from).iter().all(|to| both(from, *to))), "{text}");
        let (one_way, both_ways) = (directed.csr.edges(), undirected.csr.edges());
        // A pair that was drawn in both directions is two edges of the one and of the other.
        assert!(one_way < both_ways && 2 * one_way >= both_ways, "{one_way} and {both_ways}");
    }
}

#[test]
fn uniform_random_22() {
    check(Row("er:nodes=4194304,degree=8", [4_194_304, 33_554_400, 29, 1_457, 299_324]));
}

// Searches of a grid start at its corner, node 0, by custom; the first node of the highest degree is one row and column in.
#[test]
fn grid_1024() {
    check(Row("grid:rows=1024,cols=1024", [1_048_576, 4_190_208, 4, 0, 1025]));
}

#[test]
fn large_graphs() {
    if std::env::var_os("EVENKEEL_LARGE").is_none() {
        eprintln!("skipped: the large graphs are made when EVENKEEL_LARGE is set");
        return;
    }
    check(Row("grid:rows=4096,cols=4096", [16_777_216, 67_092_480, 4, 0, 4097]));
    check(Row("rmat:scale=22", [4_194_304, 128_308_208, 162_946, 1_798_769, 2_859_925]));
    check(Row("rmat:scale=24", [16_777_216, 520_764_162, 407_018, 7_905_277, 11_438_140]));
}

const SMALL: [&str; 9] = [
    "rmat:scale=12,seed=3",
    "graph500:scale=12",
    "er:nodes=5000,degree=7.5",
    "grid:rows=70,cols=61",
    "road:nodes=6000,lengths=true",
    "rgg:nodes=6000",
    "star:nodes=5000",
    "chain:nodes=5000",
    "complete:nodes=100",
];

#[test]
fn any_number_of_threads_gives_the_same_graph() {
    for text in SMALL {
        let alone = with_threads(1, || generate(text)).csr;
        for threads in [2, 3, 16] {
            assert!(with_threads(threads, || generate(text)).csr == alone, "{text} with {threads} threads");
        }
    }
}

#[test]
fn every_family_is_undirected_and_simple() {
    for text in SMALL {
        let graph = generate(text);
        let statistics = Statistics::of(&graph);
        assert!(!graph.directed && statistics.symmetric, "{text}");
        assert_eq!((statistics.self_loops, statistics.parallel_edges), (0, 0), "{text}");
        assert_eq!(graph.name, text);
    }
}

#[test]
fn another_seed_is_another_graph() {
    for text in ["rmat:scale=8", "graph500:scale=8", "er:nodes=500,degree=4", "road:nodes=500", "rgg:nodes=500"] {
        let [first, second] = [1, 2].map(|seed| generate(&format!("{text},seed={seed}")).csr);
        assert!(first != second && first != generate(text).csr, "{text}");
        assert!(generate(text).csr == generate(&format!("{text},seed=0")).csr, "{text}: 0 is the default");
    }
}

#[test]
fn roads_hang_together() {
    let csr = generate("road:nodes=250000").csr;
    let source = csr.max_degree_node().unwrap();
    let reached = bfs::depths(&csr, source).iter().filter(|&&depth| depth != bfs::UNREACHABLE).count();
    assert!(reached > 240_000, "{reached} of 250000");
}

#[test]
fn random_weights_are_those_of_their_edges() {
    let mut graph = generate("rmat:scale=12");
    let expected = with_threads(1, || {
        let mut graph = graph.clone();
        assign(&mut graph, "random:1..64".parse().unwrap()).unwrap();
        graph.csr.weights().clone()
    });
    assign(&mut graph, "random:1..64".parse().unwrap()).unwrap();
    assert!(*graph.csr.weights() == expected && graph.csr.has_symmetric_weights());
    assert_eq!(graph.csr.weight_range(), Some((1.0, 64.0)));
}

proptest! {
    #[test]
    fn any_text_is_a_generator_or_an_error(text in "(rmat|graph500|er|grid|road|rgg|star|chain|complete|x)?:?[a-z=0-9.,-]{0,24}") {
        if let Ok(generator) = text.parse::<Generator>() {
            prop_assert_eq!(&generator.to_string().parse::<Generator>().unwrap(), &generator);
        }
    }

    #[test]
    fn er_has_the_edges_of_its_rule(nodes in 1u64..60, degree in 0u64..9, seed in 0u64..3) {
        let mix = |x: u64| {
            let z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            z ^ z >> 31
        };
        let stream = if seed == 0 { 0x00C0_FFEE_0000_0000 } else { mix(0x00C0_FFEE_0000_0000 ^ seed) };
        let end = |index: u64| mix(stream.wrapping_add(index)) % nodes;
        let edges: std::collections::BTreeSet<(u64, u64)> = (0..nodes * degree / 2)
            .map(|index| (end(2 * index), end(2 * index + 1)))
            .filter(|(u, v)| u != v)
            .flat_map(|(u, v)| [(u, v), (v, u)])
            .collect();
        let csr = generate(&format!("er:nodes={nodes},degree={degree},seed={seed}")).csr;
        let found: Vec<(u64, u64)> =
            (0..csr.nodes()).flat_map(|u| csr.neighbours(u).iter().map(move |&v| (u.into(), v.into()))).collect();
        prop_assert_eq!(found, edges.into_iter().collect::<Vec<_>>());
    }
}

//! Every sentence of the documentation that says how fast something is, with the page that it stands in and what must be true for it. A test
//! fails when a page lacks its sentence, or when the kept results say otherwise: then the sentence is changed, here and in the page.

use super::{
    super::{finding::Finding, results::Results},
    kept, plan, readme, tables,
};
use serde_json::Value;

/// A sentence and what must be true for it.
pub struct Claim {
    /// The part of the report that it belongs to.
    pub part: &'static str,
    /// The page that has it, from the root of the repository. Those of the page of measurements are in its tables of claims.
    pub page: &'static str,
    /// Its words, as they are in the page.
    pub text: &'static str,
    /// Whether it holds and the numbers behind that; none where they were not measured.
    pub check: fn(&Results) -> Option<(bool, String)>,
}

const OWN: &str = "docs/measurements.md";
const STRATEGIES: &str = "docs/strategies.md";

/// How much may be due to chance where one time is held against another.
const MARGIN: f64 = 1.1;

pub const CLAIMS: &[Claim] = &[
    Claim {
        part: "bfs",
        page: OWN,
        text: "On every graph auto is at most 1.2 times as slow as the fastest strategy",
        check: |results| all(&against_best(results, "bfs"), |ratio| ratio <= 1.2),
    },
    Claim {
        part: "bfs",
        page: OWN,
        text: "auto is faster than Gunrock's best schedule on every graph",
        check: |results| all(&against(results, "bfs", "Gunrock 2"), |ratio| ratio > 1.0),
    },
    Claim {
        part: "bfs",
        page: OWN,
        text: "auto is faster than GAPBS on 16 cores on every graph",
        check: |results| all(&against(results, "bfs", "GAPBS, 16 cores"), |ratio| ratio > 1.0),
    },
    Claim {
        part: "bfs",
        page: STRATEGIES,
        text: "`direction` is the fastest strategy on large graphs whose searches have few levels",
        check: |results| wins(results, "bfs", "direction", &FEW_LEVELS),
    },
    Claim {
        part: "bfs",
        page: "README.md",
        text: "How the edges are distributed to the GPU's invocations decides how long it takes.",
        check: |results| {
            let times = |name: &str| tables::time(results, "bfs", readme::GRAPH, name);
            let (node, best) = (times("node")?, times("merge-path")?);
            let here = format!("merge-path is {} times as fast as node on {}", rounded(node / best), readme::GRAPH);
            Some((node >= 10.0 * best, here))
        },
    },
    Claim {
        part: "sssp",
        page: OWN,
        text: "On every graph auto is at most 1.1 times as slow as the fastest strategy",
        check: |results| all(&against_best(results, "sssp"), |ratio| ratio <= MARGIN),
    },
    Claim {
        part: "sssp",
        page: OWN,
        text: "auto is faster than Gunrock's best schedule on every graph",
        check: |results| all(&against(results, "sssp", "Gunrock 2"), |ratio| ratio > 1.0),
    },
    Claim {
        part: "sssp",
        page: OWN,
        text: "auto is faster than GAPBS on 16 cores where a graph is neither a road network nor small",
        check: |results| {
            let graphs = ["rmat 20", "rmat 22", "er 2^22", "grid 1,024²", "grid 4,096²"];
            all(&against(results, "sssp", "GAPBS, 16 cores").among(&graphs), |ratio| ratio > 1.0)
        },
    },
    Claim {
        part: "sssp",
        page: STRATEGIES,
        text: "`near-far` is the fastest strategy for shortest paths on most graphs",
        check: |results| most_win(results, "sssp", "near-far", |_| true),
    },
    Claim {
        part: "spmv",
        page: OWN,
        text: "auto is at most 1.1 times as slow as cuSPARSE's best algorithm on every graph",
        check: |results| all(&against(results, "spmv", "cuSPARSE").inverse(), |ratio| ratio <= MARGIN),
    },
    Claim {
        part: "spmv",
        page: "docs/programming-model.md",
        text: "`thread-mapped` is the best schedule when all tiles are small and alike",
        check: |results| wins(results, "spmv", "thread-mapped", &["grid 4,096²"]),
    },
    Claim {
        part: "spmm",
        page: OWN,
        text: "auto is faster than cuSPARSE on every graph",
        check: |results| all(&against(results, "spmm", "cuSPARSE"), |ratio| ratio > 1.0),
    },
    Claim {
        part: "pagerank",
        page: OWN,
        text: "auto is at least twice as fast as Gunrock on every graph",
        check: |results| all(&against(results, "pagerank", "Gunrock 2"), |ratio| ratio >= 2.0),
    },
    Claim {
        part: "color",
        page: OWN,
        text: "auto is faster than Gunrock on every graph, with no more colours",
        check: |results| {
            let (faster, here) = all(&against(results, "color", "Gunrock 2"), |ratio| ratio > 1.0)?;
            Some((faster && has_no_more_colours(results)?, here))
        },
    },
    Claim {
        part: "color",
        page: OWN,
        text: "auto is faster than ECL-GC on every graph but road-NY, where it takes at most twice as long",
        check: |results| {
            let ratios = against(results, "color", "ECL-GC");
            let is_faster = ratios.by_graph.iter().all(|(graph, ratio)| *ratio > 1.0 || graph == "road-NY");
            let (is_close, here) = all(&ratios, |ratio| ratio > 0.5)?;
            Some((is_faster && is_close, here))
        },
    },
    Claim {
        part: "structure",
        page: OWN,
        text: "Components of graphs with more than ten million edges are found faster than by ECL-CC",
        check: |results| all(&against(results, "components", "ECL-CC").among(&LARGE), |ratio| ratio > 1.0),
    },
    Claim {
        part: "structure",
        page: OWN,
        text: "Spanning forests of graphs with more than ten million edges are found faster than by ECL-MST",
        check: |results| all(&against(results, "mst", "ECL-MST").among(&LARGE), |ratio| ratio > 1.0),
    },
    Claim {
        part: "structure",
        page: OWN,
        text: "Components and forests of road-NY and com-dblp are found more slowly than by ECL-CC and ECL-MST",
        check: |results| {
            let both = against(results, "components", "ECL-CC").and(against(results, "mst", "ECL-MST"));
            all(&both.among(&["road-NY", "com-dblp"]).inverse(), |ratio| ratio > 1.0)
        },
    },
    Claim {
        part: "structure",
        page: OWN,
        text: "Triangles are counted faster than by gardenia on every graph",
        check: |results| all(&against(results, "triangles", "gardenia"), |ratio| ratio > 1.0),
    },
    Claim {
        part: "structure",
        page: OWN,
        text: "Betweenness from one source is found faster than by gardenia on every graph",
        check: |results| all(&against(results, "betweenness", "gardenia"), |ratio| ratio > 1.0),
    },
    Claim {
        part: "structure",
        page: OWN,
        text: "Numbers of components, weights of forests, triangles and largest cores are those of sequential computations",
        check: answers_are_right,
    },
    Claim {
        part: "many-sources",
        page: OWN,
        text: "64 searches together are faster than one after the other, even with the depth from each",
        check: |results| {
            let (one, each) = (results.time(tables::MANY[0].0, "auto")?, results.time(tables::MANY[2].0, "auto")?);
            Some((each < 64.0 * one, format!("{} times as fast", rounded(64.0 * one / each))))
        },
    },
    Claim {
        part: "apsp",
        page: "docs/all-pairs.md",
        text: "On a GPU `sssp` is cheaper where the mean degree is below N/50 and paths have few edges",
        check: |results| wins(results, "apsp", "sssp", &["er 5,881, degree 7.3"]),
    },
    Claim {
        part: "checked",
        page: OWN,
        text: "Every answer is that of the oracle",
        check: |results| {
            let valid = |experiment: String| Some(results.entry(&experiment, "auto")?["valid"] == true);
            let valid: Vec<bool> = plan::checked().filter_map(|(_, experiment)| valid(experiment)).collect();
            let right = valid.iter().filter(|valid| **valid).count();
            (!valid.is_empty()).then(|| (right == valid.len(), format!("{right} of {} are right", valid.len())))
        },
    },
    Claim {
        part: "cpu-gapbs",
        page: OWN,
        text: "On 16 cores BFS and SSSP are faster than the suite's on every graph",
        check: |results| all(&of_suite(results, 16, &["bfs", "sssp"]), |ratio| ratio < 1.0),
    },
    Claim {
        part: "cpu-gapbs",
        page: OWN,
        text: "PageRank takes at most 1.25 times as long as the suite's",
        check: |results| {
            let both = of_suite(results, 2, &["pagerank"]).and(of_suite(results, 16, &["pagerank"]));
            all(&both, |ratio| ratio <= 1.25)
        },
    },
    Claim {
        part: "cpu-gapbs-structure",
        page: OWN,
        text: "Betweenness and triangles are faster than the suite's on every graph, and components at most 1.5 times as slow",
        check: |results| {
            let of = |threads| {
                let slower = of_suite(results, threads, &["components"]).are_all(|ratio| ratio <= 1.5);
                let faster = of_suite(results, threads, &["betweenness", "triangles"]);
                (slower && faster.are_all(|ratio| ratio < 1.0), faster)
            };
            let ((on_two, first), (on_all, second)) = (of(2), of(16));
            let ratios = of_suite(results, 2, &["components"]).and(first).and(second);
            let (_, here) = all(&ratios, |_| true)?;
            Some((on_two && on_all, here))
        },
    },
    Claim {
        part: "cpu-auto",
        page: OWN,
        text: "On processors auto takes at most 1.5 times as long as the best strategy",
        check: |results| {
            let rows = results.file("cpu-auto")?["rows"].as_array()?;
            let most = rows.iter().filter_map(|row| row["ratio"].as_f64()).reduce(f64::max)?;
            Some((most <= 1.5, format!("{most:.2} times at most")))
        },
    },
    Claim {
        part: "cpu-auto",
        page: OWN,
        text: "On two cores evenkeel is faster than NetworkX, igraph and petgraph with BFS, SSSP and PageRank",
        check: |results| all(&of_tools(results), |ratio| ratio > 1.0),
    },
];

/// Large graphs whose searches have few levels.
const FEW_LEVELS: [&str; 3] = ["rmat 20", "rmat 22", "er 2^22"];

/// Graphs with more than ten million edges.
const LARGE: [&str; 5] = ["rmat 20", "rmat 22", "er 2^22", "grid 4,096²", "road 4·10⁶"];

/// The claims of a part, and what became of them.
pub fn findings(results: &Results, part: &str) -> Vec<Finding> {
    let finding = |claim: &Claim| {
        let elsewhere = if claim.page == OWN { String::new() } else { format!("; {} says so", claim.page) };
        let measured = (claim.check)(results).map(|(holds, here)| (holds, here + &elsewhere));
        Finding::new(claim.text, measured)
    };
    CLAIMS.iter().filter(|claim| claim.part == part).map(finding).collect()
}

/// About three digits.
fn rounded(ratio: f64) -> String {
    evenkeel_cli::report::html::axis::short(ratio)
}

/// Ratios of times by graph, and what they are times of.
struct Ratios {
    unit: &'static str,
    by_graph: Vec<(String, f64)>,
}

impl Ratios {
    /// How many times as fast evenkeel is.
    fn as_fast(by_graph: Vec<(String, f64)>) -> Self {
        Self { unit: "as fast", by_graph }
    }

    /// How many times as long evenkeel takes.
    fn as_long(by_graph: Vec<(String, f64)>) -> Self {
        Self { unit: "as long", by_graph }
    }

    /// Inverts the ratio.
    fn inverse(self) -> Self {
        let by_graph = self.by_graph.into_iter().map(|(graph, ratio)| (graph, ratio.recip())).collect();
        if self.unit == "as fast" { Self::as_long(by_graph) } else { Self::as_fast(by_graph) }
    }

    fn among(mut self, graphs: &[&str]) -> Self {
        self.by_graph.retain(|(graph, _)| graphs.contains(&graph.as_str()));
        self
    }

    fn and(mut self, other: Self) -> Self {
        debug_assert_eq!(self.unit, other.unit);
        self.by_graph.extend(other.by_graph);
        self
    }

    fn are_all(&self, holds: impl Fn(f64) -> bool) -> bool {
        self.by_graph.iter().all(|(_, ratio)| holds(*ratio))
    }
}

/// Whether something is true of all ratios, and the ratios.
fn all(ratios: &Ratios, holds: impl Fn(f64) -> bool) -> Option<(bool, String)> {
    let unit = |place: usize| if place == 0 { format!(" {}", ratios.unit) } else { String::new() };
    let text =
        |(place, (graph, ratio)): (usize, &(String, f64))| format!("{}×{} on {graph}", rounded(*ratio), unit(place));
    let each: Vec<String> = ratios.by_graph.iter().enumerate().map(text).collect();
    (!each.is_empty()).then(|| (ratios.are_all(holds), each.join(", ")))
}

/// How many times as long `auto` takes as the fastest strategy, on each graph.
fn against_best(results: &Results, algorithm: &str) -> Ratios {
    let ratio = |graph: &str| {
        let (_, best) = tables::fastest_but(results, algorithm, graph, "")?;
        Some((graph.to_owned(), tables::time(results, algorithm, graph, "auto")? / best))
    };
    Ratios::as_long(tables::graphs(results, &[algorithm]).into_iter().filter_map(ratio).collect())
}

/// How many times as fast `auto` is as another program, on each graph.
fn against(results: &Results, algorithm: &str, program: &str) -> Ratios {
    let Some(peer) = tables::peers(results, algorithm).into_iter().find(|peer| tables::program(peer) == program) else {
        return Ratios::as_fast(Vec::new());
    };
    let ratio = |graph: &str| {
        let own = tables::time(results, algorithm, graph, "auto")?;
        Some((graph.to_owned(), peer["milliseconds"].get(graph)?.as_f64()? / own))
    };
    Ratios::as_fast(tables::graphs(results, &[algorithm]).into_iter().filter_map(ratio).collect())
}

/// Whether a strategy is the fastest on these graphs, or nearly so, and by how much the best of the others is slower.
fn wins(results: &Results, algorithm: &str, strategy: &str, graphs: &[&str]) -> Option<(bool, String)> {
    let ratio = |graph: &&str| {
        let (_, best) = tables::fastest_but(results, algorithm, graph, "")?;
        Some(((*graph).to_owned(), tables::time(results, algorithm, graph, strategy)? / best))
    };
    let ratios = Ratios::as_long(graphs.iter().filter_map(ratio).collect());
    let (holds, here) = all(&ratios, |ratio| ratio <= MARGIN)?;
    Some((holds, format!("beside the fastest: {here}")))
}

/// Whether a strategy is the fastest on more than half of the graphs on which others were measured too.
fn most_win(
    results: &Results,
    algorithm: &str,
    strategy: &str,
    is_meant: impl Fn(&str) -> bool,
) -> Option<(bool, String)> {
    let (mut won, mut all) = (0, 0);
    for graph in tables::graphs(results, &[algorithm]).into_iter().filter(|graph| is_meant(graph)) {
        if tables::time(results, algorithm, graph, strategy).is_none() {
            continue;
        }
        all += 1;
        won += usize::from(tables::fastest_but(results, algorithm, graph, "")?.0 == strategy);
    }
    (all > 0).then(|| (2 * won > all, format!("{strategy} is the fastest on {won} of {all} graphs")))
}

/// Whether `auto` gives out no more colours than Gunrock, where both are known.
fn has_no_more_colours(results: &Results) -> Option<bool> {
    let gunrock = tables::peers(results, "color").into_iter().find(|peer| tables::program(peer) == "Gunrock 2")?;
    let colours = |graph: &str| {
        let own = results.number(&format!("color {graph}"), "auto", "/colors")?;
        Some(own <= gunrock["colors"].get(graph)?.as_f64()?)
    };
    let known: Vec<bool> = tables::graphs(results, &["color"]).into_iter().filter_map(colours).collect();
    (!known.is_empty()).then(|| known.iter().all(|fewer| *fewer))
}

/// Whether the figures of answers are those that were computed elsewhere.
fn answers_are_right(results: &Results) -> Option<(bool, String)> {
    let (mut right, mut all) = (0, 0);
    for answer in results.file("peers")?["answers"].as_array()? {
        let (algorithm, figure) = (answer["algorithm"].as_str()?, answer["figure"].as_str()?);
        for (graph, expected) in answer["values"].as_object()? {
            let Some(entry) = results.entry(&format!("{algorithm} {graph}"), "auto") else { continue };
            all += 1;
            right += usize::from(entry.get(figure).and_then(Value::as_f64) == expected.as_f64());
        }
    }
    (all > 0).then(|| (right == all, format!("{right} of {all} are")))
}

/// How many times as long ours takes as the suite's on processors.
fn of_suite(results: &Results, threads: u64, algorithms: &[&str]) -> Ratios {
    let pairs = kept::pairs(results).into_iter();
    let pairs = pairs.filter(|pair| pair.threads == threads && algorithms.contains(&pair.algorithm));
    let ratio =
        |pair: kept::Pair| (format!("{} ({}, {threads} cores)", pair.graph, pair.algorithm), pair.own / pair.suite);
    Ratios::as_long(pairs.map(ratio).collect())
}

/// How many times as fast the CPU device is as other tools.
fn of_tools(results: &Results) -> Ratios {
    let rows = results.file("others").and_then(|file| file["rows"].as_array());
    let Some((own, others)) = rows.and_then(|rows| rows.split_first()) else { return Ratios::as_fast(Vec::new()) };
    let ratios = others.iter().flat_map(|row| {
        ["bfs", "sssp", "pagerank"].into_iter().filter_map(move |algorithm| {
            let field = format!("{algorithm}_ms");
            let name = format!("{algorithm} beside {}", row["tool"].as_str().unwrap_or_default());
            Some((name, row[&field].as_f64()? / own[&field].as_f64()?))
        })
    });
    Ratios::as_fast(ratios.collect())
}

//! Which commands are run, on which graphs.

use super::super::{
    Scale,
    experiment::{Experiment, Setting},
};

/// The generated graphs of the documentation's tables.
const LARGE: [(&str, &str); 7] = [
    ("rmat 20", "rmat:scale=20"),
    ("rmat 22", "rmat:scale=22"),
    ("rmat 24", "rmat:scale=24"),
    ("er 2^22", "er:nodes=4194304,degree=8"),
    ("grid 1,024²", "grid:rows=1024,cols=1024"),
    ("grid 4,096²", "grid:rows=4096,cols=4096"),
    ("road 4·10⁶", "road:nodes=4000000"),
];

/// Small ones of the same kinds.
const SMALL: [(&str, &str); 4] = [
    ("rmat 10", "rmat:scale=10"),
    ("er 2^10", "er:nodes=1024,degree=8"),
    ("grid 32²", "grid:rows=32,cols=32"),
    ("road 1,000", "road:nodes=1000"),
];

/// Files that may be in the folder of data, by their names. All are taken as undirected.
const FILES: [(&str, &[&str]); 3] = [
    ("road-NY", &["USA-road-d.NY.gr.gz", "USA-road-d.NY.gr"]),
    ("com-dblp", &["com-dblp.tsv.gz", "com-dblp.ungraph.txt.gz"]),
    ("cnr-2000", &["cnr-2000.el.xz", "cnr-2000.el"]),
];

/// Those of the files that have directed edges, as they are.
const DIRECTED: [(&str, &[&str]); 1] = [("cnr-2000, directed", FILES[2].1)];

/// The graphs of all pairs: sparse ones with few and with many edges on a path, and a dense one.
const PAIRS: [(&str, &str); 6] = [
    ("er 5,881, degree 7.3", "er:nodes=5881,degree=7.3"),
    ("er 7,500, degree 226.6", "er:nodes=7500,degree=226.6"),
    ("grid 64 × 128", "grid:rows=64,cols=128"),
    ("er 256, degree 4", "er:nodes=256,degree=4"),
    ("er 256, degree 100", "er:nodes=256,degree=100"),
    ("grid 8 × 16", "grid:rows=8,cols=16"),
];

/// The graph that answers are checked on, and the one of many sources.
const CHECKED: [&str; 2] = ["rmat:scale=10", "rmat:scale=18"];
const MANY: [&str; 2] = ["rmat:scale=10", "rmat:scale=22"];

/// The names of all graphs, in the order of the tables' columns.
pub fn columns() -> Vec<&'static str> {
    let generated = SMALL.iter().chain(&LARGE).map(|(name, _)| *name);
    let files = FILES.iter().chain(&DIRECTED).map(|(name, _)| *name);
    generated.chain(files).chain(PAIRS.iter().map(|(name, _)| *name)).collect()
}

/// A graph that is there.
struct Graph {
    name: &'static str,
    /// What the command is given.
    word: String,
    /// How it is taken.
    options: &'static str,
}

fn graphs(setting: &Setting) -> Vec<Graph> {
    let generated = |&(name, word): &(&'static str, &str)| Graph { name, word: word.to_owned(), options: "" };
    if setting.scale == Scale::Small {
        return SMALL.iter().map(generated).collect();
    }
    let file = |options: &'static str| {
        move |&(name, names): &(&'static str, &[&str])| Some(Graph { name, word: setting.file(names)?, options })
    };
    let files = FILES.iter().filter_map(file("--undirected"));
    LARGE.iter().map(generated).chain(files).chain(DIRECTED.iter().filter_map(file("--directed"))).collect()
}

/// An algorithm whose strategies are compared.
pub struct Compared {
    /// Its name.
    pub algorithm: &'static str,
    /// Options of all its commands.
    options: &'static str,
    /// How often it runs.
    runs: &'static str,
    /// What is compared, from the papers' to what chooses.
    pub strategies: &'static [&'static str],
}

/// What chooses and what it usually takes.
const CHOSEN: [&str; 5] = ["direction", "adaptive", "near-far", "sweep", "auto"];

pub const COMPARED: [Compared; 7] = [
    Compared {
        algorithm: "bfs",
        options: "",
        runs: "--runs 5 --warmup 2",
        strategies: &[
            "node",
            "edge",
            "decompose",
            "split",
            "hierarchical",
            "group-mapped",
            "merge-path",
            "nonzero-split",
            "radix-binned",
            "direction",
            "adaptive",
            "near-far",
            "auto",
        ],
    },
    Compared {
        algorithm: "sssp",
        options: "--weights random:1..64",
        runs: "--runs 5 --warmup 2",
        strategies: &[
            "node",
            "edge",
            "decompose",
            "split",
            "hierarchical",
            "group-mapped",
            "merge-path",
            "nonzero-split",
            "radix-binned",
            "near-far",
            "sweep",
            "auto",
        ],
    },
    Compared {
        algorithm: "spmv",
        options: "",
        runs: "--runs 20 --warmup 10",
        strategies: &["thread-mapped", "group-mapped", "merge-path", "nonzero-split", "radix-binned", "auto"],
    },
    Compared {
        algorithm: "spmm",
        options: "",
        runs: "--runs 5 --warmup 2",
        strategies: &["thread-mapped", "group-mapped", "merge-path", "nonzero-split", "radix-binned", "auto"],
    },
    Compared {
        algorithm: "pagerank",
        options: "--iterations 20",
        runs: "--runs 5 --warmup 2",
        strategies: &["thread-mapped", "merge-path", "nonzero-split", "auto"],
    },
    Compared {
        algorithm: "color",
        options: "",
        runs: "--runs 5 --warmup 2",
        strategies: &["independent", "speculative", "auto"],
    },
    Compared {
        algorithm: "apsp",
        options: "--weights random:1..64",
        runs: "--runs 3 --warmup 1",
        strategies: &["sssp", "blocked", "auto"],
    },
];

/// Whether a strategy is measured on a graph: those that take more than a second are not, nor what nothing is compared with.
fn is_measured(algorithm: &str, graph: &str, strategy: &str) -> bool {
    let one_node = ["node", "split", "hierarchical"].contains(&strategy);
    match (algorithm, graph) {
        ("bfs" | "sssp", "rmat 24") => strategy == "auto",
        ("bfs" | "sssp", "rmat 22") => !one_node,
        ("sssp", "grid 4,096²" | "road 4·10⁶") => CHOSEN.contains(&strategy),
        ("bfs", "grid 4,096²" | "road 4·10⁶") => {
            CHOSEN.contains(&strategy) || ["edge", "group-mapped", "merge-path"].contains(&strategy)
        }
        ("bfs", _) => true,
        (_, "rmat 24" | "cnr-2000, directed") => false,
        ("spmv" | "spmm" | "pagerank", "road 4·10⁶" | "road-NY" | "com-dblp" | "cnr-2000") => false,
        _ => true,
    }
}

/// An algorithm of which only what `auto` takes is measured: its experiment, the command before and after the graph, and the graphs it is
/// not measured on.
const ALONE: [(&str, &str, &str, &[&str]); 8] = [
    ("components", "components", "--runs 20 --warmup 10", &[]),
    ("mst", "mst", "--runs 10 --warmup 5", &[]),
    ("triangles", "triangles", "--runs 5 --warmup 2", &[]),
    ("betweenness", "betweenness", "--source max-degree --runs 5 --warmup 2", &[]),
    ("betweenness of 64", "betweenness", "--sources 64 --runs 3 --warmup 1", &ROADS),
    ("kcore", "kcore", "--runs 5 --warmup 2", &[]),
    ("closeness", "closeness", "--sources 64 --runs 5 --warmup 2", &ROADS),
    ("communities", "communities", "--runs 3 --warmup 1", &ROADS),
];

/// Graphs of so many levels that searches from many nodes take long.
const ROADS: [&str; 4] = ["grid 1,024²", "grid 4,096²", "road 4·10⁶", "road-NY"];

/// The algorithms whose answer on a graph is checked, with the options they need.
const TO_CHECK: [(&str, &str); 13] = [
    ("bfs", ""),
    ("sssp", "--weights random:1..64"),
    ("spmv", ""),
    ("spmm", ""),
    ("pagerank", ""),
    ("color", ""),
    ("components", ""),
    ("mst", "--weights random:1..64"),
    ("triangles", ""),
    ("betweenness", "--source max-degree"),
    ("kcore", ""),
    ("closeness", "--sources 64"),
    ("communities", ""),
];

pub fn experiments(setting: &Setting) -> Vec<Experiment> {
    let graphs = graphs(setting);
    let check = setting.pick("", "--no-validate");
    let mut list = Vec::new();
    for it in &COMPARED {
        let pairs = || setting.pick(&PAIRS[3..], &PAIRS[..3]).iter().map(|(name, word)| (*name, *word, ""));
        let columns: Vec<(&str, &str, &str)> = match it.algorithm {
            "apsp" => pairs().collect(),
            _ => graphs.iter().map(|graph| (graph.name, graph.word.as_str(), graph.options)).collect(),
        };
        for (name, word, how) in columns {
            let measured = it.strategies.iter().filter(|strategy| is_measured(it.algorithm, name, strategy));
            let strategies: Vec<&str> = measured.copied().collect();
            if strategies.is_empty() {
                continue;
            }
            let Compared { algorithm, options, runs, .. } = it;
            let strategies = strategies.join(",");
            let command = format!("compare {algorithm} {{}} {how} {options} --strategies {strategies} {runs} {check}");
            list.push(Experiment::new(format!("{algorithm} {name}"), &command, &[word]));
        }
    }
    for (experiment, algorithm, options, not_on) in ALONE {
        let is_on = |graph: &&Graph| !graph.name.contains("rmat 24") && !graph.name.contains("directed");
        for Graph { name, word, options: how } in graphs.iter().filter(is_on).filter(|it| !not_on.contains(&it.name)) {
            // A road graph of a file has weights of its own.
            let weights = if algorithm == "mst" && *name != "road-NY" { "--weights random:1..64" } else { "" };
            let command = format!("{algorithm} {{}} {how} {weights} {options}");
            list.push(Experiment::new(format!("{experiment} {name}"), &command, &[word]));
        }
    }
    let many: Vec<String> = (1..=64).map(|seed| format!("random:{seed}")).collect();
    let graph = setting.pick(MANY[0], MANY[1]);
    for (name, options) in [
        ("one of 64", "--source random:1".to_owned()),
        ("nearest of 64", format!("--sources {}", many.join(","))),
        ("each of 64", format!("--sources {} --per-source", many.join(","))),
    ] {
        list.push(Experiment::new(name, &format!("bfs {{}} {options} --runs 5 --warmup 2"), &[graph]));
    }
    for (algorithm, options) in TO_CHECK {
        let graph = setting.pick(CHECKED[0], CHECKED[1]);
        let command = format!("{algorithm} {{}} {options} --validate");
        list.push(Experiment::new(format!("checked {algorithm}"), &command, &[graph]));
    }
    list
}

/// The names of the experiments in which answers are checked.
pub fn checked() -> impl Iterator<Item = (&'static str, String)> {
    TO_CHECK.iter().map(|(algorithm, _)| (*algorithm, format!("checked {algorithm}")))
}

//! The graphs whose levels are measured: generated ones of several kinds and sizes, and all files of a folder.

use super::{list, number, text};
use crate::reproduce::{
    experiment::{Setting, entries, folders},
    finding::Part,
    results::Results,
};
use evenkeel::graph::formats::Format;
use evenkeel_cli::report::html::{Cell, Data};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

/// What the names of experiments that measure levels begin with.
const LEVELS: &str = "levels ";

/// Graphs that are measured by one command.
pub struct Measured {
    /// The name of their collection, or how files are read.
    pub name: String,
    /// Generators or files.
    pub graphs: Vec<String>,
    /// How they are measured.
    pub options: String,
}

/// Generated graphs by collection, for `--scale small` and for `--scale paper`: at that scale 10^4 to 10^7 edges.
const GENERATED: [(&str, &[&str], &[&str]); 8] = [
    (
        "rmat",
        &["rmat:scale=7", "rmat:scale=8,edge-factor=4", "rmat:scale=9,directed=true"],
        &[
            "rmat:scale=10",
            "rmat:scale=12",
            "rmat:scale=14",
            "rmat:scale=16",
            "rmat:scale=18",
            "rmat:scale=19",
            "rmat:scale=13,edge-factor=4",
            "rmat:scale=16,edge-factor=4",
            "rmat:scale=18,edge-factor=4",
            "rmat:scale=20,edge-factor=4",
            "rmat:scale=14,edge-factor=32",
            "rmat:scale=17,edge-factor=32",
            "rmat:scale=15,a=0.45,b=0.22,c=0.22",
            "rmat:scale=18,a=0.45,b=0.22,c=0.22",
            "rmat:scale=11,directed=true",
            "rmat:scale=14,directed=true",
            "rmat:scale=16,directed=true",
            "rmat:scale=18,directed=true",
            "rmat:scale=17,edge-factor=4,directed=true",
        ],
    ),
    (
        "graph500",
        &["graph500:scale=7", "graph500:scale=9,edge-factor=4"],
        &[
            "graph500:scale=11",
            "graph500:scale=13",
            "graph500:scale=15",
            "graph500:scale=17",
            "graph500:scale=19",
            "graph500:scale=14,edge-factor=4",
            "graph500:scale=18,edge-factor=4",
        ],
    ),
    (
        "er",
        &["er:nodes=200,degree=6", "er:nodes=900,degree=4", "er:nodes=500,degree=8,directed=true"],
        &[
            "er:nodes=1000,degree=16",
            "er:nodes=10000,degree=4",
            "er:nodes=10000,degree=32",
            "er:nodes=65536,degree=8",
            "er:nodes=262144,degree=2.5",
            "er:nodes=262144,degree=16",
            "er:nodes=1048576,degree=8",
            "er:nodes=20000,degree=16,directed=true",
            "er:nodes=262144,degree=16,directed=true",
            "er:nodes=1048576,degree=8,directed=true",
        ],
    ),
    (
        "grid",
        &["grid:rows=12,cols=12", "grid:rows=30,cols=20"],
        &[
            "grid:rows=60,cols=60",
            "grid:rows=100,cols=100",
            "grid:rows=300,cols=300",
            "grid:rows=30,cols=3000",
            "grid:rows=1000,cols=1000",
            "grid:rows=1500,cols=1500",
        ],
    ),
    (
        "road",
        &["road:nodes=300", "road:nodes=900"],
        &[
            "road:nodes=5000",
            "road:nodes=20000",
            "road:nodes=100000",
            "road:nodes=100000,removed=0.4",
            "road:nodes=500000,diagonal=0.3",
            "road:nodes=1000000",
        ],
    ),
    ("star", &["star:nodes=200", "star:nodes=1500"], &["star:nodes=5000", "star:nodes=50000", "star:nodes=1000000"]),
    ("chain", &["chain:nodes=40"], &["chain:nodes=5000", "chain:nodes=50000"]),
    (
        "complete",
        &["complete:nodes=20", "complete:nodes=60"],
        &["complete:nodes=100", "complete:nodes=400", "complete:nodes=1500", "complete:nodes=2500"],
    ),
];

/// All graphs, by collection. Files are measured with each edge as it is listed, and with each edge both ways.
pub fn all(setting: &Setting) -> Vec<Measured> {
    let generated = GENERATED.iter().map(|(name, small, paper)| Measured {
        name: (*name).to_owned(),
        graphs: setting.pick(small, paper).iter().map(|graph| (*graph).to_owned()).collect(),
        options: setting.pick("--sources 2 --max-levels 6", "--sources 6 --max-levels 24").to_owned(),
    });
    let mut all: Vec<Measured> = generated.collect();
    let files = setting.data.as_deref().map(files).unwrap_or_default();
    for direction in ["directed", "undirected"].into_iter().filter(|_| !files.is_empty()) {
        let options = setting.pick("--sources 1 --max-levels 6", "--sources 3 --max-levels 12");
        all.push(Measured {
            name: format!("files {direction}"),
            graphs: files.clone(),
            options: format!("--{direction} {options}"),
        });
    }
    all
}

/// The graph files of a folder and of each folder in it. What cannot be read is left out.
fn files(folder: &Path) -> Vec<String> {
    // Tables of comma-separated values may be anything, such as the times of other programs.
    let is_graph = |path: &PathBuf| {
        path.is_file() && Format::of_path(path).is_some() && path.extension().is_some_and(|ending| ending != "csv")
    };
    let graphs = folders(folder).into_iter().flat_map(|folder| entries(&folder)).filter(is_graph);
    graphs.map(|path| path.to_string_lossy().into_owned()).collect()
}

/// What was measured.
pub fn part(results: &Results) -> Part {
    let mut data = Data::new(&["collection", "graphs", "directed", "nodes", "edges", "levels", "left out"]);
    let range = |graphs: &[&Value], key: &str| {
        let numbers = || graphs.iter().filter_map(|graph| graph[key].as_u64());
        let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        Cell::text(if least == most { most.to_string() } else { format!("{least} to {most}") })
    };
    for record in results.records() {
        let Some(name) = record.experiment.strip_prefix(LEVELS) else { continue };
        let direction = name.strip_prefix("files").unwrap_or_default();
        let entries = record.entries();
        let collections: BTreeSet<&str> = entries.iter().map(|graph| text(graph, "collection")).collect();
        for collection in collections {
            let of_collection = entries.iter().copied().filter(|graph| graph["collection"] == collection);
            let (refused, graphs): (Vec<&Value>, Vec<&Value>) =
                of_collection.partition(|graph| !graph["refused"].is_null());
            let directed = graphs.iter().filter(|graph| graph["directed"] == true).count();
            let levels: u64 = graphs.iter().filter_map(|graph| graph["levels"].as_u64()).sum();
            let file = |graph: &&Value| {
                Path::new(text(graph, "graph")).file_name().map(|it| it.to_string_lossy().into_owned())
            };
            data.rows.push(vec![
                Cell::text(format!("{collection}{direction}")),
                Cell::whole(graphs.len() as u64),
                Cell::whole(directed as u64),
                range(&graphs, "nodes"),
                range(&graphs, "edges"),
                Cell::whole(levels),
                Cell::text(refused.iter().filter_map(file).collect::<Vec<_>>().join(", ")),
            ]);
        }
    }
    let judged = super::judged(results, "fifteen");
    let sizes =
        ["graphs", "searches", "levels"].map(|it| judged.and_then(|judged| number(judged, &format!("/table/{it}"))));
    let together = match sizes {
        [Some(graphs), Some(searches), Some(levels)] => {
            format!(
                " Together {graphs} graphs, {searches} searches and {levels} levels: a file is one graph, however \
                 its edges are read."
            )
        }
        _ => String::new(),
    };
    let sets = ["training", "tuning", "test"].map(|set| list(judged, set).len());
    let divided = format!(
        " Trees are grown on {} of the graphs, their size is chosen by {}, and {} judge them.",
        sets[0], sets[1], sets[2]
    );
    let divided = if sets[2] > 0 { divided } else { String::new() };
    Part {
        name: "graphs",
        title: "The graphs".into(),
        text: format!("The levels of searches on these graphs were measured in all variants.{together}{divided}"),
        data,
        chart: None,
        findings: Vec::new(),
    }
}

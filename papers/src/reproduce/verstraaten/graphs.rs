//! The graphs whose levels are measured: generated ones of several kinds and sizes, and all files of a folder.

use super::{FIFTEEN, judged, number, text};
use crate::reproduce::{
    experiment::{Setting, entries, folders},
    finding::Part,
    results::Results,
};
use evenkeel::graph::formats::Format;
use evenkeel_cli::report::html::{Cell, Data};
use serde_json::Value;
use std::path::{Path, PathBuf};

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
    ("star", &["star:nodes=200", "star:nodes=1500"], &["star:nodes=5000", "star:nodes=50000", "star:nodes=200000"]),
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
        options: setting.pick("--sources 2 --max-levels 6", "--sources 20 --max-levels 24").to_owned(),
    });
    let mut all: Vec<Measured> = generated.collect();
    let files = setting.data.as_deref().map(files).unwrap_or_default();
    for direction in ["directed", "undirected"].into_iter().filter(|_| !files.is_empty()) {
        let options = setting.pick("--sources 1 --max-levels 6", "--sources 20 --max-levels 64");
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

/// The graphs that were measured, each with the direction that files were read in; those that were refused are among them.
pub fn measured(results: &Results) -> impl Iterator<Item = (&str, &Value)> {
    let of_levels = results.records().iter().filter_map(|it| Some((it.experiment.strip_prefix(LEVELS)?, it)));
    of_levels.flat_map(|(name, record)| {
        let direction = name.strip_prefix("files").unwrap_or_default();
        record.entries().into_iter().map(move |graph| (direction, graph))
    })
}

/// What was measured.
pub fn part(results: &Results) -> Part {
    let headings = ["collection", "graphs", "directed", "nodes", "edges", "searches", "whole", "levels", "left out"];
    let mut data = Data::new(&headings);
    let range = |graphs: &[&Value], key: &str| {
        let numbers = || graphs.iter().filter_map(|graph| graph[key].as_u64());
        let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
        Cell::text(if least == most { most.to_string() } else { format!("{least} to {most}") })
    };
    let sum = |graphs: &[&Value], key: &str| graphs.iter().filter_map(|graph| graph[key].as_u64()).sum::<u64>();
    let mut rows: Vec<((&str, &str), Vec<&Value>)> = Vec::new();
    for (direction, graph) in measured(results) {
        let of = (direction, text(graph, "collection"));
        match rows.iter_mut().find(|(other, _)| *other == of) {
            Some((_, graphs)) => graphs.push(graph),
            None => rows.push((of, vec![graph])),
        }
    }
    let (mut searches, mut whole) = (0, 0);
    for ((direction, collection), graphs) in rows {
        let (refused, graphs): (Vec<&Value>, Vec<&Value>) =
            graphs.into_iter().partition(|graph| !graph["refused"].is_null());
        let directed = graphs.iter().filter(|graph| graph["directed"] == true).count();
        let file =
            |graph: &&Value| Path::new(text(graph, "graph")).file_name().map(|it| it.to_string_lossy().into_owned());
        searches += sum(&graphs, "searches");
        whole += sum(&graphs, "whole_searches");
        data.rows.push(vec![
            Cell::text(format!("{collection}{direction}")),
            Cell::whole(graphs.len() as u64),
            Cell::whole(directed as u64),
            range(&graphs, "nodes"),
            range(&graphs, "edges"),
            Cell::whole(sum(&graphs, "searches")),
            Cell::whole(sum(&graphs, "whole_searches")),
            Cell::whole(sum(&graphs, "levels")),
            Cell::text(refused.iter().filter_map(file).collect::<Vec<_>>().join(", ")),
        ]);
    }
    let sizes = ["graphs", "levels"]
        .map(|it| judged(results, FIFTEEN).and_then(|it_is| number(it_is, &format!("/table/{it}"))));
    // What was kept before searches were counted has no number of them.
    let is_older = searches == 0;
    let protocol = if is_older {
        "The results that are kept are older than the protocol of this program: they have searches from six or three \
         nodes of each graph, and some of their levels."
    } else {
        "Here up to 20 nodes are drawn of each graph, and the shortest of five runs of a level counts, or one run \
         where it takes three times as long as the best."
    };
    let together = match sizes {
        [Some(graphs), Some(levels)] if is_older => format!(" Together {graphs} graphs and {levels} levels."),
        [Some(graphs), Some(levels)] => format!(
            " Together {graphs} graphs, {searches} searches and {levels} levels: a file is one graph, however its \
             edges are read. All levels of {whole} searches were measured; of the others, which have more levels \
             than are measured of a search, as many evenly."
        ),
        _ => String::new(),
    };
    Part {
        name: "graphs",
        title: "The graphs".into(),
        text: format!(
            "The levels of searches on these graphs were measured in all variants. The paper has 248 graphs of \
             KONECT, of up to 378,142,420 edges, with searches from 20 nodes of each and the average of 30 runs. \
             {protocol}{together}"
        ),
        data,
        chart: None,
        findings: Vec::new(),
    }
}

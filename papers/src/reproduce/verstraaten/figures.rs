//! Figs. 1 to 3: the implementations on single graphs, level by level, and against other programs.

use super::{Finding, PAPERS, Part, Results, judged, list, of_graphs, on_other_graphs, search, text};
use crate::reproduce::{experiment::Setting, finding::Range};
use evenkeel::strategy::adaptive::Implementation;
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Point, Series};
use serde_json::Value;

/// A collaboration graph, as is the one of Fig. 2.
const OF_LEVELS: [&str; 2] = ["com-dblp.tsv.gz", "com-dblp.ungraph.txt.gz"];

/// The graph of Fig. 2: one that the levels are measured of.
pub fn of_levels(setting: &Setting) -> String {
    let generated = || setting.pick("rmat:scale=8,edge-factor=4", "rmat:scale=18").to_owned();
    let stem = |file: String| {
        let name = file.rsplit('/').next().unwrap_or_default();
        name.split('.').next().unwrap_or_default().to_owned()
    };
    setting.file(&OF_LEVELS).map_or_else(generated, stem)
}

/// The name of an implementation with the count that the paper shows.
fn atomic(implementation: Implementation) -> String {
    format!("{implementation} atomic")
}

/// The times of the five implementations on a graph.
fn times(graph: &Value) -> Option<[f64; 5]> {
    let times = Implementation::TOPOLOGY_DRIVEN.map(|it| graph["variants"][atomic(it)].as_f64());
    let known: Vec<f64> = times.into_iter().flatten().collect();
    known.try_into().ok()
}

fn slowest(times: &[f64]) -> f64 {
    times.iter().copied().fold(0.0, f64::max)
}

fn fastest(times: &[f64]) -> f64 {
    times.iter().copied().fold(f64::INFINITY, f64::min)
}

/// So many graphs are shown.
const SHOWN: usize = 11;

/// Fig. 1: whole searches by each implementation, as parts of the slowest.
pub fn fig1(results: &Results) -> Part {
    let graphs = list(judged(results, PAPERS), "by_graph");
    let known: Vec<(&Value, [f64; 5])> = graphs.iter().filter_map(|graph| Some((graph, times(graph)?))).collect();
    let is_real = |graph: &Value| !text(graph, "graph").contains(':');
    let mut shown: Vec<_> = known.iter().filter(|(graph, _)| is_real(graph)).collect();
    shown.sort_by_key(|(graph, _)| std::cmp::Reverse(graph["edges"].as_u64()));
    // Files were read with each edge as it is listed and both ways; the reading with more edges comes first.
    let mut names = Vec::new();
    shown.retain(|(graph, _)| {
        let is_new = !names.contains(&text(graph, "graph"));
        names.push(text(graph, "graph"));
        is_new
    });
    shown.truncate(SHOWN);
    let implementations = Implementation::TOPOLOGY_DRIVEN;
    let headings = ["graph", "nodes", "edges"].into_iter().chain(implementations.map(Implementation::name));
    let mut data = Data::new(&headings.chain(["slowest over fastest"]).collect::<Vec<_>>());
    for (graph, times) in &shown {
        let mut row = vec![Cell::text(text(graph, "graph"))];
        row.extend(["nodes", "edges"].map(|key| Cell::maybe(graph[key].as_u64(), Cell::whole)));
        row.extend(times.map(|time| Cell::real(time / slowest(times), 4)));
        row.push(Cell::real(slowest(times) / fastest(times), 1));
        data.rows.push(row);
    }
    let series = implementations.into_iter().enumerate().map(|(place, implementation)| {
        let point =
            |(graph, times): &&(&Value, [f64; 5])| Point::named(text(graph, "graph"), times[place] / slowest(times));
        Series { name: implementation.name().to_owned(), points: shown.iter().map(point).collect() }
    });
    let ratios: Vec<f64> = known.iter().map(|(_, times)| slowest(times) / fastest(times)).collect();
    let from = |least: f64| ratios.iter().filter(|ratio| **ratio >= least).count();
    let far = (!ratios.is_empty()).then(|| {
        let here = format!(
            "10 times or more on {} of {} graphs, 100 times or more on {}, at most {:.0} times",
            from(10.0),
            ratios.len(),
            from(100.0),
            slowest(&ratios)
        );
        (from(10.0) > 0, here)
    });
    let title = "Fig. 1: searches by each implementation, as parts of the slowest";
    Part {
        name: "fig1",
        title: title.into(),
        text: "The mean time of a search of each graph by each implementation, with one atomic addition for each \
               discovery, as a part of the slowest implementation's. Shown are the largest graphs that are no \
               generated ones; of the paper's eleven there is one, web-NotreDame, as a matrix."
            .into(),
        data,
        chart: (!shown.is_empty())
            .then(|| Chart::bars(title, Axis::log("part of the slowest (log)"), series.collect())),
        findings: vec![of_graphs(
            "Across graphs, the worst implementation can take one to two orders of magnitude longer than the best",
            far,
        )],
    }
}

/// Fig. 2: the levels of a search by each implementation.
pub fn fig2(results: &Results) -> Part {
    let figure = judged(results, PAPERS).map(|judged| &judged["by_level"]).filter(|figure| figure.is_object());
    let levels = list(figure, "levels");
    let implementations = Implementation::TOPOLOGY_DRIVEN;
    let names: Vec<&str> = list(figure, "variants").iter().filter_map(Value::as_str).collect();
    let place = |implementation: Implementation| names.iter().position(|name| **name == *atomic(implementation));
    let time =
        |level: &Value, implementation: Implementation| level["microseconds"].get(place(implementation)?)?.as_f64();
    let headings: Vec<&str> =
        ["level", "frontier"].into_iter().chain(implementations.map(Implementation::name)).collect();
    let mut data = Data::new(&headings);
    for level in levels {
        let mut row = vec![Cell::maybe(level["level"].as_u64(), Cell::whole)];
        row.push(Cell::maybe(level["frontier"].as_f64(), |frontier| Cell::whole(frontier as u64)));
        row.extend(implementations.map(|it| Cell::maybe(time(level, it), |time| Cell::real(time, 1))));
        data.rows.push(row);
    }
    let series = implementations.map(|implementation| Series {
        name: implementation.name().to_owned(),
        points: levels
            .iter()
            .filter_map(|level| Some(Point::new(level["level"].as_f64()?, time(level, implementation)?)))
            .collect(),
    });
    let total = |implementation: Implementation| -> Option<f64> {
        levels.iter().map(|level| time(level, implementation)).sum()
    };
    let wins = levels.iter().filter(|level| {
        let push = time(level, Implementation::VertexPush);
        push.is_some() && implementations.into_iter().all(|other| time(level, other) >= push)
    });
    let wins = wins.count();
    let others = implementations.into_iter().filter(|it| *it != Implementation::VertexPush);
    let best = others.filter_map(|it| Some((it.name(), total(it)?))).min_by(|a, b| a.1.total_cmp(&b.1));
    let terrible = total(Implementation::VertexPush).zip(best).filter(|_| !levels.is_empty());
    let terrible = terrible.map(|(push, (name, best))| {
        let here = format!(
            "it is the fastest of {wins} of {} levels, and takes {:.2} times as long as {name} for all of them",
            levels.len(),
            push / best
        );
        (2 * wins > levels.len() && push > best, here)
    });
    let graph = figure.map_or("", |figure| text(figure, "graph"));
    let title = format!("Fig. 2: the levels of a search of {graph}");
    let chart = Chart {
        title: title.clone(),
        kind: Kind::Lines,
        x: Axis::whole("level"),
        y: Axis::log("time in µs (log)"),
        series: series.into(),
    };
    Part {
        name: "fig2",
        title: if graph.is_empty() { "Fig. 2: the levels of a search".into() } else { title },
        text: "The time in µs of each implementation on each level of a search. The paper shows actor-collaboration, \
               of 30,076,166 edges; this is another graph."
            .into(),
        data,
        chart: (!levels.is_empty()).then_some(chart),
        findings: vec![of_graphs(
            "Vertex push is the fastest of most levels, and so slow on a handful that all together take long",
            terrible,
        )],
    }
}

/// What other programs take, as it is kept for the measurements of the documentation.
const PEERS: &str = include_str!("../../../../docs/results/measurements/peers.json");

/// The milliseconds of a search by Gunrock, by the names of graphs.
pub fn gunrock() -> Vec<(String, f64)> {
    let peers: Value = serde_json::from_str(PEERS).unwrap_or_default();
    let is_it = |figure: &&Value| text(figure, "program").starts_with("Gunrock") && figure["algorithm"] == "bfs";
    let figure = list(Some(&peers), "figures").iter().find(is_it);
    let times = figure.and_then(|figure| figure["milliseconds"].as_object()).into_iter().flatten();
    times.filter_map(|(graph, time)| Some((graph.clone(), time.as_f64()?))).collect()
}

/// The device on which Gunrock was measured.
const GUNROCKS_DEVICE: &str = "H200";

/// Fig. 3: searches that switch, against Gunrock and LonestarGPU.
pub fn fig3(results: &Results) -> Part {
    let mut data =
        Data::new(&["graph", "Gunrock ms", "by the paper's model", "by a tree with lists", "Gunrock over the model"]);
    let (mut ratios, mut points) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    let mut is_same_device = true;
    for (graph, gunrock) in gunrock() {
        let Some(found) = search::found(results, &graph) else { continue };
        is_same_device &= found.device.contains(GUNROCKS_DEVICE);
        let [model, .., listed] = found.by_tree;
        let Some(model) = model else { continue };
        ratios.push(gunrock / model);
        for (points, time) in points.iter_mut().zip([Some(gunrock), Some(model), listed]) {
            points.extend(time.map(|time| Point::named(graph.as_str(), time)));
        }
        let time = |time: Option<f64>| Cell::maybe(time, |time| Cell::real(time, 3));
        data.rows.push(vec![
            Cell::text(&graph),
            time(Some(gunrock)),
            time(Some(model)),
            time(listed),
            Cell::real(gunrock / model, 2),
        ]);
    }
    let says = "The model is on average twice as fast as Gunrock";
    let mean = (!ratios.is_empty()).then(|| ratios.iter().sum::<f64>() / ratios.len() as f64);
    let faster = match is_same_device {
        true => {
            let slower = ratios.iter().filter(|ratio| **ratio < 1.0).count();
            let case = format!("in the mean over {} graphs, slower on {slower}", ratios.len());
            on_other_graphs(Finding::range(says, Range::about_times(2.0), &[(case, mean)]))
        }
        false => Finding::not_comparable(says, "Gunrock was measured on an H200, and this is another device"),
    };
    let names = ["Gunrock", "by the paper's model", "by a tree with lists"];
    let series = names.into_iter().zip(points).map(|(name, points)| Series { name: name.to_owned(), points });
    let title = "Fig. 3: searches that switch against Gunrock";
    let chart = Chart::bars(title, Axis::log("total time in ms (log)"), series.collect());
    Part {
        name: "fig3",
        title: title.into(),
        text:
            "Whole searches in ms, each edge both ways, from the node with the most edges. Gunrock's times are those \
               that the documentation's measurements keep, by the best of its schedules, of Gunrock 2; \
               which node it began at was not kept. The paper has 148 graphs of KONECT, and the Gunrock of its time."
                .into(),
        chart: mean.is_some().then_some(chart),
        data,
        findings: vec![
            faster,
            Finding::not_comparable(
                "Gunrock takes 2.9 times the optimum on average",
                "the optimum is a sum of levels that are timed one by one, and Gunrock's time is that of a whole search",
            ),
            Finding::not_comparable(
                "LonestarGPU takes 21 times the optimum, and the model is 15 times as fast",
                "no figures of LonestarGPU are kept",
            ),
        ],
    }
}

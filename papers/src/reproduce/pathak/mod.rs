//! Pathak et al., slides: three breadth-first searches, shortest paths with coarser threads, and all pairs in three ways.

mod all_pairs;
mod graphs;
mod paths;
mod searches;
#[cfg(test)]
mod tests;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Case, Finding, Order, Part},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use graphs::{Slide, label};

pub const PAPER: Paper = Paper {
    name: "pathak",
    cite: "Pathak, Raj, Chowdhury, Patra, Porwal, Agarwal, Poddar: Accelerating large graph algorithms on GPU using CUDA (slides)",
    device: "a GPU that the slides do not name",
    experiments,
    parts,
};

/// The numbers of the graphs, of searches and of all pairs.
const NUMBERS: [usize; 5] = [1, 2, 3, 4, 5];

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let mut list = Vec::new();
    for (number, slide) in NUMBERS.into_iter().zip(graphs::SEARCHES) {
        let graph = slide.graph(setting);
        list.extend(searches::experiments(setting, number, &graph));
        list.extend(paths::experiments(setting, number, &graph));
    }
    for (number, slide) in NUMBERS.into_iter().zip(graphs::ALL_PAIRS) {
        list.extend(all_pairs::experiments(setting, number, &slide.graph(setting)));
    }
    list.extend(all_pairs::densities(setting));
    list
}

fn parts(results: &Results) -> Vec<Part> {
    vec![searches::part(results), paths::part(results), all_pairs::part(results)]
}

/// A comparison of strategies on a graph. A file's edges are taken in both directions, as in the slides' numbers of edges.
fn compare(
    setting: &Setting,
    name: String,
    algorithm: &str,
    graph: &str,
    strategies: &[&str],
    runs: u32,
) -> Experiment {
    let check = setting.pick("", "--no-validate");
    let both = if graphs::is_file(graph) { "--undirected" } else { "" };
    let weights = if algorithm == "bfs" { "" } else { "--weights random:1..64" };
    let strategies = strategies.join(",");
    let command = format!(
        "compare {algorithm} {{}} {both} {weights} --strategies {strategies} --rounds 3 --runs {runs} --warmup 1 {check}"
    );
    Experiment::new(name, &command, &[graph])
}

/// A table and a chart of some strategies on five graphs, with more columns of times where there are others.
struct Table<'a> {
    name: &'static str,
    title: &'a str,
    text: &'a str,
    slides: &'a [Slide; 5],
    strategies: &'a [&'static str],
    more: Vec<(&'static str, Vec<Option<f64>>)>,
}

impl Table<'_> {
    fn part(self, results: &Results, findings: Vec<Finding>) -> Part {
        let Self { name, title, text, slides, strategies, more } = self;
        let mut headings = vec!["graph", "what was run", "nodes", "edges"];
        headings.extend(strategies);
        headings.extend(more.iter().map(|(heading, _)| *heading));
        let mut data = Data::new(&headings);
        let columns: Vec<(&str, Vec<Option<f64>>)> = strategies
            .iter()
            .map(|strategy| {
                (*strategy, NUMBERS.map(|number| results.time(&format!("{name} {number}"), strategy)).to_vec())
            })
            .chain(more)
            .collect();
        for (number, slide) in NUMBERS.into_iter().zip(slides) {
            let size = |what: &str| {
                let entry = results.get(&format!("{name} {number}"))?.entries().into_iter().next()?;
                entry.pointer(&format!("/graph/{what}"))?.as_u64()
            };
            let mut row = vec![Cell::text(slide.name(number)), Cell::text(label(results, name, number))];
            // Edges are counted once, as the slides count them.
            row.push(Cell::maybe(size("nodes"), Cell::whole));
            row.push(Cell::maybe(size("edges").map(|edges| edges / 2), Cell::whole));
            row.extend(columns.iter().map(|(_, times)| Cell::maybe(times[number - 1], |time| Cell::real(time, 3))));
            data.rows.push(row);
        }
        let series = columns.iter().map(|(strategy, times)| {
            let point = |number: usize| Some(Point::named(format!("graph {number}"), times[number - 1]?));
            Series { name: (*strategy).to_owned(), points: NUMBERS.into_iter().filter_map(point).collect() }
        });
        let chart = Chart::bars(title, Axis::log("total time in ms (log)"), series.collect());
        Part { name, title: title.into(), text: text.into(), data, chart: Some(chart), findings }
    }
}

/// One strategy beside others on some of the graphs.
fn orders<'a>(results: &Results, what: &str, own: &str, others: &[&'a str], graphs: &[usize]) -> Vec<Order<'a>> {
    let order = |number: &usize| {
        let time = |strategy: &str| results.time(&format!("{what} {number}"), strategy);
        Order {
            case: format!("on graph {number}"),
            own: time(own),
            others: others.iter().map(|other| (*other, time(other))).collect(),
        }
    };
    graphs.iter().map(order).collect()
}

/// How many times as fast one strategy is as another.
fn ratios(results: &Results, what: &str, own: &str, other: &str) -> Vec<Case> {
    let ratio = |number: usize| {
        let time = |strategy: &str| results.time(&format!("{what} {number}"), strategy);
        Some(time(other)? / time(own)?)
    };
    NUMBERS.map(|number| (format!("on graph {number}"), ratio(number))).to_vec()
}

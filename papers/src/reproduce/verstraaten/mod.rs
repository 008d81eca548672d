//! Verstraaten, Varbanescu, de Laat 2017: fifteen variants of breadth-first search on every level, and a decision tree that chooses one of
//! them for each. The levels of all graphs are measured first, in several tables; trees are grown from all of them, and then search.

mod accuracy;
mod collections;
mod figures;
mod graphs;
mod levels;
mod models;
mod search;
mod switching;
#[cfg(test)]
mod tests;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part, Substitutes, Verdict, percent},
    results::Results,
};
use serde_json::Value;

pub const PAPER: Paper = Paper {
    name: "verstraaten",
    cite: "Verstraaten, Varbanescu, de Laat: Using Graph Properties to Speed-up GPU-based Graph Traversal: A Model-driven Approach (2017)",
    device: "an NVIDIA TitanX, with 248 graphs of KONECT",
    experiments,
    parts,
};

/// The paper's model: of the five that its Table 2 shows, by Gini impurity and the four features of its best model, grown on 70 % of the
/// levels of all graphs.
const PAPERS: &str = "paper";
/// The tree by all features that the paper considers, in- and total degrees included.
const WIDE: &str = "paper-wide";
/// The tree for the fifteen variants.
const FIFTEEN: &str = "fifteen";
/// The paper's features, variants and criterion, but judged by graphs that the tree has not seen.
const UNSEEN: &str = "unseen";
/// A tree of ours: it is grown by what choices cost, and goes by all that is known.
const COST: &str = "cost";
/// The one that the strategy `adaptive` goes by, of the variants with lists.
const LISTED: &str = "listed";

/// The trees, and the options they are grown with.
const TREES: [(&str, &str); 6] = [
    (PAPERS, "--variants five --features paper-best --criterion gini --split levels --by-graph"),
    (WIDE, "--variants five --features paper --degrees all --criterion gini --split levels"),
    (FIFTEEN, "--variants fifteen --features paper-best --criterion gini --split levels"),
    (UNSEEN, "--variants five --features paper-best --criterion gini --leave-one-out"),
    (COST, "--variants five --leave-one-out"),
    (LISTED, "--leave-one-out"),
];

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let path = |name: String| setting.folder.join(name).to_string_lossy().into_owned();
    let tree = |name: &str| path(format!("{name}.tree"));
    let (mut list, mut tables) = (Vec::new(), Vec::new());
    for measured in graphs::all(setting) {
        let table = path(format!("levels-{}.parquet", measured.name.replace(' ', "-")));
        let places = vec!["{}"; measured.graphs.len()].join(" ");
        let command = format!("measure-levels {places} {} --output {{}}", measured.options);
        let words: Vec<&str> = measured.graphs.iter().map(String::as_str).chain([table.as_str()]).collect();
        list.push(Experiment::new(format!("levels {}", measured.name), &command, &words));
        tables.push(table);
    }
    let tables: Vec<&str> = tables.iter().map(String::as_str).collect();
    let places = vec!["{}"; tables.len()].join(" ");
    for (name, options) in TREES {
        let (tree, of_figure) = (tree(name), figures::of_levels(setting));
        let by_level = if name == PAPERS { "--by-level {}" } else { "" };
        let figure = (name == PAPERS).then_some(of_figure.as_str());
        let words: Vec<&str> = tables.iter().copied().chain(figure).chain([tree.as_str()]).collect();
        let command = format!("train {places} {options} {by_level} --output {{}}");
        list.push(Experiment::new(format!("train {name}"), &command, &words).after_others());
    }
    list.push(switching::experiment(setting, &tables, &tree(PAPERS)));
    list.extend(search::experiments(setting, tree));
    list
}

fn parts(results: &Results) -> Vec<Part> {
    vec![
        graphs::part(results),
        figures::fig1(results),
        figures::fig2(results),
        levels::fastest(results),
        levels::spread(results),
        levels::counting(results),
        models::table2(results),
        accuracy::part(results),
        models::unseen(results),
        figures::fig3(results),
        switching::predicting(results),
        switching::memory(results),
        collections::hard(results),
        collections::left_out(results),
        models::features(results),
        search::part(results),
    ]
}

/// What `train` said of a tree.
fn judged<'a>(results: &'a Results, tree: &str) -> Option<&'a Value> {
    Some(&results.get(&format!("train {tree}"))?.result).filter(|result| result.is_object())
}

/// A number of a JSON value, by its pointer.
fn number(value: &Value, pointer: &str) -> Option<f64> {
    value.pointer(pointer)?.as_f64()
}

/// The objects of a list in a JSON value.
fn list<'a>(value: Option<&'a Value>, key: &str) -> &'a [Value] {
    value.and_then(|value| value[key].as_array()).map_or(&[], Vec::as_slice)
}

/// A text in a JSON object.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

/// The line of one who chose, in a list of such lines.
fn score_of<'a>(judged: &'a Value, key: &str, name: &str) -> Option<&'a Value> {
    list(Some(judged), key).iter().find(|score| score["name"] == name)
}

/// A sentence that has a verdict of its own, and the numbers behind it.
fn verdict(says: &'static str, found: Option<(Verdict, String)>) -> Finding {
    let Some((verdict, here)) = found else { return Finding::new(says, None) };
    let mut finding = Finding::not_comparable(says, here);
    finding.verdict = verdict;
    finding
}

/// The finding, which is of graphs that the paper did not have.
fn on_other_graphs(finding: Finding) -> Finding {
    let reason = "the graphs are not the 248 of KONECT".to_owned();
    finding.on_substitutes(Some(Substitutes { graphs: Vec::new(), all: true, reason }))
}

/// A sentence about all graphs of KONECT, which holds or does not on those that stand for them.
fn of_graphs(says: &'static str, found: Option<(bool, String)>) -> Finding {
    on_other_graphs(Finding::new(says, found))
}

//! Verstraaten, Varbanescu, de Laat 2017: fifteen variants of breadth-first search on every level, and a decision tree that chooses one of
//! them for each. The levels of all graphs are measured first, in several tables; trees are grown from all of them, and then search.

mod graphs;
mod levels;
mod models;
mod search;
#[cfg(test)]
mod tests;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part, percent},
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

/// The trees: what each is for, and the options it is grown with. `listed` is the one that the strategy `adaptive` goes by.
const TREES: [(&str, &str); 4] = [
    ("fifteen", "--variants fifteen --leave-one-out"),
    ("gini", "--variants fifteen --criterion gini --leave-one-out"),
    ("degrees", "--variants fifteen --degrees all"),
    ("listed", "--leave-one-out"),
];

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let path = |name: String| setting.folder.join(name).to_string_lossy().into_owned();
    let (mut list, mut tables) = (Vec::new(), Vec::new());
    for measured in graphs::all(setting) {
        let table = path(format!("levels-{}.parquet", measured.name.replace(' ', "-")));
        let places = vec!["{}"; measured.graphs.len()].join(" ");
        let command = format!("measure-levels {places} {} --output {{}}", measured.options);
        let words: Vec<&str> = measured.graphs.iter().map(String::as_str).chain([table.as_str()]).collect();
        list.push(Experiment::new(format!("levels {}", measured.name), &command, &words));
        tables.push(table);
    }
    for (name, options) in TREES {
        let (places, tree) = (vec!["{}"; tables.len()].join(" "), path(format!("{name}.tree")));
        let words: Vec<&str> = tables.iter().map(String::as_str).chain([tree.as_str()]).collect();
        let command = format!("train {places} {options} --output {{}}");
        list.push(Experiment::new(format!("train {name}"), &command, &words).after_others());
    }
    list.extend(search::experiments(setting, |tree| path(format!("{tree}.tree"))));
    list
}

fn parts(results: &Results) -> Vec<Part> {
    vec![
        graphs::part(results),
        levels::fastest(results),
        levels::counting(results),
        models::table(results),
        levels::accuracy(results),
        models::collections(results),
        models::criteria(results),
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

/// The line of Table 2 of whoever chose.
fn score<'a>(judged: &'a Value, name: &str) -> Option<&'a Value> {
    list(Some(judged), "scores").iter().find(|score| score["name"] == name)
}

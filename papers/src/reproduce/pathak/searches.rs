//! Breadth-first search in three ways.

use super::{
    NUMBERS, Table, compare,
    graphs::{SEARCHES, judged},
    orders,
};
use crate::reproduce::{
    experiment::{Experiment, Setting},
    finding::{Finding, Part},
    results::Results,
};

const STRATEGIES: [&str; 4] = ["parallel", "queue", "scan", "auto"];

pub(super) fn experiments(setting: &Setting, number: usize, graph: &str) -> Vec<Experiment> {
    vec![compare(setting, format!("bfs {number}"), "bfs", graph, &STRATEGIES, 1)]
}

pub(super) fn part(results: &Results) -> Part {
    let order = |says, own, others: &[&str], numbers: &[usize]| {
        let finding = Finding::order(says, &orders(results, "bfs", own, others, numbers));
        judged(results, "bfs", numbers, finding)
    };
    let findings = vec![
        order("The parallel search gives the best results on all graphs", "parallel", &["queue", "scan"], &NUMBERS),
        order("The search with a queue does well on dense graphs (1 and 2), against scan", "queue", &["scan"], &[1, 2]),
        order(
            "The search with a scan does well on sparse graphs (3 to 5), against queue",
            "scan",
            &["queue"],
            &[3, 4, 5],
        ),
    ];
    let table = Table {
        name: "bfs",
        title: "Breadth-first search: three ways",
        text: "Algorithms 2 and 6 write distances with plain stores. Here they are atomic minima: several invocations may reach a node at the same \
               time, and in Vulkan's memory model plain stores to one place are then a data race, whose outcome is undefined even where all write the \
               same number.",
        slides: &SEARCHES,
        strategies: &STRATEGIES,
        more: Vec::new(),
    };
    table.part(results, findings)
}

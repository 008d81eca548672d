//! What is shown of an answer: figures, the entries that matter most, how the values are spread, a path. All of it follows from the columns of
//! the answer, by what they mean, and from its facts; an algorithm for which that is not enough is in the table `OVERRIDES`.

mod apsp;
mod color;
mod figure;
mod forest;
mod products;
mod structure;
mod summary;

pub use figure::{Figure, Figures};
#[doc(hidden)]
pub use figure::{four_digits, three_digits};
pub use summary::{Cell, FoundPath, Histogram, Listing, Show, Summary, ValueBin};

use crate::{
    algorithm::{Answer, ClassNames, Column, Fact, Meaning, SOURCES, Value, Values},
    graph::Graph,
    numerals::{counted, grouped},
    strategy::adaptive::{LevelSize, level_sizes},
};
use rayon::prelude::*;
use std::any::Any;
use summary::largest;

/// A run that has ended: what it was, and what it found.
#[derive(Clone, Copy)]
pub struct Outcome<'a> {
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The graph.
    pub graph: &'a Graph,
    /// What was found.
    pub answer: &'a dyn Answer,
    /// What the oracle found, where it was asked.
    pub reference: Option<&'a dyn Any>,
    /// The median time of a run in seconds.
    pub seconds: f64,
}

/// What is shown of one algorithm in place of the default.
struct Override {
    algorithm: &'static str,
    figures: Option<fn(&Outcome<'_>) -> Option<Figures>>,
    summary: Option<fn(&Outcome<'_>, &Show) -> Option<Summary>>,
}

/// All that is shown in another way than the default. A function returns `None` for an answer of another type, of which the default is shown.
const OVERRIDES: [Override; 8] = [
    Override { algorithm: "apsp", figures: Some(apsp::figures), summary: Some(apsp::summary) },
    Override { algorithm: "color", figures: Some(color::figures), summary: Some(color::summary) },
    Override { algorithm: "kcore", figures: Some(structure::core_figures), summary: Some(structure::core_summary) },
    Override { algorithm: "mst", figures: Some(forest::figures), summary: Some(forest::summary) },
    Override { algorithm: "pagerank", figures: Some(structure::rank_figures), summary: None },
    Override { algorithm: "spmm", figures: None, summary: Some(products::matrix_summary) },
    Override { algorithm: "spmv", figures: Some(products::figures), summary: Some(products::vector_summary) },
    Override {
        algorithm: "triangles",
        figures: Some(structure::triangle_figures),
        summary: Some(structure::triangle_summary),
    },
];

impl<'a> Outcome<'a> {
    /// The numbers worth showing.
    pub fn figures(&self) -> Figures {
        self.own().and_then(|own| own.figures?(self)).unwrap_or_else(|| self.default_figures())
    }

    /// What is shown beside the figures.
    pub fn summary(&self, show: &Show) -> Summary {
        self.own().and_then(|own| own.summary?(self, show)).unwrap_or_else(|| self.default_summary(show))
    }

    /// How much work each level of a search was; empty for what does not go level by level.
    pub fn levels(&self) -> Vec<LevelSize> {
        match self.answer.columns().first() {
            Some(Column { meaning: Meaning::Level, values: Values::U32(depths), .. }) => {
                level_sizes(&self.graph.csr, depths)
            }
            _ => Vec::new(),
        }
    }

    fn own(&self) -> Option<&'static Override> {
        OVERRIDES.iter().find(|own| own.algorithm == self.algorithm)
    }

    /// The answer, if it is of this type.
    fn answer_as<T: Answer>(&self) -> Option<&'a T> {
        let answer: &dyn Any = self.answer;
        answer.downcast_ref()
    }

    /// Figures of a run that went through all edges once.
    fn once_through(&self, list: Vec<Figure>) -> Figures {
        Figures { edges: self.graph.csr.edges(), list }
    }

    fn default_figures(&self) -> Figures {
        let columns = self.answer.columns();
        let mut figures = match columns.first() {
            Some(column) => match column.meaning {
                Meaning::Level | Meaning::Distance => self.reach(column),
                Meaning::Class(names) => self.classes(column, names),
                Meaning::Score | Meaning::Other => self.once_through(Vec::new()),
            },
            None => self.once_through(Vec::new()),
        };
        for Fact { name, value } in self.answer.facts() {
            let figure = match (name, value) {
                (SOURCES, Value::Count(sources)) => {
                    figures.edges *= sources;
                    let nodes = grouped(self.graph.csr.nodes().into());
                    Figure::new(SOURCES, value, "nodes")
                        .in_line(SOURCES, format!("{} of {nodes} nodes", grouped(sources)))
                }
                _ => Figure::new(name, value, "").in_line(name, value.to_string()),
            };
            figures.list.push(figure);
        }
        figures
    }

    /// How far a search came, and the edges that leave the nodes it reached.
    fn reach(&self, column: &Column<'_>) -> Figures {
        let csr = &self.graph.csr;
        // `None` is less than any value.
        let further = |a: Option<Value>, b: Option<Value>| if a > b { a } else { b };
        let of_node = |node: u32| match column.value(node as usize) {
            Some(value) => (1, u64::from(csr.degree(node)), Some(value)),
            None => (0, 0, None),
        };
        let (reached, edges, furthest) = (0..csr.nodes())
            .into_par_iter()
            .map(of_node)
            .reduce(|| (0, 0, None), |a, b| (a.0 + b.0, a.1 + b.1, further(a.2, b.2)));
        let nodes = format!("{} of {} nodes", grouped(reached), grouped(csr.nodes().into()));
        let mut list = vec![
            Figure::new("reached", Value::Count(reached), "nodes").in_line("reached", nodes),
            Figure::new("reached_edges", Value::Count(edges), "edges"),
        ];
        list.extend(
            furthest
                .map(|value| Figure::new("furthest", value, "").in_line("reached", format!("the furthest at {value}"))),
        );
        Figures { edges, list }
    }

    /// How many classes there are, and how large the largest is.
    fn classes(&self, column: &Column<'_>, names: ClassNames) -> Figures {
        let sizes = class_sizes(column);
        let (count, most) = (sizes.len() as u64, sizes.iter().map(|(_, nodes)| *nodes).max());
        let several = if count == 1 { names.one } else { names.several };
        let mut list = vec![
            Figure::new(names.several, Value::Count(count), names.several)
                .in_line("found", format!("{} {several}", grouped(count)))
                .in_column(names.several),
        ];
        list.extend(most.map(|nodes| {
            let text = format!("the largest of {}", counted(nodes, "node"));
            Figure::new(names.largest, Value::Count(nodes), "nodes").in_line("found", text)
        }));
        self.once_through(list)
    }

    fn default_summary(&self, show: &Show) -> Summary {
        let (columns, ids) = (self.answer.columns(), &self.graph.ids);
        let Some(column) = columns.first() else { return Summary::default() };
        let highest = || largest(column.values.len(), show.top, |node| column.value(node));
        match column.meaning {
            Meaning::Other => Summary::default(),
            Meaning::Score => {
                Summary { top: Listing::of_nodes("highest", column, highest(), ids), ..Summary::default() }
            }
            Meaning::Level | Meaning::Distance => Summary {
                histogram: Histogram::of(column),
                top: Listing::of_nodes("furthest", column, highest(), ids),
                path: show.target.map(|target| self.path(column, target)),
                ..Summary::default()
            },
            Meaning::Class(_) => {
                let sizes = class_sizes(column);
                let row = |place: usize| {
                    let (class, nodes) = sizes[place];
                    vec![Cell::Node(ids.name(class).into_owned()), Cell::Value(Value::Count(nodes))]
                };
                let rows = largest(sizes.len(), show.top, |place| Some(sizes[place].1)).into_iter().map(row).collect();
                Summary { top: Listing::new("largest", vec![column.name, "nodes"], rows), ..Summary::default() }
            }
        }
    }

    /// The path to `target`, of the length that the column says.
    fn path(&self, column: &Column<'_>, target: u32) -> FoundPath {
        let name = |node: u32| self.graph.ids.name(node).into_owned();
        let length = column.value(target as usize);
        let nodes = length.and_then(|_| self.answer.path(&self.graph.csr, target)).unwrap_or_default();
        let length = length.filter(|_| !nodes.is_empty());
        FoundPath { target: name(target), length, nodes: nodes.into_iter().map(name).collect() }
    }
}

/// The classes by the nodes that name them, in ascending order, with the number of nodes of each.
fn class_sizes(column: &Column<'_>) -> Vec<(u32, u64)> {
    let Values::Nodes(classes) = &column.values else { return Vec::new() };
    let mut sizes = vec![0u64; classes.len()];
    classes.iter().for_each(|&class| sizes[class as usize] += 1);
    (0..).zip(sizes).filter(|(_, size)| *size > 0).collect()
}

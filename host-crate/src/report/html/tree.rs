//! The page of a trained model: its tree, what decides in it, and how good it is on graphs that it has not seen.

use super::{
    Axis, Cell, Chart, Data, Kind, Page, Point, Section, Series,
    axis::{percent, short},
    chart::outline,
};
use crate::{
    strategy::adaptive::{Feature, Node},
    tuning::{Score, Trained},
};

/// The page of a model.
pub fn page(trained: &Trained) -> Page {
    Page::new("Decision tree of strategy adaptive", env!("CARGO_PKG_VERSION"))
        .fact("grown on", format!("{} graphs, {} levels", trained.grown_on.len(), trained.levels))
        .fact("held out", format!("{} graphs: {}", trained.held_out.len(), trained.held_out.join(", ")))
        .fact("accuracy", format!("{}, the best variant of a level or one as fast to 5 %", percent(trained.accuracy)))
        .fact(
            "speedup",
            format!("{:.2}, against the best single variant of the fifteen on each graph", trained.speedup),
        )
        .fact("gain by lists", format!("{:.2}, the optimum with lists against that of the fifteen", trained.lists_gain))
        .section(tree(trained))
        .section(importance(trained))
        .section(scores(trained))
}

/// A line of the tree: how deep it is, the answer that leads to it, and the test or the variant.
struct Line {
    depth: usize,
    answer: &'static str,
    text: String,
    is_leaf: bool,
}

fn lines(node: &Node, depth: usize, answer: &'static str, lines_so_far: &mut Vec<Line>) {
    let mut add = |text, is_leaf| lines_so_far.push(Line { depth, answer, text, is_leaf });
    match node {
        Node::Leaf(None) => add("as in the level before".to_owned(), true),
        Node::Leaf(Some(variant)) => add(variant.to_string(), true),
        Node::If { feature, threshold, at_most, more } => {
            add(format!("{} ≤ {}?", feature.name(), short(*threshold)), false);
            lines(at_most, depth + 1, "yes", lines_so_far);
            lines(more, depth + 1, "no", lines_so_far);
        }
    }
}

fn tree(trained: &Trained) -> Section {
    let mut all = Vec::new();
    lines(trained.model.root(), 0, "", &mut all);
    let drawn = all.iter().map(|line| {
        let answer = if line.answer.is_empty() { String::new() } else { format!("{}: ", line.answer) };
        (line.depth, format!("{answer}{}", line.text), line.is_leaf)
    });
    let drawn: Vec<_> = drawn.collect();
    let rows =
        all.iter().map(|line| vec![Cell::whole(line.depth as u64), Cell::text(line.answer), Cell::text(&line.text)]);
    Section::new("The tree")
        .text("From the top: the answer to each question leads to the next, and at the end to the variant by which a level is searched.")
        .picture(outline("Decision tree", &drawn))
        .data(Data::new(&["depth", "answer", "question or variant"]).rows(rows))
}

fn importance(trained: &Trained) -> Section {
    let mut features: Vec<(Feature, f64)> = Feature::ALL.into_iter().zip(trained.importance).collect();
    features.retain(|(_, importance)| *importance > 0.0);
    features.sort_by(|a, b| b.1.total_cmp(&a.1));
    let chart = Chart {
        title: "Importance of features".into(),
        kind: Kind::Bars,
        x: Axis::linear(""),
        y: Axis::shares("share of the cost that decisions by it save"),
        series: vec![Series {
            name: "importance".into(),
            points: features.iter().map(|(feature, importance)| Point::named(feature.name(), *importance)).collect(),
        }],
    };
    let rows = features
        .iter()
        .map(|(feature, importance)| vec![Cell::text(feature.name()), Cell::Number(percent(*importance), *importance)]);
    Section::new("Features").chart(&chart).data(Data::new(&["feature", "importance"]).rows(rows))
}

fn scores(trained: &Trained) -> Section {
    let point = |score: &Score| Point::named(&score.name, score.average());
    let mut points: Vec<Point> = trained.scores.iter().map(point).collect();
    // The first is the model itself.
    if let Some(model) = points.first_mut() {
        model.best = trained.scores.iter().all(|score| score.average() >= trained.scores[0].average());
    }
    let chart = Chart {
        title: "Times the optimum, on graphs that were held out".into(),
        kind: Kind::Bars,
        x: Axis::linear(""),
        y: Axis::ratios("average time over that of the best variants (log)"),
        series: vec![Series { name: "average".into(), points }],
    };
    let row = |score: &Score| {
        let shares = [(0.0, 1.0), (0.0, 1.05), (1.0, 2.0), (5.0, f64::INFINITY), (20.0, f64::INFINITY)];
        let shares =
            shares.map(|(above, up_to)| score.share(above, up_to)).map(|part| Cell::Number(percent(part), part));
        let factors = [score.average(), score.worst()].map(|factor| Cell::real(factor, 2));
        [Cell::text(&score.name)].into_iter().chain(shares).chain(factors).collect()
    };
    let headings = ["chosen by", "optimal", "to 5 %", "1–2×", "over 5×", "over 20×", "average", "worst"];
    Section::new("Held-out graphs")
        .text("What searches would have taken by these choices, against the best variant at every level.")
        .chart(&chart)
        .data(Data::new(&headings).rows(trained.scores.iter().map(row)))
}

//! The page of a trained model: its tree, what decides in it, and how good it is on graphs that it has not seen.

use super::{Accuracy, LeftOut, SHARES, Score, Trained, shown::COLUMNS};
use evenkeel::strategy::adaptive::Node;
use evenkeel_cli::report::html::{
    Axis, Cell, Chart, Data, Page, Point, Section, Series,
    axis::{percent, short},
    chart::outline,
};

/// The page of a model.
pub fn page(trained: &Trained) -> Page {
    let graphs = |names: &[String]| format!("{} graphs: {}", names.len(), names.join(", "));
    let within = percent(trained.accuracy.within_5_percent);
    let page = Page::new("Decision tree of strategy adaptive", env!("CARGO_PKG_VERSION"))
        .fact("measured on", trained.devices.join(", "))
        .fact(
            "grown on",
            format!("{} graphs, {} levels", trained.training.len() + trained.tuning.len(), trained.levels),
        )
        .fact("size chosen by", graphs(&trained.tuning))
        .fact("tested on", graphs(&trained.test))
        .fact("accuracy", format!("{within}, the best variant of a level or one as fast to 5 %"))
        .fact(
            "speedup",
            format!("{:.2}, against the best single variant of the fifteen on each graph", trained.speedup),
        )
        .fact("gain by lists", format!("{:.2}, the optimum with lists against that of the fifteen", trained.lists_gain))
        .section(tree(trained))
        .section(importance(trained))
        .section(scores(trained))
        .section(levels(trained));
    if trained.left_out.is_empty() { page } else { page.section(left_out(&trained.left_out)) }
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
        .text(
            "From the top: the answer to each question leads to the next, and at the end to the variant by which \
               a level is searched.",
        )
        .picture(outline("Decision tree", &drawn))
        .data(Data::new(&["depth", "answer", "question or variant"]).rows(rows))
}

fn importance(trained: &Trained) -> Section {
    let features = &trained.importance;
    let chart = Chart::bars(
        "Importance of features",
        Axis::shares("share of the cost that decisions by it save"),
        vec![Series {
            name: "importance".into(),
            points: features.iter().map(|(feature, importance)| Point::named(feature.name(), *importance)).collect(),
        }],
    );
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
    let chart = Chart::bars(
        "Times the optimum, on test graphs",
        Axis::ratios("average time over that of the best variants (log)"),
        vec![Series { name: "average".into(), points }],
    );
    let row = |score: &Score| {
        let shares = SHARES.map(|(_, range)| share(score.share(range)));
        let factors = [score.average(), score.worst()].map(|factor| Cell::real(factor, 2));
        [Cell::text(&score.name)].into_iter().chain(shares).chain(factors).collect()
    };
    let headings: Vec<&str> = ["chosen by"].into_iter().chain(COLUMNS).collect();
    Section::new("Test graphs")
        .text("What searches would have taken by these choices, against the best variant at every level.")
        .chart(&chart)
        .data(Data::new(&headings).rows(trained.scores.iter().map(row)))
}

fn share(part: f64) -> Cell {
    Cell::Number(percent(part), part)
}

fn levels(trained: &Trained) -> Section {
    let series = |name: &str, value: fn(&Accuracy) -> f64| Series {
        name: name.to_owned(),
        points: trained.accuracy_by_level.iter().map(|it| Point::named(&it.name, value(it))).collect(),
    };
    let chart = Chart::bars(
        "Levels that are searched in the best variant",
        Axis::shares("share of the levels of that number"),
        vec![series("the best", |it| it.best), series("or one as fast to 5 %", |it| it.within_5_percent)],
    );
    let row = |it: &Accuracy| {
        let shares = [it.best, it.within_5_percent, it.slower, it.lost].map(share);
        [Cell::text(&it.name), Cell::whole(it.levels as u64)].into_iter().chain(shares).collect()
    };
    let headings = ["level", "levels", "best", "to 5 %", "longer than the best", "lost"];
    Section::new("Levels of the test graphs")
        .text(
            "By the phase of a search, in which the frontier grows, is the largest or shrinks, and by the number \
             of the level. What is lost is what these choices add to the average of the model in the table above.",
        )
        .chart(&chart)
        .data(Data::new(&headings).rows(trained.accuracy_by_phase.iter().chain(&trained.accuracy_by_level).map(row)))
}

fn left_out(collections: &[LeftOut]) -> Section {
    let series = |(place, name): (usize, &str)| Series {
        name: name.to_owned(),
        points: collections.iter().map(|it| Point::named(&it.collection, it.scores[place].average())).collect(),
    };
    let chart = Chart::bars(
        "Times the optimum, on collections that the tree was not grown on",
        Axis::ratios("average time over that of the best variants (log)"),
        ["model", "best single variant of each graph"].into_iter().enumerate().map(series).collect(),
    );
    let row = |it: &LeftOut| {
        let factors = it.scores.iter().flat_map(|score| [score.average(), score.worst()]);
        let first = [Cell::text(&it.collection), Cell::whole(it.graphs as u64), share(it.within_5_percent)];
        first.into_iter().chain(factors.map(|factor| Cell::real(factor, 2))).collect()
    };
    let headings = ["collection", "graphs", "to 5 %", "average", "worst", "oracle", "oracle's worst"];
    Section::new("Collections left out")
        .text("Each collection by a tree that was grown on all others.")
        .chart(&chart)
        .data(Data::new(&headings).rows(collections.iter().map(row)))
}

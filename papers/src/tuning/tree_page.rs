//! The page of a trained model: its tree, what decides in it, and how good it is on graphs that it has not seen.

use super::{Accuracy, LeftOut, SHARES, Score, Split, Trained, shown::COLUMNS};
use evenkeel::strategy::adaptive::Node;
use evenkeel_cli::report::html::{
    Axis, Cell, Chart, Data, Page, Point, Section, Series,
    axis::{percent, short},
    chart::outline,
};

/// The page of a model.
pub fn page(trained: &Trained) -> Page {
    let graphs = |names: &[String]| match trained.split {
        Split::Graphs => format!("{} graphs: {}", names.len(), names.join(", ")),
        Split::Levels => format!("other levels of the same {} graphs", names.len()),
    };
    let within = percent(trained.accuracy.within_5_percent);
    let page = Page::new("Decision tree of strategy adaptive", env!("CARGO_PKG_VERSION"))
        .fact("measured on", trained.devices.join(", "))
        .fact("grown on", format!("{} graphs, {} levels", trained.grown_on(), trained.levels))
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

/// The lines of a tree from the top. However deep it is, the stack is not: what is still to be written waits in a list.
fn lines(root: &Node) -> Vec<Line> {
    let (mut lines, mut waiting) = (Vec::new(), vec![(root, 0, "")]);
    while let Some((node, depth, answer)) = waiting.pop() {
        let (text, is_leaf) = match node {
            Node::Leaf(None) => ("as in the level before".to_owned(), true),
            Node::Leaf(Some(variant)) => (variant.to_string(), true),
            Node::If { feature, threshold, at_most, more } => {
                // The last one is the next.
                waiting.extend([(&**more, depth + 1, "no"), (&**at_most, depth + 1, "yes")]);
                (format!("{} ≤ {}?", feature.name(), short(*threshold)), false)
            }
        };
        lines.push(Line { depth, answer, text, is_leaf });
    }
    lines
}

fn tree(trained: &Trained) -> Section {
    let all = lines(trained.model.root());
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
        format!("Times the optimum, on {}", trained.judged()),
        Axis::ratios("average time over that of the best variants (log)"),
        vec![Series { name: "average".into(), points }],
    );
    let row = |score: &Score| {
        let shares = SHARES.map(|(_, range)| share(score.share(range)));
        let factors = [score.average(), score.worst()].map(|factor| Cell::real(factor, 2));
        [Cell::text(&score.name)].into_iter().chain(shares).chain(factors).collect()
    };
    let headings: Vec<&str> = ["chosen by"].into_iter().chain(COLUMNS).collect();
    Section::new(if trained.split == Split::Graphs { "Test graphs" } else { "All graphs" })
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
    Section::new(if trained.split == Split::Graphs { "Levels of the test graphs" } else { "Levels to test" })
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

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::strategy::adaptive::Feature;

    #[test]
    fn a_tree_may_be_deeper_than_the_stack() {
        const DEPTH: usize = 1_000_000;
        let mut root = Node::Leaf(None);
        for threshold in 0..DEPTH {
            let at_most = Box::new(Node::Leaf(None));
            root = Node::If { feature: Feature::Frontier, threshold: threshold as f64, at_most, more: Box::new(root) };
        }
        let lines = lines(&root);
        assert_eq!(lines.len(), 2 * DEPTH + 1);
        assert_eq!((lines[0].depth, lines[1].answer, lines[2].answer), (0, "yes", "no"));
        assert!(lines[2 * DEPTH].depth == DEPTH && lines[2 * DEPTH].is_leaf);
        // Dropping it as a whole would be as deep as the tree.
        while let Node::If { more, .. } = root {
            root = *more;
        }
    }
}

//! Section 4.4: how often a tree is right, on levels of graphs that it has seen, which is what the paper shows, and on graphs that it has
//! not.

use super::{
    COST, FIFTEEN, PAPERS, Part, Results, UNSEEN, Verdict, judged, list, number, of_graphs, on_other_graphs, percent,
    text, verdict,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};

/// The trees, what they are called, and what judges them.
const SHOWN: [(&str, &str, &str); 4] = [
    (PAPERS, "the paper's: five variants, Gini", "other levels of the same graphs"),
    (FIFTEEN, "fifteen variants, Gini", "other levels of the same graphs"),
    (UNSEEN, "five variants, Gini", "graphs not seen"),
    (COST, "five variants, by cost, all features", "graphs not seen"),
];

fn share(value: Option<f64>) -> Cell {
    Cell::maybe(value, |share| Cell::Number(format!("{:.1} %", 100.0 * share), share))
}

/// The accuracy of trees.
pub fn part(results: &Results) -> Part {
    let headings =
        ["tree", "judged by", "levels of", "levels", "the fastest", "or within 5 %", "longer than the fastest", "lost"];
    let mut data = Data::new(&headings);
    let mut series = Vec::new();
    for (tree, name, judges) in SHOWN {
        let Some(judged) = judged(results, tree) else { continue };
        for line in [&judged["accuracy"]].into_iter().chain(list(Some(judged), "accuracy_by_phase")) {
            let mut row = vec![Cell::text(name), Cell::text(judges), Cell::text(text(line, "name"))];
            row.push(Cell::maybe(line["levels"].as_u64(), Cell::whole));
            row.extend(["best", "within_5_percent", "slower", "lost"].map(|key| share(line[key].as_f64())));
            data.rows.push(row);
        }
        let by_level = list(Some(judged), "accuracy_by_level").iter();
        let points = by_level.filter_map(|it| Some(Point::named(text(it, "name"), it["within_5_percent"].as_f64()?)));
        series.push(Series { name: format!("{name}, {judges}"), points: points.collect() });
    }
    let of = |tree: &str, key: &str| number(judged(results, tree)?, &format!("/accuracy/{key}"));
    let exactly = |tree: &str| of(tree, "best").zip(of(tree, "within_5_percent"));
    let right = exactly(PAPERS).map(|(best, within)| {
        let found = match (best >= 0.945, within >= 0.945) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::Direction,
            (false, false) => Verdict::Fails,
        };
        let other = |tree: &str, of_what: &str| {
            let found = exactly(tree);
            found.map_or_else(String::new, |(best, within)| {
                format!("; {} and {} {of_what}", percent(best), percent(within))
            })
        };
        let others = [other(FIFTEEN, "of fifteen variants"), other(UNSEEN, "on graphs that it has not seen")].concat();
        (found, format!("{}, and {} within 5 % of the fastest{others}", percent(best), percent(within)))
    });
    let slower = of(PAPERS, "slower").map(|slower| {
        let unseen = of(UNSEEN, "slower")
            .map_or_else(String::new, |it| format!("; {:.1} % on graphs that it has not seen", 100.0 * it));
        ((slower * 1000.0).round() <= 99.0, format!("{:.1} %{unseen}", 100.0 * slower))
    });
    let title = "Accuracy by level";
    let y = Axis::shares("levels with the fastest variant, or one within 5 % of it");
    Part {
        name: "accuracy",
        title: title.into(),
        text: "The paper grows its tree on 70 % of the levels and judges it by the other 30 %, which are levels of \
               graphs that it has seen. Trees that were judged so stand beside trees that were judged by graphs that \
               they have not seen. Variants that take the same time but for a few percent change places from run to \
               run: the share of levels with the fastest one is there as the paper has it, and with those within \
               5 % of it. What is lost is what the choices at these levels add to the average slowdown of a search."
            .into(),
        data,
        chart: (!series.is_empty()).then(|| Chart::bars(title, y, series)),
        findings: vec![
            on_other_graphs(verdict(
                "On the 30 % of the levels that it was not grown on, the model predicts the fastest variant for 95 % \
                 (in direction: the fastest or one within 5 % of it)",
                right,
            )),
            of_graphs("There the chosen variant takes at most 9.9 % longer than the fastest on average", slower),
        ],
    }
}

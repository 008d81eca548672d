//! How good trees are: Table 2 over all graphs, the same over graphs that a tree has not seen, and what trees go by.

use super::{
    COST, FIFTEEN, Finding, LISTED, PAPERS, Part, Results, UNSEEN, Verdict, WIDE, judged, list, number, of_graphs,
    on_other_graphs, percent, score_of, text, verdict,
};
use crate::reproduce::finding::Range;
use evenkeel::strategy::adaptive::Implementation;
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

/// The columns of Table 2: what they are called, and in JSON.
const COLUMNS: [(&str, &str); 5] = [
    ("optimal", "optimal"),
    ("within 5 %", "within_5_percent"),
    ("1–2×", "up_to_2"),
    ("over 5×", "over_5"),
    ("over 20×", "over_20"),
];

fn headings() -> Vec<&'static str> {
    ["chosen by"].into_iter().chain(COLUMNS.map(|(name, _)| name)).chain(["average", "worst"]).collect()
}

fn row(name: &str, score: &Value) -> Vec<Cell> {
    let shares = COLUMNS.iter().map(|(_, key)| {
        Cell::maybe(score[*key].as_f64(), |share| Cell::Number(format!("{:.1} %", 100.0 * share), share))
    });
    let factors = ["average", "worst"].map(|key| factor(score[key].as_f64()));
    [Cell::text(name)].into_iter().chain(shares).chain(factors).collect()
}

/// A ratio in a table.
pub(super) fn factor(value: Option<f64>) -> Cell {
    Cell::maybe(value, |factor| Cell::real(factor, 2))
}

fn averages(rows: &[(String, &Value)]) -> Vec<Point> {
    rows.iter().filter_map(|(name, score)| Some(Point::named(name.as_str(), score["average"].as_f64()?))).collect()
}

/// Table 2: the paper's model over the searches of all graphs, those that it was grown on included.
pub fn table2(results: &Results) -> Part {
    let all = |tree: &str, name: &str| score_of(judged(results, tree)?, "all_scores", name);
    let trees = [(PAPERS, "the paper's model"), (WIDE, "a model of all the paper's features"), (COST, "a cost tree")];
    let mut rows: Vec<(String, &Value)> =
        trees.iter().filter_map(|(tree, name)| Some(((*name).to_owned(), all(tree, "model")?))).collect();
    let others = list(judged(results, PAPERS), "all_scores").iter().filter(|score| score["name"] != "model");
    rows.extend(others.map(|score| (text(score, "name").to_owned(), score)));
    let mut data = Data::new(&headings());
    data.rows = rows.iter().map(|(name, score)| self::row(name, score)).collect();
    let title = "Table 2: against the best variant at every level, over all graphs";
    let points = averages(&rows);
    Part {
        name: "table2",
        title: title.into(),
        text: "How many times as long as with the best variant at every level the searches on all graphs take: by the \
               paper's model, by the best single variant of each graph (oracle), and by each of the five throughout. \
               As in the paper, the graphs include those whose levels the model was grown on, and the time of a \
               search is the sum of its levels, each timed by itself."
            .into(),
        data,
        chart: (!points.is_empty()).then(|| {
            Chart::bars(title, Axis::ratios("average (log)"), vec![Series { name: "average".into(), points }])
        }),
        findings: findings(results),
    }
}

fn findings(results: &Results) -> Vec<Finding> {
    let of = |name: &str, key: &str| score_of(judged(results, PAPERS)?, "all_scores", name)?[key].as_f64();
    let case = vec![("over all graphs".to_owned(), of("model", "average"))];
    let model = Finding::range("The model takes 1.40 times the optimum on average", Range::about_times(1.40), &case);
    let oracle = of("model", "average")
        .zip(of("oracle", "average"))
        .map(|(model, oracle)| (model < oracle, format!("{model:.2} times the optimum, the oracle {oracle:.2}")));
    let optimal = of("model", "optimal").zip(of("model", "within_5_percent")).map(|(optimal, within)| {
        let found = match (optimal >= 0.555, within >= 0.555) {
            (true, _) => Verdict::Holds,
            (false, true) => Verdict::Direction,
            (false, false) => Verdict::Fails,
        };
        (found, format!("{}, and {} within 5 % of the optimum", percent(optimal), percent(within)))
    });
    let near = of("model", "optimal")
        .zip(of("model", "up_to_2"))
        .map(|(optimal, up_to_2)| (optimal + up_to_2 >= 0.965, percent(optimal + up_to_2)));
    let single = |implementation: Implementation| {
        let name = implementation.name();
        Some((name, of(&format!("{name} atomic"), "average")?))
    };
    let each: Vec<(&str, f64)> = Implementation::TOPOLOGY_DRIVEN.into_iter().filter_map(single).collect();
    let numbers = || each.iter().map(|(name, average)| format!("{name} {average:.2}")).collect::<Vec<_>>().join(", ");
    let first = each.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let edge_list = first.map(|(name, _)| (*name == "edge-list", numbers()));
    let is_by_vertex = |(name, _): &&(&str, f64)| name.starts_with("vertex");
    let by_vertex: Vec<_> =
        each.iter().filter(is_by_vertex).map(|(name, average)| (format!("by {name}"), Some(*average))).collect();
    let vertex = "The three by vertex take 18 to 40 times the optimum";
    vec![
        on_other_graphs(model),
        of_graphs("That is less than the best single variant of each graph takes, 1.65 times", oracle),
        on_other_graphs(verdict("56 % of the searches are optimal (in direction: within 5 % of the optimum)", optimal)),
        of_graphs("97 % take at most twice the optimum", near),
        of_graphs("Of the single implementations the edge list is the best, with 2.22 times the optimum", edge_list),
        on_other_graphs(Finding::range(vertex, Range::times(18.0, 40.0), &by_vertex)),
    ]
}

/// The columns of Table 2 for graphs that a tree has not seen: the paper shows none of these.
pub fn unseen(results: &Results) -> Part {
    let trees = [
        (UNSEEN, "the paper's variants and features, by Gini impurity"),
        (COST, "the five, by cost, all features"),
        (LISTED, "the four with lists, by cost, all features"),
    ];
    let mut rows: Vec<(String, &Value)> = Vec::new();
    for (tree, name) in trees {
        let score = |who: &str| score_of(judged(results, tree)?, "scores", who);
        rows.extend(score("model").map(|score| (name.to_owned(), score)));
        if tree != UNSEEN {
            rows.extend(
                score("oracle")
                    .map(|score| (format!("the oracle of {}", name.split(',').next().unwrap_or(name)), score)),
            );
        }
    }
    let mut data = Data::new(&headings());
    data.rows = rows.iter().map(|(name, score)| self::row(name, score)).collect();
    let sets = ["training", "tuning", "test"]
        .map(|set| judged(results, UNSEEN).map_or(0, |it| it[set].as_array().map_or(0, Vec::len)));
    let size = judged(results, UNSEEN).and_then(|it| it.pointer("/size/depth")?.as_u64());
    let size = size.map_or_else(String::new, |depth| format!(" The first has at most {depth} decisions in a row."));
    let title = "Searches of graphs that a tree has not seen";
    let points = averages(&rows);
    Part {
        name: "unseen",
        title: title.into(),
        text: format!(
            "Not in the paper. Trees are grown on {} of the graphs, their size is chosen by {}, and the searches of {} \
             others judge them, times the optimum of the variants that each chooses from. A tree by Gini impurity \
             counts how often the best variant is chosen, a cost tree what is lost where it is not.{size}",
            sets[0], sets[1], sets[2]
        ),
        data,
        chart: (!points.is_empty()).then(|| {
            Chart::bars(title, Axis::ratios("average (log)"), vec![Series { name: "average".into(), points }])
        }),
        findings: Vec::new(),
    }
}

/// Section 4.2: what trees go by.
pub fn features(results: &Results) -> Part {
    let trees = [
        (PAPERS, "the paper's best four"),
        (WIDE, "all of the paper's, all degrees"),
        (FIFTEEN, "the best four, fifteen variants"),
        (COST, "cost tree, all features"),
    ];
    let importance = |tree: &str| judged(results, tree).and_then(|judged| judged["importance"].as_object());
    let mut names: Vec<&String> =
        trees.iter().filter_map(|(tree, _)| importance(tree)).flat_map(|it| it.keys()).collect();
    names.sort_unstable();
    names.dedup();
    let of = |tree: &str, name: &str| importance(tree).map(|it| it.get(name).and_then(Value::as_f64).unwrap_or(0.0));
    let together = |name: &str| trees.iter().filter_map(|(tree, _)| of(tree, name)).sum::<f64>();
    names.sort_by(|a, b| together(b).total_cmp(&together(a)));
    let headings: Vec<&str> = ["feature"].into_iter().chain(trees.map(|(_, title)| title)).collect();
    let mut data = Data::new(&headings);
    for name in &names {
        let share = |tree: &str| Cell::maybe(of(tree, name), |it| Cell::Number(format!("{:.1} %", 100.0 * it), it));
        data.rows.push([Cell::text(name)].into_iter().chain(trees.map(|(tree, _)| share(tree))).collect());
    }
    let series = trees.map(|(tree, title)| Series {
        name: title.to_owned(),
        points: names.iter().filter_map(|name| Some(Point::named(*name, of(tree, name)?))).collect(),
    });
    let slower = |tree: &str| number(judged(results, tree)?, "/accuracy/slower");
    let right = |tree: &str| number(judged(results, tree)?, "/accuracy/best");
    let enough = slower(PAPERS).zip(slower(WIDE)).zip(right(PAPERS).zip(right(WIDE)));
    let enough = enough.map(|((four, all), (right_four, right_all))| {
        let here = format!(
            "{} of the levels and {:.1} % longer than the fastest with the four, {} and {:.1} % with all",
            percent(right_four),
            100.0 * four,
            percent(right_all),
            100.0 * all
        );
        (1.0 + four <= (1.0 + all) * 1.01, here)
    });
    let title = "What trees go by";
    let y = Axis::shares("share of what decisions by it save");
    Part {
        name: "features",
        title: title.into(),
        text:
            "How much of what a tree saves is saved by decisions that go by a feature. The paper's best model goes by \
               four: the size of the graph, the part discovered, the out-degrees, and the nodes of the frontier. The \
               edges out of the frontier, which a cost tree may go by, are not among the paper's features."
                .into(),
        data,
        chart: (!names.is_empty()).then(|| Chart::bars(title, y, series.into())),
        findings: vec![of_graphs("The model of four features is the best of those that were trained", enough)],
    }
}

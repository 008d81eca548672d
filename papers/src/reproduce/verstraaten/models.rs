//! How good trees are: Table 2, on collections that they have not seen, by what they are grown, and what they go by.

use super::{Finding, Part, Results, judged, list, number, percent, score, text};
use evenkeel::strategy::adaptive::Implementation;
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

/// The columns of Table 2: what they are called, and in JSON.
const COLUMNS: [(&str, &str); 5] = [
    ("optimal", "optimal"),
    ("to 5 %", "within_5_percent"),
    ("1–2×", "up_to_2"),
    ("over 5×", "over_5"),
    ("over 20×", "over_20"),
];

fn row(name: &str, score: &Value) -> Vec<Cell> {
    let shares = COLUMNS.iter().map(|(_, key)| {
        Cell::maybe(score[*key].as_f64(), |share| Cell::Number(format!("{:.1} %", 100.0 * share), share))
    });
    let factors = ["average", "worst"].map(|key| factor(score[key].as_f64()));
    [Cell::text(name)].into_iter().chain(shares).chain(factors).collect()
}

fn factor(value: Option<f64>) -> Cell {
    Cell::maybe(value, |factor| Cell::real(factor, 2))
}

fn average(judged: Option<&Value>, name: &str) -> Option<f64> {
    score(judged?, name)?["average"].as_f64()
}

/// Table 2, among the fifteen. The paper's tree is grown by Gini impurity, so its sentences are held against such a tree.
pub fn table(results: &Results) -> Part {
    let [gini, cost] = ["gini", "fifteen"].map(|tree| judged(results, tree));
    let headings: Vec<&str> =
        ["chosen by"].into_iter().chain(COLUMNS.map(|(name, _)| name)).chain(["average", "worst"]).collect();
    let mut data = Data::new(&headings);
    data.rows.extend(gini.and_then(|gini| score(gini, "model")).map(|score| row("Gini tree", score)));
    data.rows.extend(cost.and_then(|cost| score(cost, "model")).map(|score| row("cost tree", score)));
    let others = list(cost, "scores").iter().filter(|score| score["name"] != "model");
    data.rows.extend(others.clone().map(|score| row(text(score, "name"), score)));
    let bars = [("Gini tree", average(gini, "model")), ("cost tree", average(cost, "model"))].into_iter();
    let bars = bars.chain(others.map(|score| (text(score, "name"), score["average"].as_f64())));
    let points: Vec<Point> = bars.filter_map(|(name, average)| Some(Point::named(name, average?))).collect();
    let by_cost = |text: String| if text.is_empty() { text } else { format!("; {text} by a cost tree") };

    let model = average(gini, "model").map(|gini| {
        let other = average(cost, "model").map_or_else(String::new, |cost| format!("{cost:.2}"));
        (gini <= 1.4, format!("{gini:.2} times{}", by_cost(other)))
    });
    let oracle = average(gini, "model").zip(average(gini, "oracle")).map(|(model, oracle)| {
        let other = average(cost, "model").map_or_else(String::new, |cost| format!("{cost:.2}"));
        (model < oracle, format!("{model:.2} times the optimum, the oracle {oracle:.2}{}", by_cost(other)))
    });
    let shares = |judged: Option<&Value>| {
        let line = score(judged?, "model")?;
        Some((line["optimal"].as_f64()?, line["optimal"].as_f64()? + line["up_to_2"].as_f64()?))
    };
    let optimal = shares(gini).map(|(optimal, _)| {
        (
            optimal >= 0.56,
            format!("{}{}", percent(optimal), by_cost(shares(cost).map_or_else(String::new, |it| percent(it.0)))),
        )
    });
    let near = shares(gini).map(|(_, near)| {
        (
            near >= 0.97,
            format!("{}{}", percent(near), by_cost(shares(cost).map_or_else(String::new, |it| percent(it.1)))),
        )
    });
    let best = |implementation: Implementation| best_count(cost?, implementation);
    let each: Vec<(&str, f64)> =
        Implementation::TOPOLOGY_DRIVEN.into_iter().filter_map(|it| Some((it.name(), best(it)?))).collect();
    let numbers = |each: &[(&str, f64)]| {
        each.iter().map(|(name, average)| format!("{name} {average:.2}")).collect::<Vec<_>>().join(", ")
    };
    let first = each.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let edge_list = first.map(|(name, _)| (*name == "edge-list", numbers(&each)));
    let by_vertex: Vec<(&str, f64)> = each.iter().copied().filter(|(name, _)| name.starts_with("vertex")).collect();
    let unsafe_ones =
        (!by_vertex.is_empty()).then(|| (by_vertex.iter().all(|(_, average)| *average >= 18.0), numbers(&by_vertex)));
    let title = "Table 2: against the best variant at every level";
    Part {
        name: "table2",
        title: title.into(),
        text: "How many times as long as with the best variant at every level the searches on the test graphs \
               take, by a tree that chooses, by the best single variant of each graph (oracle), and by each \
               variant throughout."
            .into(),
        data,
        chart: (!points.is_empty()).then(|| {
            Chart::bars(title, Axis::ratios("average (log)"), vec![Series { name: "average".into(), points }])
        }),
        findings: vec![
            Finding::new("The model takes 1.40 times the optimum on average", model),
            Finding::new("That is less than the best single variant of each graph takes, 1.65 times", oracle),
            Finding::new("56 % of the searches are optimal", optimal),
            Finding::new("97 % take at most twice the optimum", near),
            Finding::new(
                "Of the single implementations the edge list is the best, with 2.22 times the optimum",
                edge_list,
            ),
            Finding::new("The three by vertex take 18 to 40 times the optimum", unsafe_ones),
        ],
    }
}

/// The average of an implementation with the count that is best for it.
fn best_count(judged: &Value, implementation: Implementation) -> Option<f64> {
    let is_it =
        |score: &&Value| text(score, "name").rsplit_once(' ').is_some_and(|(name, _)| name == implementation.name());
    list(Some(judged), "scores").iter().filter(is_it).filter_map(|score| score["average"].as_f64()).reduce(f64::min)
}

/// A collection that was left out: its name, and the averages of the model and of the oracle.
fn left_out(judged: Option<&Value>) -> Vec<(&str, f64, f64)> {
    let of = |it: &'_ Value, place: usize| number(it, &format!("/scores/{place}/average"));
    list(judged, "left_out").iter().filter_map(|it| Some((text(it, "collection"), of(it, 0)?, of(it, 1)?))).collect()
}

fn plain_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0_f64), |(sum, count), value| (sum + value, count + 1.0));
    (count > 0.0).then_some(sum / count)
}

/// Section 4.4: collections that a tree has not seen.
pub fn collections(results: &Results) -> Part {
    let [gini, cost, listed] = ["gini", "fifteen", "listed"].map(|tree| judged(results, tree));
    let headings =
        ["collection", "graphs", "Gini tree", "cost tree", "oracle", "cost tree with lists", "oracle with lists"];
    let mut data = Data::new(&headings);
    let found = [gini, cost, listed].map(left_out);
    for (place, line) in list(cost, "left_out").iter().enumerate() {
        let of = |tree: usize| found[tree].get(place);
        data.rows.push(vec![
            Cell::text(text(line, "collection")),
            Cell::maybe(line["graphs"].as_u64(), Cell::whole),
            factor(of(0).map(|it| it.1)),
            factor(of(1).map(|it| it.1)),
            factor(of(1).map(|it| it.2)),
            factor(of(2).map(|it| it.1)),
            factor(of(2).map(|it| it.2)),
        ]);
    }
    let series = |name: &str, tree: usize, of: fn(&(&str, f64, f64)) -> f64| Series {
        name: name.to_owned(),
        points: found[tree].iter().map(|it| Point::named(it.0, of(it))).collect(),
    };
    let drawn =
        vec![series("Gini tree", 0, |it| it.1), series("cost tree", 1, |it| it.1), series("oracle", 1, |it| it.2)];
    let mean = |tree: usize, of: fn(&(&str, f64, f64)) -> f64| plain_mean(found[tree].iter().map(of));
    let worse = mean(0, |it| it.1).zip(average(gini, "model")).map(|(left_out, test)| {
        let by_cost = mean(1, |it| it.1).map_or_else(String::new, |it| format!("; {it:.2} by a cost tree"));
        let here = format!(
            "{left_out:.2} times the optimum, the mean over collections{by_cost}; {test:.2} on test \
                            graphs of known collections"
        );
        (left_out > test, here)
    });
    let slower = mean(0, |it| it.1).zip(mean(0, |it| it.2)).map(|(model, oracle)| {
        (
            model > oracle,
            format!(
                "{model:.2} times the optimum, the oracle {oracle:.2}: {:.2} times the oracle's time",
                model / oracle
            ),
        )
    });
    let title = "Collections that a tree has not seen";
    let y = Axis::ratios("average, times the optimum (log)");
    Part {
        name: "collections",
        title: title.into(),
        text: "Each collection, searched by a tree that was grown on all others: averages over its searches, times \
               the optimum. The paper did so with 19 graphs of SNAP."
            .into(),
        data,
        chart: (!found[1].is_empty()).then(|| Chart::bars(title, y, drawn)),
        findings: vec![
            Finding::new("On another collection the model does worse: 3 times the optimum instead of 1.40", worse),
            Finding::new("There it takes longer than the best single variant of each graph: twice as long", slower),
        ],
    }
}

/// A tree by cost against one by Gini impurity, and trees of the variants with lists.
pub fn criteria(results: &Results) -> Part {
    let trees = [
        ("gini", "Gini impurity, the fifteen"),
        ("fifteen", "cost, the fifteen"),
        ("degrees", "cost, the fifteen, all degrees"),
        ("listed", "cost, the four with lists"),
    ];
    let mut data = Data::new(&[
        "tree",
        "at most decisions",
        "a leaf for one graph of",
        "to 5 %, levels",
        "average",
        "worst",
        "left out",
        "times as fast as the best single of the fifteen",
    ]);
    let mut points = Vec::new();
    for (tree, name) in trees {
        let Some(judged) = judged(results, tree) else { continue };
        let model = score(judged, "model");
        let of = |key: &str| model.and_then(|model| model[key].as_f64());
        points.extend(of("average").map(|average| Point::named(name, average)));
        let whole = |pointer: &str| Cell::maybe(judged.pointer(pointer).and_then(Value::as_u64), Cell::whole);
        data.rows.push(vec![
            Cell::text(name),
            whole("/size/depth"),
            whole("/size/one_graph_of"),
            Cell::maybe(number(judged, "/accuracy/within_5_percent"), |it| Cell::text(percent(it))),
            factor(of("average")),
            factor(of("worst")),
            factor(plain_mean(left_out(Some(judged)).into_iter().map(|it| it.1))),
            factor(number(judged, "/speedup")),
        ]);
    }
    let title = "Trees by cost and by Gini impurity";
    let y = Axis::ratios("average on test graphs, times the optimum (log)");
    Part {
        name: "criteria",
        title: title.into(),
        text: "A Gini tree counts how often the best variant is chosen, a cost tree what is lost where it is not. \
               Times the optimum of the variants that a tree chooses from, on the test graphs; left out is the \
               mean over collections that the tree was grown without."
            .into(),
        data,
        chart: (!points.is_empty()).then(|| Chart::bars(title, y, vec![Series { name: "average".into(), points }])),
        findings: Vec::new(),
    }
}

/// Section 4.2: what trees go by.
pub fn features(results: &Results) -> Part {
    let trees = [
        ("gini", "Gini tree, out-degrees"),
        ("fifteen", "cost tree, out-degrees"),
        ("degrees", "cost tree, all degrees"),
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
    let enough = average(judged(results, "fifteen"), "model").zip(average(judged(results, "degrees"), "model"));
    let enough = enough.map(|(out, all)| {
        let is_other = |name: &str| name.starts_with("in-degree") || name.starts_with("total-degree");
        let others = names.iter().filter(|name| is_other(name)).filter_map(|name| of("degrees", name));
        let by_others = others.fold(0.0, |sum, share| sum + share);
        let here = format!(
            "{out:.2} times the optimum with out-degrees alone, {all:.2} with all degrees, where in- and total \
             degrees decide {} of what is saved",
            percent(by_others)
        );
        (out <= all * 1.01, here)
    });
    let title = "What trees go by";
    let y = Axis::shares("share of what decisions by it save");
    Part {
        name: "features",
        title: title.into(),
        text: "How much of what a tree saves is saved by decisions that go by a feature. The frontier's edges are \
               not among the paper's features."
            .into(),
        data,
        chart: (!names.is_empty()).then(|| Chart::bars(title, y, series.into())),
        findings: vec![Finding::new(
            "Out-degrees are enough: the best model goes by size, part discovered, out-degrees and frontier",
            enough,
        )],
    }
}

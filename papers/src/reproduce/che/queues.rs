//! Work stealing: Fig. 3 and Table I.

use super::{QUEUES, finer, listed, queued};
use crate::reproduce::{
    finding::{Finding, Part, less, percent},
    results::Results,
};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Point, Series};
use serde_json::Value;

/// Fig. 3: queues with stealing against the same without.
pub(super) fn stealing(results: &Results) -> Part {
    let time = |queues: u32, steal: bool| results.time("stealing", &queued(queues, steal));
    let label = |queues: u32| format!("{queues} queues");
    let series = [(false, "queues"), (true, "queues and stealing")].map(|(steal, name)| Series {
        name: name.into(),
        points: QUEUES.iter().filter_map(|it| Some(Point::named(label(*it), time(*it, steal)?))).collect(),
    });
    let mut data = Data::new(&["queues", "without stealing ms", "with stealing ms", "less time"]);
    let mut gains = Vec::new();
    for queues in QUEUES {
        let Some((without, with)) = time(queues, false).zip(time(queues, true)) else { continue };
        let gain = less(without, with);
        gains.push((format!("with {queues} queues"), gain));
        let times = [without, with].map(|time| Cell::real(time, 3));
        data.rows.push([vec![Cell::whole(queues)], times.into(), vec![Cell::text(percent(gain))]].concat());
    }
    let holds = |is_so: fn(f64) -> bool| {
        (!gains.is_empty()).then(|| (gains.iter().all(|(_, gain)| is_so(*gain)), listed(&gains, percent)))
    };
    let findings = vec![
        Finding::new("Work stealing is faster than queues alone", holds(|gain| gain > 0.0)),
        Finding::new("It gains less than 10 %", holds(|gain| gain < 0.1)),
    ];
    let title = "Fig. 3: work stealing against queues without stealing";
    let y = Axis::linear("total time in ms");
    let chart = Chart::bars(title, y, series.into());
    let text = "Colouring dip by random labels. Every workgroup has a queue, and all queues have the same number of elements of 64 nodes \
                at the beginning of an iteration.";
    Part { name: "fig3", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// What the workgroups of all queues took in a run, in elements.
fn taken(results: &Results, queues: u32) -> Option<Vec<f64>> {
    let list = results.get(&format!("queues {queues}"))?.result.pointer("/details/queues")?.as_array()?;
    let sum = |count: &Value| Some(count["popped"].as_f64()? + count["stolen"].as_f64()?);
    list.iter().map(sum).collect::<Option<Vec<f64>>>().filter(|list| !list.is_empty())
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The standard deviation.
fn deviation(values: &[f64]) -> f64 {
    let middle = mean(values);
    mean(&values.iter().map(|value| (value - middle).powi(2)).collect::<Vec<_>>()).sqrt()
}

/// Table I: what the queues' workgroups consumed.
pub(super) fn consumed(results: &Results) -> Part {
    let paper = ["75 to 81, mean 78 (2.45)", "37 to 41, mean 39 (1.28)", "18 to 22, mean 19.5 (0.92)"];
    let headings = ["queues", "the paper", "min", "max", "mean", "standard deviation", "of the mean", "stolen"];
    let mut data = Data::new(&headings);
    let mut spreads = Vec::new();
    let mut points = Vec::new();
    for (queues, paper) in QUEUES.into_iter().zip(paper) {
        let experiment = format!("queues {queues}");
        let iterations = results.get(&experiment).and_then(|it| it.result.pointer("/median/iterations")?.as_f64());
        let Some((taken, iterations)) = taken(results, queues).zip(iterations.filter(|it| *it > 0.0)) else { continue };
        let each: Vec<f64> = taken.iter().map(|it| it / iterations).collect();
        let (low, high) = each.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(*it), high.max(*it)));
        let (mean, sigma) = (mean(&each), deviation(&each));
        let list = results.get(&experiment).and_then(|it| it.result.pointer("/details/queues")?.as_array());
        let stolen: f64 = list.into_iter().flatten().filter_map(|count| count["stolen"].as_f64()).sum();
        spreads.push((format!("with {queues} queues"), sigma, mean));
        points.push(Point::named(format!("{queues} queues"), mean).between(low, high));
        let mut row = vec![Cell::whole(queues), Cell::text(paper)];
        row.extend([low, high, mean, sigma].map(|number| Cell::real(number, 2)));
        row.extend([sigma / mean, stolen / taken.iter().sum::<f64>()].map(|share| Cell::text(percent(share))));
        data.rows.push(row);
    }
    let shares: Vec<(&str, f64)> = spreads.iter().map(|(name, sigma, mean)| (name.as_str(), sigma / mean)).collect();
    let sigmas: Vec<(&str, f64)> = spreads.iter().map(|(name, sigma, _)| (name.as_str(), *sigma)).collect();
    let alike = (!shares.is_empty()).then(|| (shares.iter().all(|(_, share)| *share <= 0.05), listed(&shares, finer)));
    let falls = (sigmas.len() > 1)
        .then(|| (sigmas.windows(2).all(|pair| pair[1].1 < pair[0].1), listed(&sigmas, |it| format!("{it:.2}"))));
    let findings = vec![
        Finding::new("Queues are consumed almost evenly: the standard deviation is 3–5 % of the mean", alike),
        Finding::new("With more queues the standard deviation falls", falls),
    ];
    let title = "Table I: elements consumed per queue";
    let series = vec![Series { name: "elements".into(), points }];
    let y = Axis::linear("elements in an iteration: mean, least and most");
    let chart = Chart::bars(title, y, series);
    let text = "Elements that each queue's workgroup popped and stole in a run, divided by the number of its iterations. A device that \
                does not run all workgroups at the same time, as a CPU, lets the first ones take what belongs to the others.";
    Part { name: "table1", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

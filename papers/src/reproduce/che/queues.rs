//! Work stealing: Fig. 3 and Table I.

use super::{COUNTS, QUEUES, finer, judged, listed, queued};
use crate::reproduce::{
    finding::{Finding, Part, Range, less, percent},
    results::{Record, Results},
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
        let times = time(queues, false).zip(time(queues, true));
        gains.push((format!("with {queues} queues"), times.map(|(without, with)| less(without, with))));
        let Some((without, with)) = times else { continue };
        let gain = less(without, with);
        let times = [without, with].map(|time| Cell::real(time, 3));
        data.rows.push([vec![Cell::whole(queues)], times.into(), vec![Cell::text(percent(gain))]].concat());
    }
    let finding = Finding::range(
        "Work stealing is faster than queues alone, by less than 10 %",
        Range::percent(0.0, 10.0),
        &gains,
    );
    let findings = vec![judged(results, &["dip"], finding)];
    let title = "Fig. 3: work stealing against queues without stealing";
    let y = Axis::linear("total time in ms");
    let chart = Chart::bars(title, y, series.into());
    let text = "Colouring dip by random labels. Every workgroup has a queue, and all queues have the same number of elements of 256 nodes, one \
                for each invocation, at the beginning of an iteration.";
    Part { name: "fig3", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

/// What one queue's workgroup takes in an iteration, over the queues of a run.
struct Counted {
    least: f64,
    most: f64,
    mean: f64,
    deviation: f64,
    stolen: f64,
}

impl Counted {
    fn of(record: &Record) -> Option<Self> {
        let list = record.result.pointer("/details/queues")?.as_array()?;
        let iterations = record.result.pointer("/median/iterations")?.as_f64().filter(|count| *count > 0.0)?;
        let count = |count: &Value| Some([count["popped"].as_f64()?, count["stolen"].as_f64()?]);
        let counts: Vec<[f64; 2]> = list.iter().map(count).collect::<Option<_>>()?;
        let each: Vec<f64> = counts.iter().map(|[popped, stolen]| (popped + stolen) / iterations).collect();
        let middle = mean(&each);
        let squares: Vec<f64> = each.iter().map(|taken| (taken - middle).powi(2)).collect();
        let stolen: f64 = counts.iter().map(|[_, stolen]| stolen).sum();
        let all: f64 = counts.iter().flatten().sum();
        (all > 0.0).then(|| Self {
            least: each.iter().copied().fold(f64::INFINITY, f64::min),
            most: each.iter().copied().fold(0.0, f64::max),
            mean: middle,
            deviation: mean(&squares).sqrt(),
            stolen: stolen / all,
        })
    }

    /// How far a queue is from the mean at most, of the mean.
    fn furthest(&self) -> f64 {
        (self.most - self.mean).max(self.mean - self.least) / self.mean
    }

    /// The mean of several runs.
    fn mean_of(runs: &[Self]) -> Option<Self> {
        let of = |field: fn(&Self) -> f64| mean(&runs.iter().map(field).collect::<Vec<_>>());
        (!runs.is_empty()).then(|| Self {
            least: of(|run| run.least),
            most: of(|run| run.most),
            mean: of(|run| run.mean),
            deviation: of(|run| run.deviation),
            stolen: of(|run| run.stolen),
        })
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Table I: the least, the most, the mean and the standard deviation of what queues' workgroups consumed.
const TABLE: [[f64; 4]; 3] = [[75.0, 81.0, 78.0, 2.45], [37.0, 41.0, 39.0, 1.28], [18.0, 22.0, 19.5, 0.92]];

/// Table I: what the queues' workgroups consumed.
pub(super) fn consumed(results: &Results) -> Part {
    let headings = ["queues", "the paper", "runs", "min", "max", "mean", "standard deviation", "of the mean", "stolen"];
    let mut data = Data::new(&headings);
    let (mut deviations, mut furthest, mut points) = (Vec::new(), Vec::new(), Vec::new());
    for (queues, [least, most, middle, deviation]) in QUEUES.into_iter().zip(TABLE) {
        let records = (1..=COUNTS).filter_map(|count| results.get(&format!("queues {queues}, count {count}")));
        let runs: Vec<Counted> = records.filter_map(Counted::of).collect();
        let counted = Counted::mean_of(&runs);
        // As far from the mean as a queue of the paper's is at most.
        let bound = (most - middle).max(middle - least) / middle;
        let is_near = counted.as_ref().map(|it| {
            (it.furthest() <= bound, format!("{} of {} with {queues} queues", finer(it.furthest()), finer(bound)))
        });
        furthest.push((format!("with {queues} queues"), is_near));
        let Some(counted) = counted else { continue };
        deviations.push((format!("with {queues} queues"), counted.deviation));
        let point = Point::named(format!("{queues} queues"), counted.mean);
        points.push(point.between(counted.least, counted.most));
        let mut row = vec![Cell::whole(queues)];
        row.push(Cell::text(format!("{least} to {most}, mean {middle} ({deviation})")));
        row.push(Cell::whole(runs.len() as u64));
        let numbers = [counted.least, counted.most, counted.mean, counted.deviation];
        row.extend(numbers.map(|number| Cell::real(number, 2)));
        row.extend([counted.deviation / counted.mean, counted.stolen].map(|share| Cell::text(finer(share))));
        data.rows.push(row);
    }
    let falls = (deviations.len() == QUEUES.len()).then(|| {
        let here = listed(&deviations, |it| format!("{it:.2}"));
        (deviations.windows(2).all(|pair| pair[1].1 < pair[0].1), here)
    });
    let findings = vec![
        judged(
            results,
            &["dip"],
            Finding::each("No queue is further from the mean than the paper's 4, 5 and 13 % of it", furthest),
        ),
        judged(
            results,
            &["dip"],
            Finding::new("With more queues the standard deviation falls: 2.45, 1.28, 0.92 elements", falls),
        ),
    ];
    let title = "Table I: elements consumed per queue";
    let series = vec![Series { name: "elements".into(), points }];
    let y = Axis::linear("elements in an iteration: mean, least and most");
    let chart = Chart::bars(title, y, series);
    let text = "Elements that each queue's workgroup popped and stole in a run, divided by the number of its iterations; means of five runs, each after \
                others that do not count. An element is 256 nodes and in the paper 64, so that there are a quarter as many. A device that does not run \
                all workgroups at the same time, as a CPU, lets the first ones take what belongs to the others.";
    Part { name: "table1", title: title.into(), text: text.into(), data, chart: Some(chart), findings }
}

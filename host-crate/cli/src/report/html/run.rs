//! The page of a run: its time, where the time went, and its memory.

use super::{
    Axis, Cell, Chart, Data, Kind, Page, Point, Section, Series,
    axis::{percent, short},
};
use evenkeel::{
    device::memory::Bytes,
    report::{Profile, Report, RunReport, shown::three_digits},
};

/// The page of a report.
pub fn page(report: &Report) -> Page {
    let from = report.source.as_ref().map_or(String::new(), |source| format!(" from node {source}"));
    let chosen = report.method.as_ref().map_or(String::new(), |method| format!(", which chose {method}"));
    let ordered = report.ordered_by.map_or(String::new(), |by| format!(", nodes ordered by {by}"));
    let valid = match report.valid {
        Some(true) => "every value agrees with the sequential oracle",
        Some(false) => "the answer is wrong",
        None => "not checked",
    };
    let mut page = Page::new(format!("{} on {}", report.algorithm, report.graph.name), report.version)
        .fact("graph", &report.graph)
        .fact("device", format!("{} ({})", report.device.name, report.device.kind))
        .fact(report.algorithm, format!("with {} {}{chosen}{ordered}{from}", report.alternative, report.strategy));
    for (word, text) in report.lines_of_figures() {
        page = page.fact(word, text);
    }
    page = page
        .fact("time", format!("{} ms, {}", short(report.median.total_ms), count(report.runs.len(), "run")))
        .fact("rate", format!("{} MTEPS", three_digits(report.mteps)))
        .fact("memory", Bytes(report.memory_bytes))
        .fact("valid", valid);
    if let Some(profile) = &report.profile {
        page.sections.extend(levels(profile));
        page.sections.extend(steps(profile, report));
        page.sections.extend(kernels(profile));
    }
    page.section(runs(report)).section(memory(report))
}

fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The frontier of each level of a search.
fn levels(profile: &Profile) -> Option<Section> {
    let series = |name: &str, value: fn(&evenkeel::strategy::adaptive::LevelSize) -> u32| Series {
        name: name.to_owned(),
        points: profile.levels.iter().zip(0..).map(|(it, level)| Point::new(level.into(), value(it).into())).collect(),
    };
    let chart = Chart {
        title: "Frontier by level".into(),
        kind: Kind::Lines,
        x: Axis::whole("level"),
        y: Axis::log("nodes, edges"),
        series: vec![series("nodes of the frontier", |it| it.frontier), series("edges out of it", |it| it.edges)],
    };
    let row = |(level, it): (u64, &evenkeel::strategy::adaptive::LevelSize)| {
        let numbers = [level, it.frontier.into(), it.edges.into(), it.discovered.into()];
        numbers.map(Cell::whole).to_vec()
    };
    let data = Data::new(&["level", "frontier", "edges", "discovered"]).rows((0..).zip(&profile.levels).map(row));
    (!profile.levels.is_empty()).then(|| {
        Section::new("Frontier")
            .text("The nodes that are at each depth, and the edges out of them.")
            .chart(&chart)
            .data(data)
    })
}

/// The time of each step of the loop.
fn steps(profile: &Profile, report: &Report) -> Option<Section> {
    let steps = &profile.steps_ms;
    let points = steps.iter().zip(1..).map(|(time, step)| Point::new(f64::from(step), *time)).collect();
    let chart = Chart {
        title: "Device time by iteration".into(),
        kind: Kind::Lines,
        x: Axis::whole("iteration"),
        y: Axis::log("device time in ms"),
        series: vec![Series { name: "device time".into(), points }],
    };
    let data = Data::new(&["iteration", "device ms"])
        .rows((1u64..).zip(steps).map(|(step, time)| vec![Cell::whole(step), Cell::real(*time, 4)]));
    let mut section = Section::new("Iterations").text("The device time of each iteration of the last run.");
    let last = report.runs.last().map_or(0, |run| run.iterations as usize);
    if steps.len() < last {
        let more = format!("{last} iterations took {}", count(steps.len(), "step"));
        section =
            section.text(format!("{more}: this strategy does several in one dispatch, which is timed as a whole."));
    }
    // A single step is the run itself.
    (steps.len() > 1).then(|| section.chart(&chart).data(data))
}

fn kernels(profile: &Profile) -> Option<Section> {
    let points = profile.kernels.iter().map(|kernel| Point::named(&kernel.name, kernel.share)).collect();
    let chart = Chart::bars(
        "Device time by kernel",
        Axis::shares("share of the device time"),
        vec![Series { name: "share".into(), points }],
    );
    let data = Data::new(&["kernel", "calls", "total ms", "share"]).rows(profile.kernels.iter().map(|kernel| {
        let share = Cell::Number(percent(kernel.share), kernel.share);
        vec![Cell::text(&kernel.name), Cell::whole(kernel.calls), Cell::real(kernel.total_ms, 3), share]
    }));
    let text = "Over all timed runs. Each kernel was timed by itself, for which the device waits between them: without \
                that, runs are faster.";
    (!profile.kernels.is_empty()).then(|| Section::new("Kernels").text(text).chart(&chart).data(data))
}

/// More runs than these are a line, not bars.
const BARS: usize = 40;

fn runs(report: &Report) -> Section {
    let point = |number: u32, time| Point { label: format!("run {number}"), ..Point::new(number.into(), time) };
    let series = |name: &str, value: fn(&RunReport) -> f64| Series {
        name: name.to_owned(),
        points: (1..).zip(&report.runs).map(|(number, run)| point(number, value(run))).collect(),
    };
    let chart = Chart {
        title: "Time of each run".into(),
        kind: if report.runs.len() > BARS { Kind::Lines } else { Kind::Stacked },
        x: Axis::whole("run"),
        y: Axis::linear("time in ms"),
        series: vec![series("kernels", |run| run.kernel_ms), series("overhead", |run| run.overhead_ms)],
    };
    let row = |(number, run): (u64, &RunReport)| {
        let mut row = vec![Cell::whole(number)];
        row.extend([run.total_ms, run.kernel_ms, run.overhead_ms].map(|time| Cell::real(time, 3)));
        row.push(Cell::whole(run.iterations));
        row
    };
    let data = Data::new(&["run", "total ms", "kernel ms", "overhead ms", "iterations"])
        .rows((1..).zip(&report.runs).map(row));
    Section::new("Runs")
        .text("From the first submission until the answer is ready on the device; overhead is what of that the device was not busy.")
        .chart(&chart)
        .data(data)
}

fn memory(report: &Report) -> Section {
    let points = report.buffers.iter().map(|buffer| Point::named(&buffer.name, buffer.bytes as f64)).collect();
    let chart = Chart::bars(
        "Device memory by buffer",
        Axis::linear("size").written(|bytes| Bytes(bytes as u64).to_string()),
        vec![Series { name: "bytes".into(), points }],
    );
    let data = Data::new(&["buffer", "bytes"])
        .rows(report.buffers.iter().map(|buffer| vec![Cell::text(&buffer.name), Cell::whole(buffer.bytes)]));
    Section::new("Memory").text(format!("{} in all.", Bytes(report.memory_bytes))).chart(&chart).data(data)
}

//! Osama, Porumbescu, Owens 2023: sparse products under several schedules over a corpus of matrices, a heuristic that chooses one of
//! them, and the lines of code that a product takes.

mod corpus;
mod formats;

use super::{
    Paper,
    experiment::{Experiment, Setting},
    finding::{Finding, Part, Range, percent},
    results::Results,
};
use crate::tuning::geometric_mean;
use corpus::{MATRIX, Matrix, files, for_layouts, for_sparse_products, generated, measured};
use evenkeel::{engine::schedule::SmallMatrix, graph::Dimensions};
use evenkeel_cli::report::html::{Axis, Cell, Chart, Data, Kind, Point, Series};
use formats::{LAYOUTS, SPARSE, layouts, sparse_products};

pub const PAPER: Paper = Paper {
    name: "osama",
    cite: "Osama, Porumbescu, Owens: A Programming Model for GPU Load Balancing (2023)",
    device: "a Tesla V100, with nearly all matrices of the SuiteSparse collection",
    experiments,
    parts,
};

/// The schedules of the paper.
const THREE: [&str; 3] = ["thread-mapped", "group-mapped", "merge-path"];
/// The schedules that share work out while it is done.
const DYNAMIC: [&str; 2] = ["dynamic", "stealing"];
/// Every schedule: theirs, more static ones, and the dynamic ones.
const SCHEDULES: [&str; 8] = [
    "thread-mapped",
    "group-mapped",
    "merge-path",
    "merge-path-thread",
    "nonzero-split",
    "radix-binned",
    "dynamic",
    "stealing",
];
/// What chooses one of them.
const CHOOSING: [&str; 2] = ["auto", "paper"];
/// Merge-path as section 5.2.1 has it.
const PAPERS_MERGE_PATH: &str = "merge-path-thread";
/// Entries of a matrix from which on its bytes cost more than the dispatches.
const LARGE: u32 = 1_000_000;
/// How much may be due to chance where one time is held against another.
const MARGIN: f64 = 1.05;

fn experiments(setting: &Setting) -> Vec<Experiment> {
    let check = setting.pick("", "--no-validate");
    let runs = setting.pick("--runs 9 --warmup 2", "--runs 20 --warmup 3");
    let mut corpus = setting.data.as_deref().map(files).unwrap_or_default();
    corpus.extend(generated(setting).into_iter().map(|graph| (graph.clone(), graph)));
    let matrix = |(name, graph): &(String, String)| {
        let command = format!("compare spmv {{}} --strategies {} {runs} {check}", all().join(","));
        Experiment::new(format!("{MATRIX}{name}"), &command, &[graph])
    };
    let mut list: Vec<Experiment> = corpus.iter().map(matrix).collect();
    for layout in LAYOUTS {
        for graph in for_layouts(setting) {
            let schedules = SCHEDULES.join(",");
            // Always checked: that they are right is what is to be found.
            let command = format!("compare spmv {{}} --layout {layout} --strategies {schedules} {runs}");
            list.push(Experiment::new(format!("{layout} {graph}"), &command, &[graph]));
        }
    }
    for graph in for_sparse_products(setting) {
        let command = format!("compare spgemm {{}} --strategies {} {runs}", SCHEDULES.join(","));
        list.push(Experiment::new(format!("{SPARSE}{graph}"), &command, &[graph]));
    }
    list
}

/// All that a product with a vector is measured under.
fn all() -> Vec<&'static str> {
    [&SCHEDULES[..], &CHOOSING].concat()
}

fn parts(results: &Results) -> Vec<Part> {
    let corpus = measured(results);
    vec![
        overhead(&corpus),
        landscape(&corpus),
        means(&corpus),
        dynamic(&corpus),
        combined(&corpus),
        thresholds(&corpus),
        lines(),
        layouts(results),
        sparse_products(results),
    ]
}

/// A series of the corpus: a point for each matrix that has a number.
fn series(name: &str, corpus: &[Matrix<'_>], of: impl Fn(&Matrix<'_>) -> Option<f64>) -> Series {
    let point = |matrix: &Matrix<'_>| Some(Point::new(f64::from(matrix.entries.max(1)), of(matrix)?));
    Series { name: name.to_owned(), points: corpus.iter().filter_map(point).collect() }
}

fn points(title: &str, y: Axis, series: Vec<Series>) -> Option<Chart> {
    let x = Axis::log("entries (log)");
    let series: Vec<Series> = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    let any = !series.is_empty();
    any.then(|| Chart { title: title.into(), kind: Kind::Points, x, y, series })
}

fn times_axis() -> Axis {
    Axis::log("time in ms (log)")
}

/// A row for each matrix, with a number in each of some columns.
fn table(
    headings: &[&str],
    digits: usize,
    corpus: &[Matrix<'_>],
    of: impl Fn(&Matrix<'_>, &str) -> Option<f64>,
) -> Data {
    let row = |matrix: &Matrix<'_>| {
        let Dimensions { rows, columns } = matrix.dimensions;
        let size = [Cell::text(matrix.name), Cell::whole(rows), Cell::whole(columns), Cell::whole(matrix.entries)];
        let numbers = headings.iter().map(|it| Cell::maybe(of(matrix, it), |number| Cell::real(number, digits)));
        size.into_iter().chain(numbers).collect()
    };
    Data::new(&[&["matrix", "rows", "columns", "entries"], headings].concat()).rows(corpus.iter().map(row))
}

/// Fig. 2: merge-path against CUB's.
fn overhead(corpus: &[Matrix<'_>]) -> Part {
    let title = "Fig. 2: merge-path against CUB";
    let ratios = |schedule: &str| {
        corpus.iter().filter_map(|matrix| Some(matrix.time(schedule)? / matrix.other("cub")?)).collect::<Vec<f64>>()
    };
    // The paper's is the one that gives each thread an equal share.
    let (own, ours) = (ratios(PAPERS_MERGE_PATH), ratios("merge-path"));
    let mean = |ratios: &[f64]| geometric_mean(ratios.iter().copied());
    let large = |matrix: &&Matrix<'_>| matrix.entries >= LARGE;
    let large = corpus.iter().filter(large).filter_map(|it| Some(it.time("merge-path")? / it.other("cub")?));
    let large = geometric_mean(large)
        .map_or_else(String::new, |mean| format!(", {mean:.3} on those of a million entries or more"));
    let slowdown = mean(&own).zip(mean(&ours)).map(|(own, ours)| {
        let here = format!("{PAPERS_MERGE_PATH} {own:.3} times CUB's time, merge-path {ours:.3}{large}");
        (own <= 1.025, here)
    });
    let share =
        |ratios: &[f64]| ratios.iter().filter(|ratio| **ratio <= 1.0 / 0.9).count() as f64 / ratios.len() as f64;
    let near = (!own.is_empty()).then(|| {
        let [first, second] = [share(&own), share(&ours)];
        let here = format!(
            "{PAPERS_MERGE_PATH} on {} of {} matrices, merge-path on {}",
            percent(first),
            own.len(),
            percent(second)
        );
        (first >= 0.92, here)
    });
    let data = table(&[PAPERS_MERGE_PATH, "merge-path", "CUB"], 4, corpus, |matrix, heading| match heading {
        "CUB" => matrix.other("cub"),
        schedule => matrix.time(schedule),
    });
    let drawn = vec![
        series(PAPERS_MERGE_PATH, corpus, |matrix| matrix.time(PAPERS_MERGE_PATH)),
        series("merge-path", corpus, |matrix| matrix.time("merge-path")),
        series("CUB", corpus, |matrix| matrix.other("cub")),
    ];
    Part {
        name: "fig2",
        title: title.into(),
        text: "Milliseconds. As in the paper, merge-path-thread finds an equal share of rows and entries for each thread; merge-path finds one for \
               each workgroup, whose threads share it out. CUB's are those of cub.csv (columns matrix, milliseconds) in the folder of --data, where it is there.".into(),
        data,
        chart: points(title, times_axis(), drawn),
        findings: vec![
            Finding::new("Merge-path takes 2.5 % longer than CUB in the geometric mean", slowdown),
            Finding::new("92 % of the matrices reach at least 90 % of CUB's performance", near),
        ],
    }
}

/// Fig. 3: each schedule, against cuSPARSE.
fn landscape(corpus: &[Matrix<'_>]) -> Part {
    let title = "Fig. 3: the landscape of schedules";
    let wins = THREE.map(|schedule| {
        let is_fastest = |matrix: &&Matrix<'_>| matrix.fastest(&THREE).is_some_and(|(fastest, _)| fastest == schedule);
        corpus.iter().filter(is_fastest).count()
    });
    let here: Vec<String> = THREE.iter().zip(wins).map(|(schedule, wins)| format!("{schedule} on {wins}")).collect();
    let differ = (!corpus.is_empty()).then(|| {
        (wins.iter().filter(|wins| **wins > 0).count() > 1, format!("{} of {} matrices", here.join(", "), corpus.len()))
    });
    let headings = [&all()[..], &["cuSPARSE"]].concat();
    let of = |matrix: &Matrix<'_>, heading: &str| match heading {
        "cuSPARSE" => matrix.other("cusparse"),
        schedule => matrix.time(schedule),
    };
    let shown = [&THREE[..], &["cuSPARSE"]].concat();
    let drawn = shown.iter().map(|name| series(name, corpus, |matrix| of(matrix, name))).collect();
    Part {
        name: "fig3",
        title: title.into(),
        text: "Milliseconds in which the device was busy. cuSPARSE's are those of cusparse.csv (columns matrix, milliseconds) in the folder \
               of --data, where it is there."
            .into(),
        data: table(&headings, 4, corpus, of),
        chart: points(title, times_axis(), drawn),
        findings: vec![Finding::new("Which of the three schedules is fastest depends on the matrix", differ)],
    }
}

/// By how much each schedule is faster than each other.
fn means(corpus: &[Matrix<'_>]) -> Part {
    let title = "Geometric means of the schedules";
    let others = [&all()[..], &["cuSPARSE"]].concat();
    let time = |matrix: &Matrix<'_>, name: &str| match name {
        "cuSPARSE" => matrix.other("cusparse"),
        schedule => matrix.time(schedule),
    };
    let gain = |first: &str, second: &str| {
        let ratio = |matrix: &Matrix<'_>| Some(time(matrix, second)? / time(matrix, first)?);
        geometric_mean(corpus.iter().filter_map(ratio))
    };
    let mut data = Data::new(&[&["schedule"], &others[..]].concat());
    for first in all() {
        let mut row = vec![Cell::text(first)];
        row.extend(others.iter().map(|second| Cell::maybe(gain(first, second), |gain| Cell::real(gain, 2))));
        data.rows.push(row);
    }
    let text = "How many times as fast the schedule of a row is as that of a column, in the geometric mean over the matrices of both.";
    Part { name: "means", title: title.into(), text: text.into(), data, chart: None, findings: Vec::new() }
}

/// Schedules that share work out while it is done, which the abstract names beside static ones.
fn dynamic(corpus: &[Matrix<'_>]) -> Part {
    let gain = |matrix: &Matrix<'_>, schedule: &str| Some(matrix.fastest(&THREE)?.1 / matrix.time(schedule)?);
    let means: Vec<String> = DYNAMIC
        .iter()
        .filter_map(|schedule| {
            let gains: Vec<f64> = corpus.iter().filter_map(|matrix| gain(matrix, schedule)).collect();
            let ahead = gains.iter().filter(|gain| **gain > 1.0).count();
            let mean = geometric_mean(gains.iter().copied())?;
            Some(format!("{schedule} on {} matrices, faster than all of the three on {ahead}, {mean:.2} times as fast in the mean", gains.len()))
        })
        .collect();
    let serves = (means.len() == DYNAMIC.len()).then(|| (true, means.join("; ")));
    Part {
        name: "dynamic",
        title: "Dynamic schedules".into(),
        text: "How many times as fast a dynamic schedule is as the best of the three static ones. The paper has no figure of this; its abstract and \
               section 2 name dynamic schedules. Under dynamic a workgroup counts off the next chunk of rows; under stealing it has a queue of \
               chunks and takes from others' when its own is empty."
            .into(),
        data: table(&DYNAMIC, 2, corpus, gain),
        chart: points(
            "Dynamic schedules against the best static one",
            Axis::ratios("times as fast (log)"),
            DYNAMIC.iter().map(|schedule| series(schedule, corpus, |matrix| gain(matrix, schedule))).collect(),
        ),
        findings: vec![Finding::new("Static and dynamic schedules serve a kernel as it is", serves)],
    }
}

/// Fig. 4: the heuristic against cuSPARSE, against `auto` and against the best.
fn combined(corpus: &[Matrix<'_>]) -> Part {
    let title = "Fig. 4: the heuristic that chooses a schedule";
    let against = |matrix: &Matrix<'_>, other: &str| {
        let other = match other {
            "cuSPARSE" => matrix.other("cusparse")?,
            "the best of the three" => matrix.fastest(&THREE)?.1,
            "the best of all" => matrix.fastest(&all())?.1,
            schedule => matrix.time(schedule)?,
        };
        Some(other / matrix.time("paper")?)
    };
    let ratios = |other: &str| corpus.iter().filter_map(|matrix| against(matrix, other)).collect::<Vec<f64>>();
    let vendor = ratios("cuSPARSE");
    let gain = (format!("on {} matrices", vendor.len()), geometric_mean(vendor.iter().copied()));
    let peak = ("at most".to_owned(), vendor.iter().copied().reduce(f64::max));
    let best = ratios("the best of the three");
    let near = best.iter().filter(|ratio| **ratio * 1.1 >= 1.0).count();
    let chosen = geometric_mean(best.iter().copied()).zip(geometric_mean(ratios("auto"))).map(|(mean, auto)| {
        let here = format!(
            "{:.2} times the time of the best of the three, within 10 % of it on {near} of {} matrices; {:.2} times that of auto",
            1.0 / mean,
            best.len(),
            1.0 / auto
        );
        (mean * 1.1 >= 1.0, here)
    });
    let alone: Vec<(&str, f64)> =
        THREE.iter().filter_map(|schedule| Some((*schedule, geometric_mean(ratios(schedule))?))).collect();
    let listed: Vec<String> = alone.iter().map(|(name, gain)| format!("{gain:.2} times as fast as {name}")).collect();
    let together = (!alone.is_empty()).then(|| (alone.iter().all(|(_, gain)| gain * MARGIN >= 1.0), listed.join(", ")));
    let headings = ["cuSPARSE", "auto", "the best of the three", "the best of all"];
    let drawn = headings[..3].iter().map(|name| series(name, corpus, |matrix| against(matrix, name))).collect();
    Part {
        name: "fig4",
        title: title.into(),
        text: "How many times as fast the schedule paper is as what a column says; paper takes merge-path unless a matrix has fewer than 500 \
               rows and fewer than 10,000 entries, and then thread-mapped or group-mapped."
            .into(),
        data: table(&headings, 2, corpus, against),
        chart: points(title, Axis::ratios("times as fast (log)"), drawn),
        findings: vec![
            Finding::range(
                "The heuristic is 2.7 times as fast as cuSPARSE in the geometric mean",
                Range::about_times(2.7),
                &[gain],
            ),
            Finding::range("It is up to 39 times as fast", Range::about_times(39.0).with_digits(1), &[peak]),
            Finding::new("It selects the fastest of the three schedules", chosen),
            Finding::new("Schedules combined are as fast as each of them alone, or faster", together),
        ],
    }
}

/// What other thresholds of the heuristic would give, from the times of the schedules that they choose.
fn thresholds(corpus: &[Matrix<'_>]) -> Part {
    let ours = SmallMatrix::default();
    let limits = [
        SmallMatrix { alpha: 0, beta: 0 },
        ours,
        SmallMatrix { alpha: 5000, beta: 100_000 },
        SmallMatrix { alpha: 50_000, beta: 1_000_000 },
        SmallMatrix { alpha: 500_000, beta: 10_000_000 },
        SmallMatrix { alpha: u32::MAX, beta: u32::MAX },
    ];
    let cost = |limits: SmallMatrix| {
        let ratio = |matrix: &Matrix<'_>| {
            let choice = limits.choose(matrix.dimensions, matrix.entries.into()).to_string();
            Some(matrix.time(&choice)? / matrix.fastest(&THREE)?.1)
        };
        geometric_mean(corpus.iter().filter_map(ratio))
    };
    let costs: Vec<(SmallMatrix, f64)> = limits.iter().filter_map(|limits| Some((*limits, cost(*limits)?))).collect();
    let limit = |number: u32| if number == u32::MAX { Cell::text("no limit") } else { Cell::whole(number) };
    let rows = costs.iter().map(|(it, cost)| vec![limit(it.alpha), limit(it.beta), Cell::real(*cost, 2)]);
    let data = Data::new(&["alpha (rows)", "beta (entries)", "times the best of the three"]).rows(rows);
    let least = costs.iter().min_by(|a, b| a.1.total_cmp(&b.1));
    let own = costs.iter().find(|(limits, _)| *limits == ours);
    let suits = own.zip(least).map(|((_, own), (_, least))| {
        (
            *own <= least * MARGIN,
            format!("{own:.2} times the best of the three, {least:.2} with the best thresholds here"),
        )
    });
    Part {
        name: "thresholds",
        title: "The heuristic's thresholds".into(),
        text: "A matrix with fewer rows than alpha and fewer entries than beta is small (--alpha, --beta). The times are those of the \
               schedules that are chosen so."
            .into(),
        data,
        chart: None,
        findings: vec![Finding::new("alpha = 500 and beta = 10,000 suit the collection", suits)],
    }
}

/// The lines of merge-path itself and of all that schedules share, as docs/programming-model.md counts them.
const SCHEDULE_LINES: u32 = 990;

/// Lines of code by schedule: of CUB's kernel, of the paper's, and of the one here, which is the same for all. docs/programming-model.md
/// counts them with those of the schedules themselves.
const LINES: [(&str, Option<u32>, u32, u32); 3] =
    [("merge-path", Some(503), 36, 16), ("thread-mapped", Some(22), 21, 16), ("group-mapped", None, 30, 16)];

/// Table 1: lines of code.
fn lines() -> Part {
    let row = |(schedule, cub, paper, own): (&str, Option<u32>, u32, u32)| {
        vec![Cell::text(schedule), Cell::maybe(cub, Cell::whole), Cell::whole(paper), Cell::whole(own)]
    };
    let data = Data::new(&["schedule", "CUB", "the paper's", "here"]).rows(LINES.into_iter().map(row));
    let [(_, cub, _, merge_path), (_, _, _, thread_mapped), _] = LINES;
    let cub = cub.unwrap_or_default();
    let together = merge_path + SCHEDULE_LINES;
    let fewer = format!(
        "CUB's {cub} lines are of kernel and schedule, the paper's 36 of the kernel alone; here the kernel alone takes {merge_path}, {:.0} times fewer \
         than CUB's, and with merge-path and all that schedules share {together}, {:.1} times as many",
        f64::from(cub) / f64::from(merge_path),
        f64::from(together) / f64::from(cub)
    );
    let more = merge_path - thread_mapped;
    Part {
        name: "table1",
        title: "Table 1: lines of code of a product".into(),
        text: "The kernel that is written for a schedule; here one kernel serves all of them. Warp- and block-mapped are group-mapped:32 and \
               group-mapped:256."
            .into(),
        data,
        chart: None,
        findings: vec![
            Finding::not_comparable("A product by merge-path takes 14 times fewer lines than CUB's", fewer),
            Finding::new(
                "Merge-path needs about 15 lines more than thread-mapped",
                Some((more <= 15, format!("{more} more: the kernel is the same"))),
            ),
        ],
    }
}

#[cfg(test)]
mod tests;

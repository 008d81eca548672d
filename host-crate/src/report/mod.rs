//! What a run comes to, as a program reads it (`--json`) and as a person does ([`Report`]'s `Display`).
//!
//! Edges are counted as they are stored: an undirected edge is two. A rate is that of the edges that the algorithm says it
//! traversed, over the median time from the first submission until the answer is ready on the device; copying the graph there
//! and the answer back is not in it.

mod graph;
mod profile;
pub mod shown;
mod split;
pub mod summary;
#[cfg(test)]
mod testing;
#[cfg(feature = "cluster")]
pub mod workers;

pub use graph::GraphReport;
pub use profile::{BufferReport, KernelReport, Profile, buffers};
pub use split::SplitReport;

use self::shown::{Figures, Summary};
use crate::{algorithm::Run, device::DeviceInfo, graph::NodeName};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// One object for one command: what was run, on what, how long it took, and whether the answer is right.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The version of evenkeel.
    pub version: &'static str,
    /// The graph as the algorithm got it.
    pub graph: GraphReport,
    /// The device it ran on.
    pub device: DeviceInfo,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// What the algorithm calls its alternatives: `strategy` or `schedule`.
    #[serde(skip)]
    pub alternative: &'static str,
    /// The strategy's or schedule's name.
    pub strategy: String,
    /// The strategy or schedule that was run, where the one that was asked for chooses among the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// By what the nodes were ordered on the device, where they were not in the graph's own order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ordered_by: Option<&'static str>,
    /// Everything that was chosen for the algorithm, the strategy included.
    pub config: serde_json::Value,
    /// The own name of the node it began at, if it began at one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<NodeName<'static>>,
    /// The figures that the algorithm states, as fields of the object itself.
    #[serde(flatten)]
    pub figures: Figures,
    /// What is shown of the answer; none where many are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<Summary>,
    /// The time of making the strategy ready, the median where it was made ready several times.
    pub prepare_ms: PrepareReport,
    /// The time of fetching the answer from the device after the last run, the median likewise.
    pub fetch_ms: f64,
    /// The timed runs in order; runs to warm up are not among them.
    pub runs: Vec<RunReport>,
    /// The run with the median total; of an even number, the faster of the two in the middle.
    pub median: RunReport,
    /// Millions of traversed edges a second over the median total.
    pub mteps: f64,
    /// Bytes of device memory that the graph, the strategy and the answer took.
    pub memory_bytes: u64,
    /// The bytes of each buffer, which add up to `memory_bytes`.
    pub buffers: Vec<BufferReport>,
    /// Where the time went, where the steps of the device were timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// What the algorithm's options asked to tell of the last run, beside the answer.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub details: serde_json::Map<String, serde_json::Value>,
    /// What the sequential oracle took in milliseconds, where it was asked for this answer: of several strategies for the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oracle_ms: Option<f64>,
    /// Whether the answer agrees with the oracle's; null when it was not asked for.
    pub valid: Option<bool>,
}

/// The time of making a strategy ready before its first run, in milliseconds: uploading, splitting nodes, recording commands.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PrepareReport {
    /// All of it.
    pub total: f64,
    /// By phase; what is in no phase is in the total alone.
    #[serde(flatten)]
    pub parts: BTreeMap<String, f64>,
}

impl PrepareReport {
    /// The report of a preparation that took so long, with its parts in milliseconds.
    pub fn new(total: Duration, parts: BTreeMap<String, f64>) -> Self {
        Self { total: total.as_secs_f64() * 1e3, parts }
    }

    /// The medians of several preparations, of the total and of each phase by itself. A phase that one lacks took no time there.
    pub fn median(prepared: &[Self]) -> Self {
        let names: BTreeSet<&String> = prepared.iter().flat_map(|one| one.parts.keys()).collect();
        let part = |name: &String| {
            let times = prepared.iter().map(|one| one.parts.get(name).copied().unwrap_or_default());
            (name.clone(), median_of(times))
        };
        Self { total: median_of(prepared.iter().map(|one| one.total)), parts: names.into_iter().map(part).collect() }
    }
}

/// The times of one run. `total_ms` is `kernel_ms` and `overhead_ms` together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RunReport {
    /// The time from the first submission until the answer is ready on the device.
    pub total_ms: f64,
    /// The part of the total in which the device was busy.
    pub kernel_ms: f64,
    /// The rest of the total: submitting, waiting, reading the flag.
    pub overhead_ms: f64,
    /// How many times the loop went round.
    pub iterations: u32,
    /// The bytes of the graph that were copied to the device meanwhile; left out where none were.
    #[serde(skip_serializing_if = "is_zero")]
    pub streamed_bytes: u64,
}

fn is_zero(bytes: &u64) -> bool {
    *bytes == 0
}

impl From<Run> for RunReport {
    fn from(run: Run) -> Self {
        let milliseconds = |duration: Duration| duration.as_secs_f64() * 1e3;
        // The two are read from different clocks, so in a run without overhead either may be ahead of the other.
        let kernel = run.kernel.min(run.total);
        Self {
            total_ms: milliseconds(run.total),
            kernel_ms: milliseconds(kernel),
            overhead_ms: milliseconds(run.total - kernel),
            iterations: run.iterations,
            streamed_bytes: run.streamed_bytes,
        }
    }
}

/// The run with the median total, as in [`Report::median`]; none of none.
pub fn median(runs: &[RunReport]) -> Option<RunReport> {
    let mut sorted = runs.to_vec();
    sorted.sort_by(|a, b| a.total_ms.total_cmp(&b.total_ms));
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

/// The median of some times; of an even number, the shorter of the two in the middle, as in [`median`]. Of none it is 0.
pub fn median_of(times: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = times.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// Millions of edges a second, as in [`Report::mteps`].
pub fn mteps(edges: u64, total_ms: f64) -> f64 {
    edges as f64 / (total_ms * 1e3)
}

#[cfg(test)]
mod tests {
    use super::{
        testing::{example, product},
        *,
    };
    use crate::{algorithm::Value, report::shown::Figure};

    #[test]
    fn the_median_is_one_of_the_runs() {
        let run =
            |total_ms| RunReport { total_ms, kernel_ms: 0.0, overhead_ms: total_ms, iterations: 1, streamed_bytes: 0 };
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[run(3.0)]), Some(run(3.0)));
        assert_eq!(median(&[run(3.0), run(1.0)]), Some(run(1.0)));
        assert_eq!(median(&[run(3.0), run(1.0), run(2.0)]), Some(run(2.0)));
        assert_eq!(median(&[run(9.0), run(3.0), run(1.0), run(2.0)]), Some(run(2.0)));
    }

    #[test]
    fn preparations_have_a_median_of_each_phase() {
        let prepared = |total, parts: &[(&str, f64)]| PrepareReport {
            total,
            parts: parts.iter().map(|(name, time)| ((*name).to_owned(), *time)).collect(),
        };
        let cold = prepared(60.0, &[("uploading", 20.0), ("making staging memory", 9.0)]);
        let warm = [prepared(4.0, &[("uploading", 1.5)]), prepared(5.0, &[("uploading", 1.0)])];
        let median = PrepareReport::median(&[cold, warm[0].clone(), warm[1].clone()]);
        assert_eq!(median, prepared(5.0, &[("uploading", 1.5), ("making staging memory", 0.0)]));
        assert_eq!(PrepareReport::median(&warm).total, 4.0);
    }

    #[test]
    fn a_run_is_kernel_and_overhead() {
        let run = |total, kernel| {
            let duration = Duration::from_micros;
            RunReport::from(Run { total: duration(total), kernel: duration(kernel), iterations: 3, streamed_bytes: 0 })
        };
        assert_eq!(
            run(1500, 1000),
            RunReport { total_ms: 1.5, kernel_ms: 1.0, overhead_ms: 0.5, iterations: 3, streamed_bytes: 0 }
        );
        assert_eq!(run(1000, 1001).overhead_ms, 0.0);
    }

    #[test]
    fn a_million_edges_in_a_second_are_one_mteps() {
        assert_eq!(mteps(1_000_000, 1e3), 1.0);
        assert_eq!(Figure::gbytes_per_second(1_000_000_000, 1.0).value, Value::Double(1.0));
    }

    #[test]
    fn the_object_has_the_fields_that_programs_read() {
        let object = serde_json::to_value(example()).unwrap();
        assert_eq!(object["graph"]["self_loops_dropped"], 2);
        assert_eq!(object["device"]["kind"], "discrete");
        assert_eq!((&object["algorithm"], &object["strategy"]), (&"sssp".into(), &"node".into()));
        assert_eq!((&object["prepare_ms"]["total"], &object["prepare_ms"]["uploading"]), (&3.0.into(), &2.0.into()));
        assert_eq!((&object["fetch_ms"], object.get("details")), (&0.25.into(), None));
        assert_eq!(object["runs"][0]["overhead_ms"], 2.5);
        assert_eq!((&object["median"]["total_ms"], &object["mteps"]), (&2.0.into(), &9.5.into()));
        assert_eq!((&object["source"], &object["reached"]), (&7.into(), &5000.into()));
        assert_eq!((&object["furthest"], &object["valid"]), (&2.5.into(), &true.into()));
        let unasked = serde_json::to_value(Report { valid: None, ..example() }).unwrap();
        assert_eq!((&unasked["valid"], unasked.get("gbytes_per_s")), (&serde_json::Value::Null, None));
        let object = serde_json::to_value(product()).unwrap();
        assert_eq!((object.get("source"), &object["gbytes_per_s"]), (None, &2.5.into()));
    }
}

//! Time as devices measure it: spans on a clock that host and device share, a table by kernel, and a trace for a viewer.
//!
//! The trace is the JSON that `chrome://tracing` and <https://ui.perfetto.dev> open, with a row for the host and one for the
//! device.

use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    fmt, io,
    sync::LazyLock,
    time::{Duration, Instant},
};

/// The time on the host's clock, which all devices share. It begins when it is first read.
#[doc(hidden)]
pub fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}

/// Something that took time.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The name of the kernel or of the host's work.
    pub name: String,
    /// What it was part of: an iteration, a batch.
    pub label: String,
    /// On the host's clock, which begins with the program (`now`).
    pub start: Duration,
    /// How long it took.
    pub duration: Duration,
    /// Whether the device did it, or the host.
    pub on_device: bool,
}

/// Where the device's time went, the kernel with the most first. Prints as an aligned table.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct KernelTimes {
    /// One row a kernel.
    pub kernels: Vec<KernelTime>,
}

/// The time of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KernelTime {
    /// The kernel, or `fill`, `copy`, `read back`.
    pub name: String,
    /// How often it ran.
    pub calls: u64,
    /// All calls together.
    pub total: Duration,
    /// The share of all device time, between 0 and 1.
    pub share: f64,
    /// One call.
    pub mean: Duration,
}

impl KernelTimes {
    /// Adds up the device's spans; the host's are passed over.
    pub fn from_spans(spans: &[Span]) -> Self {
        let mut sums: HashMap<&str, (u64, Duration)> = HashMap::new();
        for span in spans.iter().filter(|span| span.on_device) {
            let (calls, total) = sums.entry(&span.name).or_default();
            *calls += 1;
            *total += span.duration;
        }
        let all: Duration = sums.values().map(|(_, total)| total).sum();
        let share = |total: Duration| if all.is_zero() { 0.0 } else { total.as_secs_f64() / all.as_secs_f64() };
        let kernel = |(name, (calls, total)): (&str, (u64, Duration))| {
            let (share, mean) = (share(total), total.div_f64(calls as f64));
            KernelTime { name: name.to_owned(), calls, total, share, mean }
        };
        let mut kernels: Vec<_> = sums.into_iter().map(kernel).collect();
        kernels.sort_by(|a, b| b.total.cmp(&a.total).then_with(|| a.name.cmp(&b.name)));
        Self { kernels }
    }
}

impl fmt::Display for KernelTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.kernels.iter().map(|kernel| kernel.name.as_str()).chain(["kernel"]);
        let width = names.map(|name| name.chars().count()).max().unwrap_or(0);
        writeln!(f, "{:<width$} {:>8} {:>12} {:>7} {:>12}", "kernel", "calls", "total ms", "share", "mean µs")?;
        for KernelTime { name, calls, total, share, mean } in &self.kernels {
            let (total, share, mean) = (total.as_secs_f64() * 1e3, share * 100.0, mean.as_secs_f64() * 1e6);
            writeln!(f, "{name:<width$} {calls:>8} {total:>12.3} {share:>6.1}% {mean:>12.2}")?;
        }
        Ok(())
    }
}

/// Writes `spans` as a trace; fails only when `writer` does. Device spans that follow each other under one label are also shown
/// as one, around them.
pub fn write_trace(writer: impl io::Write, spans: &[Span]) -> io::Result<()> {
    let mut events = vec![
        Event::naming("process_name", HOST, "evenkeel"),
        Event::naming("thread_name", HOST, "host"),
        Event::naming("thread_name", DEVICE, "device"),
    ];
    let mut device: Vec<_> = spans.iter().filter(|span| span.on_device).collect();
    device.sort_by_key(|span| span.start);
    for group in device.chunk_by(|a, b| a.label == b.label).filter(|group| !group[0].label.is_empty()) {
        let start = group[0].start;
        let end = group.iter().map(|span| span.start + span.duration).max().unwrap_or(start);
        events.push(Event::lasting(&group[0].label, "label", DEVICE, start, end - start));
    }
    events.extend(spans.iter().map(Event::of));
    serde_json::to_writer(writer, &Trace { trace_events: events, display_time_unit: "ms" }).map_err(io::Error::from)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Trace<'s> {
    trace_events: Vec<Event<'s>>,
    display_time_unit: &'static str,
}

/// The rows of the trace, by their number there.
const HOST: u32 = 1;
const DEVICE: u32 = 2;

/// One entry of the trace. The names are the format's own.
#[derive(Serialize)]
struct Event<'s> {
    name: &'s str,
    #[serde(skip_serializing_if = "str::is_empty")]
    cat: &'static str,
    ph: &'static str,
    pid: u32,
    tid: u32,
    ts: f64,
    dur: f64,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    args: BTreeMap<&'static str, &'s str>,
}

impl<'s> Event<'s> {
    fn of(span: &'s Span) -> Self {
        let (row, category) = if span.on_device { (DEVICE, "kernel") } else { (HOST, "host") };
        let mut event = Self::lasting(&span.name, category, row, span.start, span.duration);
        if !span.label.is_empty() {
            event.args.insert("label", &span.label);
        }
        event
    }

    fn lasting(name: &'s str, cat: &'static str, tid: u32, start: Duration, duration: Duration) -> Self {
        let [ts, dur] = [start, duration].map(|time| time.as_nanos() as f64 / 1e3);
        Self { name, cat, ph: "X", pid: 1, tid, ts, dur, args: BTreeMap::new() }
    }

    fn naming(what: &'static str, tid: u32, name: &'s str) -> Self {
        let args = BTreeMap::from([("name", name)]);
        Self { ph: "M", args, ..Self::lasting(what, "", tid, Duration::ZERO, Duration::ZERO) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn span(name: &str, label: &str, start: u64, duration: u64, on_device: bool) -> Span {
        let (start, duration) = (Duration::from_micros(start), Duration::from_micros(duration));
        Span { name: name.to_owned(), label: label.to_owned(), start, duration, on_device }
    }

    fn spans() -> Vec<Span> {
        vec![
            span("upload", "8 bytes", 0, 1_000, false),
            span("bfs_node", "level 1", 1_010, 100, true),
            span("fill", "level 1", 1_120, 50, true),
            span("bfs_node", "level 2", 1_200, 50, true),
        ]
    }

    #[test]
    fn kernels_are_added_up_and_the_host_is_not_one() {
        let times = KernelTimes::from_spans(&spans());
        let names: Vec<_> = times.kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["bfs_node", "fill"]);
        assert_eq!(times.kernels[0].calls, 2);
        assert_eq!(times.kernels[0].total, Duration::from_micros(150));
        assert_eq!(times.kernels[0].mean, Duration::from_micros(75));
        assert!((times.kernels[0].share - 0.75).abs() < 1e-9);
        assert_eq!(KernelTimes::from_spans(&[]), KernelTimes::default());
    }

    #[test]
    fn the_table_is_aligned() {
        let expected = "\
kernel      calls     total ms   share      mean µs
bfs_node        2        0.150   75.0%        75.00
fill            1        0.050   25.0%        50.00
";
        assert_eq!(KernelTimes::from_spans(&spans()).to_string(), expected);
    }

    #[test]
    fn the_trace_has_named_rows_and_every_span_in_microseconds() {
        let mut json = Vec::new();
        write_trace(&mut json, &spans()).unwrap();
        let trace: Value = serde_json::from_slice(&json).unwrap();
        let events = trace["traceEvents"].as_array().unwrap();
        let find = |name: &str| events.iter().filter(|event| event["name"] == name).collect::<Vec<_>>();

        let rows: Vec<_> = find("thread_name").iter().map(|row| (&row["tid"], &row["args"]["name"])).collect();
        assert_eq!(rows, [(&Value::from(1), &Value::from("host")), (&Value::from(2), &Value::from("device"))]);
        let kernels = find("bfs_node");
        assert_eq!(kernels.len(), 2);
        assert_eq!((&kernels[0]["ph"], &kernels[0]["tid"]), (&Value::from("X"), &Value::from(2)));
        assert_eq!((&kernels[0]["ts"], &kernels[0]["dur"]), (&Value::from(1_010.0), &Value::from(100.0)));
        assert_eq!(find("upload")[0]["tid"], 1);
        let level = find("level 1");
        assert_eq!((&level[0]["ts"], &level[0]["dur"]), (&Value::from(1_010.0), &Value::from(160.0)));
    }
}

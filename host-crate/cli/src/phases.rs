//! Where the host's time went: the phases that the library and the commands tell of ([`evenkeel::phase`]) are kept as they end, and
//! shown as a table beside that of the kernels.

use evenkeel::{
    device::profile::{self, Span},
    phase::PHASES,
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt,
    sync::{Mutex, MutexGuard, PoisonError},
    thread::{self, ThreadId},
    time::Duration,
};
use tracing::{
    Metadata, Subscriber,
    field::{Field, Visit},
    span::{Attributes, Id},
};
use tracing_subscriber::{
    Layer,
    filter::filter_fn,
    layer::{Context, Filter},
    registry::LookupSpan,
};

/// The phases that have ended, with the thread that did each.
static ENDED: Mutex<Vec<(ThreadId, Span)>> = Mutex::new(Vec::new());

fn ended() -> MutexGuard<'static, Vec<(ThreadId, Span)>> {
    ENDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The layer that keeps phases.
pub struct Keeper;

/// What it hears: phases and nothing else.
pub fn filter<S>() -> impl Filter<S> {
    filter_fn(|metadata: &Metadata<'_>| metadata.is_span() && metadata.target() == PHASES)
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Keeper {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let start = profile::now();
        let mut span = Span { name: String::new(), label: String::new(), start, duration: start, on_device: false };
        attributes.record(&mut Named(&mut span));
        if let Some(kept) = context.span(id) {
            kept.extensions_mut().insert(span);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        if let Some(mut span) = context.span(&id).and_then(|kept| kept.extensions_mut().remove::<Span>()) {
            span.duration = profile::now().saturating_sub(span.start);
            tracing::debug!("{}{} took {:.3} ms", span.name, after(&span.label), milliseconds(span.duration));
            ended().push((thread::current().id(), span));
        }
    }
}

/// A label as it stands after a name.
pub fn after(label: &str) -> String {
    if label.is_empty() { String::new() } else { format!(" {label}") }
}

/// Takes the name and the label of a phase from its fields.
struct Named<'a>(&'a mut Span);

impl Visit for Named<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "name" => self.0.name = value.to_owned(),
            "label" => self.0.label = value.to_owned(),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

/// What the host has done so far: a row for each phase and, below it, one for each kind of work within.
#[derive(Debug)]
pub struct HostTimes {
    rows: Vec<Row>,
    /// From the start of the program until now.
    all: Duration,
}

#[derive(Debug, PartialEq)]
struct Row {
    name: String,
    calls: u64,
    start: Duration,
    total: Duration,
    /// The number of phases that it is part of.
    depth: usize,
    /// Whether another thread did it meanwhile.
    beside: bool,
}

/// All phases that have ended, in the order of their beginnings.
pub fn spans() -> Vec<Span> {
    let mut spans: Vec<Span> = ended().iter().map(|(_, span)| span.clone()).collect();
    spans.sort_by_key(|span| span.start);
    spans
}

/// What this thread did from `start` on, in milliseconds by phase: those that are within no other that began then.
pub fn parts_since(start: Duration) -> BTreeMap<String, f64> {
    let caller = thread::current().id();
    let ended = ended();
    let own = ended.iter().filter(|(thread, span)| *thread == caller && span.start >= start).map(|(_, span)| span);
    let own: Vec<&Span> = own.collect();
    let is_within = |span: &Span, other: &Span| {
        (other.start, end_of(other)) != (span.start, end_of(span))
            && other.start <= span.start
            && end_of(span) <= end_of(other)
    };
    let mut parts = BTreeMap::new();
    for span in own.iter().filter(|span| !own.iter().any(|other| is_within(span, other))) {
        *parts.entry(span.name.clone()).or_default() += milliseconds(span.duration);
    }
    parts
}

/// The times until now, those that a device kept of the host's work included.
pub fn host_times(device_spans: &[Span]) -> HostTimes {
    let caller = thread::current().id();
    let kept = device_spans.iter().filter(|span| !span.on_device).map(|span| (caller, span.clone()));
    let spans: Vec<_> = ended().iter().cloned().chain(kept).collect();
    HostTimes::new(caller, spans, profile::now())
}

impl HostTimes {
    /// Arranges spans by thread and by what lies within what. `main` is the thread that waits for the others.
    fn new(main: ThreadId, spans: Vec<(ThreadId, Span)>, all: Duration) -> Self {
        let mut threads: HashMap<ThreadId, Vec<Span>> = HashMap::new();
        spans.into_iter().for_each(|(thread, span)| threads.entry(thread).or_default().push(span));
        let mut tops: Vec<Vec<Row>> = Vec::new();
        for (thread, mut spans) in threads {
            spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.duration)));
            let mut first = 0;
            while first < spans.len() {
                let end = end_of(&spans[first]);
                let within = spans[first + 1..].iter().take_while(|span| end_of(span) <= end).count();
                let mut rows = Vec::new();
                add_rows(&mut rows, &spans[first..=first + within], 0, thread != main);
                tops.push(rows);
                first += 1 + within;
            }
        }
        tops.sort_by_key(|rows| rows[0].start);
        Self { rows: tops.into_iter().flatten().collect(), all }
    }

    /// What no phase of the main thread accounts for.
    fn rest(&self) -> Duration {
        let top = |row: &&Row| row.depth == 0 && !row.beside;
        self.all.saturating_sub(self.rows.iter().filter(top).map(|row| row.total).sum())
    }
}

fn end_of(span: &Span) -> Duration {
    span.start + span.duration
}

/// Adds a row for each name among `spans`, which are in order, each followed by those within it.
fn add_rows(rows: &mut Vec<Row>, spans: &[Span], depth: usize, beside: bool) {
    // Of each name its row, and all that lies within its spans.
    let mut groups: Vec<(Row, Vec<Span>)> = Vec::new();
    let mut first = 0;
    while first < spans.len() {
        let span = &spans[first];
        let within = spans[first + 1..].iter().take_while(|inner| end_of(inner) <= end_of(span)).count();
        let place = groups.iter().position(|(row, _)| row.name == span.name).unwrap_or_else(|| {
            let (name, start) = (span.name.clone(), span.start);
            groups.push((Row { name, calls: 0, start, total: Duration::ZERO, depth, beside }, Vec::new()));
            groups.len() - 1
        });
        let (row, inner) = &mut groups[place];
        row.calls += 1;
        row.total += span.duration;
        inner.extend_from_slice(&spans[first + 1..=first + within]);
        first += 1 + within;
    }
    for (row, inner) in groups {
        rows.push(row);
        add_rows(rows, &inner, depth + 1, beside);
    }
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

impl fmt::Display for HostTimes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |row: &Row| format!("{}{}{}", "  ".repeat(row.depth), row.name, if row.beside { " *" } else { "" });
        let names: Vec<String> = self.rows.iter().map(name).collect();
        let width = names.iter().map(|name| name.chars().count()).chain(["rest".len()]).max().unwrap_or(0);
        writeln!(f, "{:<width$} {:>8} {:>12} {:>12}", "host", "calls", "start ms", "total ms")?;
        for (name, row) in names.iter().zip(&self.rows) {
            let (start, total) = (milliseconds(row.start), milliseconds(row.total));
            writeln!(f, "{name:<width$} {:>8} {start:>12.3} {total:>12.3}", row.calls)?;
        }
        for (name, time) in [("rest", self.rest()), ("all", self.all)] {
            writeln!(f, "{name:<width$} {:>8} {:>12} {:>12.3}", "", "", milliseconds(time))?;
        }
        match self.rows.iter().any(|row| row.beside) {
            true => writeln!(f, "* by another thread meanwhile"),
            false => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(name: &str, start: u64, duration: u64) -> Span {
        let (start, duration) = (Duration::from_millis(start), Duration::from_millis(duration));
        Span { name: name.to_owned(), label: String::new(), start, duration, on_device: false }
    }

    #[test]
    fn phases_stand_below_what_they_are_part_of_and_add_up() {
        let main = thread::current().id();
        let other = thread::spawn(|| thread::current().id()).join().unwrap();
        let spans = [span("open", 1, 20), span("reading", 2, 60), span("parsing", 10, 50), span("wait", 21, 41)];
        let inner = [span("prepare", 62, 30), span("upload", 63, 4), span("upload", 68, 6), span("compile", 75, 1)];
        let threads = [main, other, other, main].into_iter().chain([main; 4]);
        let spans = threads.zip(spans.into_iter().chain(inner)).collect();
        let times = HostTimes::new(main, spans, Duration::from_millis(100));
        let expected = "\
host           calls     start ms     total ms
open               1        1.000       20.000
reading *          1        2.000       60.000
  parsing *        1       10.000       50.000
wait               1       21.000       41.000
prepare            1       62.000       30.000
  upload           2       63.000       10.000
  compile          1       75.000        1.000
rest                                     9.000
all                                    100.000
* by another thread meanwhile
";
        assert_eq!(times.to_string(), expected);
    }

    #[test]
    fn nothing_is_only_the_rest() {
        let times = HostTimes::new(thread::current().id(), Vec::new(), Duration::from_millis(2));
        assert!(times.rows.is_empty() && times.rest() == Duration::from_millis(2));
        assert!(!times.to_string().contains('*'));
    }
}

//! What is going on, on the last line of a terminal, while it goes on; nothing where stderr is not a terminal or `-q` was given.
//! How far something has come, the library tells ([`evenkeel::phase`]).

use super::phases::after;
use evenkeel::phase::{self, PROGRESS};
use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    fmt,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};
use tracing::{
    Event, Metadata, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    filter::filter_fn,
    layer::{Context, Filter},
};

static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// The line of what began last among what is going on, which is what progress is told of.
static CURRENT: Mutex<Vec<ProgressBar>> = Mutex::new(Vec::new());

/// Decides whether anything is shown.
pub fn start(quiet: bool) {
    if quiet {
        LINES.set_draw_target(ProgressDrawTarget::hidden());
    }
}

/// Does something with the progress out of the way.
pub fn aside<T>(work: impl FnOnce() -> T) -> T {
    LINES.suspend(work)
}

/// Does something as a phase while the last line says what: the name of the phase, and of what it is.
pub fn while_showing<T>(name: &'static str, of: &str, work: impl FnOnce() -> T) -> T {
    let _phase = phase::begin(name, of);
    let line = Line::new(ProgressBar::new_spinner(), "{spinner} {msg}{prefix} ({elapsed})", name, of);
    let result = work();
    line.end();
    result
}

/// Calls `work` for each number below `count` as a phase while the last line counts along; ends at the first error. A single
/// call is shown by what it says of itself.
pub fn counting<T, E>(
    count: u32,
    name: &'static str,
    of: &str,
    mut work: impl FnMut(u32) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    if count <= 1 {
        let call = |number| while_showing(name, of, || work(number));
        return (0..count).map(call).collect();
    }
    let _phase = phase::begin(name, of);
    let template = "{spinner} {msg} {pos}/{len}{prefix} {wide_bar} ({elapsed})";
    let line = Line::new(ProgressBar::new(count.into()), template, name, of);
    let results = (0..count).map(|number| work(number).inspect(|_| line.bar.inc(1))).collect();
    line.end();
    results
}

/// A line that counts the steps of long work, with the time left, above the lines of what each step does.
pub struct Steps {
    line: Option<Line>,
    name: &'static str,
}

const TIME_LEFT: &str = "{spinner} {msg} {pos}/{len} {wide_bar} ({elapsed}, {eta} left)";

impl Steps {
    /// Work of so many steps, of which none is done.
    pub fn new(count: u64, name: &'static str) -> Self {
        // How long the others take is known after the first.
        let template = "{spinner} {msg} {pos}/{len} {wide_bar} ({elapsed})";
        Self { line: Some(Line::new(ProgressBar::new(count), template, name, "")), name }
    }

    /// Another step is under way.
    pub fn begin(&self, of: &str) {
        if let Some(line) = &self.line {
            line.bar.set_message(format!("{}{}", self.name, after(of)));
        }
    }

    /// A step is done.
    pub fn end(&self) {
        if let Some(line) = &self.line {
            line.bar.inc(1);
            if let Ok(style) = ProgressStyle::with_template(TIME_LEFT) {
                line.bar.set_style(style);
            }
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if let Some(line) = self.line.take() {
            line.end();
        }
    }
}

/// A line that is shown until it ends.
struct Line {
    bar: ProgressBar,
}

impl Line {
    fn new(bar: ProgressBar, template: &str, name: &str, of: &str) -> Self {
        let bar = LINES.add(bar);
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(format!("{name}{}", after(of)));
        // Where nothing is shown, no thread is needed to show it.
        if !LINES.is_hidden() {
            bar.enable_steady_tick(Duration::from_millis(100));
        }
        CURRENT.lock().unwrap_or_else(PoisonError::into_inner).push(bar.clone());
        Self { bar }
    }

    fn end(self) {
        self.bar.finish_and_clear();
        CURRENT.lock().unwrap_or_else(PoisonError::into_inner).retain(|bar| !bar.is_finished());
    }
}

/// The layer that shows how far something has come.
pub struct Shower;

/// What it hears: nothing where nothing is shown.
pub fn filter<S>() -> impl Filter<S> {
    let is_shown = !LINES.is_hidden();
    filter_fn(move |metadata: &Metadata<'_>| is_shown && metadata.target() == PROGRESS)
}

impl<S: Subscriber> Layer<S> for Shower {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut heard = Heard::default();
        event.record(&mut heard);
        if let Some(bar) = CURRENT.lock().unwrap_or_else(PoisonError::into_inner).last() {
            bar.set_prefix(format!(", {heard}"));
        }
    }
}

/// What an event says.
#[derive(Default)]
struct Heard {
    unit: String,
    done: u64,
    total: Option<u64>,
}

impl Visit for Heard {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "unit" {
            self.unit = value.to_owned();
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        match field.name() {
            "done" => self.done = value,
            "total" => self.total = Some(value),
            _ => {}
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

impl fmt::Display for Heard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |number: u64| match self.unit.as_str() {
            "bytes" => HumanBytes(number).to_string(),
            unit => format!("{number} {unit}"),
        };
        match self.total {
            Some(total) => write!(f, "{} of {}", number(self.done), number(total)),
            None => f.write_str(&number(self.done)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_counted_and_the_line_goes_with_them() {
        let steps = Steps::new(3, "comparing");
        steps.begin("bfs");
        steps.end();
        let bar = steps.line.as_ref().unwrap().bar.clone();
        assert_eq!((bar.position(), bar.message()), (1, "comparing bfs".to_owned()));
        assert!(ProgressStyle::with_template(TIME_LEFT).is_ok());
        drop(steps);
        assert!(bar.is_finished());
    }

    #[test]
    fn progress_is_said_in_its_unit() {
        let heard = |unit: &str, done, total| Heard { unit: unit.to_owned(), done, total }.to_string();
        assert_eq!(heard("bytes", 3 << 20, Some(12 << 20)), "3.00 MiB of 12.00 MiB");
        assert_eq!(heard("iterations", 96, None), "96 iterations");
    }
}

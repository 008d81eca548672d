//! What is going on, on the last line of a terminal, while it goes on; nothing where stderr is not a terminal or `-q` was given.

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{sync::LazyLock, time::Duration};

static LINES: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

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

/// Does something while the last line says what.
pub fn while_showing<T>(what: impl Into<String>, work: impl FnOnce() -> T) -> T {
    let bar = shown(ProgressBar::new_spinner(), "{spinner} {msg} ({elapsed})", what);
    let result = work();
    bar.finish_and_clear();
    result
}

/// Calls `work` for each number below `count` while the last line counts along; ends at the first error.
pub fn counting<T, E>(
    count: u32,
    what: impl Into<String>,
    mut work: impl FnMut(u32) -> Result<T, E>,
) -> Result<Vec<T>, E> {
    let bar = shown(ProgressBar::new(count.into()), "{spinner} {msg} {pos}/{len} {wide_bar} ({elapsed})", what);
    let results = (0..count).map(|number| work(number).inspect(|_| bar.inc(1))).collect();
    bar.finish_and_clear();
    results
}

fn shown(bar: ProgressBar, template: &str, what: impl Into<String>) -> ProgressBar {
    let bar = LINES.add(bar);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what.into());
    // Where nothing is shown, no thread is needed to show it.
    if !LINES.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(100));
    }
    bar
}

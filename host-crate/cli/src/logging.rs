//! What is said on stderr beside progress: errors, warnings and, on request, what is being done. One line each, with the level
//! in front, as `error: …`.

use super::{GlobalOptions, phases, progress, settings::with_dashes};
use anstream::AutoStream;
use clap::builder::styling::{AnsiColor, Style};
use evenkeel::phase::{PHASES, PROGRESS};
use std::{fmt, io};
use tracing::{Event, Level, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{
    Layer,
    filter::filter_fn,
    fmt::{FmtContext, FormatEvent, FormatFields, format::Writer},
    layer::SubscriberExt,
    registry::LookupSpan,
    util::SubscriberInitExt,
};

/// From here on, messages appear; how many, the options say.
pub fn start(options: &GlobalOptions) {
    let level = match (options.quiet, options.verbose) {
        (true, _) => LevelFilter::ERROR,
        (false, 0) => LevelFilter::WARN,
        (false, 1) => LevelFilter::INFO,
        (false, 2) => LevelFilter::DEBUG,
        (false, _) => LevelFilter::TRACE,
    };
    // Phases and progress are for the profile and the progress line.
    let is_message = filter_fn(|metadata| ![PHASES, PROGRESS].contains(&metadata.target()));
    let messages = tracing_subscriber::fmt::layer().with_writer(|| BesideProgress).event_format(Prefixed);
    let messages = messages.with_filter(level).with_filter(is_message);
    let phases = phases::Keeper.with_filter(phases::filter());
    let progress = progress::Shower.with_filter(progress::filter());
    tracing_subscriber::registry().with(messages).with(phases).with(progress).init();
}

/// A message behind its level, in the colours that clap gives its errors.
struct Prefixed;

fn prefix(level: Level) -> (&'static str, Style) {
    let bold = |color: AnsiColor| color.on_default().bold();
    match level {
        Level::ERROR => ("error", bold(AnsiColor::Red)),
        Level::WARN => ("warning", bold(AnsiColor::Yellow)),
        Level::INFO => ("info", bold(AnsiColor::Green)),
        Level::DEBUG => ("debug", Style::new().bold()),
        Level::TRACE => ("trace", Style::new().dimmed()),
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>, N: for<'a> FormatFields<'a> + 'static> FormatEvent<S, N> for Prefixed {
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let (prefix, style) = prefix(*event.metadata().level());
        write!(writer, "{style}{prefix}:{style:#} ")?;
        let mut message = String::new();
        context.field_format().format_fields(Writer::new(&mut message), event)?;
        writeln!(writer, "{}", with_dashes(&message))
    }
}

/// Standard error, with any progress bar out of the way while it is written to, and without colours where none are wanted.
struct BesideProgress;

impl io::Write for BesideProgress {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        progress::aside(|| AutoStream::auto(io::stderr()).write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

//! Any bytes as a file of the format that the environment variable FORMAT names; without one, the first byte chooses it.

#![no_main]

use evenkeel::graph::formats::Format;
use std::sync::LazyLock;

static NAMED: LazyLock<Option<Format>> = LazyLock::new(|| {
    let name = std::env::var("FORMAT").ok()?;
    Some(name.parse().expect("FORMAT names a format"))
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| match (*NAMED, bytes) {
    (Some(format), bytes) => evenkeel_fuzz::parse(format, bytes),
    (None, [choice, bytes @ ..]) => {
        let formats: Vec<Format> = Format::all().collect();
        evenkeel_fuzz::parse(formats[usize::from(*choice) % formats.len()], bytes);
    }
    (None, []) => {}
});

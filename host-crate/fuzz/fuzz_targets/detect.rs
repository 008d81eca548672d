//! Any bytes as a file of unknown format: whichever it is taken for, its parser survives.

#![no_main]

use evenkeel::graph::formats::Format;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match Format::detect(Path::new(evenkeel_fuzz::NAME), bytes) {
        Ok(format) => evenkeel_fuzz::parse(format, bytes),
        Err(error) => assert_eq!(error.exit_status(), 3),
    }
});

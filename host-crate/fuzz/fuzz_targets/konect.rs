//! Any bytes as a KONECT network.

#![no_main]

use evenkeel::graph::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evenkeel_fuzz::parse(Format::Konect, bytes));

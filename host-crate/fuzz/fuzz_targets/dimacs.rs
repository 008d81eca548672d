//! Any bytes as a DIMACS shortest-path problem.

#![no_main]

use evenkeel::graph::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evenkeel_fuzz::parse(Format::Dimacs, bytes));

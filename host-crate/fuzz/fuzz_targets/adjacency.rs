//! Any bytes as lines of neighbours.

#![no_main]

use evenkeel::graph::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evenkeel_fuzz::parse(Format::Adjacency, bytes));

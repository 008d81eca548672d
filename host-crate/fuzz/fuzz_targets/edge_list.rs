//! Any bytes as an edge list.

#![no_main]

use evenkeel::graph::formats::Format;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| evenkeel_fuzz::parse(Format::EdgeList, bytes));

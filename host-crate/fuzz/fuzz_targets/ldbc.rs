//! Any bytes as an LDBC graph: what stands before the first zero byte is the edges, what follows it the nodes.

#![no_main]

use evenkeel::graph::formats;
use std::path::Path;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut parts = bytes.splitn(2, |byte| *byte == 0);
    let (edges, vertices) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    evenkeel_fuzz::check(formats::parse_ldbc(Path::new(evenkeel_fuzz::NAME), edges, vertices));
});

//! Any text as `--columns`, which ends at the first line end, and any bytes behind it as a table of the format that the first byte
//! chooses.

#![no_main]

use evenkeel::graph::formats::{Columns, Format};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let mut parts = bytes.splitn(2, |byte| *byte == b'\n');
    let (columns, table) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    match String::from_utf8_lossy(columns).parse::<Columns>() {
        Ok(columns) => {
            let formats: Vec<Format> = Format::all().filter(|format| format.has_columns()).collect();
            let format = formats[usize::from(*choice) % formats.len()];
            evenkeel_fuzz::parse_columns(format, table, Some(&columns));
        }
        Err(error) => assert_eq!(error.exit_status(), 2),
    }
});

//! Graphs on the host: data structures, files, generators and statistics.
//!
//! A [`Graph`] is a CSR, the ids its nodes had in the file, and whether its edges have a direction. It comes from a file
//! ([`formats`]), from a program's own edges ([`edges`]) or from a generator ([`generate`]); [`transform`] changes it and counts what it changed; [`facts`] keeps what is known
//! of it, and [`statistics`] describes it. Nothing here depends on a device.

pub use evenkeel_graph::*;
pub use evenkeel_io::{Direction, OpenOptions, adapt, formats, open};

//! The files of evenkeel's graphs: formats, compression and tables. Nothing here knows of a device. The crate `evenkeel` offers all of it to
//! those who use the library, as a part of `evenkeel::graph`, and has the documentation.

pub mod formats;
pub mod open;
#[cfg(test)]
mod tests;

pub use open::{Direction, OpenOptions, adapt, open};

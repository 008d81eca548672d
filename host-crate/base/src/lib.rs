//! What all layers of evenkeel stand on: errors, settings, phases, and files that appear whole. The crate `evenkeel` offers all of it to
//! those who use the library, and has the documentation.

pub mod atomic_file;
pub mod error;
#[doc(hidden)]
pub mod machine;
#[doc(hidden)]
pub mod numerals;
#[doc(hidden)]
pub mod phase;
pub mod settings;

pub use error::{Error, Result};

//! Building blocks on the device with no graph in them. Each states its memory, allocates it once, and records its steps.

pub mod compact;
pub mod reduce;
pub mod scan;
pub mod sort;

pub use compact::Compact;
pub use reduce::{Reduction, reduce};
pub use scan::{Kind, Scan};
pub use sort::{Pairs, Sort};

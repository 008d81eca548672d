//! Reports as pages: one self-contained file of HTML for each kind of report, and its first picture alone as SVG. Each is made from the
//! report that `--json` prints, and the numbers behind a picture stand in a table beside it.
//!
//! A page is well-formed XML too, so that a program can read it. It has no scripts and loads nothing.

pub mod axis;
pub mod balance;
pub mod chart;
pub mod comparison;
pub mod graph;
pub mod page;
pub mod palette;
pub mod run;
#[cfg(test)]
mod tests;

pub use axis::{Axis, Scale};
pub use chart::{Chart, Kind, Point, Series};
pub use page::{Cell, Data, Page, Section};

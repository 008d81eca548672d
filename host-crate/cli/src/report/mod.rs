//! What the command shows beside the report of a run: tables, comparisons, how balanced a strategy is, pages and pictures.

pub mod balance;
pub mod comparison;
pub mod html;
pub mod table;
#[cfg(test)]
#[path = "../../../src/report/testing.rs"]
pub mod testing;

//! The tests of the command, in one program. `cargo test --release --test command documentation::` runs one module.

mod adaptive;
mod apsp;
mod balance;
mod cli;
mod coloring;
#[allow(dead_code)] // The library's tests use the rest.
#[path = "../../tests/common/mod.rs"]
mod common;
mod pages;

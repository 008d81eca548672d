//! `cargo xtask docs`: renews what the documentation takes from kept results, from the sources and from the program itself.

use crate::loc;
use anyhow::{Result, ensure};
use std::{path::Path, process::Command};

/// The tests that compare the documentation write it instead when they are told to: one after the other, because several write to the same page.
pub fn renew(root: &Path) -> Result<()> {
    loc::run(root, None, true)?;
    for test in ["papers::the_", "documentation::sessions"] {
        let mut tests = Command::new(env!("CARGO"));
        tests.args(["test", "--package", "evenkeel-papers", "--test", "papers", test]);
        let status = tests.env("EVENKEEL_UPDATE_PAGES", "1").current_dir(root).status()?;
        ensure!(status.success(), "the documentation was not renewed");
    }
    Ok(())
}

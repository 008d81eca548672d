//! `evenkeel man --output FOLDER`.

use super::{command, output::print};
use clap::{Args, Command};
use clap_mangen::Man;
use evenkeel::{Error, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

const EXAMPLES: &str = "\
Example:
  evenkeel man --output ~/.local/share/man/man1";

/// Write a manual page for every command.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Manual {
    /// The folder, which is made if need be. Pages of an earlier version in it are replaced.
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    output: PathBuf,
}

impl Manual {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let pages = write(&self.output)?;
        if !quiet {
            print(&format!("{pages} pages in {}\n", self.output.display()))?;
        }
        Ok(())
    }
}

/// Writes all pages and returns their number.
fn write(folder: &Path) -> Result<usize> {
    fs::create_dir_all(folder).map_err(Error::io(folder))?;
    // `help` has nothing to say that `--help` does not.
    let mut command = command().disable_help_subcommand(true);
    command.build();
    write_one(&command, folder)
}

/// Writes the page of a command and those of its subcommands.
fn write_one(command: &Command, folder: &Path) -> Result<usize> {
    let page = Man::new(command.clone());
    let path = folder.join(page.get_filename());
    let mut text = Vec::new();
    page.render(&mut text).map_err(Error::io(&path))?;
    fs::write(&path, text).map_err(Error::io(&path))?;
    command.get_subcommands().try_fold(1, |pages, subcommand| Ok(pages + write_one(subcommand, folder)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::algorithm;

    #[test]
    fn every_command_has_a_page() {
        let folder = tempfile::tempdir().unwrap();
        let page = |name: &str| fs::read_to_string(folder.path().join(format!("{name}.1"))).unwrap();
        // Writing them again replaces them.
        for _ in 0..2 {
            assert_eq!(write(folder.path()).unwrap(), fs::read_dir(folder.path()).unwrap().count());
        }
        for command in command().get_subcommands() {
            assert!(page(&format!("evenkeel-{}", command.get_name())).contains("EXTRA"), "{}", command.get_name());
        }
        for algorithm in algorithm::all() {
            let text = page(&format!("evenkeel-compare-{}", algorithm.described().name));
            assert!(text.contains("partition\\-bytes"), "{text}");
        }
        assert!(page("evenkeel").contains("evenkeel\\-bfs(1)"));
    }
}

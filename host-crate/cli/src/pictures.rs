//! `--html` and `--svg`: a report as a page, and its main picture alone.

use super::output::{Output, is_standard};
use crate::report::html::Page;
use clap::Args;
use evenkeel::Result;
use std::path::{Path, PathBuf};

/// Where a report goes that people look at.
#[derive(Args)]
#[command(next_help_heading = "Output")]
pub struct PictureOptions {
    /// Write a page with pictures and the numbers behind them, one file that any browser opens. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the main picture of that page as SVG. `-` is standard output.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// The files of a report, opened before the work begins.
pub struct Pictures {
    html: Option<Output>,
    svg: Option<Output>,
}

impl PictureOptions {
    /// Whether there is something to draw.
    pub fn are_wanted(&self) -> bool {
        self.html.is_some() || self.svg.is_some()
    }

    /// The options with their files.
    pub fn paths(&self) -> [(&'static str, Option<&Path>); 2] {
        [("--html", self.html.as_deref()), ("--svg", self.svg.as_deref())]
    }

    /// Whether one goes to standard output, which is then for nothing else.
    pub fn take_standard(&self) -> bool {
        self.paths().into_iter().any(|(_, path)| path.is_some_and(is_standard))
    }

    /// Opens the files.
    pub fn open(&self) -> Result<Pictures> {
        let [html, svg] = self.paths().map(|(_, path)| Output::create_if(path));
        Ok(Pictures { html: html?, svg: svg? })
    }
}

impl Pictures {
    /// Writes what was asked for; the page is made only if something was.
    pub fn write(self, page: impl FnOnce() -> Page) -> Result<()> {
        let Self { html, svg } = self;
        if html.is_none() && svg.is_none() {
            return Ok(());
        }
        let page = page();
        let write = |output: Option<Output>, text: &dyn Fn() -> String| {
            output.map_or(Ok(()), |output| output.write(|writer| writer.write_all(text().as_bytes())))
        };
        write(html, &|| page.html())?;
        write(svg, &|| page.svg())
    }
}

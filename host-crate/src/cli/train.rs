//! `evenkeel train FILE… --output MODEL`: a decision tree from measured levels.

use super::{
    output::{Output, is_standard, print, refuse_same_files, takes_standard},
    pictures::PictureOptions,
    progress::while_showing,
};
use crate::{
    report::html,
    strategy::adaptive::Family,
    tuning::{Table, Trained, train},
};
use clap::Args;
use std::{fmt::Write, path::PathBuf};

/// Fit the decision tree by which strategy adaptive chooses, and say how good it is on graphs that it has not seen.
#[derive(Args)]
#[command(after_help = EXAMPLES, next_help_heading = "Run")]
pub struct Train {
    /// Tables that `evenkeel measure-levels` wrote.
    #[arg(value_name = "FILE", required = true)]
    tables: Vec<PathBuf>,
    /// The model. `-` is standard output.
    #[arg(short, long, value_name = "MODEL", help_heading = "Output")]
    output: PathBuf,
    #[command(flatten)]
    pictures: PictureOptions,
    /// What to choose from: the paper's fifteen variants, or those that list the frontier.
    #[arg(long, alias = "ways", value_name = "FAMILY", value_enum, default_value_t = Family::Listed)]
    variants: Family,
    /// The seed by which graphs are held out.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    seed: u64,
}

const EXAMPLES: &str = "\
Seven of ten graphs are for growing the tree, the others to judge it by.

Example:
  evenkeel train small.csv large.parquet --variants fifteen --output paper.tree";

impl Train {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let [html, svg] = self.pictures.paths();
        let outputs = [("--output", Some(&*self.output)), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--output, --html and --svg")?;
        refuse_same_files(&outputs, &self.tables)?;
        let (output, pictures) = (Output::create(&self.output)?, self.pictures.open()?);
        let mut table = Table::default();
        for path in &self.tables {
            table.read(path)?;
        }
        let trained = while_showing("growing a tree", "", || train(&table, self.variants, self.seed))?;
        output.write(|writer| writer.write_all(text(&trained).as_bytes()))?;
        pictures.write(|| html::tree::page(&trained))?;
        if !quiet && !is_standard(&self.output) && !self.pictures.take_standard() {
            print(&trained.to_string())?;
        }
        Ok(())
    }
}

/// The model with what is known of it in comments.
fn text(trained: &Trained) -> String {
    let model = trained.model.to_string();
    let (header, tree) = model.split_once('\n').unwrap_or((&model, ""));
    let mut text = format!("{header}\n# Grown on {} levels of {} graphs", trained.levels, trained.grown_on.len());
    if let Some(score) = trained.scores.first() {
        let (average, worst) = (score.average(), score.worst());
        // Writing to a string does not fail.
        let _ =
            write!(text, "; on {} others {average:.2} times the optimum, at worst {worst:.2}", trained.held_out.len());
    }
    format!("{text}.\n{tree}")
}

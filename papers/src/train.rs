//! `evenkeel-papers train FILE… --output MODEL`: a decision tree from measured levels.

use crate::tuning::{Split, Table, Trained, Training, train, tree_page};
use clap::Args;
use evenkeel::graph::formats::is_standard;
use evenkeel_cli::{
    output::{Output, refuse_same_files, takes_standard, write_json_or_print},
    pictures::PictureOptions,
    progress::while_showing,
};
use std::{fmt::Write, path::PathBuf};

/// Fit the decision tree by which strategy adaptive chooses, and say how good it is on graphs that it has not seen.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Train {
    /// Tables that `evenkeel-papers measure-levels` wrote.
    #[arg(value_name = "FILE", required = true)]
    tables: Vec<PathBuf>,
    /// The model. `-` is standard output.
    #[arg(short, long, value_name = "MODEL", help_heading = "Output")]
    output: PathBuf,
    /// Write how good it is as JSON. `-` is standard output.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    json: Option<PathBuf>,
    #[command(flatten)]
    pictures: PictureOptions,
    #[command(flatten, next_help_heading = "Run")]
    training: Training,
}

const EXAMPLES: &str = "\
Of ten graphs, six are for growing trees, two for choosing how large one may be, and two to judge it by. With --split levels, of the levels
of all graphs 70 % are for growing trees, two sevenths of these choose how large one may be, and 30 % judge it.

Examples:
  evenkeel-papers train small.csv large.parquet --variants fifteen --output paper.tree
  evenkeel-papers train levels.csv --variants five --features paper-best --criterion gini --split levels --output paper.tree
  evenkeel-papers train levels.csv --hold-out road --output my.tree
  evenkeel-papers train levels.csv --leave-one-out --json judged.json --output my.tree";

impl Train {
    pub fn execute(&self, quiet: bool) -> anyhow::Result<()> {
        let [html, svg] = self.pictures.paths();
        let outputs = [("--output", Some(&*self.output)), ("--json", self.json.as_deref()), html, svg];
        takes_standard(outputs.iter().filter_map(|(_, path)| *path), "--output, --json, --html and --svg")?;
        refuse_same_files(&outputs, &self.tables)?;
        let (output, pictures) = (Output::create(&self.output)?, self.pictures.open()?);
        let json = Output::create_if(self.json.as_deref())?;
        let mut table = Table::default();
        for path in &self.tables {
            table.read(path)?;
        }
        let trained = while_showing("growing a tree", "", || train(&table, &self.training))?;
        output.write(|writer| writer.write_all(text(&trained).as_bytes()))?;
        pictures.write(|| tree_page::page(&trained))?;
        let quiet = quiet || is_standard(&self.output) || self.pictures.take_standard();
        Ok(write_json_or_print(json, &trained, quiet, || trained.to_string())?)
    }
}

/// The model with what is known of it in comments.
fn text(trained: &Trained) -> String {
    let model = trained.model.to_string();
    let (header, tree) = model.split_once('\n').unwrap_or((&model, ""));
    let (devices, levels, grown_on) = (trained.devices.join(", "), trained.levels, trained.grown_on());
    let mut text = format!("{header}\n# Measured on {devices}. Grown on {levels} levels of {grown_on} graphs");
    if let Some(score) = trained.scores.first() {
        let (average, worst) = (score.average(), score.worst());
        // Writing to a string does not fail.
        let judged = match trained.split {
            Split::Graphs => format!("{} others", trained.test.len()),
            Split::Levels => "all of their searches".to_owned(),
        };
        let _ = write!(text, "; on {judged} {average:.2} times the optimum, at worst {worst:.2}");
    }
    format!("{text}.\n{tree}")
}

//! The tables that a colouring can write: what happened in each iteration, and what each queue did.

use super::{super::prelude::*, Color, ColorConfig, Colors, Iteration, QueueCount};
use crate::device::profile::Span;
use std::path::{Path, PathBuf};

/// Tables of what happened in a colouring.
#[derive(Clone, Debug, Default)]
pub struct ColorTables {
    /// Colour once more after the timed runs, and write a line for each iteration as CSV: how many nodes had no colour, their
    /// degrees, how many have one now, and how long it took. `-` is standard output.
    pub per_iteration: Option<PathBuf>,
    /// stealing: write for each queue how many elements its workgroup popped and stole in the last run, as CSV. `-` is standard
    /// output.
    pub queue_counts: Option<PathBuf>,
    /// Add what these two write to the object of --json, as the lists `iterations` and `queues` of `details`.
    pub details: bool,
}

impl Settings for ColorTables {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "Colour once more after the timed runs, and write a line for each iteration as CSV: how many nodes had no colour, \
                     their degrees, how many have one now, and how long it took. `-` is standard output";
        let per_iteration = Key::output("per-iteration", about, &mut self.per_iteration);
        let about = "stealing: write for each queue how many elements its workgroup popped and stole in the last run, as CSV. `-` is \
                     standard output";
        let queue_counts = Key::output("queue-counts", about, &mut self.queue_counts);
        let about = "Add what these two write to the object of the setting `json`, as the lists `iterations` and `queues` of `details`";
        let details = Key::switch("details", about, &mut self.details).under("Output").needs(&["json"]);
        vec![per_iteration, queue_counts, details]
    }
}

impl Tables<Color> for ColorTables {
    fn paths(&self) -> Vec<&Path> {
        [&self.per_iteration, &self.queue_counts].into_iter().flatten().map(PathBuf::as_path).collect()
    }

    fn check(&self, config: &ColorConfig) -> Result<()> {
        if self.queue_counts.is_some() && !config.strategy.item().method().has_queues() {
            return Err(Error::Usage("the setting `queue-counts` is for strategy stealing and hybrid-stealing".into()));
        }
        Ok(())
    }

    fn make(&self, color: &mut Color, _: &Colors, _: &[Span]) -> Result<Vec<Table>> {
        let mut tables = Vec::new();
        if let Some(path) = &self.queue_counts {
            let row = |QueueCount { queue, popped, stolen }| format!("{queue},{popped},{stolen}");
            tables.push(Table::new(path, "queue,popped,stolen", color.queues()?.into_iter().map(row)));
        }
        if let Some(path) = &self.per_iteration {
            tables.push(Table::new(path, Iteration::COLUMNS, color.iterations()?.iter().map(Iteration::row)));
        }
        Ok(tables)
    }

    fn details(&self, color: &mut Color) -> Result<serde_json::Map<String, serde_json::Value>> {
        let mut details = serde_json::Map::new();
        if self.details {
            // Before the graph is coloured once more: these are of the last timed run.
            let queues = color.queues()?;
            if !queues.is_empty() {
                details.insert("queues".into(), serde_json::json!(queues));
            }
            details.insert("iterations".into(), serde_json::json!(color.iterations()?));
        }
        Ok(details)
    }
}

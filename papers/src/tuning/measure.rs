//! Which searches of a graph are measured, and the rows that come of them.

use super::table::Row;
use evenkeel::{
    Result,
    algorithm::{Source, level_times::LevelTimes},
    device::Device,
    graph::{Graph, NodeName},
    strategy::adaptive::{DEFAULT_VIRTUAL_WARP, Features, GraphFeatures},
};
use std::ops::ControlFlow;

/// What to measure.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Measuring {
    /// How many searches a graph, each from another node.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub sources: u32,
    /// The seed by which their sources are drawn.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// The most levels of a search; where it has more, as many are taken evenly.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_levels: u32,
    /// Invocations of a virtual warp: 2, 4, 8, 16 or 32.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_VIRTUAL_WARP)]
    pub virtual_warp: u32,
}

/// How many searches of a graph were measured, and how many of these with all of their levels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Searched {
    /// The searches.
    pub searches: usize,
    /// Those of which no level was left out.
    pub whole: usize,
}

/// What a table calls a node: by its number, or its place where its name is none.
fn number(name: &NodeName<'_>, node: u32) -> u64 {
    match name {
        NodeName::Number(number) => *number,
        NodeName::Text(_) => node.into(),
    }
}

impl Measuring {
    /// Measures on one graph of a collection; `each` gets every level in turn, and says whether to go on. The device must have been opened
    /// with `profile`.
    ///
    /// # Errors
    /// When something does not fit, the device fails, or a variant finds something else than the search did.
    pub fn measure(
        &self,
        device: &Device,
        graph: &Graph,
        collection: &str,
        mut each: impl FnMut(Row) -> ControlFlow<()>,
    ) -> Result<Searched> {
        let mut bench = LevelTimes::new(device, &graph.csr, self.virtual_warp)?;
        let known = GraphFeatures::of(&graph.csr);
        let mut searched = Searched::default();
        for source in self.sources(graph)? {
            let level_sizes = bench.search(source)?;
            for level in self.levels(level_sizes.len()) {
                let (microseconds, dispatch) = bench.time(level, &level_sizes)?;
                let row = Row {
                    graph: graph.name.clone(),
                    collection: collection.to_owned(),
                    device: device.info().name.clone(),
                    source: number(&graph.ids.name(source), source),
                    level: level as u32,
                    features: Features::of(&known, level_sizes[level]),
                    microseconds,
                    dispatch,
                };
                if each(row).is_break() {
                    return Ok(searched);
                }
            }
            searched.searches += 1;
            searched.whole += usize::from(level_sizes.len() <= self.max_levels as usize);
        }
        Ok(searched)
    }

    /// Different nodes, with edges wherever possible.
    fn sources(&self, graph: &Graph) -> Result<Vec<u32>> {
        let wanted = self.sources.min(graph.csr.nodes()) as usize;
        let mut sources = Vec::new();
        // A graph may have fewer nodes with edges than are wanted.
        for attempt in 0..4 * u64::from(self.sources) {
            let source = Source::Random(self.seed.wrapping_add(attempt << 32)).find(graph)?;
            if !sources.contains(&source) && sources.len() < wanted {
                sources.push(source);
            }
        }
        Ok(sources)
    }

    fn levels(&self, count: usize) -> impl Iterator<Item = usize> {
        let taken = count.min(self.max_levels as usize);
        (0..taken).map(move |place| place * count / taken)
    }
}

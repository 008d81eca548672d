//! Options that several commands share: which graph, which weights, which device. Each group is a struct that a command flattens
//! into its own, and knows how to get what it describes.

use super::progress::while_showing;
use bytesize::ByteSize;
use clap::Args;
use evenkeel::{
    Error, Result,
    algorithm::Setup,
    cluster::{load, on_device},
    device::{self, Device},
    graph::{
        BuildOptions, BuildReport, Direction, Graph, OpenOptions, adapt,
        formats::{Columns, Format, Watched, is_standard},
        generate::Generator,
        open,
        weights::{WeightSource, assign},
    },
};
use std::{
    fs,
    path::PathBuf,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Which graph, and how to take it.
#[derive(Args)]
pub struct GraphOptions {
    /// A file, - for standard input, or a generator such as rmat:scale=20 (`evenkeel generate --help` lists them).
    graph: String,
    #[command(flatten)]
    reading: ReadingOptions,
}

/// How to take a graph, or several.
#[derive(Args)]
#[command(next_help_heading = "Graph")]
pub struct ReadingOptions {
    /// The file's format [default: found by its content and name].
    #[arg(long, value_name = "FORMAT", value_parser = str::parse::<Format>)]
    format: Option<Format>,
    /// Which columns of a table hold the edges, by number from 1 or by name: source=2,target=3,weight=5 [default: what the header
    /// says].
    #[arg(long, value_name = "COLUMNS", value_parser = str::parse::<Columns>)]
    columns: Option<Columns>,
    /// Take each edge one way, as it is listed [default: what the file says].
    #[arg(long, conflicts_with = "undirected")]
    directed: bool,
    /// Take each edge both ways [default: what the file says].
    #[arg(long)]
    undirected: bool,
    /// Leave out edges from a node to itself.
    #[arg(long)]
    drop_self_loops: bool,
    /// Keep one of several edges between the same nodes: the lightest.
    #[arg(long)]
    merge_parallel_edges: bool,
}

/// A graph that is known to be there, and not yet read or made.
pub struct FoundGraph {
    source: GraphSource,
    options: OpenOptions,
}

enum GraphSource {
    File(PathBuf),
    Generator(Generator),
}

/// Whether a graph comes from standard input already, which then has no other.
static STANDARD_INPUT_TAKEN: AtomicBool = AtomicBool::new(false);

impl GraphOptions {
    /// Finds the file or understands the generator, before anything that takes long.
    pub fn find(&self) -> Result<FoundGraph> {
        self.reading.find(&self.graph)
    }
}

impl ReadingOptions {
    /// Finds a graph that another option names.
    pub fn find(&self, graph: &str) -> Result<FoundGraph> {
        let path = PathBuf::from(graph);
        if is_standard(&path) && STANDARD_INPUT_TAKEN.swap(true, Relaxed) {
            return Err(Error::Usage("standard input (-) can be read once, and two graphs were named so".into()));
        }
        let source = match fs::metadata(&path) {
            _ if is_standard(&path) => GraphSource::File(path),
            Ok(_) => GraphSource::File(path),
            Err(_) if looks_generated(graph) => GraphSource::Generator(graph.parse()?),
            Err(source) => return Err(Error::Io { path, source }),
        };
        if let GraphSource::Generator(generator) = &source {
            let about_files = match (self.format, &self.columns) {
                (Some(format), _) => format!("--format {format} is"),
                (None, Some(_)) => "--columns are".to_owned(),
                (None, None) => return Ok(FoundGraph { source, options: self.open_options() }),
            };
            return Err(Error::Usage(format!("{about_files} about files, and {generator} is made, not read")));
        }
        Ok(FoundGraph { source, options: self.open_options() })
    }

    fn open_options(&self) -> OpenOptions {
        let &Self { format, ref columns, directed, undirected, drop_self_loops, merge_parallel_edges } = self;
        let direction = match (directed, undirected) {
            (true, _) => Some(Direction::Directed),
            (_, true) => Some(Direction::Undirected),
            _ => None,
        };
        OpenOptions {
            format,
            columns: columns.clone(),
            direction,
            build: BuildOptions { symmetrise: false, drop_self_loops, merge_parallel_edges },
        }
    }
}

/// Whether an argument that is no file was meant as a generator: a family's name, or a word with settings after a colon. The
/// latter may be misspelt, which the generator's parser answers with the names there are.
fn looks_generated(text: &str) -> bool {
    let misspelt = text.split_once(':').is_some_and(|(name, settings)| {
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()) && settings.contains('=')
    });
    Generator::is_named_by(text) || misspelt
}

impl FoundGraph {
    /// Each edge both ways, whatever the file says, for an algorithm that needs that. Refuses --directed where directions do not count.
    pub fn directed_for(mut self, setup: &dyn Setup) -> Result<Self> {
        if setup.ignores_directions() && self.options.direction == Some(Direction::Directed) {
            return Err(Error::Usage("edges are taken both ways here: leave --directed out".into()));
        }
        if setup.is_undirected() {
            self.options.direction = Some(Direction::Undirected);
        }
        Ok(self)
    }

    /// The files it is read from; none if it is made.
    pub fn files(&self) -> Vec<PathBuf> {
        match &self.source {
            GraphSource::File(path) if is_standard(path) => Vec::new(),
            GraphSource::File(path) => match self.options.format.or_else(|| Format::of_path(path)) {
                Some(format) => format.files_to_read(path),
                None => vec![path.clone()],
            },
            GraphSource::Generator(_) => Vec::new(),
        }
    }

    /// Where it comes from, for several workers that share it. Standard input cannot be shared.
    pub fn to_share(&self) -> Result<(load::GraphSource<'_>, &OpenOptions)> {
        match &self.source {
            GraphSource::File(path) if is_standard(path) => Err(Error::Usage(
                "several workers cannot read standard input (-): name a file that all can read".into(),
            )),
            GraphSource::File(path) => Ok((load::GraphSource::File(path), &self.options)),
            GraphSource::Generator(generator) => Ok((load::GraphSource::Generator(generator), &self.options)),
        }
    }

    /// Watches the file that stays mapped for as long as the graph is used, if it is one.
    pub fn watch_mapped(&self) -> Option<(PathBuf, Watched)> {
        let is_mapped = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "ekg");
        let path = self.files().into_iter().find(is_mapped)?;
        Watched::begin(&path).map(|watched| (path, watched))
    }

    /// Where it is from: the family of a generator, or the folder of a file.
    pub fn collection(&self) -> String {
        match &self.source {
            GraphSource::Generator(generator) => generator.family().to_owned(),
            GraphSource::File(path) => {
                let folder = path.parent().and_then(|folder| folder.file_name());
                folder.map_or_else(|| "files".to_owned(), |name| name.to_string_lossy().into_owned())
            }
        }
    }

    /// Whether it is there so soon that a device need not be opened meanwhile. A graph that is made either is small or takes much longer
    /// than opening a device does.
    pub fn loads_quickly(&self) -> bool {
        match &self.source {
            GraphSource::File(path) => fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= 2 << 20),
            GraphSource::Generator(_) => true,
        }
    }

    /// Reads or generates it.
    pub fn load(&self) -> Result<(Graph, BuildReport)> {
        match &self.source {
            GraphSource::File(path) => {
                let shown = if is_standard(path) { "standard input".into() } else { path.display().to_string() };
                while_showing("reading", &shown, || open(path, &self.options))
            }
            GraphSource::Generator(generator) => adapt(make(generator)?, &self.options),
        }
    }
}

/// Which weights.
#[derive(Args)]
#[command(next_help_heading = "Weights")]
pub struct WeightOptions {
    /// Where weights come from: file, unit (every edge weighs 1) or random:LOW..HIGH.
    #[arg(long, value_name = "SOURCE", default_value = "file", value_parser = str::parse::<WeightSource>)]
    weights: WeightSource,
    /// The seed of random weights [default: 0].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl WeightOptions {
    /// Where the weights come from.
    pub fn source(&self) -> Result<WeightSource> {
        match (self.weights, self.seed) {
            (WeightSource::Random { low, high, .. }, Some(seed)) => Ok(WeightSource::Random { low, high, seed }),
            (weights, None) => Ok(weights),
            (weights, Some(_)) => {
                Err(Error::Usage(format!("--seed is for random weights, and --weights is {weights}")))
            }
        }
    }
}

/// A summary as help has it: with a capital at the beginning.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Makes a graph.
pub fn make(generator: &Generator) -> Result<Graph> {
    while_showing("making", &generator.to_string(), || generator.generate())
}

/// What is reported of a graph that was made, not read.
pub fn unchanged(graph: &Graph) -> BuildReport {
    let edges = graph.csr.edges();
    BuildReport { edges_given: edges, edges_stored: edges, ..BuildReport::default() }
}

/// Says what was not kept of the weights of a file.
pub fn remark_on_weights(built: &BuildReport) {
    if let Some(remark) = &built.weight_remark {
        tracing::warn!("{remark}");
    }
}

/// Gives a graph the weights that a command uses. Where they are those of the file, it says what was not kept of them.
pub fn weigh(graph: &mut Graph, built: &BuildReport, weights: WeightSource) -> Result<()> {
    match weights {
        WeightSource::File => {
            remark_on_weights(built);
            Ok(())
        }
        _ => while_showing("weighing edges", "", || assign(graph, weights)),
    }
}

/// Which device.
#[derive(Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceOptions {
    /// auto, cpu, an index from `evenkeel devices`, a part of a name, or cpu:subgroup=64 for an emulated GPU.
    #[arg(long, value_name = "DEVICE", default_value = "auto")]
    device: String,
    /// Use at most this much device memory, such as 2GiB: a larger graph is streamed from the host's memory, or refused.
    #[arg(long = "memory", value_name = "SIZE", alias = "memory-limit")]
    memory_limit: Option<ByteSize>,
    /// Cut the graph into partitions of at most this size in one buffer, such as 64MiB; unless said, only where the device binds no
    /// larger buffers.
    #[arg(long, value_name = "SIZE")]
    partition_bytes: Option<ByteSize>,
    /// Compile every pipeline anew, and keep none in the cache folder.
    #[arg(long)]
    no_pipeline_cache: bool,
    /// Load the Khronos validation layer if it is installed; what it reports is an error.
    #[arg(long)]
    validation_layer: bool,
}

impl DeviceOptions {
    /// Opens it; `profile` times each kernel by itself.
    pub fn open(&self, profile: bool) -> Result<Device> {
        self.open_as(&self.device, profile)
    }

    /// Whether the user left the choice to the program.
    pub fn is_automatic(&self) -> bool {
        self.device == "auto"
    }

    /// Whether the program may choose the CPU although there is a GPU.
    pub fn may_be_cpu(&self) -> bool {
        self.is_automatic() && !self.validation_layer
    }

    /// Opens the device that `selector` means, with these options.
    pub fn open_as(&self, selector: &str, profile: bool) -> Result<Device> {
        while_showing("opening the device", "", || Device::open(selector, &self.options(profile)))
    }

    /// Opens the device of one of several workers; none for the threads of the CPU.
    pub fn open_for_worker(&self, worker: usize) -> Result<Option<Device>> {
        while_showing("opening the device", "", || on_device::open(&self.device, worker, &self.options(false)))
    }

    fn options(&self, profile: bool) -> device::DeviceOptions {
        device::DeviceOptions {
            validation: self.validation_layer,
            profile,
            memory_limit: self.memory_limit.map(|size| size.as_u64()),
            partition_bytes: self.partition_bytes.map(|size| size.as_u64()),
            pipeline_cache: !self.no_pipeline_cache,
            ..device::DeviceOptions::default()
        }
    }

    /// Lets go of a device when the program is about to end. The system takes it back, which is quicker than closing it; the
    /// validation layer wants to see it closed.
    pub fn let_go(&self, device: Device) {
        if !self.validation_layer {
            device.leave_open();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generator_is_told_from_a_file_that_is_missing() {
        for text in ["rmat", "rmat:scale=3", "rmta:scale=3", "star:"] {
            assert!(looks_generated(text), "{text}");
        }
        for text in ["roads.gr", "./rmat", "folder/x:y=3", "C:data", "http://graphs/a.gr"] {
            assert!(!looks_generated(text), "{text}");
        }
    }
}

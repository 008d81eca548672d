//! Writing graphs to files: which format takes which graph, and what is said about what a format cannot hold.

use super::{Dialect, Feature, Format, Writer, compression::write_files, is_standard, uncompressed_name};
use evenkeel_base::{Error, Result};
use evenkeel_graph::{Graph, NodeIds, Weights, statistics::nodes_without_edges};
use std::{io::Write, path::Path};

/// Writes a graph to a file in the given format, or the one its name tells; compressed when the name ends in `.gz`, `.xz`, `.zst`
/// or `.bz2`; to standard output where the path is `-`. The file appears whole or not at all. For LDBC the file of nodes is written
/// beside it, and both appear or none.
///
/// What a format has no place for and a reader can do without (weights in a colouring problem, nodes without edges in an edge
/// list) is left out with a warning.
///
/// # Errors
/// When the format cannot hold the graph, its name is not told, or writing fails.
pub fn write(graph: &Graph, path: &Path, format: Option<Format>) -> Result<()> {
    let format = format_to_write(path, format)?;
    let written = Written::new(format, path)?;
    check_fits(graph, format)?;
    warn_of_losses(graph, path, &written);
    let main = |out: &mut dyn Write| (written.writer)(graph, out);
    match format.0.companion {
        None => write_files(&[(path, &main)]),
        Some(companion) => {
            write_files(&[(&companion.usual(path), &|out| (companion.writer)(graph, out)), (path, &main)])
        }
    }
}

/// The given format, or the one that the name of a file to be written tells.
///
/// # Errors
/// When there is neither, or the format can only be read.
pub fn format_to_write(path: &Path, format: Option<Format>) -> Result<Format> {
    let format = format.or_else(|| Format::of_path(path)).ok_or_else(|| {
        let known = Format::names(|format| format.is_written());
        match is_standard(path) {
            true => Error::Usage(format!("standard output has no name that tells a format; name one of {known}")),
            false => Error::Usage(format!("{}: its name does not tell a format; name one of {known}", path.display())),
        }
    })?;
    if is_standard(path) && format.files() > 1 {
        let reason = format!("a graph of the format {format} is {} files, and standard output is one", format.files());
        return Err(Error::Usage(reason));
    }
    writer_of(format).map(|_| format)
}

/// How a file is written.
struct Written {
    format: Format,
    dialect: Option<&'static Dialect>,
    writer: Writer,
}

impl Written {
    fn new(format: Format, path: &Path) -> Result<Self> {
        let name = uncompressed_name(path).to_ascii_lowercase();
        let has_ending = |dialect: &&Dialect| name.ends_with(&format!(".{}", dialect.ending));
        let dialect = format.0.dialects.iter().find(has_ending).filter(|_| !is_standard(path));
        let writer = writer_of(format)?;
        Ok(Self { format, dialect, writer: dialect.map_or(writer, |dialect| dialect.writer) })
    }

    fn lacks(&self, feature: Feature) -> bool {
        self.format.lacks(feature) || self.dialect.is_some_and(|dialect| dialect.lacks.contains(&feature))
    }

    /// What it is called in messages.
    fn name(&self) -> &'static str {
        self.dialect.map_or(self.format.name(), |dialect| dialect.ending)
    }
}

pub(super) fn writer_of(format: Format) -> Result<Writer> {
    format.0.writer.ok_or_else(|| {
        let known = Format::names(|format| format.is_written());
        Error::Usage(format!("the format {format} can be read, but not written; name one of {known}"))
    })
}

/// Refuses what would come back as another graph.
fn check_fits(graph: &Graph, format: Format) -> Result<()> {
    let refuse = |reason: String| Err(Error::Graph(reason));
    if !graph.directed && !graph.csr.is_symmetric() {
        return refuse("the graph is said to be undirected, but not every edge has its reverse".into());
    }
    if graph.directed && format.lacks(Feature::Directed) {
        return refuse(format!("the format {format} holds undirected graphs only, and this one is directed"));
    }
    if format.lacks(Feature::RealWeights) && matches!(graph.csr.weights(), Weights::F32(_)) {
        return refuse(format!("the format {format} holds whole weights only, and these are reals"));
    }
    if format.lacks(Feature::Names) && matches!(graph.ids, NodeIds::Named(_)) {
        return refuse(format!("the format {format} calls nodes by numbers only, and these have names"));
    }
    if format.lacks(Feature::SelfLoops) && graph.csr.self_loops() > 0 {
        return refuse(format!("the format {format} holds no self-loops; drop them first"));
    }
    Ok(())
}

fn warn_of_losses(graph: &Graph, path: &Path, written: &Written) {
    let (path, format) = (path.display(), written.name());
    if written.lacks(Feature::Ids) && !matches!(graph.ids, NodeIds::Counted { .. }) {
        tracing::warn!("{path}: {format} counts nodes from 1; their ids are left out");
    }
    if written.lacks(Feature::Weights) && !graph.csr.weights().is_none() {
        tracing::warn!("{path}: {format} has no weights; they are left out");
    }
    if written.lacks(Feature::Direction) && !graph.directed {
        tracing::warn!("{path}: {format} does not say that a graph is undirected; read it with --undirected");
    }
    let isolated = if written.lacks(Feature::IsolatedNodes) { nodes_without_edges(&graph.csr) } else { 0 };
    if isolated > 0 {
        tracing::warn!("{path}: {isolated} nodes without edges have no place in an edge list");
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{FileFormat, Loaded, Registered, loading::Files},
        *,
    };
    use evenkeel_graph::Csr;

    struct OnlyRead;

    impl FileFormat for OnlyRead {
        const NAME: &'static str = "only-read";
        const ABOUT: &'static str = "a format without a writer";
        const EXTENSIONS: &'static [&'static str] = &[];

        fn read(_: Files<'_>) -> Result<Loaded> {
            Err(Error::Usage("there is nothing to read".into()))
        }
    }

    #[test]
    fn a_format_without_a_writer_is_refused_before_anything_is_written() {
        const ONLY_READ: Registered = Registered::of::<OnlyRead>();
        let error = format_to_write(Path::new("a.ekg"), Some(Format(&ONLY_READ))).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("the format only-read can be read, but not written; name one of matrix-market, "),
            "{error}"
        );
        assert!(!error.contains("parquet"), "{error}");
    }

    #[test]
    fn an_undirected_graph_without_reverse_edges_is_refused() {
        let csr = Csr::new(vec![0, 1, 1], vec![1], Weights::None).unwrap();
        let graph = Graph { name: String::new(), csr, ids: NodeIds::Counted { first: 0 }, directed: false };
        let folder = tempfile::tempdir().unwrap();
        for format in Format::all().filter(|format| format.is_written()) {
            let error = write(&graph, &folder.path().join("graph"), Some(format)).unwrap_err();
            assert!(error.to_string().contains("not every edge has its reverse"), "{format}: {error}");
        }
    }
}

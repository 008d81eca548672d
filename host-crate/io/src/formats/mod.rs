//! Graph files: a format is one file that implements `FileFormat` and one line in `FORMATS`; detection, `--format`, help texts,
//! conversion and error messages follow from these. Text is read in parallel, and the first flaw in the file is reported with
//! its line. [`super::open()`] makes a graph of what was read.
//!
//! ```
//! # mod evenkeel { pub mod graph { pub use evenkeel_io::formats; } pub use evenkeel_base::Error; }
//! use evenkeel::graph::formats::{Loaded, parse};
//! let loaded = parse("edge-list".parse()?, "tiny.txt".as_ref(), &[b"# a comment\n0 1\n1 2\n"])?;
//! let Loaded::Edges(parsed) = loaded else { panic!("an edge list holds edges") };
//! assert_eq!((parsed.edges.nodes, parsed.edges.sources.len()), (3, 2));
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod adjacency;
mod archive;
#[cfg(feature = "tables")]
mod arrow;
mod batch;
mod binary;
mod coloring;
mod columns;
mod compact;
mod compression;
mod counted;
mod dimacs;
mod dot;
mod dot_scanner;
mod edge_list;
mod ends;
mod gml;
mod graphml;
#[cfg(feature = "tables")]
mod guard;
mod json;
mod json_lines;
mod konect;
mod ldbc;
mod lines;
mod loading;
mod matrix_market;
mod metis;
mod names;
mod network;
mod node_link;
mod npy;
mod npz;
mod pace;
mod pajek;
#[cfg(feature = "tables")]
mod parquet;
mod problem;
mod reading;
mod rounding;
mod rows;
#[cfg(feature = "tables")]
mod table;
mod weight;
mod write;

#[cfg(test)]
pub(super) use binary::with_edges as binary_header;
pub use columns::{Column, Columns};
pub use compression::Compression;
pub use evenkeel_graph::{DirectionSource, Listing, NamesKind, Recognised, Table};
#[cfg(feature = "tables")]
#[doc(hidden)]
pub use guard::guarded;
pub use loading::{FilePart, Loaded, Parsed, load_part, parse, parse_columns};
pub(super) use loading::{LoadedFile, load};
pub use reading::is_standard;
pub use write::{format_to_write, write};
#[doc(hidden)]
pub use {
    compression::{compress, read_text},
    edge_list::quoted,
    loading::Watched,
};

use evenkeel_base::{Error, Result, settings::told_by_text};
use evenkeel_graph::Graph;
use lines::Text;
use loading::Files;
use std::{
    io,
    path::{Path, PathBuf},
    str::FromStr,
};

/// What the files of formats have in common.
mod prelude {
    pub(super) use super::{
        Dialect, Feature, FileFormat, Listing, Loaded, Recognition, Writer,
        batch::{self, Batch, check_claimed_nodes, check_edges, check_nodes, read_edges},
        lines::{Flaw, Line, Lines, Text, shown},
        loading::Files,
        rows,
    };
    pub(super) use evenkeel_base::Result;
    pub(super) use evenkeel_graph::{EdgeWeights, Graph, Weights};
    pub(super) use std::io::{self, Write};
}

/// All formats, in the order in which lists show them.
const FORMATS: &[Registered] = &[
    Registered::of::<matrix_market::MatrixMarket>(),
    Registered::of::<edge_list::EdgeListFormat>(),
    Registered::of::<dimacs::Dimacs>(),
    Registered::of::<pace::Pace>(),
    Registered::of::<coloring::Coloring>(),
    Registered::of::<metis::Metis>(),
    Registered::of::<konect::Konect>(),
    Registered::of::<ldbc::Ldbc>(),
    Registered::of::<adjacency::Adjacency>(),
    Registered::of::<graphml::GraphMl>(),
    Registered::of::<gml::Gml>(),
    Registered::of::<dot::Dot>(),
    Registered::of::<pajek::Pajek>(),
    Registered::of::<node_link::NodeLink>(),
    Registered::of::<npz::Npz>(),
    Registered::of::<json_lines::JsonLines>(),
    #[cfg(feature = "tables")]
    Registered::of::<parquet::Parquet>(),
    #[cfg(feature = "tables")]
    Registered::of::<arrow::Arrow>(),
    Registered::of::<binary::Binary>(),
];

/// A file format: everything that the rest of the program needs to know of it.
trait FileFormat {
    /// The name that options and messages use.
    const NAME: &'static str;
    /// What it is, in a few words for the help text.
    const ABOUT: &'static str;
    /// What names of such files end in, the usual one first. A format without any is only read when it is named.
    const EXTENSIONS: &'static [&'static str];
    /// Whether a user may say which columns hold the edges, as in `--columns`; it is then obeyed.
    const HAS_COLUMNS: bool = false;
    /// What it cannot express.
    const LACKS: &'static [Feature] = &[];
    /// The second file that belongs to a graph, if there is one.
    const COMPANION: Option<Companion> = None;
    /// How a graph is written; none when the format can only be read. The graph was checked against [`FileFormat::LACKS`].
    const WRITER: Option<Writer> = None;
    /// How it is written under some of its endings, where that is another way.
    const DIALECTS: &'static [Dialect] = &[];

    /// Judges a file by its beginning.
    fn recognise(_beginning: Text<'_>) -> Recognition {
        Recognition::No
    }

    /// Reads a graph. Errors have the file, the line where there are lines, and the reason.
    fn read(files: Files<'_>) -> Result<Loaded>;
}

/// What the beginning of a file says about its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recognition {
    No,
    /// It may be of this format, unless the beginning or the name tells another one.
    Possible,
    /// No other format begins like this.
    Certain,
}

impl Recognition {
    fn certain_if(is_certain: bool) -> Self {
        if is_certain { Self::Certain } else { Self::No }
    }
}

/// What a format may be unable to express. A graph that would come back as another one is refused; what a reader can do
/// without is left out with a warning.
#[derive(Clone, Copy, PartialEq)]
enum Feature {
    /// Edges with a direction: a directed graph is refused.
    Directed,
    /// Whether edges have a direction: the reader has to be told of an undirected graph.
    Direction,
    /// Edges from a node to itself: a graph that has some is refused.
    SelfLoops,
    /// Weights: they are left out.
    Weights,
    /// Weights that are reals: they are refused.
    RealWeights,
    /// Ids other than 1, 2, 3, …: they are left out.
    Ids,
    /// Names that are no numbers: they are refused.
    Names,
    /// Nodes without edges: they are left out.
    IsolatedNodes,
}

/// Writes a graph, or a part of it, to a file.
type Writer = fn(&Graph, &mut dyn io::Write) -> io::Result<()>;

/// Another way in which a format is written, by the ending of a file's name.
struct Dialect {
    ending: &'static str,
    /// What it cannot express beside what the format cannot.
    lacks: &'static [Feature],
    writer: Writer,
}

/// A second file that belongs to a graph.
#[derive(Clone, Copy)]
struct Companion {
    /// What it holds, for messages.
    about: &'static str,
    /// The names it may have beside the first file, the most likely first.
    paths: fn(&Path) -> Vec<PathBuf>,
    writer: Writer,
}

impl Companion {
    /// Where it is written.
    fn usual(self, path: &Path) -> PathBuf {
        (self.paths)(path).into_iter().next().unwrap_or_default()
    }

    /// Where it is, else where it should be.
    fn found(self, path: &Path) -> Result<PathBuf, PathBuf> {
        (self.paths)(path).into_iter().find(|candidate| candidate.is_file()).ok_or_else(|| self.usual(path))
    }
}

/// One line of the registry.
struct Registered {
    name: &'static str,
    about: &'static str,
    extensions: &'static [&'static str],
    has_columns: bool,
    lacks: &'static [Feature],
    companion: Option<Companion>,
    writer: Option<Writer>,
    dialects: &'static [Dialect],
    recognise: fn(Text<'_>) -> Recognition,
    read: fn(Files<'_>) -> Result<Loaded>,
}

impl Registered {
    const fn of<F: FileFormat>() -> Self {
        Self {
            name: F::NAME,
            about: F::ABOUT,
            extensions: F::EXTENSIONS,
            has_columns: F::HAS_COLUMNS,
            lacks: F::LACKS,
            companion: F::COMPANION,
            writer: F::WRITER,
            dialects: F::DIALECTS,
            recognise: F::recognise,
            read: F::read,
        }
    }
}

/// A registered format; its text form is its name.
#[derive(Clone, Copy)]
pub struct Format(&'static Registered);

impl Format {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Self> {
        FORMATS.iter().map(Self)
    }

    /// The names of those that fit, for messages.
    fn names(fits: impl Fn(&Self) -> bool) -> String {
        Self::all().filter(fits).map(Self::name).collect::<Vec<_>>().join(", ")
    }

    /// The format of that name, which can be written.
    ///
    /// # Errors
    /// When there is none, or it can only be read.
    pub fn to_write(name: &str) -> Result<Self> {
        match name.parse::<Self>() {
            Ok(format) => write::writer_of(format).map(|_| format),
            Err(Error::UnknownName { kind, name, hint, .. }) => {
                let known = Self::all().filter(|format| format.is_written()).map(|format| format.name().to_owned());
                Err(Error::UnknownName { kind, name, known: known.collect(), hint })
            }
            Err(error) => Err(error),
        }
    }

    fn lacks(self, feature: Feature) -> bool {
        self.0.lacks.contains(&feature)
    }

    /// The name that options and messages use.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it is, in a few words.
    pub fn about(self) -> &'static str {
        self.0.about
    }

    /// What names of such files end in, the usual one first; none where a file is only read as such when asked for.
    pub fn extensions(self) -> &'static [&'static str] {
        self.0.extensions
    }

    /// Whether a graph can be written as such; some formats can only be read.
    pub fn is_written(self) -> bool {
        self.0.writer.is_some()
    }

    /// Whether a user may say which columns hold the edges; see [`Columns`].
    pub fn has_columns(self) -> bool {
        self.0.has_columns
    }

    /// The files that are read for a graph in the file `path`: itself, and what belongs to it, if that is there.
    pub fn files_to_read(self, path: &Path) -> Vec<PathBuf> {
        let beside = self.0.companion.and_then(|companion| companion.found(path).ok());
        std::iter::once(path.to_path_buf()).chain(beside).collect()
    }

    /// The files that are written for a graph in the file `path`.
    pub fn files_to_write(self, path: &Path) -> Vec<PathBuf> {
        let beside = self.0.companion.map(|companion| companion.usual(path));
        std::iter::once(path.to_path_buf()).chain(beside).collect()
    }

    /// How many files make a graph.
    pub fn files(self) -> usize {
        1 + usize::from(self.0.companion.is_some())
    }

    /// By the end of a file's name, any ending of a compression aside.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = uncompressed_name(path).to_ascii_lowercase();
        let endings = Self::all().flat_map(|format| format.extensions().iter().map(move |ending| (format, ending)));
        // The longest ending decides: `.pace.gr` is not any `.gr`.
        endings
            .filter(|(_, ending)| name.strip_suffix(**ending).is_some_and(|stem| stem.ends_with('.')))
            .max_by_key(|(_, ending)| ending.len())
            .map(|(format, _)| format)
    }

    /// By the beginning of a file where only one format begins like this, else by its name, else the format that it may be;
    /// an error when neither tells, or the file is empty.
    pub fn detect(path: &Path, bytes: &[u8]) -> Result<Self> {
        // Of a graph of several files, the first may be empty.
        if bytes.is_empty() && Self::of_path(path).is_none_or(|format| format.files() == 1) {
            return Err(Error::File { path: path.to_path_buf(), reason: "the file is empty".to_owned() });
        }
        let recognised = |wanted| Self::all().find(|format| (format.0.recognise)(Text { path, bytes }) == wanted);
        recognised(Recognition::Certain)
            .or_else(|| Self::of_path(path))
            .or_else(|| recognised(Recognition::Possible))
            .ok_or_else(|| Error::File {
                path: path.to_path_buf(),
                reason: format!(
                    "neither its name nor its beginning tells its format; name one of {}",
                    Self::names(|_| true)
                ),
            })
    }
}

told_by_text!(Format, |format| format.0.name);

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let ending = |name: &str| {
            let ending = name.trim_start_matches('.');
            let format = Self::of_path(Path::new(&format!("graph.{ending}")))?;
            Some(format!("did you mean {format}, whose files end in .{ending}?"))
        };
        let found = Self::all().find(|format| format.name() == name);
        found.ok_or_else(|| Error::unknown("format", name, Self::all()).with_hint(ending))
    }
}

/// A file's name without its folder and the ending of a compression.
#[doc(hidden)]
pub fn uncompressed_name(path: &Path) -> String {
    let compressed = Compression::of_path(path).is_some();
    let name = if compressed { path.file_stem() } else { path.file_name() };
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A short name for the graph in a file: the file's name without folder and endings.
pub fn graph_name(path: &Path) -> String {
    if is_standard(path) {
        return "standard input".to_owned();
    }
    let name = uncompressed_name(path);
    let endings = Format::of_path(path).map(Format::extensions).unwrap_or_default();
    let lowercase = name.to_ascii_lowercase();
    let ending = endings.iter().find(|ending| lowercase.ends_with(&format!(".{ending}")));
    let length = name.len() - ending.map_or(0, |ending| ending.len() + 1);
    if length == 0 { name } else { name[..length].to_string() }
}

#[cfg(test)]
mod testing {
    //! What the formats' tests share.
    use super::{compression::Contents, loading::InputFile, *};

    type Read = fn(Files<'_>) -> Result<Loaded>;

    pub fn files<B: AsRef<[u8]> + ?Sized>(body: &B) -> Files<'_> {
        let main = InputFile { path: Path::new("test"), contents: Contents::Borrowed(body.as_ref()) };
        Files { main, companion: None, columns: None }
    }

    pub fn parsed<B: AsRef<[u8]> + ?Sized>(read: Read, body: &B) -> Parsed {
        parsed_by(read, body, None)
    }

    pub fn parsed_by<B: AsRef<[u8]> + ?Sized>(read: Read, body: &B, columns: Option<&Columns>) -> Parsed {
        edges_of(read(Files { columns, ..files(body) }).unwrap())
    }

    pub fn reason<B: AsRef<[u8]> + ?Sized>(read: Read, body: &B) -> String {
        read(files(body)).unwrap_err().to_string()
    }

    pub fn edges_of(loaded: Loaded) -> Parsed {
        let Loaded::Edges(parsed) = loaded else { panic!("a text holds edges") };
        parsed
    }

    pub fn edges(parsed: &Parsed) -> Vec<(u32, u32)> {
        parsed.edges.sources.iter().copied().zip(parsed.edges.targets.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_to_formats_and_back() {
        for format in Format::all() {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let to_write = |name: &str| Format::to_write(name).map(Format::name).map_err(|error| error.to_string());
        assert_eq!(to_write("metis"), Ok("metis"));
        for name in ["excel", "gml"] {
            let error = to_write(name).unwrap_err();
            assert!(error.contains("matrix-market, edge-list") && !error.contains("graphml"), "{error}");
        }
        let unknown = "excel".parse::<Format>().unwrap_err().to_string();
        assert!(
            unknown.starts_with("there is no format named 'excel'; there is matrix-market, edge-list"),
            "{unknown}"
        );
    }

    #[test]
    fn content_decides_before_the_name() {
        let detect = |name: &str, bytes: &[u8]| Format::detect(Path::new(name), bytes).unwrap().name();
        assert_eq!(detect("a.txt", b"%%MatrixMarket matrix coordinate pattern general\n"), "matrix-market");
        assert_eq!(detect("a.gr", b"c x\nc\n\np tw 1 0\n"), "pace");
        assert_eq!(detect("a.gr", b"p sp 1 0\n"), "dimacs");
        assert_eq!(detect("a", b"c cats\np col 1 0\n"), "coloring");
        assert_eq!(detect("out.advogato", b"% asym posweighted\n1 2 3\n"), "konect");
        assert_eq!(detect("a.gz", b"EVENKEEL"), "binary");
        assert_eq!(detect("a.graph.xz", b"3 2\n"), "metis");
        assert_eq!(detect("A.E.GZ", b"3 2\n"), "ldbc");
        assert_eq!(detect("a.pace.gr", b"\n"), "pace");
        assert_eq!(detect("a.e", b""), "ldbc");
        for name in ["a.txt", "a", "standard input"] {
            let error = Format::detect(Path::new(name), b"").unwrap_err().to_string();
            assert_eq!(error, format!("{name}: the file is empty"));
        }
        assert_eq!(detect("no-ending", b"# x\n3,2\n"), "edge-list");
        assert!(Format::detect(Path::new("a.bin"), b"\x00\x01").is_err());
    }

    #[test]
    fn a_graph_is_named_after_its_file() {
        for (path, name) in [
            ("road/USA-road-d.NY.gr.gz", "USA-road-d.NY"),
            ("FLA.pace.gr.xz", "FLA"),
            ("dir-input", "dir-input"),
            ("-", "standard input"),
            ("p2p-31.e.gz", "p2p-31"),
            (".txt", ".txt"),
        ] {
            assert_eq!(graph_name(Path::new(path)), name);
        }
    }
}

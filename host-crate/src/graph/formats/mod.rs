//! Graph files: which formats there are, how one is told from another, and what comes out of each.
//!
//! One file a format. A text format's `parse` turns text into [`Parsed`]: edges as they stand in the file, what the nodes
//! are called there, and whether edges have a direction; its `write` does the reverse. Text is read in parallel and the
//! first flaw in the file is reported with its line. [`super::open()`] makes a graph of it.
//!
//! ```
//! use evenkeel::graph::formats::{Format, parse};
//! let parsed = parse(Format::EdgeList, "tiny.txt".as_ref(), b"# a remark\n0 1\n1 2\n")?;
//! assert_eq!((parsed.edges.nodes, parsed.edges.sources.len()), (3, 2));
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod adjacency;
mod batch;
mod binary;
mod coloring;
mod compact;
mod compression;
mod dimacs;
mod edge_list;
mod konect;
mod ldbc;
mod lines;
mod matrix_market;
mod metis;
mod pace;
mod problem;
mod rows;
mod write;

pub use compression::Compression;
pub use write::{format_to_write, write};

use super::{EdgeList, Graph, NodeIds};
use crate::{Error, Result};
use batch::Batch;
use compression::Contents;
use lines::Text;
use std::{fmt, path::Path, str::FromStr};

/// A file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Matrix Market's coordinate format.
    MatrixMarket,
    /// SNAP's and any other list of pairs.
    EdgeList,
    /// Shortest paths of the 9th DIMACS challenge.
    Dimacs,
    /// The PACE challenges.
    Pace,
    /// Colouring of the 2nd DIMACS challenge.
    Coloring,
    /// METIS and the 10th DIMACS challenge.
    Metis,
    /// The KONECT collection.
    Konect,
    /// LDBC Graphalytics, a pair of files.
    Ldbc,
    /// Lines of neighbours.
    Adjacency,
    /// evenkeel's own, which opens by mapping.
    Binary,
}

impl Format {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::MatrixMarket,
        Self::EdgeList,
        Self::Dimacs,
        Self::Pace,
        Self::Coloring,
        Self::Metis,
        Self::Konect,
        Self::Ldbc,
        Self::Adjacency,
        Self::Binary,
    ];

    /// The name that options and messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::MatrixMarket => "matrix-market",
            Self::EdgeList => "edge-list",
            Self::Dimacs => "dimacs",
            Self::Pace => "pace",
            Self::Coloring => "coloring",
            Self::Metis => "metis",
            Self::Konect => "konect",
            Self::Ldbc => "ldbc",
            Self::Adjacency => "adjacency",
            Self::Binary => "binary",
        }
    }

    /// What names of such files end in, the usual one first. Lines of neighbours have no ending of their own.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Self::MatrixMarket => &["mtx"],
            Self::EdgeList => &["el", "txt", "tsv", "csv", "edges", "edgelist", "wel"],
            Self::Dimacs => &["gr"],
            Self::Pace => &["pace.gr"],
            Self::Coloring => &["col"],
            Self::Metis => &["graph", "metis"],
            Self::Konect => &["konect"],
            Self::Ldbc => &["e"],
            Self::Adjacency => &[],
            Self::Binary => &["ekg"],
        }
    }

    /// By the end of a file's name, any ending of a compression aside.
    pub fn of_path(path: &Path) -> Option<Self> {
        let name = uncompressed_name(path).to_ascii_lowercase();
        let endings =
            Self::ALL.into_iter().flat_map(|format| format.extensions().iter().map(move |ending| (format, ending)));
        // The longest ending decides: `.pace.gr` is not any `.gr`.
        endings
            .filter(|(_, ending)| name.strip_suffix(**ending).is_some_and(|stem| stem.ends_with('.')))
            .max_by_key(|(_, ending)| ending.len())
            .map(|(format, _)| format)
    }

    /// By what a file says at its beginning; `None` where it says nothing that only one format says.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let text = Text { path: Path::new(""), bytes };
        let starts_with =
            |magic: &[u8]| bytes.get(..magic.len()).is_some_and(|start| start.eq_ignore_ascii_case(magic));
        if bytes.starts_with(&binary::MAGIC) {
            return Some(Self::Binary);
        }
        if starts_with(matrix_market::BANNER) {
            return Some(Self::MatrixMarket);
        }
        let first_words = text.lines_from(0).next().and_then(konect::header_words);
        if first_words.is_some_and(|(word, _)| konect::SHAPES.contains(&word)) {
            return Some(Self::Konect);
        }
        let (problem, _) = problem::problem_line(&mut text.lines_from(0))?;
        let among = |names: &[&str]| names.iter().any(|name| name.as_bytes() == problem);
        match () {
            () if among(&["sp"]) => Some(Self::Dimacs),
            () if among(&pace::PROBLEMS) => Some(Self::Pace),
            () if among(&coloring::PROBLEMS) => Some(Self::Coloring),
            () => None,
        }
    }

    /// By content where that is clear, else by name, else as an edge list if the first line that is no comment looks like
    /// an edge.
    ///
    /// # Errors
    /// When nothing tells.
    pub fn detect(path: &Path, bytes: &[u8]) -> Result<Self> {
        let looks_like_edges = || {
            let mut lines = Text { path, bytes }.lines_from(0);
            let first = lines.find(|line| line.is_data(b"#%"));
            first.is_some_and(|mut line| line.whole("").is_ok() && line.whole("").is_ok()).then_some(Self::EdgeList)
        };
        Self::of_bytes(bytes).or_else(|| Self::of_path(path)).or_else(looks_like_edges).ok_or_else(|| Error::File {
            path: path.to_path_buf(),
            reason: format!(
                "neither its name nor its beginning tells its format; name one of {}",
                Self::ALL.map(Self::name).join(", ")
            ),
        })
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name).ok_or_else(|| Error::UnknownName {
            kind: "format",
            name: name.to_string(),
            known: Self::ALL.map(|format| format.name().to_string()).to_vec(),
        })
    }
}

/// A file's name without its folder and the ending of a compression.
fn uncompressed_name(path: &Path) -> String {
    let compressed = Compression::of_path(path).is_some();
    let name = if compressed { path.file_stem() } else { path.file_name() };
    name.map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// A short name for the graph in a file: the file's name without folder and endings.
pub fn graph_name(path: &Path) -> String {
    let name = uncompressed_name(path);
    let endings = Format::of_path(path).map(Format::extensions).unwrap_or_default();
    let lowercase = name.to_ascii_lowercase();
    let ending = endings.iter().find(|ending| lowercase.ends_with(&format!(".{ending}")));
    let length = name.len() - ending.map_or(0, |ending| ending.len() + 1);
    if length == 0 { name } else { name[..length].to_string() }
}

/// How a file lists its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// Each with its direction.
    Directed,
    /// Without directions, each at one of its ends (or at both: it is the same edge).
    UndirectedOnce,
    /// Without directions, each at both of its ends.
    UndirectedBothWays,
}

/// What a text says.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// The edges in the order of the file.
    pub edges: EdgeList,
    /// What the file calls the nodes.
    pub ids: NodeIds,
    /// Whether edges have a direction, and how often each is listed.
    pub listing: Listing,
}

impl Parsed {
    fn dense(nodes: u32, edges: Batch<u32>, ids: NodeIds, listing: Listing) -> Self {
        let Batch { sources, targets, weights } = edges;
        Self { edges: EdgeList { nodes, sources, targets, weights }, ids, listing }
    }
}

/// What a file holds: edges to build a graph of, or a graph.
pub(super) enum Loaded {
    Parsed(Parsed),
    Graph(Graph),
}

/// Reads a file, decompressed if need be, in the given format or the one it seems to have.
pub(super) fn load(path: &Path, format: Option<Format>) -> Result<Loaded> {
    let contents = Contents::read(path)?;
    let format = format.map_or_else(|| Format::detect(path, &contents), Ok)?;
    tracing::debug!("{}: {} bytes of {format}", path.display(), contents.len());
    match format {
        Format::Binary => binary::open(path, contents.into_map(path)?).map(Loaded::Graph),
        Format::Ldbc => {
            let candidates = ldbc::vertex_paths(path);
            let Some(vertex_path) = candidates.iter().find(|candidate| candidate.is_file()) else {
                let reason = format!("its nodes should be beside it in {}", candidates[0].display());
                return Err(Error::File { path: path.to_path_buf(), reason });
            };
            let vertices = Contents::read(vertex_path)?;
            let texts = (Text { path, bytes: &contents }, Text { path: vertex_path, bytes: &vertices });
            ldbc::parse(texts.0, texts.1).map(Loaded::Parsed)
        }
        format => parse(format, path, &contents).map(Loaded::Parsed),
    }
}

/// Reads text of any format that is one file of text. `path` is what errors name; nothing is opened.
///
/// # Errors
/// When the text is not of that format, or the format is not of that kind: see [`parse_ldbc`] and [`parse_binary`].
pub fn parse(format: Format, path: &Path, bytes: &[u8]) -> Result<Parsed> {
    let text = Text { path, bytes };
    match format {
        Format::MatrixMarket => matrix_market::parse(text),
        Format::EdgeList => edge_list::parse(text),
        Format::Dimacs => dimacs::parse(text),
        Format::Pace => pace::parse(text),
        Format::Coloring => coloring::parse(text),
        Format::Metis => metis::parse(text),
        Format::Konect => konect::parse(text),
        Format::Adjacency => adjacency::parse(text),
        Format::Ldbc => Err(Error::Usage("a graph of LDBC is two files of text, not one".to_string())),
        Format::Binary => Err(Error::Usage("a binary graph is not text".to_string())),
    }
}

/// Reads the two texts of an LDBC graph. `path` is what errors name: as it is for the edges, with `.v` for the nodes.
///
/// # Errors
/// When one of them is not of that format, or an edge has an end that is not among the nodes.
pub fn parse_ldbc(path: &Path, edges: &[u8], vertices: &[u8]) -> Result<Parsed> {
    ldbc::parse(Text { path, bytes: edges }, Text { path: &path.with_extension("v"), bytes: vertices })
}

/// Reads a binary graph from memory.
///
/// # Errors
/// When the bytes are not a whole, undamaged graph.
pub fn parse_binary(path: &Path, bytes: &[u8]) -> Result<Graph> {
    binary::open(path, Contents::from(bytes).into_map(path)?)
}

#[cfg(test)]
mod testing {
    //! What the formats' tests share.
    use super::*;

    pub fn parsed(parse: fn(Text<'_>) -> Result<Parsed>, body: &str) -> Parsed {
        parse(Text { path: Path::new("test"), bytes: body.as_bytes() }).unwrap()
    }

    pub fn reason(parse: fn(Text<'_>) -> Result<Parsed>, body: &str) -> String {
        parse(Text { path: Path::new("test"), bytes: body.as_bytes() }).unwrap_err().to_string()
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
        for format in Format::ALL {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        let unknown = "excel".parse::<Format>().unwrap_err().to_string();
        assert!(
            unknown.starts_with("there is no format named 'excel'; there is matrix-market, edge-list"),
            "{unknown}"
        );
    }

    #[test]
    fn content_decides_before_the_name() {
        let detect = |name: &str, bytes: &[u8]| Format::detect(Path::new(name), bytes).unwrap();
        assert_eq!(detect("a.txt", b"%%MatrixMarket matrix coordinate pattern general\n"), Format::MatrixMarket);
        assert_eq!(detect("a.gr", b"c x\nc\n\np tw 1 0\n"), Format::Pace);
        assert_eq!(detect("a.gr", b"p sp 1 0\n"), Format::Dimacs);
        assert_eq!(detect("a", b"c cats\np col 1 0\n"), Format::Coloring);
        assert_eq!(detect("out.advogato", b"% asym posweighted\n1 2 3\n"), Format::Konect);
        assert_eq!(detect("a.gz", b"EVENKEEL"), Format::Binary);
        assert_eq!(detect("a.graph.xz", b"3 2\n"), Format::Metis);
        assert_eq!(detect("A.E.GZ", b"3 2\n"), Format::Ldbc);
        assert_eq!(detect("a.pace.gr", b""), Format::Pace);
        assert_eq!(detect("no-ending", b"# x\n3,2\n"), Format::EdgeList);
        assert!(Format::detect(Path::new("a.bin"), b"\x00\x01").is_err());
    }

    #[test]
    fn a_graph_is_named_after_its_file() {
        for (path, name) in [
            ("road/USA-road-d.NY.gr.gz", "USA-road-d.NY"),
            ("FLA.pace.gr.xz", "FLA"),
            ("dir-input", "dir-input"),
            ("p2p-31.e.gz", "p2p-31"),
            (".txt", ".txt"),
        ] {
            assert_eq!(graph_name(Path::new(path)), name);
        }
    }
}

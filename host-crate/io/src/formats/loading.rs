//! Reading graphs: from a file, standard input or memory into what a format makes of them.

use super::{
    Columns, Compression, Format, Listing, Table, batch::Batch, binary, compression::Contents, edge_list, lines::Text,
    reading::is_standard,
};
use evenkeel_base::{Error, Result, phase};
use evenkeel_graph::{Dimensions, EdgeList, EdgesPart, Graph, GraphPart, NodeIds};
use std::{fs::File, path::Path, time::SystemTime};

/// A file to read: its path, which errors name, and its bytes, decompressed.
pub(super) struct InputFile<'a> {
    pub path: &'a Path,
    pub contents: Contents<'a>,
}

impl InputFile<'_> {
    pub fn text(&self) -> Text<'_> {
        Text { path: self.path, bytes: &self.contents }
    }
}

/// The files of a graph.
pub(super) struct Files<'a> {
    pub main: InputFile<'a>,
    /// There exactly when the format has a [`Companion`](super::Companion).
    pub companion: Option<InputFile<'a>>,
    /// Which columns hold the edges, where the user says so; only for formats that have columns.
    pub columns: Option<&'a Columns>,
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
    /// Whether the file or its format says so; where neither does, edges are taken as directed.
    pub direction_stated: bool,
    /// Where in a table the edges were.
    pub table: Option<Table>,
    /// A remark on weights that were not kept as they are written, with the file and the first place.
    pub weight_remark: Option<String>,
    /// How many rows and columns the matrix has, where it is not square.
    pub dimensions: Option<Dimensions>,
}

/// What a file holds.
#[derive(Clone, Debug)]
pub enum Loaded {
    /// Edges, from which a graph is built.
    Edges(Parsed),
    /// A graph.
    Graph(Graph),
}

impl Loaded {
    pub(super) fn edges(text: Text<'_>, nodes: u32, edges: Batch<u32>, ids: NodeIds, listing: Listing) -> Self {
        let Batch { sources, targets, weights, rounding } = edges;
        let weight_remark = rounding.remark(text);
        let edges = EdgeList { nodes, sources, targets, weights };
        Self::Edges(Parsed {
            edges,
            ids,
            listing,
            direction_stated: true,
            table: None,
            weight_remark,
            dimensions: None,
        })
    }

    /// Makes the result of a file that does not say whether its edges have a direction.
    pub(super) fn without_stated_direction(self) -> Self {
        match self {
            Self::Edges(parsed) => Self::Edges(Parsed { direction_stated: false, ..parsed }),
            graph => graph,
        }
    }

    /// Adds where in a table the edges were, and whether the table says that they have a direction.
    pub(super) fn with_table(self, table: Table, direction_stated: bool) -> Self {
        match self {
            Self::Edges(parsed) => Self::Edges(Parsed { direction_stated, table: Some(table), ..parsed }),
            graph => graph,
        }
    }

    /// Adds how many rows and columns the matrix has.
    pub(super) fn with_dimensions(self, dimensions: Dimensions) -> Self {
        match self {
            Self::Edges(parsed) => Self::Edges(Parsed { dimensions: Some(dimensions), ..parsed }),
            graph => graph,
        }
    }

    /// Edges between nodes that are called `first`, `first + 1` and so on.
    pub(super) fn counted(text: Text<'_>, nodes: u32, edges: Batch<u32>, first: u64, listing: Listing) -> Self {
        Self::edges(text, nodes, edges, NodeIds::Counted { first }, listing)
    }
}

/// A file that was read, and what it was taken for.
pub(crate) struct LoadedFile {
    pub loaded: Loaded,
    pub format: Format,
    pub compression: Option<Compression>,
}

/// Reads a file or standard input, decompressed if need be, in the given format or the one it seems to have.
pub(crate) fn load(path: &Path, format: Option<Format>, columns: Option<&Columns>) -> Result<LoadedFile> {
    let standard = is_standard(path);
    let watched = if standard { None } else { Watched::begin(path) };
    let (contents, compression) = if standard { Contents::read_standard_input()? } else { Contents::read(path)? };
    let path = if standard { Path::new("standard input") } else { path };
    let _phase = phase::begin("parsing", "");
    if contents.starts_with(&[0xff, 0xfe]) || contents.starts_with(&[0xfe, 0xff]) {
        let reason = "the file is UTF-16, and has to be UTF-8 (iconv -f UTF-16 -t UTF-8 makes it so)".to_owned();
        return Err(Error::File { path: path.to_path_buf(), reason });
    }
    let format = format.map_or_else(|| Format::detect(path, &contents), Ok)?;
    tracing::debug!("{}: {} bytes of {format}", path.display(), contents.len());
    check_columns(format, path, columns)?;
    let main = InputFile { path, contents };
    let read = |companion| (format.0.read)(Files { main, companion, columns });
    let loaded = match format.0.companion {
        None => read(None)?,
        Some(companion) => {
            let beside = companion.found(path).map_err(|usual| {
                let reason = format!("its {} should be beside it in {}", companion.about, usual.display());
                Error::File { path: path.to_path_buf(), reason }
            })?;
            let watched = Watched::begin(&beside);
            let loaded = read(Some(InputFile { path: &beside, contents: Contents::read(&beside)?.0 }))?;
            watched.map_or(Ok(()), |watched| watched.check(&beside))?;
            loaded
        }
    };
    watched.map_or(Ok(()), |watched| watched.check(path))?;
    Ok(LoadedFile { loaded, format, compression })
}

/// A part of a file, as one of several workers reads it.
#[derive(Debug)]
pub enum FilePart {
    /// Rows of a graph.
    Rows(GraphPart),
    /// Edges.
    Edges(EdgesPart),
    /// The file has to be read as a whole: it is compressed, or of a format of which no part can be read alone.
    Whole,
}

/// Reads one of several parts of a file. The file stays mapped, and only the pages of the part are read.
///
/// # Errors
/// When the file cannot be read, or the part is not of its format.
pub fn load_part(
    path: &Path,
    format: Option<Format>,
    columns: Option<&Columns>,
    part: usize,
    parts: usize,
) -> Result<FilePart> {
    let contents = Contents::of_file(path).map_err(Error::io(path))?;
    if is_standard(path) || Compression::of_bytes(&contents).is_some() {
        return Ok(FilePart::Whole);
    }
    let format = format.map_or_else(|| Format::detect(path, &contents), Ok)?;
    check_columns(format, path, columns)?;
    match format.name() {
        "binary" => {
            let opened = binary::open_part(contents.into_map(path)?, part, parts);
            let opened = opened.map_err(|reason| Error::File { path: path.to_path_buf(), reason })?;
            Ok(opened.map_or(FilePart::Whole, FilePart::Rows))
        }
        "edge-list" => {
            let read = edge_list::read_part(Text { path, bytes: &contents }, columns, part, parts)?;
            Ok(read.map_or(FilePart::Whole, FilePart::Edges))
        }
        _ => Ok(FilePart::Whole),
    }
}

/// A file that nobody may change while it is read, because what is mapped of it would change, too.
pub struct Watched {
    file: File,
    before: (u64, SystemTime),
}

impl Watched {
    /// Begins to watch a file; none where that means nothing, or the file cannot be opened, which whoever reads it finds out.
    #[doc(hidden)]
    pub fn begin(path: &Path) -> Option<Self> {
        let file = File::open(path).ok()?;
        let before = Self::state(&file)?;
        Some(Self { file, before })
    }

    fn state(file: &File) -> Option<(u64, SystemTime)> {
        let metadata = file.metadata().ok().filter(|metadata| metadata.is_file())?;
        Some((metadata.len(), metadata.modified().ok()?))
    }

    /// Refuses a file that was changed. Another file that has got its name meanwhile is none of it.
    #[doc(hidden)]
    pub fn check(&self, path: &Path) -> Result<()> {
        if Self::state(&self.file) == Some(self.before) {
            return Ok(());
        }
        Err(Error::File { path: path.to_path_buf(), reason: "the file was changed while it was read".into() })
    }
}

fn check_columns(format: Format, path: &Path, columns: Option<&Columns>) -> Result<()> {
    match columns.is_some() && !format.has_columns() {
        false => Ok(()),
        true => {
            let known = Format::names(|format| format.has_columns());
            let reason = format!("columns can be chosen in {known}, and this file is {format}");
            Err(Error::File { path: path.to_path_buf(), reason })
        }
    }
}

/// Reads a graph from memory: the bytes of each of its [`Format::files`], decompressed. `path` is what errors name; nothing is
/// opened.
///
/// # Errors
/// When the bytes are not of that format, or there are more or fewer files than it has.
pub fn parse(format: Format, path: &Path, files: &[&[u8]]) -> Result<Loaded> {
    parse_columns(format, path, files, None)
}

/// Parses a graph whose columns of edges the user names.
///
/// # Errors
/// As for [`parse`], or when there are no such columns, or the format has none.
pub fn parse_columns(format: Format, path: &Path, files: &[&[u8]], columns: Option<&Columns>) -> Result<Loaded> {
    check_columns(format, path, columns)?;
    let input = |path, bytes| InputFile { path, contents: Contents::Borrowed(bytes) };
    let companion_path = format.0.companion.map(|companion| companion.usual(path));
    let files = match (files, &companion_path) {
        ([main], None) => Files { main: input(path, main), companion: None, columns },
        ([main, second], Some(beside)) => {
            Files { main: input(path, main), companion: Some(input(beside, second)), columns }
        }
        _ => {
            let (given, needed) = (files.len(), format.files());
            return Err(Error::Usage(format!(
                "a graph of the format {format} is {needed} files, and {given} were given"
            )));
        }
    };
    (format.0.read)(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_graph_has_as_many_files_as_its_format_says() {
        let ldbc: Format = "ldbc".parse().unwrap();
        let loaded = |files: &[&[u8]]| parse(ldbc, Path::new("g.e"), files);
        assert!(matches!(loaded(&[b"1 2\n", b"1\n2\n"]), Ok(Loaded::Edges(_))));
        let error = loaded(&[b"1 2\n"]).unwrap_err().to_string();
        assert_eq!(error, "a graph of the format ldbc is 2 files, and 1 were given");
    }

    #[test]
    fn utf_16_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        for bytes in [b"\xff\xfea\0,\0b\0", b"\xfe\xff\0a\0,\0b"] {
            std::fs::write(&path, bytes).unwrap();
            for format in [None, Some("edge-list".parse().unwrap())] {
                let error = load(&path, format, None).err().unwrap().to_string();
                assert!(error.contains("a.csv: the file is UTF-16, and has to be UTF-8"), "{error}");
            }
        }
    }

    #[test]
    fn a_file_that_is_changed_meanwhile_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "1 2\n").unwrap();
        let watched = Watched::begin(&path).unwrap();
        // Another file of the same name is no change.
        std::fs::rename(&path, folder.path().join("b.txt")).unwrap();
        std::fs::write(&path, "1 2\n2 3\n").unwrap();
        assert!(watched.check(&path).is_ok());
        std::fs::write(folder.path().join("b.txt"), "1").unwrap();
        let error = watched.check(&path).unwrap_err();
        assert_eq!(error.exit_status(), 3);
        assert!(error.to_string().ends_with("a.txt: the file was changed while it was read"), "{error}");
        assert!(Watched::begin(folder.path()).is_none() && Watched::begin(&folder.path().join("c")).is_none());
    }

    #[test]
    fn columns_are_for_tables() {
        let columns: Columns = "source=2,target=1".parse().unwrap();
        let parsed = |format: &str| parse_columns(format.parse().unwrap(), "a".as_ref(), &[b"1 2\n"], Some(&columns));
        let Loaded::Edges(parsed_edges) = parsed("edge-list").unwrap() else { panic!("an edge list holds edges") };
        assert_eq!(parsed_edges.edges.sources, [1]);
        let error = parsed("metis").unwrap_err().to_string();
        assert!(error.starts_with("a: columns can be chosen in edge-list, "), "{error}");
    }
}

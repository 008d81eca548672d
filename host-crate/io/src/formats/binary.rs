//! evenkeel's own format (`.ekg`): a CSR as it lies in memory, so that a file opens by mapping it.
//!
//! Little-endian. A header of 64 bytes, then sections that each begin at a multiple of 64: row offsets (u32, or u64 in version 4; one more
//! than nodes), columns (u32), weights if any (u32 or f32), ids if listed (u64), or, since version 3, where each name ends (u64) and
//! the names (UTF-8). Opening checks the header's checksum, the exact length, and every offset, column, real weight, id and name, in
//! parallel: a damaged file is an error, never a crash later on.
//!
//! Since version 2 the header also holds facts about the graph, so that they need not be computed again: whether it is symmetric,
//! its node of the highest degree, and the range of its weights. The node and the range of real weights are compared with the
//! sections, which are read for the checks anyway, and so is symmetry, by a sum that is wrong for any damage but not for one that
//! was made up to deceive it. The range of whole weights is believed: a wrong one can make an answer wrong, as any other change of a
//! section can, and cannot lead outside of a buffer.
//!
//! Version 4 is that of graphs with more than `u32::MAX` edges. All others are written in version 3, which older programs read.

use super::prelude::*;
use bytemuck::{Pod, Zeroable};
use evenkeel_base::{Error, phase};
use evenkeel_graph::{
    Array, Csr, Names, NodeIds, Offsets, OffsetsView,
    csr::MOST_NODES,
    offsets::MOST_EDGES,
    part::{GraphPart, balanced},
};
use memmap2::Mmap;
use rayon::prelude::*;
use std::sync::Arc;

pub(super) struct Binary;

impl FileFormat for Binary {
    const NAME: &'static str = "binary";
    const ABOUT: &'static str = "evenkeel's own, which opens at once";
    const EXTENSIONS: &'static [&'static str] = &["ekg"];
    const WRITER: Option<Writer> = Some(write);

    fn recognise(beginning: Text<'_>) -> Recognition {
        Recognition::certain_if(beginning.bytes.starts_with(&MAGIC))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let path = files.main.path;
        let graph = open(files.main.contents.into_map(path)?);
        graph.map(Loaded::Graph).map_err(|reason| Error::File { path: path.to_path_buf(), reason })
    }
}

// Sections are read and written as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"), "the binary format is for little-endian machines");

/// What every file begins with.
const MAGIC: [u8; 8] = *b"EVENKEEL";
/// The version with 64-bit offsets, in which graphs are written that need them.
const VERSION_WIDE: u32 = 4;
/// The version in which all other graphs are written.
const VERSION: u32 = 3;
/// The version without names, which is read too.
const VERSION_WITHOUT_NAMES: u32 = 2;
/// The version without facts and names, which is read too.
const VERSION_WITHOUT_FACTS: u32 = 1;
const ALIGNMENT: u64 = 64;

const DIRECTED: u32 = 1 << 0;
const WEIGHTS_U32: u32 = 1 << 1;
const WEIGHTS_F32: u32 = 1 << 2;
const IDS_LISTED: u32 = 1 << 3;
// One of these two is set where it is known.
const SYMMETRIC: u32 = 1 << 4;
const NOT_SYMMETRIC: u32 = 1 << 5;
const FLAGS_WITHOUT_FACTS: u32 = DIRECTED | WEIGHTS_U32 | WEIGHTS_F32 | IDS_LISTED;
const FLAGS_WITHOUT_NAMES: u32 = FLAGS_WITHOUT_FACTS | SYMMETRIC | NOT_SYMMETRIC;
/// Set instead of [`IDS_LISTED`].
const NAMED: u32 = 1 << 6;
const FLAGS: u32 = FLAGS_WITHOUT_NAMES | NAMED;

#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Header {
    magic: [u8; 8],
    version: u32,
    flags: u32,
    nodes: u64,
    edges: u64,
    /// The id of node 0 when ids are not listed.
    first_id: u64,
    /// The node of the highest degree, the first of several; 0 without nodes. This and the following are 0 in version 1.
    max_degree_node: u32,
    /// The smallest and the largest weight, as the bits of the weights' type; 0 without weights.
    weight_range: [u32; 2],
    /// How many bytes all names have, low half first; 0 before version 3.
    name_bytes: [u32; 2],
    /// CRC-32 of all bytes before it.
    checksum: u32,
}

const _: () = assert!(size_of::<Header>() as u64 == ALIGNMENT);

impl Header {
    fn of(graph: &Graph) -> Self {
        let csr = &graph.csr;
        let weights = match csr.weights() {
            Weights::None => 0,
            Weights::U32(_) => WEIGHTS_U32,
            Weights::F32(_) => WEIGHTS_F32,
        };
        // Found now if it is not known: that takes less time than writing the file, and readers need not look any more.
        let symmetric = if csr.is_symmetric() { SYMMETRIC } else { NOT_SYMMETRIC };
        let bits = |weight: f64| match csr.weights() {
            Weights::F32(_) => (weight as f32).to_bits(),
            _ => weight as u32,
        };
        let (first_id, listed) = match graph.ids {
            NodeIds::Counted { first } => (first, 0),
            NodeIds::Listed(_) => (0, IDS_LISTED),
            NodeIds::Named(_) => (0, NAMED),
        };
        let name_bytes = if let NodeIds::Named(names) = &graph.ids { names.parts().0.len() as u64 } else { 0 };
        let mut header = Self {
            magic: MAGIC,
            version: match csr.offsets() {
                OffsetsView::Narrow(_) => VERSION,
                OffsetsView::Wide(_) => VERSION_WIDE,
            },
            flags: if graph.directed { DIRECTED } else { 0 } | weights | listed | symmetric,
            nodes: u64::from(csr.nodes()),
            edges: csr.edges(),
            first_id,
            max_degree_node: csr.max_degree_node().unwrap_or(0),
            weight_range: csr.weight_range().map_or([0; 2], |(low, high)| [bits(low), bits(high)]),
            name_bytes: [name_bytes as u32, (name_bytes >> 32) as u32],
            checksum: 0,
        };
        header.checksum = header.computed_checksum();
        header
    }

    fn computed_checksum(&self) -> u32 {
        let bytes = bytemuck::bytes_of(self);
        let mut checksum = flate2::Crc::new();
        checksum.update(&bytes[..bytes.len() - size_of::<u32>()]);
        checksum.sum()
    }

    /// Whether offsets are 64 bits wide.
    fn is_wide(&self) -> bool {
        self.version == VERSION_WIDE
    }

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Compares the facts of the header with the sections, and states those that were not computed on the way.
    fn state_facts(&self, csr: Csr) -> Result<Csr, String> {
        if self.version == VERSION_WITHOUT_FACTS {
            return Ok(csr);
        }
        if csr.max_degree_node().unwrap_or(0) != self.max_degree_node {
            let node = self.max_degree_node;
            return Err(format!("the header calls {node} the node of the highest degree, which it is not"));
        }
        let [low, high] = match csr.weights() {
            Weights::F32(_) => self.weight_range.map(|bits| f64::from(f32::from_bits(bits))),
            _ => self.weight_range.map(f64::from),
        };
        csr.state_weight_range((!csr.weights().is_empty()).then_some((low, high)));
        if csr.weight_range().is_some_and(|range| range != (low, high)) || low > high {
            return Err(format!("the header says that weights are {low} to {high}, which they are not"));
        }
        if self.has(SYMMETRIC) && !csr.seems_symmetric() {
            return Err("the header calls the graph symmetric, and not every edge has its reverse".to_string());
        }
        Ok(match (self.has(SYMMETRIC), self.has(NOT_SYMMETRIC)) {
            (false, false) => csr,
            (symmetric, _) => csr.state_symmetric(symmetric),
        })
    }

    /// Reads and checks all that can be known without the sections.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let header = bytes.get(..size_of::<Self>()).ok_or("the file is shorter than a header")?;
        let header: Self = bytemuck::pod_read_unaligned(header);
        if header.magic != MAGIC {
            return Err("this is not evenkeel's binary format".to_string());
        }
        if !(VERSION_WITHOUT_FACTS..=VERSION_WIDE).contains(&header.version) {
            let (found, first) = (header.version, VERSION_WITHOUT_FACTS);
            return Err(format!("version {found} of the binary format; this program reads {first} to {VERSION_WIDE}"));
        }
        if header.checksum != header.computed_checksum() {
            return Err("the header is damaged: its checksum does not match".to_string());
        }
        let known = match header.version {
            VERSION_WITHOUT_FACTS => FLAGS_WITHOUT_FACTS,
            VERSION_WITHOUT_NAMES => FLAGS_WITHOUT_NAMES,
            _ => FLAGS,
        };
        let both = |one, other| header.has(one) && header.has(other);
        if header.flags & !known != 0
            || both(WEIGHTS_U32, WEIGHTS_F32)
            || both(SYMMETRIC, NOT_SYMMETRIC)
            || both(IDS_LISTED, NAMED)
        {
            return Err(format!("the header's flags {:#x} mean nothing", header.flags));
        }
        if !header.has(DIRECTED) && header.has(NOT_SYMMETRIC) {
            return Err("the header calls the graph undirected and not symmetric".to_string());
        }
        let most_edges = if header.is_wide() { MOST_EDGES } else { u32::MAX.into() };
        if header.nodes > MOST_NODES || header.edges > most_edges {
            let (nodes, edges) = (header.nodes, header.edges);
            return Err(format!("{nodes} nodes and {edges} edges: at most {MOST_NODES} and {most_edges} are possible"));
        }
        if header.first_id.checked_add(header.nodes).is_none() {
            return Err("ids run past the highest 64-bit number".to_string());
        }
        Ok(header)
    }
}

/// Gives the sections of a mapped file one after the other.
struct Sections {
    map: Arc<Mmap>,
    position: u64,
}

impl Sections {
    /// The offsets of rows, in the width that the version has.
    fn offsets(&mut self, header: &Header) -> Result<Offsets, String> {
        Ok(match header.is_wide() {
            true => Offsets::Wide(self.take(header.nodes + 1)?),
            false => Offsets::Narrow(self.take(header.nodes + 1)?),
        })
    }

    fn take<T: Pod>(&mut self, length: u64) -> Result<Array<T>, String> {
        // Numbers of nodes and edges were checked to be at most 2^48, that of names to be below 2^61, so that nothing overflows here.
        let bytes = length * size_of::<T>() as u64;
        let start = self.position.next_multiple_of(ALIGNMENT);
        self.position = start + bytes;
        let position = |value: u64| usize::try_from(value).map_err(|_| "larger than the address space".to_string());
        Array::mapped(self.map.clone(), position(start)?, position(bytes)?)
            .ok_or_else(|| format!("the file ends before byte {}: {} are there", self.position, self.map.len()))
    }

    /// The names of the nodes.
    fn ids(&mut self, header: &Header) -> Result<NodeIds, String> {
        if header.has(IDS_LISTED) {
            let ids: Array<u64> = self.take(header.nodes)?;
            return match ids.par_windows(2).all(|pair| pair[0] < pair[1]) {
                true => Ok(NodeIds::Listed(ids)),
                false => Err("the ids are not in ascending order".to_string()),
            };
        }
        if !header.has(NAMED) {
            return Ok(NodeIds::Counted { first: header.first_id });
        }
        let ends = self.take(header.nodes)?;
        let bytes = u64::from(header.name_bytes[0]) | u64::from(header.name_bytes[1]) << 32;
        // No file is longer, and so nothing overflows when sections are added up.
        let text = self.take(bytes.min(1 << 60))?;
        Ok(NodeIds::Named(Names::checked(text, ends)?))
    }
}

/// Opens one of several parts of a mapped file, of which only the pages of these rows are read, and checked. Nothing comes of a file of
/// another format.
pub(crate) fn open_part(map: Arc<Mmap>, part: usize, parts: usize) -> Result<Option<GraphPart>, String> {
    if !map.starts_with(&MAGIC) {
        return Ok(None);
    }
    let header = Header::read(&map)?;
    let length = map.len() as u64;
    let mut sections = Sections { map: map.clone(), position: size_of::<Header>() as u64 };
    let offsets = sections.offsets(&header)?;
    let columns = sections.take::<u32>(header.edges).map(|_| sections.position - 4 * header.edges)?;
    let has_weights = header.has(WEIGHTS_U32) || header.has(WEIGHTS_F32);
    let weights = match has_weights {
        true => sections.take::<u32>(header.edges).map(|_| sections.position - 4 * header.edges)?,
        false => 0,
    };
    let ids = sections.ids(&header)?;
    if sections.position != length {
        return Err(format!("{length} bytes where {} belong", sections.position));
    }
    let starts = balanced(offsets.view(), parts);
    let rows = starts[part]..starts[part + 1];
    let bound = |row: u32| offsets.view().at(row as usize) as u64;
    let (first, last) = (bound(rows.start), bound(rows.end));
    if first > last || last > header.edges {
        return Err(format!("the row offsets fall from {first} to {last}, or are more than {} edges", header.edges));
    }
    let of_edges = |section: u64| ((section + 4 * first) as usize, 4 * (last - first) as usize);
    let missing = || "the file ends before its sections do".to_owned();
    let ((columns, bytes), (weights, _)) = (of_edges(columns), of_edges(weights));
    let columns = Array::mapped(map.clone(), columns, bytes).ok_or_else(missing)?;
    let weights = match () {
        () if header.has(WEIGHTS_U32) => Weights::U32(Array::mapped(map, weights, bytes).ok_or_else(missing)?),
        () if header.has(WEIGHTS_F32) => Weights::F32(Array::mapped(map, weights, bytes).ok_or_else(missing)?),
        () => Weights::None,
    };
    let csr = Csr::from_rows(rows, offsets.view(), columns, weights).map_err(|error| error.to_string())?;
    refuse_infinite(&csr)?;
    let graph = Graph { name: String::new(), csr, ids, directed: header.has(DIRECTED) };
    Ok(Some(GraphPart { graph, starts }))
}

/// Weights are finite.
fn refuse_infinite(csr: &Csr) -> Result<(), String> {
    if let Weights::F32(_) = csr.weights()
        && csr.weight_range().is_some_and(|(low, high)| !low.is_finite() || !high.is_finite())
    {
        return Err("a weight is not a finite number".to_string());
    }
    Ok(())
}

/// Opens a mapped file.
fn open(map: Arc<Mmap>) -> Result<Graph, String> {
    let header = Header::read(&map)?;
    let length = map.len() as u64;
    let mut sections = Sections { map, position: size_of::<Header>() as u64 };
    let offsets = sections.offsets(&header)?;
    let columns = sections.take::<u32>(header.edges)?;
    let weights = match () {
        () if header.has(WEIGHTS_U32) => Weights::U32(sections.take(header.edges)?),
        () if header.has(WEIGHTS_F32) => Weights::F32(sections.take(header.edges)?),
        () => Weights::None,
    };
    let ids = sections.ids(&header)?;
    if sections.position != length {
        return Err(format!("{length} bytes where {} belong", sections.position));
    }
    let _phase = phase::begin("checking", "");
    let csr = Csr::checked(offsets, columns, weights).map_err(|error| error.to_string())?;
    refuse_infinite(&csr)?;
    let csr = header.state_facts(csr)?;
    // What is known of symmetry was checked.
    if !header.has(DIRECTED) && csr.known_symmetric().is_none() && !csr.seems_symmetric() {
        return Err("the header calls the graph undirected, and not every edge has its reverse".to_string());
    }
    Ok(Graph { name: String::new(), csr, ids, directed: header.has(DIRECTED) })
}

fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let mut position = size_of::<Header>() as u64;
    out.write_all(bytemuck::bytes_of(&Header::of(graph)))?;
    let mut section = |bytes: &[u8]| {
        let padding = position.next_multiple_of(ALIGNMENT) - position;
        position += padding + bytes.len() as u64;
        out.write_all(&[0; ALIGNMENT as usize][..padding as usize])?;
        out.write_all(bytes)
    };
    section(graph.csr.offsets().bytes())?;
    section(bytemuck::cast_slice(graph.csr.columns()))?;
    match graph.csr.weights() {
        Weights::None => {}
        Weights::U32(column) => section(bytemuck::cast_slice(column))?,
        Weights::F32(column) => section(bytemuck::cast_slice(column))?,
    }
    match &graph.ids {
        NodeIds::Counted { .. } => Ok(()),
        NodeIds::Listed(ids) => section(bytemuck::cast_slice(ids)),
        NodeIds::Named(names) => {
            let (text, ends) = names.parts();
            section(bytemuck::cast_slice(ends))?;
            section(text)
        }
    }
}

/// The header of a file with other numbers of edges and another node of the highest degree.
#[cfg(test)]
pub(crate) fn with_edges(file: &[u8], edges: u64, max_degree_node: u32) -> Vec<u8> {
    let header: Header = bytemuck::pod_read_unaligned(&file[..size_of::<Header>()]);
    let mut header = Header { edges, max_degree_node, ..header };
    header.checksum = header.computed_checksum();
    bytemuck::bytes_of(&header).to_vec()
}

#[cfg(test)]
mod tests;

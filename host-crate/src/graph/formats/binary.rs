//! evenkeel's own format (`.ekg`): a CSR as it lies in memory, so that a file opens by mapping it.
//!
//! Little-endian. A header of 64 bytes, then sections that each begin at a multiple of 64: row offsets (u32, one more than
//! nodes), columns (u32), weights if any (u32 or f32), ids if listed (u64). Opening checks the header's checksum, the exact
//! length, and every offset, column, weight and id, in parallel: a damaged file is an error, never a crash later on.

use super::super::{Array, Csr, Graph, NodeIds, Weights};
use super::batch::MOST_NODES;
use crate::{Error, Result};
use bytemuck::{Pod, Zeroable};
use memmap2::Mmap;
use rayon::prelude::*;
use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

// Sections are read and written as they lie in memory.
const _: () = assert!(cfg!(target_endian = "little"), "the binary format is for little-endian machines");

/// What every file begins with.
pub(super) const MAGIC: [u8; 8] = *b"EVENKEEL";
const VERSION: u32 = 1;
const ALIGNMENT: u64 = 64;

const DIRECTED: u32 = 1 << 0;
const WEIGHTS_U32: u32 = 1 << 1;
const WEIGHTS_F32: u32 = 1 << 2;
const IDS_LISTED: u32 = 1 << 3;
const KNOWN_FLAGS: u32 = DIRECTED | WEIGHTS_U32 | WEIGHTS_F32 | IDS_LISTED;

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
    reserved: [u32; 5],
    /// CRC-32 of all bytes before it.
    checksum: u32,
}

const _: () = assert!(size_of::<Header>() as u64 == ALIGNMENT);

impl Header {
    fn of(graph: &Graph) -> Self {
        let weights = match graph.csr.weights {
            Weights::None => 0,
            Weights::U32(_) => WEIGHTS_U32,
            Weights::F32(_) => WEIGHTS_F32,
        };
        let (first_id, listed) = match graph.ids {
            NodeIds::Counted { first } => (first, 0),
            NodeIds::Listed(_) => (0, IDS_LISTED),
        };
        let mut header = Self {
            magic: MAGIC,
            version: VERSION,
            flags: if graph.directed { DIRECTED } else { 0 } | weights | listed,
            nodes: u64::from(graph.csr.nodes()),
            edges: u64::from(graph.csr.edges()),
            first_id,
            reserved: [0; 5],
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

    fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    /// Reads and checks all that can be known without the sections.
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let header = bytes.get(..size_of::<Self>()).ok_or("the file is shorter than a header")?;
        let header: Self = bytemuck::pod_read_unaligned(header);
        if header.magic != MAGIC {
            return Err("this is not evenkeel's binary format".to_string());
        }
        if header.version != VERSION {
            return Err(format!("version {} of the binary format; this program reads {VERSION}", header.version));
        }
        if header.checksum != header.computed_checksum() {
            return Err("the header is damaged: its checksum does not match".to_string());
        }
        if header.flags & !KNOWN_FLAGS != 0 || (header.has(WEIGHTS_U32) && header.has(WEIGHTS_F32)) {
            return Err(format!("the header's flags {:#x} mean nothing", header.flags));
        }
        if header.nodes > MOST_NODES || header.edges > u64::from(u32::MAX) {
            let (nodes, edges) = (header.nodes, header.edges);
            return Err(format!("{nodes} nodes and {edges} edges: 32-bit indices allow {MOST_NODES} and {}", u32::MAX));
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
    fn take<T: Pod>(&mut self, length: u64) -> Result<Array<T>, String> {
        // Lengths were checked to be below 2^32, so that nothing overflows here.
        let bytes = length * size_of::<T>() as u64;
        let start = self.position.next_multiple_of(ALIGNMENT);
        self.position = start + bytes;
        let position = |value: u64| usize::try_from(value).map_err(|_| "larger than the address space".to_string());
        Array::mapped(self.map.clone(), position(start)?, position(bytes)?)
            .ok_or_else(|| format!("the file ends before byte {}: {} are there", self.position, self.map.len()))
    }
}

/// Opens a mapped file.
pub(super) fn open(path: &Path, map: Arc<Mmap>) -> Result<Graph> {
    let reason = |reason| Error::File { path: path.to_path_buf(), reason };
    let header = Header::read(&map).map_err(reason)?;
    read_sections(&header, map).map_err(reason).map(|(csr, ids)| Graph {
        name: String::new(),
        csr,
        ids,
        directed: header.has(DIRECTED),
    })
}

fn read_sections(header: &Header, map: Arc<Mmap>) -> Result<(Csr, NodeIds), String> {
    let length = map.len() as u64;
    let mut sections = Sections { map, position: size_of::<Header>() as u64 };
    let row_offsets = sections.take::<u32>(header.nodes + 1)?;
    let columns = sections.take::<u32>(header.edges)?;
    let weights = match () {
        () if header.has(WEIGHTS_U32) => Weights::U32(sections.take(header.edges)?),
        () if header.has(WEIGHTS_F32) => Weights::F32(sections.take(header.edges)?),
        () => Weights::None,
    };
    let ids = match header.has(IDS_LISTED) {
        true => NodeIds::Listed(sections.take(header.nodes)?),
        false => NodeIds::Counted { first: header.first_id },
    };
    if sections.position != length {
        return Err(format!("{length} bytes where {} belong", sections.position));
    }
    check_rows(&row_offsets, &columns)?;
    if let Weights::F32(column) = &weights
        && column.par_iter().any(|weight| !weight.is_finite())
    {
        return Err("a weight is not a finite number".to_string());
    }
    if let NodeIds::Listed(ids) = &ids
        && !ids.par_windows(2).all(|pair| pair[0] < pair[1])
    {
        return Err("the ids are not in ascending order".to_string());
    }
    Ok((Csr { row_offsets, columns, weights }, ids))
}

fn check_rows(row_offsets: &[u32], columns: &[u32]) -> Result<(), String> {
    let nodes = row_offsets.len() - 1;
    let ends_right = row_offsets[0] == 0 && row_offsets[nodes] as usize == columns.len();
    // Offsets must be known to rise before rows are cut along them.
    if !ends_right || !row_offsets.par_windows(2).all(|pair| pair[0] <= pair[1]) {
        return Err("the row offsets do not rise from 0 to the number of edges".to_string());
    }
    let sorted = |row: &[u32]| columns[row[0] as usize..row[1] as usize].is_sorted();
    if !columns.par_iter().all(|column| (*column as usize) < nodes) || !row_offsets.par_windows(2).all(sorted) {
        return Err("the columns of a row are out of order or out of range".to_string());
    }
    Ok(())
}

/// Writes a graph.
pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let mut position = size_of::<Header>() as u64;
    out.write_all(bytemuck::bytes_of(&Header::of(graph)))?;
    let mut section = |bytes: &[u8]| {
        let padding = position.next_multiple_of(ALIGNMENT) - position;
        position += padding + bytes.len() as u64;
        out.write_all(&[0; ALIGNMENT as usize][..padding as usize])?;
        out.write_all(bytes)
    };
    section(bytemuck::cast_slice(&graph.csr.row_offsets))?;
    section(bytemuck::cast_slice(&graph.csr.columns))?;
    match &graph.csr.weights {
        Weights::None => {}
        Weights::U32(column) => section(bytemuck::cast_slice(column))?,
        Weights::F32(column) => section(bytemuck::cast_slice(column))?,
    }
    match &graph.ids {
        NodeIds::Counted { .. } => Ok(()),
        NodeIds::Listed(ids) => section(bytemuck::cast_slice(ids)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_binary;
    use super::*;

    fn graph() -> Graph {
        let csr = Csr {
            row_offsets: vec![0, 2, 2, 3].into(),
            columns: vec![1, 2, 0].into(),
            weights: Weights::F32(vec![0.5, -1.0, 2.0].into()),
        };
        Graph { name: String::new(), csr, ids: NodeIds::Listed(vec![3, 5, 8].into()), directed: true }
    }

    fn bytes() -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&graph(), &mut bytes).unwrap();
        bytes
    }

    fn reason(bytes: &[u8]) -> String {
        parse_binary(Path::new("test"), bytes).unwrap_err().to_string()
    }

    fn with_section_value(section: usize, value: u32) -> Vec<u8> {
        let mut bytes = bytes();
        bytes[64 * section..64 * section + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    }

    #[test]
    fn what_is_written_is_read_back() {
        let read = parse_binary(Path::new("test"), &bytes()).unwrap();
        assert_eq!((read.csr, read.ids, read.directed), (graph().csr, graph().ids, true));
    }

    #[test]
    fn every_shorter_file_is_an_error() {
        let bytes = bytes();
        for length in 0..bytes.len() {
            assert!(parse_binary(Path::new("test"), &bytes[..length]).is_err(), "{length}");
        }
        assert!(reason(&[bytes, vec![0]].concat()).contains("bytes where"));
    }

    #[test]
    fn every_changed_bit_of_the_header_is_an_error() {
        for bit in 0..64 * 8 {
            let mut bytes = bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert!(parse_binary(Path::new("test"), &bytes).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn damaged_sections_are_named() {
        assert!(reason(&with_section_value(1, 1)).contains("row offsets"));
        assert!(reason(&with_section_value(2, 3)).contains("columns"));
        assert!(reason(&with_section_value(2, 9)).contains("columns"));
        assert!(reason(&with_section_value(3, f32::NAN.to_bits())).contains("weight"));
        assert!(reason(&with_section_value(4, 9)).contains("ids"));
    }

    #[test]
    fn a_header_that_lies_about_sizes_is_an_error() {
        for (nodes, edges) in [(u64::MAX, 3), (MOST_NODES, 3), (3, u64::from(u32::MAX)), (3, u64::MAX), (0, 0)] {
            let mut bytes = bytes();
            let mut header: Header = bytemuck::pod_read_unaligned(&bytes[..64]);
            (header.nodes, header.edges) = (nodes, edges);
            header.checksum = header.computed_checksum();
            bytes[..64].copy_from_slice(bytemuck::bytes_of(&header));
            assert!(parse_binary(Path::new("test"), &bytes).is_err(), "{nodes} {edges}");
        }
    }
}

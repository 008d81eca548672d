//! Answers for NumPy: the values as one array (`.npy`), or the nodes and every column as arrays of their own (`.npz`). An array begins
//! with a header that says its type and shape; an `.npz` file is a ZIP archive of such arrays, without compression. What is missing is the
//! largest number of its type, or infinity; a node that another refers to is its place in the array `node`.

use evenkeel::{
    algorithm::{Column, Shape, Values},
    graph::{Graph, NodeIds, NodeName},
};
use flate2::Crc;
use std::io::{self, Write};

/// Writes the elements of an array.
type Elements<'a> = dyn Fn(&mut dyn Write) -> io::Result<()> + 'a;

/// An array: its header, and what writes its elements.
struct Array<'a> {
    header: Vec<u8>,
    /// Bytes of the elements.
    length: u64,
    write: Box<Elements<'a>>,
}

/// Writes the only column as an array with an element for each node, or a row of elements.
pub fn write_npy(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    match columns {
        [column] => values(column, graph).write(writer),
        _ => Err(io::Error::other("an .npy file holds one array")),
    }
}

/// Writes the array `node` with the names of all nodes, numbers or texts, and an array for each column.
pub fn write_npz(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let mut archive = Archive { writer, offset: 0, directory: Vec::new(), members: 0 };
    archive.add("node.npy", &names(graph))?;
    for column in columns {
        archive.add(&format!("{}.npy", column.name), &values(column, graph))?;
    }
    archive.finish()
}

/// How the machine orders bytes, which the header says.
const ORDER: char = if cfg!(target_endian = "little") { '<' } else { '>' };

impl<'a> Array<'a> {
    /// An array of elements of a type, such as `u4`, with `bytes` bytes each.
    fn new(kind: &str, bytes: usize, shape: &[usize], write: impl Fn(&mut dyn Write) -> io::Result<()> + 'a) -> Self {
        let length = shape.iter().product::<usize>() as u64 * bytes as u64;
        // A tuple of one element has a comma after it.
        let shape = shape.iter().map(|size| format!("{size},")).collect::<String>();
        let mut dictionary = format!("{{'descr': '{ORDER}{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
        // Magic, version and length are 10 bytes; the elements begin at a multiple of 64.
        let padded = (10 + dictionary.len() + 1).next_multiple_of(64) - 10;
        dictionary.extend(std::iter::repeat_n(' ', padded - dictionary.len() - 1));
        dictionary.push('\n');
        let mut header = b"\x93NUMPY\x01\x00".to_vec();
        header.extend((padded as u16).to_le_bytes());
        header.extend(dictionary.into_bytes());
        Self { header, length, write: Box::new(write) }
    }

    fn write(&self, writer: &mut dyn Write) -> io::Result<()> {
        writer.write_all(&self.header)?;
        (self.write)(writer)
    }

    fn bytes(&self) -> u64 {
        self.header.len() as u64 + self.length
    }
}

fn values<'a>(column: &'a Column<'_>, graph: &Graph) -> Array<'a> {
    let nodes = graph.csr.nodes();
    let shape = match column.shape {
        Shape::Single => vec![column.values.len()],
        _ => vec![nodes as usize, column.width(nodes)],
    };
    let (kind, bytes): (&str, &[u8]) = match &column.values {
        Values::U32(all) | Values::Nodes(all) => ("u4", bytemuck::cast_slice(all)),
        Values::U64(all) => ("u8", bytemuck::cast_slice(all)),
        Values::F32(all) => ("f4", bytemuck::cast_slice(all)),
        Values::F64(all) => ("f8", bytemuck::cast_slice(all)),
    };
    let size = kind[1..].parse().unwrap_or(4);
    Array::new(kind, size, &shape, |writer| writer.write_all(bytes))
}

/// Nodes that are written at a time.
const PIECE: u32 = 1 << 14;

/// The names: numbers of 64 bits, or texts of as many characters as the longest has, in 32 bits each.
fn names(graph: &Graph) -> Array<'_> {
    let (nodes, ids) = (graph.csr.nodes(), &graph.ids);
    let write = move |writer: &mut dyn Write, bytes: &dyn Fn(u32, &mut Vec<u8>)| {
        let mut piece = Vec::new();
        for node in 0..nodes {
            bytes(node, &mut piece);
            if node % PIECE == PIECE - 1 || node == nodes - 1 {
                writer.write_all(&piece)?;
                piece.clear();
            }
        }
        Ok(())
    };
    let NodeIds::Named(texts) = ids else {
        let number = |node: u32, piece: &mut Vec<u8>| {
            if let NodeName::Number(number) = ids.name(node) {
                piece.extend(number.to_ne_bytes());
            }
        };
        return Array::new("u8", 8, &[nodes as usize], move |writer| write(writer, &number));
    };
    let longest = (0..nodes).map(|node| texts.get(node).chars().count()).max().unwrap_or(0).max(1);
    let text = move |node: u32, piece: &mut Vec<u8>| {
        let end = piece.len() + 4 * longest;
        texts.get(node).chars().for_each(|letter| piece.extend(u32::from(letter).to_ne_bytes()));
        piece.resize(end, 0);
    };
    Array::new(&format!("U{longest}"), 4 * longest, &[nodes as usize], move |writer| write(writer, &text))
}

/// A ZIP archive whose members are stored as they are. All sizes are written in 64 bits, so that there is one form for every size.
struct Archive<'a> {
    writer: &'a mut dyn Write,
    offset: u64,
    /// The entries of the central directory so far.
    directory: Vec<u8>,
    members: u64,
}

/// The version of ZIP that has sizes of 64 bits.
const VERSION: u16 = 45;
/// 1 January 1980: the same answer gives the same file.
const DATE: u16 = (1 << 5) | 1;

impl Archive<'_> {
    fn add(&mut self, name: &str, array: &Array<'_>) -> io::Result<()> {
        let mut sum = Checksum(Crc::new());
        array.write(&mut sum)?;
        let (size, name) = (array.bytes(), name.as_bytes());
        let common = |extra: u16| {
            // Flags and method: none, and stored; then time and date, the checksum, and sizes that are found in the extra field.
            let mut bytes = [VERSION, 0, 0, 0, DATE].map(u16::to_le_bytes).concat();
            bytes.extend([sum.0.sum(), u32::MAX, u32::MAX].map(u32::to_le_bytes).concat());
            bytes.extend([name.len() as u16, extra].map(u16::to_le_bytes).concat());
            bytes
        };
        let extra = |numbers: &[u64]| {
            let mut bytes = [1, 8 * numbers.len() as u16].map(u16::to_le_bytes).concat();
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
            bytes
        };
        let local = [b"PK\x03\x04", &common(20)[..], name, &extra(&[size, size])].concat();
        self.writer.write_all(&local)?;
        array.write(self.writer)?;
        // Comment, disk and attributes: none; then the offset, which is in the extra field too.
        let rest = [&[0; 10][..], &u32::MAX.to_le_bytes()].concat();
        let made_by = VERSION.to_le_bytes();
        let entry =
            [b"PK\x01\x02", &made_by[..], &common(28), &rest, name, &extra(&[size, size, self.offset])].concat();
        self.directory.extend(entry);
        self.offset += local.len() as u64 + size;
        self.members += 1;
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        let length = self.directory.len() as u64;
        let mut end = self.directory;
        // The end of the directory: its size after this, versions, disks, members twice, length and offset of the directory.
        end.extend(b"PK\x06\x06");
        end.extend(44u64.to_le_bytes());
        end.extend([VERSION, VERSION].map(u16::to_le_bytes).concat());
        end.extend([0; 8]);
        end.extend([self.members, self.members, length, self.offset].map(u64::to_le_bytes).concat());
        // Where that is, on the only disk.
        end.extend(b"PK\x06\x07");
        end.extend([0; 4]);
        end.extend((self.offset + length).to_le_bytes());
        end.extend(1u32.to_le_bytes());
        // The same in the old form, which says that it is found in the new one.
        end.extend(b"PK\x05\x06");
        end.extend([0; 4]);
        end.extend([u16::MAX; 2].map(u16::to_le_bytes).concat());
        end.extend([u32::MAX; 2].map(u32::to_le_bytes).concat());
        end.extend([0; 2]);
        self.writer.write_all(&end)
    }
}

/// Adds up what is written.
struct Checksum(Crc);

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

use super::*;
use std::path::Path;

fn parse_binary(path: &Path, bytes: &[u8]) -> Result<Graph> {
    match super::super::parse("binary".parse()?, path, &[bytes])? {
        Loaded::Graph(graph) => Ok(graph),
        Loaded::Edges(_) => panic!("a binary file holds a graph"),
    }
}

fn graph() -> Graph {
    let weights = Weights::F32(vec![0.5, -1.0, 2.0].into());
    let csr = Csr::new(vec![0, 2, 2, 3], vec![1, 2, 0], weights).unwrap();
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
fn names_are_kept() {
    let named = Graph { ids: NodeIds::Named(Names::from_ascending(["", "alice", "zoë"])), ..graph() };
    let mut bytes = Vec::new();
    write(&named, &mut bytes).unwrap();
    let read = parse_binary(Path::new("test"), &bytes).unwrap();
    assert_eq!((read.csr, read.ids), (named.csr, named.ids));
    let last = bytes.len() - 1;
    bytes[last] = 0xff;
    let error = parse_binary(Path::new("test"), &bytes).unwrap_err().to_string();
    assert_eq!(error, "test: a name is not valid UTF-8");
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
    assert!(reason(&with_section_value(2, 3)).contains("row 0 has the column 3, but there are 3 nodes"));
    assert!(reason(&with_section_value(2, 9)).contains("row 0 has the column 9"));
    assert!(reason(&with_section_value(3, f32::NAN.to_bits())).contains("weight"));
    assert!(reason(&with_section_value(4, 9)).contains("ids"));
}

fn with_header(change: impl Fn(&mut Header)) -> Vec<u8> {
    let mut bytes = bytes();
    let mut header: Header = bytemuck::pod_read_unaligned(&bytes[..64]);
    change(&mut header);
    header.checksum = header.computed_checksum();
    bytes[..64].copy_from_slice(bytemuck::bytes_of(&header));
    bytes
}

#[test]
fn a_header_that_lies_about_sizes_is_an_error() {
    for (nodes, edges) in [(u64::MAX, 3), (MOST_NODES, 3), (3, u64::from(u32::MAX)), (3, u64::MAX), (0, 0)] {
        let bytes = with_header(|header| (header.nodes, header.edges) = (nodes, edges));
        assert!(parse_binary(Path::new("test"), &bytes).is_err(), "{nodes} {edges}");
    }
}

#[test]
fn a_header_that_contradicts_itself_or_the_sections_is_an_error() {
    assert!(reason(&with_header(|header| header.max_degree_node = 2)).contains("the highest degree"));
    assert!(reason(&with_header(|header| header.weight_range[0] = 0)).contains("weights are 0 to 2"));
    assert!(reason(&with_header(|header| header.flags &= !DIRECTED)).contains("undirected and not symmetric"));
    assert!(reason(&with_header(|header| header.flags |= SYMMETRIC)).contains("mean nothing"));
    assert!(reason(&with_header(|header| header.version = 5)).contains("this program reads 1 to 4"));
}

#[test]
fn a_graph_that_is_not_as_symmetric_as_its_header_says_is_an_error() {
    // 0 → 1 and 2, 2 → 0.
    let symmetric = with_header(|header| header.flags = header.flags & !NOT_SYMMETRIC | SYMMETRIC);
    let undirected = with_header(|header| header.flags &= !(NOT_SYMMETRIC | DIRECTED));
    let old = with_header(|header| {
        header.version = VERSION_WITHOUT_FACTS;
        header.flags &= FLAGS_WITHOUT_FACTS & !DIRECTED;
    });
    assert!(reason(&symmetric).ends_with("the header calls the graph symmetric, and not every edge has its reverse"));
    for bytes in [undirected, old] {
        assert!(reason(&bytes).ends_with("calls the graph undirected, and not every edge has its reverse"));
    }
    // A circle; an edge that stands twice at one of its ends; and a self-loop, which is its own reverse.
    let graphs: [(&[u32], &[u32], bool); 3] =
        [(&[0, 1, 2, 3], &[1, 2, 0], false), (&[0, 2, 3], &[1, 1, 0], false), (&[0, 1, 2, 3], &[1, 0, 2], true)];
    for (offsets, columns, is_symmetric) in graphs {
        let csr = Csr::new(offsets.to_vec(), columns.to_vec(), Weights::None).unwrap();
        assert_eq!((csr.seems_symmetric(), csr.is_symmetric()), (is_symmetric, is_symmetric), "{columns:?}");
    }
}

#[test]
fn facts_are_stored() {
    let read = parse_binary(Path::new("test"), &bytes()).unwrap();
    assert_eq!(read.csr.known_symmetric(), Some(false));
    let unknown = with_header(|header| header.flags &= !NOT_SYMMETRIC);
    assert_eq!(parse_binary(Path::new("test"), &unknown).unwrap().csr.known_symmetric(), None);
}

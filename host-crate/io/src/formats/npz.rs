//! Sparse matrices of SciPy (`.npz`), as `scipy.sparse.save_npz` writes them: CSR, CSC or COO. An entry in row i and column j is an edge from
//! node i to node j; its number is the weight, unless the matrix holds truth values. Nodes are counted from 0; a rectangular matrix is
//! taken as the square one that contains it. Directed, as the file does not say.

use super::{
    archive::{self, Archive},
    npy::{self, NpyArray},
    prelude::*,
    rounding::Unit,
};

pub(super) struct Npz;

impl FileFormat for Npz {
    const NAME: &'static str = "npz";
    const ABOUT: &'static str = "sparse matrices of SciPy: CSR, CSC, COO; read only";
    const EXTENSIONS: &'static [&'static str] = &["npz"];

    fn recognise(beginning: Text<'_>) -> Recognition {
        // Any other archive was unpacked before.
        Recognition::certain_if(beginning.bytes.starts_with(archive::MARK))
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        matrix(text).map_err(|reason| text.error_of_file(reason)).and_then(|(shape, edges)| {
            let nodes = check_claimed_nodes(text, shape[0].max(shape[1]))?;
            let loaded = Loaded::counted(text, nodes, batch::join(vec![edges])?, 0, Listing::Directed);
            Ok(loaded.without_stated_direction())
        })
    }
}

/// The numbers of rows and columns, and the entries, all of which are within.
fn matrix(text: Text<'_>) -> Result<([u64; 2], Batch<u32>), String> {
    let mut archive = Archive::open(text.bytes).map_err(|error| error.to_string())?;
    // As much as 32-bit numbers count, or as the file can hold: deflated bytes become 1,032 times as many at most.
    let most = (8 << 32) + (1 << 17).max(1032 * text.bytes.len() as u64);
    let mut file = |name: &str| {
        let contents = archive.file(&format!("{name}.npy"), most, npy::length);
        let contents = contents.map_err(|error| format!("{name}.npy: {error}"))?;
        contents.ok_or_else(|| format!("there is no {name}.npy in it, as in a sparse matrix of SciPy"))
    };
    let format = file("format")?;
    let format = NpyArray::read(&format).ok().and_then(|array| array.text()).ok_or("format.npy is no text")?;
    let shape = whole(&file("shape")?, "shape")?;
    let [rows, columns] = shape[..] else {
        return Err(format!("shape.npy has {} numbers instead of two", shape.len()));
    };
    let limit =
        |size: i64| u32::try_from(size).map_err(|_| format!("{size} rows or columns do not fit 32-bit indices"));
    let (rows, columns) = (limit(rows)?, limit(columns)?);
    let (sources, targets) = match format.as_str() {
        "coo" => (
            within(&whole(&file("row")?, "row")?, rows, "row")?,
            within(&whole(&file("col")?, "col")?, columns, "col")?,
        ),
        "csr" | "csc" => {
            let (major, minor) = if format == "csr" { (rows, columns) } else { (columns, rows) };
            let indices = within(&whole(&file("indices")?, "indices")?, minor, "indices")?;
            let majors = expanded(&whole(&file("indptr")?, "indptr")?, major, indices.len())?;
            // There may be more indices than entries.
            let minors = indices[..majors.len()].to_vec();
            if format == "csr" { (majors, minors) } else { (minors, majors) }
        }
        other => {
            return Err(format!("the matrix is stored as '{}'; csr, csc and coo are read", shown(other.as_bytes())));
        }
    };
    let data = file("data")?;
    let of_data = |reason: String| format!("data.npy: {reason}");
    let array = NpyArray::read(&data).map_err(of_data)?;
    let (weights, given) = (array.weights().map_err(of_data)?, array.len());
    if given < sources.len() || targets.len() != sources.len() {
        let (rows, columns) = (sources.len(), targets.len());
        return Err(format!("there are {rows} rows, {columns} columns and {given} numbers of entries"));
    }
    let column = if weights.is_some() { EdgeWeights::U32(Vec::new()) } else { EdgeWeights::None };
    let mut edges = Batch::new(0, column).with_places_in(Unit::Edge);
    weights.into_iter().flatten().zip(1..=sources.len()).for_each(|(weight, edge)| edges.push_weight(weight, edge));
    Ok(([rows.into(), columns.into()], Batch { sources, targets, ..edges }))
}

fn whole(file: &[u8], name: &str) -> Result<Vec<i64>, String> {
    NpyArray::read(file).and_then(|array| array.whole()).map_err(|reason| format!("{name}.npy: {reason}"))
}

/// The indices, each of which is below `limit`.
fn within(indices: &[i64], limit: u32, name: &str) -> Result<Vec<u32>, String> {
    let index = |index: &i64| u32::try_from(*index).ok().filter(|index| *index < limit);
    match indices.iter().position(|it| index(it).is_none()) {
        None => Ok(indices.iter().filter_map(index).collect()),
        Some(place) => Err(format!("{name}.npy: index {} lies outside of the {limit} there are", indices[place])),
    }
}

/// The row of each entry, where `starts` says at which entry each of `rows` rows begins.
fn expanded(starts: &[i64], rows: u32, entries: usize) -> Result<Vec<u32>, String> {
    let fits = starts.first() == Some(&0) && starts.is_sorted() && starts.len() as u64 == u64::from(rows) + 1;
    let end = starts.last().and_then(|end| usize::try_from(*end).ok()).filter(|end| fits && *end <= entries);
    let end = end.ok_or("indptr.npy does not say where rows begin")?;
    let mut of_entries = Vec::with_capacity(end);
    for (row, ends) in (0..).zip(&starts[1..]) {
        of_entries.resize(*ends as usize, row);
    }
    Ok(of_entries)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{archive::archive_of, npy::npy, testing::*},
        *,
    };
    use evenkeel_graph::NodeIds;

    fn i4(numbers: &[i32]) -> Vec<u8> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        npy("<i4", &format!("({},)", numbers.len()), &bytes)
    }

    fn csr(format: &str, starts: &[i32], indices: &[i32], data: &[i32], shape: &[i32]) -> Vec<u8> {
        let format = npy("|S3", "()", format.as_bytes());
        archive_of(&[
            ("indices.npy", &i4(indices)),
            ("indptr.npy", &i4(starts)),
            ("format.npy", &format),
            ("shape.npy", &i4(shape)),
            ("data.npy", &i4(data)),
        ])
    }

    #[test]
    fn rows_and_columns() {
        let by_rows = parsed(Npz::read, &csr("csr", &[0, 2, 2], &[0, 2], &[5, 6], &[2, 3]));
        assert_eq!((by_rows.edges.nodes, edges(&by_rows)), (3, vec![(0, 0), (0, 2)]));
        assert_eq!(by_rows.edges.weights, EdgeWeights::U32(vec![5, 6]));
        assert_eq!((by_rows.ids, by_rows.direction_stated), (NodeIds::Counted { first: 0 }, false));
        let by_columns = parsed(Npz::read, &csr("csc", &[0, 2, 2, 2], &[0, 1, 9], &[5, 6, 7], &[10, 3]));
        assert_eq!((by_columns.edges.nodes, edges(&by_columns)), (10, vec![(0, 0), (1, 0)]));
    }

    #[test]
    fn flaws_are_named() {
        let of = |format: &str, starts: &[i32], indices: &[i32], data: &[i32], shape: &[i32]| {
            reason(Npz::read, &csr(format, starts, indices, data, shape))
        };
        assert_eq!(
            of("csr", &[0, 1], &[1], &[1], &[1, 1]),
            "test: indices.npy: index 1 lies outside of the 1 there are"
        );
        assert_eq!(
            of("csr", &[0, 1], &[-1], &[1], &[1, 1]),
            "test: indices.npy: index -1 lies outside of the 1 there are"
        );
        for starts in [&[0][..], &[0, 2], &[1, 1], &[0, -1], &[0, 1, 1]] {
            assert_eq!(of("csr", starts, &[0], &[1], &[1, 1]), "test: indptr.npy does not say where rows begin");
        }
        assert!(of("csr", &[0, 1], &[0], &[], &[1, 1]).contains("1 rows, 1 columns and 0 numbers"));
        assert!(of("dia", &[0, 1], &[0], &[1], &[1, 1]).contains("stored as 'dia'; csr, csc and coo are read"));
        assert!(of("csr", &[0], &[], &[], &[0, 2_000_000_000]).contains("claims 2000000000 nodes"));
        assert!(reason(Npz::read, &archive_of(&[("a.npy", b"")])).contains("there is no format.npy in it"));
        // A member that is longer than its header says is not unpacked to its end.
        let long = [i4(&[1]), vec![0; 1 << 20]].concat();
        let name = ("format.npy", &npy("|S3", "()", b"csr")[..]);
        let bomb = archive_of(&[name, ("shape.npy", &long)]);
        assert_eq!(reason(Npz::read, &bomb), "test: shape.npy: its length is not what its type and shape say");
        let mut archive = Archive::open(&bomb).unwrap();
        let unpacked = archive.file("shape.npy", u64::MAX, npy::length).unwrap().unwrap().len();
        assert!(unpacked <= 1 << 17, "{unpacked}");
        let cut = archive.file("shape.npy", 1 << 18, |_| Some(u64::MAX)).unwrap().unwrap().len();
        assert_eq!(cut, (1 << 18) + 1);
        assert!(reason(Npz::read, b"PK\x03\x04").contains("zip archive"));
    }
}

//! Zip archives: a graph may be the only file in one, and NumPy's `.npz` is one. What an archive claims of the sizes of its files is
//! not believed: memory grows with what is really there.

use super::reading::read_all;
use std::io::{self, Cursor, Read};
use zip::{ZipArchive, result::ZipError};

/// The bytes that an archive with files in it begins with.
pub(super) const MARK: &[u8] = b"PK\x03\x04";

/// So much of a file is read before its length is known: more than the header of an array has.
const BEGINNING: u64 = 1 << 17;

pub(super) struct Archive<'a>(ZipArchive<Cursor<&'a [u8]>>);

impl<'a> Archive<'a> {
    /// Opens an archive, which may be damaged.
    pub fn open(bytes: &'a [u8]) -> io::Result<Self> {
        ZipArchive::new(Cursor::new(bytes)).map(Self).map_err(damaged)
    }

    /// Whether it holds arrays and nothing else.
    pub fn is_npz(&self) -> bool {
        !self.0.is_empty() && self.0.file_names_raw().all(|name| name.ends_with(b".npy"))
    }

    /// The contents of the file with that name, if there is one. What is longer than `length` says, given the beginning, or than
    /// `most` bytes, is cut a byte behind that: it is wrong, and an archive of a few bytes can hold a file of any length.
    pub fn file(
        &mut self,
        name: &str,
        most: u64,
        length: impl Fn(&[u8]) -> Option<u64>,
    ) -> io::Result<Option<Vec<u8>>> {
        let Some(index) = self.0.index_for_name(name) else { return Ok(None) };
        let mut file = self.0.by_index(index).map_err(damaged)?;
        let mut contents = read_all(file.by_ref().take(BEGINNING))?;
        if let Some(length) = length(&contents) {
            let rest = length.min(most).saturating_add(1).saturating_sub(contents.len() as u64);
            contents.extend(read_all(file.take(rest))?);
        }
        Ok(Some(contents))
    }

    /// The contents of the only file. Folders, and what macOS adds, do not count.
    pub fn only_file(&mut self) -> io::Result<Vec<u8>> {
        let is_file = |name: &[u8]| !name.ends_with(b"/") && !name.starts_with(b"__MACOSX/");
        let files: Vec<usize> =
            self.0.file_names_raw().enumerate().filter(|(_, name)| is_file(name)).map(|(index, _)| index).collect();
        match files[..] {
            [only] => self.contents(only),
            _ => Err(invalid(format!("{} files are in the zip archive; exactly one is read", files.len()))),
        }
    }

    fn contents(&mut self, index: usize) -> io::Result<Vec<u8>> {
        read_all(self.0.by_index(index).map_err(damaged)?)
    }
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

fn damaged(error: ZipError) -> io::Error {
    match error {
        ZipError::Io(error) => error,
        other => invalid(format!("the zip archive cannot be read: {other}")),
    }
}

#[cfg(test)]
pub(super) fn archive_of(files: &[(&str, &[u8])]) -> Vec<u8> {
    use std::io::Write;
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, contents) in files {
        writer.start_file(*name, zip::write::SimpleFileOptions::default()).unwrap();
        writer.write_all(contents).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_only_file_is_read() {
        let whole = archive_of(&[("folder/", b""), ("folder/graph.txt", b"1 2\n"), ("__MACOSX/._graph.txt", b"x")]);
        assert_eq!(Archive::open(&whole).unwrap().only_file().unwrap(), b"1 2\n");
        for files in [&[][..], &[("a", &b"x"[..]), ("b", b"y")]] {
            let error = Archive::open(&archive_of(files)).and_then(|mut archive| archive.only_file()).unwrap_err();
            assert_eq!(error.to_string(), format!("{} files are in the zip archive; exactly one is read", files.len()));
        }
    }

    #[test]
    fn arrays_alone_make_an_npz() {
        let is_npz = |files: &[(&str, &[u8])]| Archive::open(&archive_of(files)).unwrap().is_npz();
        assert!(is_npz(&[("data.npy", b""), ("indptr.npy", b"")]));
        assert!(!is_npz(&[("data.npy", b""), ("readme", b"")]) && !is_npz(&[]));
    }

    #[test]
    fn damaged_archives_are_errors() {
        let whole = archive_of(&[("graph.txt", &b"1 2\n".repeat(100))]);
        let read = |bytes: &[u8]| Archive::open(bytes).and_then(|mut archive| archive.only_file());
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err(), "{length}");
        }
        for place in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[place] ^= 0x55;
            // Some bytes, such as times, mean nothing here.
            if let Ok(contents) = read(&damaged) {
                assert_eq!(contents, b"1 2\n".repeat(100), "{place}");
            }
        }
    }
}

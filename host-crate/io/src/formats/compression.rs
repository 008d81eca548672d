//! Files as bytes, compressed or not. Reading tells gzip, xz, zstd, bzip2 and zip by their first bytes and maps a plain file; writing
//! compresses when the name ends in `.gz`, `.xz`, `.zst` or `.bz2`. Truncated or damaged data is an error, never a shorter file.

use super::{
    archive::{self, Archive},
    counted::Counted,
    reading::{is_standard, read_all},
};
use bzip2::{read::MultiBzDecoder, write::BzEncoder};
use evenkeel_base::{
    Error, Result,
    atomic_file::{AtomicFile, finish_together},
    phase,
};
use flate2::{bufread::MultiGzDecoder, write::GzEncoder};
use liblzma::{read::XzDecoder, write::XzEncoder};
use memmap2::{Mmap, MmapMut};
use std::{
    fs::File,
    io::{self, BufWriter, Write},
    ops::Deref,
    path::Path,
    sync::Arc,
};

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// `.gz`, any number of members.
    Gzip,
    /// `.xz`, any number of streams.
    Xz,
    /// `.zst`, any number of frames.
    Zstd,
    /// `.bz2`, any number of streams.
    Bzip2,
    /// `.zip` with one file in it; it can only be read.
    Zip,
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Gzip, Self::Xz, Self::Zstd, Self::Bzip2, Self::Zip];

    /// What file names end in.
    pub fn extension(self) -> &'static str {
        self.marks().0
    }

    /// What names of files end in, and what the files begin with.
    fn marks(self) -> (&'static str, &'static [u8]) {
        match self {
            Self::Gzip => ("gz", &[0x1f, 0x8b]),
            Self::Xz => ("xz", &[0xfd, b'7', b'z', b'X', b'Z', 0]),
            Self::Zstd => ("zst", &[0x28, 0xb5, 0x2f, 0xfd]),
            Self::Bzip2 => ("bz2", b"BZh"),
            Self::Zip => ("zip", archive::MARK),
        }
    }

    /// Whether files can be written with it.
    pub fn is_written(self) -> bool {
        self != Self::Zip
    }

    /// By the end of a file's name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.into_iter().find(|compression| extension.eq_ignore_ascii_case(compression.extension()))
    }

    /// By a file's first bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let found = Self::ALL.into_iter().find(|compression| bytes.starts_with(compression.marks().1))?;
        let is_compressed = match found {
            // A name may begin with these three letters; the level and the mark of a block or of the end follow them.
            Self::Bzip2 => bytes[3..].split_first().is_none_or(|(level, rest)| {
                let mark = &rest[..rest.len().min(6)];
                level.is_ascii_digit() && (b"1AY&SY".starts_with(mark) || b"\x17rE8P\x90".starts_with(mark))
            }),
            // The arrays of NumPy are a format of their own.
            Self::Zip => !Archive::open(bytes).is_ok_and(|archive| archive.is_npz()),
            Self::Gzip | Self::Xz | Self::Zstd => true,
        };
        is_compressed.then_some(found)
    }

    fn decompress(self, compressed: &[u8]) -> io::Result<Vec<u8>> {
        let counted = Counted::new(compressed);
        match self {
            Self::Gzip => read_all(MultiGzDecoder::new(counted)),
            Self::Xz => read_all(XzDecoder::new_multi_decoder(counted)),
            Self::Zstd => read_all(zstd::Decoder::with_buffer(counted)?),
            Self::Bzip2 => read_all(MultiBzDecoder::new(counted)),
            Self::Zip => Archive::open(compressed)?.only_file(),
        }
    }
}

/// A file's bytes, decompressed.
#[derive(Debug)]
pub(super) enum Contents<'a> {
    Mapped(Arc<Mmap>),
    Owned(Vec<u8>),
    Borrowed(&'a [u8]),
}

impl Deref for Contents<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
            Self::Borrowed(bytes) => bytes,
        }
    }
}

impl Contents<'_> {
    /// Reads a file, and says how it was compressed.
    pub fn read(path: &Path) -> Result<(Self, Option<Compression>)> {
        Self::of_file(path).and_then(Self::decompressed).map_err(Error::io(path))
    }

    /// Reads standard input in the same way.
    pub fn read_standard_input() -> Result<(Self, Option<Compression>)> {
        let read = read_all(io::stdin().lock());
        read.and_then(|bytes| Self::Owned(bytes).decompressed()).map_err(Error::io(Path::new("standard input")))
    }

    pub fn of_file(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        if file.metadata()?.is_file() {
            // SAFETY: the map is only read. Another process that shortens the file meanwhile ends ours with SIGBUS, which the command
            // makes an error, and one that changes it is found out when it has been read. Reading gigabytes into memory to forbid it
            // would cost every user.
            Ok(Self::Mapped(Arc::new(unsafe { Mmap::map(&file)? })))
        } else {
            read_all(file).map(Self::Owned)
        }
    }

    fn decompressed(self) -> io::Result<(Self, Option<Compression>)> {
        match Compression::of_bytes(&self) {
            Some(compression) => {
                let bytes = phase::during("decompressing", || compression.decompress(&self))?;
                Ok((Self::Owned(bytes), Some(compression)))
            }
            None => Ok((self, None)),
        }
    }

    /// The bytes as they can be shared between threads; only what is borrowed is copied.
    #[cfg(feature = "tables")]
    pub fn into_bytes(self) -> bytes::Bytes {
        struct Mapped(Arc<Mmap>);

        impl AsRef<[u8]> for Mapped {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        match self {
            Self::Mapped(map) => bytes::Bytes::from_owner(Mapped(map)),
            Self::Owned(bytes) => bytes.into(),
            Self::Borrowed(bytes) => bytes::Bytes::copy_from_slice(bytes),
        }
    }

    /// The bytes as a map, which begins at a page's boundary; only what is not mapped yet is copied.
    pub fn into_map(self, path: &Path) -> Result<Arc<Mmap>> {
        match self {
            Self::Mapped(map) => Ok(map),
            bytes => map_of(&bytes).map(Arc::new).map_err(Error::io(path)),
        }
    }
}

/// Reads a text, decompressed if need be.
#[doc(hidden)]
pub fn read_text(path: &Path) -> Result<String> {
    let (contents, _) = Contents::read(path)?;
    let text =
        str::from_utf8(&contents).map_err(|error| Error::File { path: path.to_path_buf(), reason: error.to_string() });
    text.map(str::to_owned)
}

fn map_of(bytes: &[u8]) -> io::Result<Mmap> {
    let mut map = MmapMut::map_anon(bytes.len())?;
    map.copy_from_slice(bytes);
    map.make_read_only()
}

/// What writes the text of a file.
pub(super) type Writing<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Writes files that appear whole or not at all, and together, compressed as their names say; or standard output.
pub(super) fn write_files(files: &[(&Path, Writing<'_>)]) -> Result<()> {
    if let [(path, write)] = files
        && is_standard(path)
    {
        let mut out = BufWriter::with_capacity(1 << 18, io::stdout().lock());
        return write(&mut out).and_then(|()| out.flush()).map_err(Error::io(Path::new("standard output")));
    }
    finish_together(files.iter().map(|(path, write)| unfinished_file(path, write)).collect::<Result<_>>()?)
}

fn unfinished_file(path: &Path, write: Writing<'_>) -> Result<AtomicFile> {
    let compression = Compression::of_path(path);
    if compression == Some(Compression::Zip) {
        let path = path.display();
        return Err(Error::Usage(format!(
            "{path}: a zip archive can be read, but not written; .gz, .xz, .zst and .bz2 can"
        )));
    }
    let mut file = AtomicFile::create(path)?;
    compress(compression, &mut file, |writer| write(writer)).map_err(Error::io(path))?;
    Ok(file)
}

/// Writes through a compression, or plainly where there is none.
pub fn compress(
    compression: Option<Compression>,
    writer: &mut (dyn Write + Send),
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    match compression {
        None => write(writer),
        Some(Compression::Zip) => Err(io::Error::other("a zip archive can be read, but not written")),
        Some(Compression::Gzip) => {
            let mut encoder = GzEncoder::new(writer, flate2::Compression::default());
            write(&mut encoder).and_then(|()| encoder.finish().map(drop))
        }
        Some(Compression::Xz) => {
            // 6 is the level of the xz program.
            let mut encoder = XzEncoder::new(writer, 6);
            write(&mut encoder).and_then(|()| encoder.finish().map(drop))
        }
        Some(Compression::Zstd) => {
            let mut encoder = zstd::Encoder::new(writer, zstd::DEFAULT_COMPRESSION_LEVEL)?;
            write(&mut encoder)?;
            encoder.finish().map(drop)
        }
        Some(Compression::Bzip2) => {
            let mut encoder = BzEncoder::new(writer, bzip2::Compression::default());
            write(&mut encoder).and_then(|()| encoder.finish().map(drop))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn body() -> Vec<u8> {
        (0..20_000).flat_map(|line: u32| format!("{line} {}\n", line * 7 % 1000).into_bytes()).collect()
    }

    fn written(name: &str) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        write_files(&[(&path, &|out| out.write_all(&body()))]).unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_written_is_read_back() {
        for name in ["plain.txt", "a.gz", "a.xz", "a.zst", "a.bz2"] {
            let (_folder, path) = written(name);
            assert_eq!(*Contents::read(&path).unwrap().0, body()[..], "{name}");
            assert_eq!(name != "plain.txt", fs::metadata(&path).unwrap().len() < body().len() as u64 / 2, "{name}");
        }
    }

    #[test]
    fn streams_written_one_after_the_other_are_read_as_one() {
        for name in ["a.gz", "a.xz", "a.zst", "a.bz2"] {
            let (_folder, path) = written(name);
            fs::write(&path, fs::read(&path).unwrap().repeat(2)).unwrap();
            assert_eq!(*Contents::read(&path).unwrap().0, body().repeat(2)[..], "{name}");
        }
    }

    #[test]
    fn truncated_and_damaged_files_are_errors() {
        for name in ["a.gz", "a.xz", "a.zst", "a.bz2"] {
            let (_folder, path) = written(name);
            let whole = fs::read(&path).unwrap();
            for length in [8, whole.len() / 2, whole.len() - 5, whole.len() - 1] {
                fs::write(&path, &whole[..length]).unwrap();
                assert!(Contents::read(&path).is_err(), "{name} cut to {length} of {}", whole.len());
            }
        }
        let (_folder, path) = written("a.gz");
        let mut damaged = fs::read(&path).unwrap();
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0x55;
        fs::write(&path, damaged).unwrap();
        assert!(Contents::read(&path).is_err());
    }

    #[test]
    fn an_empty_file_is_empty_and_a_missing_one_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        fs::write(&path, "").unwrap();
        assert!(Contents::read(&path).unwrap().0.is_empty());
        assert!(matches!(Contents::read(&folder.path().join("missing")), Err(Error::Io { .. })));
        assert!(matches!(Contents::read(folder.path()), Err(Error::Io { .. })));
    }

    #[test]
    fn a_zip_archive_is_read_and_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.txt.zip");
        let error = write_files(&[(&path, &|out| out.write_all(b"1 2\n"))]).unwrap_err();
        assert_eq!(error.exit_status(), 2);
        assert!(error.to_string().contains("a zip archive can be read, but not written"), "{error}");
        assert!(!path.exists());
        fs::write(&path, archive::archive_of(&[("graph.txt", &body())])).unwrap();
        let (contents, compression) = Contents::read(&path).unwrap();
        assert_eq!((&*contents, compression), (&body()[..], Some(Compression::Zip)));
        fs::write(&path, archive::archive_of(&[("a", b"1 2"), ("b", b"1 2")])).unwrap();
        let error = Contents::read(&path).unwrap_err();
        assert_eq!(error.exit_status(), 3);
        assert!(error.to_string().ends_with("2 files are in the zip archive; exactly one is read"), "{error}");
    }

    #[test]
    fn arrays_and_names_are_not_taken_for_compression() {
        assert_eq!(Compression::of_bytes(&archive::archive_of(&[("data.npy", b"")])), None);
        assert_eq!(Compression::of_bytes(b"BZh BZi\nBZj BZk\n"), None);
    }
}

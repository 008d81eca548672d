//! Files as bytes, compressed or not. Reading tells gzip, xz and zstd by their first bytes and maps a plain file; writing
//! compresses when the name ends in `.gz`, `.xz` or `.zst`. Truncated or damaged data is an error, never a shorter file.

use super::counted::Counted;
use crate::{Error, Result, atomic_file::AtomicFile, phase};
use flate2::{bufread::MultiGzDecoder, write::GzEncoder};
use liblzma::{read::XzDecoder, write::XzEncoder};
use memmap2::{Mmap, MmapMut};
use std::{
    fs::File,
    io::{self, Read, Write},
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
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gzip, Self::Xz, Self::Zstd];

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
        }
    }

    /// By the end of a file's name.
    pub fn of_path(path: &Path) -> Option<Self> {
        let extension = path.extension()?;
        Self::ALL.into_iter().find(|compression| extension.eq_ignore_ascii_case(compression.extension()))
    }

    /// By a file's first bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        Self::ALL.into_iter().find(|compression| bytes.starts_with(compression.marks().1))
    }

    fn decompress(self, compressed: &[u8]) -> io::Result<Vec<u8>> {
        let (compressed, mut bytes) = (Counted::new(compressed), Vec::new());
        match self {
            Self::Gzip => MultiGzDecoder::new(compressed).read_to_end(&mut bytes)?,
            Self::Xz => XzDecoder::new_multi_decoder(compressed).read_to_end(&mut bytes)?,
            Self::Zstd => zstd::Decoder::with_buffer(compressed)?.read_to_end(&mut bytes)?,
        };
        Ok(bytes)
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
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        Self::read_unnamed(path).map_err(Error::io(path))
    }

    fn read_unnamed(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let plain = if file.metadata()?.is_file() {
            // SAFETY: the map is only read. Another process that shortens the file meanwhile could end ours, as with every
            // mapped file; nobody does that to an input, and reading gigabytes into memory to forbid it costs every user.
            Self::Mapped(Arc::new(unsafe { Mmap::map(&file)? }))
        } else {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            Self::Owned(bytes)
        };
        match Compression::of_bytes(&plain) {
            Some(compression) => Ok(Self::Owned(phase::during("decompressing", || compression.decompress(&plain))?)),
            None => Ok(plain),
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

fn map_of(bytes: &[u8]) -> io::Result<Mmap> {
    let mut map = MmapMut::map_anon(bytes.len())?;
    map.copy_from_slice(bytes);
    map.make_read_only()
}

/// Writes a file that appears whole or not at all, compressed as its name says.
pub(super) fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let mut file = AtomicFile::create(path)?;
    let written = match Compression::of_path(path) {
        None => write(&mut file),
        Some(Compression::Gzip) => {
            let mut encoder = GzEncoder::new(&mut file, flate2::Compression::default());
            write(&mut encoder).and_then(|()| encoder.finish().map(drop))
        }
        Some(Compression::Xz) => {
            // 6 is the level of the xz program.
            let mut encoder = XzEncoder::new(&mut file, 6);
            write(&mut encoder).and_then(|()| encoder.finish().map(drop))
        }
        Some(Compression::Zstd) => {
            zstd::Encoder::new(&mut file, zstd::DEFAULT_COMPRESSION_LEVEL).and_then(|mut encoder| {
                write(&mut encoder)?;
                encoder.finish().map(drop)
            })
        }
    };
    written.map_err(Error::io(path))?;
    file.finish()
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
        write_file(&path, |out| out.write_all(&body())).unwrap();
        (folder, path)
    }

    #[test]
    fn what_is_written_is_read_back() {
        for name in ["plain.txt", "a.gz", "a.xz", "a.zst"] {
            let (_folder, path) = written(name);
            assert_eq!(*Contents::read(&path).unwrap(), body()[..], "{name}");
            assert_eq!(name != "plain.txt", fs::metadata(&path).unwrap().len() < body().len() as u64 / 2, "{name}");
        }
    }

    #[test]
    fn streams_written_one_after_the_other_are_read_as_one() {
        for name in ["a.gz", "a.xz", "a.zst"] {
            let (_folder, path) = written(name);
            fs::write(&path, fs::read(&path).unwrap().repeat(2)).unwrap();
            assert_eq!(*Contents::read(&path).unwrap(), body().repeat(2)[..], "{name}");
        }
    }

    #[test]
    fn truncated_and_damaged_files_are_errors() {
        for name in ["a.gz", "a.xz", "a.zst"] {
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
        assert!(Contents::read(&path).unwrap().is_empty());
        assert!(matches!(Contents::read(&folder.path().join("missing")), Err(Error::Io { .. })));
        assert!(matches!(Contents::read(folder.path()), Err(Error::Io { .. })));
    }
}

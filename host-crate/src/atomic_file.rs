//! Output files that appear whole or not at all: what is written goes to a temporary file in the same folder, which takes
//! the final name only when everything is there. A failure removes it; so does [`remove_unfinished`], which a handler of
//! Ctrl-C calls before it ends the process.

use crate::{Error, Result};
use std::{
    fs::{self, File},
    io::{self, BufWriter, IntoInnerError, Write},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};
use tempfile::TempPath;

/// Temporary files being written by this process.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A file that gets its name when [`AtomicFile::finish`] is called, replacing what had that name before.
///
/// A path that exists and is not a regular file (`/dev/stdout`, a pipe) is written to directly.
#[derive(Debug)]
pub struct AtomicFile {
    path: PathBuf,
    writer: BufWriter<File>,
    // Dropped in this order: the file is gone or renamed before it is noted no more.
    temporary: Option<(TempPath, Noted)>,
}

/// A line in [`UNFINISHED`].
#[derive(Debug)]
struct Noted(PathBuf);

impl AtomicFile {
    /// Begins a file that will be called `path`.
    ///
    /// # Errors
    /// When the folder is not there or may not be written to.
    pub fn create(path: &Path) -> Result<Self> {
        // A symbolic link keeps pointing where it does; the file behind it is the one that is replaced.
        let destination = destination(path);
        let opened = match fs::metadata(path) {
            // Links that lead in a circle, say.
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => File::options().write(true).open(path).map(|file| (file, None)),
            _ => temporary_beside(&destination),
        };
        let (file, temporary) = opened.map_err(Error::io(path))?;
        Ok(Self { path: destination, writer: BufWriter::with_capacity(1 << 18, file), temporary })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the last bytes cannot be written or the name cannot be given; the temporary file is gone then.
    pub fn finish(self) -> Result<()> {
        let Self { path, writer, temporary } = self;
        let written = writer.into_inner().map(drop).map_err(IntoInnerError::into_error);
        let finished = match temporary {
            Some((temporary, _noted)) => written.and_then(|()| temporary.persist(&path).map_err(|error| error.error)),
            None => written,
        };
        finished.map_err(Error::io(&path))
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Where a file is or will be that is written under this name, however it was named: where a symbolic link points to, even if nothing is
/// there yet.
pub(crate) fn destination(path: &Path) -> PathBuf {
    // As many links as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut place = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = || Some(fs::canonicalize(folder).ok()?.join(place.file_name()?));
    fs::canonicalize(&place).ok().or_else(beside).unwrap_or(place)
}

fn temporary_beside(path: &Path) -> io::Result<(File, Option<(TempPath, Noted)>)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::metadata(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".evenkeel-").suffix(".part");
    // A temporary file is private by default; this one becomes an ordinary file of the user.
    #[cfg(unix)]
    builder.permissions(<fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o666));
    // Held while the file is made, so that no handler can run between the making and the noting.
    let mut unfinished = unfinished();
    // The system's reason alone: the name of a temporary file means nothing to a user.
    let made = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()));
    let (file, temporary) = made?.into_parts();
    unfinished.push(temporary.to_path_buf());
    let noted = Noted(temporary.to_path_buf());
    Ok((file, Some((temporary, noted))))
}

impl Drop for Noted {
    fn drop(&mut self) {
        unfinished().retain(|path| *path != self.0);
    }
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes every temporary file this process has begun and not finished. For a handler that is about to end the process;
/// finishing such a file afterwards is an error.
pub fn remove_unfinished() {
    remove(&unfinished());
}

/// The same for a handler that may have interrupted the noting of a file, and then has to leave it.
#[cfg(feature = "cli")]
pub(crate) fn try_remove_unfinished() {
    if let Ok(unfinished) = UNFINISHED.try_lock() {
        remove(&unfinished);
    }
}

fn remove(paths: &[PathBuf]) {
    for path in paths {
        // What is already gone needs no removing, and nobody is left to hear of another reason.
        let _ = fs::remove_file(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_only_when_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        fs::write(&path, "old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        file.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["out.txt"]);
    }

    #[test]
    fn an_abandoned_file_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        AtomicFile::create(&path).unwrap().write_all(b"half").unwrap();
        assert!(names(folder.path()).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_survives() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("real"), folder.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&real).unwrap(), "new");
    }

    #[cfg(unix)]
    #[test]
    fn a_symbolic_link_to_nothing_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("inner/../inner/new", &link).unwrap();
        let mut file = AtomicFile::create(&link).unwrap();
        file.write_all(b"new").unwrap();
        file.finish().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(inner.join("new")).unwrap(), "new");
        let missing = folder.path().join("missing");
        std::os::unix::fs::symlink("no-such-folder/new", &missing).unwrap();
        assert!(AtomicFile::create(&missing).is_err());
        let circle = folder.path().join("circle");
        std::os::unix::fs::symlink("circle", &circle).unwrap();
        assert!(AtomicFile::create(&circle).is_err());
        assert!([missing, circle].iter().all(|link| fs::symlink_metadata(link).unwrap().is_symlink()));
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let path = Path::new("no-such-folder/out.txt");
        assert!(AtomicFile::create(path).unwrap_err().to_string().starts_with("no-such-folder/out.txt: "));
    }
}

//! Output files that appear whole or not at all: what is written goes to a temporary file in the same folder, which takes
//! the final name only when everything is there and on the disk. A failure removes it; so does [`remove_unfinished`], which a
//! handler of Ctrl-C calls before it ends the process.

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

/// A file that gets its name when [`AtomicFile::finish`] is called, replacing what had that name before. It has the permissions of what it
/// replaces.
///
/// A path that exists and is not a regular file (`/dev/stdout`, a pipe) is written to directly.
#[derive(Debug)]
pub struct AtomicFile {
    /// What the user calls it.
    name: PathBuf,
    /// Where it will be.
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
        let writer = BufWriter::with_capacity(1 << 18, file);
        Ok(Self { name: path.to_path_buf(), path: destination, writer, temporary })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// When the last bytes cannot be written or the name cannot be given; the temporary file is gone then.
    pub fn finish(self) -> Result<()> {
        self.written()?.take_name().map(drop)
    }

    /// Writes what is left to the disk.
    fn written(self) -> Result<Written> {
        let Self { name, path, writer, temporary } = self;
        let file = writer.into_inner().map_err(IntoInnerError::into_error);
        // A pipe or a device has no disk to wait for.
        let synced = |file: File| if temporary.is_some() { sync(&file) } else { Ok(()) };
        match file.and_then(synced) {
            Ok(()) => Ok(Written { name, path, temporary }),
            Err(source) => Err(Error::Io { path: name, source }),
        }
    }
}

/// Waits until a file is on the disk, where its file system knows of that.
fn sync(file: &File) -> io::Result<()> {
    match file.sync_all() {
        Err(error) if matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput) => Ok(()),
        synced => synced,
    }
}

/// Gives several files their names, or none of them: what those replaced that had theirs already is put back when one fails.
///
/// # Errors
/// As [`AtomicFile::finish`] of any of them.
pub fn finish_together(files: Vec<AtomicFile>) -> Result<()> {
    // What can fail most likely, a disk that is full, is done for all of them first.
    let written = files.into_iter().map(AtomicFile::written).collect::<Result<Vec<_>>>()?;
    let count = written.len();
    let mut replaced = Vec::new();
    for (number, file) in (1..).zip(written) {
        let before = (number < count && file.temporary.is_some()).then(|| Replaced::keep(&file.path));
        if let Err(error) = file.take_name() {
            replaced.into_iter().rev().for_each(Replaced::put_back);
            return Err(error);
        }
        replaced.extend(before);
    }
    Ok(())
}

/// A file of which everything is on the disk but the name.
struct Written {
    name: PathBuf,
    path: PathBuf,
    temporary: Option<(TempPath, Noted)>,
}

impl Written {
    fn take_name(self) -> Result<()> {
        let Self { name, path, temporary } = self;
        let Some((temporary, _noted)) = temporary else { return Ok(()) };
        temporary.persist(&path).map_err(|error| Error::Io { path: name, source: error.error })?;
        // The name is in the folder, which not every system can be asked to write. The file is whole in any case.
        #[cfg(unix)]
        let _ = File::open(folder_of(&path)).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

/// What had a file's name before.
enum Replaced {
    /// There was no file of this name.
    Nothing(PathBuf),
    /// A file, with a second name that it has meanwhile.
    File(PathBuf, TempPath),
    /// A file that can have no second name where it is.
    Lost,
}

impl Replaced {
    fn keep(path: &Path) -> Self {
        if !path.exists() {
            return Self::Nothing(path.to_path_buf());
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix(".evenkeel-").suffix(".before");
        match builder.make_in(folder_of(path), |name| fs::hard_link(path, name)) {
            Ok(second) => Self::File(path.to_path_buf(), second.into_temp_path()),
            Err(_) => Self::Lost,
        }
    }

    fn put_back(self) {
        // The failure that led here is reported, and nobody is left to hear of another.
        let _ = match self {
            Self::Nothing(path) => fs::remove_file(path),
            Self::File(path, before) => before.persist(path).map_err(|error| error.error),
            Self::Lost => Ok(()),
        };
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
#[doc(hidden)]
pub fn destination(path: &Path) -> PathBuf {
    // As many links as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut place = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        let Ok(target) = fs::read_link(&place) else { break };
        place = place.parent().unwrap_or(Path::new("")).join(target);
    }
    let beside = || Some(fs::canonicalize(folder_of(&place)).ok()?.join(place.file_name()?));
    fs::canonicalize(&place).ok().or_else(beside).unwrap_or(place)
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn temporary_beside(path: &Path) -> io::Result<(File, Option<(TempPath, Noted)>)> {
    let folder = folder_of(path);
    fs::metadata(folder)?;
    #[cfg(unix)]
    let permissions = fs::metadata(path).ok().map(|file| file.permissions());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".evenkeel-").suffix(".part");
    // A temporary file is private by default; this one becomes an ordinary file of the user.
    #[cfg(unix)]
    builder.permissions(permissions.clone().unwrap_or(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
    // Held while the file is made, so that no handler can run between the making and the noting.
    let mut unfinished = unfinished();
    // The system's reason alone: the name of a temporary file means nothing to a user.
    let made = builder.tempfile_in(folder).map_err(|error| io::Error::from(error.kind()));
    let (file, temporary) = made?.into_parts();
    unfinished.push(temporary.to_path_buf());
    drop(unfinished);
    let noted = Noted(temporary.to_path_buf());
    // The mask for new files does not apply to one that was there.
    #[cfg(unix)]
    permissions.map_or(Ok(()), |permissions| file.set_permissions(permissions))?;
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

/// Removes the temporary files unless the list of them is locked, for a handler that may have interrupted a change of the list.
#[doc(hidden)]
pub fn try_remove_unfinished() {
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

    #[cfg(unix)]
    #[test]
    fn permissions_are_kept() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        for mode in [0o600, 0o664, 0o755] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            AtomicFile::create(&path).unwrap().finish().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
            assert_eq!(fs::read(&path).unwrap(), b"");
        }
    }

    #[test]
    fn files_are_replaced_together_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let [old, new, last] = ["old", "new", "last"].map(|name| folder.path().join(name));
        let files = || [&old, &new, &last].map(|path| AtomicFile::create(path).unwrap());
        let text = |path: &Path| fs::read_to_string(path).ok();
        fs::write(&old, "old").unwrap();
        let failing = files();
        // No file can take the name of a folder.
        fs::create_dir(&last).unwrap();
        let error = finish_together(failing.into()).unwrap_err();
        assert!(error.to_string().contains("last: "), "{error}");
        assert_eq!((text(&old).as_deref(), text(&new)), (Some("old"), None));
        assert_eq!(names(folder.path()).len(), 2, "{:?}", names(folder.path()));
        fs::remove_dir(&last).unwrap();
        finish_together(files().into()).unwrap();
        assert_eq!([&old, &new, &last].map(|path| text(path).as_deref() == Some("")), [true; 3]);
        assert_eq!(names(folder.path()).len(), 3, "{:?}", names(folder.path()));
    }

    #[test]
    fn a_missing_folder_is_an_error_that_names_the_file() {
        let path = Path::new("no-such-folder/out.txt");
        assert!(AtomicFile::create(path).unwrap_err().to_string().starts_with("no-such-folder/out.txt: "));
    }
}

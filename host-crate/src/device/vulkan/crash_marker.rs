//! A note of what is being compiled, for the case that the driver's compiler crashes and takes the program with it: the next start
//! then finds the note and says which kernel it was.
//!
//! Each process has a file of its own beside the pipeline cache, made when it first compiles something, with a line before each
//! compilation and one after it. It holds a lock on that file, which the system releases when the process ends in whatever way: a
//! file that can be locked is of a process that has ended, and one without a last line tells of a crash.

use super::{context::Context, lock, pipeline_cache};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, Write},
    path::{Path, PathBuf},
    process,
    sync::{
        Mutex,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

const BEGIN: &str = "begin ";
const END: &str = "end ";

/// The note of an open device. Where nothing can be written, nothing is noted.
pub(super) struct CrashMarker {
    path: Option<PathBuf>,
    file: Mutex<Option<File>>,
}

impl CrashMarker {
    /// Tells, once, of what processes that have ended left in `folder`, and begins a note of this one.
    pub(super) fn new(context: &Context, folder: Option<&Path>) -> Self {
        let prefix = format!("compiling-{}-", pipeline_cache::identity(&context.physical.properties));
        for kernels in folder.map(|folder| left_over(folder, &prefix)).unwrap_or_default() {
            let (driver, kernels) = (&context.physical.info.driver, kernels.join(" or "));
            tracing::warn!(
                "the driver {driver} crashed, or the program was killed, while it compiled kernel {kernels}; if it happens again, \
                 take another driver version, another strategy, or --device cpu"
            );
        }
        // A process may open a device more than once.
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let name = format!("{prefix}{}-{}.txt", process::id(), OPENED.fetch_add(1, Relaxed));
        Self { path: folder.map(|folder| folder.join(name)), file: Mutex::default() }
    }

    /// Notes that a kernel is being compiled.
    pub(super) fn begin(&self, kernel: &str) {
        self.write(BEGIN, kernel);
    }

    /// Notes that it has been.
    pub(super) fn end(&self, kernel: &str) {
        self.write(END, kernel);
    }

    fn write(&self, what: &str, kernel: &str) {
        let Some(path) = &self.path else { return };
        let mut file = lock(&self.file);
        if file.is_none() {
            *file = create(path);
        }
        if let Some(file) = file.as_mut() {
            // One call, so that a crash leaves whole lines. A note that cannot be written is no reason to stop.
            let _ = file.write_all(format!("{what}{kernel}\n").as_bytes());
        }
    }

    /// Removes the note: nothing is being compiled. A later compilation begins another.
    pub(super) fn remove(&self) {
        let file = lock(&self.file).take();
        if let Some((file, path)) = file.zip(self.path.as_ref()) {
            drop(file);
            let _ = fs::remove_file(path);
        }
    }
}

impl Drop for CrashMarker {
    fn drop(&mut self) {
        self.remove();
    }
}

/// A new file that this process holds the lock of.
fn create(path: &Path) -> Option<File> {
    fs::create_dir_all(path.parent()?).ok()?;
    let file = File::create(path).ok()?;
    file.try_lock().ok()?;
    Some(file)
}

/// What each process that has ended was compiling, if it was; their notes are removed.
fn left_over(folder: &Path, prefix: &str) -> Vec<Vec<String>> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let left = ours.filter_map(|entry| {
        let path = entry.path();
        let file = File::options().read(true).write(true).open(&path).ok()?;
        // The lock of a process that lives keeps its note, and of two that look at the same time one tells.
        file.try_lock().ok()?;
        let text = io::read_to_string(&file).ok()?;
        fs::remove_file(&path).ok()?;
        Some(unfinished(&text)).filter(|kernels| !kernels.is_empty())
    });
    left.collect()
}

/// The kernels that were begun and not ended.
fn unfinished(text: &str) -> Vec<String> {
    let mut kernels = BTreeSet::new();
    for line in text.lines() {
        if let Some(kernel) = line.strip_prefix(BEGIN) {
            kernels.insert(kernel.to_owned());
        } else if let Some(kernel) = line.strip_prefix(END) {
            kernels.remove(kernel);
        }
    }
    kernels.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marker(folder: &Path, name: &str) -> CrashMarker {
        CrashMarker { path: Some(folder.join(name)), file: Mutex::default() }
    }

    #[test]
    fn what_a_dead_process_was_compiling_is_told_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("compiling-x-4194305-0.txt");
        fs::write(&path, "begin bfs\nbegin scan\nend bfs\nbegin sort\n").unwrap();
        assert_eq!(left_over(folder.path(), "compiling-x-"), [["scan", "sort"]]);
        assert!(!path.exists());
        assert!(left_over(folder.path(), "compiling-x-").is_empty());
    }

    #[test]
    fn a_living_process_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let marker = marker(folder.path(), "compiling-x-1-0.txt");
        marker.begin("bfs");
        assert!(left_over(folder.path(), "compiling-x-").is_empty());
        assert!(marker.path.as_ref().unwrap().exists());
        drop(marker);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn finished_or_foreign_markers_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("compiling-x-7-0.txt"), "begin bfs\nend bfs\n").unwrap();
        fs::write(folder.path().join("compiling-y-7-0.txt"), "begin bfs\n").unwrap();
        assert!(left_over(folder.path(), "compiling-x-").is_empty());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

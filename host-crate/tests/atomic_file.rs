//! What a handler of Ctrl-C does to files being written. Alone in this file, as it concerns every such file of the process.

use evenkeel::atomic_file::{AtomicFile, remove_unfinished};
use std::io::Write;

#[test]
fn a_handler_can_remove_what_is_unfinished() {
    let folder = tempfile::tempdir().unwrap();
    let mut finished = AtomicFile::create(&folder.path().join("finished")).unwrap();
    finished.write_all(b"whole").unwrap();
    finished.finish().unwrap();
    let mut unfinished = AtomicFile::create(&folder.path().join("unfinished")).unwrap();
    unfinished.write_all(b"half").unwrap();
    assert_eq!(folder.path().read_dir().unwrap().count(), 2);
    remove_unfinished();
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
    assert!(unfinished.finish().is_err());
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

//! Reading what may have no end.

use evenkeel_base::machine;
use std::{
    io::{self, Read},
    path::Path,
};

/// Whether a path stands for standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Reads to the end, unless that is more than there is memory for: a device or a pipe may have no end, and the system would end the
/// process. A part of the memory is left for what is made of the bytes.
pub(super) fn read_all(reader: impl Read) -> io::Result<Vec<u8>> {
    read_within(reader, machine::known_memory().map_or(u64::MAX, |memory| memory / 4 * 3))
}

fn read_within(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = reader.take(most.saturating_add(1)).read_to_end(&mut bytes);
    match read {
        Err(error) if error.kind() != io::ErrorKind::OutOfMemory => Err(error),
        Ok(_) if bytes.len() as u64 <= most => Ok(bytes),
        _ => {
            let reason = format!("{} bytes were read, and there is no memory for more", bytes.len());
            Err(io::Error::new(io::ErrorKind::OutOfMemory, reason))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_end_is_an_error() {
        assert_eq!(read_within(&b"1 2\n"[..], 4).unwrap(), b"1 2\n");
        let error = read_within(io::repeat(0), 1 << 20).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::OutOfMemory);
        assert_eq!(error.to_string(), "1048577 bytes were read, and there is no memory for more");
    }
}

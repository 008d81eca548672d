//! Compressed bytes on their way to a decoder, which say how far they have come.

use evenkeel_base::phase;
use std::io::{self, BufRead, Read};

/// Progress is said each time that this part of the bytes was read.
const PARTS: usize = 100;

/// Bytes that are read from the beginning to the end.
pub(super) struct Counted<'a> {
    rest: &'a [u8],
    total: usize,
    /// How many were left when progress was last said.
    told: usize,
}

impl<'a> Counted<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, total: bytes.len(), told: bytes.len() }
    }
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Counted<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(&self.rest[..self.rest.len().min(self.total.div_ceil(PARTS))])
    }

    fn consume(&mut self, amount: usize) {
        self.rest = &self.rest[amount..];
        if self.told - self.rest.len() >= self.total.div_ceil(PARTS) {
            self.told = self.rest.len();
            phase::advance("bytes", (self.total - self.told) as u64, Some(self.total as u64));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_read_in_order() {
        for length in [0, 1, 99, 100, 12_345] {
            let bytes: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
            let mut read = Vec::new();
            Counted::new(&bytes).read_to_end(&mut read).unwrap();
            assert_eq!(read, bytes);
            assert_eq!(Counted::new(&bytes).bytes().count(), length);
        }
    }
}

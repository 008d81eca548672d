//! Reading text in parallel: a text is cut into pieces at line ends, each piece is parsed on its own, and the first flaw in
//! file order is the one reported. A flaw knows only its byte position; its line number is counted when it is reported, so
//! that parsing pays nothing for it.

use evenkeel_base::{Error, Result, phase};
use memchr::memchr;
use rayon::prelude::*;
use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

// Small enough that a few megabytes keep every core busy, large enough that a piece's own cost does not show.
const PIECE_BYTES: usize = if cfg!(test) { 16 } else { 1 << 18 };

/// A file's text, decompressed, and the path that errors name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text<'a> {
    pub path: &'a Path,
    pub bytes: &'a [u8],
}

#[derive(Debug)]
pub(super) struct Flaw {
    pub position: usize,
    pub reason: String,
}

/// The lines of a text, or of a piece of it.
pub(super) struct Lines<'a> {
    /// What has not been read yet.
    pub bytes: &'a [u8],
    /// Where the next line begins in the text.
    pub position: usize,
    /// The index of this piece of the text, from 0.
    pub piece: usize,
}

/// One line without its end, read field by field. Fields are separated by blanks, or by one comma and any blanks.
#[derive(Clone, Copy, Default)]
pub(super) struct Line<'a> {
    /// What has not been read yet.
    pub rest: &'a [u8],
    /// Where the line begins in the text.
    pub position: usize,
}

impl<'a> Text<'a> {
    pub fn lines_from(&self, start: usize) -> Lines<'a> {
        Lines { bytes: &self.bytes[start..], position: start, piece: 0 }
    }

    /// Parses the lines from byte `start` on in parallel and gives what came of each piece, in file order.
    pub fn in_pieces<T: Send>(
        &self,
        start: usize,
        parse: impl Fn(Lines<'a>) -> Result<T, Flaw> + Sync,
    ) -> Result<Vec<T>> {
        let (read, total) = (AtomicUsize::new(start), self.bytes.len());
        // A hundred messages at most, whatever the length.
        let step = total.div_ceil(100).max(PIECE_BYTES);
        let parse = |lines: Lines<'a>| {
            let length = lines.bytes.len();
            let parsed = parse(lines);
            let before = read.fetch_add(length, Relaxed);
            if before / step != (before + length) / step {
                phase::advance("bytes", (before + length) as u64, Some(total as u64));
            }
            parsed
        };
        let parsed: Vec<_> = self.pieces(start).into_par_iter().map(parse).collect();
        parsed.into_iter().collect::<Result<_, Flaw>>().map_err(|flaw| self.error(flaw))
    }

    fn pieces(&self, start: usize) -> Vec<Lines<'a>> {
        let mut pieces = Vec::with_capacity((self.bytes.len() - start) / PIECE_BYTES + 1);
        let mut position = start;
        while position < self.bytes.len() {
            let near = (position + PIECE_BYTES).min(self.bytes.len());
            let end = memchr(b'\n', &self.bytes[near..]).map_or(self.bytes.len(), |line_end| near + line_end + 1);
            pieces.push(Lines { bytes: &self.bytes[position..end], position, piece: pieces.len() });
            position = end;
        }
        pieces
    }

    /// The error for a flaw, with its line counted.
    #[cold]
    pub fn error(&self, flaw: Flaw) -> Error {
        let line = self.line_number(flaw.position);
        Error::Line { path: self.path.to_path_buf(), line, reason: flaw.reason }
    }

    /// The number of the line at that byte, counted from 1.
    #[cold]
    pub fn line_number(&self, position: usize) -> u64 {
        1 + memchr::memchr_iter(b'\n', &self.bytes[..position]).count() as u64
    }

    #[cold]
    pub fn error_of_file(&self, reason: impl Into<String>) -> Error {
        Error::File { path: self.path.to_path_buf(), reason: reason.into() }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Line<'a>;

    #[inline]
    fn next(&mut self) -> Option<Line<'a>> {
        if self.bytes.is_empty() {
            return None;
        }
        let end = memchr(b'\n', self.bytes).unwrap_or(self.bytes.len());
        let line = Line { rest: &self.bytes[..end], position: self.position };
        let next = (end + 1).min(self.bytes.len());
        self.bytes = &self.bytes[next..];
        self.position += next;
        Some(line)
    }
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

fn ends_field(byte: u8) -> bool {
    is_blank(byte) || byte == b','
}

impl<'a> Line<'a> {
    #[inline]
    fn skip_blanks(&mut self) {
        while let [first, rest @ ..] = self.rest
            && is_blank(*first)
        {
            self.rest = rest;
        }
    }

    /// Passes the separator after a field that ended `length` bytes on.
    #[inline]
    fn pass(&mut self, length: usize) {
        self.rest = &self.rest[length..];
        self.skip_blanks();
        if let [b',', rest @ ..] = self.rest {
            self.rest = rest;
        }
    }

    /// The next byte that is not blank, if there is one.
    #[inline]
    pub fn first(&self) -> Option<u8> {
        self.rest.iter().copied().find(|byte| !is_blank(*byte))
    }

    /// Whether there is something on the line and it does not begin with one of `marks` of a comment.
    #[inline]
    pub fn is_data(&self, marks: &[u8]) -> bool {
        self.first().is_some_and(|first| !marks.contains(&first))
    }

    /// The next field, empty between two commas; `None` at the line's end.
    #[inline]
    pub fn field(&mut self) -> Option<&'a [u8]> {
        self.skip_blanks();
        if self.rest.is_empty() {
            return None;
        }
        let length = self.rest.iter().position(|byte| ends_field(*byte)).unwrap_or(self.rest.len());
        let field = &self.rest[..length];
        self.pass(length);
        Some(field)
    }

    /// The next field as a whole number. `what` names it in the reason: "a node", "the number of edges".
    #[inline]
    pub fn whole(&mut self, what: &str) -> Result<u64, Flaw> {
        self.skip_blanks();
        match lexical_core::parse_partial::<u64>(self.rest) {
            Ok((value, length)) if length > 0 && self.rest.get(length).is_none_or(|byte| ends_field(*byte)) => {
                self.pass(length);
                Ok(value)
            }
            _ => Err(self.not_whole(what)),
        }
    }

    #[cold]
    fn not_whole(&mut self, what: &str) -> Flaw {
        match self.field() {
            None => self.flaw(format!("the line ends where {what} should be")),
            Some(field) if !field.is_empty() && field.iter().all(u8::is_ascii_digit) => {
                self.flaw(format!("{} is too large for {what}", shown(field)))
            }
            Some(field) => self.flaw(format!("'{}' is not {what}: a whole number belongs here", shown(field))),
        }
    }

    /// The next field as a whole number that is spelt in the one way a number has, so that it is a name for a node as well as the
    /// number itself: without a sign or leading zeros.
    #[inline]
    pub fn id(&mut self) -> Result<u64, Flaw> {
        self.skip_blanks();
        let zero_leads = matches!(self.rest, [b'0' | b'+', next, ..] if next.is_ascii_digit());
        if zero_leads { Err(self.not_whole("a node")) } else { self.whole("a node") }
    }

    /// Nothing but blanks may follow.
    #[inline]
    pub fn end(&self) -> Result<(), Flaw> {
        match self.first() {
            None => Ok(()),
            Some(_) => {
                let surplus = shown(self.rest.trim_ascii_start());
                Err(self.flaw(format!("'{surplus}' is more than this line should hold")))
            }
        }
    }

    #[cold]
    pub fn flaw(&self, reason: impl Into<String>) -> Flaw {
        Flaw { position: self.position, reason: reason.into() }
    }
}

/// Bytes from a file as an error shows them: readable, and never a screenful.
pub(super) fn shown(bytes: &[u8]) -> String {
    const LONGEST: usize = 40;
    let mut text: String = String::from_utf8_lossy(&bytes[..bytes.len().min(4 * LONGEST)])
        .trim_end()
        .chars()
        .take(LONGEST)
        .map(|character| if character.is_control() { '\u{fffd}' } else { character })
        .collect();
    if bytes.len() > LONGEST {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(bytes: &[u8]) -> Text<'_> {
        Text { path: Path::new("test"), bytes }
    }

    fn line(bytes: &[u8]) -> Line<'_> {
        Line { rest: bytes, position: 0 }
    }

    #[test]
    fn pieces_together_are_the_text() {
        for body in ["", "\n", "one line", "a\nb\n\nc\r\n", &"0123456789\n".repeat(20), &"x".repeat(100)] {
            let pieces = text(body.as_bytes()).pieces(0);
            let joined: Vec<u8> = pieces.iter().flat_map(|piece| piece.bytes).copied().collect();
            assert_eq!(joined, body.as_bytes());
            assert!(pieces.iter().rev().skip(1).all(|piece| piece.bytes.ends_with(b"\n")));
        }
    }

    #[test]
    fn the_first_flaw_in_the_file_is_reported_with_its_line() {
        let body = "1\n".repeat(100) + "wrong\n" + &"1\n".repeat(100) + "worse\n";
        let parsed = text(body.as_bytes()).in_pieces(0, |lines| {
            for mut line in lines {
                line.whole("a number")?;
            }
            Ok(())
        });
        assert_eq!(parsed.unwrap_err().to_string(), "test:101: 'wrong' is not a number: a whole number belongs here");
    }

    #[test]
    fn fields_are_separated_by_blanks_or_one_comma() {
        let mut fields = line(b"  a\tb , c,,d \r");
        let read: Vec<_> = std::iter::from_fn(|| fields.field()).collect();
        assert_eq!(read, [&b"a"[..], b"b", b"c", b"", b"d"]);
    }

    #[test]
    fn whole_numbers_are_whole_and_fit() {
        assert_eq!(line(b" 18446744073709551615,").whole("it").unwrap(), u64::MAX);
        let reason = |bytes| line(bytes).whole("a node").unwrap_err().reason;
        assert_eq!(reason(b" "), "the line ends where a node should be");
        assert_eq!(reason(b"18446744073709551616"), "18446744073709551616 is too large for a node");
        for wrong in ["-1", "1.5", "x", "+", ",1", "12x"] {
            assert!(reason(wrong.as_bytes()).ends_with("is not a node: a whole number belongs here"), "{wrong}");
        }
    }

    #[test]
    fn what_errors_show_is_short_and_printable() {
        assert_eq!(shown(b"ab\x00c\xff"), "ab\u{fffd}c\u{fffd}");
        assert_eq!(shown(&[b'x'; 1000]).chars().count(), 41);
    }
}

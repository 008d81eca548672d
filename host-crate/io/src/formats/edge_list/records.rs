//! Records that go on in the next line: a field in quotes may hold line ends, as in RFC 4180. Files are cut at line ends and read in
//! parallel; only one that has such a field is read record by record.

use super::{
    super::lines::{Line, Lines, is_blank},
    separator::Separator,
};
use memchr::memchr;

/// The records of a text, each as a line that may have line ends in it.
pub(super) struct Records<'a> {
    pub lines: Lines<'a>,
    pub separator: Separator,
    /// What comments begin with, in which quotes mean nothing.
    pub comments: &'static [u8],
}

impl<'a> Iterator for Records<'a> {
    type Item = Line<'a>;

    fn next(&mut self) -> Option<Line<'a>> {
        let (bytes, position) = (self.lines.bytes, self.lines.position);
        let line = self.lines.next()?;
        if !line.is_data(self.comments) || memchr(b'"', line.rest).is_none() {
            return Some(line);
        }
        let (end, _) = end_of_record(bytes, self.separator);
        let next = (end + 1).min(bytes.len());
        (self.lines.bytes, self.lines.position) = (&bytes[next..], position + next);
        Some(Line { rest: &bytes[..end], position })
    }
}

/// Where the record that begins with a field ends, and whether a quote is still open there, since the text ends.
pub(super) fn end_of_record(bytes: &[u8], separator: Separator) -> (usize, bool) {
    let separator = separator.byte();
    let mut begins_field = true;
    let mut position = 0;
    while let Some(byte) = bytes.get(position) {
        match byte {
            b'\n' => return (position, false),
            b'"' if begins_field => {
                match end_of_quotes(&bytes[position + 1..]) {
                    Some(length) => position += length + 1,
                    None => return (bytes.len(), true),
                }
                begins_field = false;
            }
            byte if Some(*byte) == separator => begins_field = true,
            byte if is_blank(*byte) => begins_field |= separator.is_none(),
            _ => begins_field = false,
        }
        position += 1;
    }
    (bytes.len(), false)
}

/// Where the closing quote is, if there is one; a doubled quote is none.
fn end_of_quotes(bytes: &[u8]) -> Option<usize> {
    let mut position = 0;
    loop {
        position += memchr(b'"', &bytes[position..])?;
        match bytes.get(position + 1) {
            Some(b'"') => position += 2,
            _ => return Some(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(text: &str, separator: Separator) -> Vec<(usize, String)> {
        let lines = Lines { bytes: text.as_bytes(), position: 0, piece: 0 };
        let records = Records { lines, separator, comments: b"#" };
        records.map(|record| (record.position, String::from_utf8(record.rest.to_vec()).unwrap())).collect()
    }

    #[test]
    fn line_ends_within_quotes_are_part_of_a_record() {
        let text = "a,\"b\nc\"\n# \"\n\n\"x\"\"\n\",y\"z\nu,v";
        let expected = [(0, "a,\"b\nc\""), (8, "# \""), (12, ""), (13, "\"x\"\"\n\",y\"z"), (24, "u,v")];
        assert_eq!(records(text, Separator::Commas), expected.map(|(place, text)| (place, text.to_owned())));
    }

    #[test]
    fn only_a_quote_at_the_beginning_of_a_field_counts() {
        assert_eq!(records("a,5 \"b\nc,d\n", Separator::Commas).len(), 2);
        assert_eq!(records("a 5 \"b\nc\" d\n", Separator::Blanks).len(), 1);
        assert_eq!(records("a,\"b\nc,d\n", Separator::Commas).len(), 1);
        assert_eq!(end_of_record(b"a,\"b\nc", Separator::Commas), (6, true));
        assert_eq!(end_of_record(b"\"a\"\n", Separator::Commas), (3, false));
        assert_eq!(end_of_record(b"", Separator::Commas), (0, false));
    }
}

//! The fields of a line by what separates them: one separator between two fields, with blanks around it that do not count, or any
//! number of blanks. A field may be in quotes, as in RFC 4180: separators within are part of it, and a doubled quote is one.

use super::{
    super::lines::{Flaw, Line, is_blank},
    records::end_of_record,
    separator::Separator,
};
use memchr::memchr;
use std::borrow::Cow;

/// A field of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Field<'a> {
    /// Without quotes, and without the blanks around it.
    pub text: Cow<'a, [u8]>,
    pub quoted: bool,
}

/// The fields of a line that have not been read yet.
pub(super) struct Fields<'a> {
    line: Line<'a>,
    kind: Separator,
    separator: Option<u8>,
    ended: bool,
}

impl<'a> Fields<'a> {
    pub fn new(line: Line<'a>, separator: Separator) -> Self {
        Self { line, kind: separator, separator: separator.byte(), ended: false }
    }

    /// The next field; none at the line's end.
    #[inline]
    pub fn next(&mut self) -> Result<Option<Field<'a>>, Flaw> {
        self.skip_blanks();
        if self.ended || (self.separator.is_none() && self.line.rest.is_empty()) {
            return Ok(None);
        }
        if let [b'"', quoted @ ..] = self.line.rest {
            return self.quoted(quoted).map(Some);
        }
        let end = match self.separator {
            Some(separator) => memchr(separator, self.line.rest),
            None => self.line.rest.iter().position(|byte| is_blank(*byte)),
        };
        let text = &self.line.rest[..end.unwrap_or(self.line.rest.len())];
        self.pass(end);
        let trailing = text.iter().rev().take_while(|byte| is_blank(**byte)).count();
        Ok(Some(Field { text: Cow::Borrowed(&text[..text.len() - trailing]), quoted: false }))
    }

    /// All fields of the line.
    pub fn collect(mut self) -> Result<Vec<Field<'a>>, Flaw> {
        std::iter::from_fn(|| self.next().transpose()).collect()
    }

    /// Whether a quote opens in a field that has not been read and is not closed on this line.
    pub fn leaves_quote_open(&self) -> bool {
        memchr(b'"', self.line.rest).is_some() && end_of_record(self.line.rest, self.kind).1
    }

    /// The field that begins behind a quote.
    fn quoted(&mut self, quoted: &'a [u8]) -> Result<Field<'a>, Flaw> {
        let mut text = Cow::Borrowed(&quoted[..0]);
        let mut rest = quoted;
        loop {
            let Some(end) = memchr(b'"', rest) else {
                return Err(self.line.flaw("a quote opens here and is not closed"));
            };
            match &mut text {
                Cow::Borrowed([]) => text = Cow::Borrowed(&rest[..end]),
                text => text.to_mut().extend_from_slice(&rest[..end]),
            }
            rest = &rest[end + 1..];
            let [b'"', behind @ ..] = rest else { break };
            text.to_mut().push(b'"');
            rest = behind;
        }
        self.line.rest = rest;
        self.skip_blanks();
        let separated = match (self.separator, self.line.rest) {
            (_, []) => true,
            (Some(separator), [next, ..]) => *next == separator,
            (None, left) => left.len() < rest.len(),
        };
        if !separated {
            return Err(self.line.flaw("something other than a separator follows a closing quote"));
        }
        if self.separator.is_some() {
            self.pass((!self.line.rest.is_empty()).then_some(0));
        }
        Ok(Field { text, quoted: true })
    }

    /// Goes on behind a field and the separator at `end`; without one, the line ends.
    #[inline]
    fn pass(&mut self, end: Option<usize>) {
        match end {
            Some(end) => self.line.rest = &self.line.rest[end + usize::from(self.separator.is_some())..],
            None => (self.line.rest, self.ended) = (&[], true),
        }
    }

    /// Skips blanks, but not a tab that separates.
    #[inline]
    fn skip_blanks(&mut self) {
        while let [first, rest @ ..] = self.line.rest
            && is_blank(*first)
            && Some(*first) != self.separator
        {
            self.line.rest = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(text: &str, separator: Separator) -> Result<Vec<String>, String> {
        let fields = Fields::new(Line { rest: text.as_bytes(), position: 0 }, separator).collect();
        let text = |field: &Field<'_>| String::from_utf8(field.text.to_vec()).unwrap();
        fields.map(|fields| fields.iter().map(text).collect()).map_err(|flaw| flaw.reason)
    }

    #[test]
    fn one_separator_is_between_two_fields() {
        for (separator, byte) in [(Separator::Commas, ","), (Separator::Semicolons, ";"), (Separator::Bars, "|")] {
            let line = " a b ,c,, 3.5 ,\r".replace(',', byte);
            assert_eq!(fields(&line, separator).unwrap(), ["a b", "c", "", "3.5", ""], "{line}");
        }
        assert_eq!(fields("a b\t\tc, d\t \r", Separator::Tabs).unwrap(), ["a b", "", "c, d", ""]);
        assert_eq!(fields("", Separator::Commas).unwrap(), [""]);
    }

    #[test]
    fn any_number_of_blanks_is_one_separator() {
        assert_eq!(fields("  a \t b,c  d\r", Separator::Blanks).unwrap(), ["a", "b,c", "d"]);
        assert!(fields(" \t", Separator::Blanks).unwrap().is_empty());
    }

    #[test]
    fn quotes_keep_what_is_within() {
        let line = r#" "a, b" ,"say ""hi""","","""",x"y"#;
        assert_eq!(fields(line, Separator::Commas).unwrap(), ["a, b", "say \"hi\"", "", "\"", "x\"y"]);
        assert_eq!(fields(r#""a b"	"c""d" "" e"#, Separator::Blanks).unwrap(), ["a b", "c\"d", "", "e"]);
        assert_eq!(fields("\"a\tb\"\t\"c\"", Separator::Tabs).unwrap(), ["a\tb", "c"]);
    }

    #[test]
    fn quotes_that_are_not_closed_or_followed_by_text_are_flaws() {
        for (line, separator) in [(r#""a,b"#, Separator::Commas), (r#""a b" "c"#, Separator::Blanks)] {
            assert!(fields(line, separator).unwrap_err().starts_with("a quote opens here and is not closed"));
        }
        for (line, separator) in [(r#""a"b,c"#, Separator::Commas), (r#""a"b c"#, Separator::Blanks)] {
            let reason = fields(line, separator).unwrap_err();
            assert_eq!(reason, "something other than a separator follows a closing quote");
        }
    }
}

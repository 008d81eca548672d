//! The words and marks of Graphviz's language, for [`super::dot`].

use super::lines::{Flaw, shown};
use std::{borrow::Cow, fmt};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    /// A name, a number or a keyword, as it is written.
    Word(&'a [u8]),
    /// A quoted name.
    Quoted(Cow<'a, str>),
    /// What stands between `<` and the `>` that closes it; only attributes have it.
    Html,
    /// `->`
    Directed,
    /// `--`
    Undirected,
    /// One of `{ } [ ] ; , = :`
    Mark(u8),
}

impl Token<'_> {
    pub fn is_keyword(&self, keyword: &str) -> bool {
        matches!(self, Self::Word(word) if word.eq_ignore_ascii_case(keyword.as_bytes()))
    }
}

/// As an error shows it.
impl fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => write!(f, "'{}'", shown(word)),
            Self::Quoted(text) => write!(f, "'{}'", shown(text.as_bytes())),
            Self::Html => f.write_str("'<'"),
            Self::Directed => f.write_str("'->'"),
            Self::Undirected => f.write_str("'--'"),
            Self::Mark(mark) => write!(f, "'{}'", char::from(*mark)),
        }
    }
}

pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    /// Where the token that was read last ends.
    pub position: usize,
    /// Where the token that was read last begins.
    begin: usize,
    /// The next token and where it ends, if it has been looked at.
    peeked: Option<(Option<Token<'a>>, usize)>,
}

impl<'a> Scanner<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let position = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { bytes, position, begin: position, peeked: None }
    }

    /// A flaw at the token that was read last.
    pub fn flaw<T>(&self, reason: impl Into<String>) -> Result<T, Flaw> {
        Err(Flaw { position: self.begin, reason: reason.into() })
    }

    /// The next token, which stays the next.
    pub fn peek(&mut self) -> Result<Option<Token<'a>>, Flaw> {
        if self.peeked.is_none() {
            let before = (self.position, self.begin);
            let token = self.scan()?;
            self.peeked = Some((token, self.position));
            (self.position, self.begin) = before;
        }
        Ok(self.peeked.as_ref().and_then(|(token, _)| token.clone()))
    }

    /// The next token, unless the text ends before it.
    pub fn token(&mut self) -> Result<Option<Token<'a>>, Flaw> {
        match self.peeked.take() {
            Some((token, end)) => {
                self.pass_blanks()?;
                self.begin = self.position;
                self.position = end;
                Ok(token)
            }
            None => self.scan(),
        }
    }

    /// The next token, which must be there.
    pub fn needed(&mut self) -> Result<Token<'a>, Flaw> {
        match self.token()? {
            Some(token) => Ok(token),
            None => self.flaw("the file ends too early"),
        }
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.position..]
    }

    fn pass_blanks(&mut self) -> Result<(), Flaw> {
        let to_line_end = |rest: &[u8]| memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        loop {
            match self.rest() {
                [blank, ..] if blank.is_ascii_whitespace() => self.position += 1,
                rest @ ([b'#', ..] | [b'/', b'/', ..]) => self.position += to_line_end(rest),
                [b'/', b'*', inside @ ..] => match memchr::memmem::find(inside, b"*/") {
                    Some(length) => self.position += length + 4,
                    None => {
                        self.begin = self.position;
                        return self.flaw("a comment opens here, and nothing closes it");
                    }
                },
                _ => return Ok(()),
            }
        }
    }

    fn scan(&mut self) -> Result<Option<Token<'a>>, Flaw> {
        self.pass_blanks()?;
        self.begin = self.position;
        let rest = self.rest();
        let (token, length) = match rest {
            [] => return Ok(None),
            [b'-', b'>', ..] => (Token::Directed, 2),
            [b'-', b'-', ..] => (Token::Undirected, 2),
            [mark @ (b'{' | b'}' | b'[' | b']' | b';' | b',' | b'=' | b':'), ..] => (Token::Mark(*mark), 1),
            [b'<', ..] => (Token::Html, self.html(rest)?),
            [b'"', ..] => return self.quoted().map(Some),
            [b'-' | b'.' | b'0'..=b'9', ..] => {
                let digits = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
                let length = 1 + rest[1..].iter().position(|byte| !digits(byte)).unwrap_or(rest.len() - 1);
                (Token::Word(&rest[..length]), length)
            }
            _ => {
                let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
                match rest.iter().position(|byte| !is_name(byte)).unwrap_or(rest.len()) {
                    0 => return self.flaw(format!("'{}' has no meaning here", shown(&rest[..1]))),
                    length => (Token::Word(&rest[..length]), length),
                }
            }
        };
        self.position += length;
        Ok(Some(token))
    }

    /// How long the text from `<` to the `>` that closes it is.
    fn html(&self, rest: &[u8]) -> Result<usize, Flaw> {
        let mut depth = 0_usize;
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                b'<' => depth += 1,
                b'>' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Ok(index + 1);
            }
        }
        self.flaw("a '<' opens here, and no '>' closes it")
    }

    /// A quoted name: `\"` is a quotation mark, a `\` before a line's end joins the lines, and `+` joins two names.
    fn quoted(&mut self) -> Result<Token<'a>, Flaw> {
        let begin = self.position;
        let mut whole: Option<Cow<'a, str>> = None;
        loop {
            let inside = &self.rest()[1..];
            let mut end = 0;
            loop {
                match memchr::memchr2(b'"', b'\\', &inside[end..]) {
                    Some(found) if inside[end + found] == b'\\' => end = (end + found + 2).min(inside.len()),
                    Some(found) => {
                        end += found;
                        break;
                    }
                    None => return self.flaw("a quotation mark opens here, and none closes"),
                }
            }
            self.position += end + 2;
            let part = unquoted(&inside[..end]);
            whole = Some(match whole {
                None => part,
                Some(before) => before + part,
            });
            let after = self.position;
            self.pass_blanks()?;
            if let [b'+', ..] = self.rest() {
                self.position += 1;
                self.pass_blanks()?;
                if let [b'"', ..] = self.rest() {
                    continue;
                }
                return self.flaw("a quoted name should follow '+'");
            }
            (self.position, self.begin) = (after, begin);
            return Ok(Token::Quoted(whole.unwrap_or_default()));
        }
    }
}

fn unquoted(raw: &[u8]) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(raw);
    if !text.contains('\\') {
        return text;
    }
    Cow::Owned(text.replace("\\\r\n", "").replace("\\\n", "").replace("\\\"", "\""))
}

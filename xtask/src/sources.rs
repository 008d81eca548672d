//! The source files of a crate, and the paths into the crate that they contain.
//!
//! Every path that begins with `crate`, `super`, `self` or the crate's own name counts, in imports, in code and in macros. Items
//! under `#[cfg(test)]` do not count.

use anyhow::{Context, Result, ensure};
use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use std::{collections::BTreeMap, fs, path::Path};

/// The files of a crate: their text by their path from the folder of its sources.
pub type Sources = BTreeMap<String, String>;

/// A path into the crate, as found in a file.
#[derive(Debug, PartialEq)]
pub struct Import {
    /// The line of its last segment.
    pub line: usize,
    /// The segments from the crate's root on.
    pub path: Vec<String>,
}

/// Reads the source files below a folder.
pub fn read(folder: &Path) -> Result<Sources> {
    let mut sources = Sources::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(current) = folders.pop() {
        for entry in fs::read_dir(&current).with_context(|| current.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder)?.to_str().context("a file name is not text")?.replace('\\', "/");
                sources.insert(name, fs::read_to_string(&path).with_context(|| path.display().to_string())?);
            }
        }
    }
    ensure!(!sources.is_empty(), "{} has no sources", folder.display());
    Ok(sources)
}

/// The module that a file is.
pub fn module(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// The names that a file re-exports from modules below its own, each with its path from there.
pub fn reexports(file: &str, text: &str) -> Result<Vec<(String, Vec<String>)>> {
    let mut is_use = false;
    let mut statement = Vec::new();
    let mut found = Vec::new();
    for token in tokens(file, text)? {
        match &token {
            TokenTree::Ident(word) if word == "use" => is_use = true,
            TokenTree::Punct(mark) if mark.as_char() == ';' => {
                for (mut path, _) in expand(&std::mem::take(&mut statement)) {
                    path.retain(|segment| segment != "crate" && segment != "self");
                    if let [_, .., last] = &path[..] {
                        found.push((last.clone(), path));
                    }
                }
                is_use = false;
            }
            _ if is_use => statement.push(token),
            _ => {}
        }
    }
    Ok(found)
}

/// All paths into the crate called `name`, in one of its files.
pub fn imports(name: &str, file: &str, text: &str) -> Result<Vec<Import>> {
    let mut imports = Vec::new();
    let text: Vec<_> = tokens(file, text)?.into_iter().collect();
    Reader { name }.collect(&module(file), &text, &mut imports);
    Ok(imports)
}

/// Reads paths in the files of one crate.
struct Reader<'a> {
    name: &'a str,
}

impl Reader<'_> {
    fn collect(&self, module: &[String], tokens: &[TokenTree], imports: &mut Vec<Import>) {
        let mut at = 0;
        while at < tokens.len() {
            let rest = &tokens[at..];
            if let Some(length) = test_item(rest) {
                at += length;
                continue;
            }
            match rest {
                // An inline module: `super` is relative to it.
                [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] if word == "mod" => {
                    let inner: Vec<_> = module.iter().cloned().chain([name.to_string()]).collect();
                    self.collect(&inner, &body.stream().into_iter().collect::<Vec<_>>(), imports);
                    at += 3;
                }
                [TokenTree::Ident(first), colon, ..] if is_colon(colon) && self.is_start(first, tokens, at) => {
                    let length = path_length(rest);
                    for (path, span) in expand(&rest[..length]) {
                        imports.extend(self.resolve(module, path).map(|path| Import { line: span.start().line, path }));
                    }
                    at += length;
                }
                [TokenTree::Group(group), ..] => {
                    self.collect(module, &group.stream().into_iter().collect::<Vec<_>>(), imports);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Whether the word at `at` begins a path of this crate; in the middle of one, it does not.
    fn is_start(&self, word: &proc_macro2::Ident, tokens: &[TokenTree], at: usize) -> bool {
        let is_known = ["crate", "super", "self"].iter().any(|start| word == start) || word == self.name;
        is_known && !(at > 0 && is_colon(&tokens[at - 1]))
    }

    /// The path from the crate's root on, of a path that was written in `module`.
    fn resolve(&self, module: &[String], path: Vec<String>) -> Option<Vec<String>> {
        let mut base = match path[0].as_str() {
            "super" | "self" => module.to_vec(),
            _ => Vec::new(),
        };
        for segment in path {
            match segment.as_str() {
                "super" => drop(base.pop()?),
                "self" | "crate" => {}
                name if name == self.name && base.is_empty() => {}
                _ => base.push(segment),
            }
        }
        Some(base)
    }
}

/// The number of tokens of an item for tests alone, from its attribute on.
fn test_item(tokens: &[TokenTree]) -> Option<usize> {
    let [TokenTree::Punct(mark), TokenTree::Group(attribute), rest @ ..] = tokens else { return None };
    if mark.as_char() != '#' || attribute.stream().to_string().replace(' ', "") != "cfg(test)" {
        return None;
    }
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(mark) => mark.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    // A brace also ends `use a::{b};`, whose semicolon by itself is harmless.
    Some(2 + rest.iter().position(ends)? + 1)
}

fn is_colon(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(mark) if mark.as_char() == ':')
}

/// How many tokens a path has, with the braces of an import.
fn path_length(tokens: &[TokenTree]) -> usize {
    let mut length = 1;
    while let [TokenTree::Punct(first), TokenTree::Punct(second), next, ..] = &tokens[length..] {
        if first.as_char() != ':' || second.as_char() != ':' {
            break;
        }
        match next {
            TokenTree::Ident(_) => length += 3,
            TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => return length + 3,
            _ => break,
        }
    }
    length
}

/// The paths of an import tree, each with the place of its last segment.
fn expand(tokens: &[TokenTree]) -> Vec<(Vec<String>, Span)> {
    let mut path = Vec::new();
    let mut span = Span::call_site();
    for token in tokens {
        match token {
            // What follows is another name for the same.
            TokenTree::Ident(word) if word == "as" => break,
            TokenTree::Ident(word) => {
                path.push(word.to_string());
                span = word.span();
            }
            TokenTree::Group(group) => return branches(group).flat_map(|branch| prefixed(&path, &branch)).collect(),
            _ => {}
        }
    }
    if path.is_empty() { Vec::new() } else { vec![(path, span)] }
}

fn prefixed(prefix: &[String], branch: &[TokenTree]) -> Vec<(Vec<String>, Span)> {
    let join = |(path, span): (Vec<String>, Span)| (prefix.iter().cloned().chain(path).collect(), span);
    expand(branch).into_iter().map(join).collect()
}

/// What stands between the commas of a group.
fn branches(group: &Group) -> impl Iterator<Item = Vec<TokenTree>> {
    let tokens: Vec<_> = group.stream().into_iter().collect();
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if mark.as_char() == ',');
    tokens.split(is_comma).map(<[TokenTree]>::to_vec).collect::<Vec<_>>().into_iter()
}

fn tokens(file: &str, text: &str) -> Result<TokenStream> {
    text.parse().map_err(|error| anyhow::anyhow!("{file}: {error}"))
}

//! The source files of a crate, and the paths that they contain, in imports, in code and in macros. Items under `#[cfg(test)]` do
//! not count.

use anyhow::{Context, Result, anyhow, ensure};
use evenkeel_build::manifest;
use proc_macro2::{Delimiter, Ident, Spacing, TokenStream, TokenTree};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The files of a crate: their text by their path from the folder of its sources.
pub type Sources = BTreeMap<String, String>;

/// A path with two segments or more, as it is written in a file; one that begins with `::` is none.
pub struct Written {
    /// The line of its last segment.
    pub line: usize,
    /// The module that it is in.
    pub module: Vec<String>,
    pub path: Vec<String>,
}

/// Reads the source files below a folder.
pub fn read(folder: &Path) -> Result<Sources> {
    let files = manifest::files(folder)?.into_iter().filter(|(name, _)| name.ends_with(".rs"));
    let read = |(name, path): (String, PathBuf)| {
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        Ok((name, text))
    };
    let sources: Sources = files.map(read).collect::<Result<_>>()?;
    ensure!(!sources.is_empty(), "{} has no sources", folder.display());
    Ok(sources)
}

/// The module that a file is.
pub fn module(file: &str) -> Vec<String> {
    let path = file.strip_suffix(".rs").unwrap_or(file);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    path.split('/').map(str::to_owned).collect()
}

/// All paths in a file.
pub fn paths(file: &str, text: &str) -> Result<Vec<Written>> {
    let tokens = text.parse().map_err(|error| anyhow!("{file}: {error}"))?;
    let mut found = Vec::new();
    collect(&module(file), &[], tokens, &mut found);
    Ok(found)
}

/// Collects the paths of tokens; in the braces of an import, each begins with the `prefix` that stands before them.
fn collect(module: &[String], prefix: &[String], tokens: TokenStream, found: &mut Vec<Written>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut rest = &tokens[..];
    while let [token, ..] = rest {
        let mut length = 1;
        if let Some(item) = test_item(rest) {
            length = item;
        } else if let [TokenTree::Ident(word), TokenTree::Ident(name), TokenTree::Group(body), ..] = rest
            && word == "mod"
        {
            collect(&[module, &[name.to_string()]].concat(), &[], body.stream(), found);
            length = 3;
        } else if is_colons(rest) {
            // The path of another crate.
            length = 2 + segments(&rest[2..]).1;
        } else if let TokenTree::Ident(word) = token {
            // In an import, what follows `as` is another name for the same.
            if word == "as" && !prefix.is_empty() {
                length = 2;
            } else {
                let (words, tokens) = segments(rest);
                let path = prefix.iter().cloned().chain(words.iter().map(|word| word.to_string())).collect::<Vec<_>>();
                length = tokens;
                if let Some(TokenTree::Group(tree)) = rest.get(length)
                    && is_colons(&rest[length.saturating_sub(2)..])
                    && tree.delimiter() == Delimiter::Brace
                {
                    collect(module, &path, tree.stream(), found);
                    length += 1;
                } else if path.len() > 1 {
                    let line = words.last().map_or(0, |word| word.span().start().line);
                    found.push(Written { line, module: module.to_vec(), path });
                }
            }
        } else if let TokenTree::Group(group) = token {
            collect(module, &[], group.stream(), found);
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}

/// The segments of the path that tokens begin with, and the number of its tokens, with the colons behind it.
fn segments(tokens: &[TokenTree]) -> (Vec<&Ident>, usize) {
    let (mut words, mut length) = (Vec::new(), 0);
    while let Some(TokenTree::Ident(word)) = tokens.get(length) {
        words.push(word);
        length += 1;
        if !is_colons(&tokens[length..]) {
            break;
        }
        length += 2;
    }
    (words, length)
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [TokenTree::Punct(first), TokenTree::Punct(second), ..]
        if first.as_char() == ':' && first.spacing() == Spacing::Joint && second.as_char() == ':')
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

/// The lines of a source that belong to no item for tests alone, of those that are not within another item.
pub fn without_tests(source: &str) -> Vec<&str> {
    let tokens: Vec<_> = source.parse::<TokenStream>().unwrap_or_default().into_iter().collect();
    let mut is_test = vec![false; source.lines().count()];
    for at in 0..tokens.len() {
        if let Some(item) = test_item(&tokens[at..]) {
            let [first, last] = [&tokens[at], &tokens[at + item - 1]].map(TokenTree::span);
            is_test[first.start().line - 1..last.end().line].fill(true);
        }
    }
    source.lines().zip(is_test).filter_map(|(line, is_test)| (!is_test).then_some(line)).collect()
}

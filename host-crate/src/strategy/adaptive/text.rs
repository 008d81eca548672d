//! Reading the text of a model, line by line; what is wrong is said with its line.

use super::{
    features::Feature,
    node::Node,
    variant::{Family, Variant},
};
use crate::{Error, Result};
use std::path::Path;

/// The first line of a model.
pub(super) const HEADER: &str = "evenkeel level model 1";

/// The most decisions one after the other.
const DEEPEST: usize = 64;

/// The tree, and the family of its variants.
pub(super) fn read(path: &Path, text: &str) -> Result<(Node, Family)> {
    let mut lines = Lines { path, rest: text.lines().enumerate(), last: 0, family: None };
    if lines.next() != Some(HEADER) {
        return Err(lines.wrong(format!("a model begins with the line '{HEADER}'")));
    }
    let root = lines.node(DEEPEST)?;
    match lines.next() {
        None => Ok((root, lines.family.unwrap_or(Family::Fifteen))),
        Some(line) => Err(lines.wrong(format!("'{line}' stands behind the end of the tree"))),
    }
}

/// The lines of a model that say something.
struct Lines<'a> {
    path: &'a Path,
    rest: std::iter::Enumerate<std::str::Lines<'a>>,
    /// The line that was read last, counted from 1.
    last: u64,
    /// The family of the variants so far.
    family: Option<Family>,
}

impl<'a> Lines<'a> {
    fn next(&mut self) -> Option<&'a str> {
        for (number, line) in self.rest.by_ref() {
            self.last = number as u64 + 1;
            let line = line.split_once('#').map_or(line, |(before, _)| before).trim();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }

    fn wrong(&self, reason: String) -> Error {
        Error::Line { path: self.path.to_owned(), line: self.last.max(1), reason }
    }

    /// A tree of at most so many decisions one after the other.
    fn node(&mut self, depth: usize) -> Result<Node> {
        let Some(line) = self.next() else { return Err(self.wrong("the tree ends in the middle".into())) };
        match line.strip_prefix("if ") {
            _ if line == "repeat" => Ok(Node::Leaf(None)),
            None => self.leaf(line),
            Some(_) if depth == 0 => Err(self.wrong(format!("more than {DEEPEST} decisions one after the other"))),
            Some(condition) => {
                let (feature, threshold) = self.condition(condition)?;
                let at_most = Box::new(self.node(depth - 1)?);
                match self.next() {
                    Some("else") => {}
                    Some(other) => return Err(self.wrong(format!("'{other}' stands where 'else' should"))),
                    None => return Err(self.wrong("the tree ends before an 'else'".into())),
                }
                Ok(Node::If { feature, threshold, at_most, more: Box::new(self.node(depth - 1)?) })
            }
        }
    }

    fn condition(&self, text: &str) -> Result<(Feature, f64)> {
        let Some((feature, threshold)) = text.split_once("<=") else {
            return Err(self.wrong(format!("'if {text}' is not of the form 'if FEATURE <= NUMBER'")));
        };
        let feature = feature.trim().parse::<Feature>().map_err(|error| self.wrong(error.to_string()))?;
        match threshold.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => Ok((feature, number)),
            _ => Err(self.wrong(format!("'{}' is no number", threshold.trim()))),
        }
    }

    fn leaf(&mut self, line: &str) -> Result<Node> {
        let variant = line.parse::<Variant>().map_err(|error| self.wrong(error.to_string()))?;
        if *self.family.get_or_insert(variant.family()) != variant.family() {
            return Err(
                self.wrong(format!("'{variant}' cannot follow a variant of the other kind: all list, or none does"))
            );
        }
        Ok(Node::Leaf(Some(variant)))
    }
}

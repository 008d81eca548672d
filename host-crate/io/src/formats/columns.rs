//! Which columns of a table hold an edge's ends and its weight: what a header says, and what `--columns` says instead. Text and
//! table formats share it.

use super::Table;
use evenkeel_base::{Error, Result};
use std::{fmt, str::FromStr};

/// Which columns to take, where a header does not say so or says something else. Written `source=2,target=3,weight=5`: each is a
/// number, counted from 1, or a name in the header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// Where an edge begins.
    pub source: Option<Column>,
    /// Where it ends.
    pub target: Option<Column>,
    /// What it weighs.
    pub weight: Option<Column>,
}

/// A column as a user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By its place, counted from 1.
    Number(usize),
    /// By its name in the header; capitals matter only where two names differ in nothing else.
    Name(String),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

impl FromStr for Columns {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        const SHAPE: &str = "columns are written source=2,target=3,weight=5, each by number from 1 or by name";
        let refuse = |reason: String| Error::Usage(format!("{reason}; {SHAPE}"));
        let mut columns = Self::default();
        for part in text.split(',') {
            let Some((role, column)) = part.split_once('=') else {
                return Err(refuse(format!("'{part}' is not ROLE=COLUMN")));
            };
            let place = match role.trim() {
                "source" => &mut columns.source,
                "target" => &mut columns.target,
                "weight" => &mut columns.weight,
                role => return Err(refuse(format!("'{role}' is not source, target or weight"))),
            };
            let column = match (column.trim(), column.trim().parse()) {
                ("", _) | (_, Ok(0)) => return Err(refuse(format!("'{part}' names no column"))),
                (_, Ok(number)) => Column::Number(number),
                (name, Err(_)) => Column::Name(name.to_owned()),
            };
            if place.replace(column).is_some() {
                return Err(refuse(format!("'{}' is there twice", role.trim())));
            }
        }
        Ok(columns)
    }
}

impl Columns {
    /// Whether one of them is given by name, so that there has to be a header.
    pub(super) fn need_header(&self) -> bool {
        [&self.source, &self.target, &self.weight].into_iter().flatten().any(|it| matches!(it, Column::Name(_)))
    }
}

/// The places of the columns to read, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Positions {
    pub source: usize,
    pub target: usize,
    pub weight: Option<usize>,
}

impl Positions {
    /// How these columns are described to a user. `names` are those of the header, if there is one.
    pub fn described(self, separator: Option<&'static str>, names: Option<&[impl AsRef<str>]>) -> Table {
        let describe = |position: usize| match names.and_then(|names| names.get(position)) {
            Some(name) => format!("{} ({})", position + 1, name.as_ref()),
            None => (position + 1).to_string(),
        };
        let (source, target) = (describe(self.source), describe(self.target));
        let columns = names.map_or(0, <[_]>::len);
        Table { separator, header: names.is_some(), columns, source, target, weight: self.weight.map(describe) }
    }
}

// Names that tell a column's role, the most telling first: where several columns have one, the first of these decides. They are
// compared as letters and digits only, so that `from_node_id` and `FromNodeId` are the same.
const SOURCES: &str = "source src from fromnodeid fromnode fromid sourceid srcid sourcenode sourcenodeid u node1 id1 nodeid1 \
                       start startid startnode tail";
const TARGETS: &str = "target dst to tonodeid tonode toid targetid dstid targetnode targetnodeid dest destination v node2 id2 \
                       nodeid2 end endid endnode head";
const WEIGHTS: &str = "weight edgeweight w cost distance dist length";

/// Whether these names tell where edges begin and end.
pub(super) fn tell_ends(names: &[impl AsRef<str>]) -> bool {
    named_by(SOURCES, names).is_some() && named_by(TARGETS, names).is_some()
}

/// The column whose name is the most telling of `known`.
fn named_by(known: &str, names: &[impl AsRef<str>]) -> Option<usize> {
    let names: Vec<String> = names.iter().map(|name| letters_and_digits(name.as_ref())).collect();
    known.split_whitespace().find_map(|telling| names.iter().position(|name| name == telling))
}

fn letters_and_digits(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The places of the columns to read in a table whose columns have these names: where `columns` says, else where the names do.
/// The error says what is missing, which names there are and how to tell.
pub(super) fn resolve(columns: Option<&Columns>, names: &[impl AsRef<str>]) -> Result<Positions, String> {
    let given = columns.cloned().unwrap_or_default();
    let place = |role: &str, given: Option<Column>, known: &str| match given {
        Some(column) => position_of(&column, names).map(Some).map_err(|reason| format!("{role}={column}: {reason}")),
        None => Ok(named_by(known, names)),
    };
    let source = place("source", given.source, SOURCES)?;
    let target = place("target", given.target, TARGETS)?;
    let weight = place("weight", given.weight, WEIGHTS)?;
    let missing = match (source, target) {
        (Some(source), Some(target)) if source == target => {
            return Err(format!("the source and the target are both column {}", source + 1));
        }
        (Some(source), Some(target)) => return Ok(Positions { source, target, weight }),
        (Some(_), None) => "ends",
        (None, Some(_)) => "begins",
        (None, None) => "begins and where it ends",
    };
    let free = |taken: Option<usize>| usize::from(taken == Some(0));
    let (first, second) = match source {
        Some(source) => (source, free(Some(source))),
        None => (free(target), target.unwrap_or(1)),
    };
    let (names, first, second) = (listed(names), first + 1, second + 1);
    Err(format!(
        "the columns are called {names}, which does not tell where an edge {missing}; say so by name or by number, as in \
         --columns source={first},target={second}"
    ))
}

/// The place of a column that was asked for.
fn position_of(column: &Column, names: &[impl AsRef<str>]) -> Result<usize, String> {
    let columns = names.len();
    match column {
        Column::Number(number) if *number <= columns => Ok(number - 1),
        Column::Number(_) => Err(format!("there are {columns} columns")),
        Column::Name(wanted) => {
            let exact = names.iter().position(|name| name.as_ref() == wanted);
            let similar = || names.iter().position(|name| name.as_ref().to_lowercase() == wanted.to_lowercase());
            exact.or_else(similar).ok_or_else(|| format!("there is no such column; there is {}", listed(names)))
        }
    }
}

/// Names as an error shows them.
fn listed(names: &[impl AsRef<str>]) -> String {
    const MOST: usize = 20;
    let shown = names.iter().take(MOST).map(|name| format!("'{}'", super::lines::shown(name.as_ref().as_bytes())));
    let more = if names.len() > MOST { ", …" } else { "" };
    shown.collect::<Vec<_>>().join(", ") + more
}

#[cfg(test)]
mod tests {
    use super::*;

    fn positions(columns: &str, names: &str) -> Result<(usize, usize, Option<usize>), String> {
        let columns = (!columns.is_empty()).then(|| columns.parse::<Columns>().unwrap());
        let names: Vec<&str> = names.split(',').collect();
        resolve(columns.as_ref(), &names).map(|found| (found.source, found.target, found.weight))
    }

    #[test]
    fn headers_mean_what_they_say() {
        for (names, found) in [
            ("source,target", (0, 1, None)),
            ("Target,SOURCE,Weight", (1, 0, Some(2))),
            ("id,src,dst,cost", (1, 2, Some(3))),
            ("from,to,start,end,length", (0, 1, Some(4))),
            ("u,v,w", (0, 1, Some(2))),
            ("From_Node_Id,to node id", (0, 1, None)),
            ("cost,weight,dst,src", (3, 2, Some(1))),
            ("id_1,id_2", (0, 1, None)),
        ] {
            assert_eq!(positions("", names), Ok(found), "{names}");
        }
    }

    #[test]
    fn what_is_asked_for_comes_before_the_header() {
        assert_eq!(positions("source=2,target=1", "source,target,weight"), Ok((1, 0, Some(2))));
        assert_eq!(positions("target=A,source=a,weight=3", "a,A,x"), Ok((0, 1, Some(2))));
        assert_eq!(positions("source=Person,target=friend", "person,friend"), Ok((0, 1, None)));
        assert_eq!(positions("weight=3", "from,to,years"), Ok((0, 1, Some(2))));
    }

    #[test]
    fn names_that_do_not_tell_are_shown() {
        let error = positions("", "a,b,source").unwrap_err();
        assert!(error.starts_with("the columns are called 'a', 'b', 'source', which does not tell where an edge ends"));
        assert!(error.ends_with("--columns source=3,target=1"), "{error}");
        assert!(positions("", "x,y").unwrap_err().contains("where an edge begins and where it ends"));
        assert_eq!(positions("source=9", "x,y").unwrap_err(), "source=9: there are 2 columns");
        let error = positions("weight=heavy", "u,v").unwrap_err();
        assert_eq!(error, "weight=heavy: there is no such column; there is 'u', 'v'");
        assert_eq!(positions("source=v", "u,v").unwrap_err(), "the source and the target are both column 2");
    }

    #[test]
    fn columns_are_written_by_role() {
        let columns: Columns = "source=2, weight=years".parse().unwrap();
        assert_eq!((columns.source, columns.target), (Some(Column::Number(2)), None));
        assert_eq!(columns.weight, Some(Column::Name("years".into())));
        for wrong in ["", "2", "source", "source=", "source=0", "sink=1", "source=1,source=2"] {
            let error = wrong.parse::<Columns>().unwrap_err();
            assert_eq!(error.exit_status(), 2, "{wrong}");
            assert!(error.to_string().contains("columns are written source=2,target=3,weight=5"), "{error}");
        }
    }
}

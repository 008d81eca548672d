//! What a file was taken for, so that a user sees a misreading at once.

use super::NodeIds;
use serde::Serialize;
use std::fmt;

/// What was recognised in a file. It displays as lines of a name and a value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recognised {
    /// The name of its format.
    pub format: &'static str,
    /// How it is compressed, by the ending of such files.
    pub compression: Option<&'static str>,
    /// Where in a table the edges are; none for formats that are no tables.
    #[serde(flatten)]
    pub table: Option<Table>,
    /// Where the direction of the edges comes from.
    pub direction: DirectionSource,
    /// What nodes are called.
    pub names: NamesKind,
}

/// The columns of a table that hold edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Table {
    /// What is between columns, in a word; none where the format leaves no choice.
    pub separator: Option<&'static str>,
    /// Whether the columns have names.
    pub header: bool,
    /// How many columns there are.
    #[serde(skip)]
    pub columns: usize,
    /// Where edges begin: the number of the column, counted from 1, and its name if there is one.
    pub source: String,
    /// Where edges end.
    pub target: String,
    /// What edges weigh; none where they have no weights.
    pub weight: Option<String>,
}

/// Where the direction of edges comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum DirectionSource {
    /// The file or its format says it.
    Stated,
    /// The file does not say it; what the format does then was done.
    Assumed,
    /// The caller said it.
    Asked,
}

/// What kind of names nodes have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum NamesKind {
    /// All numbers from the first to the last.
    Counted,
    /// Numbers.
    Numbers,
    /// Text.
    Text,
}

impl NamesKind {
    fn of(ids: &NodeIds) -> Self {
        match ids {
            NodeIds::Counted { .. } => Self::Counted,
            NodeIds::Listed(_) => Self::Numbers,
            NodeIds::Named(_) => Self::Text,
        }
    }
}

impl Recognised {
    #[doc(hidden)]
    pub fn new(
        format: &'static str,
        compression: Option<&'static str>,
        ids: &NodeIds,
        table: Option<Table>,
        direction: DirectionSource,
    ) -> Self {
        Self { format, compression, table, direction, names: NamesKind::of(ids) }
    }

    /// Each thing that was recognised, by name. `directed` is what was made of the direction.
    pub fn lines(&self, directed: bool) -> Vec<(&'static str, String)> {
        let mut lines = vec![("format", self.format.to_owned())];
        if let Some(compression) = self.compression {
            lines[0].1 += &format!(", compressed as {compression}");
        }
        if let Some(table) = &self.table {
            lines.push(("columns", table.to_string()));
        }
        let directed = if directed { "directed" } else { "undirected" };
        lines.push(match self.direction {
            DirectionSource::Stated => ("direction", format!("{directed}, as the file or its format says")),
            DirectionSource::Assumed => ("direction", format!("{directed}, which the file does not say")),
            DirectionSource::Asked => ("direction", format!("{directed}, as asked for")),
        });
        lines.push(match self.names {
            NamesKind::Counted => ("names", "consecutive numbers".into()),
            NamesKind::Numbers => ("names", "numbers".into()),
            NamesKind::Text => ("names", "text".into()),
        });
        lines
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "source {}, target {}", self.source, self.target)?;
        match &self.weight {
            Some(weight) => write!(f, ", weight {weight}")?,
            None => f.write_str(", no weights")?,
        }
        if let Some(separator) = self.separator {
            write!(f, "; separated by {separator}, {} header", if self.header { "with a" } else { "no" })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thing_recognised_is_a_line() {
        let (source, target) = ("2 (to)".to_owned(), "1 (from)".to_owned());
        let table = Table { separator: Some("commas"), header: true, columns: 2, source, target, weight: None };
        let ids = NodeIds::Counted { first: 1 };
        let recognised = Recognised::new("edge-list", Some("gz"), &ids, Some(table), DirectionSource::Assumed);
        let lines: Vec<String> =
            recognised.lines(true).iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(
            lines,
            [
                "format: edge-list, compressed as gz",
                "columns: source 2 (to), target 1 (from), no weights; separated by commas, with a header",
                "direction: directed, which the file does not say",
                "names: consecutive numbers",
            ]
        );
        let json = serde_json::to_value(&recognised).unwrap();
        assert_eq!((&json["header"], &json["direction"]), (&true.into(), &"assumed".into()));
    }
}

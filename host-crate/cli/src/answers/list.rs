//! Some nodes with a value each, in an order that means something: as text, CSV or JSON.

use super::{AnswerForm, text::quote};
use evenkeel::{
    Error, Result,
    algorithm::{RowKind, Value},
    graph::{NodeName, formats::compress},
};
use serde::{Serialize, ser::SerializeMap};
use std::{
    io::{self, Write},
    path::Path,
};

/// The endings of files with a list.
const LISTED: [&str; 4] = ["txt", "csv", "json", "jsonl"];

/// Nodes with a value each. Within other JSON it is an array of objects, and by itself an object of arrays, as answers are.
pub struct NodeList<'a> {
    /// What the values are called.
    pub column: &'static str,
    pub rows: Vec<(NodeName<'a>, Value)>,
}

impl Serialize for NodeList<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.rows.iter().map(|row| Row(self.column, row)))
    }
}

/// A node with its value, as an object.
struct Row<'a>(&'static str, &'a (NodeName<'a>, Value));

impl Serialize for Row<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(column, (node, value)) = self;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("node", node)?;
        map.serialize_entry(column, value)?;
        map.end()
    }
}

impl NodeList<'_> {
    /// The form that a name asks for, if a list can have it.
    pub fn form(path: &Path) -> Result<AnswerForm> {
        let offered = || "there is .txt, .csv, .json and .jsonl, also compressed".to_owned();
        let form = AnswerForm::by_ending(path, RowKind::Nodes, offered)?;
        if !LISTED.contains(&form.form.ending) {
            let reason = format!("--output {}: a list cannot be written so; {}", path.display(), offered());
            return Err(Error::Usage(reason));
        }
        Ok(form)
    }

    /// Writes the list.
    pub fn write(&self, form: AnswerForm, writer: &mut (dyn Write + Send)) -> io::Result<()> {
        compress(form.compression, writer, |writer| match form.form.ending {
            "json" => {
                let nodes: Vec<_> = self.rows.iter().map(|(node, _)| node).collect();
                let values: Vec<_> = self.rows.iter().map(|(_, value)| value).collect();
                writeln!(writer, "{{\n\"node\": {},", serde_json::to_string(&nodes)?)?;
                writeln!(writer, "\"{}\": {}\n}}", self.column, serde_json::to_string(&values)?)
            }
            "jsonl" => self.rows.iter().try_for_each(|row| {
                serde_json::to_writer(&mut *writer, &Row(self.column, row))?;
                writeln!(writer)
            }),
            "csv" => {
                writeln!(writer, "node,{}", self.column)?;
                self.rows.iter().try_for_each(|(node, value)| {
                    let mut name = String::new();
                    quote(node, &mut name);
                    writeln!(writer, "{name},{value}")
                })
            }
            _ => self.rows.iter().try_for_each(|(node, value)| writeln!(writer, "{node} {value}")),
        })
    }
}

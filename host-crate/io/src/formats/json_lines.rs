//! JSON lines (`.jsonl`, `.ndjson`): an edge is a line with one object, `{"source": "a", "target": "b", "weight": 3}`. Which keys hold the
//! ends and the weight follows from the keys of the first object, as from the header of a table, or is told; others are skipped.

use super::{
    columns::{self, Positions},
    ends::{self, Ends, Id},
    json,
    prelude::*,
    weight::Weight,
};
use serde::{
    Deserialize,
    de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor},
};
use std::fmt;

pub(super) struct JsonLines;

impl FileFormat for JsonLines {
    const NAME: &'static str = "json-lines";
    const ABOUT: &'static str = "a JSON object for each edge, one a line; read only";
    const EXTENSIONS: &'static [&'static str] = &["jsonl", "ndjson"];
    const HAS_COLUMNS: bool = true;

    fn recognise(beginning: Text<'_>) -> Recognition {
        let first = first_object(beginning).filter(|line| line.first() == Some(b'{'));
        match first.and_then(|line| serde_json::from_slice::<Keys>(line.rest).ok()) {
            Some(Keys(keys)) if columns::tell_ends(&keys) => Recognition::Certain,
            Some(_) => Recognition::Possible,
            None => Recognition::No,
        }
    }

    fn read(files: Files<'_>) -> Result<Loaded> {
        let text = files.main.text();
        let Some(first) = first_object(text) else {
            return Err(text.error_of_file("there is no edge in it"));
        };
        let flaw = |error| text.error(json::flaw(first.position, &error));
        let Keys(names) = serde_json::from_slice(first.rest).map_err(flaw)?;
        let positions = columns::resolve(files.columns, &names).map_err(|reason| text.error(first.flaw(reason)))?;
        let Positions { source, target, weight } = positions;
        let keys = RoleKeys { source: &names[source], target: &names[target], weight: weight.map(|it| &*names[it]) };
        let weights = weight.map_or(EdgeWeights::None, |_| EdgeWeights::U32(Vec::new()));
        let pieces = text.in_pieces(first.position, |lines| {
            let mut ends = Ends::new(lines.bytes.len(), weights.clone());
            for line in lines.filter(|line| line.first().is_some()) {
                let mut parser = serde_json::Deserializer::from_slice(line.rest);
                let visitor = EdgeVisitor { keys, ends: &mut ends, position: line.position };
                let read = parser.deserialize_map(visitor).and_then(|()| parser.end());
                read.map_err(|error| json::flaw(line.position, &error))?;
            }
            Ok(ends)
        })?;
        let table = positions.described(None, Some(&names));
        Ok(ends::load(text, pieces, Listing::Directed)?.with_table(table, false))
    }
}

/// The first line that is not blank, after a mark of UTF-8 if there is one.
fn first_object(text: Text<'_>) -> Option<Line<'_>> {
    let start = if text.bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    text.lines_from(start).find(|line| line.first().is_some())
}

/// The keys of an object, in their order.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct KeysVisitor;

        impl<'de> Visitor<'de> for KeysVisitor {
            type Value = Keys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(AN_EDGE)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Keys, A::Error> {
                let mut keys = Vec::new();
                while let Some((key, IgnoredAny)) = map.next_entry()? {
                    keys.push(key);
                }
                Ok(Keys(keys))
            }
        }

        deserializer.deserialize_map(KeysVisitor)
    }
}

const AN_EDGE: &str = "an object that is an edge";

#[derive(Clone, Copy)]
struct RoleKeys<'k> {
    source: &'k str,
    target: &'k str,
    weight: Option<&'k str>,
}

#[derive(Clone, Copy)]
enum Role {
    Source,
    Target,
    Weight,
    /// A weight, though the first edge has none.
    Surplus,
    Other,
}

/// Tells what a key is for, without a copy of it.
impl<'de> DeserializeSeed<'de> for RoleKeys<'_> {
    type Value = Role;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Role, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for RoleKeys<'_> {
    type Value = Role;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Role, E> {
        Ok(match key {
            key if key == self.source => Role::Source,
            key if key == self.target => Role::Target,
            key if Some(key) == self.weight => Role::Weight,
            key if self.weight.is_none() && key.eq_ignore_ascii_case("weight") => Role::Surplus,
            _ => Role::Other,
        })
    }
}

/// Adds an edge.
struct EdgeVisitor<'k, 'e, 'a> {
    keys: RoleKeys<'k>,
    ends: &'e mut Ends<'a>,
    /// Where the line begins.
    position: usize,
}

impl<'de> Visitor<'de> for EdgeVisitor<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(AN_EDGE)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let (mut source, mut target, mut weight) = (None::<Id<'de>>, None::<Id<'de>>, None::<Weight>);
        let twice = |key: &str| Error::custom(format!("'{key}' is in this object twice"));
        while let Some(role) = map.next_key_seed(self.keys)? {
            match role {
                Role::Source if source.is_some() => return Err(twice(self.keys.source)),
                Role::Target if target.is_some() => return Err(twice(self.keys.target)),
                Role::Weight if weight.is_some() => return Err(twice(self.keys.weight.unwrap_or_default())),
                Role::Source => source = Some(map.next_value()?),
                Role::Target => target = Some(map.next_value()?),
                Role::Weight => weight = map.next_value()?,
                Role::Surplus => return Err(Error::custom("a weight here, though the first edge has none")),
                Role::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        let missing = |key: &str| Error::custom(format!("'{key}' is not in this object"));
        let source = source.ok_or_else(|| missing(self.keys.source))?;
        let target = target.ok_or_else(|| missing(self.keys.target))?;
        if let Some(key) = self.keys.weight {
            self.ends.push_weight(weight.ok_or_else(|| missing(key))?, self.position);
        }
        self.ends.push(source, target);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{columns::Columns, testing::*},
        *,
    };
    use evenkeel_graph::{Names, NodeIds};

    #[test]
    fn an_object_is_an_edge() {
        let body = "{\"source\": 3, \"target\": 1, \"weight\": 2}\r\n\n{\"weight\": 0.5, \"target\": \"3\", \"x\": [{}], \"source\": 1}";
        let parsed = parsed(JsonLines::read, body);
        assert_eq!(parsed.ids, NodeIds::Listed(vec![1, 3].into()));
        assert_eq!((edges(&parsed), parsed.listing), (vec![(1, 0), (0, 1)], Listing::Directed));
        assert_eq!(parsed.edges.weights, EdgeWeights::F32(vec![2.0, 0.5]));
        assert!(!parsed.direction_stated && parsed.table.is_some());
    }

    #[test]
    fn names_and_other_keys() {
        let body = "{\"To\": \"b\\u00e4\", \"FROM\": \"a\"}\n{\"To\": 7, \"FROM\": -7}\n";
        let named = parsed(JsonLines::read, body);
        assert_eq!(named.ids, NodeIds::Named(Names::from_ascending(["-7", "7", "a", "bä"])));
        assert_eq!((edges(&named), named.edges.weights), (vec![(2, 3), (0, 1)], EdgeWeights::None));
        let columns: Columns = "source=2,target=who".parse().unwrap();
        let told = parsed_by(JsonLines::read, "{\"who\": 1, \"whom\": 2}\n", Some(&columns));
        assert_eq!(edges(&told), [(1, 0)]);
    }

    #[test]
    fn flaws_are_named_with_their_line() {
        let of = |body: &str| reason(JsonLines::read, body);
        let first = "{\"u\": 1, \"v\": 2, \"w\": 3}\n";
        assert_eq!(of(&format!("{first}{{\"u\": 1, \"v\": 2}}")), "test:2: 'w' is not in this object (column 16)");
        assert_eq!(of(&format!("{first}\n{{\"v\": 1}}")), "test:3: 'u' is not in this object (column 8)");
        assert!(
            of(&format!("{first}{{\"u\": null}}"))
                .contains("test:2: invalid type: null, expected a number or a string")
        );
        assert!(of(&format!("{first}[]")).contains("expected an object that is an edge"));
        assert!(of(&format!("{first}{first} x")).starts_with("test:3: "));
        assert!(of("{\"u\": 1, \"v\": 2}\n{\"u\": 1, \"v\": 2, \"weight\": 2}").contains("a weight here"));
        assert_eq!(
            of(&format!("{first}{{\"u\": 1, \"v\": 2, \"w\": 1, \"u\": 3}}")),
            "test:2: 'u' is in this object twice (column 28)"
        );
        assert_eq!(of("{\"u\": 1, \"v\": 2, \"v\": 2}"), "test:1: 'v' is in this object twice (column 20)");
        assert!(of("{\"a\": 1, \"b\": 2}").contains("the columns are called 'a', 'b'"));
        assert_eq!(of("\n"), "test: there is no edge in it");
    }

    #[test]
    fn it_is_told_from_node_link_json() {
        let recognise = |bytes: &[u8]| JsonLines::recognise(Text { path: "a".as_ref(), bytes });
        assert_eq!(recognise(b"\n{\"src\": 1, \"dst\": 2}\n{"), Recognition::Certain);
        assert_eq!(recognise(b"{\"a\": 1, \"b\": 2}\n"), Recognition::Possible);
        assert_eq!(recognise(b"{\n"), Recognition::No);
        assert_eq!(recognise(b"1 2\n"), Recognition::No);
    }
}

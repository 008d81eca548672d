//! What the two JSON formats share: the values that name nodes and weigh edges, and the errors of the parser.

use super::{
    ends::Id,
    lines::{Flaw, Text},
    weight::Weight,
};
use evenkeel_base::Error;
use serde::de::{self, Deserialize, Deserializer, Visitor};
use std::{borrow::Cow, fmt};

/// A number or a string.
impl<'de: 'a, 'a> Deserialize<'de> for Id<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct IdVisitor;

        impl<'de> Visitor<'de> for IdVisitor {
            type Value = Id<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a string that names a node")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Id<'de>, E> {
                Ok(Id::Number(number))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Id<'de>, E> {
                Ok(Id::of_whole(number))
            }

            // With `{:?}`, 1.0 stays `1.0`.
            fn visit_f64<E>(self, number: f64) -> Result<Id<'de>, E> {
                Ok(Id::of_text(format!("{number:?}").into()))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Id<'de>, E> {
                Ok(Id::of_text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Id<'de>, E> {
                Ok(Id::of_text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_any(IdVisitor)
    }
}

/// A number.
impl<'de> Deserialize<'de> for Weight {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct WeightVisitor;

        impl Visitor<'_> for WeightVisitor {
            type Value = Weight;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a weight, which is a number")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Weight, E> {
                Ok(Weight::of_whole(number.into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Weight, E> {
                Ok(Weight::of_whole(number.into()))
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Weight, E> {
                Weight::of_real(number).map_err(E::custom)
            }
        }

        deserializer.deserialize_any(WeightVisitor)
    }
}

/// What the parser has to say without the place, which is said in another way.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).unwrap_or(&message).to_owned()
}

/// The error for a text that is one JSON value.
pub(super) fn error(text: Text<'_>, error: &serde_json::Error) -> Error {
    match error.line() as u64 {
        0 => text.error_of_file(reason(error)),
        line => Error::Line { path: text.path.to_path_buf(), line, reason: reason(error) },
    }
}

/// The flaw for a line that is one JSON value.
pub(super) fn flaw(position: usize, error: &serde_json::Error) -> Flaw {
    Flaw { position, reason: format!("{} (column {})", reason(error), error.column()) }
}

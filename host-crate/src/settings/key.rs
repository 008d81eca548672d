//! One setting: what it is called, what it means, which values it can have, and the field that holds it.

use std::{fmt::Display, str::FromStr};

/// A type of field that can hold a setting.
pub trait Value: FromStr<Err: Display> + Display {}

impl<T: FromStr<Err: Display> + Display> Value for T {}

/// One setting: its name, what it means, which values it can have, and the field that holds it.
pub struct Key<'a> {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    pub(super) always_written: bool,
    pub(super) positional: bool,
    pub(super) allowed: Allowed,
    pub(super) default: &'static str,
    pub(super) reported: Option<String>,
    /// The value as text, if there is one.
    pub(super) value: Option<String>,
    assign: Assign<'a>,
}

/// Takes a value from text, or says why not.
type Assign<'a> = Box<dyn FnMut(&str) -> Result<(), String> + 'a>;

/// The values that a setting can have, beside what its type says.
pub(super) enum Allowed {
    Any,
    Range(f64, f64),
    OneOf(Vec<String>),
}

impl<'a> Key<'a> {
    fn new<T: Value>(
        name: &'static str,
        about: &'static str,
        value: Option<String>,
        mut assign: impl FnMut(T) + 'a,
    ) -> Self {
        let assign = Box::new(move |text: &str| {
            assign(text.parse().map_err(|error: T::Err| error.to_string())?);
            Ok(())
        });
        let (allowed, default, reported) = (Allowed::Any, "", None);
        Self { name, about, always_written: false, positional: false, allowed, default, reported, value, assign }
    }

    /// A setting that is always written, such as the size of a generated graph.
    pub fn size<T: Value>(name: &'static str, about: &'static str, field: &'a mut T) -> Self {
        Self { always_written: true, ..Self::option(name, about, field) }
    }

    /// A setting that is written only where it is not the default.
    pub fn option<T: Value>(name: &'static str, about: &'static str, field: &'a mut T) -> Self {
        Self::new(name, about, Some(field.to_string()), |value| *field = value)
    }

    /// A setting that need not have a value; `default` says what is done without one.
    pub fn optional<T: Value>(
        name: &'static str,
        about: &'static str,
        default: &'static str,
        field: &'a mut Option<T>,
    ) -> Self {
        Self { default, ..Self::new(name, about, field.as_ref().map(T::to_string), |value| *field = Some(value)) }
    }

    /// The same setting, which may also be given without its name when it is the first: `group-mapped:64`.
    pub fn positional(self) -> Self {
        Self { positional: true, ..self }
    }

    /// The same setting for numbers from `least` to `most`; infinity for no limit.
    pub fn within(self, least: impl Into<f64>, most: impl Into<f64>) -> Self {
        Self { allowed: Allowed::Range(least.into(), most.into()), ..self }
    }

    /// The same setting for some values alone.
    pub fn one_of<T: Display>(self, values: impl IntoIterator<Item = T>) -> Self {
        Self { allowed: Allowed::OneOf(values.into_iter().map(|value| value.to_string()).collect()), ..self }
    }

    /// The same setting, which reports show as this text.
    pub fn reported_as(self, text: Option<String>) -> Self {
        Self { reported: text, ..self }
    }

    pub(super) fn set(&mut self, text: &str) -> Result<(), String> {
        self.allow(text)?;
        (self.assign)(text)
    }

    /// Refuses a value that the setting cannot have.
    pub(super) fn allow(&self, text: &str) -> Result<(), String> {
        match &self.allowed {
            Allowed::OneOf(values) if !values.iter().any(|value| value == text) => {
                Err(format!("it is one of {}", values.join(", ")))
            }
            Allowed::Range(least, most)
                // A text that is no number is refused by the field, which knows which numbers it holds.
                if text.parse().is_ok_and(|number: f64| !number.is_finite() || number < *least || number > *most) =>
            {
                let most = if most.is_finite() { format!("={most}") } else { String::new() };
                Err(format!("{text} is not in {least}..{most}"))
            }
            _ => Ok(()),
        }
    }

    /// The value as text, or what stands for it where there is none.
    pub(super) fn text(&self) -> &str {
        self.value.as_deref().unwrap_or(self.default)
    }

    pub(super) fn described(&self) -> String {
        format!("{}={}", self.name, self.text())
    }

    /// `name=value` as it is written, without the name where that is not needed.
    pub(super) fn written(&self) -> String {
        let value = self.value.as_deref().unwrap_or_default();
        if self.positional { value.to_owned() } else { format!("{}={value}", self.name) }
    }
}

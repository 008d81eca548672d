//! Values that have names.

/// A value with a name, and what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedValue {
    /// The name.
    pub name: &'static str,
    /// Another name, which is not listed.
    pub alias: Option<&'static str>,
    /// What it means.
    pub about: &'static str,
}

/// A type with a few values, each of which has a name.
pub trait Choices: Copy + PartialEq + 'static {
    /// All values with their names.
    const CHOICES: &'static [(Self, NamedValue)];

    /// The value that has this name.
    fn named(name: &str) -> Option<Self> {
        let is_meant = |named: &NamedValue| named.name == name || named.alias == Some(name);
        Self::CHOICES.iter().find(|(_, named)| is_meant(named)).map(|(value, _)| *value)
    }

    /// The name of a value.
    fn name(self) -> &'static str {
        Self::CHOICES.iter().find(|(value, _)| *value == self).map_or("", |(_, named)| named.name)
    }
}

/// A value by its name and what it means.
pub const fn named(name: &'static str, about: &'static str) -> NamedValue {
    NamedValue { name, alias: None, about }
}

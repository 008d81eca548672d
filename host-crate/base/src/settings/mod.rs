//! Settings as text: `NAME:key=value,key=value`, for generators, strategies and schedules alike. A thing with settings lists
//! them as [`Key`]s over its own fields; reading, checking, writing and describing them follow from that.

mod choices;
mod fields;
mod key;
mod text;

pub use choices::{Choices, NamedValue, named};
pub use fields::{Settings, check_values, report, set};
pub use key::{Key, Kind, NamedText, Value};
#[doc(hidden)]
pub use text::told_by_text;

use crate::{Error, Result, error::did_you_mean};
use std::any::TypeId;

/// Reads `key=value,key=value` into the settings of the thing called `owner`.
#[doc(hidden)]
pub fn read(owner: &str, text: &str, mut keys: Vec<Key<'_>>) -> Result<()> {
    let usage = usage(owner, &keys);
    let known: Vec<String> = keys.iter().map(Key::described).collect();
    let wrong = |reason: String| Error::Usage(format!("{owner}: {reason}; write {usage}"));
    let mut seen = Vec::new();
    for (place, setting) in text.split(',').filter(|setting| !setting.is_empty()).enumerate() {
        let positional = keys.iter().find(|key| key.positional && place == 0).map(|key| key.name);
        let (name, value) = match (setting.split_once('='), positional) {
            // A colon before the equals sign belongs to settings of the value itself: `random:group-mapped:group=8`.
            (Some((name, value)), None) => (name, value),
            (Some((name, value)), Some(_)) if !name.contains(':') => (name, value),
            (_, Some(positional)) => (positional, setting),
            (None, None) => return Err(wrong(format!("'{setting}' is not key=value"))),
        };
        if seen.contains(&name) {
            return Err(wrong(format!("'{name}' is given twice")));
        }
        seen.push(name);
        let Some(key) = keys.iter_mut().find(|key| key.name == name) else {
            return Err(match keys.is_empty() {
                true => Error::Usage(format!("{owner} has no settings, and so no '{name}'")),
                false => {
                    let error = Error::unknown("setting", &format!("{owner}:{name}"), &known);
                    error.with_hint(|_| did_you_mean(name, &known))
                }
            });
        };
        key.set(value).map_err(|reason| wrong(format!("{name}='{value}': {reason}")))?;
    }
    Ok(())
}

/// Checks settings that were not read from text.
#[doc(hidden)]
pub fn check(owner: &str, keys: &[Key<'_>]) -> Result<()> {
    for (key, value) in keys.iter().filter_map(|key| Some((key, key.value.as_ref()?))) {
        key.allow(value).map_err(|reason| Error::Usage(format!("{owner}: {}='{value}': {reason}", key.name)))?;
    }
    Ok(())
}

/// The text of a thing with all its settings.
#[doc(hidden)]
pub fn usage(owner: &str, keys: &[Key<'_>]) -> String {
    let setting = |key: &Key<'_>| format!("{}={}", key.name, key.value.as_deref().unwrap_or("…"));
    let settings: Vec<String> = keys.iter().map(setting).collect();
    with_settings(owner, &settings)
}

/// A line for each setting, for help texts.
#[doc(hidden)]
pub fn describe(keys: &[Key<'_>]) -> String {
    keys.iter().map(|key| format!("    {:<24}{}\n", key.described(), key.about())).collect()
}

/// The shortest text that has these settings, beside those that are always written. `defaults` are the same keys of a thing
/// with its default settings.
#[doc(hidden)]
pub fn canonical(owner: &str, keys: &[Key<'_>], defaults: &[Key<'_>]) -> String {
    let settings: Vec<String> = changed(keys, defaults, |key| key.always_written).map(Key::written).collect();
    with_settings(owner, &settings)
}

#[doc(hidden)]
pub fn with_settings(owner: &str, settings: &[String]) -> String {
    if settings.is_empty() { owner.to_owned() } else { format!("{owner}:{}", settings.join(",")) }
}

#[doc(hidden)]
pub fn changed<'k, 'a>(
    keys: &'k [Key<'a>],
    defaults: &'k [Key<'_>],
    also: fn(&Key<'_>) -> bool,
) -> impl Iterator<Item = &'k Key<'a>> {
    let differs = move |(key, default): &(&Key<'_>, &Key<'_>)| also(key) || key.value != default.value;
    keys.iter().zip(defaults).filter(differs).map(|(key, _)| key)
}

/// Joins what a comma between names has cut off: settings after the first of `NAME:key=value,key=value`.
pub fn rejoin(parts: &[String]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in parts {
        match names.last_mut() {
            Some(name) if part.contains('=') && !part.contains(':') => *name += &format!(",{part}"),
            _ => names.push(part.clone()),
        }
    }
    names
}

/// A thing with settings.
pub trait Configurable: Clone + Send + Sync + 'static {
    /// What it is called in commands and reports.
    fn name(&self) -> &'static str;

    /// Its settings, in the order in which they are written.
    fn keys(&mut self) -> Vec<Key<'_>>;

    /// Its type, by which an item of a registry is told from another of the same name.
    fn type_id_of(&self) -> TypeId {
        TypeId::of::<Self>()
    }
}

#[doc(hidden)]
pub fn by_name<T: Configurable>(kind: &'static str, mut items: Vec<T>, name: &str) -> Result<T> {
    match items.iter().position(|item| item.name() == name) {
        Some(place) => Ok(items.swap_remove(place)),
        None => Err(Error::unknown(kind, name, items.iter().map(T::name))),
    }
}

/// Reads `NAME` or `NAME:key=value,key=value` as one of `items`, each of which is a `kind`.
///
/// # Errors
/// When there is no such item, or a setting has no such value.
#[doc(hidden)]
pub fn parse_item<T: Configurable>(kind: &'static str, items: Vec<T>, text: &str) -> Result<T> {
    let Some((name, settings)) = text.split_once(':') else { return by_name(kind, items, text) };
    let mut item = by_name(kind, items, name)?;
    if settings.is_empty() {
        return Err(Error::Usage(format!("'{text}' has no setting behind the colon")));
    }
    read(name, settings, item.keys())?;
    Ok(item)
}

#[cfg(test)]
mod tests {
    use super::rejoin;

    #[test]
    fn names_with_several_settings_survive_commas() {
        let parts: Vec<String> = "box,bag:3,share=1,the-unit=edge,box:share=2".split(',').map(str::to_owned).collect();
        assert_eq!(rejoin(&parts), ["box", "bag:3,share=1,the-unit=edge", "box:share=2"]);
    }
}

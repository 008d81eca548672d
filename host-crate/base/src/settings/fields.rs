//! Whole configurations: fields with keys, from which options, reports and listings are made.

use super::Key;

/// A thing whose fields are settings: the configuration of an algorithm, or what its input is made of.
///
/// ```
/// # use evenkeel_base as evenkeel;
/// use evenkeel::settings::{Key, Settings, report, set};
///
/// #[derive(Clone)]
/// struct Walk {
///     steps: u32,
///     is_lazy: bool,
/// }
///
/// impl Settings for Walk {
///     fn keys(&mut self) -> Vec<Key<'_>> {
///         vec![
///             Key::option("steps", "How many steps there are", &mut self.steps).within(1, 1000),
///             Key::switch("lazy", "Stay at a node half of the time", &mut self.is_lazy),
///         ]
///     }
/// }
///
/// let mut walk = Walk { steps: 10, is_lazy: false };
/// set(&mut walk, "steps", "20")?;
/// assert_eq!(report(&walk).to_string(), r#"{"lazy":false,"steps":20}"#);
/// assert!(set(&mut walk, "steps", "0").unwrap_err().to_string().contains("0 is not in 1..=1000"));
/// # Ok::<(), evenkeel::Error>(())
/// ```
pub trait Settings {
    /// The keys of the fields, in the order in which help has them.
    fn keys(&mut self) -> Vec<Key<'_>>;
}

impl Settings for () {
    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }
}

/// Sets one field from text.
///
/// # Errors
/// [`Error::UnknownName`](crate::Error::UnknownName) when there is no such setting, [`Error::Usage`](crate::Error::Usage) when it
/// has no such value.
pub fn set(settings: &mut dyn Settings, name: &str, text: &str) -> crate::Result<()> {
    let mut keys = settings.keys();
    let known: Vec<&str> = keys.iter().map(Key::name).collect();
    let Some(place) = known.iter().position(|known| *known == name) else {
        return Err(crate::Error::unknown("setting", name, known));
    };
    keys[place].set(text).map_err(|reason| refused(name, text, &reason))
}

/// Refuses values that a field cannot have, where they were not set from text.
///
/// # Errors
/// [`Error::Usage`](crate::Error::Usage) with the first such field.
pub fn check_values<S: Settings + Clone>(settings: &S) -> crate::Result<()> {
    let mut settings = settings.clone();
    for (key, value) in settings.keys().iter().filter_map(|key| Some((key, key.value()?))) {
        key.allow(value).map_err(|reason| refused(key.name(), value, &reason))?;
    }
    Ok(())
}

fn refused(name: &str, value: &str, reason: &str) -> crate::Error {
    crate::Error::Usage(format!("the setting `{name}` is not '{value}': {reason}"))
}

/// The fields as reports have them: a JSON object.
pub fn report<S: Settings + Clone>(settings: &S) -> serde_json::Value {
    let mut settings = settings.clone();
    serde_json::Value::Object(settings.keys().iter().filter_map(Key::reported).collect())
}

//! One setting: what it is called, what it means, which values it can have, and the field that holds it. A text about settings
//! names another one as ``the setting `name` ``, which a front end may show in its own way.

use super::{Choices, NamedValue};
use std::{
    borrow::Cow,
    fmt::{self, Display},
    path::PathBuf,
    str::FromStr,
};

/// A type of field that can hold a setting.
pub trait Value: FromStr<Err: Display> + Display {}

impl<T: FromStr<Err: Display> + Display> Value for T {}

/// One setting: its name, what it means, which values it can have, and the field that holds it.
pub struct Key<'a> {
    pub(super) name: &'static str,
    about: Cow<'static, str>,
    pub(super) always_written: bool,
    pub(super) positional: bool,
    allowed: Allowed,
    default: &'static str,
    /// The value as text, if there is one.
    pub(super) value: Option<String>,
    /// The value in reports, if it is in them.
    reported: Option<serde_json::Value>,
    kind: Kind,
    placeholder: &'static str,
    heading: &'static str,
    readers: Vec<&'static str>,
    reported_name: Option<&'static str>,
    excludes: &'static [&'static str],
    needs: &'static [&'static str],
    assign: Assign<'a>,
}

/// Puts a value into the field, or says why it cannot be there.
type Assign<'a> = Box<dyn FnMut(Given<'_>) -> Result<(), String> + 'a>;

/// What is given for a setting.
enum Given<'g> {
    Text(&'g str),
    File(NamedText),
    Path(PathBuf),
}

/// What a setting takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing: it is on or off.
    Switch,
    /// One value.
    One,
    /// Several values with commas between them.
    Several,
    /// The contents of a file, which whoever offers the setting reads.
    Contents,
    /// The name of a file that is written.
    Output,
}

/// The contents of a file, with the name that messages and reports have for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedText {
    /// The file's name.
    pub name: PathBuf,
    /// Its contents.
    pub text: String,
}

/// The values that a setting can have, beside what its type says.
enum Allowed {
    Any,
    Range(f64, f64),
    Above(f64),
    OneOf(Vec<String>),
    Choices(Vec<NamedValue>),
}

impl<'a> Key<'a> {
    /// A setting that is assigned as text.
    #[doc(hidden)]
    pub fn from_parts(
        name: &'static str,
        about: impl Into<Cow<'static, str>>,
        value: Option<String>,
        mut assign: impl FnMut(&str) -> Result<(), String> + 'a,
    ) -> Self {
        let assign = move |given: Given<'_>| match given {
            Given::Text(text) => assign(text),
            Given::File(_) | Given::Path(_) => Err("it is not a file".to_owned()),
        };
        Self::with_kind(Kind::One, name, about, value, assign)
    }

    fn with_kind(
        kind: Kind,
        name: &'static str,
        about: impl Into<Cow<'static, str>>,
        value: Option<String>,
        assign: impl FnMut(Given<'_>) -> Result<(), String> + 'a,
    ) -> Self {
        Self {
            name,
            about: about.into(),
            always_written: false,
            positional: false,
            allowed: Allowed::Any,
            default: "",
            reported: value.as_deref().map(number_or_text),
            value,
            kind,
            placeholder: "VALUE",
            heading: "Algorithm",
            readers: Vec::new(),
            reported_name: None,
            excludes: &[],
            needs: &[],
            assign: Box::new(assign),
        }
    }

    fn new<T: Value>(
        name: &'static str,
        about: &'static str,
        value: Option<String>,
        mut assign: impl FnMut(T) + 'a,
    ) -> Self {
        Self::from_parts(name, about, value, move |text| {
            assign(text.parse().map_err(|error: T::Err| error.to_string())?);
            Ok(())
        })
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

    /// A setting that is on or off.
    pub fn switch(name: &'static str, about: &'static str, field: &'a mut bool) -> Self {
        let reported = Some((*field).into());
        Self { kind: Kind::Switch, reported, ..Self::option(name, about, field) }
    }

    /// A setting with one of a few values that have names.
    pub fn choice<T: Choices>(name: &'static str, about: &'static str, field: &'a mut T) -> Self {
        let allowed = Allowed::Choices(T::CHOICES.iter().map(|(_, named)| *named).collect());
        let value = Some(field.name().to_owned());
        let assign = |text: &str| {
            *field = T::named(text).ok_or_else(|| format!("there is no '{text}'"))?;
            Ok(())
        };
        Self { allowed, ..Self::from_parts(name, about, value, assign) }
    }

    /// A setting with any number of texts, with commas between them.
    pub fn list(name: &'static str, about: &'static str, field: &'a mut Vec<String>) -> Self {
        let reported = (!field.is_empty()).then(|| serde_json::json!(field));
        let assign = |text: &str| {
            *field = text.split(',').map(str::to_owned).collect();
            Ok(())
        };
        Self { kind: Kind::Several, reported, ..Self::from_parts(name, about, None, assign) }
    }

    /// A setting with the contents of a file.
    pub fn contents(name: &'static str, about: &'static str, field: &'a mut Option<NamedText>) -> Self {
        let value = field.as_ref().map(ToString::to_string);
        let assign = |given: Given<'_>| match given {
            Given::File(file) => {
                *field = Some(file);
                Ok(())
            }
            Given::Text(_) | Given::Path(_) => Err("it takes the contents of a file".to_owned()),
        };
        let reported = value.clone().map(Into::into);
        Self { placeholder: "FILE", reported, ..Self::with_kind(Kind::Contents, name, about, value, assign) }
    }

    /// A setting with the name of a file to write.
    pub fn output(name: &'static str, about: &'static str, field: &'a mut Option<PathBuf>) -> Self {
        let value = field.as_ref().map(|path| path.display().to_string());
        let assign = |given: Given<'_>| {
            *field = match given {
                Given::Path(path) => Some(path),
                Given::Text(text) => Some(text.into()),
                Given::File(_) => return Err("it takes the name of a file".to_owned()),
            };
            Ok(())
        };
        let key = Self::with_kind(Kind::Output, name, about, value, assign);
        Self { placeholder: "FILE", heading: "Output", ..key }
    }

    /// Allows the setting without its name when it is the first: `group-mapped:64`.
    pub fn positional(self) -> Self {
        Self { positional: true, ..self }
    }

    /// Limits the setting to numbers from `least` to `most`; infinity is no limit.
    pub fn within(self, least: impl Into<f64>, most: impl Into<f64>) -> Self {
        Self { allowed: Allowed::Range(least.into(), most.into()), ..self }
    }

    /// Limits the setting to finite numbers above a bound.
    pub fn above(self, bound: impl Into<f64>) -> Self {
        Self { allowed: Allowed::Above(bound.into()), ..self }
    }

    /// Limits the setting to these values.
    pub fn one_of<T: Display>(self, values: impl IntoIterator<Item = T>) -> Self {
        Self { allowed: Allowed::OneOf(values.into_iter().map(|value| value.to_string()).collect()), ..self }
    }

    /// Has reports show this value; none leaves the setting out of them.
    pub fn reported_as(self, value: Option<impl Into<serde_json::Value>>) -> Self {
        Self { reported: value.map(Into::into), ..self }
    }

    /// Has reports call the setting by another name.
    pub fn reported_name(self, name: &'static str) -> Self {
        Self { reported_name: Some(name), ..self }
    }

    /// Gives help a word that stands for the value.
    pub fn placeholder(self, placeholder: &'static str) -> Self {
        Self { placeholder, ..self }
    }

    /// Puts the setting under another heading of help.
    pub fn under(self, heading: &'static str) -> Self {
        Self { heading, ..self }
    }

    /// Says that these methods alone read the setting.
    pub fn read_by(self, readers: Vec<&'static str>) -> Self {
        Self { readers, ..self }
    }

    /// Refuses the setting together with these.
    pub fn excludes(self, others: &'static [&'static str]) -> Self {
        Self { excludes: others, ..self }
    }

    /// Refuses the setting without these.
    pub fn needs(self, others: &'static [&'static str]) -> Self {
        Self { needs: others, ..self }
    }

    /// The name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What the setting means.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// What the setting takes.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// The word that stands for its value in help.
    pub fn value_name(&self) -> &'static str {
        self.placeholder
    }

    /// The heading of help that it is under.
    pub fn heading(&self) -> &'static str {
        self.heading
    }

    /// The settings that it is not given together with.
    pub fn excluded(&self) -> &'static [&'static str] {
        self.excludes
    }

    /// The settings that it is only given together with.
    pub fn needed(&self) -> &'static [&'static str] {
        self.needs
    }

    /// The methods that read it; none where all do.
    pub fn readers(&self) -> &[&'static str] {
        &self.readers
    }

    /// The value as text, if there is one.
    pub fn value(&self) -> Option<&str> {
        self.value.as_deref()
    }

    /// The values that have names, where only such are taken.
    pub fn choices(&self) -> Option<&[NamedValue]> {
        match &self.allowed {
            Allowed::Choices(choices) => Some(choices),
            _ => None,
        }
    }

    /// The values that it is one of, where it is limited to such.
    #[doc(hidden)]
    pub fn listed(&self) -> Option<&[String]> {
        match &self.allowed {
            Allowed::OneOf(values) => Some(values),
            _ => None,
        }
    }

    /// Whether its name may be left out.
    #[doc(hidden)]
    pub fn is_positional(&self) -> bool {
        self.positional
    }

    /// The value in reports, if it is in them.
    #[doc(hidden)]
    pub fn reported_value(&self) -> Option<&serde_json::Value> {
        self.reported.as_ref()
    }

    /// The name and the value in reports.
    pub(super) fn reported(&self) -> Option<(String, serde_json::Value)> {
        let name = self.reported_name.map_or_else(|| self.name.replace('-', "_"), str::to_owned);
        Some((name, self.reported.clone()?))
    }

    /// Takes a value from text: `true` or `false` for a switch, texts with commas between them for a list.
    ///
    /// # Errors
    /// The reason, where the setting has no such value.
    pub fn set(&mut self, text: &str) -> Result<(), String> {
        self.allow(text)?;
        (self.assign)(Given::Text(text))
    }

    /// Takes the contents of a file.
    ///
    /// # Errors
    /// The reason, where the setting takes none.
    pub fn set_contents(&mut self, file: NamedText) -> Result<(), String> {
        (self.assign)(Given::File(file))
    }

    /// Takes the name of a file to write.
    ///
    /// # Errors
    /// The reason, where the setting takes none.
    pub fn set_output(&mut self, path: PathBuf) -> Result<(), String> {
        (self.assign)(Given::Path(path))
    }

    /// Refuses a value that the setting cannot have.
    pub(super) fn allow(&self, text: &str) -> Result<(), String> {
        // A text that is no number is refused by the field, which knows which numbers it holds.
        let is_outside = |is_inside: &dyn Fn(f64) -> bool| {
            text.parse().is_ok_and(|number: f64| !number.is_finite() || !is_inside(number))
        };
        match &self.allowed {
            Allowed::OneOf(values) if !values.iter().any(|value| value == text) => {
                Err(format!("it is one of {}", values.join(", ")))
            }
            Allowed::Range(least, most) if is_outside(&|number| number >= *least && number <= *most) => {
                let most = if most.is_finite() { format!("={most}") } else { String::new() };
                Err(format!("{text} is not in {least}..{most}"))
            }
            Allowed::Above(bound) if is_outside(&|number| number > *bound) => {
                Err(format!("{text} is not a number above {bound}"))
            }
            _ => Ok(()),
        }
    }

    /// The value as text, or what stands for it where there is none.
    #[doc(hidden)]
    pub fn text(&self) -> &str {
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

impl Display for NamedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name.display().fmt(f)
    }
}

fn number_or_text(value: &str) -> serde_json::Value {
    serde_json::from_str::<serde_json::Number>(value).map_or_else(|_| value.into(), Into::into)
}

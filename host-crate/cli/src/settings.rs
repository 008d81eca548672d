//! Settings of the library as options of a command, made from their keys. The library knows settings by name; here a name gets the
//! two dashes that people type.

use clap::{
    Arg, ArgAction, ArgMatches, Command,
    builder::{PathBufValueParser, PossibleValue, PossibleValuesParser},
    error::ErrorKind,
    parser::ValueSource,
};
use evenkeel::{
    Error, Result,
    algorithm::{Handle, Part, Setup},
    settings::{Key, Kind, NamedText, NamedValue, Settings},
};
use std::{borrow::Cow, fs, path::PathBuf};

/// A part of the settings of an algorithm, with their defaults.
#[derive(Clone, Copy)]
pub struct Blank {
    pub algorithm: &'static dyn Handle,
    pub part: Part,
}

impl Blank {
    /// Looks at the keys.
    fn with_keys<T>(self, look: impl FnOnce(Vec<Key<'_>>) -> T) -> T {
        look(self.algorithm.setup().settings(self.part).keys())
    }
}

/// A file that an option names and whose contents are a setting.
#[derive(Clone)]
pub struct Unread {
    key: &'static str,
    path: PathBuf,
}

/// Adds an option for each key.
pub fn augment(command: Command, blank: Blank) -> Command {
    blank.with_keys(|keys| keys.iter().fold(command, |command, key| command.arg(option(key, blank))))
}

fn option(key: &Key<'_>, blank: Blank) -> Arg {
    let name = key.name();
    let option = Arg::new(name).long(name).help(with_dashes(key.about()).into_owned()).help_heading(key.heading());
    let option = option.conflicts_with_all(key.excluded()).requires_all_of(key.needed());
    if key.kind() == Kind::Switch {
        return option.action(ArgAction::SetTrue);
    }
    let option = option.value_name(key.value_name());
    let option = match (key.kind(), key.choices()) {
        (Kind::Contents | Kind::Output, _) => option.value_parser(PathBufValueParser::new()),
        (Kind::Several, _) => option.action(ArgAction::Append).value_delimiter(','),
        (_, Some(choices)) => {
            let value = |it: &NamedValue| PossibleValue::new(it.name).help(it.about).aliases(it.alias);
            option.value_parser(PossibleValuesParser::new(choices.iter().map(value)))
        }
        (_, None) => option.value_parser(move |text: &str| known_value(blank, name, text)),
    };
    match key.value() {
        Some(value) => option.default_value(value.to_owned()),
        None => option,
    }
}

/// What clap lacks: several requirements at once.
trait Requires {
    fn requires_all_of(self, others: &'static [&'static str]) -> Self;
}

impl Requires for Arg {
    fn requires_all_of(self, others: &'static [&'static str]) -> Self {
        others.iter().fold(self, |option, other| option.requires(*other))
    }
}

/// Refuses a value that the setting cannot have.
fn known_value(blank: Blank, name: &str, text: &str) -> Result<String, String> {
    let set = blank.with_keys(|mut keys| keys.iter_mut().find(|key| key.name() == name).map(|key| key.set(text)));
    set.unwrap_or(Ok(())).map(|()| text.to_owned()).map_err(|reason| with_dashes(&reason).into_owned())
}

/// Puts what was given into the settings. Returns the files that are still to be read.
///
/// # Errors
/// When settings that are right by themselves are wrong together.
pub fn apply(matches: &ArgMatches, settings: &mut dyn Settings) -> Result<Vec<Unread>> {
    let mut unread = Vec::new();
    for key in &mut settings.keys() {
        let name = key.name();
        if matches.value_source(name) != Some(ValueSource::CommandLine) {
            continue;
        }
        let texts = || matches.get_many::<String>(name).into_iter().flatten().map(String::as_str).collect::<Vec<_>>();
        let path = || matches.get_one::<PathBuf>(name).cloned();
        let set = match key.kind() {
            Kind::Switch => key.set("true"),
            Kind::One | Kind::Several => key.set(&texts().join(",")),
            Kind::Output => path().map_or(Ok(()), |path| key.set_output(path)),
            Kind::Contents => {
                unread.extend(path().map(|path| Unread { key: name, path }));
                Ok(())
            }
        };
        set.map_err(Error::Usage)?;
    }
    Ok(unread)
}

/// Reads the files whose contents are settings.
///
/// # Errors
/// When a file cannot be read.
pub fn read(files: &[Unread], settings: &mut dyn Settings) -> Result<()> {
    for Unread { key, path } in files {
        let text = fs::read_to_string(path).map_err(|source| Error::Io { path: path.clone(), source })?;
        let file = NamedText { name: path.clone(), text };
        let mut keys = settings.keys();
        let set = keys.iter_mut().find(|known| known.name() == *key).map(|key| key.set_contents(file));
        set.unwrap_or(Ok(())).map_err(Error::Usage)?;
    }
    Ok(())
}

/// Settings that options give.
pub struct Given {
    setup: Box<dyn Setup>,
    files: Vec<(Part, Vec<Unread>)>,
}

impl Given {
    /// Takes those parts of an algorithm's settings from the options.
    pub fn from_matches(
        algorithm: &'static dyn Handle,
        parts: &[Part],
        matches: &ArgMatches,
    ) -> Result<Self, clap::Error> {
        let refused = |error: Error| {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{}\n", with_dashes(&error.to_string())))
        };
        let mut setup = algorithm.setup();
        let mut apply = |&part: &Part| Ok((part, apply(matches, setup.settings(part)).map_err(refused)?));
        let files = parts.iter().map(&mut apply).collect::<Result<_, clap::Error>>()?;
        Ok(Self { setup, files })
    }

    /// The settings, with the files among them read.
    pub fn read(mut self) -> Result<Box<dyn Setup>> {
        for (part, files) in &self.files {
            read(files, self.setup.settings(*part))?;
        }
        Ok(self.setup)
    }
}

/// What stands before the name of a setting in the library's texts.
const SETTING: &str = "the setting `";

/// A text of the library with the names of settings as they are typed: ``the setting `runs` `` is `--runs`.
pub fn with_dashes(text: &str) -> Cow<'_, str> {
    if !text.contains(SETTING) {
        return text.into();
    }
    let mut parts = text.split(SETTING);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('`').unwrap_or((part, ""));
        shown += &format!("--{name}{rest}");
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_shown_as_options() {
        assert_eq!(with_dashes("no setting here"), "no setting here");
        let text = "the setting `levels` shows all: leave the setting `max-depth` out";
        assert_eq!(with_dashes(text), "--levels shows all: leave --max-depth out");
    }
}

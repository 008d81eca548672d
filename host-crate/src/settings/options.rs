//! Settings as command-line options: one option for each key that any item of a registry has.

use super::{Allowed, Configurable, Configured, Key, Registry};
use crate::{Error, Result};
use clap::{Arg, ArgMatches, Command};

/// An option, and the items that have such a setting.
struct Declared {
    key: &'static str,
    owners: Vec<&'static str>,
    about: &'static str,
    values: String,
    default: String,
}

fn declared<R: Registry>() -> Vec<Declared> {
    let mut options: Vec<Declared> = Vec::new();
    for mut item in R::items() {
        let owner = item.name();
        for key in item.keys() {
            match options.iter_mut().find(|option| option.key == key.name) {
                Some(option) => option.owners.push(owner),
                None => {
                    let values = match &key.allowed {
                        Allowed::OneOf(values) => format!(" [one of: {}]", values.join(", ")),
                        _ => String::new(),
                    };
                    let (default, owners) = (key.text(), vec![owner]);
                    options.push(Declared { key: key.name, owners, about: key.about, values, default });
                }
            }
        }
    }
    options
}

/// Refuses a value that no item can have.
fn known_value<R: Registry>(key: &str, value: &str) -> Result<String, String> {
    let mut reason = None;
    for mut item in R::items() {
        if let Some(mut setting) = item.keys().into_iter().find(|setting: &Key<'_>| setting.name == key) {
            match setting.set(value) {
                Ok(()) => return Ok(value.to_owned()),
                Err(wrong) => reason = Some(wrong),
            }
        }
    }
    Err(reason.unwrap_or_default())
}

/// An option for the item, and one for each setting that any item has.
impl<R: Registry> clap::Args for Configured<R> {
    fn augment_args(command: Command) -> Command {
        let parser = |text: &str| text.parse::<Self>();
        let default = R::default_item().name();
        let item = Arg::new(R::KIND).long(R::KIND).value_name("NAME").default_value(default).value_parser(parser);
        declared::<R>().into_iter().fold(command.arg(item.help(R::HELP)), |command, option| {
            let Declared { key, owners, about, values, default } = option;
            let help = format!("{}: {about}{values} [default: {default}]", owners.join(", "));
            let parser = move |value: &str| known_value::<R>(key, value);
            command.arg(Arg::new(key).long(key).value_name("VALUE").help(help).value_parser(parser))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Settings that the item does not have are kept for others: see [`Configured::with`] and [`Configured::check_given`].
impl<R: Registry> clap::FromArgMatches for Configured<R> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut item = matches.get_one::<Self>(R::KIND).cloned().unwrap_or_default();
        let given = declared::<R>().into_iter();
        item.given = given.filter_map(|it| Some((it.key, matches.get_one::<String>(it.key)?.clone()))).collect();
        let text = item.text.clone();
        let refused = |error: Error| clap::Error::raw(clap::error::ErrorKind::ValueValidation, error);
        item.with(&text).map_err(refused)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

//! Settings as command-line options: one option for each key that any item of a registry has.

use super::{Configurable, Configured, Registry, key::Allowed};
use crate::{Error, Result};
use clap::{Arg, ArgMatches, Command};

/// What help has the options under.
const HEADING: &str = "Strategy";

/// An option: its name, and what its help text says of the setting, with the items of which it says that.
struct Declared {
    key: &'static str,
    meanings: Vec<Meaning>,
}

struct Meaning {
    owners: Vec<&'static str>,
    help: String,
}

impl Declared {
    /// The meanings one after the other, each behind its items.
    fn help(&self) -> String {
        let meaning = |Meaning { owners, help }: &Meaning| format!("{}: {help}", owners.join(", "));
        self.meanings.iter().map(meaning).collect::<Vec<_>>().join("; ")
    }
}

fn declared<R: Registry>() -> Vec<Declared> {
    let mut options: Vec<Declared> = Vec::new();
    for mut item in R::items() {
        let owner = item.name();
        for key in item.keys() {
            let values = match &key.allowed {
                Allowed::OneOf(values) => format!(" [one of: {}]", values.join(", ")),
                _ => String::new(),
            };
            let help = format!("{}{values} [default: {}]", key.about, key.text());
            let known = options.iter().position(|option| option.key == key.name);
            let place = known.unwrap_or_else(|| {
                options.push(Declared { key: key.name, meanings: Vec::new() });
                options.len() - 1
            });
            let meanings = &mut options[place].meanings;
            match meanings.iter_mut().find(|meaning| meaning.help == help) {
                Some(same) => same.owners.push(owner),
                None => meanings.push(Meaning { owners: vec![owner], help }),
            }
        }
    }
    options
}

/// Refuses a value that no item can have.
fn known_value<R: Registry>(name: &str, value: &str) -> Result<String, String> {
    let mut items = R::items();
    let keys = items.iter_mut().flat_map(Configurable::keys).filter(|key| key.name == name);
    let taken = keys.map(|mut key| key.set(value)).reduce(Result::or);
    taken.unwrap_or_else(|| Err(String::new())).map(|()| value.to_owned())
}

/// An option for the item, and one for each setting that any item has.
impl<R: Registry> clap::Args for Configured<R> {
    fn augment_args(command: Command) -> Command {
        let parser = |text: &str| text.parse::<Self>();
        let default = R::default_item().name();
        let item = Arg::new(R::KIND)
            .long(R::KIND)
            .value_name("NAME")
            .default_value(default)
            .value_parser(parser)
            .help_heading(HEADING);
        declared::<R>().into_iter().fold(command.arg(item.help(R::HELP)), |command, option| {
            let (key, help) = (option.key, option.help());
            let parser = move |value: &str| known_value::<R>(key, value);
            command
                .arg(Arg::new(key).long(key).value_name("VALUE").help(help).help_heading(HEADING).value_parser(parser))
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

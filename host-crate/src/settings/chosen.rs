//! The keys of an item that is chosen from a registry: one for the item, and one for each setting that any item has.

use super::{Configurable, Configured, Key, Registry, Settings, by_name, changed, with_settings};
use std::{cell::RefCell, rc::Rc};

/// The heading of help for the item and its settings.
const HEADING: &str = "Strategy";

/// A setting of any item: what it means, with the items of which it says that.
struct Declared {
    key: &'static str,
    meanings: Vec<Meaning>,
}

struct Meaning {
    owners: Vec<&'static str>,
    help: String,
}

/// A setting of the item that is not the default, as text and as reports have it.
struct Changed {
    key: &'static str,
    value: Option<String>,
    reported: Option<serde_json::Value>,
}

impl Declared {
    /// The meanings one after the other, each behind its items.
    fn help(&self) -> String {
        let meaning = |Meaning { owners, help }: &Meaning| format!("{}: {help}", owners.join(", "));
        self.meanings.iter().map(meaning).collect::<Vec<_>>().join("; ")
    }

    fn owners(&self) -> Vec<&'static str> {
        self.meanings.iter().flat_map(|meaning| meaning.owners.iter().copied()).collect()
    }
}

fn declared<R: Registry>() -> Vec<Declared> {
    let mut settings: Vec<Declared> = Vec::new();
    for mut item in R::items() {
        let owner = item.name();
        for key in item.keys() {
            let values = key.listed().map_or(String::new(), |values| format!(" [one of: {}]", values.join(", ")));
            let help = format!("{}{values} [default: {}]", key.about(), key.text());
            let known = settings.iter().position(|setting| setting.key == key.name());
            let place = known.unwrap_or_else(|| {
                settings.push(Declared { key: key.name(), meanings: Vec::new() });
                settings.len() - 1
            });
            let meanings = &mut settings[place].meanings;
            match meanings.iter_mut().find(|meaning| meaning.help == help) {
                Some(same) => same.owners.push(owner),
                None => meanings.push(Meaning { owners: vec![owner], help }),
            }
        }
    }
    settings
}

/// Refuses a value that no item can have.
fn refuse_unknown<R: Registry>(name: &str, value: &str) -> Result<(), String> {
    let mut items = R::items();
    let keys = items.iter_mut().flat_map(Configurable::keys).filter(|key| key.name() == name);
    let set = keys.map(|mut key| key.set(value)).reduce(Result::or);
    set.unwrap_or_else(|| Err(String::new()))
}

impl<R: Registry> Configured<R> {
    /// Sets a setting that some item has. It is kept for other items where this one does not have it: see [`Configured::with`] and
    /// [`Configured::check_given`].
    fn give(&mut self, name: &'static str, text: &str) -> Result<(), String> {
        refuse_unknown::<R>(name, text)?;
        self.given.retain(|(known, _)| *known != name);
        self.given.push((name, text.to_owned()));
        self.set(name, text).map(drop).map_err(|error| error.to_string())
    }

    /// The item's name with what is written without a name, and the settings that are not the default.
    fn reported(&self) -> (String, Vec<Changed>) {
        let (mut item, name) = (self.item.clone(), self.item.name());
        // An item that is not registered has no defaults to differ from.
        let mut default = by_name(R::KIND, R::items(), name).unwrap_or_else(|_| item.clone());
        let (keys, defaults) = (item.keys(), default.keys());
        let (first, named): (Vec<_>, Vec<_>) =
            changed(&keys, &defaults, |_| false).partition(|key| key.is_positional());
        let first: Vec<String> = first.iter().filter_map(|key| key.value().map(str::to_owned)).collect();
        let named = named.into_iter();
        let named = named.map(|key| Changed {
            key: key.name(),
            value: key.value().map(str::to_owned),
            reported: key.reported_value().cloned(),
        });
        (with_settings(name, &first), named.collect())
    }
}

/// A key for the item, and one for each setting that any item has.
impl<R: Registry> Settings for Configured<R> {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let (text, (reported, named)) = (self.text.clone(), self.reported());
        let this = Rc::new(RefCell::new(self));
        let choose = {
            let this = this.clone();
            move |text: &str| {
                let mut this = this.borrow_mut();
                let chosen = this.with(text).map_err(|error| error.to_string())?;
                **this = chosen;
                Ok(())
            }
        };
        let item = Key::from_parts(R::KIND, R::HELP, Some(text), choose);
        let mut keys = vec![item.placeholder("NAME").under(HEADING).reported_as(Some(reported))];
        keys.extend(declared::<R>().into_iter().map(|setting| {
            let (this, name) = (this.clone(), setting.key);
            let changed = named.iter().find(|changed| changed.key == name);
            let (value, reported) = changed.map_or((None, None), |it| (it.value.clone(), it.reported.clone()));
            let give = move |text: &str| this.borrow_mut().give(name, text);
            let key = Key::from_parts(name, setting.help(), value, give);
            key.under(HEADING).reported_as(reported).read_by(setting.owners())
        }));
        keys
    }
}

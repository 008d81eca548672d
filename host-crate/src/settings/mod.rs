//! Settings as text: `NAME:key=value,key=value`, for generators, strategies and schedules alike. A thing with settings lists
//! them as [`Key`]s over its own fields; reading, checking, writing and describing them follow from that.
//!
//! ```
//! use evenkeel::{algorithm::Bfs, settings::Configured};
//!
//! let strategy: Configured<Bfs> = "split:bins=20".parse()?;
//! assert_eq!(strategy.to_string(), "split:bins=20");
//! assert!("split:bins=0".parse::<Configured<Bfs>>().unwrap_err().to_string().contains("0 is not in 1..=1024"));
//! # Ok::<(), evenkeel::Error>(())
//! ```

mod chosen;

pub use evenkeel_base::settings::*;

use crate::{Error, Result};
use std::str::FromStr;

/// A list of things with settings, of which one is chosen by name: an algorithm's strategies.
pub trait Registry: 'static {
    /// What is chosen.
    type Item: Configurable;
    /// What an item is called: `strategy`. The command-line option has the same name.
    const KIND: &'static str;
    /// The help text of the option.
    const HELP: &'static str;

    /// All items with their default settings, in the order they are listed.
    fn items() -> Vec<Self::Item>;

    /// The one of them that is taken unless another is asked for.
    fn default_item() -> Self::Item;

    /// Names the algorithms that do have an item of this name.
    fn elsewhere(_name: &str) -> Option<String> {
        None
    }
}

/// An item of a registry with its settings. As text it is `NAME` or `NAME:key=value,key=value`; a [`report`] has the name and the
/// settings that are not the default.
pub struct Configured<R: Registry> {
    item: R::Item,
    text: String,
    /// Settings that were given apart from the item, for those items that have them.
    given: Vec<(&'static str, String)>,
}

impl<R: Registry> Configured<R> {
    /// An item with its settings.
    ///
    /// # Errors
    /// When an item of another type is registered by its name, or a setting has no such value.
    pub fn new(item: impl Into<R::Item>) -> Result<Self> {
        let mut item = item.into();
        let name = item.name();
        // An item of another crate need not be registered. It has no defaults that its text could leave out.
        let mut default = by_name(R::KIND, R::items(), name).unwrap_or_else(|_| item.clone());
        if item.type_id_of() != default.type_id_of() {
            return Err(Error::Usage(format!("this {} is not the one that is registered as {name}", R::KIND)));
        }
        let keys = item.keys();
        check(name, &keys)?;
        let text = canonical(name, &keys, &default.keys());
        drop(keys);
        Ok(Self { item, text, given: Vec::new() })
    }

    /// The item.
    pub fn item(&self) -> &R::Item {
        &self.item
    }

    /// The text that gives this item with these settings.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Another item by its text, with those of the settings that were given apart from the item.
    ///
    /// # Errors
    /// When there is no such item, or a setting has no such value.
    pub fn with(&self, text: &str) -> Result<Self> {
        let mut other: Self = text.parse()?;
        for (key, value) in &self.given {
            other.set(key, value)?;
        }
        Ok(Self { given: self.given.clone(), ..other })
    }

    /// Refuses settings that were given apart from the item and that none of the named items has.
    ///
    /// # Errors
    /// [`Error::Usage`] with the setting and the items that have it.
    pub fn check_given(&self, names: &[&str]) -> Result<()> {
        for (key, value) in &self.given {
            let is_read: Result<Vec<bool>> = names.iter().map(|name| name.parse::<Self>()?.set(key, value)).collect();
            if !is_read?.contains(&true) {
                let mut owners = R::items();
                owners.retain_mut(|item| item.keys().iter().any(|known| known.name() == *key));
                let owners: Vec<_> = owners.iter().map(R::Item::name).collect();
                let owners = format!("{} {}", R::KIND, owners.join(" and "));
                return Err(Error::Usage(format!("the setting `{key}` is for {owners}")));
            }
        }
        Ok(())
    }

    /// Sets one setting by name; false where the item has none of that name.
    fn set(&mut self, name: &str, text: &str) -> Result<bool> {
        let (owner, mut keys) = (self.item.name(), self.item.keys());
        let Some(key) = keys.iter_mut().find(|key| key.name() == name) else { return Ok(false) };
        key.set(text).map_err(|reason| Error::Usage(format!("{owner}: {name}='{text}': {reason}")))?;
        drop(keys);
        *self = Self { given: std::mem::take(&mut self.given), ..Self::new(self.item.clone())? };
        Ok(true)
    }
}

/// The default item with its default settings.
impl<R: Registry> Default for Configured<R> {
    fn default() -> Self {
        let item = R::default_item();
        Self { text: item.name().to_owned(), item, given: Vec::new() }
    }
}

impl<R: Registry> FromStr for Configured<R> {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let item = parse_item(R::KIND, R::items(), text);
        Self::new(item.map_err(|error| error.with_hint(R::elsewhere))?)
    }
}

impl<R: Registry> Clone for Configured<R> {
    fn clone(&self) -> Self {
        Self { item: self.item.clone(), text: self.text.clone(), given: self.given.clone() }
    }
}

told_by_text!(Configured<R: Registry>, |configured| &configured.text);

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Thing {
        name: &'static str,
        size: u32,
        share: Option<f64>,
        unit: String,
    }

    impl Configurable for Thing {
        fn name(&self) -> &'static str {
            self.name
        }

        fn keys(&mut self) -> Vec<Key<'_>> {
            let size = Key::option("size", "how large", &mut self.size).positional().within(1, 9);
            let share = Key::optional("share", "how much", "all", &mut self.share).within(0.0, f64::INFINITY);
            vec![size, share, Key::option("the-unit", "of what", &mut self.unit).one_of(["node", "edge"])]
        }
    }

    struct Things;

    impl Registry for Things {
        type Item = Thing;
        const KIND: &'static str = "thing";
        const HELP: &'static str = "which thing";

        fn items() -> Vec<Thing> {
            ["box", "bag"].map(|name| Thing { name, size: 5, share: None, unit: "node".to_owned() }).to_vec()
        }

        fn default_item() -> Thing {
            Self::items().swap_remove(0)
        }
    }

    fn text(text: &str) -> String {
        text.parse::<Configured<Things>>().unwrap().to_string()
    }

    fn refusal(text: &str) -> String {
        text.parse::<Configured<Things>>().unwrap_err().to_string()
    }

    #[test]
    fn the_text_is_the_shortest_that_says_the_same() {
        assert_eq!(Configured::<Things>::default().to_string(), "box");
        for (given, expected) in [
            ("bag", "bag"),
            ("bag:size=5", "bag"),
            ("bag:7", "bag:7"),
            ("bag:the-unit=edge,size=7", "bag:7,the-unit=edge"),
            ("box:share=1.50", "box:share=1.5"),
        ] {
            assert_eq!(text(given), expected);
            assert_eq!(text(expected), expected);
        }
    }

    #[test]
    fn what_cannot_be_is_refused_with_the_owner_the_key_and_the_values() {
        assert_eq!(refusal("sack"), "there is no thing named 'sack'; there is box, bag");
        assert_eq!(refusal("bag:0"), "bag: size='0': 0 is not in 1..=9; write bag:size=5,share=…,the-unit=node");
        assert!(refusal("bag:share=-1").contains("share='-1': -1 is not in 0..;"));
        assert!(refusal("bag:share=NaN").contains("NaN is not in 0.."));
        assert!(refusal("bag:size=many").contains("size='many': invalid digit"));
        assert!(refusal("bag:the-unit=row").contains("the-unit='row': it is one of node, edge"));
        assert!(refusal("bag:3,4").contains("'4' is not key=value"));
        assert!(refusal("bag:3,size=4").contains("'size' is given twice"));
        assert!(refusal("bag:colour=3").contains("no setting named 'bag:colour'; there is size=5, share=all"));
        assert!(refusal("bag:").contains("no setting behind the colon"));
        let too_large = Thing { size: 10, ..Things::items()[0].clone() };
        assert!(Configured::<Things>::new(too_large).unwrap_err().to_string().contains("10 is not in 1..=9"));
    }

    #[test]
    fn reports_have_a_field_for_each_setting() {
        let value = report(&"bag:7,share=2,the-unit=edge".parse::<Configured<Things>>().unwrap());
        assert_eq!(value, serde_json::json!({"thing": "bag:7", "share": 2, "the_unit": "edge"}));
    }
}

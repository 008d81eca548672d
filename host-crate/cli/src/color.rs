//! Whether help, errors and warnings are coloured: `--color auto|always|never`.

use anstream::ColorChoice;
use clap::Arg;
use std::iter;

/// The option, for every command.
pub fn option() -> Arg {
    let help = "Whether help, errors and warnings are coloured; auto: on a terminal, unless NO_COLOR is set";
    let option = Arg::new("color").long("color").value_name("WHEN").value_parser(["auto", "always", "never"]);
    option.default_value("auto").global(true).help(help).help_heading("Global")
}

/// Does what `--color` says from here on. It is looked for before the command line is parsed, because what is wrong with that is
/// coloured, too; a value that is none is left to the parser to refuse. By itself a terminal gets colours, unless NO_COLOR is set.
pub fn choose(words: &[String]) {
    let words = words.iter().take_while(|word| *word != "--");
    let next = words.clone().skip(1).map(Some).chain(iter::once(None));
    let value = |(word, next): (&'_ String, Option<&'_ String>)| match word.strip_prefix("--color") {
        Some("") => next.cloned(),
        Some(value) => value.strip_prefix('=').map(str::to_owned),
        None => None,
    };
    let choice = match words.zip(next).find_map(value).as_deref() {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    };
    choice.write_global();
}

//! How help is laid out: every option of every command under one of a few headings, which are always in the same order.

use clap::{Arg, ArgAction, Command};
use evenkeel::graph::formats::Format;

/// The headings of options, in the order in which they are shown. What says nothing of its heading is found by the tests.
pub const HEADINGS: [&str; 9] =
    ["Graph", "Weights", "Algorithm", "Run", "Strategy", "Output", "Device", "Workers", GLOBAL];

/// The heading of what every command takes.
const GLOBAL: &str = "Global";

/// The command with its own and its subcommands' options in the order of the headings. Help and version get a heading, too.
pub fn arranged(command: Command) -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true).help("Print help");
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version).help("Print version");
    let command = command.disable_help_flag(true).disable_version_flag(true).args([help, version].map(global_heading));
    in_order(command)
}

fn global_heading(argument: Arg) -> Arg {
    argument.help_heading(GLOBAL)
}

/// Headings are shown in the order of the arguments that have them, and an argument that is changed becomes the last.
fn in_order(command: Command) -> Command {
    let mut options: Vec<_> = command.get_arguments().filter(|argument| !argument.is_positional()).collect();
    options.sort_by_key(|option| place(option));
    let options: Vec<String> = options.iter().map(|option| option.get_id().to_string()).collect();
    let positional: Vec<String> = command.get_positionals().map(|argument| argument.get_id().to_string()).collect();
    // What is told by its place stands at the top, even where it is declared after options with a heading.
    let command = positional.into_iter().fold(command, |command, id| command.mut_arg(id, |it| it.help_heading(None)));
    let place = |option: &Arg, number: usize| 100 * place(option) + number;
    let command = options.into_iter().enumerate().fold(command, |command, (number, id)| {
        command.mut_arg(id, |option| {
            let place = place(&option, number);
            option.display_order(place)
        })
    });
    command.mut_subcommands(in_order)
}

/// The place of an option's heading in the list; what has none of these is last.
fn place(option: &Arg) -> usize {
    let heading = option.get_help_heading();
    HEADINGS.iter().position(|known| Some(*known) == heading).unwrap_or(HEADINGS.len())
}

/// Lists the formats, what they are, and the file names that tell them.
pub fn formats_help() -> String {
    let line = |format: Format| {
        let endings: String = format.extensions().iter().map(|ending| format!(" .{ending}")).collect();
        format!("  {:<16}{}{}{endings}\n", format.name(), format.about(), if endings.is_empty() { "" } else { ":" })
    };
    format!("Formats, with the names that tell them:\n\n{}", Format::all().map(line).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;
    use evenkeel::algorithm;

    /// Every command with its name, ready to parse, except `help` itself.
    fn each(check: &mut dyn FnMut(&str, &Command)) {
        fn walk(name: &str, command: &Command, check: &mut dyn FnMut(&str, &Command)) {
            check(name, command);
            for subcommand in command.get_subcommands().filter(|subcommand| subcommand.get_name() != "help") {
                walk(&format!("{name} {}", subcommand.get_name()), subcommand, check);
            }
        }
        let mut command = command();
        command.build();
        walk("evenkeel", &command, check);
    }

    fn help(command: &Command) -> String {
        command.clone().render_help().to_string()
    }

    /// The lines of examples that begin with the program's name, less what a shell or a reader makes of them.
    fn examples(help: &str) -> Vec<Vec<&str>> {
        let lines = help.lines().flat_map(|line| line.split('|')).map(str::trim_start);
        lines.filter(|line| line.starts_with("evenkeel ")).map(typed).collect()
    }

    /// The words before an explanation, which two spaces part from them, or a redirection.
    fn typed(line: &str) -> Vec<&str> {
        let line = line.split("  ").next().unwrap_or_default();
        line.split(['#', '>', '<']).next().unwrap_or_default().split_whitespace().collect()
    }

    #[test]
    fn options_are_under_the_same_headings_in_the_same_order() {
        each(&mut |name, command| {
            for option in command.get_arguments().filter(|argument| !argument.is_positional()) {
                assert!(place(option) < HEADINGS.len(), "{name} {option}: {:?}", option.get_help_heading());
                assert!(option.get_help().is_some(), "{name} {option} says nothing");
            }
            let help = help(command);
            let shown: Vec<usize> =
                HEADINGS.iter().filter_map(|heading| help.find(&format!("\n{heading}:\n"))).collect();
            assert!(shown.is_sorted() && !shown.is_empty(), "{help}");
            assert!(!help.contains("\nOptions:\n"), "{help}");
            if let (Some(arguments), Some(first)) = (help.find("\nArguments:\n"), shown.first()) {
                assert!(arguments < *first, "{help}");
            }
        });
    }

    #[test]
    fn a_strategys_settings_are_those_of_the_algorithms_own_strategies() {
        each(&mut |name, command| {
            let name = name.rsplit(' ').next().unwrap_or_default();
            let Ok(algorithm) = algorithm::named(name) else { return };
            let own: Vec<_> = algorithm.alternatives().iter().map(|alternative| alternative.about.name).collect();
            let settings = command.get_arguments().filter(|option| option.get_help_heading() == Some("Strategy"));
            for option in settings.filter(|option| option.get_id() != algorithm.described().alternative) {
                let help = option.get_help().unwrap().to_string();
                let owners = help.split_once(": ").unwrap().0;
                let of_all = option.get_id() == "strategies";
                assert!(of_all || owners.split(", ").all(|owner| own.contains(&owner)), "{name} {option}: {help}");
            }
        });
    }

    #[test]
    fn help_ends_with_examples_that_can_be_typed() {
        each(&mut |name, described| {
            // As it is written, since help as it is shown has its lines wrapped.
            let help = described.get_after_help().map(ToString::to_string).unwrap_or_default();
            let last = help.rsplit("\n\n").next().unwrap();
            assert!(last.starts_with("Example"), "{name} ends with {last}");
            let examples = examples(last);
            let own = examples.iter().filter(|words| words.join(" ").starts_with(name));
            assert!(own.count() > 0, "no example of {name}: {last}");
            // A model is read when it is named, so one that is there stands for it.
            let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/rule.tree");
            for mut words in examples {
                words.iter_mut().filter(|word| **word == "my.tree").for_each(|word| *word = model);
                if let Err(error) = command().try_get_matches_from(&words) {
                    panic!("{words:?}: {error}");
                }
            }
        });
    }
}

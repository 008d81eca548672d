//! What is suggested instead of an option or a command that there is not: the nearest, and only if it is near. Clap's own rule
//! offers `--strategy` for `--target`.

use clap::{
    Command, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};
use evenkeel::error::nearest;

/// The error with a tip that helps, or none. `words` are those of the command line.
pub fn improved(mut error: Error, mut command: Command, words: &[String]) -> Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    command.build();
    let within = innermost(&command, words);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let asked = text(ContextKind::InvalidArg).unwrap_or_default();
            error.remove(ContextKind::SuggestedArg);
            // That an option can be passed as a value helps nobody who meant an option.
            error.remove(ContextKind::Suggested);
            let options = within.get_arguments().filter(|option| !option.is_hide_set()).filter_map(|it| it.get_long());
            if let Some(option) = asked.strip_prefix("--").and_then(|asked| nearest(asked, options)) {
                error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("--{option}")));
            }
        }
        ErrorKind::InvalidSubcommand => {
            let asked = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            error.remove(ContextKind::SuggestedSubcommand);
            error.remove(ContextKind::Suggested);
            if let Some(name) = nearest(&asked, within.get_subcommands().map(Command::get_name)) {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::String(name.to_owned()));
            }
        }
        _ => {}
    }
    error
}

/// The command that the words choose.
fn innermost<'a>(command: &'a Command, words: &[String]) -> &'a Command {
    let mut chosen = command;
    for word in words.iter().skip(1) {
        chosen = chosen.find_subcommand(word).unwrap_or(chosen);
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command;

    /// What is said about a command line that is wrong.
    fn message(line: &str) -> String {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let error = command().try_get_matches_from(&words).unwrap_err();
        improved(error, command(), &words).to_string()
    }

    #[test]
    fn what_is_near_is_suggested() {
        assert!(message("evenkeel bsf rmat").contains("'bfs'"), "{}", message("evenkeel bsf rmat"));
        assert!(message("evenkeel conver a b").contains("'convert'"));
        assert!(message("evenkeel bfs rmat --soruce 3").contains("'--source'"));
        assert!(message("evenkeel compare bfs rmat --memroy 3").contains("'--memory'"));
    }

    #[test]
    fn what_is_far_is_not() {
        for line in ["evenkeel walk", "evenkeel dfs rmat", "evenkeel bfs rmat --aim 3", "evenkeel apsp rmat --target 3"]
        {
            let message = message(line);
            assert!(!message.contains("tip:") && !message.contains("--strategy"), "{message}");
        }
    }
}

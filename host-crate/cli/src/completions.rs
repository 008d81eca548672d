//! `evenkeel completions SHELL`.

use super::{command, output::print};
use clap::Args;
use clap_complete::{Shell, generate};

const EXAMPLES: &str = "\
Examples:
  evenkeel completions bash > ~/.local/share/bash-completion/completions/evenkeel
  evenkeel completions zsh > ~/.zfunc/_evenkeel
  evenkeel completions fish > ~/.config/fish/completions/evenkeel.fish";

/// Print what a shell needs to complete commands and options.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Completions {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    pub fn execute(&self) -> anyhow::Result<()> {
        Ok(print(&script(self.shell))?)
    }
}

fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    generate(shell, &mut command(), "evenkeel", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::ValueEnum;

    #[test]
    fn every_shell_learns_commands_and_options() {
        for shell in Shell::value_variants() {
            let script = script(*shell);
            assert!(script.contains("bfs") && script.contains("partition-bytes"), "{shell}");
        }
    }
}

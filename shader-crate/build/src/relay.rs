//! What a build script says while it works. Cargo keeps that until the script has ended, and shows it only when the script has failed; for work
//! that takes many minutes, it goes to the terminal, too.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Write},
    process::{Command, ExitStatus},
};

/// Passes lines on as they come: to standard error, and to the terminal if there is one.
pub struct Relay<T> {
    terminal: Option<T>,
}

impl Relay<File> {
    /// To standard error alone.
    pub fn quiet() -> Self {
        Self { terminal: None }
    }

    /// To the terminal that the build was started from, too: on Unix, and if it was one.
    pub fn aloud() -> Self {
        Self { terminal: File::options().write(true).open("/dev/tty").ok() }
    }
}

impl<T: Write> Relay<T> {
    /// Passes on a line.
    pub fn say(&mut self, line: &str) {
        eprintln!("{line}");
        // In place of cargo's progress bar, which is in the line of the cursor and is drawn again below. A terminal that is gone ends no build.
        if let Some(terminal) = &mut self.terminal
            && write!(terminal, "\r\x1b[K{line}\n").is_err()
        {
            self.terminal = None;
        }
    }

    /// Runs a command, and passes on what it says.
    pub fn run(&mut self, mut command: Command) -> io::Result<ExitStatus> {
        let (output, end) = io::pipe()?;
        let mut child = command.stdout(end.try_clone()?).stderr(end).spawn()?;
        // It has ends of the pipe, too, and the last line comes when all are closed.
        drop(command);
        for line in BufReader::new(output).split(b'\n') {
            self.say(&String::from_utf8_lossy(&line?));
        }
        child.wait()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Relay;
    use std::process::Command;

    #[test]
    fn a_terminal_gets_both_outputs_line_by_line() {
        let mut relay = Relay { terminal: Some(Vec::new()) };
        relay.say("zero");
        let mut command = Command::new("sh");
        command.args(["-c", "echo one; echo two >&2; printf three; exit 3"]);
        assert_eq!(relay.run(command).unwrap().code(), Some(3));
        let shown = String::from_utf8(relay.terminal.unwrap()).unwrap();
        assert_eq!(shown, ["zero", "one", "two", "three"].map(|line| format!("\r\x1b[K{line}\n")).concat());
    }
}

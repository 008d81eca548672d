//! The command `evenkeel`: graphs in, checked answers out.

mod cli;

fn main() -> std::process::ExitCode {
    cli::main()
}

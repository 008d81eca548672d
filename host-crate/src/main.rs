//! The command `evenkeel`: graphs in, checked answers out.

fn main() -> std::process::ExitCode {
    evenkeel::cli::main()
}

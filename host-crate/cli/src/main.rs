//! The command `evenkeel`: graphs in, checked answers out.

#[global_allocator]
static ALLOCATOR: evenkeel_cli::Allocator = evenkeel_cli::Allocator;

fn main() -> std::process::ExitCode {
    let words: Vec<_> = std::env::args_os().collect();
    evenkeel_cli::main(&words)
}

//! The command `evenkeel`: graphs in, checked answers out.

#[global_allocator]
static ALLOCATOR: evenkeel_cli::Allocator = evenkeel_cli::Allocator;

fn main() -> std::process::ExitCode {
    evenkeel_cli::main()
}

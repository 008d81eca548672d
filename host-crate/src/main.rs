//! The command `evenkeel`: graphs in, checked answers out.

#[global_allocator]
static ALLOCATOR: evenkeel::cli::Allocator = evenkeel::cli::Allocator;

fn main() -> std::process::ExitCode {
    evenkeel::cli::main()
}

//! Tells the crate where its compiled kernels are.

fn main() -> std::process::ExitCode {
    evenkeel_build::kernels()
}

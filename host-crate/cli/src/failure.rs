//! How the program ends when not everything is right: which message, which exit status, and no half-written file. Long measuring that is
//! interrupted ends after what is under way, and writes what it has.

use crate::signals;
use evenkeel::{
    Error, atomic_file,
    error::negative_cycle,
    graph::{Graph, NodeIds, NodeName},
    oracle::Mismatch,
    report::Report,
};
use std::{
    io,
    process::ExitCode,
    sync::atomic::{AtomicBool, AtomicU8, Ordering::Relaxed},
};

/// An answer that is not what the oracle says. The message has the first node that differs, by its own id.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct WrongAnswer(String);

impl WrongAnswer {
    /// A wrong answer of the run that is reported, on a graph that calls the mismatching node `node`.
    pub fn new(report: &Report, node: &NodeName<'_>, mismatch: &Mismatch) -> Self {
        let Report { algorithm, alternative, strategy, graph, .. } = report;
        let (graph, Mismatch { expected, found, .. }) = (&graph.name, mismatch);
        let run = format!("{algorithm} with {alternative} {strategy} gave a wrong answer on {graph}");
        Self(format!("{run}: node {node}: expected {expected}, found {found}"))
    }

    /// A wrong answer of a kernel of a benchmark suite.
    pub fn of_kernel(kernel: &str, graph: &str, problem: &str) -> Self {
        Self(format!("{kernel} gave a wrong answer on {graph}: {problem}"))
    }
}

impl WrongAnswer {
    /// A wrong answer of several workers, on a graph that has names for the nodes.
    pub fn of_workers(algorithm: &str, graph: &Graph, mismatch: &Mismatch) -> Self {
        let Mismatch { node, expected, found } = mismatch;
        let run = format!("{algorithm} on several workers gave a wrong answer on {}", graph.name);
        Self(format!("{run}: node {}: expected {expected}, found {found}", graph.ids.name(*node)))
    }

    /// A path that is wrong at `node`.
    pub fn of_path(node: &NodeName<'_>, Mismatch { expected, found, .. }: &Mismatch) -> Self {
        Self(format!("the path is wrong at node {node}: expected {expected}, found {found}"))
    }
}

/// There is no path between two nodes.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoPath(String);

impl NoPath {
    /// The message with the nodes and the graph.
    pub fn new(from: &NodeName<'_>, to: &NodeName<'_>, graph: &Graph) -> Self {
        let advice = if graph.directed { "; edges are taken one way, and both ways with --undirected" } else { "" };
        Self(format!("there is no path from {from} to {to} in {}{advice}", graph.name))
    }
}

/// Rewrites an error so that it calls nodes by the names that they have in their file.
pub fn named(error: Error, ids: &NodeIds) -> Error {
    match error {
        Error::NegativeCycle { node, length } => Error::Graph(negative_cycle(ids.name(node), length)),
        other => other,
    }
}

/// Long work that was interrupted, and has written what it had.
#[derive(Debug, thiserror::Error)]
#[error("interrupted: what was measured until then is written")]
pub struct Interrupted;

/// Whether an interrupt is for the work that is under way to heed.
static IS_HEEDED: AtomicBool = AtomicBool::new(false);

/// The exit status for the signal that asked the work to end; 0 while none did.
static INTERRUPT: AtomicU8 = AtomicU8::new(0);

/// From here on an interrupt does not end the program at once: the work looks at [`is_interrupted`] between its steps. A second one does.
pub fn heed_interrupts() {
    IS_HEEDED.store(true, Relaxed);
}

/// Whether the work shall end.
pub fn is_interrupted() -> bool {
    INTERRUPT.load(Relaxed) != 0
}

/// Prints an error with its causes and turns it into an exit status. A closed pipe is no error: whoever read had enough.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if let Some(Error::Io { source, .. }) = error.downcast_ref()
        && source.kind() == io::ErrorKind::BrokenPipe
    {
        return ExitCode::SUCCESS;
    }
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Most messages have their cause in them already.
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    tracing::error!("{message}");
    ExitCode::from(status(error))
}

/// Ends the process from whichever thread this is, without half-written files: nothing that is under way can come to its end.
pub fn end(error: &Error) -> ! {
    end_after(error, || {})
}

/// Prints the error, runs `last`, and ends the process.
pub fn end_after(error: &Error, last: impl FnOnce()) -> ! {
    tracing::error!("{error}");
    atomic_file::remove_unfinished();
    last();
    std::process::exit(error.exit_status().into());
}

fn status(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Error>() {
        Some(error) => error.exit_status(),
        None if error.is::<Interrupted>() => INTERRUPT.load(Relaxed),
        None if error.is::<WrongAnswer>() || error.is::<NoPath>() => 1,
        // What is left is the machine refusing something: threads, a signal handler.
        None => 4,
    }
}

/// Makes Ctrl-C, and being asked to terminate, remove what has been written so far of any output, unless the work heeds it. Must be called
/// before there are other threads.
pub fn remove_files_when_interrupted() -> io::Result<()> {
    signals::when_asked_to_end(|signal| {
        // What a shell expects of a program that a signal has ended.
        let status = 128 + signal;
        if IS_HEEDED.load(Relaxed) && INTERRUPT.swap(status, Relaxed) == 0 {
            tracing::warn!("ending after what is under way; once more ends at once, and writes nothing");
            return;
        }
        atomic_file::remove_unfinished();
        std::process::exit(status.into());
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::example;
    use anyhow::Context;

    fn wrong() -> WrongAnswer {
        let mismatch = Mismatch { node: 3, expected: "2".into(), found: "inf".into() };
        WrongAnswer::new(&example(), &NodeName::Number(4), &mismatch)
    }

    #[test]
    fn a_wrong_answer_names_the_node_as_the_file_does() {
        let expected = "sssp with strategy node gave a wrong answer on tiny: node 4: expected 2, found inf";
        assert_eq!(wrong().to_string(), expected);
    }

    #[test]
    fn the_status_survives_a_context() {
        assert_eq!(status(&wrong().into()), 1);
        let memory = Err::<(), _>(Error::Memory("too much".into())).context("no strategy would fit");
        assert_eq!(status(&memory.unwrap_err()), 4);
        assert_eq!(status(&Error::Usage("what?".into()).into()), 2);
    }
}

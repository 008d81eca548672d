//! Everything that can go wrong, sorted by whose business it is: the command, the input, or the device.

mod nearest;

#[doc(hidden)]
pub use nearest::nearest;

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

/// What the library's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error with the facts in it. The binary's exit status follows from the variant: see [`Error::exit_status`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name, number or combination of options that means nothing.
    #[error("{0}")]
    Usage(String),
    /// A name that is not in a registry.
    #[error("there is no {kind} named '{name}'{}; there is {}", parenthesised(hint), known.join(", "))]
    UnknownName {
        /// What was looked for: "strategy", "device", "format".
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// The names that are known.
        known: Vec<String>,
        /// What may have been meant.
        hint: Option<String>,
    },
    /// A line of a text file that does not say what its format demands.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// Counted from 1, in the decompressed text.
        line: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A file that is wrong as a whole.
    #[error("{}: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A graph that an algorithm or the device's 32-bit indices cannot take.
    #[error("{0}")]
    Graph(String),
    /// A graph in which some walks have no shortest length.
    #[error("{}", negative_cycle(format_args!("{node}, counted from 0,"), *length))]
    NegativeCycle {
        /// A node on the cycle, counted from 0.
        node: u32,
        /// How long the cycle is, at most: less than 0.
        length: f64,
    },
    /// The device, its driver, or the lack of one.
    #[error("{0}")]
    Device(String),
    /// The device was lost while it did what the message says, and does nothing more.
    #[error("{0}: the device was lost; its driver has reset it, often because something ran too long")]
    Lost(String),
    /// Something that the device lacks or does not allow, and another may; the message names it.
    #[error("{0}")]
    Unsupported(String),
    /// What does not fit; the message holds the numbers.
    #[error("{0}")]
    Memory(String),
    /// One of several workers has ended, hangs or cannot be reached.
    #[error("worker {process} ({address}) {reason}")]
    Worker {
        /// The number of its process.
        process: usize,
        /// Where it listens.
        address: String,
        /// What is the matter with it.
        reason: String,
        /// The exit status that follows: its own where it has failed, else 4.
        status: u8,
    },
}

impl Error {
    /// The error for a name that is none of the `known` ones; it asks whether the nearest was meant.
    #[doc(hidden)]
    pub fn unknown<T: ToString>(kind: &'static str, name: &str, known: impl IntoIterator<Item = T>) -> Self {
        let known: Vec<String> = known.into_iter().map(|name| name.to_string()).collect();
        let hint = did_you_mean(name, &known);
        Self::UnknownName { kind, name: name.to_owned(), known, hint }
    }

    /// Adds a hint about the unknown name, if `hint` has one.
    #[doc(hidden)]
    pub fn with_hint(mut self, better: impl FnOnce(&str) -> Option<String>) -> Self {
        if let Self::UnknownName { name, hint, .. } = &mut self {
            *hint = better(name).or(hint.take());
        }
        self
    }

    /// The error for a file that could not be read or written.
    #[doc(hidden)]
    pub fn io(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { path: path.to_path_buf(), source }
    }

    /// The binary's exit status: 2 usage, 3 bad input, 4 device, memory or another worker. (1 means an answer failed validation.)
    pub fn exit_status(&self) -> u8 {
        match self {
            Self::Usage(_) | Self::UnknownName { .. } => 2,
            Self::Io { source, .. } if source.kind() == std::io::ErrorKind::OutOfMemory => 4,
            Self::Line { .. } | Self::File { .. } | Self::Io { .. } => 3,
            Self::Graph(_) | Self::NegativeCycle { .. } => 3,
            Self::Device(_) | Self::Lost(_) | Self::Unsupported(_) | Self::Memory(_) => 4,
            Self::Worker { status, .. } => *status,
        }
    }
}

/// The message on a negative cycle through a node.
#[doc(hidden)]
pub fn negative_cycle(node: impl fmt::Display, length: f64) -> String {
    format!(
        "there is a negative cycle: a walk from node {node} back to itself is of length {length}, and round again it would be \
         shorter still"
    )
}

/// Asks whether the nearest name was meant, if one is near.
pub(crate) fn did_you_mean(name: &str, known: &[String]) -> Option<String> {
    nearest(name, known.iter().map(String::as_str)).map(|nearest| format!("did you mean {nearest}?"))
}

fn parenthesised(hint: &Option<String>) -> String {
    hint.as_ref().map_or(String::new(), |hint| format!(" ({hint})"))
}

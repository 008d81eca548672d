//! An algorithm's table of methods. The option, the listing, the name of what `auto` took and the refusal of a device follow from it.

use super::Selectable;
use crate::{
    Result,
    device::DeviceInfo,
    settings::{Configurable, Key},
    strategy::About,
};

/// The ways in which an algorithm can go about its work: a type whose values are lines of a table.
pub trait Methods: Clone + PartialEq + Send + Sync + 'static {
    /// The help text of the option that chooses one.
    const HELP: &'static str;
    /// The heading of the table in a listing.
    const HEADING: &'static str;
    /// What is said below that table; empty for nothing.
    const NOTE: &'static str = "";
    /// All with their default settings, in the order they are listed. The last one is taken unless another is asked for, and may choose among
    /// the others.
    const TABLE: &'static [Line<Self>];

    /// The settings of a method, in the order in which they are written.
    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }
}

/// A line of a table of methods.
#[derive(Clone, Copy, Debug)]
pub struct Line<M> {
    about: About,
    is_counted: bool,
    method: M,
}

impl<M> Line<M> {
    /// A method that runs kernels on all devices: its name, where it comes from and what it does.
    pub const fn new(name: &'static str, paper: &'static str, summary: &'static str, method: M) -> Self {
        Self { about: About::new(name, paper, summary), is_counted: true, method }
    }

    /// A method that runs on the CPU device alone, and is no kernel.
    pub const fn on_cpu(name: &'static str, paper: &'static str, summary: &'static str, method: M) -> Self {
        Self { about: About::cpu_only(name, paper, summary), is_counted: false, method }
    }

    /// The method that chooses among the others, which may be no kernel.
    pub const fn auto(summary: &'static str, method: M) -> Self {
        Self { about: About::new("auto", "", summary), is_counted: false, method }
    }

    /// Marks the method as one whose atoms are not counted.
    pub const fn uncounted(self) -> Self
    where
        M: Copy,
    {
        Self { is_counted: false, ..self }
    }
}

/// A method that was chosen from a table, with its settings.
#[derive(Clone)]
pub struct Selected<M: Methods> {
    line: &'static Line<M>,
    method: M,
}

impl<M: Methods> Selected<M> {
    fn of(line: &'static Line<M>) -> Self {
        Self { line, method: line.method.clone() }
    }

    /// The method, which is refused by name where the device cannot run it.
    pub(crate) fn on(&self, device: &DeviceInfo) -> Result<&M> {
        self.line.about.check_device(device)?;
        Ok(&self.method)
    }

    /// The method.
    pub(crate) fn method(&self) -> &M {
        &self.method
    }

    /// The name of what was taken, if this one chooses among the others.
    pub(crate) fn taken(&self, taken: &M) -> Option<&'static str> {
        let name = || M::TABLE.iter().find(|line| line.method == *taken).map(|line| line.about.name);
        if self.chooses() { name() } else { None }
    }

    /// Whether it chooses among the others.
    pub(crate) fn chooses(&self) -> bool {
        M::TABLE.last().is_some_and(|last| last.method == self.method)
    }
}

impl<M: Methods> Configurable for Selected<M> {
    fn name(&self) -> &'static str {
        self.line.about.name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        self.method.keys()
    }
}

impl<M: Methods> Default for Selected<M> {
    fn default() -> Self {
        Self::of(&M::TABLE[M::TABLE.len() - 1])
    }
}

impl<M: Methods> Selectable for Selected<M> {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = M::HELP;
    const HEADING: &'static str = M::HEADING;
    const NOTE: &'static str = M::NOTE;

    fn all() -> Vec<Self> {
        M::TABLE.iter().map(Self::of).collect()
    }

    fn about(&self) -> About {
        self.line.about
    }

    fn is_counted(&self) -> bool {
        self.line.is_counted
    }
}

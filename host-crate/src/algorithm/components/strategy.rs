//! The strategies of components, by name, each with its settings.

use super::super::{Selectable, prelude::*};
use crate::{
    device::DeviceKind,
    settings::{Configurable, Key},
    strategy::About,
};

/// A strategy of components with its settings.
#[derive(Clone)]
pub struct ComponentStrategy {
    about: About,
    method: Method,
}

/// All strategies with their default settings: name, where it comes from, what it does.
const STRATEGIES: [(&str, &str, &str, Method); 3] = [
    (
        "afforest",
        "Sutton, Ben-Nun and Barak",
        "two edges of every node, then all edges of the nodes outside the largest component; for weak components",
        Method::Afforest,
    ),
    (
        "all-edges",
        "Jaiganesh and Burtscher; Alabandi et al.",
        "every edge under a schedule: hooks trees together, or with --strong hands signatures on",
        Method::AllEdges(None),
    ),
    (
        "auto",
        "",
        "afforest; all-edges for strong components of a directed graph, and for what exceeds the device's memory",
        Method::Auto,
    ),
];

/// How components are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// Most edges of the largest component are skipped.
    Afforest,
    /// Every edge is taken, under this schedule, or under the one that suits the rows where it is none.
    AllEdges(Option<Choice>),
    /// Whichever suits.
    Auto,
}

impl Configurable for ComponentStrategy {
    fn name(&self) -> &'static str {
        self.about.name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Method::AllEdges(schedule) = &mut self.method else { return Vec::new() };
        let about = "the schedule by which edges are shared out";
        vec![Key::optional("schedule", about, "the one that suits the rows", schedule).positional()]
    }
}

impl ComponentStrategy {
    /// What it does on such a device. `strong` says that components are strong ones of a directed graph. [`Method::Auto`] is left for those on
    /// the CPU device alone, which has its own form of them.
    ///
    /// # Errors
    /// [`Error::Usage`] when it cannot find strong components.
    pub(super) fn method(&self, device: DeviceKind, strong: bool) -> Result<Method> {
        match self.method {
            Method::Afforest if strong => Err(Error::Usage(
                "afforest skips edges, which strongly connected components of a directed graph do not allow: \
                 take all-edges or auto"
                    .into(),
            )),
            Method::Auto if strong && device == DeviceKind::Cpu => Ok(Method::Auto),
            Method::Auto if strong => Ok(Method::AllEdges(None)),
            Method::Auto => Ok(Method::Afforest),
            method => Ok(method),
        }
    }

    /// The name of the strategy that does so, if this one chooses among the others.
    pub(super) fn taken(&self, method: Method) -> Option<&'static str> {
        let named = || STRATEGIES.iter().find(|(.., other)| *other == method).map(|(name, ..)| *name);
        if self.chooses() { named() } else { None }
    }

    /// Whether it chooses among the others.
    pub(super) fn chooses(&self) -> bool {
        self.method == Method::Auto
    }
}

impl Default for ComponentStrategy {
    fn default() -> Self {
        let [.., (name, paper, summary, method)] = STRATEGIES;
        Self { about: About::new(name, paper, summary), method }
    }
}

impl Selectable for ComponentStrategy {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How components are found: a name from `evenkeel strategies components`; all-edges also under \
                                a schedule, as all-edges:merge-path";
    const HEADING: &'static str = "components";
    const NOTE: &'static str = "all-edges runs under a schedule, as all-edges:merge-path or all-edges:group-mapped:8.";

    fn all() -> Vec<Self> {
        let strategy = |(name, paper, summary, method)| Self { about: About::new(name, paper, summary), method };
        STRATEGIES.map(strategy).to_vec()
    }

    fn about(&self) -> About {
        self.about
    }

    fn is_counted(&self) -> bool {
        matches!(self.method, Method::AllEdges(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::Components;

    #[test]
    fn names_go_there_and_back() {
        for name in ["afforest", "all-edges", "all-edges:merge-path", "all-edges:group-mapped:8", "auto"] {
            assert_eq!(name.parse::<Configured<Components>>().unwrap().to_string(), name);
        }
        for text in ["hook", "afforest:merge-path", "all-edges:even"] {
            assert_eq!(
                text.parse::<Configured<Components>>().err().map(|error| error.exit_status()),
                Some(2),
                "{text}"
            );
        }
    }

    #[test]
    fn strong_components_need_all_edges() {
        let on =
            |device, name: &str, strong| name.parse::<Configured<Components>>().unwrap().item().method(device, strong);
        let method = |name: &str, strong| on(DeviceKind::Discrete, name, strong);
        assert_eq!(on(DeviceKind::Cpu, "auto", true).unwrap(), Method::Auto);
        assert_eq!(method("auto", false).unwrap(), Method::Afforest);
        assert_eq!(method("auto", true).unwrap(), Method::AllEdges(None));
        assert!(method("afforest", true).is_err() && method("all-edges", true).is_ok());
    }
}

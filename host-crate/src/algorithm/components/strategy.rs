//! The methods by which components are found, each with its settings.

use super::super::prelude::*;

/// How components are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Most edges of the largest component are skipped.
    Afforest,
    /// Every edge is taken, under this schedule, or under the one that suits the rows where it is none.
    AllEdges(Option<Choice>),
    /// Most edges of the largest component are skipped, by the threads of the CPU device.
    AfforestCpu,
    /// By a depth-first search on the CPU device.
    PathBased,
    /// Whichever suits.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "How components are found: a name from `evenkeel strategies components`; all-edges also under \
                                a schedule, as all-edges:merge-path";
    const HEADING: &'static str = "components";
    const NOTE: &'static str = "all-edges runs under a schedule, as all-edges:merge-path or all-edges:group-mapped:8.";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "afforest",
            "Sutton, Ben-Nun and Barak",
            "two edges of every node, then all edges of the nodes outside the largest component; for weak components",
            Self::Afforest,
        )
        .uncounted(),
        Line::new(
            "all-edges",
            "Jaiganesh and Burtscher; Alabandi et al.",
            "every edge under a schedule: hooks trees together, or with --strong hands signatures on",
            Self::AllEdges(None),
        ),
        Line::on_cpu(
            "afforest-cpu",
            "Sutton, Ben-Nun and Barak",
            "afforest in a form for few threads; for weak components",
            Self::AfforestCpu,
        ),
        Line::on_cpu(
            "path-based-cpu",
            "Gabow",
            "a depth-first search by one thread; for strong components, and all of an undirected graph",
            Self::PathBased,
        ),
        Line::auto(
            "afforest, all-edges for strong components of a directed graph and for what exceeds the device's memory; \
             on the CPU device afforest-cpu and path-based-cpu",
            Self::Auto,
        ),
    ];

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self::AllEdges(schedule) = self else { return Vec::new() };
        let about = "the schedule by which edges are shared out";
        vec![Key::optional("schedule", about, "the one that suits the rows", schedule).positional()]
    }
}

impl Method {
    /// What it comes to on such a device. `strong` says that components are strong ones, `directed` that not every edge has its reverse.
    ///
    /// # Errors
    /// [`Error::Usage`] when it cannot find such components.
    pub(super) fn choose(self, device: DeviceKind, strong: bool, directed: bool) -> Result<Self> {
        let strong = strong && directed;
        match self {
            Self::Afforest | Self::AfforestCpu if strong => Err(Error::Usage(
                "afforest skips edges, which strongly connected components of a directed graph do not allow: \
                 take all-edges or auto"
                    .into(),
            )),
            Self::PathBased if directed && !strong => Err(Error::Usage(
                "path-based-cpu follows the directions of edges, which do not count for weak components: take all-edges \
                 or auto"
                    .into(),
            )),
            Self::Auto if device == DeviceKind::Cpu => Ok(if strong { Self::PathBased } else { Self::AfforestCpu }),
            Self::Auto => Ok(if strong { Self::AllEdges(None) } else { Self::Afforest }),
            method => Ok(method),
        }
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
        let on = |device, name: &str, strong| {
            let strategy = name.parse::<Configured<Components>>().unwrap();
            strategy.item().method().choose(device, strong, true)
        };
        let method = |name: &str, strong| on(DeviceKind::Discrete, name, strong);
        assert_eq!(on(DeviceKind::Cpu, "auto", true).unwrap(), Method::PathBased);
        assert_eq!(on(DeviceKind::Cpu, "auto", false).unwrap(), Method::AfforestCpu);
        assert_eq!(method("auto", false).unwrap(), Method::Afforest);
        assert_eq!(method("auto", true).unwrap(), Method::AllEdges(None));
        assert!(method("afforest", true).is_err() && method("all-edges", true).is_ok());
        assert!(on(DeviceKind::Cpu, "path-based-cpu", false).is_err());
    }
}

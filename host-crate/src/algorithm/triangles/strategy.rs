//! The strategies by which triangles are found, by name.

use super::super::Selectable;
use crate::{
    device::DeviceKind,
    settings::{Configurable, Key},
    strategy::About,
};

/// A strategy with its settings.
#[derive(Clone)]
pub struct TriangleStrategy {
    about: About,
    method: Method,
}

/// How common neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// By binary search for the elements of the shorter list.
    Search,
    /// By a bitmap for nodes of at least so many edges, and by binary search for the others.
    Bitmap {
        /// The fewest edges of a node with a bitmap.
        heavy: u32,
    },
    /// By marks for each thread: the form for the CPU device.
    Marks,
    /// Whichever of these suits the degrees and the device.
    Auto,
}

/// A node of as many edges as this is worth a bitmap: the longer a list, the more steps a binary search in it takes, while a lookup takes
/// one.
const HEAVY: u32 = 128;

/// Name, where it comes from, what it does.
const STRATEGIES: [(&str, &str, &str, Method); 3] = [
    (
        "binary-search",
        "Schank and Wagner",
        "looks up the shorter list of an edge's ends in the longer, the elements shared out in a workgroup",
        Method::Search,
    ),
    (
        "bitmap",
        "Bisson and Fatica",
        "a bitmap in workgroup memory for each node of a high degree; binary search for the others",
        Method::Bitmap { heavy: HEAVY },
    ),
    (
        "auto",
        "",
        "binary-search where no node has many edges, else bitmap; on the CPU device a form of its own",
        Method::Auto,
    ),
];

/// What `auto` is said to take on the CPU device.
pub(super) const NATIVE: &str = "marks-cpu";

impl Configurable for TriangleStrategy {
    fn name(&self) -> &'static str {
        self.about.name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Method::Bitmap { heavy } = &mut self.method else { return Vec::new() };
        let about = "the fewest edges of a node with a bitmap; more on a graph with over 131,071 such nodes";
        vec![Key::option("heavy", about, heavy).within(1, u32::MAX - 1)]
    }
}

impl TriangleStrategy {
    /// What it does on such a device with a graph whose highest degree is that.
    pub(super) fn method(&self, device: DeviceKind, highest_degree: u32) -> Method {
        match self.method {
            Method::Auto if device == DeviceKind::Cpu => Method::Marks,
            Method::Auto if highest_degree < HEAVY => Method::Search,
            Method::Auto => Method::Bitmap { heavy: HEAVY },
            method => method,
        }
    }

    /// The name of the strategy that does so, if this one chooses among the others.
    pub(super) fn taken(&self, method: Method) -> Option<&'static str> {
        let named = || STRATEGIES.iter().find(|(.., other)| *other == method).map_or(NATIVE, |(name, ..)| *name);
        (self.method == Method::Auto).then(named)
    }
}

impl Default for TriangleStrategy {
    fn default() -> Self {
        let [.., (name, paper, summary, method)] = STRATEGIES;
        Self { about: About::new(name, paper, summary), method }
    }
}

impl Selectable for TriangleStrategy {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How common neighbours are found: a name from `evenkeel strategies triangles`";
    const HEADING: &'static str = "triangles";

    fn all() -> Vec<Self> {
        let strategy = |(name, paper, summary, method)| Self { about: About::new(name, paper, summary), method };
        STRATEGIES.map(strategy).to_vec()
    }

    fn about(&self) -> About {
        self.about
    }

    /// What is chosen on the CPU device is no kernel.
    fn is_counted(&self) -> bool {
        self.method != Method::Auto
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{algorithm::Triangles, settings::Configured};

    #[test]
    fn degrees_and_device_decide() {
        let strategy = TriangleStrategy::default();
        let taken = |device, degree| strategy.taken(strategy.method(device, degree));
        assert_eq!(taken(DeviceKind::Discrete, HEAVY - 1), Some("binary-search"));
        assert_eq!(taken(DeviceKind::Discrete, HEAVY), Some("bitmap"));
        assert_eq!(taken(DeviceKind::Cpu, HEAVY), Some("marks-cpu"));
        let bitmap: Configured<Triangles> = "bitmap:heavy=4".parse().unwrap();
        assert_eq!(bitmap.item().method(DeviceKind::Cpu, 3), Method::Bitmap { heavy: 4 });
        assert_eq!((bitmap.item().taken(Method::Search), bitmap.to_string().as_str()), (None, "bitmap:heavy=4"));
        assert!("bitmap:heavy=0".parse::<Configured<Triangles>>().is_err());
    }
}

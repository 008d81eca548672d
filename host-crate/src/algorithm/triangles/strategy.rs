//! The methods by which triangles are found.

use super::super::prelude::*;

/// How common neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By binary search for the elements of the shorter list.
    Search,
    /// By a bitmap for nodes of at least so many edges, and by binary search for the others.
    Bitmap {
        /// The fewest edges of a node with a bitmap.
        heavy: u32,
    },
    /// By marks for each thread of the CPU device.
    Marks,
    /// Whichever of these suits the degrees and the device.
    Auto,
}

/// A node of as many edges as this is worth a bitmap: the longer a list, the more steps a binary search in it takes, while a lookup takes
/// one.
const HEAVY: u32 = 128;

impl Methods for Method {
    const HELP: &'static str = "How common neighbours are found: a name from `evenkeel strategies triangles`";
    const HEADING: &'static str = "triangles";
    const TABLE: &'static [Line<Self>] = &[
        Line::new(
            "binary-search",
            "Schank and Wagner",
            "looks up the shorter list of an edge's ends in the longer, the elements shared out in a workgroup",
            Self::Search,
        ),
        Line::new(
            "bitmap",
            "Bisson and Fatica",
            "a bitmap in workgroup memory for each node of a high degree; binary search for the others",
            Self::Bitmap { heavy: HEAVY },
        ),
        Line::on_cpu("marks-cpu", "Schank and Wagner", "marks the neighbours of a node, for each thread", Self::Marks),
        Line::auto(
            "marks-cpu on the CPU device; else binary-search where no node has many edges, or bitmap",
            Self::Auto,
        ),
    ];

    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self::Bitmap { heavy } = self else { return Vec::new() };
        let about = "the fewest edges of a node with a bitmap; more on a graph with over 131,071 such nodes";
        vec![Key::option("heavy", about, heavy).within(1, u32::MAX - 1)]
    }
}

impl Method {
    /// What it comes to on such a device with a graph whose highest degree is that.
    pub(super) fn choose(self, device: DeviceKind, highest_degree: u32) -> Self {
        match self {
            Self::Auto if device == DeviceKind::Cpu => Self::Marks,
            Self::Auto if highest_degree < HEAVY => Self::Search,
            Self::Auto => Self::Bitmap { heavy: HEAVY },
            method => method,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{algorithm::Triangles, settings::Configured};

    #[test]
    fn degrees_and_device_decide() {
        let strategy = Selected::<Method>::default();
        let taken = |device, degree| strategy.taken(&strategy.method().choose(device, degree));
        assert_eq!(taken(DeviceKind::Discrete, HEAVY - 1), Some("binary-search"));
        assert_eq!(taken(DeviceKind::Discrete, HEAVY), Some("bitmap"));
        assert_eq!(taken(DeviceKind::Cpu, HEAVY), Some("marks-cpu"));
        let bitmap: Configured<Triangles> = "bitmap:heavy=4".parse().unwrap();
        assert_eq!(bitmap.item().method().choose(DeviceKind::Cpu, 3), Method::Bitmap { heavy: 4 });
        assert_eq!((bitmap.item().taken(&Method::Search), bitmap.to_string().as_str()), (None, "bitmap:heavy=4"));
        assert!("bitmap:heavy=0".parse::<Configured<Triangles>>().is_err());
    }
}

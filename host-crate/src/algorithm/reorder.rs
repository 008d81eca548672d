//! The order in which an algorithm keeps nodes on the device. By degree, the elements of a vector that most edges read lie together, and
//! stay in the caches of skewed graphs. Inputs and answers are in the graph's own order all the same.

use crate::{
    Error, Result,
    device::{DeviceInfo, DeviceKind},
    engine::SharedGraph,
    graph::{Csr, NodeOrder},
    phase,
    settings::{Choices, NamedValue, named},
};
use rayon::prelude::*;
use std::sync::Arc;

/// In which order nodes are kept on the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reorder {
    /// By degree where that is expected to save more than it takes: for many iterations over a large graph of very different degrees
    #[default]
    Auto,
    /// By descending powers of two of their degrees
    Degree,
    /// As the graph has them
    None,
}

impl Choices for Reorder {
    const CHOICES: &'static [(Self, NamedValue)] = &[
        (
            Self::Auto,
            named(
                "auto",
                "By degree where that is expected to save more than it takes: for many iterations over a large graph of very different \
                 degrees",
            ),
        ),
        (Self::Degree, named("degree", "By descending powers of two of their degrees")),
        (Self::None, named("none", "As the graph has them")),
    ];
}

/// What a first-level cache keeps of a vector: the L1 cache of a GPU's multiprocessor, less what streams through it.
const CACHED_BYTES: usize = 128 << 10;

/// A vector of as many bytes is worth reordering for a GPU; of a smaller one enough is in the cache anyhow.
const LARGE_BYTES: usize = 4 * CACHED_BYTES;

/// The limit on the CPU device, which spends the time of its own iterations on reordering, and whose other caches are larger.
const LARGE_BYTES_OF_CPU: usize = 16 << 20;

/// The share of all reads that the elements in the cache must get.
const HOT: f64 = 0.25;

/// A vector of as many bytes exceeds every cache of a GPU, and half of that share is enough.
const FAR_BYTES: usize = 128 << 20;

/// So many times as often as others they must be read: the degrees of a random graph differ too, but by less than this.
const SKEWED: f64 = 2.0;

/// Where more of the edges than this lead to a node nearby, the graph's own order is better kept, as on roads and meshes.
const NEAR: f64 = 0.5;

/// The rows that are looked at to see how near edges lead.
const SAMPLES: u32 = 4096;

impl Reorder {
    /// The order for an algorithm that reads an element of `bytes` bytes for each edge, many times over. Reads are counted by the degrees of the
    /// graph's rows. None where nodes are to keep their own.
    pub(super) fn for_iterations(self, device: &DeviceInfo, csr: &Csr, bytes: usize) -> Result<Option<NodeOrder>> {
        if !self.is_taken(device, csr, bytes) {
            return Ok(None);
        }
        phase::during("reordering", || {
            let degrees: Vec<u32> = (0..csr.nodes()).into_par_iter().map(|node| csr.degree(node)).collect();
            NodeOrder::by_degree(&degrees).map(Some)
        })
    }

    /// Whether [`Reorder::for_iterations`] gives an order.
    pub(super) fn is_taken(self, device: &DeviceInfo, csr: &Csr, bytes: usize) -> bool {
        let large = if device.kind == DeviceKind::Cpu { LARGE_BYTES_OF_CPU } else { LARGE_BYTES };
        match self {
            Self::Auto => {
                let vector = csr.nodes() as usize * bytes;
                let is_far = device.kind != DeviceKind::Cpu && vector >= FAR_BYTES;
                vector >= large && pays(csr, CACHED_BYTES / bytes, if is_far { HOT / 2.0 } else { HOT })
            }
            Self::Degree => true,
            Self::None => false,
        }
    }

    /// The order for a single product, and the graph in it, which is the graph itself where it keeps its own.
    pub(super) fn of_product(self, graph: &SharedGraph) -> Result<(Option<Arc<NodeOrder>>, SharedGraph)> {
        if !graph.csr().is_square() {
            return match self {
                Self::Degree => Err(Error::Usage(
                    "rows and columns of a matrix that is not square have no order in common: take --reorder none"
                        .into(),
                )),
                _ => Ok((None, graph.derived("matrix", || Ok(graph.csr().matrix()))?)),
            };
        }
        let found = graph.once("order", || {
            let (order, renamed) = self.for_product(graph.csr())?.unzip();
            Ok((order.map(Arc::new), renamed))
        })?;
        Ok(match &*found {
            (Some(order), Some(renamed)) => (Some(order.clone()), graph.derived("reordered", || Ok(renamed.clone()))?),
            _ => (None, graph.clone()),
        })
    }

    /// The order for a single product, and the matrix in it. Elements are read as often as their columns have entries. Reordering takes longer than a
    /// product, so that it is done only when asked for.
    fn for_product(self, csr: &Csr) -> Result<Option<(NodeOrder, Csr)>> {
        if self != Self::Degree {
            return Ok(None);
        }
        phase::during("reordering", || {
            let order = NodeOrder::by_degree(&csr.column_counts())?;
            let renamed = order.rename(csr)?;
            Ok(Some((order, renamed)))
        })
    }
}

/// The name that reports have for an order.
pub(super) fn name_of(order: Option<&NodeOrder>) -> Option<&'static str> {
    order.map(|_| "degree")
}

/// Whether reads of `cached` elements become cheaper by reordering than they are in the graph's own order.
fn pays(csr: &Csr, cached: usize, hot_enough: f64) -> bool {
    let nodes = csr.nodes() as usize;
    if nodes == 0 || csr.edges() == 0 {
        return false;
    }
    let hot = hot_share(csr, cached);
    hot >= hot_enough && hot >= SKEWED * cached as f64 / nodes as f64 && near_share(csr, cached as u32 / 2) <= NEAR
}

/// The share of all edges that the `cached` nodes of the highest degrees have.
fn hot_share(csr: &Csr, cached: usize) -> f64 {
    const GROUPS: usize = u32::BITS as usize + 1;
    let count = |mut groups: [(u64, u64); GROUPS], node: u32| {
        let degree = csr.degree(node);
        let group = &mut groups[(u32::BITS - degree.leading_zeros()) as usize];
        *group = (group.0 + 1, group.1 + u64::from(degree));
        groups
    };
    let join = |mut one: [(u64, u64); GROUPS], other: [(u64, u64); GROUPS]| {
        one.iter_mut().zip(other).for_each(|(one, other)| *one = (one.0 + other.0, one.1 + other.1));
        one
    };
    let none = || [(0, 0); GROUPS];
    let groups = (0..csr.nodes()).into_par_iter().fold(none, count).reduce(none, join);
    let (mut left, mut edges) = (cached as f64, 0.0);
    for (nodes, of_group) in groups.into_iter().rev().filter(|group| group.0 > 0) {
        let taken = left.min(nodes as f64);
        edges += of_group as f64 * taken / nodes as f64;
        left -= taken;
    }
    edges / csr.edges() as f64
}

/// The share of the edges of some rows that lead to a node less than `distance` away, which is at least 1.
fn near_share(csr: &Csr, distance: u32) -> f64 {
    let step = (csr.nodes() / SAMPLES).max(1) as usize;
    let of_row = |node: u32| {
        let row = csr.neighbours(node);
        let near = row.partition_point(|&it| it < node.saturating_add(distance))
            - row.partition_point(|&it| it.saturating_add(distance) <= node);
        (near as u64, row.len() as u64)
    };
    let rows = (0..csr.nodes()).into_par_iter().step_by(step).map(of_row);
    let (near, all) = rows.reduce(|| (0, 0), |one, other| (one.0 + other.0, one.1 + other.1));
    near as f64 / all.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        device::{Device, DeviceOptions},
        graph::{Weights, generate::Generator},
    };

    fn generated(text: &str) -> Csr {
        text.parse::<Generator>().unwrap().generate().unwrap().csr
    }

    fn emulated() -> DeviceInfo {
        Device::open("cpu:subgroup=32", &DeviceOptions::default()).unwrap().info().clone()
    }

    #[test]
    fn skewed_graphs_are_reordered_and_local_ones_are_not() {
        let cached = 1024;
        assert!(pays(&generated("rmat:scale=14"), cached, HOT));
        for kept in ["grid:rows=200,cols=200", "er:nodes=20000,degree=16", "road:nodes=20000", "complete:nodes=1025"] {
            assert!(!pays(&generated(kept), cached, HOT), "{kept}");
        }
        assert!(!pays(&Csr::new(vec![0; 5001], vec![], Weights::None).unwrap(), cached, HOT));
        assert!(!pays(&Csr::new(vec![0], vec![], Weights::None).unwrap(), cached, HOT));
    }

    #[test]
    fn small_vectors_keep_their_order_and_so_do_larger_ones_of_a_cpu() {
        let device = emulated();
        let (small, large) = (generated("rmat:scale=16,edge-factor=4"), generated("rmat:scale=17,edge-factor=4"));
        assert!(!Reorder::Auto.is_taken(&device, &small, 4) && Reorder::Auto.is_taken(&device, &small, 8));
        assert!(Reorder::Auto.is_taken(&device, &large, 4) && !Reorder::None.is_taken(&device, &large, 4));
        let cpu = DeviceInfo { kind: DeviceKind::Cpu, ..device };
        assert!(!Reorder::Auto.is_taken(&cpu, &large, 4) && Reorder::Degree.is_taken(&cpu, &large, 4));
    }

    #[test]
    fn shares_are_counted() {
        let star = generated("star:nodes=1001");
        assert!((hot_share(&star, 1) - 0.5).abs() < 1e-9);
        assert!((hot_share(&star, 501) - 0.75).abs() < 1e-9);
        let shifted = |by: u32| {
            let columns: Vec<u32> = (0..100).map(|node| (node + by) % 100).collect();
            Csr::new((0..=100).collect::<Vec<u32>>(), columns, Weights::None).unwrap()
        };
        assert!((near_share(&shifted(0), 1) - 1.0).abs() < 1e-9);
        assert!(near_share(&shifted(50), 10) < 1e-9);
        assert!((near_share(&shifted(9), 10) - 0.91).abs() < 1e-9 && (near_share(&shifted(10), 10)) < 1e-9);
    }
}

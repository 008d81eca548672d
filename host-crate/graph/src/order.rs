//! Another order of a graph's nodes, in which those that are read most come first. What lies together stays in a cache together: a few
//! nodes of a skewed graph are the ends of most of its edges, and in the order of a file they are spread over all of memory.
//!
//! Nodes are grouped by the power of two of their degree, and keep their own order within a group (degree-based grouping, Faldu, Diamond
//! and Grot 2019): neighbours that the file has beside each other stay near each other, which a full sort would scatter.

use super::{
    Csr, Weights,
    array::zeroed,
    build::split,
    offsets::{Offsets, OffsetsView},
    weights::{WeightKind, weight_of},
};
use bytemuck::Pod;
use evenkeel_base::Result;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Nodes that a thread takes at a time.
const NODES: usize = if cfg!(test) { 4 } else { 1 << 14 };

/// Entries of rows that a thread takes at a time, and the length from which all threads sort a row.
const ENTRIES: usize = if cfg!(test) { 8 } else { 1 << 17 };

/// A permutation of the nodes of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeOrder {
    /// The place of each node.
    places: Vec<u32>,
    /// The node at each place.
    nodes: Vec<u32>,
}

/// The group of nodes of a degree. Nodes of degree 0 and 1 are in the same one: rows without entries are then not all in one run, which a
/// schedule that counts entries alone would leave to one workgroup.
fn group(degree: u32) -> usize {
    degree.max(1).ilog2() as usize
}

impl NodeOrder {
    /// The order by descending powers of two of `degrees`, of which there is one for each node.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn by_degree(degrees: &[u32]) -> Result<Self> {
        const GROUPS: usize = u32::BITS as usize;
        let of_chunk: Vec<[usize; GROUPS]> = degrees
            .par_chunks(NODES)
            .map(|chunk| {
                let mut counts = [0; GROUPS];
                chunk.iter().for_each(|&degree| counts[group(degree)] += 1);
                counts
            })
            .collect();
        let mut nodes = zeroed::<u32>(degrees.len() as u64)?;
        let mut places = zeroed::<u32>(degrees.len() as u64)?;
        // Each group, the highest first, has a stretch for each chunk, so that no two threads write to the same one.
        let groups = || (0..GROUPS).rev();
        let lengths = || groups().flat_map(|group| of_chunk.iter().map(move |counts| counts[group]));
        let mut begins = lengths().scan(0, |begin, length| Some(std::mem::replace(begin, *begin + length)));
        let mut stretches = vec![Vec::with_capacity(GROUPS); of_chunk.len()];
        for _ in groups() {
            stretches.iter_mut().zip(&mut begins).for_each(|(stretches, begin)| stretches.push(begin));
        }
        let mut slots: Vec<Vec<&mut [u32]>> = of_chunk.iter().map(|_| Vec::with_capacity(GROUPS)).collect();
        for (index, slot) in split(&mut nodes, lengths()).into_iter().enumerate() {
            slots[index % of_chunk.len()].push(slot);
        }
        let chunks = degrees.par_chunks(NODES).zip(places.par_chunks_mut(NODES)).enumerate();
        chunks.zip(slots).zip(stretches).for_each(|(((chunk, (degrees, places)), mut slots), begins)| {
            let mut used = [0; GROUPS];
            for (index, (&degree, place)) in degrees.iter().zip(places).enumerate() {
                let stretch = GROUPS - 1 - group(degree);
                slots[stretch][used[stretch]] = (chunk * NODES + index) as u32;
                *place = (begins[stretch] + used[stretch]) as u32;
                used[stretch] += 1;
            }
        });
        Ok(Self { places, nodes })
    }

    /// Takes values of the nodes in their own order, `width` for each, into this one.
    pub fn apply<T: Copy + Send + Sync>(&self, values: &[T], width: usize) -> Vec<T> {
        gather(&self.nodes, values, width)
    }

    /// Takes values of the nodes in this order, `width` for each, back into their own.
    pub fn undo<T: Copy + Send + Sync>(&self, values: &[T], width: usize) -> Vec<T> {
        gather(&self.places, values, width)
    }

    /// Renames the nodes of a graph by this order.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn rename(&self, csr: &Csr) -> Result<Csr> {
        let offsets = self.offsets(csr)?;
        let row_offsets = offsets.view();
        let mut columns = zeroed::<u32>(csr.edges())?;
        let weights = match csr.weights().kind() {
            WeightKind::None => {
                self.each_row(row_offsets, &mut columns, &mut [], |node, columns, _: &mut [u32]| {
                    let renamed = csr.neighbours(node).iter().map(|&column| self.places[column as usize]);
                    columns.iter_mut().zip(renamed).for_each(|(slot, column)| *slot = column);
                    sort(columns);
                });
                Weights::None
            }
            WeightKind::U32(()) => Weights::U32(self.fill_weighted(csr, row_offsets, &mut columns, |key| key)?.into()),
            WeightKind::F32(()) => Weights::F32(self.fill_weighted(csr, row_offsets, &mut columns, weight_of)?.into()),
        };
        // SAFETY: offsets are the running sum of degrees, and columns are the names of nodes, a permutation.
        let renamed = unsafe { Csr::from_builder(offsets, columns.into(), weights) };
        Ok(match csr.known_symmetric() {
            Some(symmetric) => renamed.state_symmetric(symmetric),
            None => renamed,
        })
    }

    /// Where the rows of the graph begin with the nodes in this order.
    #[doc(hidden)]
    pub fn offsets(&self, csr: &Csr) -> Result<Offsets> {
        let mut degrees = zeroed::<u32>(self.nodes.len() as u64 + 1)?;
        degrees[1..].iter_mut().zip(&self.nodes).for_each(|(degree, node)| *degree = csr.degree(*node));
        Offsets::of_degrees(degrees, csr.edges())
    }

    /// Fills the columns, and returns the weights that belong to them.
    fn fill_weighted<T: Pod + Send + Sync>(
        &self,
        csr: &Csr,
        row_offsets: OffsetsView<'_>,
        columns: &mut [u32],
        weight: impl Fn(u32) -> T + Sync,
    ) -> Result<Vec<T>> {
        let mut weights = zeroed::<T>(columns.len() as u64)?;
        self.each_row(row_offsets, columns, &mut weights, |node, columns, weights| {
            let entry = |edge: usize| {
                let column = self.places[csr.columns()[edge] as usize];
                u64::from(column) << 32 | u64::from(csr.weights().key(edge))
            };
            let mut entries: Vec<u64> = csr.row(node).map(entry).collect();
            sort(&mut entries);
            for ((column, slot), entry) in columns.iter_mut().zip(weights).zip(entries) {
                (*column, *slot) = ((entry >> 32) as u32, weight(entry as u32));
            }
        });
        Ok(weights)
    }

    /// Calls `fill(node, columns, weights)` with the row of each node, and with its weights unless there are none, by all threads.
    fn each_row<T: Send>(
        &self,
        row_offsets: OffsetsView<'_>,
        columns: &mut [u32],
        weights: &mut [T],
        fill: impl Fn(u32, &mut [u32], &mut [T]) + Sync,
    ) {
        // Rows of about as many entries together.
        let mut cuts = vec![0];
        for row in 1..row_offsets.len() {
            let last = cuts[cuts.len() - 1];
            if row_offsets.at(row) - row_offsets.at(last) + (row - last) >= ENTRIES || row + 1 == row_offsets.len() {
                cuts.push(row);
            }
        }
        let has_weights = !weights.is_empty();
        let lengths = || cuts.windows(2).map(|rows| row_offsets.at(rows[1]) - row_offsets.at(rows[0]));
        let of_weights = lengths().map(|length| if has_weights { length } else { 0 });
        let parts = split(columns, lengths()).into_par_iter().zip(split(weights, of_weights));
        parts.zip(cuts.par_windows(2)).for_each(|((mut columns, mut weights), rows)| {
            for row in rows[0]..rows[1] {
                let length = row_offsets.row(row).len();
                let (own, others) = columns.split_at_mut(length);
                let (own_weights, other_weights) = weights.split_at_mut(if has_weights { length } else { 0 });
                fill(self.nodes[row], own, own_weights);
                (columns, weights) = (others, other_weights);
            }
        });
    }
}

impl Csr {
    /// The number of edges that lead to each node.
    #[doc(hidden)]
    pub fn column_counts(&self) -> Vec<u32> {
        let counts: Vec<AtomicU32> = (0..self.nodes()).map(|_| AtomicU32::new(0)).collect();
        self.columns().par_iter().for_each(|&column| {
            counts[column as usize].fetch_add(1, Relaxed);
        });
        counts.into_iter().map(AtomicU32::into_inner).collect()
    }
}

/// Sorts a row.
fn sort<T: Ord + Send>(row: &mut [T]) {
    if row.len() > ENTRIES { row.par_sort_unstable() } else { row.sort_unstable() }
}

/// The values at these places, `width` for each.
fn gather<T: Copy + Send + Sync>(places: &[u32], values: &[T], width: usize) -> Vec<T> {
    assert_eq!(values.len(), places.len() * width, "as many values as the nodes have");
    if width == 1 {
        return places.par_iter().map(|&place| values[place as usize]).collect();
    }
    let row = |&place: &u32| values[place as usize * width..][..width].par_iter().copied();
    places.par_iter().flat_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::random::mix;

    /// A graph with parallel edges, self-loops and nodes without edges, whose first nodes have most of the edges.
    fn example(seed: u64, nodes: u64, edges: u64) -> Vec<(u32, u32, u32)> {
        let draw = |place: u64| mix(seed.wrapping_mul(1 << 20).wrapping_add(place));
        let crowded = |place: u64| (draw(place) % nodes * (draw(place + 1) % nodes) / nodes) as u32;
        (0..edges).map(|edge| (crowded(4 * edge), crowded(4 * edge + 2), (draw(edge) % 7) as u32)).collect()
    }

    fn csr(nodes: u64, mut edges: Vec<(u32, u32, u32)>, weights: impl Fn(Vec<u32>) -> Weights) -> Csr {
        edges.sort_unstable();
        let offsets = (0..=nodes as u32).map(|row| edges.iter().filter(|edge| edge.0 < row).count() as u32);
        let columns: Vec<u32> = edges.iter().map(|edge| edge.1).collect();
        Csr::new(offsets.collect::<Vec<_>>(), columns, weights(edges.iter().map(|edge| edge.2).collect())).unwrap()
    }

    #[test]
    fn orders_go_there_and_back_and_fall() {
        for seed in 0..200 {
            let nodes = mix(seed) % 60;
            let degrees: Vec<u32> = (0..nodes).map(|node| (mix(seed ^ node << 32) % 40) as u32).collect();
            let order = NodeOrder::by_degree(&degrees).unwrap();
            let mut sorted = order.nodes.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..nodes as u32).collect::<Vec<_>>());
            let halved = |degree: u32| {
                std::iter::successors(Some(degree.max(1)), |it| Some(it / 2)).take_while(|it| *it > 0).count()
            };
            // Powers of two fall, and nodes of the same one keep their order.
            let keys: Vec<_> =
                order.nodes.iter().map(|&node| (std::cmp::Reverse(halved(degrees[node as usize])), node)).collect();
            assert!(keys.is_sorted(), "{degrees:?}");
            for width in [1, 3] {
                let values: Vec<u64> = (0..nodes * width).collect();
                let there = order.apply(&values, width as usize);
                assert_eq!(order.undo(&there, width as usize), values);
                let first = order.nodes.first().map(|&node| u64::from(node) * width);
                assert_eq!(there.first().copied(), first);
            }
        }
    }

    #[test]
    fn renamed_graphs_have_the_same_edges() {
        let kinds: [fn(Vec<u32>) -> Weights; 3] = [
            |_| Weights::None,
            |weights| Weights::U32(weights.into()),
            |weights| Weights::F32(weights.into_iter().map(|weight| weight as f32 - 3.5).collect::<Vec<_>>().into()),
        ];
        for seed in 0..60 {
            let (nodes, edges) = (1 + mix(seed) % 40, mix(seed + 1000) % 150);
            for kind in kinds {
                let graph = csr(nodes, example(seed, nodes, edges), kind);
                let order = NodeOrder::by_degree(&graph.column_counts()).unwrap();
                let renamed = order.rename(&graph).unwrap();
                let list = |csr: &Csr, name: &dyn Fn(u32) -> u32| {
                    let edge = |row: u32, edge: usize| {
                        (name(row), name(csr.columns()[edge]), csr.weights().real(edge).to_bits())
                    };
                    let mut edges: Vec<_> =
                        (0..csr.nodes()).flat_map(|row| csr.row(row).map(move |place| edge(row, place))).collect();
                    edges.sort_unstable();
                    edges
                };
                let own = |place: u32| order.nodes[place as usize];
                assert_eq!(list(&renamed, &own), list(&graph, &|node| node));
                assert_eq!(renamed.is_symmetric(), graph.is_symmetric());
                Csr::new(
                    renamed.row_offsets().unwrap().to_vec(),
                    renamed.columns().to_vec(),
                    renamed.weights().clone(),
                )
                .unwrap();
            }
        }
    }

    #[test]
    fn columns_are_counted() {
        let graph = csr(6, vec![(1, 3, 0), (1, 3, 0), (5, 0, 0)], |_| Weights::None);
        assert_eq!(graph.column_counts(), [1, 0, 0, 2, 0, 0]);
    }
}

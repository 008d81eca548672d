//! All distances on the CPU device: from each source by itself (Dijkstra, 1959), a source to a thread at a time. A row of distances and the
//! heap stay in a core's cache, and threads share nothing but the number of the next source.

use super::{record::MatrixInputs, width};
use crate::{
    Result,
    device::{Recording, Team},
    graph::{Csr, Weights},
};
use evenkeel_kernels::algorithm::apsp::Length;
use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Records the distances of all sources as one step.
pub(super) fn dijkstra(inputs: &MatrixInputs<'_>, csr: &Csr) -> Result<Recording> {
    let (length, csr) = (inputs.length, csr.clone());
    inputs.device.record("apsp dijkstra", |recorder| {
        recorder.label("dijkstra");
        recorder.native("apsp_dijkstra", &[inputs.words.raw()], move |team, words| match csr.weights() {
            Weights::None => all(team, &csr, length, words[0], |_, distance| distance.checked_add(1)),
            Weights::U32(weights) => {
                all(team, &csr, length, words[0], |edge, distance| distance.checked_add(weights[edge]));
            }
            Weights::F32(weights) => all(team, &csr, length, words[0], |edge, distance| {
                Some((f32::from_bits(distance) + weights[edge]).to_bits())
            }),
        });
    })
}

/// Fills the matrix. Distances are words in the order of the numbers they stand for; `along` adds an edge to one, and gives none where the
/// sum has no word.
fn all(
    team: &mut Team,
    csr: &Csr,
    length: Length,
    matrix: &[AtomicU32],
    along: impl Fn(usize, u32) -> Option<u32> + Sync,
) {
    let (unreached, stride, next) = (length.unreached(), width(csr.nodes()) as usize, AtomicU32::new(0));
    team.run(|_| {
        let mut distances = vec![unreached; csr.nodes() as usize];
        let mut heap = BinaryHeap::new();
        loop {
            let source = next.fetch_add(1, Relaxed);
            if source >= csr.nodes() {
                return;
            }
            distances.fill(unreached);
            distances[source as usize] = 0;
            heap.push(Reverse(u64::from(source)));
            while let Some(Reverse(entry)) = heap.pop() {
                let (distance, node) = ((entry >> 32) as u32, entry as u32);
                if distance > distances[node as usize] {
                    continue;
                }
                for edge in csr.row(node) {
                    let neighbour = csr.columns()[edge];
                    if let Some(sum) = along(edge, distance).filter(|sum| *sum < distances[neighbour as usize]) {
                        distances[neighbour as usize] = sum;
                        heap.push(Reverse(u64::from(sum) << 32 | u64::from(neighbour)));
                    }
                }
            }
            let row = &matrix[source as usize * stride..];
            row.iter().zip(&distances).for_each(|(word, distance)| word.store(*distance, Relaxed));
        }
    });
}

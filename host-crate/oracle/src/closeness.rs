//! Closeness centrality from a plain breadth-first search for each source.

use super::Mismatch;
use evenkeel_graph::Csr;
use std::collections::VecDeque;

/// How far a value may be off, in proportion to the right one: the last digits of a quotient.
const TOLERANCE: f64 = 1e-12;

/// Wasserman and Faust's closeness of every node, from its distances from these sources: the number of other sources with a path to it over
/// the sum of their distances, times the part of all other sources that they are.
pub fn closeness(csr: &Csr, sources: &[u32]) -> Vec<f64> {
    let nodes = csr.nodes() as usize;
    let (mut sums, mut counts) = (vec![0u64; nodes], vec![0u64; nodes]);
    let mut is_source = vec![false; nodes];
    for &source in sources {
        is_source[source as usize] = true;
        let mut distance: Vec<Option<u64>> = vec![None; nodes];
        let mut queue = VecDeque::from([(source, 0)]);
        distance[source as usize] = Some(0);
        while let Some((node, length)) = queue.pop_front() {
            for &neighbour in csr.neighbours(node) {
                if distance[neighbour as usize].is_none() {
                    distance[neighbour as usize] = Some(length + 1);
                    sums[neighbour as usize] += length + 1;
                    counts[neighbour as usize] += 1;
                    queue.push_back((neighbour, length + 1));
                }
            }
        }
    }
    let of_node = |node: usize| {
        let others = sources.len() - usize::from(is_source[node]);
        let near = counts[node] as f64;
        if sums[node] == 0 { 0.0 } else { near * near / (sums[node] as f64 * others as f64) }
    };
    (0..nodes).map(of_node).collect()
}

/// The first node whose value is another one, but for the last digits; one that is missing from either is.
pub fn first_mismatch(expected: &[f64], found: &[f64]) -> Option<Mismatch> {
    (0..expected.len().max(found.len())).find_map(|node| {
        let (expected, found) = (expected.get(node), found.get(node));
        // Written so that NaN is a mismatch.
        let right = matches!((expected, found), (Some(expected), Some(found))
            if (found - expected).abs() <= TOLERANCE * expected);
        let text = |value: Option<&f64>| value.map_or("no value".to_owned(), f64::to_string);
        (!right).then(|| Mismatch { node: node as u32, expected: text(expected), found: text(found) })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{Weights, generate::Generator};

    fn exact(csr: &Csr) -> Vec<f64> {
        closeness(csr, &(0..csr.nodes()).collect::<Vec<_>>())
    }

    #[test]
    fn closed_forms() {
        let of = |text: &str| exact(&text.parse::<Generator>().unwrap().generate().unwrap().csr);
        assert_eq!(of("complete:nodes=6"), [1.0; 6]);
        let mut star = vec![7.0 / 13.0; 8];
        star[0] = 1.0;
        assert_eq!(first_mismatch(&star, &of("star:nodes=8")), None);
        let chain = [4.0 / 10.0, 4.0 / 7.0, 4.0 / 6.0, 4.0 / 7.0, 4.0 / 10.0];
        assert_eq!(first_mismatch(&chain, &of("chain:nodes=5")), None);
    }

    #[test]
    fn paths_lead_to_the_node_and_parts_count_less() {
        // 0 → 1 → 2; 3 is alone.
        let csr = Csr::new(vec![0, 1, 2, 2, 2], vec![1, 2], Weights::None).unwrap();
        assert_eq!(first_mismatch(&[0.0, 1.0 / 3.0, 2.0 / 3.0 * 2.0 / 3.0, 0.0], &exact(&csr)), None);
        // From 0 and 2 alone: 1 is reached by one of two, 2 by the only other one, at distance 2.
        assert_eq!(first_mismatch(&[0.0, 0.5, 0.5, 0.0], &closeness(&csr, &[0, 2])), None);
        assert_eq!(first_mismatch(&[1.0], &[f64::NAN]).unwrap().node, 0);
        assert_eq!(first_mismatch(&[1.0, 2.0], &[1.0]).unwrap().node, 1);
    }
}

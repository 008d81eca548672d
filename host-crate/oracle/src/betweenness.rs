//! Betweenness centrality as Brandes (2001) has it, in double precision, and NetworkX's factors. The numbers of paths are kept as logarithms
//! would be, with an exponent of their own, because they exceed every float on large grids.

use super::Mismatch;
use evenkeel_graph::Csr;
use std::collections::VecDeque;

/// How far a value may be off, in proportion to the right one.
pub const TOLERANCE: f64 = 1e-4;

/// A positive number as a fraction below 2⁵¹² and a multiple of 512 in the exponent.
#[derive(Clone, Copy)]
struct Big(f64, i64);

impl Big {
    fn add(self, other: Self) -> Self {
        let (large, small) = if self.1 >= other.1 { (self, other) } else { (other, self) };
        let sum = match large.1 - small.1 {
            0 => large.0 + small.0,
            1 => large.0 + small.0 / 2f64.powi(512),
            _ => large.0,
        };
        if sum >= 2f64.powi(512) { Self(sum / 2f64.powi(512), large.1 + 1) } else { Self(sum, large.1) }
    }

    /// This divided by a larger or equal number.
    fn over(self, other: Self) -> f64 {
        match other.1 - self.1 {
            0 => self.0 / other.0,
            1 => self.0 / other.0 / 2f64.powi(512),
            _ => 0.0,
        }
    }
}

/// The sum over sources of what the shortest paths from each depend on each other node. Parallel edges are one.
pub fn dependencies(csr: &Csr, sources: &[u32]) -> Vec<f64> {
    let nodes = csr.nodes() as usize;
    let mut totals = vec![0.0; nodes];
    for &source in sources {
        let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); nodes];
        let mut paths = vec![Big(0.0, 0); nodes];
        let mut distance: Vec<Option<u32>> = vec![None; nodes];
        let (mut stack, mut queue) = (Vec::new(), VecDeque::from([source]));
        (paths[source as usize], distance[source as usize]) = (Big(1.0, 0), Some(0));
        while let Some(v) = queue.pop_front() {
            stack.push(v);
            let mut neighbours = csr.neighbours(v).to_vec();
            neighbours.dedup();
            let next = distance[v as usize].map(|distance| distance + 1);
            for w in neighbours {
                if distance[w as usize].is_none() {
                    distance[w as usize] = next;
                    queue.push_back(w);
                }
                if distance[w as usize] == next {
                    paths[w as usize] = paths[w as usize].add(paths[v as usize]);
                    predecessors[w as usize].push(v);
                }
            }
        }
        let mut dependency = vec![0.0; nodes];
        while let Some(w) = stack.pop() {
            for &v in &predecessors[w as usize] {
                dependency[v as usize] += paths[v as usize].over(paths[w as usize]) * (1.0 + dependency[w as usize]);
            }
            if w != source {
                totals[w as usize] += dependency[w as usize];
            }
        }
    }
    totals
}

/// Multiplies sums of dependencies as `networkx.betweenness_centrality` does, version 3.6: `sampled` are the sources where they are not all
/// nodes. A node that is the only source, for which NetworkX has no number, gets 0.
pub fn rescaled(mut totals: Vec<f64>, sampled: Option<&[u32]>, directed: bool, normalized: bool) -> Vec<f64> {
    let others = totals.len() as f64 - 1.0;
    if others < 2.0 {
        return totals;
    }
    let correction = if directed { 1.0 } else { 2.0 };
    let scale = |sources: f64| match normalized {
        true => 1.0 / (sources * (others - 1.0)),
        false => others / (sources * correction),
    };
    for (node, total) in totals.iter_mut().enumerate() {
        *total *= match sampled {
            None => scale(others),
            Some(sources) if !sources.contains(&(node as u32)) => scale(sources.len() as f64),
            Some([_]) => 0.0,
            Some(sources) => scale(sources.len() as f64 - 1.0),
        };
    }
    totals
}

/// The first node whose value is further off than [`TOLERANCE`]; one that is missing from either is.
///
/// All terms are positive, so that every value can be held to its own size. A value that is too small for single precision may be 0.
pub fn first_mismatch(expected: &[f64], found: &[f64]) -> Option<Mismatch> {
    (0..expected.len().max(found.len())).find_map(|node| {
        let (expected, found) = (expected.get(node), found.get(node));
        // Written so that NaN is a mismatch.
        let right = matches!((expected, found), (Some(expected), Some(found))
            if (found - expected).abs() <= TOLERANCE * expected + f64::from(f32::MIN_POSITIVE));
        (!right).then(|| Mismatch {
            node: node as u32,
            expected: expected.map_or("no value".to_owned(), |value| format!("{value} ± {:e}", TOLERANCE * value)),
            found: found.map_or("no value".to_owned(), f64::to_string),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{Weights, generate::Generator};

    fn exact(text: &str) -> Vec<f64> {
        let csr = text.parse::<Generator>().unwrap().generate().unwrap().csr;
        let all: Vec<u32> = (0..csr.nodes()).collect();
        rescaled(dependencies(&csr, &all), None, false, false)
    }

    fn assert_close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let close = |(found, expected): (&f64, &f64)| (found - expected).abs() <= 1e-9 * expected.max(1.0);
        assert!(found.iter().zip(expected).all(close), "{found:?}, not {expected:?}");
    }

    #[test]
    fn closed_forms() {
        // Between the k nodes before it and the n - 1 - k behind it.
        let chain: Vec<f64> = (0..9).map(|node| f64::from(node * (8 - node))).collect();
        assert_close(&exact("chain:nodes=9"), &chain);
        let mut star = vec![0.0; 12];
        star[0] = 11.0 * 10.0 / 2.0;
        assert_close(&exact("star:nodes=12"), &star);
        assert_close(&exact("complete:nodes=7"), &[0.0; 7]);
        // On a square the two paths between opposite corners share each of the other two.
        assert_close(&exact("grid:rows=2,cols=2"), &[0.5; 4]);
    }

    #[test]
    fn directed_paths_parallel_edges_and_samples() {
        // 0 → 1 twice, 1 → 2, 0 → 3 → 2.
        let csr = Csr::new(vec![0, 3, 4, 4, 5], vec![1, 1, 3, 2, 2], Weights::None).unwrap();
        let found = dependencies(&csr, &[0, 1, 2, 3]);
        assert_close(&found, &[0.0, 0.5, 0.0, 0.5]);
        assert_close(&rescaled(found.clone(), None, true, false), &found);
        assert_close(&rescaled(found.clone(), None, true, true), &[0.0, 0.5 / 6.0, 0.0, 0.5 / 6.0]);
        assert_close(&rescaled(found, Some(&[0, 1]), true, false), &[0.0, 1.5, 0.0, 0.75]);
    }

    #[test]
    fn more_paths_than_a_float_holds() {
        // Diamonds in a row: two ways through each, so the number of paths doubles with it.
        let diamonds = 1200;
        let (mut row_offsets, mut columns) = (vec![0], Vec::new());
        for diamond in 0..diamonds {
            let first = 3 * diamond;
            for row in [vec![first + 1, first + 2], vec![first + 3], vec![first + 3]] {
                columns.extend(row);
                row_offsets.push(columns.len() as u32);
            }
        }
        row_offsets.push(columns.len() as u32);
        let csr = Csr::new(row_offsets, columns, Weights::None).unwrap();
        let found = dependencies(&csr, &[0]);
        let behind = |node: u32| f64::from(3 * diamonds - node);
        for diamond in 1..diamonds {
            assert!((found[3 * diamond as usize] / behind(3 * diamond) - 1.0).abs() < 1e-12);
            // Half of the paths to all that comes behind it, and the one to the node itself ends there.
            let half = (1.0 + behind(3 * diamond + 3)) / 2.0;
            assert!((found[3 * diamond as usize + 1] / half - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn a_value_is_held_to_its_own_size() {
        let mismatch = |found: &[f64]| first_mismatch(&[4e6, 0.5, 0.0], found).map(|mismatch| mismatch.node);
        assert_eq!(mismatch(&[4e6, 0.5, 0.0]), None);
        assert_eq!(mismatch(&[4.0003e6, 0.50004, 1e-40]), None);
        assert_eq!(mismatch(&[4.0005e6, 0.5, 0.0]), Some(0));
        assert_eq!(mismatch(&[4e6, 0.5001, 0.0]), Some(1));
        assert_eq!(mismatch(&[4e6, f64::NAN, 0.0]), Some(1));
        assert_eq!(mismatch(&[4e6, 0.5]), Some(2));
    }
}

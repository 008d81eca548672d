//! PageRank in double precision, pushing each node's rank along its edges, and how close a single-precision answer must come.

use crate::graph::Csr;

/// How far a rank may be off, in proportion to the right one: what LDBC Graphalytics allows.
pub const TOLERANCE: f64 = 1e-4;

/// The ranks after some iterations. A node without edges gives its rank to all nodes alike.
pub fn ranks(csr: &Csr, damping: f64, iterations: u32) -> Vec<f64> {
    let all = f64::from(csr.nodes());
    let mut ranks = vec![1.0 / all; csr.nodes() as usize];
    for _ in 0..iterations {
        let stuck: f64 = (0..csr.nodes()).filter(|node| csr.degree(*node) == 0).map(|node| ranks[node as usize]).sum();
        let mut next = vec![(1.0 - damping + damping * stuck) / all; ranks.len()];
        for node in 0..csr.nodes() {
            for neighbour in csr.neighbours(node) {
                next[*neighbour as usize] += damping * ranks[node as usize] / f64::from(csr.degree(node));
            }
        }
        ranks = next;
    }
    ranks
}

/// The first node whose rank is further off than [`TOLERANCE`]; one that is missing from either is.
///
/// The tolerance bounds each node's error by its own rank, so a small rank must be as precise as a large one. It is far from
/// what single precision can do: a rank is at least (1 - damping) / nodes, all terms are positive, and each of some dozens of
/// roundings on the way to it is off by 6e-8.
pub fn first_mismatch(expected: &[f64], found: &[f32]) -> Option<super::Mismatch> {
    (0..expected.len().max(found.len())).find_map(|node| {
        let (expected, found) = (expected.get(node), found.get(node));
        // Written so that NaN is a mismatch.
        let right = matches!((expected, found), (Some(expected), Some(found))
            if (f64::from(*found) - expected).abs() <= TOLERANCE * expected);
        (!right).then(|| super::Mismatch {
            node: node as u32,
            expected: expected.map_or("no value".to_owned(), |rank| format!("{rank} ± {:e}", TOLERANCE * rank)),
            found: found.map_or("no value".to_owned(), f32::to_string),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Weights;

    /// 0 → 1, 0 → 2, 2 → 2; no edge leaves 1.
    fn example() -> Csr {
        Csr::new(vec![0, 2, 2, 3], vec![1, 2, 2], Weights::None).unwrap()
    }

    #[test]
    fn iterations_by_hand() {
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-15), "{found:?}");
        };
        let third = 1.0 / 3.0;
        close(ranks(&example(), 0.5, 0), [third; 3]);
        // 1/6 to each node from nowhere, 1/18 from node 1; half of what comes along edges.
        let (base, sixth) = (2.0 / 9.0, 1.0 / 6.0);
        let first = [base, base + sixth / 2.0, base + sixth / 2.0 + sixth];
        close(ranks(&example(), 0.5, 1), first);
        let base = 1.0 / 6.0 + first[1] / 6.0;
        close(ranks(&example(), 0.5, 2), [base, base + first[0] / 4.0, base + first[0] / 4.0 + first[2] / 2.0]);
        assert!((ranks(&example(), 0.85, 50).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_rank_is_held_to_its_own_size() {
        let mismatch = |found: &[f32]| first_mismatch(&[0.25, 1e-8], found).map(|mismatch| mismatch.node);
        assert_eq!(mismatch(&[0.25, 1e-8]), None);
        assert_eq!(mismatch(&[0.25001, 1.00009e-8]), None);
        assert_eq!(mismatch(&[0.25003, 1e-8]), Some(0));
        assert_eq!(mismatch(&[0.25, 1.0002e-8]), Some(1));
        assert_eq!(mismatch(&[0.25, f32::NAN]), Some(1));
        assert_eq!(mismatch(&[0.25]), Some(1));
        assert_eq!(mismatch(&[0.25, 1e-8, 0.5]), Some(2));
    }
}

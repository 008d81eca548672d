//! PageRank in double precision, pushing each node's rank along its edges, and how close a single-precision answer must come.

use evenkeel_graph::Csr;

/// How far a rank may be off, in proportion to the right one: what LDBC Graphalytics allows.
pub const TOLERANCE: f64 = 1e-4;

/// How far a rank in double precision may be off, in proportion to the right one: as much as sums in another order may differ.
pub const DOUBLE_TOLERANCE: f64 = 1e-9;

/// The ranks after some iterations. A node without edges gives its rank to all nodes alike.
pub fn ranks(csr: &Csr, damping: f64, iterations: u32) -> Vec<f64> {
    let alike = vec![1.0 / f64::from(csr.nodes()); csr.nodes() as usize];
    let last = rounds(csr, damping, &alike).take(iterations as usize).last();
    last.map_or(alike.clone(), |(ranks, _)| ranks)
}

/// The ranks after each iteration, and by how much they have changed in it, all together. They begin as `teleports`, which add up to 1; what
/// does not follow an edge goes to nodes in proportion to these, as does the rank of nodes without edges.
pub fn rounds<'a>(csr: &'a Csr, damping: f64, teleports: &'a [f64]) -> impl Iterator<Item = (Vec<f64>, f64)> + 'a {
    let mut ranks = teleports.to_vec();
    std::iter::repeat_with(move || {
        let stuck: f64 = (0..csr.nodes()).filter(|node| csr.degree(*node) == 0).map(|node| ranks[node as usize]).sum();
        let mut next: Vec<f64> = teleports.iter().map(|part| (1.0 - damping + damping * stuck) * part).collect();
        for node in 0..csr.nodes() {
            for neighbour in csr.neighbours(node) {
                next[*neighbour as usize] += damping * ranks[node as usize] / f64::from(csr.degree(node));
            }
        }
        let change = ranks.iter().zip(&next).map(|(before, after)| (after - before).abs()).sum();
        ranks.clone_from(&next);
        (next, change)
    })
}

/// The first node whose rank is further off than a tolerance allows; one that is missing from either is.
///
/// [`TOLERANCE`] bounds each node's error by its own rank, so a small rank must be as precise as a large one. It is far from
/// what single precision can do: a rank is at least (1 - damping) / nodes, all terms are positive, and each of some dozens of
/// roundings on the way to it is off by 6e-8.
pub fn first_mismatch(expected: &[f64], found: &[f64], tolerance: f64) -> Option<super::Mismatch> {
    (0..expected.len().max(found.len())).find_map(|node| {
        let (expected, found) = (expected.get(node), found.get(node));
        // Written so that NaN is a mismatch.
        let right = matches!((expected, found), (Some(expected), Some(found))
            if (found - expected).abs() <= tolerance * expected);
        (!right).then(|| super::Mismatch {
            node: node as u32,
            expected: expected.map_or("no value".to_owned(), |rank| format!("{rank} ± {:e}", tolerance * rank)),
            found: found.map_or("no value".to_owned(), f64::to_string),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::Weights;

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
    fn with_one_seed_by_hand() {
        // All begin at node 1, which is stuck and gives its rank to itself.
        assert_eq!(rounds(&example(), 0.5, &[0.0, 1.0, 0.0]).next(), Some((vec![0.0, 1.0, 0.0], 0.0)));
        // Half of all goes back to node 0, the other half to nodes 1 and 2; then half of what is at 2 stays there.
        let csr = example();
        let mut found = rounds(&csr, 0.5, &[1.0, 0.0, 0.0]);
        assert_eq!(found.next(), Some((vec![0.5, 0.25, 0.25], 1.0)));
        assert_eq!(found.next(), Some((vec![0.625, 0.125, 0.25], 0.25)));
    }

    #[test]
    fn a_rank_is_held_to_its_own_size() {
        let mismatch = |found: &[f64]| first_mismatch(&[0.25, 1e-8], found, TOLERANCE).map(|mismatch| mismatch.node);
        assert_eq!(mismatch(&[0.25, 1e-8]), None);
        assert_eq!(mismatch(&[0.25001, 1.00009e-8]), None);
        assert_eq!(mismatch(&[0.25003, 1e-8]), Some(0));
        assert_eq!(mismatch(&[0.25, 1.0002e-8]), Some(1));
        assert_eq!(mismatch(&[0.25, f64::NAN]), Some(1));
        assert_eq!(mismatch(&[0.25]), Some(1));
        assert_eq!(mismatch(&[0.25, 1e-8, 0.5]), Some(2));
    }
}

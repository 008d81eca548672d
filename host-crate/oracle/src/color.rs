//! The check of a colouring, and how many colours a sequential greedy colouring takes that begins with the largest degrees
//! (Welsh and Powell 1967): what a good one is measured by. Edges from a node to itself do not count.

use super::Mismatch;
use evenkeel_graph::Csr;
use std::{cmp::Reverse, collections::HashSet};

/// Whether every node has a colour that no neighbour has; the smaller of two neighbours with the same is named.
///
/// # Errors
/// With the first node whose colour is wrong.
pub fn check(csr: &Csr, colors: &[u32]) -> Result<(), Mismatch> {
    for node in 0..csr.nodes() {
        let Some(&color) = colors.get(node as usize) else {
            return Err(Mismatch { node, expected: "a colour".into(), found: "no value".into() });
        };
        // No more colours than nodes are ever needed, and a node without a colour has none of these.
        if color >= csr.nodes() {
            return Err(Mismatch { node, expected: "a colour".into(), found: color.to_string() });
        }
        let same = |neighbour: &&u32| **neighbour != node && colors.get(**neighbour as usize) == Some(&color);
        if csr.neighbours(node).iter().any(|neighbour| same(&neighbour)) {
            let expected = "another colour than its neighbours'".into();
            return Err(Mismatch { node, expected, found: color.to_string() });
        }
    }
    Ok(())
}

/// How many different colours there are.
pub fn count(colors: &[u32]) -> u32 {
    colors.iter().collect::<HashSet<_>>().len() as u32
}

/// The colours of a sequential greedy colouring, the largest degrees first; of the same degree, the first node.
pub fn largest_first(csr: &Csr) -> Vec<u32> {
    let mut order: Vec<u32> = (0..csr.nodes()).collect();
    order.sort_by_key(|&node| Reverse(csr.degree(node)));
    let mut colors: Vec<Option<u32>> = vec![None; csr.nodes() as usize];
    // Which node has last seen each colour around it.
    let mut seen_by: Vec<Option<u32>> = Vec::new();
    for node in order {
        for &neighbour in csr.neighbours(node) {
            if let Some(color) = colors[neighbour as usize] {
                seen_by[color as usize] = Some(node);
            }
        }
        let free = seen_by.iter().position(|seen| *seen != Some(node)).unwrap_or(seen_by.len());
        if free == seen_by.len() {
            seen_by.push(None);
        }
        colors[node as usize] = Some(free as u32);
    }
    colors.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::Weights;

    /// A triangle 0, 1, 2 with 3 behind 2; 4 alone but for an edge to itself.
    fn kite() -> Csr {
        let (row_offsets, columns) = (vec![0, 2, 4, 7, 8, 9], vec![1, 2, 0, 2, 0, 1, 3, 2, 4]);
        Csr::new(row_offsets, columns, Weights::None).unwrap()
    }

    #[test]
    fn neighbours_have_different_colours() {
        let check = |colors: &[u32]| check(&kite(), colors).map_err(|mismatch| (mismatch.node, mismatch.found));
        assert_eq!(check(&[0, 1, 2, 0, 0]), Ok(()));
        assert_eq!(check(&[0, 1, 2, 2, 0]), Err((2, "2".into())));
        assert_eq!(check(&[1, 1, 2, 0, 0]), Err((0, "1".into())));
        assert_eq!(check(&[0, 1, 2, 0]), Err((4, "no value".into())));
        assert_eq!(check(&[0, u32::MAX, 2, 0, 0]), Err((1, u32::MAX.to_string())));
    }

    #[test]
    fn largest_first_takes_three_colours_for_a_triangle() {
        assert_eq!(largest_first(&kite()), [1, 2, 0, 1, 0]);
        assert_eq!(count(&largest_first(&kite())), 3);
        assert_eq!((count(&[]), count(&[7, 7, 3])), (0, 2));
    }
}

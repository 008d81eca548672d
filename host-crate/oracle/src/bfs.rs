//! Breadth-first search with a queue, and the check of a parent tree against its depths.

use super::Mismatch;
use evenkeel_graph::Csr;
use std::collections::VecDeque;

pub use super::UNREACHABLE;

/// The number of edges on a shortest path from `source` to each node.
pub fn depths(csr: &Csr, source: u32) -> Vec<u32> {
    let mut depths = vec![UNREACHABLE; csr.nodes() as usize];
    let mut queue = VecDeque::from([source]);
    depths[source as usize] = 0;
    while let Some(node) = queue.pop_front() {
        for &neighbour in csr.neighbours(node) {
            if depths[neighbour as usize] == UNREACHABLE {
                depths[neighbour as usize] = depths[node as usize] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    depths
}

/// Whether `parents` is a breadth-first tree, or one for each source: sources and unreachable nodes have [`UNREACHABLE`], and every other node has a
/// parent one level up with an edge to it. `depths` must be right.
///
/// # Errors
/// With the first node whose parent is wrong.
pub fn check_parents(csr: &Csr, sources: &[u32], depths: &[u32], parents: &[u32]) -> Result<(), Mismatch> {
    // One pass over all edges: to search the parent's row for each node takes the square of a hub's degree.
    let mut has_edge = vec![false; csr.nodes() as usize];
    for node in 0..csr.nodes() {
        for &neighbour in csr.neighbours(node) {
            has_edge[neighbour as usize] |= parents.get(neighbour as usize) == Some(&node);
        }
    }
    for node in 0..csr.nodes() {
        let (depth, found) = (depths[node as usize], parents.get(node as usize).copied());
        let has_none = sources.contains(&node) || depth == UNREACHABLE;
        let is_above = |parent: u32| depths.get(parent as usize).is_some_and(|&above| above.wrapping_add(1) == depth);
        let is_right = match has_none {
            true => found == Some(UNREACHABLE),
            false => found.is_some_and(is_above) && has_edge[node as usize],
        };
        if !is_right {
            let expected = if has_none { "none".to_owned() } else { format!("a neighbour at depth {}", depth - 1) };
            let found = found.map_or("no value".to_owned(), |parent| parent.to_string());
            return Err(Mismatch { node, expected, found });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::Weights;

    /// 0 → 1, 0 → 2, 1 → 3, 2 → 3, 3 → 0; 4 → 3.
    fn diamond() -> Csr {
        let (row_offsets, columns) = (vec![0, 2, 3, 4, 5, 6], vec![1, 2, 3, 3, 0, 3]);
        Csr::new(row_offsets, columns, Weights::None).unwrap()
    }

    #[test]
    fn depths_of_a_diamond() {
        assert_eq!(depths(&diamond(), 0), [0, 1, 1, 2, UNREACHABLE]);
        assert_eq!(depths(&diamond(), 4), [2, 3, 3, 1, 0]);
    }

    #[test]
    fn any_shortest_tree_passes_and_nothing_else() {
        let (csr, depths) = (diamond(), depths(&diamond(), 0));
        const NONE: u32 = UNREACHABLE;
        let check = |parents: &[u32]| check_parents(&csr, &[0], &depths, parents).map_err(|mismatch| mismatch.node);
        assert_eq!(check(&[NONE, 0, 0, 1, NONE]), Ok(()));
        assert_eq!(check(&[NONE, 0, 0, 2, NONE]), Ok(()));
        assert_eq!(check(&[3, 0, 0, 1, NONE]), Err(0), "the source has none");
        assert_eq!(check(&[NONE, 2, 0, 1, NONE]), Err(1), "same level");
        assert_eq!(check(&[NONE, 0, 9, 1, NONE]), Err(2), "no such node");
        assert_eq!(check(&[NONE, 0, 0, 0, NONE]), Err(3), "no such edge");
        assert_eq!(check(&[NONE, 0, 0, NONE, NONE]), Err(3), "reachable");
        assert_eq!(check(&[NONE, 0, 0, 1, 3]), Err(4), "unreachable");
        assert_eq!(check(&[NONE, 0, 0, 1]), Err(4), "too short");
    }
}

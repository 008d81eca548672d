//! Rows in classes by their length: kernels process short rows by an invocation, longer ones by a subgroup or a workgroup, and the longest in
//! pieces. The limits belong to the kernels, whose speed decides them.

use crate::graph::Csr;
use rayon::prelude::*;

/// The nodes whose rows have more than `limit` edges, in ascending order.
pub(crate) fn long_rows(csr: &Csr, limit: u32) -> impl ParallelIterator<Item = u32> {
    (0..csr.nodes()).into_par_iter().filter(move |&node| csr.degree(node) > limit)
}

/// The pieces, of `length` edges each, of all rows that have more than `limit`: the node, and how far from the beginning of its row a piece
/// begins.
pub(crate) fn pieces(csr: &Csr, limit: u32, length: u32) -> impl ParallelIterator<Item = [u32; 2]> {
    let pieces = move |node: u32| (0..csr.degree(node).div_ceil(length)).map(move |piece| [node, piece * length]);
    long_rows(csr, limit).flat_map_iter(pieces)
}

/// The pieces of [`pieces`], each with the number of its first edge instead; for a graph whose edges 32 bits count.
pub(crate) fn pieces_by_edge(csr: &Csr, limit: u32, length: u32) -> impl ParallelIterator<Item = [u32; 2]> {
    pieces(csr, limit, length).map(|[node, begin]| [node, csr.row(node).start as u32 + begin])
}

/// All nodes ordered by class, in ascending order within each, and where the second and the third class begin. A row of the first class has at
/// most `light` edges, one of the second at most `medium`.
pub(crate) fn by_length(csr: &Csr, light: u32, medium: u32) -> (Vec<u32>, u32, u32) {
    let class = |least: u32, most: u32| {
        (0..csr.nodes()).into_par_iter().filter(move |&node| (least..=most).contains(&csr.degree(node)))
    };
    let mut nodes: Vec<u32> = class(0, light).collect();
    let second = nodes.len() as u32;
    nodes.par_extend(class(light + 1, medium));
    let third = nodes.len() as u32;
    nodes.par_extend(class(medium + 1, u32::MAX));
    (nodes, second, third)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Generator;

    #[test]
    fn classes_and_pieces_cover_all_rows_once() {
        let csr = "rmat:scale=8".parse::<Generator>().unwrap().generate().unwrap().csr;
        let (nodes, second, third) = by_length(&csr, 3, 20);
        let mut sorted = nodes.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..csr.nodes()).collect::<Vec<_>>());
        let is_in_class = |place: usize| match csr.degree(nodes[place]) {
            0..=3 => place < second as usize,
            4..=20 => (second as usize..third as usize).contains(&place),
            _ => place >= third as usize,
        };
        assert!((0..nodes.len()).all(is_in_class) && 0 < second && second < third && (third as usize) < nodes.len());
        let found: Vec<[u32; 2]> = pieces(&csr, 20, 8).collect();
        let long: Vec<u32> = long_rows(&csr, 20).collect();
        let expected = long.iter().flat_map(|&node| (0..csr.degree(node)).step_by(8).map(move |begin| [node, begin]));
        assert_eq!(found, expected.collect::<Vec<_>>());
        let by_edge = found.iter().map(|[node, begin]| [*node, csr.row(*node).start as u32 + begin]);
        assert_eq!(pieces_by_edge(&csr, 20, 8).collect::<Vec<_>>(), by_edge.collect::<Vec<_>>());
    }
}

//! Core numbers by Batagelj and Zaveršnik (2003): nodes are in buckets by their degree, and the first of the lowest bucket is taken away
//! until none is left. An edge counts whatever its direction; edges from a node to itself and parallel edges do not.

use super::triangles::neighbourhoods;
use evenkeel_graph::Csr;

/// The core number of each node.
pub fn cores(csr: &Csr) -> Vec<u32> {
    let around = neighbourhoods(csr);
    let mut degrees: Vec<usize> = around.iter().map(Vec::len).collect();
    let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); degrees.iter().max().map_or(0, |highest| highest + 1)];
    degrees.iter().enumerate().for_each(|(node, degree)| buckets[*degree].push(node));
    let mut cores: Vec<Option<u32>> = vec![None; around.len()];
    let mut level = 0;
    while level < buckets.len() {
        let Some(node) = buckets[level].pop() else {
            level += 1;
            continue;
        };
        // A node is in the bucket of each degree that it has had.
        if cores[node].is_some() || degrees[node] != level {
            continue;
        }
        cores[node] = Some(level as u32);
        for neighbour in around[node].iter().map(|neighbour| *neighbour as usize) {
            if cores[neighbour].is_none() && degrees[neighbour] > level {
                degrees[neighbour] -= 1;
                buckets[degrees[neighbour]].push(neighbour);
            }
        }
    }
    cores.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel_graph::{Weights, generate::Generator};

    fn generated(text: &str) -> Csr {
        text.parse::<Generator>().unwrap().generate().unwrap().csr
    }

    #[test]
    fn closed_forms() {
        let all = |text: &str, core: u32| {
            let csr = generated(text);
            assert_eq!(cores(&csr), vec![core; csr.nodes() as usize], "{text}");
        };
        all("complete:nodes=1", 0);
        all("complete:nodes=12", 11);
        all("grid:rows=5,cols=7", 2);
        all("star:nodes=20", 1);
        all("chain:nodes=9", 1);
        assert_eq!(cores(&Csr::new(vec![0], vec![], Weights::None).unwrap()), [0u32; 0]);
    }

    #[test]
    fn a_triangle_with_a_tail() {
        // Every edge twice, an edge from 3 to itself, and nothing at 4.
        let (row_offsets, columns) =
            (vec![0, 4, 8, 14, 17, 17], vec![1, 1, 2, 2, 0, 0, 2, 2, 0, 0, 1, 1, 3, 3, 2, 2, 3]);
        assert_eq!(cores(&Csr::new(row_offsets, columns, Weights::None).unwrap()), [2, 2, 2, 1, 0]);
    }
}

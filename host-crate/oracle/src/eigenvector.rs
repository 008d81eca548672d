//! Eigenvector centrality in double precision, pushing each node's value along its edges.

use evenkeel_graph::Csr;

/// The values after each iteration, and by how much they have changed in it, all together. They begin alike, and add up to 1.
pub fn rounds(csr: &Csr, weighted: bool) -> impl Iterator<Item = (Vec<f64>, f64)> + '_ {
    let mut values = vec![1.0 / f64::from(csr.nodes()); csr.nodes() as usize];
    std::iter::repeat_with(move || {
        let mut next = values.clone();
        for node in 0..csr.nodes() {
            for edge in csr.row(node) {
                let weight = if weighted { csr.weights().real(edge) } else { 1.0 };
                next[csr.columns()[edge] as usize] += weight * values[node as usize];
            }
        }
        let length = next.iter().map(|value| value * value).sum::<f64>().sqrt();
        next.iter_mut().for_each(|value| *value /= length);
        let change = values.iter().zip(&next).map(|(before, after)| (after - before).abs()).sum();
        values.clone_from(&next);
        (next, change)
    })
}

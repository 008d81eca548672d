//! All-pairs shortest paths by Floyd's three loops; a graph without weights weighs 1 everywhere. Whole distances are summed in 64
//! bits, real ones in double precision, in which the kernels' single-precision sums must agree but for their rounding.

use evenkeel_base::{Error, Result};
use evenkeel_graph::{Csr, Weights};

pub use super::UNREACHABLE;

/// Distances from each node to every other over whole weights, row by row.
///
/// # Errors
/// When the weights are reals, or a distance is `u32::MAX` or more.
pub fn whole(csr: &Csr) -> Result<Vec<u32>> {
    if let Weights::F32(_) = csr.weights() {
        return Err(Error::Graph("whole distances were asked of a graph with real weights".into()));
    }
    let weights: Vec<u64> = (0..csr.columns().len()).map(|edge| csr.weights().real(edge) as u64).collect();
    let far = u64::MAX / 2; // Twice that is no overflow.
    let narrow = |distance: u64| match distance {
        _ if distance == far => Ok(UNREACHABLE),
        _ if distance < u64::from(UNREACHABLE) => Ok(distance as u32),
        _ => Err(Error::Graph(format!("a distance is {distance}, more than 32 bits hold"))),
    };
    three_loops(csr, &weights, (0, far), |a, b| a + b).into_iter().map(narrow).collect()
}

/// Distances from each node to every other over real weights, row by row; whole ones are taken as reals.
///
/// # Errors
/// When a cycle is negative; the message has a node on it.
pub fn real(csr: &Csr) -> Result<Vec<f64>> {
    let weights: Vec<f64> = (0..csr.columns().len()).map(|edge| csr.weights().real(edge)).collect();
    let distances = three_loops(csr, &weights, (0.0, f64::INFINITY), |a, b| a + b);
    let nodes = csr.nodes() as usize;
    match (0..nodes).find(|node| distances[node * nodes + node] < 0.0) {
        Some(node) => Err(Error::NegativeCycle { node: node as u32, length: distances[node * nodes + node] }),
        None => Ok(distances),
    }
}

fn three_loops<D: Copy + PartialOrd>(csr: &Csr, weights: &[D], (zero, far): (D, D), add: impl Fn(D, D) -> D) -> Vec<D> {
    let nodes = csr.nodes() as usize;
    let mut distances = vec![far; nodes * nodes];
    for i in 0..nodes {
        distances[i * nodes + i] = zero;
        for edge in csr.row(i as u32) {
            let distance = &mut distances[i * nodes + csr.columns()[edge] as usize];
            *distance = if weights[edge] < *distance { weights[edge] } else { *distance };
        }
    }
    for k in 0..nodes {
        for i in 0..nodes {
            for j in 0..nodes {
                let over = add(distances[i * nodes + k], distances[k * nodes + j]);
                if over < distances[i * nodes + j] {
                    distances[i * nodes + j] = over;
                }
            }
        }
    }
    distances
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0 → 1, 0 → 2, 1 → 2, 2 → 1, 2 → 3.
    fn graph(weights: Weights) -> Csr {
        let (row_offsets, columns) = (vec![0, 2, 3, 5, 5], vec![1, 2, 2, 1, 3]);
        Csr::new(row_offsets, columns, weights).unwrap()
    }

    #[test]
    fn every_pair_has_its_distance() {
        const FAR: u32 = UNREACHABLE;
        let weighted = graph(Weights::U32(vec![9, 2, 1, 3, 10].into()));
        let expected = [0, 5, 2, 12, FAR, 0, 1, 11, FAR, 3, 0, 10, FAR, FAR, FAR, 0];
        assert_eq!(whole(&weighted).unwrap(), expected);
        let reals: Vec<f64> =
            expected.iter().map(|it| if *it == FAR { f64::INFINITY } else { f64::from(*it) }).collect();
        assert_eq!(real(&weighted).unwrap(), reals);
        let negative = graph(Weights::F32(vec![9.0, 2.0, 1.0, -0.5, -10.0].into()));
        assert_eq!(real(&negative).unwrap()[..4], [0.0, 1.5, 2.0, -8.0]);
    }

    #[test]
    fn what_cannot_be_answered_is_refused() {
        let cycle = graph(Weights::F32(vec![9.0, 2.0, 1.0, -1.5, 1.0].into()));
        assert!(real(&cycle).unwrap_err().to_string().contains("node 1"));
        let far = graph(Weights::U32(vec![1, 1, 0, 9, u32::MAX - 1].into()));
        assert!(whole(&far).unwrap_err().to_string().contains("4294967295"));
        assert!(whole(&cycle).is_err());
    }
}

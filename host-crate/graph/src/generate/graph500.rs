//! The Kronecker graph of the Graph500 benchmark, as its specification's own generator draws it: at each level first the row
//! bit, then the column bit given the row bit, the lowest bit first.
//!
//! The distribution is that of rmat with its default probabilities; the random numbers, and so the graph, are others. As there,
//! ids are shuffled, self-loops dropped and duplicates merged, which the benchmark's kernel 1 may do. The probabilities are the
//! benchmark's and cannot be set. It is not bit for bit the graph of the reference code, which has a generator of its own.

use super::{
    Family, Parts, family_settings,
    kronecker::{check_scale, shuffled, shuffled_parts},
    random::Stream,
};
use crate::Csr;
use evenkeel_base::Result;

const A: f64 = 0.57;
const B: f64 = 0.19;
const C: f64 = 0.19;

family_settings! {
    /// The family `graph500`.
    Graph500 {
        size("scale", "2^scale nodes") scale: u32 = 20,
        /// The benchmark's is 16.
        option("edge-factor", "edges drawn for each node") edge_factor: u64 = 16,
        option("seed", "another seed, another graph") seed: u64 = 0,
    }
}

impl Family for Graph500 {
    const NAME: &'static str = "graph500";
    const ABOUT: &'static str = "Kronecker graph of the Graph500 benchmark (.57, .19, .19, .05)";

    fn check(&self) -> Result<()> {
        check_scale(self.scale, self.edge_factor)
    }

    fn build(&self) -> Result<Csr> {
        shuffled(self.scale, self.edge_factor, self.seed, false, self.cell())
    }

    fn parts(&self) -> Result<Parts<'_>> {
        shuffled_parts(self.scale, self.edge_factor, self.seed, self.cell())
    }
}

impl Graph500 {
    fn cell(&self) -> impl Fn(u64) -> (u32, u32) + Sync + use<> {
        // One 64-bit number holds both draws of a level, 32 bits each.
        let steps = |probability: f64| (probability * f64::from(1u32 << 31) * 2.0) as u32;
        let row_low = steps(A + B);
        let column_low = [steps(A / (A + B)), steps(C / (1.0 - (A + B)))];
        let (stream, levels) = (Stream::GRAPH500.seeded(self.seed), self.scale);
        move |index| {
            let (mut row, mut column) = (0, 0);
            for level in 0..levels {
                let random = stream.at(index * 64 + u64::from(level));
                let row_bit = u32::from((random >> 32) as u32 >= row_low);
                let column_bit = u32::from(random as u32 >= column_low[row_bit as usize]);
                row |= row_bit << level;
                column |= column_bit << level;
            }
            (row, column)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quadrants_have_the_probabilities_of_the_benchmark() {
        let graph = Graph500 { scale: 1, ..Graph500::default() };
        let mut counts = [[0u32; 2]; 2];
        for (row, column) in (0..100_000).map(graph.cell()) {
            counts[row as usize][column as usize] += 1;
        }
        for (count, probability) in counts.as_flattened().iter().zip([A, B, C, 1.0 - A - B - C]) {
            // Five standard deviations of a fair draw.
            let allowed = 5.0 * (probability * (1.0 - probability) / 100_000.0).sqrt();
            assert!((f64::from(*count) / 100_000.0 - probability).abs() < allowed, "{counts:?}");
        }
    }
}

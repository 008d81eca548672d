//! Recursive matrix graphs (Chakrabarti, Zhan and Faloutsos, "R-MAT: a recursive model for graph mining", 2004): few nodes of very
//! high degree, many of none. Each edge finds its cell of the adjacency matrix by choosing a quadrant at every level.

use super::{
    Family, Parts, family_settings,
    kronecker::{check_scale, shuffled, shuffled_parts},
    random::{Stream, Threshold},
};
use crate::Csr;
use evenkeel_base::{Error, Result};

family_settings! {
    /// The family `rmat`.
    Rmat {
        size("scale", "2^scale nodes") scale: u32 = 20,
        /// Drawn before self-loops and duplicates go.
        option("edge-factor", "edges drawn for each node") edge_factor: u64 = 16,
        option("a", "probability of the quadrant (low, low)") a: f64 = 0.57,
        option("b", "probability of the quadrant (low, high)") b: f64 = 0.19,
        /// The quadrant (high, high) has the rest.
        option("c", "probability of the quadrant (high, low)") c: f64 = 0.19,
        option("seed", "another seed, another graph") seed: u64 = 0,
        option("directed", "true: each edge one way, as drawn") directed: bool = false,
    }
}

impl Family for Rmat {
    const NAME: &'static str = "rmat";
    const ABOUT: &'static str = "recursive matrix: very skewed degrees, ids shuffled";

    fn check(&self) -> Result<()> {
        let [a, b, c] = [self.a, self.b, self.c];
        if !([a, b, c].iter().all(|probability| (0.0..=1.0).contains(probability)) && a + b + c <= 1.0) {
            return Err(Error::Usage(format!(
                "rmat: a={a}, b={b}, c={c} are not probabilities with a sum of at most 1"
            )));
        }
        check_scale(self.scale, self.edge_factor)
    }

    fn build(&self) -> Result<Csr> {
        shuffled(self.scale, self.edge_factor, self.seed, self.directed, self.cell())
    }

    fn parts(&self) -> Result<Parts<'_>> {
        shuffled_parts(self.scale, self.edge_factor, self.seed, self.cell())
    }

    fn is_directed(&self) -> bool {
        self.directed
    }
}

impl Rmat {
    fn cell(&self) -> impl Fn(u64) -> (u32, u32) + Sync + use<> {
        let stream = Stream::RMAT.seeded(self.seed);
        let sums = [self.a, self.a + self.b, self.a + self.b + self.c];
        let [a, ab, abc] = sums.map(|sum| Threshold::new(sum).steps());
        let levels = u64::from(self.scale);
        move |index| {
            let (mut row, mut column) = (0, 0);
            for level in 0..levels {
                let random = stream.at(index * 64 + level) >> 11;
                row = row << 1 | u32::from(random >= ab);
                // No branch, which would be mispredicted at every other level: quadrants 1 and 3 are past an odd number of sums.
                column = column << 1 | u32::from((random >= a) ^ (random >= ab) ^ (random >= abc));
            }
            (row, column)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_follow_the_rule_written_with_reals() {
        let rmat = Rmat { scale: 5, ..Rmat::default() };
        let sums = [rmat.a, rmat.a + rmat.b, rmat.a + rmat.b + rmat.c];
        let cell = rmat.cell();
        for index in 0..512 {
            let (mut row, mut column) = (0, 0);
            for level in 0..5 {
                let real = (Stream::RMAT.at(64 * index + level) >> 11) as f64 * (0.5f64).powi(53);
                let quadrant = sums.iter().filter(|&&sum| real >= sum).count() as u32;
                (row, column) = (2 * row + quadrant / 2, 2 * column + quadrant % 2);
            }
            assert_eq!(cell(index), (row, column), "edge {index}");
        }
    }

    #[test]
    fn impossible_settings_are_refused() {
        assert!(Rmat { a: 0.9, ..Rmat::default() }.check().is_err());
        assert!(Rmat { b: f64::NAN, ..Rmat::default() }.check().is_err());
        assert!(Rmat { scale: 32, ..Rmat::default() }.check().is_err());
        assert!(Rmat { edge_factor: u64::MAX, ..Rmat::default() }.check().is_err());
        assert!(Rmat { scale: 31, ..Rmat::default() }.check().is_ok(), "the memory decides");
    }
}

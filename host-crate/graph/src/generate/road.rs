//! Graphs like road networks: a grid with streets removed at random and, in a few blocks, one of the two diagonals added.
//! Degrees are small, shortest paths long, and with the default settings nearly all nodes hang together. A street's
//! existence is a function of its place and the seed, so every row is made on its own.

use super::{
    Family, Parts, check_stored, family_settings,
    random::{Stream, Threshold},
};
use crate::{Csr, Weights, build::build_symmetric_rows};
use evenkeel_base::{Error, Result};
use std::ops::Range;

family_settings! {
    /// The family `road`.
    Road {
        /// Row by row in a square whose last row may be short.
        size("nodes", "number of nodes") nodes: u64 = 1 << 20,
        /// From 0.5 on the grid falls apart (bond percolation).
        option("removed", "share of the grid's streets that is missing") removed: f64 = 0.25,
        option("diagonal", "share of blocks with a diagonal street") diagonal: f64 = 0.05,
        /// Lengths are 60 to 140, diagonal ones √2 times that.
        option("lengths", "true: edges weigh their lengths") lengths: bool = false,
        option("seed", "another seed, another graph") seed: u64 = 0,
    }
}

impl Family for Road {
    const NAME: &'static str = "road";
    const ABOUT: &'static str = "grid with streets removed and diagonals added, like a road network";

    fn check(&self) -> Result<()> {
        for (key, share) in [("removed", self.removed), ("diagonal", self.diagonal)] {
            if !(0.0..=1.0).contains(&share) {
                return Err(Error::Usage(format!("road: {key}={share} is not a share between 0 and 1")));
            }
        }
        // Two streets and one diagonal start at a node at most.
        check_stored(self.nodes, self.nodes.saturating_mul(6))
    }

    fn build(&self) -> Result<Csr> {
        self.rows(0..self.nodes as u32)
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Ok(Parts::Rows(Box::new(|rows| self.rows(rows))))
    }
}

impl Road {
    fn rows(&self, rows: Range<u32>) -> Result<Csr> {
        let town = Town {
            nodes: self.nodes as u32,
            columns: (self.nodes as f64).sqrt().ceil() as u32,
            streets: Stream::STREETS.seeded(self.seed),
            kept: Threshold::new(1.0 - self.removed),
            diagonal: Threshold::new(self.diagonal),
        };
        let mut csr = build_symmetric_rows(town.nodes, rows, |node| town.neighbours(node))?;
        if self.lengths {
            let lengths = Stream::LENGTHS.seeded(self.seed);
            let weights = csr.map_edges(|node, neighbour| town.length(lengths, node, neighbour))?;
            csr = csr.with_weights(Weights::U32(weights.into()))?;
        }
        Ok(csr)
    }
}

// Directions of streets, and of diagonals: from the upper left to the lower right, and from the lower left to the upper right.
const RIGHT: u64 = 0;
const DOWN: u64 = 1;
const FALLING: u64 = 0;
const RISING: u64 = 1;

struct Town {
    nodes: u32,
    columns: u32,
    streets: Stream,
    kept: Threshold,
    diagonal: Threshold,
}

impl Town {
    /// The neighbours of a node, ascending. What joins two nodes is asked of the one further up or left, or, for a diagonal, of
    /// the upper left corner of its block.
    fn neighbours(&self, node: u32) -> impl Iterator<Item = u32> {
        let (row, column) = (node / self.columns, node % self.columns);
        let (up, left, right) = (row > 0, column > 0, column + 1 < self.columns);
        let columns = self.columns;
        // Written so that nothing is computed of a neighbour beyond the edge of the grid.
        let above = [
            (up && left).then(|| node - columns - 1).filter(|&corner| self.has_diagonal(corner, FALLING)),
            up.then(|| node - columns).filter(|&above| self.has_street(above, DOWN)),
            (up && right)
                .then(|| node - columns)
                .filter(|&corner| self.has_diagonal(corner, RISING))
                .map(|end| end + 1),
            left.then(|| node - 1).filter(|&left| self.has_street(left, RIGHT)),
        ];
        let (here, below) = (u64::from(node), u64::from(node) + u64::from(columns));
        let below = [
            (right && self.has_street(node, RIGHT)).then(|| here + 1),
            (left && self.has_diagonal(node.wrapping_sub(1), RISING)).then(|| below - 1),
            self.has_street(node, DOWN).then_some(below),
            (right && self.has_diagonal(node, FALLING)).then(|| below + 1),
        ];
        let nodes = u64::from(self.nodes);
        let below = below.into_iter().flatten().filter(move |&neighbour| neighbour < nodes).map(|node| node as u32);
        above.into_iter().flatten().chain(below)
    }

    /// Whether a street leads to the next node in this direction.
    fn has_street(&self, node: u32, direction: u64) -> bool {
        self.streets.happens(u64::from(node) * 4 + direction, self.kept)
    }

    /// Whether the block with this upper left corner has this one of the two diagonals.
    fn has_diagonal(&self, corner: u32, diagonal: u64) -> bool {
        let corner = u64::from(corner) * 4;
        self.streets.happens(corner + 2, self.diagonal) && self.streets.at(corner + 3) & 1 == diagonal
    }

    fn length(&self, lengths: Stream, node: u32, neighbour: u32) -> u32 {
        let (first, second) = (node.min(neighbour), node.max(neighbour));
        let straight = 60 + (lengths.at(u64::from(first) << 32 | u64::from(second)) % 81) as u32;
        let is_diagonal =
            first / self.columns != second / self.columns && first % self.columns != second % self.columns;
        if is_diagonal { straight * 1414 / 1000 } else { straight }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_directions_of_every_street_are_there() {
        for nodes in [0, 1, 2, 3, 5, 9, 10, 1000, 12_345] {
            let road = Road { nodes, removed: 0.3, diagonal: 0.5, lengths: true, seed: nodes };
            let csr = road.build().unwrap();
            assert_eq!(u64::from(csr.nodes()), nodes);
            assert!(csr.has_symmetric_weights(), "{nodes} nodes");
            assert!((0..csr.nodes()).all(|node| csr.neighbours(node).is_sorted_by(|a, b| a < b)), "{nodes} nodes");
        }
    }

    #[test]
    fn the_shares_are_kept() {
        let nodes = 1 << 20;
        let full = Road { nodes, removed: 0.0, diagonal: 0.0, ..Road::default() }.build().unwrap();
        assert_eq!(full.edges(), 4_190_208, "a 1024 × 1024 grid");
        let half = Road { nodes, removed: 0.5, diagonal: 0.0, ..Road::default() }.build().unwrap();
        assert!((half.edges() as f64 / full.edges() as f64 - 0.5).abs() < 0.01);
        let diagonals = Road { nodes, removed: 1.0, diagonal: 1.0, ..Road::default() }.build().unwrap();
        assert_eq!(diagonals.edges(), 2 * 1023 * 1023, "one a block, never both");
    }

    #[test]
    fn lengths_are_in_their_range() {
        let csr = Road { nodes: 10_000, lengths: true, ..Road::default() }.build().unwrap();
        let Weights::U32(lengths) = csr.weights() else { panic!("no lengths") };
        assert_eq!(lengths.len(), csr.columns().len());
        assert!(lengths.iter().all(|length| (60..=197).contains(length)));
        assert!(lengths.iter().any(|&length| length > 140), "some are diagonal");
    }
}

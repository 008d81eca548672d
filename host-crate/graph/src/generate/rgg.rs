//! Random geometric graphs (Gilbert, "Random plane networks", 1961): points in the unit square, joined where they are near each other. Degrees
//! are alike and shortest paths long, as on a map. With the default radius nearly all nodes hang together, and 2^24 nodes are like
//! `rgg_n_2_24_s0` of the tenth DIMACS challenge, whose radius it is: 15.8 edges a node. Nodes are numbered by where they are, square by square.

use super::{Family, Parts, check_stored, family_settings, random::Stream};
use crate::{Csr, array::zeroed, build::build_symmetric_rows};
use evenkeel_base::{Error, Result};
use rayon::prelude::*;
use std::{f64::consts::PI, ops::Range};

family_settings! {
    /// The family `rgg`.
    RandomGeometric {
        size("nodes", "number of nodes") nodes: u64 = 1 << 20,
        /// The average degree is about π · radius² · ln(nodes).
        option("radius", "the distance below which nodes are joined, in units of √(ln(nodes)/nodes)") radius: f64 = 0.55,
        option("seed", "another seed, another graph") seed: u64 = 0,
    }
}

impl Family for RandomGeometric {
    const NAME: &'static str = "rgg";
    const ABOUT: &'static str = "random points in a square, joined to those nearby: alike degrees, long paths";

    fn check(&self) -> Result<()> {
        if !(self.radius >= 0.0 && self.radius.is_finite()) {
            return Err(Error::Usage(format!("rgg: radius={} is not a distance", self.radius)));
        }
        // How many edges there are is found out when they are made; this many are expected.
        let neighbours = (PI * self.distance().powi(2)).min(1.0) * self.nodes as f64;
        check_stored(self.nodes, (self.nodes as f64 * neighbours) as u64)
    }

    fn build(&self) -> Result<Csr> {
        Points::new(self)?.rows(0..self.nodes as u32)
    }

    fn parts(&self) -> Result<Parts<'_>> {
        let points = Points::new(self)?;
        Ok(Parts::Rows(Box::new(move |rows| points.rows(rows))))
    }
}

impl RandomGeometric {
    /// The distance below which nodes are joined, in the unit square.
    fn distance(&self) -> f64 {
        let nodes = self.nodes.max(2) as f64;
        self.radius * (nodes.ln() / nodes).sqrt()
    }
}

/// Coordinates have so many bits: sums of two squares fit into 64.
const BITS: u32 = 31;

/// The side of the square in units of the coordinates.
const SIDE: f64 = (1_u64 << BITS) as f64;

/// The points, sorted by the cell of a square grid that each is in. Cells are at least as wide as the distance, so that what is near a point
/// is in its cell or in one of the eight around it.
struct Points {
    /// The coordinates of each node.
    places: Vec<[u32; 2]>,
    /// The number of cells in a row and in a column.
    columns: u64,
    /// The first node of each cell, row by row, and the number of nodes.
    cells: Vec<u32>,
    /// The square of the distance below which nodes are joined.
    square: u64,
}

impl Points {
    fn new(settings: &RandomGeometric) -> Result<Self> {
        let (nodes, stream) = (settings.nodes, Stream::POINTS.seeded(settings.seed));
        // Half as much again as a side is more than any distance, and its square has 64 bits.
        let distance = (settings.distance() * SIDE).round().min(1.5 * SIDE) as u64;
        // No more cells than nodes: most would be empty.
        let columns = ((1_u64 << BITS) / distance.max(1)).clamp(1, nodes.isqrt().max(1));
        let place = |point: u64| [2 * point, 2 * point + 1].map(|index| (stream.at(index) >> (64 - BITS)) as u32);
        let mut sorted = zeroed::<[u64; 2]>(nodes)?;
        sorted.par_iter_mut().enumerate().for_each(|(point, slot)| {
            let point = point as u64;
            *slot = [cell_of(place(point), columns), point];
        });
        sorted.par_sort_unstable();
        let mut places = zeroed::<[u32; 2]>(nodes)?;
        places.par_iter_mut().zip(&sorted).for_each(|(slot, [_, point])| *slot = place(*point));
        let mut cells = zeroed::<u32>(columns * columns + 1)?;
        cells.par_iter_mut().enumerate().for_each(|(cell, first)| {
            *first = sorted.partition_point(|[own, _]| *own < cell as u64) as u32;
        });
        Ok(Self { places, columns, cells, square: distance * distance })
    }

    fn rows(&self, rows: Range<u32>) -> Result<Csr> {
        build_symmetric_rows(self.places.len() as u32, rows, |node| self.neighbours(node))
    }

    /// The nodes near a node, ascending: in each row of cells those of up to three follow each other.
    fn neighbours(&self, node: u32) -> impl Iterator<Item = u32> {
        let own = self.places[node as usize];
        let [column, row] = own.map(|coordinate| column_of(coordinate, self.columns));
        let last = self.columns - 1;
        let nodes_of = move |row: u64| {
            let [first, end] = [column.saturating_sub(1), (column + 1).min(last) + 1];
            let cell = |column: u64| self.cells[(row * self.columns + column) as usize];
            cell(first)..cell(end)
        };
        let near = (row.saturating_sub(1)..=(row + 1).min(last)).flat_map(nodes_of);
        near.filter(move |&other| other != node && self.square_between(own, self.places[other as usize]) < self.square)
    }

    fn square_between(&self, first: [u32; 2], second: [u32; 2]) -> u64 {
        let difference = |axis: usize| u64::from(first[axis].abs_diff(second[axis]));
        difference(0).pow(2) + difference(1).pow(2)
    }
}

fn column_of(coordinate: u32, columns: u64) -> u64 {
    (u64::from(coordinate) * columns) >> BITS
}

fn cell_of([x, y]: [u32; 2], columns: u64) -> u64 {
    column_of(y, columns) * columns + column_of(x, columns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_the_points_within_the_distance() {
        for (nodes, radius) in
            [(0, 0.55), (1, 0.55), (2, 3.0), (300, 0.0), (300, 0.2), (300, 0.55), (300, 2.0), (300, 50.0)]
        {
            let family = RandomGeometric { nodes, radius, seed: 3 };
            let (points, csr) = (Points::new(&family).unwrap(), family.build().unwrap());
            assert_eq!(u64::from(csr.nodes()), nodes);
            let distance = family.distance();
            for node in 0..csr.nodes() {
                let place = |node: u32| points.places[node as usize].map(|it| f64::from(it) / SIDE);
                let is_near = |other: &u32| {
                    let ([x, y], [u, v]) = (place(node), place(*other));
                    *other != node && (x - u).hypot(y - v) < distance
                };
                let expected: Vec<u32> = (0..csr.nodes()).filter(is_near).collect();
                assert_eq!(csr.neighbours(node), expected, "node {node} of {family:?}");
            }
        }
    }

    #[test]
    fn points_are_everywhere_and_degrees_as_expected() {
        let family = RandomGeometric { nodes: 1 << 16, ..RandomGeometric::default() };
        let (points, csr) = (Points::new(&family).unwrap(), family.build().unwrap());
        let quarter = |x: bool, y: bool| {
            let is_in = |place: &&[u32; 2]| [place[0] >> 30 == 1, place[1] >> 30 == 1] == [x, y];
            points.places.iter().filter(is_in).count()
        };
        for (x, y) in [(false, false), (false, true), (true, false), (true, true)] {
            assert!((15_900..16_900).contains(&quarter(x, y)), "{}", quarter(x, y));
        }
        // 0.55² π ln(2^16) is 10.54; nodes at the border have fewer.
        let degree = csr.edges() as f64 / f64::from(csr.nodes());
        assert!((10.2..10.6).contains(&degree), "{degree}");
        assert!(csr.is_symmetric());
    }

    #[test]
    fn impossible_settings_are_refused() {
        for radius in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(RandomGeometric { radius, ..RandomGeometric::default() }.check().is_err(), "{radius}");
        }
        assert!(RandomGeometric { nodes: 1 << 32, ..RandomGeometric::default() }.check().is_err());
        assert!(RandomGeometric { nodes: 1 << 26, radius: 1e9, seed: 0 }.check().is_err(), "all to all is too much");
    }
}

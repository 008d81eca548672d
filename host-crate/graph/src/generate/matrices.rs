//! The shapes of sparse matrices that are not networks, as collections of matrices have them: meshes of finite elements, bands, dense blocks,
//! and matrices that are not square.

use super::{Family, Parts, build_drawn, check_drawn, check_stored, family_settings, random::Stream};
use crate::{Csr, Dimensions, build::build_symmetric_rows};
use evenkeel_base::{Error, Result};
use std::ops::Range;

family_settings! {
    /// The family `mesh`.
    Mesh {
        size("x", "points along the first axis, which are numbered first") x: u64 = 64,
        size("y", "points along the second axis") y: u64 = 64,
        size("z", "points along the third axis") z: u64 = 64,
        option("unknowns", "nodes at each point, as the directions of a displacement are") unknowns: u64 = 1,
    }
}

impl Family for Mesh {
    const NAME: &'static str = "mesh";
    const ABOUT: &'static str = "a box of finite elements: points joined to the 26 around them";

    fn check(&self) -> Result<()> {
        let product = |factors: &[u64]| factors.iter().fold(1, |product: u64, factor| product.saturating_mul(*factor));
        // Along an axis of n points there are 3n - 2 pairs of a point and one that is at most a step away, itself included.
        let pairs = |points: u64| points.saturating_mul(3).saturating_sub(2);
        let blocks = product(&[pairs(self.x), pairs(self.y), pairs(self.z)]);
        let nodes = product(&[self.x, self.y, self.z, self.unknowns]);
        check_stored(nodes, product(&[blocks, self.unknowns, self.unknowns]).saturating_sub(nodes))
    }

    fn build(&self) -> Result<Csr> {
        self.rows(0..self.nodes())
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Ok(Parts::Rows(Box::new(|rows| self.rows(rows))))
    }
}

impl Mesh {
    fn nodes(&self) -> u32 {
        (self.x * self.y * self.z * self.unknowns) as u32
    }

    fn rows(&self, rows: Range<u32>) -> Result<Csr> {
        let [x, y, z, unknowns] = [self.x, self.y, self.z, self.unknowns].map(|number| number as u32);
        let around = |place: u32, points: u32| place.saturating_sub(1)..(place + 2).min(points);
        build_symmetric_rows(self.nodes(), rows, |node| {
            let point = node / unknowns;
            let lines = around(point / x / y, z)
                .flat_map(move |layer| around(point / x % y, y).map(move |line| (layer * y + line) * x));
            let points = lines.flat_map(move |line| around(point % x, x).map(move |column| line + column));
            points
                .flat_map(move |point| point * unknowns..(point + 1) * unknowns)
                .filter(move |neighbour| *neighbour != node)
        })
    }
}

family_settings! {
    /// The family `band`.
    Band {
        size("nodes", "number of nodes") nodes: u64 = 1 << 20,
        size("width", "how far apart nodes are at most that are joined") width: u64 = 8,
    }
}

impl Family for Band {
    const NAME: &'static str = "band";
    const ABOUT: &'static str = "nodes joined to those of numbers nearby: a matrix with a dense band";

    fn check(&self) -> Result<()> {
        // Those at the ends have fewer neighbours.
        let width = self.width.min(self.nodes.saturating_sub(1));
        let edges = self.nodes.saturating_mul(2).saturating_sub(width + 1).saturating_mul(width);
        check_stored(self.nodes, edges)
    }

    fn build(&self) -> Result<Csr> {
        self.rows(0..self.nodes as u32)
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Ok(Parts::Rows(Box::new(|rows| self.rows(rows))))
    }
}

impl Band {
    fn rows(&self, rows: Range<u32>) -> Result<Csr> {
        let (nodes, width) = (self.nodes as u32, self.width.min(self.nodes) as u32);
        build_symmetric_rows(nodes, rows, |node| {
            let behind = node + 1..node.saturating_add(width).saturating_add(1).min(nodes);
            (node.saturating_sub(width)..node).chain(behind)
        })
    }
}

family_settings! {
    /// The family `blocks`.
    Blocks {
        size("blocks", "number of blocks") blocks: u64 = 1 << 15,
        size("size", "nodes of a block") size: u64 = 32,
    }
}

impl Family for Blocks {
    const NAME: &'static str = "blocks";
    const ABOUT: &'static str =
        "separate groups of nodes that are all joined: a matrix with dense blocks on its diagonal";

    fn check(&self) -> Result<()> {
        let nodes = self.blocks.saturating_mul(self.size);
        check_stored(nodes, nodes.saturating_mul(self.size.saturating_sub(1)))
    }

    fn build(&self) -> Result<Csr> {
        self.rows(0..self.nodes())
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Ok(Parts::Rows(Box::new(|rows| self.rows(rows))))
    }
}

impl Blocks {
    fn nodes(&self) -> u32 {
        (self.blocks * self.size) as u32
    }

    fn rows(&self, rows: Range<u32>) -> Result<Csr> {
        let size = self.size as u32;
        build_symmetric_rows(self.nodes(), rows, |node| {
            let first = node / size * size;
            (first..node).chain(node + 1..first + size)
        })
    }
}

family_settings! {
    /// The family `rectangle`.
    Rectangle {
        size("rows", "number of rows") rows: u64 = 1 << 20,
        size("columns", "number of columns") columns: u64 = 1 << 16,
        /// rows · degree entries are drawn.
        size("degree", "entries of a row") degree: u64 = 8,
        option("seed", "another seed, another matrix") seed: u64 = 0,
    }
}

impl Family for Rectangle {
    const NAME: &'static str = "rectangle";
    const ABOUT: &'static str =
        "a matrix with other numbers of rows and columns, entries drawn evenly: for products alone";

    fn check(&self) -> Result<()> {
        check_drawn(self.rows.max(self.columns), self.draws())
    }

    fn build(&self) -> Result<Csr> {
        let (columns, degree) = (self.columns, self.degree.max(1));
        let stream = Stream::RECTANGLE.seeded(self.seed);
        let entry = move |index: u64| [(index / degree) as u32, (stream.at(index) % columns) as u32];
        let csr = build_drawn(self.rows.max(columns) as u32, self.draws(), true, entry)?;
        csr.with_dimensions(Dimensions { rows: self.rows as u32, columns: columns as u32 })
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Err(Error::Usage("rectangle: a matrix that is not square is no graph, and is not made in parts".into()))
    }

    fn is_directed(&self) -> bool {
        true
    }
}

impl Rectangle {
    /// Where there are no columns, there is nothing to draw.
    fn draws(&self) -> u64 {
        if self.columns == 0 { 0 } else { self.rows.saturating_mul(self.degree) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_rows(csr: &Csr, is_joined: impl Fn(u32, u32) -> bool) {
        for node in 0..csr.nodes() {
            let expected: Vec<u32> =
                (0..csr.nodes()).filter(|other| *other != node && is_joined(node, *other)).collect();
            assert_eq!(csr.neighbours(node), expected, "node {node}");
        }
    }

    #[test]
    fn points_of_a_mesh_are_joined_to_those_around_them() {
        for (x, y, z, unknowns) in [(1, 1, 1, 1), (4, 3, 2, 1), (3, 4, 5, 2), (2, 1, 3, 3), (0, 3, 3, 1), (5, 5, 0, 2)]
        {
            let csr = Mesh { x, y, z, unknowns }.build().unwrap();
            assert_eq!(u64::from(csr.nodes()), x * y * z * unknowns);
            let place = |node: u32| {
                let point = u64::from(node) / unknowns;
                [point % x, point / x % y, point / x / y]
            };
            assert_rows(&csr, |node, other| place(node).into_iter().zip(place(other)).all(|(a, b)| a.abs_diff(b) <= 1));
        }
    }

    #[test]
    fn nodes_of_a_band_are_joined_to_those_nearby() {
        for (nodes, width) in [(0, 3), (1, 3), (10, 0), (10, 3), (10, 9), (10, 40)] {
            let csr = Band { nodes, width }.build().unwrap();
            assert_eq!(u64::from(csr.nodes()), nodes);
            assert_rows(&csr, |node, other| u64::from(node.abs_diff(other)) <= width);
        }
    }

    #[test]
    fn nodes_of_a_block_are_joined() {
        for (blocks, size) in [(0, 3), (3, 0), (5, 1), (4, 6)] {
            let csr = Blocks { blocks, size }.build().unwrap();
            assert_eq!(u64::from(csr.nodes()), blocks * size);
            assert_rows(&csr, |node, other| u64::from(node) / size == u64::from(other) / size);
        }
    }

    #[test]
    fn a_rectangle_has_its_dimensions() {
        for (rows, columns) in [(300, 20), (20, 300), (50, 50), (0, 7), (7, 0)] {
            let matrix = Rectangle { rows, columns, degree: 4, seed: 1 }.build().unwrap();
            let dimensions = Dimensions { rows: rows as u32, columns: columns as u32 };
            assert_eq!(matrix.dimensions(), dimensions);
            // Those on the diagonal and those drawn twice are left out.
            let drawn = if columns == 0 { 0 } else { rows * 4 };
            assert!(matrix.edges() <= drawn && matrix.edges() >= drawn / 2, "{dimensions:?}: {}", matrix.edges());
        }
    }

    #[test]
    fn too_large_ones_are_refused() {
        assert!(Mesh { x: 1 << 20, y: 1 << 20, z: 1, unknowns: 1 }.check().is_err());
        assert!(Mesh { x: u64::MAX, y: 2, z: 2, unknowns: 9 }.check().is_err());
        assert!(Mesh { x: 500, y: 500, z: 500, unknowns: 3 }.check().is_ok());
        assert!(Band { nodes: 1 << 31, width: 1 << 30 }.check().is_err());
        assert!(Band { nodes: 1000, width: u64::MAX }.check().is_ok());
        assert!(Blocks { blocks: 1 << 20, size: 1 << 20 }.check().is_err());
        assert!(Rectangle { rows: 1 << 40, columns: 5, degree: 1, seed: 0 }.check().is_err());
        assert!(Rectangle { rows: 1 << 31, columns: 5, degree: u64::MAX, seed: 0 }.check().is_err());
    }
}

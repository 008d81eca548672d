//! A sparse tensor of third order as a tree of compressed levels: slices of fibers of entries.

use std::collections::BTreeMap;

/// A tensor. A slice has all entries (i, j, k) of an i, also where there are none; a fiber has those of an i and a j, of which there is one.
pub struct Csf {
    /// The sizes of the three dimensions.
    pub sizes: [u32; 3],
    /// The first fiber of each slice, and the number of fibers.
    pub first_fibers: Vec<u32>,
    /// Where each fiber begins, and the number of entries.
    pub begins: Vec<u32>,
    /// The j of each entry.
    pub second: Vec<u32>,
    /// The k of each entry.
    pub third: Vec<u32>,
    /// The entries.
    pub values: Vec<f32>,
}

impl Csf {
    /// Draws so many entries, most of them in the first slices, so that slices and fibers have very different lengths.
    pub fn random(sizes: [u32; 3], entries: usize) -> Self {
        let mut random = Random(1);
        let mut drawn = BTreeMap::new();
        for _ in 0..entries {
            let [i, j, k] = sizes.map(|size| random.below(size));
            drawn.insert((i * i / sizes[0] * i / sizes[0], j * j / sizes[1], k), random.number());
        }
        let mut tensor = Self {
            sizes,
            first_fibers: vec![0],
            begins: vec![0],
            second: Vec::new(),
            third: Vec::new(),
            values: Vec::new(),
        };
        let mut last_fiber = None;
        for ((i, j, k), value) in drawn {
            if last_fiber != Some((i, j)) {
                tensor.end_fiber();
                // Slices without entries end where they begin.
                while tensor.first_fibers.len() <= i as usize {
                    tensor.first_fibers.push(tensor.fibers() as u32);
                }
            }
            last_fiber = Some((i, j));
            tensor.second.push(j);
            tensor.third.push(k);
            tensor.values.push(value);
        }
        tensor.end_fiber();
        tensor.first_fibers.resize(sizes[0] as usize + 1, tensor.fibers() as u32);
        tensor
    }

    /// Ends the fiber that the last entries are of, if there are any.
    fn end_fiber(&mut self) {
        let end = self.values.len() as u32;
        if self.begins.last() != Some(&end) {
            self.begins.push(end);
        }
    }

    /// The number of slices.
    pub fn slices(&self) -> usize {
        self.first_fibers.len() - 1
    }

    /// The number of fibers.
    pub fn fibers(&self) -> usize {
        self.begins.len() - 1
    }

    /// Where each slice begins, and the number of entries.
    pub fn slice_begins(&self) -> Vec<u32> {
        self.first_fibers.iter().map(|fiber| self.begins[*fiber as usize]).collect()
    }

    /// The most entries of a slice.
    pub fn longest(&self) -> u32 {
        self.slice_begins().windows(2).map(|slice| slice[1] - slice[0]).max().unwrap_or(0)
    }
}

/// Numbers that are the same each time (xorshift, Marsaglia 2003).
pub struct Random(pub u32);

impl Random {
    fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        self.0
    }

    /// A whole number below a bound.
    pub fn below(&mut self, bound: u32) -> u32 {
        self.next() % bound
    }

    /// A number from -1 to 1.
    pub fn number(&mut self) -> f32 {
        self.below(2001) as f32 / 1000.0 - 1.0
    }
}

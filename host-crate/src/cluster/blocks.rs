//! What blocks are made of: a few numbers that every worker needs of every other, then nodes, as a list or as a bit for each node of a
//! range, whichever is smaller.

use std::ops::Range;

/// The marks of the two forms.
const LIST: u8 = 0;
const BITS: u8 = 1;

/// A block that is being written.
#[derive(Clone, Debug, Default)]
pub struct Writer(pub Vec<u8>);

impl Writer {
    /// A block that begins with these numbers.
    pub fn with(numbers: &[u64]) -> Self {
        Self(numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
    }

    /// Adds nodes of a range, in ascending order.
    pub fn nodes(mut self, nodes: &[u32], range: &Range<u32>) -> Self {
        let bytes_of_bits = range.len().div_ceil(8);
        if 4 * nodes.len() <= bytes_of_bits {
            self.0.push(LIST);
            self.0.extend(nodes.iter().flat_map(|node| node.to_le_bytes()));
        } else {
            self.0.push(BITS);
            let begin = self.0.len();
            self.0.resize(begin + bytes_of_bits, 0);
            for node in nodes {
                let place = (node - range.start) as usize;
                self.0[begin + place / 8] |= 1 << (place % 8);
            }
        }
        self
    }

    /// Adds `count` nodes of a range, given as bits that begin with its first node.
    pub fn bits(mut self, bits: &[u8], count: u64, range: &Range<u32>) -> Self {
        let bits = &bits[..range.len().div_ceil(8)];
        if 4 * count <= bits.len() as u64 {
            let mut nodes = Vec::new();
            Reader(&[&[BITS], bits].concat()).nodes(range, |node| nodes.push(node));
            return self.nodes(&nodes, range);
        }
        self.0.push(BITS);
        self.0.extend(bits);
        self
    }
}

/// A block that is being read.
pub struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    /// The next number.
    pub fn number(&mut self) -> u64 {
        let Some((number, rest)) = self.0.split_first_chunk::<8>() else { return 0 };
        self.0 = rest;
        u64::from_le_bytes(*number)
    }

    /// Calls `visit` for each of the nodes of a range, which are the rest of the block.
    pub fn nodes(self, range: &Range<u32>, mut visit: impl FnMut(u32)) {
        match self.0.split_first() {
            Some((&LIST, list)) => {
                let node = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                // A node of another range could only be sent by mistake, and must not lead outside of an array.
                list.chunks_exact(4).map(node).filter(|node| range.contains(node)).for_each(visit);
            }
            Some((_, bits)) => {
                for (byte, &bits) in (0..).zip(bits) {
                    let mut left = bits;
                    while left != 0 {
                        let node = range.start + 8 * byte + left.trailing_zeros();
                        if node < range.end {
                            visit(node);
                        }
                        left &= left - 1;
                    }
                }
            }
            None => {}
        }
    }

    /// The most nodes that the rest of the block can have.
    pub fn most_nodes(&self) -> usize {
        match self.0.split_first() {
            Some((&LIST, list)) => list.len() / 4,
            Some((_, bits)) => 8 * bits.len(),
            None => 0,
        }
    }

    /// Sets the bits of the nodes of a range, which are the rest of the block, in a bitmap that begins with the node `first`.
    pub fn set_bits(self, range: &Range<u32>, first: u32, bitmap: &mut [u8]) {
        let place = range.start - first;
        let (begin, shift) = (place as usize / 8, place % 8);
        match self.0.split_first() {
            Some((&BITS, bits)) if bits.len() == range.len().div_ceil(8) => {
                for (place, &bits) in (begin..).zip(bits) {
                    let shifted = u16::from(bits) << shift;
                    bitmap[place] |= shifted as u8;
                    // A range that ends with the bitmap has no bit beyond.
                    if shifted > 0xff {
                        bitmap[place + 1] |= (shifted >> 8) as u8;
                    }
                }
            }
            _ => self.nodes(range, |node| bitmap[(node - first) as usize / 8] |= 1 << ((node - first) % 8)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_read_as_they_are_written_in_the_smaller_form() {
        let range = 100..1100;
        for step in [1, 3, 31, 33, 500, 5000] {
            let nodes: Vec<u32> = range.clone().step_by(step).collect();
            let Writer(block) = Writer::with(&[7, u64::MAX]).nodes(&nodes, &range);
            assert_eq!(block.len(), 17 + (4 * nodes.len()).min(125), "{step}");
            let (mut reader, mut read) = (Reader(&block), Vec::new());
            assert_eq!((reader.number(), reader.number()), (7, u64::MAX));
            reader.nodes(&range, |node| read.push(node));
            assert_eq!(read, nodes);
            let (mut own, mut all) = ([0; 125], [0; 138]);
            nodes.iter().for_each(|node| own[(node - 100) as usize / 8] |= 1 << ((node - 100) % 8));
            assert_eq!(Writer::default().bits(&own, nodes.len() as u64, &range).0, block[16..], "{step}");
            Reader(&block[16..]).set_bits(&range, 3, &mut all);
            let set = (3..1107).filter(|node| all[(node - 3) as usize / 8] >> ((node - 3) % 8) & 1 == 1);
            assert_eq!(set.collect::<Vec<u32>>(), nodes);
        }
        Reader(&Writer::default().nodes(&[], &(5..5)).0).nodes(&(5..5), |_| panic!("there is none"));
    }
}

//! The chunks of PageRank's matrix in as many buffers as the device needs: see [`super::blocks`] for what they are.

use std::ops::Range;

/// Bytes of a chunk.
const BYTES: u64 = size_of::<[u32; 4]>() as u64;

/// The chunks that lie in one buffer, and the parts that they are in.
#[derive(Debug, PartialEq, Eq)]
pub struct ChunkRange {
    pub parts: Range<u32>,
    pub chunks: Range<u32>,
}

/// Cuts chunks into ranges of at most so many bytes, and parts where a range ends. A limit that would hold no chunk is taken as one that holds
/// one.
pub fn cut(parts: &[[u32; 3]], limit_bytes: u64) -> (Vec<[u32; 3]>, Vec<ChunkRange>) {
    let most = (limit_bytes / BYTES).clamp(1, u32::MAX.into()) as u32;
    let (mut cut, mut ranges) = (Vec::with_capacity(parts.len()), Vec::<ChunkRange>::new());
    for [first, end, block] in parts {
        let mut begin = *first;
        while begin < *end {
            let stop = begin + most.min(end - begin);
            let part = cut.len() as u32;
            cut.push([begin, stop, *block]);
            match ranges.last_mut() {
                Some(range) if stop - range.chunks.start <= most => {
                    (range.parts.end, range.chunks.end) = (part + 1, stop);
                }
                _ => ranges.push(ChunkRange { parts: part..part + 1, chunks: begin..stop }),
            }
            begin = stop;
        }
    }
    (cut, ranges)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_where_a_buffer_ends() {
        let parts = [[0, 5, 0], [5, 8, 0], [8, 21, 3]];
        let (whole, ranges) = cut(&parts, 21 * BYTES);
        assert_eq!((whole.as_slice(), ranges), (parts.as_slice(), vec![ChunkRange { parts: 0..3, chunks: 0..21 }]));
        let (pieces, ranges) = cut(&parts, 8 * BYTES + 3);
        assert_eq!(pieces, [[0, 5, 0], [5, 8, 0], [8, 16, 3], [16, 21, 3]]);
        let range = |parts, chunks| ChunkRange { parts, chunks };
        assert_eq!(ranges, [range(0..2, 0..8), range(2..3, 8..16), range(3..4, 16..21)]);
        assert_eq!(cut(&parts, 0).1.len(), 21);
        assert_eq!(cut(&[], 64), (vec![], vec![]));
    }
}

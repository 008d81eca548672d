//! Names made dense: the names that occur, in ascending order of their bytes, become the nodes 0..n.
//!
//! Each piece of a file numbers the names it meets; then every thread gathers a share of the names, chosen by hash, from all
//! pieces; then all distinct names are sorted. No lock is taken, and the result does not depend on the number of threads.

use super::{
    Listing, Loaded,
    batch::{Batch, check_nodes, join},
    lines::Text,
};
use evenkeel_base::Result;
use evenkeel_graph::Names;
use evenkeel_graph::NodeIds;
use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};
use rayon::prelude::*;
use std::{
    borrow::Cow,
    hash::BuildHasher,
    str::Utf8Error,
    sync::{
        LazyLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

/// One for all pieces, so that a name has the same hash everywhere and is hashed once.
static HASHER: LazyLock<DefaultHashBuilder> = LazyLock::new(DefaultHashBuilder::default);

/// The names in a piece of a file, numbered as they occur.
#[derive(Default)]
pub(super) struct PieceNames<'a> {
    names: Vec<Cow<'a, [u8]>>,
    hashes: Vec<u64>,
    /// The numbers of the names, found by their hashes.
    numbers: HashTable<u32>,
}

impl<'a> PieceNames<'a> {
    /// The number of a name, which has to be UTF-8.
    #[inline]
    pub fn number(&mut self, name: Cow<'a, [u8]>) -> Result<u32, Utf8Error> {
        let Self { names, hashes, numbers } = self;
        let hash = HASHER.hash_one(&*name);
        let is_same = |number: &u32| hashes[*number as usize] == hash && names[*number as usize] == name;
        match numbers.entry(hash, is_same, |number| hashes[*number as usize]) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(new) => {
                str::from_utf8(&name)?;
                let next = names.len() as u32;
                new.insert(next);
                names.push(name);
                hashes.push(hash);
                Ok(next)
            }
        }
    }

    /// The number of a name that has one, for callers that would have to copy the name.
    #[inline]
    pub fn known(&self, name: &[u8]) -> Option<u32> {
        let hash = HASHER.hash_one(name);
        let is_same = |number: &u32| self.hashes[*number as usize] == hash && *self.names[*number as usize] == *name;
        self.numbers.find(hash, is_same).copied()
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The name with a number.
    pub fn name(&self, number: u32) -> Option<&[u8]> {
        self.names.get(number as usize).map(|name| &**name)
    }
}

/// A piece's names; of each, which share of all names it belongs to, and its place there.
struct Piece<'a> {
    names: PieceNames<'a>,
    shares: Vec<u8>,
    places: Vec<AtomicU32>,
}

/// Makes a graph of edges between names: each piece's edges lead from and to the numbers of its names. All names are nodes.
pub(super) fn load(text: Text<'_>, pieces: Vec<(PieceNames<'_>, Batch<u32>)>, listing: Listing) -> Result<Loaded> {
    // At most 256, so that a byte tells the share; a few for each thread, so that all are busy to the end.
    let shares = (4 * rayon::current_num_threads()).next_power_of_two().min(256);
    let (names, batches): (Vec<_>, Vec<_>) = pieces.into_iter().unzip();
    let pieces: Vec<Piece<'_>> = names
        .into_par_iter()
        .map(|names| {
            // Not the bits by which a table finds an entry: those of a share would all be the same.
            let shares = names.hashes.iter().map(|hash| ((hash >> 32) as usize % shares) as u8).collect();
            let places = names.hashes.iter().map(|_| AtomicU32::new(0)).collect();
            Piece { names, shares, places }
        })
        .collect();
    let distinct: Vec<Vec<&[u8]>> = (0..shares).into_par_iter().map(|share| gather(&pieces, share as u8)).collect();
    check_nodes(text, distinct.iter().map(|names| names.len() as u64).sum())?;
    let before: Vec<u32> =
        distinct.iter().scan(0, |sum, names| Some(std::mem::replace(sum, *sum + names.len() as u32))).collect();
    let distinct = distinct.concat();
    let (names, node_of) = sort(text, &distinct)?;
    let batches = batches.into_par_iter().zip(&pieces).map(|(batch, piece)| {
        let node = |number: &u32| {
            let place = piece.places[*number as usize].load(Relaxed);
            node_of[(before[usize::from(piece.shares[*number as usize])] + place) as usize]
        };
        Batch {
            sources: batch.sources.iter().map(node).collect(),
            targets: batch.targets.iter().map(node).collect(),
            ..batch
        }
    });
    let edges = join(batches.collect())?;
    Ok(Loaded::edges(text, distinct.len() as u32, edges, NodeIds::Named(names), listing))
}

/// The distinct names of a share, in the order in which they occur; every piece is told their places.
fn gather<'a>(pieces: &'a [Piece<'a>], share: u8) -> Vec<&'a [u8]> {
    let mut places = HashTable::<u32>::new();
    let (mut distinct, mut hashes): (Vec<&[u8]>, Vec<u64>) = (Vec::new(), Vec::new());
    for piece in pieces {
        for (number, _) in piece.shares.iter().enumerate().filter(|(_, of_name)| **of_name == share) {
            let (name, hash) = (&*piece.names.names[number], piece.names.hashes[number]);
            let is_same = |place: &u32| hashes[*place as usize] == hash && distinct[*place as usize] == name;
            let place = match places.entry(hash, is_same, |place| hashes[*place as usize]) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let next = distinct.len() as u32;
                    new.insert(next);
                    distinct.push(name);
                    hashes.push(hash);
                    next
                }
            };
            piece.places[number].store(place, Relaxed);
        }
    }
    distinct
}

/// The names in ascending order, and the node that each becomes.
fn sort(text: Text<'_>, distinct: &[&[u8]]) -> Result<(Names, Vec<u32>)> {
    // Most comparisons are decided by the eight bytes behind what all names begin with, without a look at the names.
    let common = distinct.par_iter().map(|name| common_prefix(name, distinct[0])).min().unwrap_or(0);
    let mut order: Vec<(u64, u32)> =
        distinct.par_iter().enumerate().map(|(index, name)| (leading_bytes(&name[common..]), index as u32)).collect();
    order.par_sort_unstable_by(|(a, left), (b, right)| {
        a.cmp(b).then_with(|| distinct[*left as usize].cmp(distinct[*right as usize]))
    });
    let node_of: Vec<AtomicU32> = distinct.par_iter().map(|_| AtomicU32::new(0)).collect();
    (0_u32..order.len() as u32).into_par_iter().zip(&order).for_each(|(node, (_, index))| {
        node_of[*index as usize].store(node, Relaxed);
    });
    let mut all = Vec::with_capacity(distinct.iter().map(|name| name.len()).sum());
    let mut ends = Vec::with_capacity(distinct.len());
    for (_, index) in order {
        all.extend_from_slice(distinct[index as usize]);
        ends.push(all.len() as u64);
    }
    let names = Names::checked(all.into(), ends.into()).map_err(|reason| text.error_of_file(reason))?;
    Ok((names, node_of.into_iter().map(AtomicU32::into_inner).collect()))
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    left.iter().zip(right).take_while(|(left, right)| left == right).count()
}

/// The first eight bytes as a number that orders as they do.
fn leading_bytes(bytes: &[u8]) -> u64 {
    let mut leading = [0; 8];
    let length = bytes.len().min(8);
    leading[..length].copy_from_slice(&bytes[..length]);
    u64::from_be_bytes(leading)
}

#[cfg(test)]
mod tests {
    use super::{
        super::testing::{edges, edges_of},
        *,
    };
    use evenkeel_graph::EdgeWeights;
    use std::path::Path;

    fn loaded(pieces: &[&[(&str, &str)]]) -> (Vec<String>, Vec<(u32, u32)>) {
        let text = Text { path: Path::new("test"), bytes: b"" };
        let pieces = pieces.iter().map(|piece| {
            let (mut names, mut batch) = (PieceNames::default(), Batch::new(0, EdgeWeights::None));
            for (source, target) in *piece {
                batch.sources.push(names.number(Cow::Borrowed(source.as_bytes())).unwrap());
                batch.targets.push(names.number(Cow::Borrowed(target.as_bytes())).unwrap());
            }
            (names, batch)
        });
        let parsed = edges_of(load(text, pieces.collect(), Listing::Directed).unwrap());
        let names = (0..parsed.edges.nodes).map(|node| parsed.ids.name(node).to_string()).collect();
        (names, edges(&parsed))
    }

    #[test]
    fn names_become_nodes_in_their_order_whatever_piece_they_are_in() {
        let (names, edges) = loaded(&[&[("b", "a"), ("a", "z")], &[], &[("z", "b"), ("é", "a")]]);
        assert_eq!(names, ["a", "b", "z", "é"]);
        assert_eq!(edges, [(1, 0), (0, 2), (2, 1), (3, 0)]);
    }

    #[test]
    fn names_that_begin_alike_are_ordered_by_what_follows() {
        let (names, _) =
            loaded(&[&[("user-123456789", "user-12345678")], &[("user-", "user-\0"), ("user-9", "user-")]]);
        assert_eq!(names, ["user-", "user-\0", "user-12345678", "user-123456789", "user-9"]);
    }

    #[test]
    fn what_is_not_utf8_is_refused() {
        assert!(PieceNames::default().number(Cow::Borrowed(b"\xff")).is_err());
    }

    #[test]
    fn no_names_make_no_nodes() {
        assert_eq!(loaded(&[]), (vec![], vec![]));
    }
}

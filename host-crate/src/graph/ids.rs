//! What nodes are called outside the program. Inside they are 0..n; a file may count from 1 or use any numbers it likes.

use super::Array;

/// The mapping between node indices (0..n) and a file's own ids.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeIds {
    /// Node `i` is called `i + first`: 0 for most formats, 1 for DIMACS, METIS, Matrix Market.
    Counted {
        /// The id of node 0.
        first: u64,
    },
    /// Node `i` is called `ids[i]`, ascending: formats whose ids are arbitrary (LDBC, sparse edge lists).
    Listed(Array<u64>),
}

impl NodeIds {
    /// The ids of nodes listed in ascending order without repetition: counted when they are exactly 0..n or 1..=n.
    pub fn from_ascending(ids: Vec<u64>) -> Self {
        let counts_from = |first: u64| ids.last().is_none_or(|last| *last == first + ids.len() as u64 - 1);
        match ids.first() {
            None | Some(0) if counts_from(0) => Self::Counted { first: 0 },
            Some(1) if counts_from(1) => Self::Counted { first: 1 },
            _ => Self::Listed(ids.into()),
        }
    }

    /// The id of node `index`.
    pub fn id(&self, index: u32) -> u64 {
        match self {
            Self::Counted { first } => first + u64::from(index),
            Self::Listed(ids) => ids[index as usize],
        }
    }

    /// The node with that id among `nodes` nodes, if there is one.
    pub fn index(&self, id: u64, nodes: u32) -> Option<u32> {
        let index = match self {
            Self::Counted { first } => id.checked_sub(*first)?,
            Self::Listed(ids) => ids.binary_search(&id).ok()? as u64,
        };
        (index < u64::from(nodes)).then_some(index as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_ids_are_counted_and_others_listed() {
        assert_eq!(NodeIds::from_ascending(vec![]), NodeIds::Counted { first: 0 });
        assert_eq!(NodeIds::from_ascending(vec![0, 1, 2]), NodeIds::Counted { first: 0 });
        assert_eq!(NodeIds::from_ascending(vec![1, 2, 3]), NodeIds::Counted { first: 1 });
        for sparse in [vec![0, 2], vec![1, 3], vec![2, 3], vec![0, u64::MAX]] {
            assert_eq!(NodeIds::from_ascending(sparse.clone()), NodeIds::Listed(sparse.into()));
        }
    }

    #[test]
    fn an_id_leads_to_its_index_and_back() {
        for ids in [NodeIds::Counted { first: 1 }, NodeIds::Listed(vec![3, 10, u64::MAX].into())] {
            for index in 0..3 {
                assert_eq!(ids.index(ids.id(index), 3), Some(index));
            }
            assert_eq!(ids.index(0, 3), None);
            assert_eq!(ids.index(4, 3), None);
        }
    }
}

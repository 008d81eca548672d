//! The variants to search a level: an implementation, and how it counts what it discovers. The paper's fifteen are five
//! implementations times three counts. Those with a list write the discovered down, which is a count too, and can then search
//! from the list alone.

use super::super::named::named;
use crate::{Error, Result};
use evenkeel_kernels::strategy::adaptive::VariantCode;
use std::{fmt, str::FromStr};

named! {
    /// How the work of a level is handed out. The kernels are in `strategy/adaptive.rs` of the kernels.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u32)]
    "implementation" pub enum Implementation {
        /// An invocation to each edge.
        EdgeList = VariantCode::EDGE_LIST => "edge-list",
        /// An invocation to each edge, in the order of their ends.
        ReverseEdgeList = VariantCode::REVERSE_EDGE_LIST => "reverse-edge-list",
        /// An invocation to each node, which looks whether it is in the frontier.
        VertexPush = VariantCode::VERTEX_PUSH => "vertex-push",
        /// An invocation to each node, which looks for a neighbour in the frontier.
        VertexPull = VariantCode::VERTEX_PULL => "vertex-pull",
        /// A virtual warp to as many nodes, one after the other.
        VertexPushWarp = VariantCode::VERTEX_PUSH_WARP => "vertex-push-warp",
        /// A virtual warp to each node of the listed frontier.
        ListPushWarp = VariantCode::LIST_PUSH_WARP => "list-push-warp",
        /// A subgroup to as many nodes, each of which looks for a neighbour in the frontier; long rows in pieces.
        VertexPullWarp = VariantCode::VERTEX_PULL_WARP => "vertex-pull-warp",
        /// The edges of the listed frontier, shared out evenly.
        ListPushEven = VariantCode::LIST_PUSH_EVEN => "list-push-even",
        /// One workgroup pushes from the listed frontier while that is small, and runs several levels in one dispatch.
        ListPushResident = VariantCode::LIST_PUSH_PERSISTENT => "list-push-resident",
    }
}

impl Implementation {
    /// The paper's.
    pub const TOPOLOGY_DRIVEN: [Self; 5] =
        [Self::EdgeList, Self::ReverseEdgeList, Self::VertexPush, Self::VertexPull, Self::VertexPushWarp];
    /// Those that list the frontier.
    pub const LISTED: [Self; 4] =
        [Self::ListPushWarp, Self::VertexPullWarp, Self::ListPushEven, Self::ListPushResident];

    /// What it does, in a line; empty for those that are no strategies, which only models choose.
    pub(super) const fn summary(self) -> &'static str {
        match self {
            Self::EdgeList => "an invocation to every edge of the graph, in every level",
            Self::ReverseEdgeList => "the same in the order of the edges' ends",
            Self::VertexPush => "an invocation to every node, which pushes if it is in the frontier",
            Self::VertexPull => "an invocation to every node not reached, which looks for a neighbour in the frontier",
            Self::VertexPushWarp => "vertex-push by virtual warps, which share each node's edges",
            _ => "",
        }
    }
}

named! {
    /// How the discovered are counted.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
    #[repr(u32)]
    "count" pub enum Count {
        /// One atomic addition for each.
        #[default]
        Atomic = VariantCode::ATOMIC => "atomic",
        /// A subgroup adds up first.
        Subgroup = VariantCode::SUBGROUP => "subgroup",
        /// A subgroup adds up first, then a workgroup.
        Workgroup = VariantCode::WORKGROUP => "workgroup",
        /// They are put on a list.
        List = VariantCode::LIST => "list",
    }
}

/// An implementation and a count. As text it is their two names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variant {
    /// How work is handed out.
    pub implementation: Implementation,
    /// How the discovered are counted.
    pub count: Count,
}

impl Variant {
    /// If there is such a variant.
    pub fn new(implementation: Implementation, count: Count) -> Option<Self> {
        Self::all().into_iter().find(|variant| *variant == Self { implementation, count })
    }

    /// All variants, the paper's fifteen first.
    pub fn all() -> Vec<Self> {
        Family::ALL.into_iter().flat_map(Family::variants).collect()
    }

    /// Its place among all.
    pub fn place(self) -> usize {
        match self.family() {
            Family::Fifteen => 3 * self.implementation as usize + self.count as usize,
            Family::Listed => {
                15 + Implementation::LISTED.into_iter().take_while(|it| *it != self.implementation).count()
            }
        }
    }

    /// As the device reads it.
    pub fn word(self) -> u32 {
        VariantCode::of(self.implementation as u32, self.count as u32)
    }

    /// Back from there.
    pub fn from_word(word: u32) -> Option<Self> {
        Self::all().into_iter().find(|variant| variant.word() == word)
    }

    /// Whether it goes on in the same dispatch after a level with such a frontier, when it is chosen again.
    pub fn stays(self, frontier: u32, edges: u32) -> bool {
        VariantCode::persists(self.word(), frontier, edges)
    }

    /// The family it belongs to.
    pub fn family(self) -> Family {
        if self.count == Count::List { Family::Listed } else { Family::Fifteen }
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.implementation, self.count)
    }
}

impl FromStr for Variant {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::all().into_iter().find(|variant| variant.to_string() == text).ok_or_else(|| Error::UnknownName {
            kind: "variant",
            name: text.to_owned(),
            known: Self::all().iter().map(ToString::to_string).collect(),
            hint: None,
        })
    }
}

named! {
    /// Ways that a search can switch between: a list is there for one level only if the level before wrote it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    "family" pub enum Family {
        /// The paper's.
        Fifteen => "fifteen",
        /// Those that list the frontier.
        Listed => "listed",
    }
}

impl Family {
    /// The variants in it.
    pub fn variants(self) -> Vec<Variant> {
        let variants = |implementations: &[Implementation], counts: &[Count]| {
            let pair = |implementation| counts.iter().map(move |&count| Variant { implementation, count });
            implementations.iter().copied().flat_map(pair).collect()
        };
        match self {
            Self::Fifteen => variants(&Implementation::TOPOLOGY_DRIVEN, &Count::ALL[..3]),
            Self::Listed => variants(&Implementation::LISTED, &[Count::List]),
        }
    }

    /// The variant of a first level for which the model knows none: the paper's choice, or where there is a list of the one node, the
    /// one workgroup that it needs.
    pub fn first(self) -> Variant {
        match self {
            Self::Fifteen => Variant { implementation: Implementation::EdgeList, count: Count::Atomic },
            Self::Listed => Variant { implementation: Implementation::ListPushResident, count: Count::List },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_is_a_text_and_a_word_of_its_own() {
        let variants = Variant::all();
        assert_eq!((variants.len(), Family::Fifteen.variants().len()), (19, 15));
        for (position, &variant) in variants.iter().enumerate() {
            assert_eq!(variant.to_string().parse::<Variant>().unwrap(), variant);
            assert_eq!((Variant::from_word(variant.word()), variant.place()), (Some(variant), position));
            assert_eq!(Variant::new(variant.implementation, variant.count), Some(variant));
            assert!(variants[..position].iter().all(|other| other.word() != variant.word()));
        }
        assert_eq!(Variant::new(Implementation::ListPushWarp, Count::Atomic), None);
        assert!("vertex-push list-push".parse::<Variant>().is_err());
    }
}

//! The tree of a model.

use super::{features::Feature, variant::Variant};

/// A part of a tree.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// A variant, or none where the model does not know.
    Leaf(Option<Variant>),
    /// A comparison.
    If {
        /// What is compared.
        feature: Feature,
        /// With what.
        threshold: f64,
        /// Where it goes on when the feature is at most that.
        at_most: Box<Node>,
        /// Where it goes on when it is more.
        more: Box<Node>,
    },
}

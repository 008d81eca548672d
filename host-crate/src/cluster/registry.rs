//! The algorithms that several workers can run.

use super::run::Distributed;
use crate::algorithm::{Algorithm, Bfs, Components, FrontEnd, PageRank, Sssp};

/// What is done with an algorithm that has a distributed form.
pub trait Visitor {
    /// What comes of it.
    type Output;

    /// Takes the algorithm and its distributed form.
    fn visit<A: FrontEnd>(self, form: &'static dyn Distributed<A>) -> Self::Output;
}

/// The registry: does something with the algorithm of this name, if several workers can run it.
pub fn visit<V: Visitor>(name: &str, visitor: V) -> Option<V::Output> {
    Some(match name {
        name if name == Bfs::ABOUT.name => visitor.visit::<Bfs>(&super::bfs::DistributedBfs),
        name if name == Sssp::ABOUT.name => visitor.visit::<Sssp>(&super::sssp::DistributedSssp),
        name if name == PageRank::ABOUT.name => visitor.visit::<PageRank>(&super::pagerank::DistributedPageRank),
        name if name == Components::ABOUT.name => {
            visitor.visit::<Components>(&super::components::DistributedComponents)
        }
        _ => return None,
    })
}

/// Whether several workers can run the algorithm of this name.
pub fn is_distributed(name: &str) -> bool {
    struct Nothing;

    impl Visitor for Nothing {
        type Output = ();

        fn visit<A: FrontEnd>(self, _: &'static dyn Distributed<A>) {}
    }

    visit(name, Nothing).is_some()
}

//! Uniform random graphs (Erdős and Rényi, "On random graphs I", 1959): edges between nodes drawn at random, degrees close to
//! their mean. The given degree is met before self-loops and duplicates go, of which a sparse graph has next to none.

use super::{Family, Parts, build_drawn, check_drawn, family_settings, random::Stream};
use crate::Csr;
use evenkeel_base::{Error, Result};

family_settings! {
    /// The family `er`.
    ErdosRenyi {
        size("nodes", "number of nodes") nodes: u64 = 1 << 20,
        /// nodes · degree / 2 edges are drawn.
        size("degree", "average degree") degree: f64 = 8.0,
        option("seed", "another seed, another graph") seed: u64 = 0,
        option("directed", "true: each edge one way, as drawn") directed: bool = false,
    }
}

impl ErdosRenyi {
    fn edges(&self) -> u64 {
        (self.nodes as f64 * self.degree / 2.0) as u64
    }

    fn ends(&self) -> impl Fn(u64) -> [u32; 2] + Sync + use<> {
        let (nodes, stream) = (self.nodes, Stream::ERDOS_RENYI.seeded(self.seed));
        let end = move |index| (stream.at(index) % nodes) as u32;
        move |index| [end(2 * index), end(2 * index + 1)]
    }
}

impl Family for ErdosRenyi {
    const NAME: &'static str = "er";
    const ABOUT: &'static str = "uniform random: edges between any two nodes, degrees near their mean";

    fn check(&self) -> Result<()> {
        if !(self.degree >= 0.0 && self.degree.is_finite()) {
            return Err(Error::Usage(format!("er: degree={} is not the average of anything", self.degree)));
        }
        check_drawn(self.nodes, self.edges())
    }

    fn build(&self) -> Result<Csr> {
        build_drawn(self.nodes as u32, self.edges(), self.directed, self.ends())
    }

    fn parts(&self) -> Result<Parts<'_>> {
        Ok(Parts::Drawn { nodes: self.nodes as u32, draws: self.edges(), ends: Box::new(self.ends()) })
    }

    fn is_directed(&self) -> bool {
        self.directed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_settings_are_refused() {
        for degree in [-1.0, f64::NAN, f64::INFINITY, 1e12] {
            assert!(ErdosRenyi { degree, ..ErdosRenyi::default() }.check().is_err(), "{degree}");
        }
        assert!(ErdosRenyi { nodes: 1 << 32, degree: 1.0, ..ErdosRenyi::default() }.check().is_err());
    }

    #[test]
    fn no_nodes_and_no_edges_are_graphs_too() {
        assert_eq!(ErdosRenyi { nodes: 0, ..ErdosRenyi::default() }.build().unwrap().nodes(), 0);
        let csr = ErdosRenyi { nodes: 7, degree: 0.0, ..ErdosRenyi::default() }.build().unwrap();
        assert_eq!((csr.nodes(), csr.edges()), (7, 0));
    }
}

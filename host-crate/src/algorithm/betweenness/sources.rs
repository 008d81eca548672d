//! Where the paths begin that are counted, and what their number makes of the sums.

use super::super::prelude::*;
use super::BetweennessConfig;
use crate::graph::generate::random::mix;

/// Says which nodes are sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them: the answer is exact.
    All,
    /// Some of them, which stand for all: the answer is an estimate.
    Sample,
    /// A single one, for which alone paths are counted.
    One,
}

/// The nodes at which paths begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathSources {
    /// Their numbers, in ascending order and each once.
    pub nodes: Vec<u32>,
    /// What part of all nodes they are.
    pub scope: Scope,
    /// Whether a path and its reverse are different ones.
    pub directed: bool,
}

impl PathSources {
    /// The sources that a configuration asks for.
    ///
    /// # Errors
    /// [`Error::Usage`] when the graph has no such node, or fewer nodes than are to be drawn.
    pub fn find(graph: &Graph, config: &BetweennessConfig) -> Result<Self> {
        let directed = graph.directed;
        if let Some(source) = &config.source {
            return Ok(Self { nodes: vec![source.find(graph)?], scope: Scope::One, directed });
        }
        let (nodes, scope) = drawn(graph, config.sources, config.seed)?;
        Ok(Self { nodes, scope, directed })
    }

    /// Refuses what does not suit the graph, or the memory that was planned for a single source.
    pub(super) fn check(&self, csr: &Csr, is_single: bool) -> Result<()> {
        if is_single && self.nodes.len() > 1 {
            let reason = format!("it was prepared for one source, and these are {}", self.nodes.len());
            return Err(Error::Usage(reason));
        }
        match self.nodes.iter().find(|node| **node >= csr.nodes()) {
            Some(node) => {
                Err(Error::Usage(format!("there is no node {node} to begin at: the graph has {} nodes", csr.nodes())))
            }
            None => Ok(()),
        }
    }

    /// Turns sums of dependencies into centralities, by NetworkX's factors.
    pub(super) fn scale(&self, totals: &mut [f64], normalized: bool) {
        let others = totals.len() as f64 - 1.0;
        if self.scope == Scope::One || others < 2.0 {
            return;
        }
        let pairs = if normalized { others - 1.0 } else { others.recip() * if self.directed { 1.0 } else { 2.0 } };
        let factor = |sources: f64| 1.0 / (sources * pairs);
        let count = match self.scope {
            Scope::All => others,
            _ => self.nodes.len() as f64,
        };
        let common = factor(count);
        // No path through a source begins at it, so that one fewer counts for it.
        let own = if count > 1.0 { factor(count - 1.0) } else { 0.0 };
        let sampled = if self.scope == Scope::Sample { &self.nodes[..] } else { &[] };
        for &node in sampled {
            if let Some(total) = totals.get_mut(node as usize) {
                *total *= own / common;
            }
        }
        totals.iter_mut().for_each(|total| *total *= common);
    }
}

/// Draws `count` nodes of a graph, by a seed; all of them, where there is no count.
///
/// # Errors
/// [`Error::Usage`] when it is none, or more than there are.
pub(in super::super) fn drawn(graph: &Graph, count: Option<u32>, seed: u64) -> Result<(Vec<u32>, Scope)> {
    let nodes = graph.csr.nodes();
    match count {
        Some(0) => Err(Error::Usage("at least one source is needed".into())),
        Some(count) if count > nodes => {
            Err(Error::Usage(format!("{count} sources cannot be drawn: {} has {nodes} nodes", graph.name)))
        }
        Some(count) if count < nodes => Ok((draw(nodes, count, seed), Scope::Sample)),
        _ => Ok(((0..nodes).collect(), Scope::All)),
    }
}

/// Draws `count` of `nodes` nodes: those to which the seed gives the lowest numbers, in ascending order.
fn draw(nodes: u32, count: u32, seed: u64) -> Vec<u32> {
    let stream = mix(seed);
    let mut keys: Vec<(u64, u32)> = (0..nodes).map(|node| (mix(stream.wrapping_add(node.into())), node)).collect();
    keys.select_nth_unstable(count as usize - 1);
    keys.truncate(count as usize);
    let mut drawn: Vec<u32> = keys.into_iter().map(|(_, node)| node).collect();
    drawn.sort_unstable();
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_depend_on_the_seed_alone_and_have_no_node_twice() {
        let sample = draw(1000, 64, 7);
        assert_eq!((sample.len(), &sample), (64, &draw(1000, 64, 7)));
        assert!(sample.windows(2).all(|pair| pair[0] < pair[1]) && sample[63] < 1000);
        assert_ne!(sample, draw(1000, 64, 8));
        assert_eq!(draw(5, 5, 1), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn factors_are_those_of_networkx() {
        let scaled = |nodes: &[u32], scope, directed, normalized| {
            let mut totals = vec![6.0; 4];
            PathSources { nodes: nodes.to_vec(), scope, directed }.scale(&mut totals, normalized);
            totals
        };
        assert_eq!(scaled(&[0, 1, 2, 3], Scope::All, false, false), [3.0; 4]);
        assert_eq!(scaled(&[0, 1, 2, 3], Scope::All, true, false), [6.0; 4]);
        assert_eq!(scaled(&[0, 1, 2, 3], Scope::All, true, true), [1.0; 4]);
        assert_eq!(scaled(&[1, 2], Scope::Sample, true, false), [9.0, 18.0, 18.0, 9.0]);
        assert_eq!(scaled(&[1, 2], Scope::Sample, false, true), [1.5, 3.0, 3.0, 1.5]);
        assert_eq!(scaled(&[1], Scope::Sample, true, false), [18.0, 0.0, 18.0, 18.0]);
        assert_eq!(scaled(&[1], Scope::One, false, true), [6.0; 4]);
    }
}

//! What an algorithm is on several workers, and the loop that all of them share: compute, exchange, until there is nothing more to do.
//! An algorithm's file and its line in [`super::registry`] are all there is of it here.

use super::{Cluster, share::Share};
use crate::{
    Error, Result,
    algorithm::{Algorithm, FrontEnd, Source, source::Meaning},
    device::Device,
};
use std::ops::Range;

/// What a worker computes between two exchanges. It begins with an empty block from each worker.
pub trait Step {
    /// Takes what each worker gave to this one, and returns what this one gives to each; none when all is done, which all workers find in
    /// the same round.
    ///
    /// # Errors
    /// When the device fails, or something does not fit.
    fn step(&mut self, incoming: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>>;
}

/// Computes and exchanges until all is done. Returns which of the rounds of the exchange these were.
///
/// # Errors
/// When a step fails or a worker has ended.
pub fn iterate(cluster: &mut Cluster, step: &mut dyn Step) -> Result<Range<usize>> {
    let begin = cluster.exchange().rounds.len();
    let mut incoming: Vec<Vec<u8>> = (0..cluster.workers()).map(|_| Vec::new()).collect();
    loop {
        cluster.watch().tick();
        match step.step(incoming)? {
            Some(outgoing) => incoming = cluster.round(outgoing)?,
            None => return Ok(begin..cluster.exchange().rounds.len()),
        }
    }
}

/// What came of a run.
pub struct Found<T> {
    /// The answer, on worker 0.
    pub answer: Option<T>,
    /// How many iterations there were.
    pub iterations: u32,
    /// The range of rounds of the exchange.
    pub rounds: Range<usize>,
    /// The edges that all workers together have traversed.
    pub edges: u64,
}

/// An algorithm that several workers can run together.
pub trait Distributed: Sync {
    /// The algorithm, as one worker runs it.
    type Algorithm: FrontEnd;

    /// The settings of this algorithm and of its input that several workers follow.
    fn options(&self) -> &'static [&'static str];

    /// Refuses, by [`Error::Usage`], what several workers cannot do.
    fn check(&self, config: &ConfigOf<Self>) -> Result<()>;

    /// Makes the input that the options describe, on all workers together.
    ///
    /// # Errors
    /// When the options do not suit the graph, or a worker has ended.
    fn input(
        &self,
        cluster: &mut Cluster,
        share: &Share,
        options: &<Self::Algorithm as FrontEnd>::InputOptions,
        config: &ConfigOf<Self>,
    ) -> Result<InputOf<Self>>;

    /// Makes everything ready to run, on all workers together: on this worker's device if it has one, else on the threads of the CPU. Workers of
    /// both kinds understand each other.
    ///
    /// # Errors
    /// When something does not fit, or a worker has ended.
    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        config: &'a ConfigOf<Self>,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared<Self::Algorithm> + 'a>>;
}

/// The configuration of a distributed algorithm.
type ConfigOf<D> = <<D as Distributed>::Algorithm as Algorithm>::Config;
/// The input of a distributed algorithm.
type InputOf<D> = <<D as Distributed>::Algorithm as Algorithm>::Input;

/// An algorithm that is ready to run on several workers.
pub trait Prepared<A: Algorithm> {
    /// Runs once, on all workers together.
    ///
    /// # Errors
    /// When a device fails, or a worker has ended.
    fn run(&mut self, cluster: &mut Cluster, input: &A::Input) -> Result<Found<A::Answer>>;
}

/// The error for a setting that several workers cannot follow.
pub(super) fn refuse(is_given: bool, setting: &str) -> Result<()> {
    match is_given {
        false => Ok(()),
        true => Err(Error::Usage(format!("the setting `{setting}` is for one worker: leave it out, or run on one"))),
    }
}

/// The node that a source means, on all workers together.
pub(super) fn find_source(cluster: &mut Cluster, share: &Share, source: Option<&Source>) -> Result<u32> {
    let csr = &share.graph.csr;
    let source = source.unwrap_or(&Source::MaxDegree);
    match cluster.first(|| source.meaning(&share.graph))? {
        Meaning::Node(node) => Ok(node),
        Meaning::MaxDegree => {
            let own = csr.max_degree_node().map_or([0, 0], |node| [csr.degree(node), node]);
            let all = cluster.share(&own)?;
            // The first of several with the same degree.
            let best = all.iter().max_by_key(|own| (own[0], std::cmp::Reverse(own[1])));
            Ok(best.map_or(0, |best| best[1]))
        }
        Meaning::Random(seed) => {
            let drawn: Vec<u32> = crate::algorithm::source::drawn(share.nodes(), seed).collect();
            let own = drawn.iter().position(|node| csr.degree(*node) > 0).unwrap_or(drawn.len() - 1);
            let first = cluster.share(&[own as u32])?.concat().into_iter().min().unwrap_or(0);
            Ok(drawn[first as usize])
        }
    }
}

//! The algorithms that several workers can run, without their types.

use super::{
    Cluster,
    bfs::DistributedBfs,
    components::DistributedComponents,
    pagerank::DistributedPageRank,
    run::{self, Distributed, Found},
    share::Share,
    sssp::DistributedSssp,
};
use crate::{
    Error, Result,
    algorithm::{Algorithm, Answer, FrontEnd, Setup, TypedSetup},
    device::Device,
};
use std::any::Any;

/// The registry.
const ALL: [&dyn Handle; 4] = [&DistributedBfs, &DistributedSssp, &DistributedPageRank, &DistributedComponents];

/// The algorithm of this name, if several workers can run it.
pub fn named(name: &str) -> Option<&'static dyn Handle> {
    ALL.into_iter().find(|handle| handle.name() == name)
}

/// An algorithm that several workers can run together.
pub trait Handle: Sync {
    /// The name in commands and reports.
    fn name(&self) -> &'static str;

    /// The settings of this algorithm and of its input that several workers follow.
    fn options(&self) -> &'static [&'static str];

    /// Refuses, by [`Error::Usage`], what several workers cannot do.
    fn check(&self, setup: &dyn Setup) -> Result<()>;

    /// Finds the input and makes everything ready to run, on all workers together: on this worker's device if it has one, else on the
    /// threads of the CPU.
    ///
    /// # Errors
    /// When the settings do not suit the graph, something does not fit, or a worker has ended.
    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        setup: &'a dyn Setup,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared + 'a>>;
}

/// An algorithm that is ready to run on several workers.
pub trait Prepared {
    /// The node it begins at, if it begins at one.
    fn source(&self) -> Option<u32>;

    /// Runs once, on all workers together.
    ///
    /// # Errors
    /// When a device fails, or a worker has ended.
    fn run(&mut self, cluster: &mut Cluster) -> Result<Found<Box<dyn Answer>>>;
}

impl<D: Distributed> Handle for D {
    fn name(&self) -> &'static str {
        D::Algorithm::ABOUT.name
    }

    fn options(&self) -> &'static [&'static str] {
        Distributed::options(self)
    }

    fn check(&self, setup: &dyn Setup) -> Result<()> {
        Distributed::check(self, &typed::<D>(setup)?.config)
    }

    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        setup: &'a dyn Setup,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared + 'a>> {
        let setup = typed::<D>(setup)?;
        let input = self.input(cluster, share, &setup.input, &setup.config)?;
        let prepared = Distributed::prepare(self, cluster, share, &setup.config, device)?;
        Ok(Box::new(TypedPrepared { input, prepared }))
    }
}

/// The settings with their types.
fn typed<D: Distributed>(setup: &dyn Setup) -> Result<&TypedSetup<D::Algorithm>> {
    let setup: &dyn Any = setup;
    setup.downcast_ref().ok_or_else(|| Error::Usage(format!("these are no settings of {}", D::Algorithm::ABOUT.name)))
}

struct TypedPrepared<'a, A: Algorithm> {
    input: A::Input,
    prepared: Box<dyn run::Prepared<A> + 'a>,
}

impl<A: FrontEnd> Prepared for TypedPrepared<'_, A> {
    fn source(&self) -> Option<u32> {
        A::source(&self.input)
    }

    fn run(&mut self, cluster: &mut Cluster) -> Result<Found<Box<dyn Answer>>> {
        let Found { answer, iterations, rounds, edges } = self.prepared.run(cluster, &self.input)?;
        let answer = answer.map(|answer| Box::new(answer) as Box<dyn Answer>);
        Ok(Found { answer, iterations, rounds, edges })
    }
}

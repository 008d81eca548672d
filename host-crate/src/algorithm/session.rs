//! What every prepared algorithm keeps beside its own buffers.

use crate::{Error, Result, device::MemoryPlan, engine::SharedGraph};

/// The graph that an algorithm was prepared on, the memory it takes, and whether its last run left an answer.
pub struct Session {
    graph: SharedGraph,
    memory: MemoryPlan,
    answered: bool,
}

impl Session {
    /// A session on a graph whose memory was admitted; [`Error::Graph`] when it has more edges than 32 bits count.
    pub fn new(graph: &SharedGraph) -> Result<Self> {
        graph.csr().narrow_edges()?;
        Ok(Self::any(graph))
    }

    /// The same for an algorithm that takes any number of edges.
    pub fn any(graph: &SharedGraph) -> Self {
        Self { graph: graph.clone(), memory: graph.plan(), answered: false }
    }

    /// Admits a plan to the graph's device, before anything is allocated; [`Error::Memory`] when it does not fit, and [`Error::Graph`] when
    /// the graph has more edges than 32 bits count.
    pub fn open(graph: &SharedGraph, memory: MemoryPlan) -> Result<Self> {
        graph.csr().narrow_edges()?;
        Self::open_any(graph, memory)
    }

    /// The same for an algorithm that takes any number of edges.
    pub fn open_any(graph: &SharedGraph, memory: MemoryPlan) -> Result<Self> {
        graph.device().admit(&memory)?;
        Ok(Self { graph: graph.clone(), memory, answered: false })
    }

    /// The plan.
    pub fn memory(&self) -> &MemoryPlan {
        &self.memory
    }

    /// Runs the algorithm. An earlier answer is gone from here on; there is one again when `run` succeeds.
    pub fn run<T>(&mut self, run: impl FnOnce(&SharedGraph) -> Result<T>) -> Result<T> {
        self.answered = false;
        let done = run(&self.graph)?;
        self.answered = true;
        Ok(done)
    }

    /// The graph, if the last run left an answer; [`Error::Usage`] when there was none, or it failed.
    pub fn answered(&self) -> Result<&SharedGraph> {
        match self.answered {
            true => Ok(&self.graph),
            false => Err(Error::Usage("there is no answer: the algorithm has not run, or its last run failed".into())),
        }
    }
}

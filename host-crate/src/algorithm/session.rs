//! What every prepared algorithm keeps beside its own buffers.

use crate::{Error, Result, device::MemoryPlan, engine::SharedGraph};

/// The graph that an algorithm was prepared on, the memory it takes, what was decided for it, and whether its last run left an answer.
pub struct Session {
    graph: SharedGraph,
    memory: MemoryPlan,
    method: Option<String>,
    order: Option<&'static str>,
    answered: bool,
}

impl Session {
    /// A session on a graph whose memory was admitted; [`Error::Graph`] when it has more edges than 32 bits count.
    pub fn new(graph: &SharedGraph) -> Result<Self> {
        graph.csr().narrow_edges()?;
        Ok(Self::any(graph))
    }

    /// Makes a session for an algorithm that supports more edges than 32 bits count.
    pub fn any(graph: &SharedGraph) -> Self {
        Self { graph: graph.clone(), memory: graph.plan(), method: None, order: None, answered: false }
    }

    /// Adds the method that is taken, where the one that was asked for chooses among others.
    pub fn with_method(self, method: Option<impl Into<String>>) -> Self {
        Self { method: method.map(Into::into), ..self }
    }

    /// Adds what the nodes are ordered by on the device, where they are not in the graph's own order.
    pub fn with_order(self, order: Option<&'static str>) -> Self {
        Self { order, ..self }
    }

    /// The name of the method that is taken, where the one that was asked for chooses among others.
    pub fn method(&self) -> Option<&str> {
        self.method.as_deref()
    }

    /// By what the nodes are ordered on the device, where they are not in the graph's own order.
    pub fn ordered_by(&self) -> Option<&'static str> {
        self.order
    }

    /// The device memory it takes, the graph included.
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

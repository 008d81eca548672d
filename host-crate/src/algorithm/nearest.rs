//! Traversals from the nearest of several sources: one more node, with an edge of no length to and from each of them. What begins there
//! finds the distance of every node from its nearest source, with any strategy; the edges back keep a symmetric graph symmetric, and
//! shorten nothing, because every source is at no distance anyway.

use super::{ALL_SOURCES, ManySources, prelude::*};

/// The graph that a traversal runs on.
pub(super) struct Origin {
    /// The graph, with one more node where there are several sources.
    pub graph: SharedGraph,
    /// These, where there are several.
    sources: Option<Vec<u32>>,
}

impl Origin {
    /// The graph itself, or joined with several sources.
    pub fn new(graph: &SharedGraph, sources: &ManySources) -> Result<Self> {
        if !sources.are_given() {
            return Ok(Self { graph: graph.clone(), sources: None });
        }
        let mut nodes = sources.nodes.clone();
        refuse_unfound(sources, graph.csr())?;
        nodes.sort_unstable();
        nodes.dedup();
        let graph = graph.derived("joined with the sources", || joined(graph.csr(), &nodes))?;
        Ok(Self { graph, sources: Some(sources.nodes.clone()) })
    }

    /// Whether there are several sources.
    pub fn is_joined(&self) -> bool {
        self.sources.is_some()
    }

    /// The node to begin at, and the sources that this means.
    ///
    /// # Errors
    /// [`Error::Usage`] when there are several, and a single one is asked for.
    pub fn start(&self, source: u32) -> Result<(u32, Vec<u32>)> {
        match &self.sources {
            None => Ok((source, vec![source])),
            Some(sources) if source == ALL_SOURCES => Ok((self.graph.csr().nodes() - 1, sources.clone())),
            Some(sources) => Err(Error::Usage(format!(
                "it was prepared for {} sources at once, and cannot begin at node {source} alone",
                sources.len()
            ))),
        }
    }

    /// Leaves what was found out of the node that was added, if one was.
    pub fn trim<T>(&self, values: &mut Vec<T>) {
        if self.is_joined() {
            values.pop();
        }
    }
}

/// Refuses sources that were not found in the graph.
pub(super) fn refuse_unfound(sources: &ManySources, csr: &Csr) -> Result<()> {
    if sources.nodes.is_empty() {
        return Err(Error::Usage("the sources were not found in the graph yet: see ManySources::found".into()));
    }
    match sources.nodes.iter().find(|node| **node >= csr.nodes()) {
        Some(node) => {
            Err(Error::Usage(format!("there is no node {node} to begin at: the graph has {} nodes", csr.nodes())))
        }
        None => Ok(()),
    }
}

/// The graph with one more node, and edges of no length between it and the sources, which are in ascending order.
fn joined(csr: &Csr, sources: &[u32]) -> Result<Csr> {
    let (nodes, edges) = (csr.nodes(), csr.columns().len() + 2 * sources.len());
    if nodes >= u32::MAX - 1 || u32::try_from(edges).is_err() {
        return Err(Error::Graph(format!("{nodes} nodes and {edges} edges are too many for several sources at once")));
    }
    let mut offsets = Vec::with_capacity(nodes as usize + 2);
    let mut more = 0;
    let mut left = sources.iter().peekable();
    offsets.push(0);
    for (node, end) in (0..nodes).zip(&csr.row_offsets()?[1..]) {
        more += u32::from(left.next_if(|source| **source == node).is_some());
        offsets.push(end + more);
    }
    offsets.push(edges as u32);
    let columns = spliced(csr, sources, csr.columns(), nodes, sources);
    let none = vec![0; sources.len()];
    let weights = match csr.weights() {
        Weights::None => Weights::None,
        Weights::U32(weights) => Weights::U32(spliced(csr, sources, weights, 0, &none).into()),
        Weights::F32(weights) => Weights::F32(spliced(csr, sources, weights, 0.0, &vec![0.0; sources.len()]).into()),
    };
    // SAFETY: rows of a checked graph stay as they are, and the row that is added has its own offsets and nodes.
    Ok(unsafe { Csr::from_builder(offsets.into(), columns.into(), weights) })
}

/// An array of the edges with one more element behind the row of each source, and some behind all.
fn spliced<T: Copy>(csr: &Csr, sources: &[u32], array: &[T], element: T, behind: &[T]) -> Vec<T> {
    let mut all = Vec::with_capacity(array.len() + 2 * sources.len());
    let mut begin = 0;
    for &source in sources {
        let end = csr.row(source).end;
        all.extend_from_slice(&array[begin..end]);
        all.push(element);
        begin = end;
    }
    all.extend_from_slice(&array[begin..]);
    all.extend_from_slice(behind);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_joined_with_the_sources() {
        let weights = Weights::U32(vec![7, 8, 9].into());
        let csr = Csr::new(vec![0, 2, 2, 3], vec![1, 2, 0], weights).unwrap();
        let joined = joined(&csr, &[1, 2]).unwrap();
        let expected =
            Csr::new(vec![0, 2, 3, 5, 7], vec![1, 2, 3, 0, 3, 1, 2], Weights::U32(vec![7, 8, 0, 9, 0, 0, 0].into()));
        assert_eq!(joined, expected.unwrap());
    }
}

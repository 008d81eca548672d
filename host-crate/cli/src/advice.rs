//! Advice on an answer that is right and probably not what was wanted: a search that hardly gets anywhere because a file that does
//! not say whether its edges have a direction was taken as directed.

use evenkeel::{
    algorithm::Answer,
    graph::{BuildReport, Csr, Graph, formats::DirectionSource},
    numerals::grouped,
    oracle::components::weak,
};
use rayon::prelude::*;

/// Beyond this many edges, the components are not worth the wait: they take about as long as reading the file does.
const MOST_EDGES: u64 = 1 << 26;

/// What to say of a search from `source` that reaches less than four fifths of what it would with edges taken both ways, where the file
/// leaves that open.
pub fn on_direction(graph: &Graph, built: &BuildReport, source: u32, answer: &dyn Answer) -> Option<String> {
    let assumed = built.recognised.as_ref().is_some_and(|it| it.direction == DirectionSource::Assumed);
    if !assumed || !graph.directed || graph.csr.edges() > MOST_EDGES {
        return None;
    }
    let nodes = graph.csr.nodes();
    let columns = answer.columns();
    let values = columns.first()?;
    let reached = (0..nodes as usize).into_par_iter().filter(|node| values.value(*node).is_some()).count() as u64;
    let is_far_more = |nodes: u64| 5 * reached < 4 * nodes;
    if !is_far_more(nodes.into()) {
        return None;
    }
    let both_ways = component_size(&graph.csr, source);
    is_far_more(both_ways).then(|| {
        format!(
            "{} does not say whether its edges have a direction, and they were taken one way: {} nodes of {} are reached; with \
             --undirected it would be {}",
            graph.name,
            grouped(reached),
            grouped(nodes.into()),
            grouped(both_ways)
        )
    })
}

/// What to say of a table without a column of weights to an algorithm that would read them.
pub fn on_weights(graph: &Graph, built: &BuildReport) -> Option<String> {
    let table = built.recognised.as_ref()?.table.as_ref()?;
    (table.header && table.weight.is_none() && table.columns > 2 && graph.csr.weights().is_none()).then(|| {
        format!(
            "no column of {} is called a weight, so every edge weighs 1; --columns source=…,target=…,weight=… chooses one",
            graph.name
        )
    })
}

/// How many nodes are connected with `node` when directions do not count.
fn component_size(csr: &Csr, node: u32) -> u64 {
    let components = weak(csr);
    components.par_iter().filter(|component| **component == components[node as usize]).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::Weights;

    #[test]
    fn a_component_is_what_edges_connect_in_either_direction() {
        let csr = Csr::new(vec![0, 1, 1, 3, 3, 4, 4], vec![1, 1, 3, 4], Weights::None).unwrap();
        let sizes: Vec<u64> = (0..6).map(|node| component_size(&csr, node)).collect();
        assert_eq!(sizes, [4, 4, 4, 4, 1, 1]);
    }
}

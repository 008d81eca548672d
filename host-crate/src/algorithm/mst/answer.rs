//! The edges of a spanning forest.

use super::super::prelude::*;

/// The weights of the edges of a forest.
#[derive(Clone, Debug, PartialEq)]
pub enum ForestWeights {
    /// Whole weights; 1 where the graph has none.
    Whole(Vec<u32>),
    /// Real weights.
    Real(Vec<f32>),
}

/// The edges of a spanning forest, in the order of the graph.
#[derive(Clone, Debug, PartialEq)]
pub struct SpanningForest {
    /// One end of each edge: the smaller, unless only the larger has the edge.
    pub sources: Vec<u32>,
    /// The other end of each edge.
    pub targets: Vec<u32>,
    /// The weight of each edge.
    pub weights: ForestWeights,
}

impl Answer for SpanningForest {
    fn columns(&self) -> Vec<Column<'_>> {
        let weights = match &self.weights {
            ForestWeights::Whole(weights) => Values::U32(weights.into()),
            ForestWeights::Real(weights) => Values::F32(weights.into()),
        };
        vec![
            Column::new("source", Values::Nodes((&self.sources).into())),
            Column::new("target", Values::Nodes((&self.targets).into())),
            Column::new("weight", weights),
        ]
    }
}

impl SpanningForest {
    /// The edges of a graph at places in ascending order.
    pub(super) fn of(csr: &Csr, places: &[u64]) -> Self {
        let (offsets, mut source) = (csr.offsets(), 0);
        let source_of = |place: &u64| {
            while offsets.at(source as usize + 1) as u64 <= *place {
                source += 1;
            }
            source
        };
        let sources = places.iter().map(source_of).collect();
        let targets = places.iter().map(|place| csr.columns()[*place as usize]).collect();
        let weights = match csr.weights() {
            Weights::None => ForestWeights::Whole(vec![1; places.len()]),
            Weights::U32(all) => ForestWeights::Whole(places.iter().map(|place| all[*place as usize]).collect()),
            Weights::F32(all) => ForestWeights::Real(places.iter().map(|place| all[*place as usize]).collect()),
        };
        Self { sources, targets, weights }
    }

    /// The weight of all edges: exact where weights are whole, else in double precision, added in the order of the edges.
    pub fn total(&self) -> Value {
        match &self.weights {
            ForestWeights::Whole(weights) => Value::Count(weights.iter().map(|weight| u64::from(*weight)).sum()),
            ForestWeights::Real(weights) => {
                Value::Double(weights.iter().fold(0.0, |sum, weight| sum + f64::from(*weight)))
            }
        }
    }

    /// The first edge that another forest has and this one has not, or the reverse, by the node it is an edge of.
    pub(super) fn first_difference(&self, expected: &Self) -> Option<Mismatch> {
        let edge = |forest: &Self, place: usize| {
            let (source, target) = (*forest.sources.get(place)?, *forest.targets.get(place)?);
            let columns = forest.columns();
            Some((source, format!("the edge {source} {target} of weight {}", columns[2].value(place)?)))
        };
        let most = self.sources.len().max(expected.sources.len());
        (0..most).find_map(|place| {
            let (found, expected) = (edge(self, place), edge(expected, place));
            if found == expected {
                return None;
            }
            let node = expected.as_ref().or(found.as_ref()).map_or(0, |(node, _)| *node);
            let text = |edge: Option<(u32, String)>| edge.map_or("no edge".to_owned(), |(_, text)| text);
            Some(Mismatch { node, expected: text(expected), found: text(found) })
        })
    }
}

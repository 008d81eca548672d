//! The nodes at which the walk of a personalised PageRank begins anew.

use super::super::{prelude::*, source::unquoted};
use crate::settings::NamedText;
use std::collections::BTreeMap;

/// Nodes with their weights; none where all nodes are alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seeds(BTreeMap<u32, f64>);

/// The option that names the seeds.
#[derive(Clone, Debug, Default)]
pub struct SeedOptions {
    /// Begin anew at the nodes in this file rather than anywhere: a node in each line, and a weight behind it, after a blank or a comma,
    /// unless all are alike
    pub seeds: Option<NamedText>,
}

impl Settings for SeedOptions {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "Begin anew at the nodes in this file rather than anywhere: a node in each line, and a weight behind it, after a blank \
                     or a comma, unless all are alike";
        vec![Key::contents("seeds", about, &mut self.seeds)]
    }
}

/// Refuses a weight that is negative or not finite.
fn refuse_weight(weight: f64) -> Result<()> {
    match weight >= 0.0 && weight.is_finite() {
        true => Ok(()),
        false => Err(Error::Usage(format!("{weight} is no weight of a seed: it must be finite and not negative"))),
    }
}

impl Seeds {
    /// Seeds with their weights; those of a node that is there more than once are added.
    ///
    /// # Errors
    /// [`Error::Usage`] when a weight is negative or not finite, or all are 0.
    pub fn new(seeds: impl IntoIterator<Item = (u32, f64)>) -> Result<Self> {
        let mut weights = BTreeMap::new();
        for (node, weight) in seeds {
            refuse_weight(weight)?;
            *weights.entry(node).or_insert(0.0) += weight;
        }
        let sum: f64 = weights.values().sum();
        let is_usable = weights.is_empty() || (sum > 0.0 && sum.is_finite());
        if !is_usable {
            return Err(Error::Usage(format!("the weights of the seeds add up to {sum}")));
        }
        Ok(Self(weights))
    }

    /// Reads the contents of a file with a node's name in each line, and a weight behind it where it is not 1, after a blank or a comma. A name may stand
    /// between double quotes. Empty lines and those that begin with `#` are ignored.
    ///
    /// # Errors
    /// When a line names no node of the graph or no weight; the message says which.
    pub fn read(file: &NamedText, graph: &Graph) -> Result<Self> {
        let wrong = |reason: String| Error::File { path: file.name.clone(), reason };
        let find = |name: &str| {
            let find = |name: &str| graph.ids.find(name, graph.csr.nodes());
            find(name.trim()).or_else(|| find(&unquoted(name.trim())))
        };
        let mut seeds = Vec::new();
        for (number, line) in (1..).zip(file.text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            // A name may have spaces and commas in it.
            let with_weight = || {
                let (name, weight) = line.rsplit_once(|it: char| it == ',' || it.is_whitespace())?;
                Some((find(name.trim_end().trim_end_matches(','))?, weight.parse::<f64>().ok()?))
            };
            let seed = find(line).map(|node| (node, 1.0)).or_else(with_weight);
            let wrong_line = |reason: String| Error::Line { path: file.name.clone(), line: number, reason };
            let seed = seed.ok_or_else(|| {
                wrong_line(format!("'{line}' is no node of {}, with or without a weight", graph.name))
            })?;
            refuse_weight(seed.1).map_err(|error| wrong_line(error.to_string()))?;
            seeds.push(seed);
        }
        if seeds.is_empty() {
            return Err(wrong("there is no node in it".into()));
        }
        Self::new(seeds).map_err(|error| wrong(error.to_string()))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The part of each of `nodes` nodes: together 1.
    ///
    /// # Errors
    /// [`Error::Usage`] when a seed is no node.
    pub(crate) fn parts(&self, nodes: u32) -> Result<Vec<f64>> {
        if self.is_empty() {
            return Ok(vec![1.0 / f64::from(nodes); nodes as usize]);
        }
        let mut parts = vec![0.0; nodes as usize];
        let sum: f64 = self.0.values().sum();
        for (node, weight) in &self.0 {
            let missing = || Error::Usage(format!("there is no node {node} among {nodes} to be a seed"));
            *parts.get_mut(*node as usize).ok_or_else(missing)? = weight / sum;
        }
        Ok(parts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Names, NodeIds};

    #[test]
    fn weights_are_added_and_shared_out() {
        let seeds = Seeds::new([(2, 1.0), (0, 0.5), (2, 0.5)]).unwrap();
        assert_eq!(seeds.parts(3).unwrap(), [0.25, 0.0, 0.75]);
        assert!(matches!(seeds.parts(2), Err(Error::Usage(_))));
        assert_eq!(Seeds::default().parts(4).unwrap(), [0.25; 4]);
        for wrong in [-1.0, f64::NAN, f64::INFINITY, 0.0] {
            assert!(matches!(Seeds::new([(0, wrong)]), Err(Error::Usage(_))), "{wrong}");
        }
    }

    #[test]
    fn a_file_has_names_and_weights() {
        let csr = Csr::new(vec![0, 0, 0, 0], vec![], Weights::None).unwrap();
        let ids = NodeIds::Named(Names::from_ascending(["alice", "bob", "bob 2"]));
        let graph = Graph { name: "friends".into(), csr, ids, directed: true };
        let read = |text: &str| Seeds::read(&NamedText { name: "seeds.txt".into(), text: text.to_owned() }, &graph);
        assert_eq!(read("# friends\nalice 3\n\nbob 2\n").unwrap(), Seeds::new([(0, 3.0), (2, 1.0)]).unwrap());
        assert_eq!(read("bob 2 4\r\nbob\t0.5").unwrap(), Seeds::new([(2, 4.0), (1, 0.5)]).unwrap());
        assert_eq!(
            read("alice,3\n\"bob 2\", 4\n\"bob\"").unwrap(),
            Seeds::new([(0, 3.0), (2, 4.0), (1, 1.0)]).unwrap()
        );
        for (text, reason) in [
            ("", "no node"),
            ("alice\ncarol", ":2: 'carol'"),
            ("alice x", ":1: 'alice x'"),
            ("alice\nbob -1", ":2: -1 is no weight"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(reason) && message.contains("seeds.txt"), "{message}");
        }
    }
}

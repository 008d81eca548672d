//! The strategies of spanning forests, by name.

use super::super::{Selectable, prelude::*};
use crate::{
    device::DeviceKind,
    settings::{Configurable, Key},
    strategy::About,
};
use evenkeel_kernels::algorithm::mst::{NONE, key};

/// A strategy of spanning forests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MstStrategy(Method);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    AllAtOnce,
    LightFirst,
    Auto,
}

const STRATEGIES: [(Method, &str, &str, &str); 3] = [
    (Method::AllAtOnce, "boruvka", "Borůvka", "every tree takes its lightest edge, all edges at once"),
    (
        Method::LightFirst,
        "light-first",
        "Fallin, Gonzalez, Seo and Burtscher",
        "the same with the lightest edges alone, then with what connects their trees",
    ),
    (Method::Auto, "auto", "", "light-first where a node has many edges in the mean, else boruvka"),
];

/// Where there are more edges than this for each node, most are in no tree, and it pays to take light ones first.
const MANY: u64 = 3;

/// The light edges are about as many as this for each node: enough to connect most of them.
const LIGHT: u64 = 2;

/// Edges whose weights are looked at to tell which are light.
const SAMPLES: u64 = 1024;

impl MstStrategy {
    /// Whether it is the form for CPUs on such a device.
    pub(super) fn is_native(self, device: &DeviceInfo) -> bool {
        self.0 == Method::Auto && device.kind == DeviceKind::Cpu
    }

    fn named(self) -> &'static (Method, &'static str, &'static str, &'static str) {
        STRATEGIES.iter().find(|(method, ..)| *method == self.0).unwrap_or(&STRATEGIES[2])
    }
}

/// The largest key of a light edge in a graph, or the largest number where all are taken at once, and the name of the strategy that was taken
/// where the one that was asked for chooses.
pub(super) fn threshold(strategy: &MstStrategy, csr: &Csr) -> (u32, Option<&'static str>) {
    let (edges, nodes) = (csr.edges() / 2, u64::from(csr.nodes()));
    let light_first = match strategy.0 {
        Method::AllAtOnce => false,
        Method::LightFirst => true,
        Method::Auto => edges > MANY * nodes,
    };
    let name = STRATEGIES[usize::from(light_first)].1;
    let taken = (strategy.0 == Method::Auto).then_some(name);
    let stored = csr.edges();
    let samples = SAMPLES.min(stored);
    let place = |sample: u64| (sample * stored / samples.max(1)) as usize;
    let mut keys: Vec<u32> = match csr.weights() {
        Weights::None => Vec::new(),
        Weights::U32(weights) => (0..samples).map(|sample| weights[place(sample)]).collect(),
        Weights::F32(weights) => (0..samples).map(|sample| key(weights[place(sample)].to_bits(), 1)).collect(),
    };
    keys.sort_unstable();
    let rank = (samples * LIGHT * nodes / edges.max(1)) as usize;
    // Where all sampled weights are light, so are nearly all edges.
    let threshold = keys.get(rank).copied().filter(|light| light_first && keys.last() > Some(light));
    (threshold.unwrap_or(NONE), taken)
}

impl Configurable for MstStrategy {
    fn name(&self) -> &'static str {
        self.named().1
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        Vec::new()
    }
}

impl Default for MstStrategy {
    fn default() -> Self {
        Self(Method::Auto)
    }
}

impl Selectable for MstStrategy {
    const KIND: &'static str = "strategy";
    const HELP: &'static str = "How the forest is found: a name from `evenkeel strategies mst`";
    const HEADING: &'static str = "spanning forests";

    fn all() -> Vec<Self> {
        STRATEGIES.iter().map(|(method, ..)| Self(*method)).collect()
    }

    fn about(&self) -> About {
        let (_, name, paper, summary) = *self.named();
        About::new(name, paper, summary)
    }

    fn is_counted(&self) -> bool {
        self.0 != Method::Auto
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{
        generate::Generator,
        weights::{WeightSource, assign},
    };

    fn chosen(text: &str, strategy: Method) -> (u32, Option<&'static str>) {
        let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
        assign(&mut graph, WeightSource::Random { low: 1, high: 64, seed: 0 }).unwrap();
        threshold(&MstStrategy(strategy), &graph.csr)
    }

    #[test]
    fn light_edges_come_first_where_there_are_many() {
        let (light, taken) = chosen("rmat:scale=10", Method::Auto);
        assert!((8..=18).contains(&light) && taken == Some("light-first"), "{light}");
        assert_eq!(chosen("grid:rows=30,cols=30", Method::Auto), (NONE, Some("boruvka")));
        assert_eq!(chosen("rmat:scale=10", Method::AllAtOnce), (NONE, None));
        assert_eq!(chosen("chain:nodes=9", Method::LightFirst), (NONE, None));
        let plain = "rmat:scale=8".parse::<Generator>().unwrap().generate().unwrap();
        assert_eq!(threshold(&MstStrategy(Method::LightFirst), &plain.csr).0, NONE);
    }
}

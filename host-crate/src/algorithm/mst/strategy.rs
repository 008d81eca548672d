//! The methods by which spanning forests are found.

use super::super::prelude::*;
use evenkeel_kernels::algorithm::mst::{NONE, key};

/// How a spanning forest is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Every tree takes its lightest edge, of all edges.
    AllAtOnce,
    /// Every tree takes its lightest edge, of the light ones first.
    LightFirst,
    /// By the threads of the CPU device.
    Kruskal,
    /// Whichever suits the device and the graph.
    Auto,
}

impl Methods for Method {
    const HELP: &'static str = "How the forest is found: a name from `evenkeel strategies mst`";
    const HEADING: &'static str = "spanning forests";
    const TABLE: &'static [Line<Self>] = &[
        Line::new("boruvka", "Borůvka", "every tree takes its lightest edge, all edges at once", Self::AllAtOnce),
        Line::new(
            "light-first",
            "Fallin, Gonzalez, Seo and Burtscher",
            "the same with the lightest edges alone, then with what connects their trees",
            Self::LightFirst,
        ),
        Line::on_cpu(
            "kruskal-cpu",
            "Osipov, Sanders and Singler",
            "threads sort edges, the light ones first where there are many; one joins trees along them",
            Self::Kruskal,
        ),
        Line::auto(
            "kruskal-cpu on the CPU device; else light-first where a node has many edges in the mean, or boruvka",
            Self::Auto,
        ),
    ];
}

/// Where there are more edges than this for each node, most are in no tree, and it pays to take light ones first.
const MANY: u64 = 3;

/// The light edges are about as many as this for each node: enough to connect most of them.
const LIGHT: u64 = 2;

/// Edges whose weights are looked at to tell which are light.
const SAMPLES: u64 = 1024;

impl Method {
    /// What it comes to on such a device.
    pub(super) fn choose(self, device: DeviceKind, csr: &Csr) -> Self {
        match self {
            Self::Auto if device == DeviceKind::Cpu => Self::Kruskal,
            Self::Auto if has_many_edges(csr) => Self::LightFirst,
            Self::Auto => Self::AllAtOnce,
            method => method,
        }
    }
}

/// Whether most edges are in no tree.
fn has_many_edges(csr: &Csr) -> bool {
    csr.edges() / 2 > MANY * u64::from(csr.nodes())
}

/// The largest key of a light edge in a graph, or the largest number where all are taken at once.
pub(super) fn threshold(method: Method, csr: &Csr) -> u32 {
    let (edges, nodes) = (csr.edges() / 2, u64::from(csr.nodes()));
    let light_first = match method {
        Method::AllAtOnce => false,
        Method::LightFirst => true,
        Method::Kruskal | Method::Auto => has_many_edges(csr),
    };
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
    threshold.unwrap_or(NONE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{
        generate::Generator,
        weights::{WeightSource, assign},
    };

    fn chosen(text: &str, method: Method) -> (u32, Option<&'static str>) {
        let mut graph = text.parse::<Generator>().unwrap().generate().unwrap();
        assign(&mut graph, WeightSource::Random { low: 1, high: 64, seed: 0 }).unwrap();
        let taken = Selected::<Method>::default().taken(&method.choose(DeviceKind::Discrete, &graph.csr));
        (threshold(method, &graph.csr), taken)
    }

    #[test]
    fn light_edges_come_first_where_there_are_many() {
        let (light, taken) = chosen("rmat:scale=10", Method::Auto);
        assert!((8..=18).contains(&light) && taken == Some("light-first"), "{light}");
        assert_eq!(chosen("grid:rows=30,cols=30", Method::Auto), (NONE, Some("boruvka")));
        assert_eq!(chosen("rmat:scale=10", Method::AllAtOnce).0, NONE);
        assert_eq!(chosen("rmat:scale=10", Method::Kruskal), (light, Some("kruskal-cpu")));
        assert_eq!(chosen("chain:nodes=9", Method::LightFirst).0, NONE);
        let plain = "rmat:scale=8".parse::<Generator>().unwrap().generate().unwrap();
        assert_eq!(threshold(Method::LightFirst, &plain.csr), NONE);
    }
}

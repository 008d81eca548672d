//! A decision tree that chooses the variant of each level, as a text that a person reads and writes:
//!
//! ```text
//! evenkeel level model 1
//! # The first line says what this is; lines that begin with # are comments.
//! if frontier-share <= 0.05
//!   if frontier-degree <= 8
//!     vertex-push atomic
//!   else
//!     vertex-push-warp atomic
//! else
//!   repeat
//! ```
//!
//! A leaf is a variant, or `repeat` where the model does not know: as in the level before, and in the first level an edge list, which
//! is the paper's rule. Indentation is for the eye.

use super::{
    features::{Feature, Features, GraphFeatures, LevelSize, share},
    node::Node,
    text::{self, HEADER},
    variant::{Family, Variant},
};
use crate::{
    Error, Result,
    device::{DeviceInfo, DeviceKind},
    graph::Csr,
};
use evenkeel_kernels::strategy::adaptive::Decision;
use std::{
    fmt, fs,
    path::{Path, PathBuf},
    str::FromStr,
    sync::Arc,
};

/// The models that come with the program: trained on an H200, trained on software Vulkan, and by reason alone.
const SHIPPED: [(&str, &str); 4] = [
    ("nvidia-h200", include_str!("../../../models/nvidia-h200.tree")),
    ("software", include_str!("../../../models/software.tree")),
    ("rule", include_str!("../../../models/rule.tree")),
    ("rule-without-lists", include_str!("../../../models/rule-without-lists.tree")),
];

/// A decision tree that chooses a variant for each level.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    name: String,
    root: Node,
    family: Family,
}

// No threshold is NaN.
impl Eq for Model {}

impl Model {
    /// A model from a tree whose variants are of one family.
    pub fn new(name: &str, root: Node, family: Family) -> Self {
        Self { name: name.to_owned(), root, family }
    }

    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read(path).map_err(|source| Error::Io { path: path.to_owned(), source })?;
        Self::parse(path, &String::from_utf8_lossy(&text))
    }

    /// Reads a text; an [`Error::Line`] has `path` and the first line that is wrong.
    pub fn parse(path: &Path, text: &str) -> Result<Self> {
        let (root, family) = text::read(path, text)?;
        let name = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Ok(Self { name, root, family })
    }

    /// The model that comes with the program for a device; an error only where a broken one was built in.
    pub fn of_device(info: &DeviceInfo) -> Result<Self> {
        let name = match info.kind {
            _ if info.name.contains("H200") => "nvidia-h200",
            // Its compiler does not end with the kernel of the variants that list the frontier.
            _ if info.driver.starts_with("SwiftShader") => "rule-without-lists",
            DeviceKind::Software | DeviceKind::Cpu => "software",
            _ => "rule",
        };
        let (name, text) = SHIPPED.iter().find(|(shipped, _)| *shipped == name).unwrap_or(&SHIPPED[2]);
        Self::parse(&PathBuf::from(name), text)
    }

    /// What it is called in reports: the file's name without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The first decision.
    pub fn root(&self) -> &Node {
        &self.root
    }

    /// The variants it chooses from.
    pub fn family(&self) -> Family {
        self.family
    }

    /// The variant of a level, or none where the model does not know.
    pub fn choose(&self, features: &Features) -> Option<Variant> {
        let mut node = &self.root;
        loop {
            match node {
                Node::Leaf(variant) => return *variant,
                Node::If { feature, threshold, at_most, more } => {
                    node = if features.get(*feature) <= *threshold { at_most } else { more };
                }
            }
        }
    }

    /// The variants at its leaves, each once.
    pub fn variants(&self) -> Vec<Variant> {
        let mut variants = Vec::new();
        self.root.each_leaf(&mut |variant| variants.extend(variant));
        variants.sort_unstable();
        variants.dedup();
        variants
    }

    /// What it must know of a graph: the edges that enter nodes are counted only for a model that asks for them.
    pub fn features_of(&self, csr: &Csr) -> GraphFeatures {
        let mut needed = false;
        self.root.each_feature(&mut |feature| needed |= feature.needs_in_degrees());
        if needed { GraphFeatures::of(csr) } else { GraphFeatures::without_in_degrees(csr) }
    }

    /// The tree for one graph, as the device walks it: what is the same in all levels is decided, shares are numbers of nodes or
    /// edges, and so all that is left to compare is whole.
    pub fn for_graph(&self, graph: &GraphFeatures) -> Vec<Decision> {
        let mut decisions = Vec::new();
        self.root.decide(graph, &mut decisions);
        decisions
    }
}

impl Node {
    fn each_leaf(&self, visit: &mut impl FnMut(Option<Variant>)) {
        match self {
            Self::Leaf(variant) => visit(*variant),
            Self::If { at_most, more, .. } => {
                at_most.each_leaf(visit);
                more.each_leaf(visit);
            }
        }
    }

    fn each_feature(&self, visit: &mut impl FnMut(Feature)) {
        if let Self::If { feature, at_most, more, .. } = self {
            visit(*feature);
            at_most.each_feature(visit);
            more.each_feature(visit);
        }
    }

    /// Writes the tree below, the root first; returns where it stands.
    fn decide(&self, graph: &GraphFeatures, decisions: &mut Vec<Decision>) -> u32 {
        let place = decisions.len() as u32;
        match self {
            Self::Leaf(variant) => decisions.push(Decision::leaf(variant.map_or(Decision::REPEAT, Variant::word))),
            Self::If { feature, threshold, at_most, more } => {
                match whole(*feature, *threshold, graph) {
                    Compared::Always => at_most.decide(graph, decisions),
                    Compared::Never => more.decide(graph, decisions),
                    Compared::With { feature, threshold } => {
                        decisions.push(Decision { feature, threshold, at_most: 0, more: 0 });
                        decisions[place as usize].at_most = at_most.decide(graph, decisions);
                        decisions[place as usize].more = more.decide(graph, decisions);
                        place
                    }
                };
            }
        }
        place
    }

    fn write(&self, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let indent = 2 * depth;
        match self {
            Self::Leaf(None) => writeln!(f, "{:indent$}repeat", ""),
            Self::Leaf(Some(variant)) => writeln!(f, "{:indent$}{variant}", ""),
            Self::If { feature, threshold, at_most, more } => {
                writeln!(f, "{:indent$}if {} <= {threshold}", "", feature.name())?;
                at_most.write(depth + 1, f)?;
                writeln!(f, "{:indent$}else", "")?;
                more.write(depth + 1, f)
            }
        }
    }
}

/// What a comparison is for one graph.
enum Compared {
    Always,
    Never,
    With { feature: u32, threshold: u32 },
}

fn whole(feature: Feature, threshold: f64, graph: &GraphFeatures) -> Compared {
    let (feature, most) = match feature {
        Feature::Frontier => (Decision::FRONTIER, threshold),
        Feature::FrontierShare => (Decision::FRONTIER, whole_part(threshold, graph.nodes)),
        Feature::Discovered => (Decision::DISCOVERED, threshold),
        Feature::DiscoveredShare => (Decision::DISCOVERED, whole_part(threshold, graph.nodes)),
        Feature::FrontierEdges => (Decision::EDGES, threshold),
        Feature::FrontierEdgesShare => (Decision::EDGES, whole_part(threshold, graph.edges)),
        Feature::FrontierDegree => (Decision::DEGREE, threshold),
        of_graph => {
            let value = Features::of(graph, LevelSize::default()).get(of_graph);
            return if value <= threshold { Compared::Always } else { Compared::Never };
        }
    };
    if most < 0.0 {
        Compared::Never
    } else if most >= f64::from(u32::MAX) {
        Compared::Always
    } else {
        Compared::With { feature, threshold: most as u32 }
    }
}

/// The largest number whose share is at most the threshold, whatever a division rounds to; negative when there is none.
fn whole_part(threshold: f64, whole: u32) -> f64 {
    if threshold < 0.0 {
        return -1.0;
    }
    if threshold >= 1.0 {
        return u32::MAX.into();
    }
    let mut part = (threshold * f64::from(whole)) as u32;
    while share(part + 1, whole) <= threshold {
        part += 1;
    }
    while share(part, whole) > threshold {
        part -= 1;
    }
    part.into()
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{HEADER}")?;
        self.root.write(0, f)
    }
}

/// A model and the file it was read from: as text it is the file's path, and from text it is read.
#[derive(Clone, Debug)]
pub struct ModelFile {
    path: PathBuf,
    /// The model.
    pub model: Arc<Model>,
}

impl FromStr for ModelFile {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let path = PathBuf::from(text);
        Ok(Self { model: Arc::new(Model::read(&path)?), path })
    }
}

/// A model that was not read from a file is called as its file would be.
impl From<Model> for ModelFile {
    fn from(model: Model) -> Self {
        Self { path: PathBuf::from(&model.name), model: Arc::new(model) }
    }
}

impl fmt::Display for ModelFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.display().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::features::DegreeSummary, *};
    use crate::graph::generate::Generator;
    use proptest::prelude::*;

    fn parse(text: &str) -> Result<Model> {
        Model::parse(Path::new("model.tree"), text)
    }

    fn refused(body: &str) -> String {
        parse(&format!("{HEADER}\n{body}")).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        assert_eq!(
            parse("").unwrap_err().to_string(),
            format!("model.tree:1: a model begins with the line '{HEADER}'")
        );
        assert!(parse("evenkeel level model 2\nrepeat").is_err());
        assert_eq!(refused(""), "model.tree:1: the tree ends in the middle");
        assert_eq!(refused("repeat\n\nrepeat"), "model.tree:4: 'repeat' stands behind the end of the tree");
        assert!(
            refused("vertex-push")
                .starts_with("model.tree:2: there is no variant named 'vertex-push'; there is edge-list")
        );
        assert!(
            refused("if colour <= 3").starts_with("model.tree:2: there is no feature named 'colour'; there is nodes, ")
        );
        assert_eq!(
            refused("# why\nif nodes < 3"),
            "model.tree:3: 'if nodes < 3' is not of the form 'if FEATURE <= NUMBER'"
        );
        assert_eq!(refused("if nodes <= NaN"), "model.tree:2: 'NaN' is no number");
        assert_eq!(refused("if nodes <= 3\nrepeat\nrepeat"), "model.tree:4: 'repeat' stands where 'else' should");
        assert_eq!(refused("if nodes <= 3\nrepeat"), "model.tree:3: the tree ends before an 'else'");
        assert!(
            refused("if nodes <= 3\nlist-push-warp list\nelse\nvertex-push atomic").contains("all list, or none does")
        );
        assert!(refused(&"if nodes <= 3\n".repeat(70)).starts_with("model.tree:66: more than 64 decisions"));
    }

    #[test]
    fn edges_that_enter_are_counted_for_a_model_that_asks() {
        let directed = "er:nodes=50,degree=4,directed=true".parse::<Generator>().unwrap().generate().unwrap().csr;
        let known = |feature: &str| {
            let model = parse(&format!("{HEADER}\nif {feature} <= 3\nrepeat\nelse\nvertex-push atomic")).unwrap();
            model.features_of(&directed)
        };
        assert_eq!(known("total-degree-median"), GraphFeatures::of(&directed));
        assert_eq!(known("degree-median"), GraphFeatures::without_in_degrees(&directed));
        assert_ne!(known("degree-median"), known("in-degree-max"));
    }

    #[test]
    fn models_that_come_with_the_program_are_right() {
        for (name, text) in SHIPPED {
            let model = Model::parse(Path::new(name), text).unwrap();
            assert!(!model.variants().is_empty() && model.name() == name);
            // Those with lists need no origins of edges, which are a word for each edge.
            assert_eq!(model.family() == Family::Listed, name != "rule-without-lists");
        }
    }

    #[test]
    fn shares_become_numbers_without_a_slip() {
        for whole in [1, 3, 7, 49, 1_000_003, u32::MAX] {
            for part in [0, whole / 3, whole / 2, whole - 1] {
                let exact = share(part, whole);
                assert_eq!(whole_part(exact, whole), f64::from(part), "{part} of {whole}");
                assert_eq!(whole_part(exact.next_up(), whole), f64::from(part));
                if part > 0 {
                    assert_eq!(whole_part(exact.next_down(), whole), f64::from(part - 1));
                }
            }
        }
    }

    fn threshold() -> impl Strategy<Value = f64> {
        prop_oneof![0.0..1.0, -2.0..2e3, (0u32..3000).prop_map(f64::from), Just(-0.0), any::<u32>().prop_map(f64::from)]
    }

    fn tree() -> impl Strategy<Value = Node> {
        let variants = Family::Listed.variants();
        let leaf = prop_oneof![Just(None), proptest::sample::select(variants).prop_map(Some)].prop_map(Node::Leaf);
        leaf.prop_recursive(6, 40, 2, |inner| {
            (proptest::sample::select(&Feature::ALL[..]), threshold(), inner.clone(), inner).prop_map(
                |(feature, threshold, at_most, more)| Node::If {
                    feature,
                    threshold,
                    at_most: Box::new(at_most),
                    more: Box::new(more),
                },
            )
        })
    }

    /// A walk as the device does it.
    fn walk(decisions: &[Decision], size: LevelSize) -> Option<Variant> {
        let mut node = decisions[0];
        while node.feature != Decision::LEAF {
            let values = [size.frontier, size.discovered, size.edges, size.edges / size.frontier.max(1)];
            let next = if values[node.feature as usize] <= node.threshold { node.at_most } else { node.more };
            node = decisions[next as usize];
        }
        Variant::from_word(node.threshold)
    }

    proptest! {
        #[test]
        fn a_model_is_its_text(root in tree()) {
            let mut family = None;
            root.each_leaf(&mut |variant| family = family.or(variant.map(Variant::family)));
            let model = Model::new("model", root, family.unwrap_or(Family::Fifteen));
            prop_assert_eq!(parse(&model.to_string()).unwrap(), model);
        }

        #[test]
        fn any_text_is_read_or_refused(body in "(if |else\n|repeat\n|nodes|frontier|<=| |3|\\.|#|\n|list-push-warp list\n|.){0,40}") {
            match parse(&format!("{HEADER}\n{body}")) {
                Ok(model) => prop_assert_eq!(parse(&model.to_string()).unwrap().root, model.root),
                Err(error) => prop_assert!(error.to_string().starts_with("model.tree:")),
            }
        }

        #[test]
        fn the_device_chooses_as_the_model_does(
            root in tree(), nodes in 1u32..5000, edges in 0u32..9000, rest in any::<[u16; 3]>(), degrees in any::<[u16; 5]>(),
        ) {
            let numbers = degrees.map(|degree| u32::from(degree) % 50);
            let degrees = |by: u32| DegreeSummary { numbers: numbers.map(|degree| degree * by), deviation: 2.5 };
            let [out_degrees, in_degrees, total_degrees] = [1, 2, 3].map(degrees);
            let graph = GraphFeatures { nodes, edges, out_degrees, in_degrees, total_degrees };
            let discovered = 1 + u32::from(rest[0]) % nodes;
            let size = LevelSize {
                frontier: 1 + u32::from(rest[1]) % discovered,
                discovered,
                edges: u32::from(rest[2]) % (edges + 1),
            };
            let model = Model::new("model", root, Family::Listed);
            prop_assert_eq!(walk(&model.for_graph(&graph), size), model.choose(&Features::of(&graph, size)));
        }
    }
}

//! How a model is fitted: what it chooses from, what it may go by, how trees are grown, and what is kept to judge them by.

use super::grow::Criterion;
use evenkeel::strategy::adaptive::{Count, Family, Feature, Variant};
use serde::Serialize;
use std::fmt;

/// How to fit a model.
#[derive(clap::Args, Clone, Debug)]
pub struct Training {
    /// What to choose from: the paper's fifteen variants, the five that its Table 2 shows, or those that list the frontier.
    #[arg(long, alias = "ways", value_name = "VARIANTS", value_enum, default_value_t = Choices::Listed)]
    pub variants: Choices,
    /// What decisions are chosen by: the time that they save, or as in the paper the Gini impurity of the best variants.
    #[arg(long, value_name = "CRITERION", value_enum, default_value_t = Criterion::Cost)]
    pub criterion: Criterion,
    /// What decisions may go by: all that is known of a level, the features that the paper considers, or the four of its best model.
    #[arg(long, value_name = "FEATURES", value_enum, default_value_t = FeatureSet::All)]
    pub features: FeatureSet,
    /// The degrees that decisions may go by: of edges out of nodes, or also of those into them and of both together.
    #[arg(long, value_name = "DEGREES", value_enum, default_value_t = Degrees::Out)]
    pub degrees: Degrees,
    /// What is divided into a part to grow trees on and a part to judge them by: graphs, or as in the paper the levels of all graphs.
    #[arg(long, value_name = "WHAT", value_enum, default_value_t = Split::Graphs)]
    pub split: Split,
    /// Judge the tree by all graphs of this collection, and grow it on the others.
    #[arg(long, value_name = "COLLECTION")]
    pub hold_out: Option<String>,
    /// Also grow a tree without each collection, and judge it by that.
    #[arg(long)]
    pub leave_one_out: bool,
    /// The seed by which graphs or levels are divided.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub seed: u64,
    /// Also say for each graph what the tree and each variant take.
    #[arg(long)]
    pub by_graph: bool,
    /// Also say what each variant takes on each level of the first search of this graph.
    #[arg(long, value_name = "GRAPH")]
    pub by_level: Option<String>,
}

/// What a model chooses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Choices {
    /// The paper's implementations with an atomic addition for each discovery.
    Five,
    /// The paper's implementations with each of its three counts.
    Fifteen,
    /// The implementations that list the frontier.
    Listed,
}

impl Choices {
    /// The variants to choose from.
    pub fn variants(self) -> Vec<Variant> {
        let mut variants = self.family().variants();
        variants.retain(|variant| self != Self::Five || variant.count == Count::Atomic);
        variants
    }

    /// The family that all of them are of, by which a model knows what a first level has for want of a better.
    pub fn family(self) -> Family {
        match self {
            Self::Five | Self::Fifteen => Family::Fifteen,
            Self::Listed => Family::Listed,
        }
    }
}

/// What decisions may go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureSet {
    /// All that is known of a level.
    All,
    /// Those of the paper's section 4.1: the size of the graph, degrees, the nodes of the frontier and the discovered ones.
    Paper,
    /// Those of the paper's best model: size, part discovered, out-degrees, and the nodes of the frontier.
    PaperBest,
}

impl FeatureSet {
    fn has(self, feature: Feature) -> bool {
        use Feature::{Discovered, FrontierDegree, FrontierEdges, FrontierEdgesShare, FrontierShare};
        match self {
            Self::All => true,
            Self::Paper => ![FrontierEdges, FrontierEdgesShare, FrontierDegree].contains(&feature),
            Self::PaperBest => Self::Paper.has(feature) && ![FrontierShare, Discovered].contains(&feature),
        }
    }
}

/// The degrees that decisions may go by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Degrees {
    /// Out-degrees, which a graph has at hand.
    Out,
    /// In-degrees and the sums of both too.
    All,
}

/// What is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Split {
    /// Graphs: those that judge a tree are new to it.
    Graphs,
    /// Levels, whichever search they are of: a tree has seen other levels of the graphs that judge it.
    Levels,
}

impl fmt::Display for Split {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Graphs => "graphs",
            Self::Levels => "levels",
        })
    }
}

impl Training {
    /// What decisions may go by.
    pub(super) fn features(&self) -> Vec<Feature> {
        let has = |feature: &Feature| {
            let known = self.degrees == Degrees::All || !feature.needs_in_degrees();
            known && self.features.has(*feature)
        };
        Feature::ALL.into_iter().filter(has).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};

    fn features(options: &str) -> Vec<&'static str> {
        let matches = Training::augment_args(clap::Command::new("train"))
            .get_matches_from(["train"].into_iter().chain(options.split_whitespace()));
        let training = Training::from_arg_matches(&matches).unwrap();
        training.features().into_iter().map(Feature::name).collect()
    }

    #[test]
    fn the_features_are_those_of_the_paper() {
        let out =
            ["min", "lower-quartile", "median", "upper-quartile", "max", "deviation"].map(|it| format!("degree-{it}"));
        let with = |level: &[&str]| {
            let names =
                ["nodes", "edges"].into_iter().chain(out.iter().map(String::as_str)).chain(level.iter().copied());
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(features("--features paper-best"), with(&["frontier", "discovered-share"]));
        let of_levels = ["frontier", "frontier-share", "discovered", "discovered-share"];
        assert_eq!(features("--features paper"), with(&of_levels));
        // Of in-degrees and of the sums of both there are as many again.
        assert_eq!(features("--features paper --degrees all").len(), 2 + 3 * 6 + 4);
        assert_eq!(features("--degrees all"), Feature::ALL.map(Feature::name));
    }

    #[test]
    fn the_five_are_those_with_atomic_additions() {
        let names: Vec<String> = Choices::Five.variants().iter().map(Variant::to_string).collect();
        let five = ["edge-list", "reverse-edge-list", "vertex-push", "vertex-pull", "vertex-push-warp"];
        assert_eq!(names, five.map(|name| format!("{name} atomic")));
        assert_eq!([Choices::Fifteen, Choices::Listed].map(|it| it.variants().len()), [15, 4]);
        assert!(Choices::Five.variants().contains(&Choices::Five.family().first()));
    }
}

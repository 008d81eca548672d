//! The graphs of the slides: real ones where they are known and there, and generated ones with their sizes elsewhere.

use super::Setting;
use crate::reproduce::{
    finding::{Finding, Substitutes},
    results::Results,
};
use evenkeel::graph::generate::Generator;

/// A graph of the slides.
pub(super) struct Slide {
    /// What it most likely is by its numbers of nodes and edges, for the slides name none; empty where nothing is known.
    real: &'static str,
    /// The files that have it.
    files: &'static [&'static str],
    /// What stands for it at the small scale.
    small: &'static str,
    /// What stands for it at the scale of the slides.
    full: &'static str,
}

const DENSE: Slide =
    Slide { real: "", files: &[], small: "er:nodes=675,degree=463", full: "er:nodes=2700,degree=1852" };

/// The five of searches and of shortest paths.
pub(super) const SEARCHES: [Slide; 5] = [
    DENSE,
    Slide { real: "", files: &[], small: "er:nodes=2185,degree=116", full: "er:nodes=21853,degree=1158" },
    Slide {
        real: "soc-Slashdot0902",
        files: &["soc-Slashdot0902.el.gz", "soc-Slashdot0902.txt.gz"],
        small: "rmat:scale=13,edge-factor=4,a=0.51,b=0.2,c=0.2",
        full: "rmat:scale=17,edge-factor=4,a=0.51,b=0.2,c=0.2",
    },
    // 2,097,152 nodes, of which about 1,071,000 have edges, 10,416,000 edges and a highest degree of about 35,455, as the real one has.
    Slide {
        real: "as-skitter",
        files: &["as-skitter.txt.gz", "as-Skitter.txt.gz", "as-skitter.mtx"],
        small: "rmat:scale=14,edge-factor=5,a=0.495,b=0.2458,c=0.2458",
        full: "rmat:scale=21,edge-factor=5,a=0.495,b=0.2458,c=0.2458",
    },
    Slide {
        real: "rgg_n_2_24_s0",
        files: &["rgg_n_2_24_s0.mtx", "rgg_n_2_24_s0.graph", "rgg_n_2_24_s0.graph.bz2"],
        small: "rgg:nodes=8192",
        full: "rgg:nodes=16777216",
    },
];

/// The five of all pairs.
pub(super) const ALL_PAIRS: [Slide; 5] = [
    Slide { small: "er:nodes=84,degree=58", ..DENSE },
    Slide {
        real: "ego-Facebook",
        files: &["ego-Facebook.txt", "facebook_combined.txt.gz"],
        small: "er:nodes=126,degree=22",
        full: "er:nodes=4039,degree=43.9",
    },
    Slide { real: "", files: &[], small: "er:nodes=138,degree=24.8", full: "er:nodes=4412,degree=49.6" },
    Slide {
        real: "soc-sign-bitcoinotc",
        files: &["soc-sign-bitcoinotc.csv", "soc-sign-bitcoinotc.csv.gz"],
        small: "er:nodes=184,degree=7.3",
        full: "er:nodes=5881,degree=7.3",
    },
    Slide { real: "", files: &[], small: "er:nodes=234,degree=56.7", full: "er:nodes=7500,degree=226.6" },
];

impl Slide {
    /// The file or the generator.
    pub(super) fn graph(&self, setting: &Setting) -> String {
        setting.file_or(self.files, setting.pick(self.small, self.full))
    }

    /// Its number, and what it is if that is known.
    pub(super) fn name(&self, number: usize) -> String {
        if self.real.is_empty() { format!("{number}") } else { format!("{number} ({})", self.real) }
    }
}

pub(super) fn is_file(graph: &str) -> bool {
    !Generator::is_named_by(graph)
}

/// What was run as a graph of the slides.
pub(super) fn label(results: &Results, what: &str, number: usize) -> String {
    let name = || {
        let entry = results.get(&format!("{what} {number}"))?.entries().into_iter().next()?;
        Some(entry.pointer("/graph/name")?.as_str()?.to_owned())
    };
    name().unwrap_or_default()
}

/// A finding about these graphs, of which some may not be those of the slides.
pub(super) fn judged(results: &Results, what: &str, numbers: &[usize], finding: Finding) -> Finding {
    let is_other = |number: &&usize| !is_file(&label(results, what, **number));
    let others: Vec<String> = numbers.iter().filter(is_other).map(ToString::to_string).collect();
    let are = if others.len() == 1 { "graph {} is" } else { "graphs {} are" };
    let reason = format!("{} generated", are.replace("{}", &others.join(", ")));
    finding.on_substitutes((!others.is_empty()).then(|| Substitutes {
        graphs: others.iter().map(|number| format!("graph {number}")).collect(),
        all: others.len() == numbers.len(),
        reason,
    }))
}

//! Growing a decision tree. A sample is a level with what each variant costs there, and a split is as good as the cost it saves when
//! each side takes its own cheapest variant: what a wrong choice costs counts, and a tie costs nothing.
//!
//! The crates for decision trees (linfa-trees, smartcore) fit labels, to which being wrong by a thousandth or a thousandfold is
//! the same, and linfa's adds up in the order of a randomly seeded map, so that two fits of one table differ.

use crate::strategy::adaptive::{Feature, Features, Node, Variant};
use std::mem;

/// A level, and what each variant of a family costs there.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The number of its graph.
    pub graph: usize,
    pub features: Features,
    pub costs: Vec<f64>,
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most decisions one after the other.
    pub depth: usize,
    /// The fewest graphs with samples at a leaf: those of one graph are much alike, so their number says little.
    pub graphs: usize,
}

/// A tree, and how much cost each feature's splits have saved.
pub(super) struct Grown {
    pub root: Node,
    pub saved: [f64; Feature::COUNT],
}

/// A split saves at least this part of the whole cost, or is not worth a line.
const WORTH: f64 = 1e-5;

/// Grows a tree for these samples; `variants` are what their costs are of.
pub(super) fn grow(samples: &[Sample], variants: &[Variant], limits: Limits) -> Grown {
    let mut growing = Growing { samples, variants, limits, whole: 0.0, saved: [0.0; Feature::COUNT] };
    let mut all: Vec<usize> = (0..samples.len()).collect();
    growing.whole = cheapest(&growing.sum(&all)).1;
    let root = growing.node(&mut all, 0);
    Grown { root, saved: growing.saved }
}

struct Growing<'a> {
    samples: &'a [Sample],
    variants: &'a [Variant],
    limits: Limits,
    whole: f64,
    saved: [f64; Feature::COUNT],
}

struct Split {
    feature: Feature,
    threshold: f64,
    cost: f64,
}

/// The variant that costs least, and what.
fn cheapest(sums: &[f64]) -> (usize, f64) {
    let least = |best: (usize, f64), (variant, &sum): (usize, &f64)| if sum < best.1 { (variant, sum) } else { best };
    sums.iter().enumerate().fold((0, f64::INFINITY), least)
}

impl Growing<'_> {
    fn sum(&self, samples: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.variants.len()];
        for &sample in samples {
            add(&mut sums, &self.samples[sample].costs);
        }
        sums
    }

    fn node(&mut self, samples: &mut [usize], depth: usize) -> Node {
        let sums = self.sum(samples);
        let (variant, cost) = cheapest(&sums);
        if depth < self.limits.depth
            && let Some(split) = self.best_split(samples, &sums)
            && cost - split.cost > WORTH * self.whole
        {
            let Split { feature, threshold, cost: after } = split;
            self.saved[feature as usize] += cost - after;
            let left = |sample: &usize| self.samples[*sample].features.get(feature) <= threshold;
            samples.sort_unstable_by_key(|sample| (!left(sample), *sample));
            let (left, right) = samples.split_at_mut(samples.partition_point(left));
            let at_most = Box::new(self.node(left, depth + 1));
            return Node::If { feature, threshold, at_most, more: Box::new(self.node(right, depth + 1)) };
        }
        // The paper's rule: a tie is not decided.
        let ties = sums.iter().filter(|sum| **sum == cost).count();
        Node::Leaf((ties == 1).then(|| self.variants[variant]))
    }

    /// The split after which the two sides cost least; the first of several.
    fn best_split(&self, samples: &[usize], sums: &[f64]) -> Option<Split> {
        let mut best: Option<Split> = None;
        let count = samples.iter().map(|sample| self.samples[*sample].graph + 1).max().unwrap_or(0);
        for feature in Feature::ALL {
            let value = |sample: usize| self.samples[sample].features.get(feature);
            let mut sorted = samples.to_vec();
            sorted.sort_by(|a, b| value(*a).total_cmp(&value(*b)).then(a.cmp(b)));
            let mut left = vec![0.0; sums.len()];
            let graphs = || sorted.iter().map(|sample| self.samples[*sample].graph);
            // How many graphs have samples on either side of a split after each of the samples.
            let on_left = seen(graphs(), count);
            let on_right = seen(graphs().rev(), count).into_iter().rev().skip(1);
            for (pair, (on_left, on_right)) in sorted.windows(2).zip(on_left.into_iter().zip(on_right)) {
                add(&mut left, &self.samples[pair[0]].costs);
                let (below, above) = (value(pair[0]), value(pair[1]));
                if below == above || on_left.min(on_right) < self.limits.graphs {
                    continue;
                }
                let right = sums.iter().zip(&left).map(|(sum, left)| sum - left);
                let cost = cheapest(&left).1 + right.fold(f64::INFINITY, f64::min);
                if best.as_ref().is_none_or(|best| cost < best.cost) {
                    best = Some(Split { feature, threshold: between(below, above), cost });
                }
            }
        }
        best
    }
}

/// How many of so many graphs have been seen up to each of these.
fn seen(graphs: impl Iterator<Item = usize>, count: usize) -> Vec<usize> {
    let (mut seen, mut different) = (vec![false; count], 0);
    let after = |graph: usize| {
        different += usize::from(!mem::replace(&mut seen[graph], true));
        different
    };
    graphs.map(after).collect()
}

fn add(sums: &mut [f64], costs: &[f64]) {
    for (sum, cost) in sums.iter_mut().zip(costs) {
        *sum += cost;
    }
}

/// A short number from `below` up to, but not with, `above`: the middle of their logarithms with the fewest digits.
fn between(below: f64, above: f64) -> f64 {
    let middle = if below > 0.0 { (below * above).sqrt() } else { above / 2.0 };
    for digits in 0..17 {
        let rounded: f64 = format!("{middle:.digits$e}").parse().unwrap_or(middle);
        if below <= rounded && rounded < above {
            return rounded;
        }
    }
    below
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::strategy::adaptive::{Family, Model};

    fn sample(frontier: f64, discovered: f64, costs: [f64; 15]) -> Sample {
        let mut features = Features([1.0; Feature::COUNT]);
        features.0[Feature::Frontier as usize] = frontier;
        features.0[Feature::Discovered as usize] = discovered;
        Sample { graph: frontier as usize, features, costs: costs.to_vec() }
    }

    /// The cost of every variant is 10, but for one.
    fn cheap(variant: usize, cost: f64) -> [f64; 15] {
        std::array::from_fn(|other| if other == variant { cost } else { 10.0 })
    }

    fn text(samples: &[Sample], depth: usize) -> String {
        let variants = Family::Fifteen.variants();
        let grown = grow(samples, &variants, Limits { depth, graphs: 1 });
        Model::new("test", grown.root, Family::Fifteen).to_string()
    }

    #[test]
    fn what_costs_least_decides_not_what_wins_most_often() {
        // Two of three prefer the first variant by a little, the third the last variant by much.
        let mut slow = cheap(14, 1.0);
        slow[0] = 1000.0;
        let near = |_| sample(5.0, 1.0, cheap(0, 9.9));
        let samples: Vec<Sample> = (0..2).map(near).chain([sample(5.0, 1.0, slow)]).collect();
        assert!(text(&samples, 4).ends_with("\nvertex-push-warp workgroup\n"));
    }

    #[test]
    fn splits_are_found_and_said_shortly() {
        let samples: Vec<Sample> =
            (1..=100).map(|number| sample(f64::from(number), 3.0, cheap(usize::from(number > 40), 1.0))).collect();
        let expected = "if frontier <= 40\n  edge-list atomic\nelse\n  edge-list subgroup\n";
        assert!(text(&samples, 4).ends_with(expected), "{}", text(&samples, 4));
        assert!(!text(&samples, 0).contains("if"));
        let grown = grow(&samples, &Family::Fifteen.variants(), Limits { depth: 3, graphs: 1 });
        assert!(
            grown.saved[Feature::Frontier as usize] > 0.0 && grown.saved.iter().filter(|it| **it > 0.0).count() == 1
        );
        let grown = grow(&samples, &Family::Fifteen.variants(), Limits { depth: 3, graphs: 60 });
        assert!(matches!(grown.root, Node::Leaf(_)), "no split has 60 graphs on both sides");
    }

    #[test]
    fn a_tie_is_not_decided() {
        assert!(text(&[sample(1.0, 1.0, [2.0; 15])], 3).ends_with("\nrepeat\n"));
    }

    #[test]
    fn thresholds_are_short_and_on_the_right_side() {
        assert_eq!(between(0.0, 1.0), 0.5);
        assert_eq!(between(40.0, 41.0), 40.0);
        assert_eq!(between(1000.0, 9000.0), 3000.0);
        for (below, above) in [(0.1, 0.1f64.next_up()), (1e-9, 2e-9), (7.0, 8.0), (0.0, 1e-300)] {
            let middle = between(below, above);
            assert!(below <= middle && middle < above, "{below} {middle} {above}");
        }
    }
}

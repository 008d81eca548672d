//! Growing a decision tree. A sample is a level with what each variant costs there. By cost, a split is as good as the cost it saves when
//! each side takes its own cheapest variant: what a wrong choice costs counts, and a tie costs nothing. By Gini impurity, as in the paper,
//! only which variant is the best of a level counts.
//!
//! The crates for decision trees (linfa-trees, smartcore) fit labels, to which being wrong by a thousandth or a thousandfold is
//! the same, and linfa's adds up in the order of a randomly seeded map, so that two fits of one table differ.

use evenkeel::strategy::adaptive::{Feature, Features, Node, Variant};
use std::mem;

/// What a split of a tree is chosen by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Criterion {
    /// The time that choices cost.
    Cost,
    /// The Gini impurity of the best variants.
    Gini,
}

/// A level, and what each variant of a family costs there.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The number of its graph.
    pub graph: usize,
    pub features: Features,
    pub costs: Vec<f64>,
}

/// How to grow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Growth<'a> {
    pub criterion: Criterion,
    /// What splits may compare.
    pub features: &'a [Feature],
    /// What the costs of samples are of.
    pub variants: &'a [Variant],
    /// The most decisions one after the other.
    pub depth: usize,
    /// The fewest graphs with samples at a leaf: those of one graph are much alike, so their number says little.
    pub graphs: usize,
}

/// A grown tree. Every part of it knows what it would choose as a leaf, so that the tree can be cut at any depth.
pub(super) struct Tree {
    choice: Option<Variant>,
    branch: Option<Box<Branch>>,
}

struct Branch {
    feature: Feature,
    threshold: f64,
    saved: f64,
    at_most: Tree,
    more: Tree,
}

/// A tree as models have it, and how much each feature's splits have saved of what the criterion counts.
pub(super) struct Grown {
    pub root: Node,
    pub saved: [f64; Feature::COUNT],
}

/// A split saves at least this part of the whole, or is not worth a line.
const WORTH: f64 = 1e-5;

/// Grows a tree for these samples.
pub(super) fn grow(samples: &[Sample], growth: Growth<'_>) -> Tree {
    let all: Vec<usize> = (0..samples.len()).collect();
    let mut growing =
        Growing { samples, growth, counted: samples.iter().map(|it| growth.counted(it)).collect(), whole: 0.0 };
    growing.whole = growing.growth.impurity(&growing.sum(&all));
    let sorted = |feature: &Feature| {
        let value = |sample: &usize| samples[*sample].features.get(*feature);
        let mut order = all.clone();
        order.sort_by(|a, b| value(a).total_cmp(&value(b)).then(a.cmp(b)));
        order
    };
    let orders = growth.features.iter().map(sorted).collect();
    growing.node(all, orders, 0)
}

impl Tree {
    /// The tree with at most so many decisions one after the other: the same as if it had been grown no deeper.
    pub fn cut(&self, depth: usize) -> Grown {
        let mut saved = [0.0; Feature::COUNT];
        let root = self.node(depth, &mut saved);
        Grown { root, saved }
    }

    fn node(&self, depth: usize, saved: &mut [f64; Feature::COUNT]) -> Node {
        match &self.branch {
            Some(branch) if depth > 0 => {
                let Branch { feature, threshold, saved: saving, at_most, more } = &**branch;
                saved[*feature as usize] += saving;
                let [at_most, more] = [at_most, more].map(|side| Box::new(side.node(depth - 1, saved)));
                // Purer sides may still have the same best variant.
                if at_most == more {
                    return *at_most;
                }
                Node::If { feature: *feature, threshold: *threshold, at_most, more }
            }
            _ => Node::Leaf(self.choice),
        }
    }
}

impl Growth<'_> {
    /// What is added up of a sample: its costs, or a vote for the variant that costs least.
    fn counted(&self, sample: &Sample) -> Vec<f64> {
        match self.criterion {
            Criterion::Cost => sample.costs.clone(),
            Criterion::Gini => {
                let (best, _) = extreme(&sample.costs, |a, b| a < b);
                (0..sample.costs.len()).map(|variant| if variant == best { 1.0 } else { 0.0 }).collect()
            }
        }
    }

    /// What samples with such sums cost, or how mixed they are, if they are not split.
    fn impurity(&self, sums: &[f64]) -> f64 {
        match self.criterion {
            Criterion::Cost => sums.iter().copied().fold(f64::INFINITY, f64::min),
            Criterion::Gini => {
                let votes: f64 = sums.iter().sum();
                votes - sums.iter().map(|sum| sum * sum).sum::<f64>() / votes.max(1.0)
            }
        }
    }

    /// The variant of a leaf: the cheapest, or the one with the most votes. The paper's rule: a tie is not decided.
    fn choice(&self, sums: &[f64]) -> Option<Variant> {
        let (variant, ties) = match self.criterion {
            Criterion::Cost => extreme(sums, |a, b| a < b),
            Criterion::Gini => extreme(sums, |a, b| a > b),
        };
        (ties == 1).then(|| self.variants[variant])
    }
}

/// The place of the first value than which none is better, and how many are equal to it.
fn extreme(values: &[f64], is_better: fn(f64, f64) -> bool) -> (usize, usize) {
    let better = |best: usize, place: usize| if is_better(values[place], values[best]) { place } else { best };
    let best = (0..values.len()).fold(0, better);
    (best, values.iter().filter(|value| **value == values[best]).count())
}

struct Growing<'a> {
    samples: &'a [Sample],
    growth: Growth<'a>,
    counted: Vec<Vec<f64>>,
    whole: f64,
}

struct Split {
    feature: Feature,
    threshold: f64,
    impurity: f64,
}

impl Growing<'_> {
    fn sum(&self, samples: &[usize]) -> Vec<f64> {
        let mut sums = vec![0.0; self.growth.variants.len()];
        samples.iter().for_each(|&sample| add(&mut sums, &self.counted[sample]));
        sums
    }

    /// The tree of some samples, in the order of their numbers and in that of each feature.
    fn node(&self, samples: Vec<usize>, orders: Vec<Vec<usize>>, depth: usize) -> Tree {
        let sums = self.sum(&samples);
        let (choice, impurity) = (self.growth.choice(&sums), self.growth.impurity(&sums));
        let leaf = Tree { choice, branch: None };
        if depth >= self.growth.depth {
            return leaf;
        }
        let Some(split) = self.best_split(&orders, &sums) else { return leaf };
        let saved = impurity - split.impurity;
        if saved <= WORTH * self.whole {
            return leaf;
        }
        let Split { feature, threshold, .. } = split;
        let is_left = |sample: &usize| self.samples[*sample].features.get(feature) <= threshold;
        let part = |samples: Vec<usize>| samples.into_iter().partition::<Vec<usize>, _>(is_left);
        let (left, right) = part(samples);
        let (left_orders, right_orders) = orders.into_iter().map(part).unzip();
        let at_most = self.node(left, left_orders, depth + 1);
        let more = self.node(right, right_orders, depth + 1);
        Tree { choice, branch: Some(Box::new(Branch { feature, threshold, saved, at_most, more })) }
    }

    /// The split after which the two sides cost least; the first of several.
    fn best_split(&self, orders: &[Vec<usize>], sums: &[f64]) -> Option<Split> {
        let mut best: Option<Split> = None;
        let graph = |sample: &usize| self.samples[*sample].graph;
        let count = orders.first()?.iter().map(graph).max()? + 1;
        let mut right = vec![0.0; sums.len()];
        for (&feature, sorted) in self.growth.features.iter().zip(orders) {
            let value = |sample: usize| self.samples[sample].features.get(feature);
            let mut left = vec![0.0; sums.len()];
            // How many graphs have samples on either side of a split after each of the samples.
            let on_left = seen(sorted.iter().map(graph), count);
            let on_right = seen(sorted.iter().rev().map(graph), count).into_iter().rev().skip(1);
            for (pair, (on_left, on_right)) in sorted.windows(2).zip(on_left.into_iter().zip(on_right)) {
                add(&mut left, &self.counted[pair[0]]);
                let (below, above) = (value(pair[0]), value(pair[1]));
                if below == above || on_left.min(on_right) < self.growth.graphs {
                    continue;
                }
                right.iter_mut().zip(sums.iter().zip(&left)).for_each(|(right, (sum, left))| *right = sum - left);
                let impurity = self.growth.impurity(&left) + self.growth.impurity(&right);
                if best.as_ref().is_none_or(|best| impurity < best.impurity) {
                    best = Some(Split { feature, threshold: between(below, above), impurity });
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
    use evenkeel::strategy::adaptive::{Family, Model};

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

    fn grown(samples: &[Sample], criterion: Criterion, depth: usize, graphs: usize) -> Grown {
        let variants = Family::Fifteen.variants();
        let growth = Growth { criterion, features: &Feature::ALL, variants: &variants, depth, graphs };
        grow(samples, growth).cut(depth)
    }

    fn text_by(criterion: Criterion, samples: &[Sample], depth: usize) -> String {
        Model::new("test", grown(samples, criterion, depth, 1).root, Family::Fifteen).to_string()
    }

    fn text(samples: &[Sample], depth: usize) -> String {
        text_by(Criterion::Cost, samples, depth)
    }

    #[test]
    fn what_costs_least_decides_not_what_wins_most_often() {
        // Two of three prefer the first variant by a little, the third the last variant by much.
        let mut slow = cheap(14, 1.0);
        slow[0] = 1000.0;
        let near = |_| sample(5.0, 1.0, cheap(0, 9.9));
        let samples: Vec<Sample> = (0..2).map(near).chain([sample(5.0, 1.0, slow)]).collect();
        assert!(text(&samples, 4).ends_with("\nvertex-push-warp workgroup\n"));
        // By Gini impurity it is what wins most often.
        assert!(text_by(Criterion::Gini, &samples, 4).ends_with("\nedge-list atomic\n"));
    }

    #[test]
    fn splits_are_found_and_said_shortly() {
        let samples: Vec<Sample> =
            (1..=100).map(|number| sample(f64::from(number), 3.0, cheap(usize::from(number > 40), 1.0))).collect();
        let expected = "if frontier <= 40\n  edge-list atomic\nelse\n  edge-list subgroup\n";
        assert!(text(&samples, 4).ends_with(expected), "{}", text(&samples, 4));
        assert!(!text(&samples, 0).contains("if"));
        for criterion in [Criterion::Cost, Criterion::Gini] {
            assert!(text_by(criterion, &samples, 4).ends_with(expected), "{criterion:?}");
            let Grown { saved, .. } = grown(&samples, criterion, 3, 1);
            assert!(saved[Feature::Frontier as usize] > 0.0 && saved.iter().filter(|it| **it > 0.0).count() == 1);
            let Grown { root, .. } = grown(&samples, criterion, 3, 60);
            assert!(matches!(root, Node::Leaf(_)), "no split has 60 graphs on both sides");
        }
    }

    #[test]
    fn a_tree_that_is_cut_is_one_that_was_grown_no_deeper() {
        let variant = |number: u32| cheap((number / 7 % 5) as usize, f64::from(number % 9) / 3.0);
        let samples: Vec<Sample> =
            (1..=90).map(|number| sample(f64::from(number * 37 % 91), f64::from(number), variant(number))).collect();
        let variants = Family::Fifteen.variants();
        for criterion in [Criterion::Cost, Criterion::Gini] {
            let growth = Growth { criterion, features: &Feature::ALL, variants: &variants, depth: 9, graphs: 2 };
            let tree = grow(&samples, growth);
            for depth in 0..9 {
                let Grown { root, saved } = grow(&samples, Growth { depth, ..growth }).cut(9);
                let cut = tree.cut(depth);
                assert_eq!((cut.root, cut.saved), (root, saved), "{criterion:?} {depth}");
            }
            assert_ne!(tree.cut(8).root, tree.cut(1).root);
        }
    }

    #[test]
    fn a_tie_is_not_decided() {
        assert!(text(&[sample(1.0, 1.0, [2.0; 15])], 3).ends_with("\nrepeat\n"));
        let votes = [sample(1.0, 1.0, cheap(3, 1.0)), sample(1.0, 1.0, cheap(5, 1.0))];
        assert!(text_by(Criterion::Gini, &votes, 3).ends_with("\nrepeat\n"));
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

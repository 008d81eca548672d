//! How evenly a dispatch's atoms were shared out: what a GPU hides, and the CPU device counts when it is opened by
//! [`Device::counting`]. Shares are kept as a histogram, how many invocations took how many atoms, and each dispatch becomes a
//! few figures at its end, so that counting takes little memory however large a graph is.
//!
//! ```
//! use evenkeel::{algorithm::{Algorithm, Bfs, BfsConfig}, device::Device, graph::generate::Generator};
//!
//! let star = "star:nodes=1000".parse::<Generator>()?.generate()?;
//! let (device, counters) = Device::counting(32);
//! let config = BfsConfig { strategy: "node".parse()?, ..BfsConfig::default() };
//! Bfs::prepare(&device, &star.csr, &config)?.run(&0)?;
//! // The hub's 999 edges were one invocation's.
//! assert_eq!(counters.take()[0].invocations.max, 999);
//! # Ok::<(), evenkeel::Error>(())
//! ```

use super::{Device, cpu, lock};
use serde::Serialize;
use std::{
    collections::BTreeMap,
    mem,
    sync::{Arc, Mutex},
};

impl Device {
    /// The CPU, with every atom counted: by invocation, by group of `lanes` neighbouring invocations (as many as a subgroup of
    /// the GPU one has in mind; 0 counts as 1) and by workgroup.
    pub fn counting(lanes: u32) -> (Self, Counters) {
        let counters = Counters { lanes: lanes.max(1), dispatches: Arc::default() };
        (Self { backend: cpu::counting(counters.clone()), times_steps: false }, counters)
    }
}

/// What a device has counted so far. Clones are the same counters.
#[derive(Clone, Debug)]
pub struct Counters {
    lanes: u32,
    dispatches: Arc<Mutex<Vec<DispatchBalance>>>,
}

/// How evenly one dispatch was shared out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DispatchBalance {
    /// The kernel.
    pub kernel: &'static str,
    /// Which one of those that could take atoms it was, from 1 on: in a traversal, the iteration.
    pub iteration: u32,
    /// All its atoms.
    pub atoms: u64,
    /// Over invocations.
    pub invocations: Spread,
    /// Over groups of neighbouring invocations.
    pub lane_groups: Spread,
    /// Over workgroups.
    pub workgroups: Spread,
    /// The atoms there would be had every lane been busy as long as the busiest of its group.
    pub lane_slots: u64,
    /// The share of `lane_slots` that had an atom: a lane without one waits for the others of its group.
    pub simd_efficiency: f64,
    /// How many invocations took 0, 1, 2–3, 4–7, … atoms, up to the largest share.
    pub shares: Vec<u64>,
}

/// How evenly atoms were spread.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Over how many.
    pub count: u64,
    /// The largest share.
    pub max: u64,
    /// The average share.
    pub mean: f64,
    /// The largest over the average: 1 is even.
    pub max_over_mean: f64,
    /// The Gini coefficient: 0 is even, and near 1 is all to one of many.
    pub gini: f64,
}

impl Counters {
    /// What was counted since the last call, a dispatch after the other; dispatches without atoms are left out.
    pub fn take(&self) -> Vec<DispatchBalance> {
        let mut dispatches = mem::take(&mut *lock(&self.dispatches));
        dispatches.retain(|dispatch| dispatch.atoms > 0);
        dispatches
    }

    pub(super) fn begin(&self) -> Tally {
        Tally { lanes: self.lanes as usize, shares: Mutex::default() }
    }

    pub(super) fn end(&self, kernel: &'static str, tally: &Tally) {
        let Shares { invocations, lane_groups, workgroups, lane_slots } = mem::take(&mut *lock(&tally.shares));
        let mut dispatches = lock(&self.dispatches);
        let atoms = workgroups.total();
        let (iteration, shares) = (dispatches.len() as u32 + 1, invocations.by_digits());
        dispatches.push(DispatchBalance {
            kernel,
            iteration,
            atoms,
            invocations: invocations.spread(),
            lane_groups: lane_groups.spread(),
            workgroups: workgroups.spread(),
            lane_slots,
            simd_efficiency: ratio(atoms, lane_slots),
            shares,
        });
    }
}

/// One dispatch's counts; its workgroups add to them as they end.
pub(super) struct Tally {
    lanes: usize,
    shares: Mutex<Shares>,
}

#[derive(Default)]
struct Shares {
    invocations: Histogram,
    lane_groups: Histogram,
    workgroups: Histogram,
    lane_slots: u64,
}

impl Tally {
    /// A workgroup whose invocations took that many atoms each.
    pub(super) fn add(&self, workgroup: &[u64]) {
        let mut shares = lock(&self.shares);
        shares.workgroups.add(workgroup.iter().sum());
        for group in workgroup.chunks(self.lanes) {
            shares.lane_groups.add(group.iter().sum());
            shares.lane_slots += group.len() as u64 * group.iter().max().copied().unwrap_or(0);
        }
        workgroup.iter().for_each(|share| shares.invocations.add(*share));
    }
}

/// How many had a share of each size, by size.
#[derive(Default)]
struct Histogram(BTreeMap<u64, u64>);

impl Histogram {
    fn add(&mut self, share: u64) {
        *self.0.entry(share).or_default() += 1;
    }

    fn total(&self) -> u64 {
        self.0.iter().map(|(share, count)| share * count).sum()
    }

    fn spread(&self) -> Spread {
        let (count, total) = (self.0.values().sum(), self.total());
        let (max, mean) = (self.0.keys().last().copied().unwrap_or(0), ratio(total, count));
        let max_over_mean = if total == 0 { 1.0 } else { max as f64 / mean };
        Spread { count, max, mean, max_over_mean, gini: self.gini(count, total) }
    }

    /// How many had a share of 0, 1, 2–3, 4–7 and so on: of each number of binary digits.
    fn by_digits(&self) -> Vec<u64> {
        let mut counts = Vec::new();
        for (share, count) in &self.0 {
            let digits = (u64::BITS - share.leading_zeros()) as usize;
            counts.resize(digits + 1, 0);
            counts[digits] += count;
        }
        counts
    }

    /// Σᵢ (2i − n − 1) xᵢ / (n Σ x), with the n shares x in rising order and i from 1 on.
    fn gini(&self, count: u64, total: u64) -> f64 {
        let mut before = 0;
        let mut sum = 0i128;
        for (share, equal) in &self.0 {
            // The sum of 2i − n − 1 over a run of equal shares, the first of which has i = before + 1.
            sum += i128::from(*equal) * (i128::from(2 * before + equal) - i128::from(count)) * i128::from(*share);
            before += equal;
        }
        if total == 0 { 0.0 } else { sum as f64 / (count as f64 * total as f64) }
    }
}

/// A part of a whole; of nothing, all.
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn balance(lanes: u32, workgroups: &[&[u64]]) -> DispatchBalance {
        let counters = Counters { lanes, dispatches: Arc::default() };
        let tally = counters.begin();
        workgroups.iter().for_each(|workgroup| tally.add(workgroup));
        counters.end("kernel", &tally);
        counters.take().remove(0)
    }

    #[test]
    fn equal_shares_are_even() {
        let even = balance(2, &[&[3, 3, 3, 3], &[3, 3, 3, 3]]);
        assert_eq!((even.atoms, even.lane_slots, even.simd_efficiency), (24, 24, 1.0));
        let spread = |count, max| Spread { count, max, mean: max as f64, max_over_mean: 1.0, gini: 0.0 };
        assert_eq!((even.invocations, even.lane_groups, even.workgroups), (spread(8, 3), spread(4, 6), spread(2, 12)));
        assert_eq!(even.shares, [0, 0, 8]);
    }

    #[test]
    fn all_to_one_is_uneven() {
        let one = balance(2, &[&[8, 0, 0, 0]]);
        assert_eq!(one.invocations, Spread { count: 4, max: 8, mean: 2.0, max_over_mean: 4.0, gini: 0.75 });
        assert_eq!(one.lane_groups, Spread { count: 2, max: 8, mean: 4.0, max_over_mean: 2.0, gini: 0.5 });
        assert_eq!((one.lane_slots, one.simd_efficiency), (16, 0.5));
        assert_eq!(one.shares, [3, 0, 0, 0, 1]);
    }

    #[test]
    fn the_gini_figure_is_the_mean_difference() {
        let shares: [u64; 6] = [1, 1, 2, 5, 9, 0];
        let differences: u64 = shares.iter().flat_map(|a| shares.iter().map(|b| a.abs_diff(*b))).sum();
        let expected = differences as f64 / (2.0 * 6.0 * shares.iter().sum::<u64>() as f64);
        assert!((balance(1, &[&shares]).invocations.gini - expected).abs() < 1e-12);
    }

    #[test]
    fn a_group_that_the_workgroup_cuts_short_has_only_the_lanes_it_has() {
        let cut = balance(2, &[&[4, 4, 4]]);
        assert_eq!((cut.lane_slots, cut.lane_groups.count), (12, 2));
    }

    #[test]
    fn dispatches_are_numbered_and_those_without_atoms_left_out() {
        let counters = Counters { lanes: 4, dispatches: Arc::default() };
        for shares in [[1, 1], [0, 0], [2, 0]] {
            let tally = counters.begin();
            tally.add(&shares);
            counters.end("kernel", &tally);
        }
        let iterations: Vec<_> = counters.take().iter().map(|dispatch| dispatch.iteration).collect();
        assert_eq!(iterations, [1, 3]);
        assert!(counters.take().is_empty());
    }
}

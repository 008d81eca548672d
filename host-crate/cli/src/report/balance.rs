//! How evenly strategies share out a user's own graph, as a program reads it and as a person does: what was counted in each
//! dispatch, and for each strategy a few figures over all of them.
//!
//! A dispatch lasts as long as its longest share, so shares over a run are compared as times would be: the sum of the
//! dispatches' largest over the sum of their means. Many dispatches of little work then do not hide one that matters.

use super::table::table;
use evenkeel::report::{GraphReport, shown::three_digits};
use evenkeel::{
    device::balance::{DispatchBalance, Spread},
    graph::NodeName,
    numerals::grouped,
};
use serde::Serialize;
use std::fmt;

/// One object for one command.
#[derive(Clone, Debug, Serialize)]
pub struct BalanceReport {
    /// The version of evenkeel.
    pub version: &'static str,
    /// The graph as the algorithm got it.
    pub graph: GraphReport,
    /// The algorithm's name.
    pub algorithm: &'static str,
    /// The own id of the node it began at; null for what begins nowhere.
    pub source: Option<NodeName<'static>>,
    /// How many neighbouring invocations count as a group.
    pub lanes: u32,
    /// A strategy after the other.
    pub strategies: Vec<StrategyBalance>,
}

/// How evenly one strategy shares out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StrategyBalance {
    /// Its name.
    pub strategy: String,
    /// All atoms: edges taken, or entries multiplied.
    pub atoms: u64,
    /// The largest share over the mean share, over all dispatches: 1 is even.
    pub max_over_mean: Levels,
    /// The Gini coefficient of the shares, the dispatches' mean by their atoms: 0 is even.
    pub gini: Levels,
    /// The share of lanes with work, in the time that their groups were busy.
    pub simd_efficiency: f64,
    /// The share of lanes without work in that time.
    pub idle_lanes: f64,
    /// How many invocations took 0, 1, 2–3, 4–7, … atoms of a dispatch, over all of them.
    pub shares: Vec<u64>,
    /// The dispatch whose largest share is furthest above its mean; null where there were no atoms.
    pub worst: Option<DispatchBalance>,
    /// Every dispatch that had atoms.
    pub dispatches: Vec<DispatchBalance>,
}

/// A figure for each of the three that atoms are shared out to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Levels {
    /// Invocations.
    pub invocations: f64,
    /// Groups of neighbouring invocations.
    pub lane_groups: f64,
    /// Workgroups.
    pub workgroups: f64,
}

impl Levels {
    fn of(figure: impl Fn(fn(&DispatchBalance) -> Spread) -> f64) -> Self {
        Self {
            invocations: figure(|dispatch| dispatch.invocations),
            lane_groups: figure(|dispatch| dispatch.lane_groups),
            workgroups: figure(|dispatch| dispatch.workgroups),
        }
    }
}

impl StrategyBalance {
    /// What a run's dispatches come to.
    pub fn new(strategy: String, dispatches: Vec<DispatchBalance>) -> Self {
        let sum = |figure: &dyn Fn(&DispatchBalance) -> f64| dispatches.iter().map(figure).sum::<f64>();
        // Where nothing was shared out, nothing was uneven.
        let over = |part: f64, whole: f64, even: f64| if whole == 0.0 { even } else { part / whole };
        let atoms = sum(&|dispatch| dispatch.atoms as f64);
        let simd_efficiency = over(atoms, sum(&|dispatch| dispatch.lane_slots as f64), 1.0);
        let excess = |dispatch: &DispatchBalance| dispatch.invocations.max as f64 - dispatch.invocations.mean;
        Self {
            strategy,
            atoms: dispatches.iter().map(|dispatch| dispatch.atoms).sum(),
            max_over_mean: Levels::of(|of| {
                over(sum(&|dispatch| of(dispatch).max as f64), sum(&|dispatch| of(dispatch).mean), 1.0)
            }),
            gini: Levels::of(|of| over(sum(&|dispatch| dispatch.atoms as f64 * of(dispatch).gini), atoms, 0.0)),
            simd_efficiency,
            idle_lanes: 1.0 - simd_efficiency,
            shares: sum_of_shares(&dispatches),
            worst: dispatches.iter().max_by(|a, b| excess(a).total_cmp(&excess(b))).cloned(),
            dispatches,
        }
    }

    fn row(&self) -> Vec<String> {
        let mut row = vec![self.strategy.clone(), grouped(self.atoms), grouped(self.dispatches.len() as u64)];
        let Levels { invocations, lane_groups, workgroups } = self.max_over_mean;
        row.extend([invocations, lane_groups, workgroups].map(three_digits));
        row.push(format!("{} {:>3.0} %", bar(self.simd_efficiency), 100.0 * self.idle_lanes));
        row.push(format!("{:.2}", self.gini.invocations));
        row.push(self.worst.as_ref().map_or(String::new(), |worst| {
            let (iteration, Spread { max, mean, .. }) = (grouped(worst.iteration.into()), worst.invocations);
            format!("{iteration}: {}, mean {}", grouped(max), three_digits(mean))
        }));
        row
    }
}

fn sum_of_shares(dispatches: &[DispatchBalance]) -> Vec<u64> {
    let mut sum = vec![0; dispatches.iter().map(|dispatch| dispatch.shares.len()).max().unwrap_or(0)];
    for (digits, count) in dispatches.iter().flat_map(|dispatch| dispatch.shares.iter().enumerate()) {
        sum[digits] += count;
    }
    sum
}

const BAR: usize = 16;

/// A part of 1 as a bar.
fn bar(part: f64) -> String {
    let full = ((part * BAR as f64).round() as usize).min(BAR);
    "█".repeat(full) + &"░".repeat(BAR - full)
}

impl fmt::Display for BalanceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lanes = format!(">by {} lanes", self.lanes);
        let mut headings = vec!["strategy", ">atoms", ">dispatches", ">max/mean", &lanes, ">by workgroup"];
        headings.extend(["lanes busy, idle", ">Gini", "worst iteration"]);
        writeln!(f, "graph     {}", self.graph)?;
        let from = self.source.as_ref().map_or(String::new(), |source| format!(" from node {source}"));
        writeln!(f, "counted   {}{from} on the CPU, where a subgroup is one invocation wide\n", self.algorithm)?;
        writeln!(f, "{}", table(&headings, self.strategies.iter().map(StrategyBalance::row)))?;
        f.write_str(LEGEND)
    }
}

const LEGEND: &str = "\
max/mean  largest share of the atoms over the mean share: by invocation, by group of lanes, by workgroup; 1 is even
idle      lanes that wait for the busiest of their group, of all the time their group is busy
Gini      of the invocations' shares: 0 is even, near 1 is all to a few
worst     the iteration whose largest share is furthest above the mean
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::example;

    fn dispatch(iteration: u32, count: u64, max: u64, atoms: u64, gini: f64) -> DispatchBalance {
        let mean = atoms as f64 / count as f64;
        let spread = Spread { count, max, mean, max_over_mean: max as f64 / mean, gini };
        DispatchBalance {
            kernel: "node_bfs",
            iteration,
            atoms,
            invocations: spread,
            lane_groups: spread,
            workgroups: spread,
            lane_slots: count * max,
            simd_efficiency: atoms as f64 / (count * max) as f64,
            shares: vec![count - 1, 0, 1],
        }
    }

    /// A first iteration with one busy lane of 256, and a second that is large and nearly even.
    fn balance() -> StrategyBalance {
        StrategyBalance::new("node".into(), vec![dispatch(1, 256, 10, 10, 0.9), dispatch(2, 256, 12, 2560, 0.1)])
    }

    #[test]
    fn a_run_is_weighed_by_its_work() {
        let balance = balance();
        assert_eq!(balance.atoms, 2570);
        assert!((balance.max_over_mean.invocations - 22.0 / (10.0 / 256.0 + 10.0)).abs() < 1e-9);
        assert!((balance.gini.workgroups - (9.0 + 256.0) / 2570.0).abs() < 1e-9);
        assert!((balance.simd_efficiency - 2570.0 / (256.0 * 22.0)).abs() < 1e-9);
        assert_eq!(balance.shares, [510, 0, 2]);
        assert_eq!(balance.worst.map(|worst| worst.iteration), Some(1));
    }

    #[test]
    fn nothing_is_even() {
        let nothing = StrategyBalance::new("node".into(), Vec::new());
        assert_eq!((nothing.max_over_mean.invocations, nothing.gini.invocations, nothing.idle_lanes), (1.0, 0.0, 0.0));
        assert_eq!(nothing.worst, None);
    }

    fn report() -> BalanceReport {
        let graph = example().graph;
        BalanceReport {
            version: "1.2.3",
            graph,
            algorithm: "bfs",
            source: Some(NodeName::Number(7)),
            lanes: 32,
            strategies: vec![balance()],
        }
    }

    #[test]
    fn the_object_has_the_fields_that_programs_read() {
        let object = serde_json::to_value(report()).unwrap();
        let strategy = &object["strategies"][0];
        assert_eq!((&object["source"], &object["lanes"]), (&7.into(), &32.into()));
        assert_eq!((&strategy["strategy"], &strategy["atoms"]), (&"node".into(), &2570.into()));
        assert_eq!(strategy["dispatches"][1]["invocations"]["max"], 12);
        for field in ["max_over_mean", "gini"] {
            assert!(["invocations", "lane_groups", "workgroups"].iter().all(|level| strategy[field][level].is_f64()));
        }
        assert!(strategy["simd_efficiency"].is_f64() && strategy["idle_lanes"].is_f64());
        assert_eq!(strategy["worst"]["iteration"], 1);
    }

    #[test]
    fn a_person_reads_a_table() {
        let text = report().to_string();
        let row = text.lines().find(|line| line.starts_with("node")).unwrap();
        let cells: Vec<_> = row.split_whitespace().collect();
        let expected = "node 2,570 2 2.19 2.19 2.19 ███████░░░░░░░░░ 54 % 0.10 1: 10, mean 0.04";
        assert_eq!(cells.join(" "), expected);
        assert!(text.contains("by 32 lanes") && text.contains("from node 7"), "{text}");
    }

    #[test]
    fn a_bar_is_never_too_long() {
        assert_eq!(
            [0.0, 0.5, 1.0, 1.01].map(|part| bar(part).chars().filter(|cell| *cell == '█').count()),
            [0, 8, 16, 16]
        );
    }
}

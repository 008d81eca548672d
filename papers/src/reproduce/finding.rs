//! What a paper says, and what was found: one rule of verdicts for all papers.

use evenkeel::report::shown::three_digits;
use evenkeel_cli::report::html::{Chart, Data};
use std::fmt;

/// The rule of all verdicts, as reports and the page of the papers print it.
pub const RULE: &str = "A finding holds where what the paper states, a range by both of its bounds or an order, is so in every case that the paper \
     had. It holds in direction where the sign or the order is right but the size is not, or where the graphs only stand for those of the paper. It \
     fails where the sign or the order is another in at least one case. It is not comparable where something that it needs was not measured or \
     cannot be had here, or where it fails on nothing but graphs that stand for the paper's; the reason is given. A range is compared with the digits that \
     are printed, and a single number stands for the range from three to five quarters of it.";

/// A figure or table of a paper, and what was measured for it.
pub struct Part {
    /// Its name as a file: `fig7`.
    pub name: &'static str,
    /// What the paper calls it and what it shows.
    pub title: String,
    /// What must be known to read it.
    pub text: String,
    /// The numbers.
    pub data: Data,
    /// The picture, if there is something to draw.
    pub chart: Option<Chart>,
    /// What the paper concludes from it.
    pub findings: Vec<Finding>,
}

/// What became of a sentence of a paper, by [`RULE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The range or the order that the paper states is so in all cases.
    Holds,
    /// The sign or the order is right, the size is not, or the graphs are others.
    Direction,
    /// The sign or the order is another in some case.
    Fails,
    /// It cannot be compared, for a reason that is given.
    NotComparable,
}

impl Verdict {
    /// All verdicts, the best first.
    pub const ALL: [Self; 4] = [Self::Holds, Self::Direction, Self::Fails, Self::NotComparable];

    fn of(holds: bool) -> Self {
        if holds { Self::Holds } else { Self::Fails }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Holds => "holds",
            Self::Direction => "holds in direction",
            Self::Fails => "fails",
            Self::NotComparable => "not comparable",
        })
    }
}

/// A number in one case, named with its preposition ("on rmat20"); none where it was not measured.
pub type Case = (String, Option<f64>);

/// The range that a paper states for a number, and how the number is written.
#[derive(Clone, Copy, Debug)]
pub struct Range {
    low: f64,
    high: f64,
    /// The number that means no difference.
    neutral: f64,
    /// What a number is multiplied by before it is rounded, compared and written.
    scale: f64,
    digits: usize,
    unit: &'static str,
}

impl Range {
    /// Makes a range of shares, in percent. A bound may be infinite; 0 % is no difference.
    pub const fn percent(low: f64, high: f64) -> Self {
        Self { low, high, neutral: 0.0, scale: 100.0, digits: 0, unit: " %" }
    }

    /// Makes a range of ratios, with two digits behind the point. A bound may be infinite; once is no difference.
    pub const fn times(low: f64, high: f64) -> Self {
        Self { low, high, neutral: 1.0, scale: 1.0, digits: 2, unit: " times" }
    }

    /// That of a single share in percent.
    pub const fn about_percent(number: f64) -> Self {
        Self::percent(0.75 * number, 1.25 * number)
    }

    /// That of a single ratio.
    pub const fn about_times(number: f64) -> Self {
        Self::times(0.75 * number, 1.25 * number)
    }

    /// The same range with another number of digits behind the point.
    pub const fn with_digits(self, digits: usize) -> Self {
        Self { digits, ..self }
    }

    /// A number as it is written, which is as exact as it is compared.
    fn rounded(&self, number: f64) -> f64 {
        let step = 10_f64.powi(self.digits as i32);
        (number * self.scale * step).round() / step
    }

    fn verdict(&self, number: f64) -> Verdict {
        let number = self.rounded(number);
        let is_beyond = self.low >= self.neutral && number > self.neutral;
        let is_below = self.high <= self.neutral && number < self.neutral;
        match (self.low..=self.high).contains(&number) {
            true => Verdict::Holds,
            false if is_beyond || is_below => Verdict::Direction,
            false => Verdict::Fails,
        }
    }

    fn text(&self, number: f64) -> String {
        format!("{:.*}{}", self.digits, self.rounded(number), self.unit)
    }
}

/// What should be the least of several numbers in one case, and the others by name.
pub struct Order<'a> {
    /// The case, named with its preposition.
    pub case: String,
    /// The number that should be the least.
    pub own: Option<f64>,
    /// The others.
    pub others: Vec<(&'a str, Option<f64>)>,
}

impl Order<'_> {
    /// Whether it is, and the numbers; none where one was not measured.
    fn judged(&self) -> Option<(bool, String)> {
        let own = self.own?;
        let others: Vec<(&str, f64)> =
            self.others.iter().map(|(name, time)| Some((*name, (*time)?))).collect::<Option<_>>()?;
        let (name, least) = others.into_iter().min_by(|a, b| a.1.total_cmp(&b.1))?;
        Some((own <= least, format!("{} ms {}, {name} {}", three_digits(own), self.case, three_digits(least))))
    }
}

/// A sentence of a paper, and what became of it.
pub struct Finding {
    /// What the paper says.
    pub says: &'static str,
    /// The numbers behind the verdict, or the reason why there is none.
    pub here: String,
    /// Whether it holds here.
    pub verdict: Verdict,
    /// The cases in which it does not, where they were judged one by one.
    failing: Vec<String>,
}

/// Graphs that stand for those of a paper, among the graphs that a finding is about.
pub struct Substitutes {
    /// The paper's names of the graphs.
    pub graphs: Vec<String>,
    /// Whether the finding is about no other graph.
    pub all: bool,
    /// What they are.
    pub reason: String,
}

impl Substitutes {
    /// Whether a case, whose name ends with that of its graph, is of one of these graphs.
    fn has(&self, case: &str) -> bool {
        self.all || self.graphs.iter().any(|graph| case.ends_with(graph.as_str()))
    }
}

impl Finding {
    /// A sentence without a size: it holds or fails, or was not measured.
    pub fn new(says: &'static str, measured: Option<(bool, String)>) -> Self {
        match measured {
            Some((holds, here)) => Self { says, here, verdict: Verdict::of(holds), failing: Vec::new() },
            None => Self::not_comparable(says, "not measured"),
        }
    }

    /// A sentence that cannot be judged here.
    pub fn not_comparable(says: &'static str, reason: impl Into<String>) -> Self {
        Self { says, here: reason.into(), verdict: Verdict::NotComparable, failing: Vec::new() }
    }

    /// A sentence that states a range, which every case must be in.
    pub fn range(says: &'static str, range: Range, cases: &[Case]) -> Self {
        let judge = |number: f64| (range.verdict(number), range.text(number));
        let judged = cases.iter().map(|(case, number)| {
            let judged = number.map(judge);
            (case.clone(), judged.map(|(verdict, text)| (verdict, format!("{text} {case}"))))
        });
        Self::of_cases(says, judged.collect(), ", ")
    }

    /// A sentence that is so or is not in each case; the texts of the cases name them.
    pub fn each(says: &'static str, cases: Vec<(String, Option<(bool, String)>)>) -> Self {
        let judged = |(case, judged): (String, Option<(bool, String)>)| {
            (case, judged.map(|(holds, text)| (Verdict::of(holds), text)))
        };
        Self::of_cases(says, cases.into_iter().map(judged).collect(), "; ")
    }

    /// A sentence that says what is the least in every case.
    pub fn order(says: &'static str, orders: &[Order<'_>]) -> Self {
        Self::each(says, orders.iter().map(|order| (order.case.clone(), order.judged())).collect())
    }

    /// The worst verdict of all cases. A case that is missing leaves open what no other one denies.
    fn of_cases(says: &'static str, cases: Vec<(String, Option<(Verdict, String)>)>, between: &str) -> Self {
        let (mut verdict, mut texts) = (Verdict::Holds, Vec::new());
        let (mut missing, mut failing): (Vec<String>, Vec<String>) = Default::default();
        let count = cases.len();
        for (case, judged) in cases {
            let Some((own, text)) = judged else {
                missing.push(case);
                continue;
            };
            failing.extend((own == Verdict::Fails).then_some(case));
            verdict = match (verdict, own) {
                (Verdict::Fails, _) | (_, Verdict::Fails) => Verdict::Fails,
                (Verdict::Direction, _) | (_, Verdict::Direction) => Verdict::Direction,
                _ => Verdict::Holds,
            };
            texts.push(text);
        }
        if texts.is_empty() {
            return Self::not_comparable(says, "not measured");
        }
        let mut here = texts.join(between);
        if !missing.is_empty() {
            here += &format!("; not measured {}", missing.join(", "));
        }
        if !failing.is_empty() && count > 1 {
            here += &format!("; not so in {} of {count}", failing.len());
        }
        if !missing.is_empty() && verdict != Verdict::Fails {
            verdict = Verdict::NotComparable;
        }
        Self { says, here, verdict, failing }
    }

    /// The finding where some graphs are not the paper's: it holds in direction at best, and what fails on them alone is not comparable.
    pub fn on_substitutes(self, substitutes: Option<Substitutes>) -> Self {
        let is_open = self.verdict == Verdict::NotComparable;
        let Some(substitutes) = substitutes.filter(|_| !is_open) else { return self };
        let fails_elsewhere = self.failing.iter().any(|case| !substitutes.has(case));
        let (verdict, remark) = match self.verdict {
            Verdict::Fails if fails_elsewhere => (Verdict::Fails, ""),
            Verdict::Fails => (Verdict::NotComparable, "fails, but "),
            _ => (Verdict::Direction, ""),
        };
        Self { here: format!("{}; {remark}{}", self.here, substitutes.reason), verdict, ..self }
    }
}

/// By how much the second is less than the first, of the first.
pub fn less(first: f64, second: f64) -> f64 {
    1.0 - second / first
}

/// A share in whole percent.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(numbers: &[Option<f64>]) -> Vec<Case> {
        numbers.iter().enumerate().map(|(place, number)| (format!("on {place}"), *number)).collect()
    }

    fn judged(range: Range, numbers: &[Option<f64>]) -> (Verdict, String) {
        let finding = Finding::range("", range, &cases(numbers));
        (finding.verdict, finding.here)
    }

    #[test]
    fn the_page_of_the_papers_prints_the_rule() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/papers.md");
        assert!(words(&std::fs::read_to_string(page).unwrap()).contains(&words(RULE)), "{RULE}");
    }

    #[test]
    fn a_range_has_two_bounds() {
        let range = Range::percent(60.0, 80.0);
        let verdict = |share: f64| judged(range, &[Some(0.7), Some(share)]).0;
        assert_eq!([0.6, 0.8, 0.5951, 0.8049].map(verdict), [Verdict::Holds; 4]);
        assert_eq!([0.59, 0.81, 0.01].map(verdict), [Verdict::Direction; 3]);
        assert_eq!([0.0, -0.7].map(verdict), [Verdict::Fails; 2]);
        let chunking = Range::times(1.11, 3.125);
        assert_eq!(judged(chunking, &[Some(5.0)]).0, Verdict::Direction);
        assert_eq!(judged(chunking, &[Some(0.9)]).0, Verdict::Fails);
    }

    #[test]
    fn the_worst_case_decides_and_all_are_shown() {
        let range = Range::percent(60.0, 80.0);
        let expected = "70 % on 0, 30 % on 1, -2 % on 2; not so in 1 of 3";
        assert_eq!(judged(range, &[Some(0.7), Some(0.3), Some(-0.02)]), (Verdict::Fails, expected.into()));
        assert_eq!(judged(range, &[Some(0.3), Some(0.7)]).0, Verdict::Direction);
    }

    #[test]
    fn a_range_around_no_difference_has_no_direction() {
        let alike = Range::percent(-5.0, 5.0);
        assert_eq!(judged(alike, &[Some(-0.04)]).0, Verdict::Holds);
        assert_eq!(judged(alike, &[Some(0.2)]).0, Verdict::Fails);
        let least = Range::times(2.0, f64::INFINITY);
        assert_eq!([1.2, 40.0].map(|it| judged(least, &[Some(it)]).0), [Verdict::Direction, Verdict::Holds]);
        let slower = Range::percent(f64::NEG_INFINITY, 0.0);
        assert_eq!(judged(slower, &[Some(-0.5)]).0, Verdict::Holds);
    }

    #[test]
    fn a_single_number_is_a_quarter_wide() {
        let about = Range::about_percent(24.0);
        assert_eq!([0.18, 0.30].map(|it| judged(about, &[Some(it)]).0), [Verdict::Holds; 2]);
        assert_eq!([0.17, 0.31].map(|it| judged(about, &[Some(it)]).0), [Verdict::Direction; 2]);
    }

    #[test]
    fn a_missing_case_leaves_open_what_no_other_denies() {
        let range = Range::percent(60.0, 80.0);
        assert_eq!(judged(range, &[None, None]), (Verdict::NotComparable, "not measured".into()));
        assert_eq!(judged(range, &[Some(0.7), None]), (Verdict::NotComparable, "70 % on 0; not measured on 1".into()));
        assert_eq!(judged(range, &[Some(-0.7), None]).0, Verdict::Fails);
        assert_eq!(Finding::new("", None).verdict, Verdict::NotComparable);
    }

    #[test]
    fn an_order_is_that_of_each_case() {
        let order = |own: f64, other: Option<f64>| Order {
            case: "on it".into(),
            own: Some(own),
            others: vec![("far", Some(9.0)), ("near", other)],
        };
        let first = Finding::order("", &[order(1.0, Some(2.0)), order(2.0, Some(2.0))]);
        assert_eq!(
            (first.verdict, first.here.as_str()),
            (Verdict::Holds, "1.00 ms on it, near 2.00; 2.00 ms on it, near 2.00")
        );
        assert_eq!(Finding::order("", &[order(1.0, Some(2.0)), order(3.0, Some(2.0))]).verdict, Verdict::Fails);
        assert_eq!(Finding::order("", &[order(1.0, None)]).verdict, Verdict::NotComparable);
    }

    #[test]
    fn graphs_that_stand_for_others_give_a_direction_at_best() {
        let roads = |all: bool| Some(Substitutes { graphs: vec!["1".into()], all, reason: "1 is generated".into() });
        let on = |holds: bool| Finding::new("", Some((holds, "5".into()))).on_substitutes(roads(false));
        assert_eq!((on(true).verdict, on(true).here), (Verdict::Direction, "5; 1 is generated".into()));
        assert_eq!(
            (on(false).verdict, on(false).here),
            (Verdict::NotComparable, "5; fails, but 1 is generated".into())
        );
        assert_eq!(Finding::new("", Some((true, "5".into()))).on_substitutes(None).verdict, Verdict::Holds);
        let range = |numbers: [f64; 2], all: bool| {
            let cases = cases(&numbers.map(Some));
            Finding::range("", Range::percent(60.0, 80.0), &cases).on_substitutes(roads(all)).verdict
        };
        assert_eq!(range([0.7, 0.7], false), Verdict::Direction);
        assert_eq!(range([0.7, -0.7], false), Verdict::NotComparable, "it fails on the substitute alone");
        assert_eq!(range([-0.7, 0.7], false), Verdict::Fails);
        assert_eq!(range([-0.7, 0.7], true), Verdict::NotComparable);
    }
}

//! That the schedules serve other formats and other products than a matrix by its rows times a vector.

use super::{
    super::{
        finding::{Finding, Part},
        results::Results,
    },
    SCHEDULES,
};
use evenkeel_cli::report::html::{Cell, Data};
use serde_json::Value;

/// Products in other layouts: an experiment for each of some graphs.
pub const LAYOUTS: [&str; 3] = ["coo", "coo-rows", "csc"];
/// What the names of experiments with a product of two sparse matrices begin with.
pub const SPARSE: &str = "spgemm ";

/// Products from entries and from columns, under the same schedules.
pub fn layouts(results: &Results) -> Part {
    let mut data = Data::new(&[
        "matrix",
        "schedule",
        "csr ms",
        "coo ms",
        "coo-rows ms",
        "csc ms",
        "ready after ms: coo",
        "coo-rows",
        "csc",
    ]);
    let mut judged = Judged::default();
    let first = format!("{} ", LAYOUTS[0]);
    for graph in results.records().iter().filter_map(|record| record.experiment.strip_prefix(&first)) {
        for schedule in SCHEDULES {
            let number = |layout: &str, pointer: &str| results.number(&format!("{layout} {graph}"), schedule, pointer);
            let mut row = vec![Cell::text(graph), Cell::text(schedule)];
            for layout in [&["spmv"][..], &LAYOUTS].concat() {
                row.push(Cell::maybe(number(layout, "/median/kernel_ms"), |time| Cell::real(time, 4)));
            }
            for layout in LAYOUTS {
                row.push(Cell::maybe(number(layout, "/prepare_ms/total"), |time| Cell::real(time, 2)));
                judged.add(results.entry(&format!("{layout} {graph}"), schedule));
            }
            data.rows.push(row);
        }
    }
    Part {
        name: "layouts",
        title: "Formats: CSR, COO and CSC".into(),
        text: "From a list of entries (coo) or from columns (csc) each entry is a tile, and adds its term to its row by an atomic addition. \
               coo-rows takes the list as sorted by rows: a kernel finds where each begins, and rows are tiles. Ready after: what it takes until \
               the first product can begin; CSC is transposed on the host."
            .into(),
        data,
        chart: None,
        findings: vec![Finding::new("The same schedules serve matrices as CSR, CSC and COO", judged.found())],
    }
}

/// Section 5.3: the product of two sparse matrices.
pub fn sparse_products(results: &Results) -> Part {
    let mut data = Data::new(&[&["matrix"], &SCHEDULES[..]].concat());
    let mut judged = Judged::default();
    for record in results.records() {
        let Some(graph) = record.experiment.strip_prefix(SPARSE) else { continue };
        let mut row = vec![Cell::text(graph)];
        for schedule in SCHEDULES {
            let time = results.number(&record.experiment, schedule, "/median/kernel_ms");
            row.push(Cell::maybe(time, |time| Cell::real(time, 3)));
            judged.add(results.entry(&record.experiment, schedule));
        }
        data.rows.push(row);
    }
    Part {
        name: "spgemm",
        title: "Section 5.3: the product of two sparse matrices".into(),
        text: "Milliseconds of a matrix times itself: rows are tiles and their products atoms, which are formed under a schedule, sorted, and added \
               up under the same one. The contraction of a sparse tensor, which section 3.3 names, is the program tensor of examples/own-kernel."
            .into(),
        data,
        chart: None,
        findings: vec![Finding::new("The schedules serve the product of two sparse matrices", judged.found())],
    }
}

/// How many products were right.
#[derive(Default)]
struct Judged {
    ran: usize,
    wrong: usize,
    refused: Vec<String>,
}

impl Judged {
    fn add(&mut self, entry: Option<&Value>) {
        match entry.map(|entry| (entry.get("refused").and_then(Value::as_str), &entry["valid"])) {
            Some((Some(reason), _)) => self.refused.push(reason.to_owned()),
            Some((None, valid)) => {
                self.ran += 1;
                self.wrong += usize::from(*valid != Value::Bool(true));
            }
            None => {}
        }
    }

    /// Whether all were, and the numbers; nothing where none was measured.
    fn found(self) -> Option<(bool, String)> {
        let here = match self.refused.first() {
            Some(reason) => format!("{} refused: {reason}", self.refused.len()),
            None => format!("{} products, {} of them wrong", self.ran, self.wrong),
        };
        (self.ran + self.refused.len() > 0).then_some((self.wrong == 0 && self.refused.is_empty(), here))
    }
}

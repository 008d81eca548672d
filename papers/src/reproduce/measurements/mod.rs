//! What the documentation says of this program: every algorithm on graphs of several kinds, beside other programs. Figures of those, and of
//! processors, are in files beside the results.

mod claims;
mod kept;
mod plan;
mod readme;
mod tables;
#[cfg(test)]
mod tests;

use super::{Paper, finding::Part, results::Results};

pub const PAPER: Paper = Paper {
    name: "measurements",
    cite: "Measurements of evenkeel, beside other programs",
    device: "",
    experiments: plan::experiments,
    parts,
};

fn parts(results: &Results) -> Vec<Part> {
    let compared = tables::TABLES.iter().map(|table| tables::compared(results, table));
    let rest = [
        tables::structure(results),
        tables::many_sources(results),
        tables::checked(results),
        tables::machine(results),
        kept::gapbs(results),
        kept::gapbs_structure(results),
        kept::auto_on_cpu(results),
        kept::reading(results),
        kept::peers(results),
        readme::strategies(results),
        readme::beside(results),
    ];
    let mut parts: Vec<Part> = compared.chain(rest).flatten().collect();
    for part in &mut parts {
        part.findings = claims::findings(results, part.name);
    }
    parts
}

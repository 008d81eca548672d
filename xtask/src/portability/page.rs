//! The results as the tables of the page on devices.

use super::{
    Results,
    amd::{KNOWN_REFUSAL, Registers},
};
use crate::page::{table, text_table};

/// Kernels that are named in the table of those with the fewest subgroups at a time.
const WORST: usize = 8;

pub fn text(results: &Results) -> String {
    [runs(results), families(results), worst(results), languages(results)].join("\n")
}

/// What ran where.
fn runs(results: &Results) -> String {
    let ran = results.rest.ran.iter().map(|device| {
        let refused = device.refused.iter().map(|(what, reason)| format!("`{what}`: {reason}"));
        let refused: Vec<String> = refused.collect();
        vec![
            device.device.clone(),
            device.driver.clone(),
            device.subgroup.to_string(),
            format!("{} algorithms, {} strategies", device.algorithms, device.strategies),
            format!("all {} answers right", device.right),
            if refused.is_empty() { "nothing".to_owned() } else { refused.join("; ") },
        ]
    });
    let compiled = results.rest.compiled.iter().map(|family| {
        let sizes = |registers: &Registers| (registers.family == family.family).then_some(registers.figures[0]);
        let mut sizes: Vec<u64> = results.registers.iter().filter_map(sizes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
        vec![
            format!("AMD {}, not in the machine", family.family),
            family.driver.clone(),
            sizes.join(", "),
            "compiled, not run".to_owned(),
            format!("{} kernels compiled", family.kernels),
            format!("{} kernels that need {KNOWN_REFUSAL}", family.refused),
        ]
    });
    let headings = ["device", "driver", "subgroup", "what", "result", "refused"];
    text_table(&headings, ran.chain(compiled))
}

/// The registers of each family's kernels.
fn families(results: &Results) -> String {
    let rows = results.rest.compiled.iter().map(|family| {
        let kernels: Vec<&Registers> =
            results.registers.iter().filter(|registers| registers.family == family.family).collect();
        let sorted = |figure: fn(&Registers) -> u64| {
            let mut figures: Vec<u64> = kernels.iter().map(|registers| figure(registers)).collect();
            figures.sort_unstable();
            figures
        };
        let (vgprs, occupancy) = (sorted(Registers::vgprs), sorted(Registers::occupancy));
        let [median, most] = [vgprs.get(vgprs.len() / 2), vgprs.last()].map(|figure| figure.copied().unwrap_or(0));
        let full = occupancy.last().copied().unwrap_or(0);
        vec![
            family.family.clone(),
            kernels.len().to_string(),
            median.to_string(),
            most.to_string(),
            kernels.iter().filter(|registers| registers.spilled() > 0).count().to_string(),
            format!("{} of {}", occupancy.iter().filter(|figure| **figure == full).count(), kernels.len()),
            format!("{} of {full}", occupancy.first().copied().unwrap_or(0)),
        ]
    });
    let headings = [
        "family",
        "kernels",
        "vector registers, median",
        "most",
        "kernels that spill",
        "kernels at full occupancy",
        "least subgroups a SIMD unit",
    ];
    table(&headings, rows)
}

/// The kernels with the lowest occupancy on the newest family.
fn worst(results: &Results) -> String {
    let Some(newest) = results.rest.compiled.last() else { return String::new() };
    let mut kernels: Vec<&Registers> =
        results.registers.iter().filter(|registers| registers.family == newest.family).collect();
    kernels.sort_by_key(|registers| (registers.occupancy(), u64::MAX - registers.vgprs(), registers.kernel.clone()));
    let rows = kernels.iter().take(WORST).map(|registers| {
        let figures =
            [registers.vgprs(), registers.figures[1], registers.spilled(), registers.figures[5], registers.occupancy()];
        [registers.kernel.clone()].into_iter().chain(figures.map(|figure| figure.to_string())).collect()
    });
    let first = format!("kernel on {}", newest.family);
    let headings =
        [&first, "vector registers", "scalar registers", "spilled", "workgroup memory", "subgroups a SIMD unit"];
    table(&headings, rows)
}

fn languages(results: &Results) -> String {
    let rows = results.rest.translated.iter().map(|language| {
        let refused = language.refused.iter().map(|refused| format!("{}: {}", refused.kernels.len(), refused.reason));
        let refused: Vec<String> = refused.collect();
        vec![
            language.language.clone(),
            language.tool.clone(),
            language.translated.to_string(),
            if refused.is_empty() { "none".to_owned() } else { refused.join("; ") },
        ]
    });
    text_table(&["language", "by", "kernels translated", "refused"], rows)
}

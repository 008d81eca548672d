//! Contracts a random sparse tensor of third order with a vector and with two matrices, under the schedule that the command line names, and checks every
//! element against a plain loop over the entries.
//!
//! ```sh
//! cargo run --release --bin tensor -- --schedule merge-path
//! ```

mod contract;
mod csf;

use clap::Parser;
use contract::{COLUMNS, Contractions, Dense};
use csf::Csf;
use evenkeel::{
    Result,
    device::{Device, DeviceOptions},
    engine::schedule::Choice,
};
use std::process::ExitCode;

#[derive(Parser)]
#[command(about = "Contractions of a sparse tensor with dense ones")]
struct Arguments {
    /// How many entries are drawn; those that are drawn twice are one
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    entries: usize,
    /// Who does which part: thread-mapped, group-mapped, group-mapped:SIZE, merge-path, nonzero-split or radix-binned
    #[arg(long, value_name = "NAME", default_value = "merge-path")]
    schedule: Choice,
    /// Where: auto, cpu, a device's number or a part of its name
    #[arg(long, value_name = "NAME", default_value = "auto")]
    device: String,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(mismatch)) => {
            eprintln!("wrong: {mismatch}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(error.exit_status())
        }
    }
}

/// Does it all, and returns the first wrong element, if there is one.
fn run(arguments: &Arguments) -> Result<Option<String>> {
    let tensor = Csf::random([300, 200, 100], arguments.entries);
    let dense = Dense::random(&tensor);
    let device = Device::open(&arguments.device, &DeviceOptions::default())?;
    let mut contractions = Contractions::prepare(&device, &tensor, &dense, arguments.schedule)?;
    let busy = contractions.run()?;
    let (by_fiber, by_slice) = contractions.results()?;
    let (slices, fibers, entries) = (tensor.slices(), tensor.fibers(), tensor.values.len());
    println!("{slices} slices of {fibers} fibers with {entries} entries, the longest slice with {}", tensor.longest());
    println!("{} on {}: {:.3} ms", arguments.schedule, device.info().name, busy.as_secs_f64() * 1e3);
    let mismatch = first_mismatch(&tensor, &dense, &by_fiber, &by_slice);
    if mismatch.is_none() {
        println!("times a vector and times two matrices of {COLUMNS} columns: all as a plain loop finds them");
    }
    Ok(mismatch)
}

/// A sum in double precision, and the sum of its terms' sizes.
#[derive(Clone, Copy, Default)]
struct Expected {
    sum: f64,
    size: f64,
    terms: f64,
}

impl Expected {
    fn add(&mut self, term: f64) {
        *self = Self { sum: self.sum + term, size: self.size + term.abs(), terms: self.terms + 1.0 };
    }

    /// Whether single precision may have found this: two roundings of each term, and one for each addition.
    fn may_be(self, found: f32) -> bool {
        (f64::from(found) - self.sum).abs() <= (self.terms + 3.0) * f64::from(f32::EPSILON) * self.size
    }
}

/// The first element of either result that a plain loop over the entries finds otherwise.
fn first_mismatch(tensor: &Csf, dense: &Dense, by_fiber: &[f32], by_slice: &[[f32; COLUMNS]]) -> Option<String> {
    let mut of_fibers = vec![Expected::default(); tensor.fibers()];
    let mut of_slices = vec![[Expected::default(); COLUMNS]; tensor.slices()];
    for (slice, of_slice) in of_slices.iter_mut().enumerate() {
        for fiber in tensor.first_fibers[slice]..tensor.first_fibers[slice + 1] {
            for entry in tensor.begins[fiber as usize]..tensor.begins[fiber as usize + 1] {
                let entry = entry as usize;
                let (value, j, k) =
                    (f64::from(tensor.values[entry]), tensor.second[entry] as usize, tensor.third[entry] as usize);
                of_fibers[fiber as usize].add(value * f64::from(dense.vector[k]));
                for (column, expected) in of_slice.iter_mut().enumerate() {
                    expected.add(value * f64::from(dense.left[j][column]) * f64::from(dense.right[k][column]));
                }
            }
        }
    }
    let wrong = |what: &str, place: usize, expected: Expected, found: f32| {
        (!expected.may_be(found)).then(|| format!("{what} {place}: {found}, expected {}", expected.sum))
    };
    let fibers = of_fibers.iter().zip(by_fiber).enumerate();
    let slices = of_slices.iter().zip(by_slice).enumerate();
    let columns = |(place, (expected, found)): (usize, (&[Expected; COLUMNS], &[f32; COLUMNS]))| {
        expected.iter().zip(found).find_map(|(expected, found)| wrong("slice", place, *expected, *found))
    };
    let mut fibers = fibers.filter_map(|(place, (expected, found))| wrong("fiber", place, *expected, *found));
    fibers.next().or_else(|| slices.into_iter().find_map(columns))
}

//! Sparse matrix times dense vector, y = A x, in single precision, under any schedule.

use super::{Algorithm, Run};
use crate::{
    Result,
    device::{Buffer, Device, MemoryPlan, Recording},
    graph::{Csr, Weights, generate::random::mix},
    schedule::{Choice, Room, Schedule},
    strategy::{self, DeviceGraph},
};
use evenkeel_kernels::spmv::SpmvF32;
use evenkeel_types::ProductParams;
use std::time::Instant;

pub(super) const ALGORITHM: Algorithm =
    Algorithm { name: "spmv", summary: "sparse matrix times dense vector, in single precision" };

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct SpmvConfig {
    /// Who does which part: a schedule's name, group-mapped:SIZE, or auto, which looks at the rows
    #[arg(long, value_name = "NAME", default_value = AUTO, value_parser = known_schedule)]
    pub schedule: String,
}

/// In place of a schedule's name: whichever suits the rows and the device.
pub const AUTO: &str = "auto";

/// That name, if a schedule has it or it is `auto`: for the command line.
///
/// # Errors
/// When there is no such schedule.
pub fn known_schedule(name: &str) -> Result<String> {
    if name == AUTO { Ok(name.to_owned()) } else { name.parse::<Choice>().map(|choice| choice.to_string()) }
}

impl SpmvConfig {
    fn choice(&self, csr: &Csr) -> Result<Choice> {
        if self.schedule == AUTO { Ok(Choice::of_rows(csr)) } else { self.schedule.parse() }
    }
}

impl Default for SpmvConfig {
    fn default() -> Self {
        Self { schedule: AUTO.to_owned() }
    }
}

/// A product that is ready to run with one matrix and any vector.
pub struct Spmv {
    device: Device,
    x: Buffer<f32>,
    y: Buffer<f32>,
    recording: Recording,
}

impl Spmv {
    /// The device memory it needs, the matrix included.
    ///
    /// # Errors
    /// When the schedule is not known.
    pub fn plan(csr: &Csr, config: &SpmvConfig) -> Result<MemoryPlan> {
        let choice = config.choice(csr)?;
        let (rows, entries) = (csr.nodes() as usize, csr.columns.len());
        Ok(DeviceGraph::plan(csr)
            .with::<f32>("values", entries)
            .with::<f32>("x", rows)
            .with::<f32>("y", rows)
            .and(Room::<f32>::plan_gather(choice.schedule, rows, entries)))
    }

    /// Copies the matrix to the device and records the product. An entry of a matrix without values is 1.
    ///
    /// # Errors
    /// When the schedule is not known, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &SpmvConfig) -> Result<Self> {
        let mut choice = config.choice(csr)?;
        if config.schedule == AUTO && device.info().subgroup_size == 1 {
            // Nothing is gained by sharing a row where every invocation goes its own way, and every barrier costs.
            choice = Schedule::ThreadMapped.into();
        }
        strategy::refuse_unending_rows(device, csr)?;
        device.admit(&Self::plan(csr, config)?)?;
        let DeviceGraph { row_offsets, columns } = DeviceGraph::upload(device, csr)?;
        let values = match &csr.weights {
            Weights::None => device.buffer_from("values", &vec![1.0f32; csr.columns.len()])?,
            Weights::U32(whole) => {
                device.buffer_from("values", &whole.iter().map(|value| *value as f32).collect::<Vec<_>>())?
            }
            Weights::F32(values) => device.buffer_from("values", values)?,
        };
        let rows = csr.nodes();
        let (x, y) = (device.buffer("x", rows as usize)?, device.buffer("y", rows as usize)?);
        let room = Room::gather(device, choice.schedule, &row_offsets, csr.columns.len())?;
        let launch = SpmvF32 {
            schedule: choice.schedule,
            row_offsets: &row_offsets,
            columns: &columns,
            values: &values,
            x: &x,
            y: &y,
            scratch: &room.scratch,
        };
        let recording = device.record(&format!("spmv {choice}"), |recorder| {
            room.record_gather(recorder, choice, &launch, |schedule| ProductParams { rows, schedule });
        })?;
        Ok(Self { device: device.clone(), x, y, recording })
    }

    /// Multiplies with `x`, which has an element for each column.
    ///
    /// # Errors
    /// When `x` has another length or the device fails.
    pub fn run(&mut self, x: &[f32]) -> Result<Run> {
        self.device.upload(&self.x, 0, x)?;
        let begin = Instant::now();
        let kernel = self.recording.run()?;
        Ok(Run { total: begin.elapsed(), kernel, iterations: 1 })
    }

    /// The product of the last run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn product(&self) -> Result<Vec<f32>> {
        self.device.download(&self.y)
    }
}

/// A vector of numbers in [-1, 1), drawn by a seed.
pub fn random_vector(length: usize, seed: u64) -> Vec<f32> {
    // 24 bits: all that single precision holds.
    let draw = |index: usize| (mix(seed ^ index as u64) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..length).map(draw).collect()
}

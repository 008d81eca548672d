//! Sparse matrix times dense vector, y = A x, in single or double precision, under any schedule.

use super::{Algorithm, Run};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan, Recording},
    engine::schedule::{self, Choice, Extent, Room},
    graph::{Csr, Weights, generate::random::mix},
    strategy::{self, DeviceGraph},
};
use bytemuck::Pod;
use evenkeel_kernels::algorithm::spmv::{self, ProductParams};
use rayon::prelude::*;
use std::time::Instant;

pub(super) const ALGORITHM: Algorithm = Algorithm { name: "spmv", summary: "sparse matrix times dense vector" };

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct SpmvConfig {
    /// Who does which part: a schedule's name, group-mapped:SIZE, auto, which looks at the rows, or paper, which looks at the
    /// size of the matrix
    #[arg(long, value_name = "NAME", default_value = schedule::AUTO, value_parser = schedule::known)]
    pub schedule: String,
    /// The numbers that the product is computed with; double needs a device that has them
    #[arg(long, value_name = "NAME", default_value = "single")]
    pub precision: Precision,
}

impl Default for SpmvConfig {
    fn default() -> Self {
        Self { schedule: schedule::AUTO.to_owned(), precision: Precision::Single }
    }
}

/// What numbers a product is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}

/// The values of a matrix as numbers of one kind; an entry of a matrix without values is 1.
pub(super) fn matrix_values<T: Send>(csr: &Csr, of: impl Fn(f64) -> T + Sync + Send) -> Vec<T> {
    match &csr.weights {
        Weights::None => csr.columns.par_iter().map(|_| of(1.0)).collect(),
        Weights::U32(whole) => whole.par_iter().map(|value| of(f64::from(*value))).collect(),
        Weights::F32(real) => real.par_iter().map(|value| of(f64::from(*value))).collect(),
    }
}

/// A product that is ready to run with one matrix and any vector.
pub struct Spmv {
    device: Device,
    vectors: Vectors,
    loaded: bool,
    recording: Recording,
}

/// x and y.
enum Vectors {
    Single(Buffer<f32>, Buffer<f32>),
    Double(Buffer<f64>, Buffer<f64>),
}

impl Spmv {
    /// The device memory it needs, the matrix included.
    ///
    /// # Errors
    /// When the schedule is not known.
    pub fn plan(csr: &Csr, config: &SpmvConfig) -> Result<MemoryPlan> {
        let schedule = Choice::planned(&config.schedule, csr)?.schedule;
        Ok(match config.precision {
            Precision::Single => plan::<f32>(csr, schedule),
            Precision::Double => plan::<f64>(csr, schedule),
        })
    }

    /// Copies the matrix to the device and records the product. An entry of a matrix without values is 1.
    ///
    /// # Errors
    /// When the schedule is not known, the device has no such numbers, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &SpmvConfig) -> Result<Self> {
        let choice = Choice::for_rows(&config.schedule, csr, device)?;
        if config.precision == Precision::Double && !device.info().float64 {
            return Err(Error::Device(format!("{} has no double precision", device.info().name)));
        }
        strategy::refuse_unending_rows(device, csr)?;
        device.admit(&Self::plan(csr, config)?)?;
        let graph = DeviceGraph::upload(device, csr)?;
        let (rows, extent) = (csr.nodes(), extent(csr));
        let name = format!("spmv {choice}");
        macro_rules! prepare {
            ($number:ty, $vectors:ident) => {{
                let values = device.buffer_from("values", &matrix_values(csr, |value| value as $number))?;
                let (x, y) = (device.buffer("x", extent.tiles)?, device.buffer("y", extent.tiles)?);
                let room = Room::<$number>::gather(device, choice.schedule, &graph.row_offsets, extent)?;
                let launch = spmv::Spmv {
                    schedule: choice.schedule,
                    matrix: &graph.rows(),
                    values: &values,
                    x: &x,
                    y: &y,
                    scratch: &room.scratch,
                };
                let recording = device.record(&name, |recorder| {
                    room.record_gather(recorder, choice, &launch, |schedule| ProductParams { rows, schedule });
                })?;
                Ok(Self { device: device.clone(), vectors: Vectors::$vectors(x, y), loaded: false, recording })
            }};
        }
        match config.precision {
            Precision::Single => prepare!(f32, Single),
            Precision::Double => prepare!(f64, Double),
        }
    }

    /// Copies the vector to the device, an element for each column; for single precision it is rounded to that.
    ///
    /// # Errors
    /// When it has another length or the device fails.
    pub fn load<T: Copy + Into<f64> + Sync>(&mut self, x: &[T]) -> Result<()> {
        match &self.vectors {
            Vectors::Single(buffer, _) => {
                self.device.upload(buffer, 0, &x.par_iter().map(|&x| x.into() as f32).collect::<Vec<_>>())?;
            }
            Vectors::Double(buffer, _) => {
                self.device.upload(buffer, 0, &x.par_iter().map(|&x| x.into()).collect::<Vec<_>>())?;
            }
        }
        self.loaded = true;
        Ok(())
    }

    /// Whether there is a vector to multiply with.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// Multiplies with the vector that was loaded last.
    ///
    /// # Errors
    /// When none was, or the device fails.
    pub fn run(&mut self) -> Result<Run> {
        if !self.loaded {
            return Err(Error::Usage("there is no vector to multiply with".into()));
        }
        let begin = Instant::now();
        let kernel = self.recording.run()?;
        Ok(Run { total: begin.elapsed(), kernel, iterations: 1 })
    }

    /// What numbers it is computed with.
    pub fn precision(&self) -> Precision {
        match self.vectors {
            Vectors::Single(..) => Precision::Single,
            Vectors::Double(..) => Precision::Double,
        }
    }

    /// The product of the last run.
    ///
    /// # Errors
    /// When the device fails.
    pub fn product(&self) -> Result<Vec<f64>> {
        match &self.vectors {
            Vectors::Single(_, y) => Ok(self.device.download(y)?.into_iter().map(f64::from).collect()),
            Vectors::Double(_, y) => self.device.download(y),
        }
    }
}

fn extent(csr: &Csr) -> Extent {
    Extent::new(csr.nodes() as usize, csr.columns.len())
}

fn plan<T: Pod>(csr: &Csr, schedule: schedule::Schedule) -> MemoryPlan {
    let extent = extent(csr);
    DeviceGraph::plan(csr)
        .with::<T>("values", extent.atoms)
        .with::<T>("x", extent.tiles)
        .with::<T>("y", extent.tiles)
        .and(Room::<T>::plan_gather(schedule, extent))
}

/// A vector of numbers in [-1, 1), drawn by a seed.
pub fn random_vector(length: usize, seed: u64) -> Vec<f32> {
    // 24 bits: all that single precision holds.
    let draw = |index: usize| (mix(seed ^ index as u64) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..length).into_par_iter().map(draw).collect()
}

//! Sparse matrix times dense matrix, C = A B, with B row by row and of any width, in single precision, under any schedule. A
//! team of invocations shares a row of B, four columns each; on the device a row is filled up to a multiple of four.

use super::{Algorithm, Run, spmv::matrix_values};
use crate::{
    Error, Result,
    device::{Buffer, Device, MemoryPlan, Recording},
    engine::schedule::{self, Choice, Extent, Room, Schedule},
    graph::Csr,
    strategy::{self, DeviceGraph},
};
use evenkeel_kernels::{algorithm::spmm::SpmmF32, memory::Vec4, primitive::workgroup::SUBGROUPS_ON_GPU};
use evenkeel_types::{WORKGROUP, WideProductParams};
use std::time::Instant;

pub(super) const ALGORITHM: Algorithm = Algorithm { name: "spmm", summary: "sparse matrix times dense matrix" };

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq, clap::Args, serde::Serialize)]
pub struct SpmmConfig {
    /// Who does which part: a schedule's name, group-mapped:SIZE, auto, which looks at the rows, or paper, which looks at the
    /// size of the matrix
    #[arg(long, value_name = "NAME", default_value = schedule::AUTO, value_parser = schedule::known)]
    pub schedule: String,
    /// Columns of the dense matrix
    #[arg(long, value_name = "N", default_value_t = SpmmConfig::default().columns)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub columns: u32,
}

impl Default for SpmmConfig {
    fn default() -> Self {
        Self { schedule: schedule::AUTO.to_owned(), columns: 32 }
    }
}

impl SpmmConfig {
    /// Of wide values nothing is gained by loading them in order before they are summed: a row of B lies in order anyhow. On an
    /// H200 radix-binned takes a quarter of the time.
    fn choice(&self, of_rows: Choice) -> Choice {
        match of_rows.schedule {
            Schedule::NonzeroSplit if self.schedule == schedule::AUTO => Schedule::RadixBinned.into(),
            _ => of_rows,
        }
    }

    /// Fours of columns in a row of B and C, the last one filled up.
    fn blocks(&self) -> u32 {
        self.columns.div_ceil(FOUR as u32)
    }
}

const FOUR: usize = size_of::<Vec4>() / size_of::<f32>();

/// A product that is ready to run with one sparse and any dense matrix.
pub struct Spmm {
    device: Device,
    columns: usize,
    b: Buffer<Vec4>,
    c: Buffer<Vec4>,
    loaded: bool,
    recording: Recording,
}

impl Spmm {
    /// The device memory it needs, the matrices included.
    ///
    /// # Errors
    /// When the schedule is not known.
    pub fn plan(csr: &Csr, config: &SpmmConfig) -> Result<MemoryPlan> {
        let choice = config.choice(Choice::planned(&config.schedule, csr)?);
        // The widest team there is: a narrower one needs no more.
        Ok(plan(csr, config, choice, MAX_TEAM))
    }

    /// Copies the sparse matrix to the device and records the product. An entry of a matrix without values is 1.
    ///
    /// # Errors
    /// When the schedule is not known, or something does not fit.
    pub fn prepare(device: &Device, csr: &Csr, config: &SpmmConfig) -> Result<Self> {
        let choice = config.choice(Choice::for_rows(&config.schedule, csr, device)?);
        strategy::refuse_unending_rows(device, csr)?;
        let (blocks, team) = (config.blocks(), team(device, config.blocks()));
        device.admit(&plan(csr, config, choice, team))?;
        let graph = DeviceGraph::upload(device, csr)?;
        let values = device.buffer_from("values", &matrix_values(csr, |value| value as f32))?;
        let elements = dense_length(csr, config);
        let (b, c) = (device.buffer("b", elements)?, device.buffer("c", elements)?);
        let room = Room::gather(device, choice.schedule, &graph.row_offsets, extent(csr, team))?;
        let launch = SpmmF32 {
            schedule: choice.schedule,
            row_offsets: &graph.row_offsets,
            columns: &graph.columns,
            values: &values,
            b: &b,
            c: &c,
            scratch: &room.scratch,
        };
        let rows = csr.nodes();
        let recording = device.record(&format!("spmm {choice}"), |recorder| {
            for first_block in (0..blocks).step_by(team as usize) {
                room.record_gather(recorder, choice, &launch, |schedule| WideProductParams {
                    rows,
                    blocks,
                    first_block,
                    team,
                    schedule,
                });
            }
        })?;
        Ok(Self { device: device.clone(), columns: config.columns as usize, b, c, loaded: false, recording })
    }

    /// Columns of the dense matrices.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Rows of the dense matrices.
    pub fn rows(&self) -> usize {
        self.b.len() / self.columns.div_ceil(FOUR)
    }

    /// Whether there is a dense matrix to multiply with.
    pub fn is_loaded(&self) -> bool {
        self.loaded
    }

    /// Copies the dense matrix to the device, row by row; it has a row for each column of the sparse one.
    ///
    /// # Errors
    /// When it has another size or the device fails.
    pub fn load(&mut self, b: &[f32]) -> Result<()> {
        let (rows, columns) = (self.rows(), self.columns);
        if b.len() != rows * columns {
            return Err(Error::Usage(format!("b has {} elements, not {rows} rows of {columns}", b.len())));
        }
        let device = &self.device;
        if columns.is_multiple_of(FOUR) {
            device.upload(&self.b.cast(), 0, b)?;
        } else {
            let mut filled = vec![0.0f32; self.b.len() * FOUR];
            for (row, source) in filled.chunks_exact_mut(columns.next_multiple_of(FOUR)).zip(b.chunks_exact(columns)) {
                row[..columns].copy_from_slice(source);
            }
            device.upload(&self.b.cast(), 0, &filled)?;
        }
        self.loaded = true;
        Ok(())
    }

    /// Multiplies with the dense matrix that was loaded last.
    ///
    /// # Errors
    /// When none was, or the device fails.
    pub fn run(&mut self) -> Result<Run> {
        if !self.loaded {
            return Err(Error::Usage("there is no dense matrix to multiply with".into()));
        }
        let begin = Instant::now();
        let kernel = self.recording.run()?;
        Ok(Run { total: begin.elapsed(), kernel, iterations: 1 })
    }

    /// The product of the last run, row by row.
    ///
    /// # Errors
    /// When the device fails.
    pub fn product(&self) -> Result<Vec<f32>> {
        let filled = self.device.download(&self.c.cast::<f32>())?;
        if self.columns.is_multiple_of(FOUR) {
            return Ok(filled);
        }
        let rows = filled.chunks_exact(self.columns.next_multiple_of(FOUR));
        Ok(rows.flat_map(|row| &row[..self.columns]).copied().collect())
    }
}

/// Members of the widest team: as many as have room for a value each in every subgroup.
const MAX_TEAM: u32 = 16;

/// Invocations that share a row: one for each four columns, as far as a subgroup has that many and room for a value of each.
fn team(device: &Device, blocks: u32) -> u32 {
    let subgroup = device.info().subgroup_size;
    let room = (SUBGROUPS_ON_GPU as u32 / (WORKGROUP / subgroup).max(1)).max(1);
    blocks.next_power_of_two().min(subgroup).min(room).min(MAX_TEAM)
}

fn extent(csr: &Csr, team: u32) -> Extent {
    Extent { team, ..Extent::new(csr.nodes() as usize, csr.columns.len()) }
}

fn dense_length(csr: &Csr, config: &SpmmConfig) -> usize {
    csr.nodes() as usize * config.blocks() as usize
}

fn plan(csr: &Csr, config: &SpmmConfig, choice: Choice, team: u32) -> MemoryPlan {
    DeviceGraph::plan(csr)
        .with::<f32>("values", csr.columns.len())
        .with::<Vec4>("b", dense_length(csr, config))
        .with::<Vec4>("c", dense_length(csr, config))
        .and(Room::<Vec4>::plan_gather(choice.schedule, extent(csr, team)))
}

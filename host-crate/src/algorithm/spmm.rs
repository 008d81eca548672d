//! Sparse matrix times dense matrix, C = A B, with B row by row and of any width, in single precision, under any schedule. A
//! team of invocations shares a row of B, four columns each; on the device a row is filled up to a multiple of four.

use super::{DenseMatrix, Reorder, prelude::*, reorder, spmv::exact_vector};
use crate::{
    engine::{Layout, Order, Pass, TileSpaces},
    graph::{Dimensions, NodeOrder},
    oracle::spmv::first_mismatch_of_matrix,
};
use evenkeel_kernels::{
    algorithm::spmm::{self, WideProductParams},
    memory::Vec4,
    primitive::workgroup::SUBGROUPS_ON_GPU,
};
use evenkeel_types::WORKGROUP;
use std::sync::Arc;

/// What can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpmmConfig {
    /// Who does which part.
    pub schedule: Configured<Spmm>,
    /// Columns of the dense matrix
    pub columns: u32,
    /// In which order the device keeps rows; auto keeps them as they are, because a product is over sooner than a new order is found
    pub reorder: Reorder,
}

impl Settings for SpmmConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { schedule, columns, reorder } = self;
        let mut keys = schedule.keys();
        let columns = Key::option("width", "Columns of the dense matrix", columns).within(1, u32::MAX);
        keys.push(columns.placeholder("N").reported_name("columns"));
        let about = "In which order the device keeps rows; auto keeps them as they are, because a product is over sooner than a new \
                     order is found";
        keys.push(Key::choice("reorder", about, reorder).placeholder("NAME"));
        keys
    }
}

impl Default for SpmmConfig {
    fn default() -> Self {
        Self { schedule: Configured::default(), columns: 32, reorder: Reorder::Auto }
    }
}

impl SpmmConfig {
    /// Wide values gain nothing from being loaded in order before they are summed, as a row of B lies in order anyhow:
    /// radix-binned is the faster one here.
    fn schedule(&self, csr: &Csr, device: &DeviceInfo) -> Choice {
        let schedule = self.schedule.item();
        let choice = schedule.choose(csr, device);
        match (schedule, choice.schedule) {
            (RowSchedule::Auto, Schedule::MergePath) => Schedule::RadixBinned.into(),
            _ => choice,
        }
    }

    /// Fours of columns in a row of B and C, the last one filled up.
    fn blocks(&self) -> u32 {
        self.columns.div_ceil(FOUR as u32)
    }

    /// A matrix without columns has no product.
    fn check(&self) -> Result<()> {
        match self.columns {
            0 => Err(Error::Usage("the dense matrix has at least 1 column".into())),
            1..=MAX_COLUMNS => Ok(()),
            more => Err(Error::Usage(format!("the dense matrix has at most {MAX_COLUMNS} columns, not {more}"))),
        }
    }
}

/// The most columns of a dense matrix: a recording has a step for every few of them.
const MAX_COLUMNS: u32 = 1 << 20;

const FOUR: usize = size_of::<Vec4>() / size_of::<f32>();

/// The option that draws the dense matrix.
#[derive(Clone, Debug)]
pub struct MatrixOptions {
    /// The seed of the dense matrix, whose elements are drawn from -1 to 1.
    pub b_seed: u64,
}

impl Settings for MatrixOptions {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "The seed of the dense matrix, whose elements are drawn from -1 to 1";
        vec![Key::option("b-seed", about, &mut self.b_seed).placeholder("SEED")]
    }
}

impl Default for MatrixOptions {
    fn default() -> Self {
        Self { b_seed: 1 }
    }
}

/// The product, row by row.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixProduct {
    /// The elements, one row after the other.
    pub elements: Vec<f32>,
    /// The number of elements in a row.
    pub columns: usize,
}

/// A product that is ready to run with one sparse and any dense matrix.
pub struct Spmm {
    session: Session,
    columns: usize,
    b: Buffer<Vec4>,
    c: Buffer<Vec4>,
    /// The dense matrix that is on the device.
    loaded: Option<DenseMatrix>,
    pass: Pass,
    /// The order of rows on the device, where it is another than the graph's.
    order: Option<Arc<NodeOrder>>,
}

impl Algorithm for Spmm {
    const ABOUT: Description = Description {
        name: "spmm",
        summary: "sparse matrix times dense matrix",
        help: "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The dense \
matrix has as many rows and --width columns. The output is a line `id value value …` for each row of the product. An answer is \
right when each element is as close to a double-precision reference as rounding explains; where entries are whole, the dense matrix has \
so few bits that sums are exact.

Examples:
  evenkeel spmm rmat:scale=18 --validate
  evenkeel spmm matrix.mtx --width 7 --schedule merge-path --runs 20 --warmup 2
  evenkeel compare spmm grid:rows=1024,cols=1024 --width 64 --b-seed 5",
        takes_rectangles: true,
        weights: WeightUse::Optional,
        ..Description::DEFAULT
    };

    type Config = SpmmConfig;
    type Input = DenseMatrix;
    type Answer = MatrixProduct;
    type Reference = ();

    fn build(graph: &SharedGraph, config: &SpmmConfig) -> Result<Self> {
        config.check()?;
        let (order, graph) = config.reorder.of_product(graph)?;
        let (session, csr) = (Session::any(&graph), graph.csr());
        let choice = config.schedule(csr, graph.device().info());
        refuse_long_loops(graph.device().info(), || choice.rounds(csr))?;
        let edge_bytes = size_of::<u32>() + size_of::<f32>();
        let layout = graph.layout(csr, edge_bytes, |graph, layout| product(graph, layout, choice, config))?;
        let (b, c, pass) = product(&graph, &layout, choice, config)?;
        let session =
            session.with_method(config.schedule.item().taken(choice)).with_order(reorder::name_of(order.as_deref()));
        Ok(Self { session, columns: config.columns as usize, b, c, loaded: None, pass, order })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, b: &DenseMatrix) -> Result<Run> {
        self.session.run(|graph| {
            let order = self.order.as_deref();
            b.load_once(&mut self.loaded, |elements| load(graph, &self.b, elements, self.columns, order))?;
            Run::of_pass(&mut self.pass)
        })
    }

    fn answer(&self) -> Result<MatrixProduct> {
        let filled = self.session.answered()?.device().download(&self.c.cast::<f32>())?;
        let columns = self.columns;
        let filled = match &self.order {
            Some(order) => order.undo(&filled, columns.next_multiple_of(FOUR)),
            None => filled,
        };
        if columns.is_multiple_of(FOUR) {
            return Ok(MatrixProduct { elements: filled, columns });
        }
        let rows = filled.chunks_exact(columns.next_multiple_of(FOUR));
        Ok(MatrixProduct { elements: rows.flat_map(|row| &row[..columns]).copied().collect(), columns })
    }

    /// The check computes each element of the reference when it is compared: the whole matrix would take twice the answer.
    fn reference(_: &Graph, _: &DenseMatrix, _: &SpmmConfig) -> Result<()> {
        Ok(())
    }

    fn check(found: &MatrixProduct, (): &(), graph: &Graph, b: &DenseMatrix) -> Option<Mismatch> {
        first_mismatch_of_matrix(&graph.csr.matrix(), b.elements(), &found.elements, found.columns)
    }
}

impl FrontEnd for Spmm {
    type Alternative = RowSchedule;
    type InputOptions = MatrixOptions;
    type Tables = ();

    fn choice(config: &mut SpmmConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn check_config(config: &SpmmConfig, names: &[&str]) -> Result<()> {
        config.check()?;
        config.schedule.check_given(names)
    }

    fn input(options: &MatrixOptions, graph: &Graph, config: &SpmmConfig) -> Result<DenseMatrix> {
        let length = graph.csr.dimensions().columns as usize * config.columns as usize;
        Ok(exact_vector(&graph.csr, length, options.b_seed).into())
    }

    fn operations(csr: &Csr, config: &SpmmConfig) -> u64 {
        u64::from(config.columns) * (u64::from(csr.nodes()) + csr.edges())
    }
}

/// Copies the dense matrix to the device; it has a row for each column of the sparse one.
fn load(
    graph: &SharedGraph,
    buffer: &Buffer<Vec4>,
    b: &[f32],
    columns: usize,
    order: Option<&NodeOrder>,
) -> Result<()> {
    let (device, rows) = (graph.device(), graph.csr().dimensions().columns as usize);
    if b.len() != rows * columns {
        return Err(Error::Usage(format!("b has {} elements, not {rows} rows of {columns}", b.len())));
    }
    let reordered = order.map(|order| order.apply(b, columns));
    let b = reordered.as_deref().unwrap_or(b);
    if columns.is_multiple_of(FOUR) {
        return device.upload(&buffer.cast(), 0, b);
    }
    let mut filled = vec![0.0f32; buffer.len() * FOUR];
    for (row, source) in filled.chunks_exact_mut(columns.next_multiple_of(FOUR)).zip(b.chunks_exact(columns)) {
        row[..columns].copy_from_slice(source);
    }
    device.upload(&buffer.cast(), 0, &filled)
}

impl Answer for MatrixProduct {
    fn columns(&self) -> Vec<Column<'_>> {
        vec![Column::new("value", Values::F32((&self.elements).into())).shaped(Shape::Wide(self.columns))]
    }
}

/// Members of the widest team: as many as have scratch for a value each in every subgroup.
const MAX_TEAM: u32 = 16;

/// Invocations that share a row: one for each four columns, as far as a subgroup has that many and scratch for a value of each.
fn team(device: &DeviceInfo, blocks: u32) -> u32 {
    let subgroup = device.subgroup_size;
    let scratch = (SUBGROUPS_ON_GPU as u32 / (WORKGROUP / subgroup).max(1)).max(1);
    blocks.next_power_of_two().min(subgroup).min(scratch).min(MAX_TEAM)
}

/// Allocates the dense matrices and records the product of a matrix that is kept as `layout` says.
fn product(
    graph: &SharedGraph,
    layout: &Layout,
    choice: Choice,
    config: &SpmmConfig,
) -> Result<(Buffer<Vec4>, Buffer<Vec4>, Pass)> {
    let device = graph.device();
    let (blocks, team) = (config.blocks(), team(device.info(), config.blocks()));
    let (values, Dimensions { rows, columns }) = (graph.partition_values(layout)?, graph.csr().dimensions());
    let dense = |rows: u32| rows as usize * config.blocks() as usize;
    let (b, c) = (device.buffer("b", dense(columns))?, device.buffer("c", dense(rows))?);
    let spaces = TileSpaces::for_teams(device, choice, graph.tiles(layout)?, team)?;
    let part = |recorder: &mut Recorder, place| {
        let (part, space) = spaces.at(place);
        let (matrix, values, scratch) = (&part.graph, &values.at(place).cast(), &space.buffers);
        let launch = spmm::Spmm { schedule: choice.schedule, matrix, values, b: &b, c: &c, scratch };
        for first_block in (0..blocks).step_by(team as usize) {
            let params = |schedule| WideProductParams { tiles: part.range, blocks, first_block, team, schedule };
            space.record_gather(recorder, &launch, params);
        }
    };
    let arrays = (&[spaces.columns(), &values][..], Order::Ascending);
    let pass = Pass::record(device, &format!("spmm {choice}"), arrays, &|_| (), &part)?;
    Ok((b, c, pass))
}

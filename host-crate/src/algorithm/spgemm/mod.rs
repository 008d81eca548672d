//! Sparse matrix times sparse matrix, C = A A or C = A Aᵀ (Gustavson 1978). The products are expanded under any schedule, sorted by row and column,
//! and added up under the same schedule; on the CPU device threads multiply whole rows. Each entry is added up in one order: the same
//! answer each time. How large C is turns out on the way, so memory is planned for blocks of rows by the number of their products.

mod answer;
mod cpu;
mod kernels;

pub use answer::{ProductValues, SparseProduct};

use super::{Precision, prelude::*, reals::Number};
use crate::{
    numerals::grouped,
    oracle::{
        spgemm::{Entry, first_mismatch, product},
        spmv::{DOUBLE, SINGLE},
    },
    settings::{self, Configurable},
    strategy::About,
};
use kernels::Blocks;
use rayon::prelude::*;
use std::{
    ops::{Add, Mul},
    sync::Arc,
};

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpgemmConfig {
    /// Who does which part.
    pub schedule: Configured<Spgemm>,
    /// By which matrix the graph's is multiplied
    pub by: RightMatrix,
    /// The numbers that the product is computed with; double needs a device that has them
    pub precision: Precision,
    /// The most products that kernels form at a time; a row has all of its own at once
    pub block_products: Option<u32>,
}

impl Settings for SpgemmConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { schedule, by, precision, block_products } = self;
        let mut keys = schedule.keys();
        let about = "By which matrix the graph's is multiplied";
        keys.push(Key::choice("by", about, by).placeholder("MATRIX"));
        let about = "The numbers that the product is computed with; double needs a device that has them";
        keys.push(Key::choice("precision", about, precision).placeholder("NAME"));
        let about = "The most products that kernels form at a time; a row has all of its own at once";
        let default = "as many as fit into half of the memory, and at most 67,108,864";
        keys.push(Key::optional("block-products", about, default, block_products).within(1, u32::MAX).placeholder("N"));
        keys
    }
}

/// The matrix that the graph's is multiplied by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RightMatrix {
    /// The same: entry (i, j) counts the paths of two edges from i to j, by their weights.
    #[default]
    Itself,
    /// The transposed one: entry (i, j) is the dot product of rows i and j.
    Transposed,
}

impl Choices for RightMatrix {
    const CHOICES: &'static [(Self, NamedValue)] = &[
        (Self::Itself, named("itself", "The same: an entry is about the paths of two edges from one node to another")),
        (Self::Transposed, named("transposed", "The transposed one: an entry is the dot product of two rows")),
    ];
}

/// How products are shared out: under a schedule, or by the threads of the CPU device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductSchedule {
    /// By kernels.
    Rows(RowSchedule),
    /// By threads.
    GustavsonCpu,
}

const GUSTAVSON_CPU: About =
    About::cpu_only("gustavson-cpu", "Gustavson", "threads multiply rows, each into a dense row of its own");

impl ProductSchedule {
    fn is_native(self, device: &DeviceInfo) -> bool {
        self == Self::GustavsonCpu || self == Self::default() && device.kind == DeviceKind::Cpu
    }

    /// The schedule of the kernels; that of the tiles and atoms of the expansion, by the rows of the right matrix.
    fn choose(self, right: &Csr, device: &DeviceInfo) -> Choice {
        match self {
            Self::Rows(schedule) => schedule.choose(right, device),
            Self::GustavsonCpu => RowSchedule::Auto.choose(right, device),
        }
    }
}

impl Default for ProductSchedule {
    fn default() -> Self {
        Self::Rows(RowSchedule::Auto)
    }
}

impl Configurable for ProductSchedule {
    fn name(&self) -> &'static str {
        self.about().name
    }

    fn keys(&mut self) -> Vec<Key<'_>> {
        match self {
            Self::Rows(schedule) => schedule.keys(),
            Self::GustavsonCpu => Vec::new(),
        }
    }
}

impl Selectable for ProductSchedule {
    const KIND: &'static str = RowSchedule::KIND;
    const HELP: &'static str = <RowSchedule as Selectable>::HELP;
    const NOTE: &'static str = RowSchedule::NOTE;

    fn all() -> Vec<Self> {
        RowSchedule::all().into_iter().map(Self::Rows).chain([Self::GustavsonCpu]).collect()
    }

    fn about(&self) -> About {
        match self {
            Self::Rows(schedule) => schedule.about(),
            Self::GustavsonCpu => GUSTAVSON_CPU,
        }
    }

    fn is_counted(&self) -> bool {
        matches!(self, Self::Rows(schedule) if schedule.is_counted())
    }
}

/// A number that entries are computed with.
trait Element: Number + Add<Output = Self> + Mul<Output = Self> + Sync + 'static {
    /// Values in an answer.
    fn values(all: Vec<Self>) -> ProductValues;

    /// The values of an answer, which are of this kind.
    fn of_values(values: &mut ProductValues) -> Option<&mut Vec<Self>>;
}

impl Element for f32 {
    fn values(all: Vec<Self>) -> ProductValues {
        ProductValues::Single(all)
    }

    fn of_values(values: &mut ProductValues) -> Option<&mut Vec<Self>> {
        if let ProductValues::Single(all) = values { Some(all) } else { None }
    }
}

impl Element for f64 {
    fn values(all: Vec<Self>) -> ProductValues {
        ProductValues::Double(all)
    }

    fn of_values(values: &mut ProductValues) -> Option<&mut Vec<Self>> {
        if let ProductValues::Double(all) = values { Some(all) } else { None }
    }
}

/// A product that is ready to be computed.
trait Multiply: Send {
    /// Computes it.
    fn run(&mut self, device: &Device) -> Result<Run>;

    /// What the last run found.
    fn product(&self, device: &Device) -> Result<SparseProduct>;
}

/// The two matrices, and how many products each row of the left one has.
struct Matrices<'a> {
    left: &'a SharedGraph,
    right: &'a SharedGraph,
    products: Arc<Vec<u64>>,
}

impl<'a> Matrices<'a> {
    fn new(left: &'a SharedGraph, right: &'a SharedGraph) -> Result<Self> {
        let products = left.once("products of rows", || Ok(products_of_rows(left.csr(), right.csr())))?;
        Ok(Self { left, right, products })
    }
}

/// The number of products of each row of the left matrix.
fn products_of_rows(left: &Csr, right: &Csr) -> Vec<u64> {
    let of_row = |row| left.neighbours(row).iter().map(|middle| u64::from(right.degree(*middle))).sum();
    (0..left.nodes()).into_par_iter().map(of_row).collect()
}

/// A sparse product, ready to be computed.
pub struct Spgemm {
    session: Session,
    multiply: Box<dyn Multiply>,
}

impl Algorithm for Spgemm {
    const ABOUT: Description = Description {
        name: "spgemm",
        summary: "sparse matrix times sparse matrix",
        help: "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The matrix is multiplied \
by itself, or with --by transposed by its transposed. The output is a line `row column value` for each entry of the product, by row and \
then by column; an entry whose products add up to 0 is one. .mtx writes a Matrix Market file. An answer is right when it has the entries of a \
double-precision reference, and each value is as close to it as rounding explains.

Examples:
  evenkeel spgemm rmat:scale=12 --validate
  evenkeel spgemm matrix.mtx --schedule merge-path --output square.mtx
  evenkeel spgemm matrix.mtx --by transposed --precision double
  evenkeel compare spgemm grid:rows=256,cols=256 --device cpu",
        counted: true,
        weights: WeightUse::Optional,
        rows: RowKind::Edges,
        ..Description::DEFAULT
    };

    type Config = SpgemmConfig;
    type Input = ();
    type Answer = SparseProduct;
    type Reference = Vec<Entry>;

    fn build(graph: &SharedGraph, config: &SpgemmConfig) -> Result<Self> {
        settings::check_values(config)?;
        let (info, schedule) = (graph.device().info(), *config.schedule.item());
        config.precision.check(info)?;
        schedule.about().check_device(info)?;
        let right = match config.by {
            RightMatrix::Itself => graph.clone(),
            RightMatrix::Transposed => graph.incoming(true)?,
        };
        let session = Session::new(graph)?;
        let matrices = Matrices::new(graph, &right)?;
        if schedule.is_native(info) {
            let taken = (schedule != ProductSchedule::GustavsonCpu).then_some(GUSTAVSON_CPU.name);
            let multiply = match config.precision {
                Precision::Single => cpu::prepare::<f32>(&matrices)?,
                Precision::Double => cpu::prepare::<f64>(&matrices)?,
            };
            return Ok(Self { session: session.with_method(taken), multiply });
        }
        let choice = schedule.choose(right.csr(), info);
        let blocks = Blocks::plan(&matrices, choice, config)?;
        let multiply = match config.precision {
            Precision::Single => kernels::prepare::<f32>(&matrices, blocks)?,
            Precision::Double => kernels::prepare::<f64>(&matrices, blocks)?,
        };
        let taken = match schedule {
            ProductSchedule::Rows(schedule) => schedule.taken(choice),
            ProductSchedule::GustavsonCpu => None,
        };
        Ok(Self { session: session.with_method(taken), multiply })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, (): &()) -> Result<Run> {
        let multiply = &mut self.multiply;
        self.session.run(|graph| multiply.run(graph.device()))
    }

    fn answer(&self) -> Result<SparseProduct> {
        let graph = self.session.answered()?;
        self.multiply.product(graph.device())
    }

    fn reference(graph: &Graph, (): &(), config: &SpgemmConfig) -> Result<Vec<Entry>> {
        Ok(product(&graph.csr, config.by == RightMatrix::Transposed))
    }

    fn check(found: &SparseProduct, expected: &Vec<Entry>, _: &Graph, (): &()) -> Option<Mismatch> {
        let unit = if matches!(found.values, ProductValues::Single(_)) { SINGLE } else { DOUBLE };
        first_mismatch(expected, found.entries(), unit)
    }
}

impl FrontEnd for Spgemm {
    type Alternative = ProductSchedule;
    type InputOptions = ();
    type Tables = ();

    fn choice(config: &mut SpgemmConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input((): &(), _: &Graph, _: &SpgemmConfig) -> Result<()> {
        Ok(())
    }

    fn operations(csr: &Csr, config: &SpgemmConfig) -> u64 {
        let degrees = (0..csr.nodes()).into_par_iter().map(|node| u64::from(csr.degree(node)));
        let products: u64 = match config.by {
            RightMatrix::Itself => csr.columns().par_iter().map(|middle| u64::from(csr.degree(*middle))).sum(),
            // As many as a symmetric matrix of such rows has.
            RightMatrix::Transposed => degrees.map(|degree| degree * degree).sum(),
        };
        u64::from(csr.nodes()) + csr.edges() + 8 * products
    }

    fn columns(_: &SpgemmConfig) -> usize {
        3
    }
}

/// Refuses a product with more entries than 32 bits count.
fn refuse_entries(count: u64) -> Result<()> {
    if count < u64::from(u32::MAX) {
        return Ok(());
    }
    let (count, most) = (grouped(count), grouped(u32::MAX.into()));
    Err(Error::Unsupported(format!("the product has {count} entries, and there can be fewer than {most}")))
}

/// Makes room for more elements.
fn reserve<T>(list: &mut Vec<T>, more: usize) -> Result<()> {
    list.try_reserve(more).map_err(|_| {
        let bytes = grouped(((list.len() + more) * size_of::<T>()) as u64);
        Error::Memory(format!("the system has no {bytes} bytes for entries of the product"))
    })
}

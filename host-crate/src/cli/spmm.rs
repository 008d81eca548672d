//! Sparse matrix times dense matrix on the command line. A graph is a matrix: a node's edges are the entries of its row.

use super::{
    options::WeightOptions,
    task::{Answer, Task},
};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{Run, Spmm, SpmmConfig, spmv::random_vector},
    device::{Device, MemoryPlan},
    engine::schedule,
    graph::{Csr, Graph, NodeIds, weights::WeightSource},
    oracle::{Mismatch, spmv::first_mismatch_of_matrix},
    report::Value,
};
use std::{cell::OnceCell, fmt::Write};

/// What `evenkeel spmm --help` ends with.
pub const EXAMPLES: &str = "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The dense \
matrix has as many rows and --columns columns. The output is a line `id value value …` for each row of the product. An answer is \
right when each element is as close to a double-precision reference as single precision allows for a row of its length.

Examples:
  evenkeel spmm rmat:scale=18 --validate
  evenkeel spmm matrix.mtx --columns 7 --schedule merge-path --runs 20 --warmup 2
  evenkeel compare spmm grid:rows=1024,cols=1024 --columns 64 --b-seed 5";

/// The values of the matrices.
#[derive(Args)]
pub struct SpmmOptions {
    #[command(flatten)]
    weights: WeightOptions,
    /// The seed of the dense matrix, whose elements are drawn from -1 to 1.
    #[arg(long, value_name = "SEED", default_value_t = 1, help_heading = "Run")]
    b_seed: u64,
}

/// What `evenkeel compare spmm` can choose for all schedules.
#[derive(Args)]
pub struct SpmmTuning {
    /// Columns of the dense matrix.
    #[arg(long, value_name = "N", default_value_t = SpmmConfig::default().columns, help_heading = "Run")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    columns: u32,
}

impl Task for Spmm {
    const ALGORITHM: &'static str = "spmm";
    const CHOICE: &'static str = "schedule";
    type Config = SpmmConfig;
    type Tuning = SpmmTuning;
    type Options = SpmmOptions;
    type Input = Dense;
    type Expected = ();
    type Answer = Product;

    fn alternatives() -> Vec<String> {
        schedule::names()
    }

    fn known(name: &str) -> Result<String> {
        schedule::known(name)
    }

    fn choice(config: &SpmmConfig) -> &str {
        &config.schedule
    }

    fn with_choice(config: &SpmmConfig, name: &str) -> SpmmConfig {
        SpmmConfig { schedule: name.to_owned(), ..config.clone() }
    }

    fn tuned(tuning: &SpmmTuning, _: &[String]) -> Result<SpmmConfig> {
        Ok(SpmmConfig { columns: tuning.columns, ..SpmmConfig::default() })
    }

    fn weights(options: &SpmmOptions) -> Result<WeightSource> {
        options.weights.source()
    }

    fn input(options: &SpmmOptions, _: &Graph) -> Result<Dense> {
        Ok(Dense::new(options.b_seed))
    }

    fn plan(csr: &Csr, config: &SpmmConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &SpmmConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, dense: &Dense) -> Result<Run> {
        if !self.is_loaded() {
            self.load(dense.of(self.rows() * self.columns()))?;
        }
        self.run()
    }

    fn answer(&self) -> Result<Product> {
        Ok(Product { elements: self.product()?, columns: self.columns() })
    }

    fn expected(_: &Graph, _: &Dense, _: &SpmmConfig) -> Result<()> {
        Ok(())
    }

    fn mismatch(found: &Product, (): &(), graph: &Graph, dense: &Dense) -> Option<Mismatch> {
        let b = dense.of(found.elements.len());
        first_mismatch_of_matrix(&graph.csr, b, &found.elements, found.columns)
    }
}

/// The dense matrix, drawn when it is known how large it is.
pub struct Dense {
    seed: u64,
    elements: OnceCell<Vec<f32>>,
}

impl Dense {
    /// The one that a seed gives.
    pub fn new(seed: u64) -> Self {
        Self { seed, elements: OnceCell::new() }
    }

    fn of(&self, length: usize) -> &[f32] {
        self.elements.get_or_init(|| random_vector(length, self.seed))
    }
}

/// The product, row by row.
pub struct Product {
    elements: Vec<f32>,
    columns: usize,
}

impl Product {
    fn row(&self, row: u32) -> &[f32] {
        &self.elements[row as usize * self.columns..][..self.columns]
    }
}

impl Answer for Product {
    fn value(&self, row: u32) -> Option<Value> {
        Some(Value::Real(self.row(row)[0]))
    }

    fn further_columns(&self, row: u32, _: &NodeIds, line: &mut String) {
        for element in &self.row(row)[1..] {
            // Writing to a string cannot fail.
            let _ = write!(line, " {element}");
        }
    }
}

//! Sparse matrix times dense vector on the command line. A graph is a matrix: a node's edges are the entries of its row.

use super::{
    options::WeightOptions,
    task::{Answer, Task},
};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{Precision, Run, Spmv, SpmvConfig, spmv::random_vector},
    device::{Device, MemoryPlan},
    engine::schedule,
    graph::{Csr, Graph, weights::WeightSource},
    oracle::{
        Mismatch,
        spmv::{Bounded, DOUBLE, SINGLE, first_mismatch, product},
    },
    report::Value,
};

/// What `evenkeel spmv --help` ends with.
pub const EXAMPLES: &str = "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The output is \
a line `id value` for each row of the product. An answer is right when each row is as close to a double-precision reference as \
its precision allows for a row of its length.

Examples:
  evenkeel spmv rmat:scale=20 --validate
  evenkeel spmv matrix.mtx --schedule group-mapped:8 --runs 20 --warmup 2
  evenkeel spmv matrix.mtx --precision double --validate
  evenkeel spmv grid:rows=1024,cols=1024 --weights random:1..64 --x-seed 5 --output product.txt";

/// The values of the matrix and of the vector.
#[derive(Args)]
pub struct SpmvOptions {
    #[command(flatten)]
    weights: WeightOptions,
    /// The seed of the vector, whose elements are drawn from -1 to 1.
    #[arg(long, value_name = "SEED", default_value_t = 1, help_heading = "Run")]
    x_seed: u64,
}

/// What `evenkeel compare spmv` can choose for all schedules.
#[derive(Args)]
pub struct SpmvTuning {
    /// The numbers that the products are computed with.
    #[arg(long, value_name = "NAME", default_value = "single", help_heading = "Run")]
    precision: Precision,
}

impl Task for Spmv {
    const ALGORITHM: &'static str = "spmv";
    const CHOICE: &'static str = "schedule";
    type Config = SpmvConfig;
    type Tuning = SpmvTuning;
    type Options = SpmvOptions;
    type Input = Vec<f32>;
    type Expected = Vec<Bounded>;
    type Answer = Product;

    fn alternatives() -> Vec<String> {
        schedule::names()
    }

    fn known(name: &str) -> Result<String> {
        schedule::known(name)
    }

    fn choice(config: &SpmvConfig) -> &str {
        &config.schedule
    }

    fn with_choice(config: &SpmvConfig, name: &str) -> SpmvConfig {
        SpmvConfig { schedule: name.to_owned(), ..config.clone() }
    }

    fn tuned(tuning: &SpmvTuning, _: &[String]) -> Result<SpmvConfig> {
        Ok(SpmvConfig { precision: tuning.precision, ..SpmvConfig::default() })
    }

    fn weights(options: &SpmvOptions) -> Result<WeightSource> {
        options.weights.source()
    }

    fn input(options: &SpmvOptions, graph: &Graph) -> Result<Vec<f32>> {
        Ok(random_vector(graph.csr.nodes() as usize, options.x_seed))
    }

    fn bytes_to_move(csr: &Csr) -> Option<u64> {
        let (rows, entries) = (u64::from(csr.nodes()), u64::from(csr.edges()));
        // Each once, four bytes an element: row offsets, x and y; columns and values.
        Some(4 * ((rows + 1) + 2 * rows + 2 * entries))
    }

    fn plan(csr: &Csr, config: &SpmvConfig) -> Result<MemoryPlan> {
        Self::plan(csr, config)
    }

    fn prepare(device: &Device, csr: &Csr, config: &SpmvConfig) -> Result<Self> {
        Self::prepare(device, csr, config)
    }

    fn run(&mut self, x: &Vec<f32>) -> Result<Run> {
        // Copying the vector again would cost more than the product.
        if !self.is_loaded() {
            self.load(x)?;
        }
        self.run()
    }

    fn answer(&self) -> Result<Product> {
        Ok(Product { rows: self.product()?, precision: self.precision() })
    }

    fn expected(graph: &Graph, x: &Vec<f32>, _: &SpmvConfig) -> Result<Vec<Bounded>> {
        Ok(product(&graph.csr, x))
    }

    fn mismatch(found: &Product, expected: &Vec<Bounded>, _: &Graph, _: &Vec<f32>) -> Option<Mismatch> {
        let unit = match found.precision {
            Precision::Single => SINGLE,
            Precision::Double => DOUBLE,
        };
        first_mismatch(expected, &found.rows, unit)
    }
}

/// A row's product for each row.
pub struct Product {
    rows: Vec<f64>,
    precision: Precision,
}

impl Answer for Product {
    fn value(&self, row: u32) -> Option<Value> {
        let value = self.rows[row as usize];
        Some(match self.precision {
            Precision::Single => Value::Real(value as f32),
            Precision::Double => Value::Double(value),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use evenkeel::graph::{NodeIds, Weights};

    #[test]
    fn rows_are_checked_to_their_own_bound() {
        let weights = Weights::F32(vec![0.5, 3.0, 1.0].into());
        let csr = Csr { row_offsets: vec![0, 2, 3].into(), columns: vec![0, 1, 1].into(), weights };
        assert_eq!(Spmv::bytes_to_move(&csr), Some(12 + 2 * 8 + 2 * 12));
        let graph = Graph { name: "matrix".into(), csr, ids: NodeIds::Counted { first: 1 }, directed: true };
        let x = vec![2.0, 1.0];
        let expected = Spmv::expected(&graph, &x, &SpmvConfig::default()).unwrap();
        let check_as = |found: [f64; 2], precision| {
            Spmv::mismatch(&Product { rows: found.to_vec(), precision }, &expected, &graph, &x)
        };
        let check = |found: [f32; 2]| check_as(found.map(f64::from), Precision::Single);
        assert_eq!(check([4.0, 1.0]), None);
        assert_eq!(check([4.0, f32::from_bits(1.0f32.to_bits() + 1)]), None);
        assert_eq!(check([4.0, 1.00001]).map(|mismatch| mismatch.node), Some(1));
        assert_eq!(check_as([4.0 + 1e-15, 1.0], Precision::Double), None);
        assert_eq!(check_as([4.0, 1.0 + 1e-8], Precision::Double).map(|mismatch| mismatch.node), Some(1));
        assert_eq!(check([f32::NAN, 1.0]).map(|mismatch| mismatch.node), Some(0));
    }
}

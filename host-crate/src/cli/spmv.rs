//! Sparse matrix times dense vector on the command line. A graph is a matrix: a node's edges are the entries of its row.

use super::{
    options::WeightOptions,
    task::{Answer, NoTuning, Task},
};
use clap::Args;
use evenkeel::{
    Result,
    algorithm::{
        Run, Spmv, SpmvConfig,
        spmv::{AUTO, known_schedule, random_vector},
    },
    device::{Device, MemoryPlan},
    graph::{Csr, Graph, weights::WeightSource},
    oracle::{
        Mismatch,
        spmv::{Bounded, first_mismatch, product},
    },
    report::Value,
    schedule::Choice,
};

/// What `evenkeel spmv --help` ends with.
pub const EXAMPLES: &str = "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The output is \
a line `id value` for each row of the product. An answer is right when each row is as close to a double-precision reference as \
single precision allows for a row of its length.

Examples:
  evenkeel spmv rmat:scale=20 --validate
  evenkeel spmv matrix.mtx --schedule group-mapped:8 --runs 20 --warmup 2
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

impl Task for Spmv {
    const ALGORITHM: &'static str = "spmv";
    const CHOICE: &'static str = "schedule";
    type Config = SpmvConfig;
    type Tuning = NoTuning;
    type Options = SpmvOptions;
    type Input = Vec<f32>;
    type Expected = Vec<Bounded>;
    type Answer = Product;

    fn alternatives() -> Vec<String> {
        Choice::all().iter().map(Choice::to_string).chain([AUTO.to_owned()]).collect()
    }

    fn known(name: &str) -> Result<String> {
        known_schedule(name)
    }

    fn choice(config: &SpmvConfig) -> &str {
        &config.schedule
    }

    fn with_choice(_: &SpmvConfig, name: &str) -> SpmvConfig {
        SpmvConfig { schedule: name.to_owned() }
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
        self.run(x)
    }

    fn answer(&self) -> Result<Product> {
        self.product().map(Product)
    }

    fn expected(graph: &Graph, x: &Vec<f32>) -> Result<Vec<Bounded>> {
        Ok(product(&graph.csr, x))
    }

    fn mismatch(found: &Product, expected: &Vec<Bounded>, _: &Graph, _: &Vec<f32>) -> Option<Mismatch> {
        first_mismatch(expected, &found.0)
    }
}

/// A row's product for each row.
pub struct Product(Vec<f32>);

impl Answer for Product {
    fn value(&self, row: u32) -> Option<Value> {
        Some(Value::Real(self.0[row as usize]))
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
        let expected = Spmv::expected(&graph, &x).unwrap();
        let check = |found: [f32; 2]| Spmv::mismatch(&Product(found.to_vec()), &expected, &graph, &x);
        assert_eq!(check([4.0, 1.0]), None);
        assert_eq!(check([4.0, f32::from_bits(1.0f32.to_bits() + 1)]), None);
        assert_eq!(check([4.0, 1.00001]).map(|mismatch| mismatch.node), Some(1));
        assert_eq!(check([f32::NAN, 1.0]).map(|mismatch| mismatch.node), Some(0));
    }
}

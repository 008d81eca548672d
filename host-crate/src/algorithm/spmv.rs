//! Sparse matrix times dense vector, y = A x, in single or double precision, under any schedule. A graph is a matrix: a node is
//! a row, and its edges are the entries of the row.

use super::{DenseVector, figure::four_digits, prelude::*};
use crate::{
    engine::matrix_values,
    graph::generate::random::mix,
    oracle::spmv::{Bounded, DOUBLE, SINGLE, first_mismatch, product},
};
use bytemuck::Pod;
use evenkeel_kernels::algorithm::spmv::{self, ProductParams};
use rayon::prelude::*;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SpmvConfig {
    /// Who does which part.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub schedule: Configured<Spmv>,
    /// The numbers that the product is computed with; double needs a device that has them
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME", default_value = "single"))]
    pub precision: Precision,
}

/// The numbers that a product is computed with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// 32 bits.
    #[default]
    #[cfg_attr(feature = "cli", value(alias = "f32"))]
    Single,
    /// 64 bits.
    #[cfg_attr(feature = "cli", value(alias = "f64"))]
    Double,
}

impl Precision {
    /// Refuses a device that has no such numbers.
    pub(super) fn check(self, device: &DeviceInfo) -> Result<()> {
        if self == Self::Double && !device.float64 {
            return Err(Error::Device(format!("{} has no double precision", device.name)));
        }
        Ok(())
    }
}

/// The option that draws the vector.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct VectorOptions {
    /// The seed of the vector, whose elements are drawn from -1 to 1.
    #[cfg_attr(feature = "cli", arg(long, value_name = "SEED", default_value_t = 1, help_heading = "Algorithm"))]
    pub x_seed: u64,
}

impl Default for VectorOptions {
    fn default() -> Self {
        Self { x_seed: 1 }
    }
}

/// The element of the product for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Product {
    /// In double precision, which holds both kinds.
    pub rows: Vec<f64>,
    /// The precision it was computed in.
    pub precision: Precision,
}

/// A product that is ready to run with one matrix and any vector.
pub struct Spmv {
    session: Session,
    vectors: Vectors,
    /// The vector that is on the device.
    loaded: Option<DenseVector>,
    recording: Recording,
    /// The schedule that was taken, where the one that was asked for chooses.
    taken: Option<String>,
}

/// x and y.
enum Vectors {
    Single(Buffer<f32>, Buffer<f32>),
    Double(Buffer<f64>, Buffer<f64>),
}

impl Algorithm for Spmv {
    const NAME: &'static str = "spmv";
    const SUMMARY: &'static str = "sparse matrix times dense vector";
    const HELP: &'static str = "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The output is \
a line `id value` for each row of the product. An answer is right when each row is as close to a double-precision reference as \
its precision allows for a row of its length.

Examples:
  evenkeel spmv rmat:scale=20 --validate
  evenkeel spmv matrix.mtx --schedule group-mapped:8 --runs 20 --warmup 2
  evenkeel spmv matrix.mtx --precision double --validate
  evenkeel spmv grid:rows=1024,cols=1024 --weights random:1..64 --x-seed 5 --output product.txt";
    const COUNTED: bool = true;
    const WEIGHTS: WeightUse = WeightUse::Optional;
    const DEMO: &'static [&'static str] = &["thread-mapped", "merge-path", "auto"];
    type Alternative = RowSchedule;
    type Config = SpmvConfig;
    type InputOptions = VectorOptions;
    type Tables = ();
    type Input = DenseVector;
    type Answer = Product;
    type Reference = Vec<Bounded>;

    fn choice(config: &mut SpmvConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input(options: &VectorOptions, graph: &Graph, _: &SpmvConfig) -> Result<DenseVector> {
        Ok(random_vector(graph.csr.nodes() as usize, options.x_seed).into())
    }

    fn plan(device: &DeviceInfo, csr: &Csr, config: &SpmvConfig) -> Result<MemoryPlan> {
        let schedule = config.schedule.item().choose(csr, device).schedule;
        Ok(match config.precision {
            Precision::Single => plan::<f32>(csr, schedule),
            Precision::Double => plan::<f64>(csr, schedule),
        })
    }

    fn prepare_on(graph: &SharedGraph, config: &SpmvConfig) -> Result<Self> {
        let (device, csr) = (graph.device(), graph.csr());
        let choice = config.schedule.item().choose(csr, device.info());
        config.precision.check(device.info())?;
        refuse_unending_rows(device, csr)?;
        let session = Session::open(graph, Self::plan(device.info(), csr, config)?)?;
        let (matrix, schedule, rows, extent) = (graph.rows()?, choice.schedule, csr.nodes(), extent(csr));
        macro_rules! prepare {
            ($number:ty, $vectors:ident, $values:expr) => {{
                let (x, y) = (device.buffer("x", extent.tiles)?, device.buffer("y", extent.tiles)?);
                let space = ScratchSpace::<$number>::gather(device, choice, &matrix.row_offsets, extent)?;
                let (values, scratch) = ($values, &space.buffers);
                let launch = spmv::Spmv { schedule, matrix, values, x: &x, y: &y, scratch };
                let recording = device.record(&format!("spmv {choice}"), |recorder| {
                    space.record_gather(recorder, &launch, |schedule| ProductParams { rows, schedule });
                })?;
                let taken = config.schedule.item().taken(choice);
                Ok(Self { session, vectors: Vectors::$vectors(x, y), loaded: None, recording, taken })
            }};
        }
        match config.precision {
            Precision::Single => prepare!(f32, Single, graph.values()?),
            Precision::Double => {
                prepare!(f64, Double, &device.buffer_from("values", &matrix_values(csr, |value| value))?)
            }
        }
    }

    fn taken(&self) -> Option<String> {
        self.taken.clone()
    }

    fn memory(&self) -> &MemoryPlan {
        self.session.memory()
    }

    fn run(&mut self, x: &DenseVector) -> Result<Run> {
        self.session.run(|graph| {
            x.load_once(&mut self.loaded, |elements| {
                let (rows, length) = (graph.csr().nodes() as usize, elements.len());
                if length != rows {
                    return Err(Error::Usage(format!("x has {length} elements, and the matrix {rows} columns")));
                }
                match &self.vectors {
                    Vectors::Double(x, _) => graph.device().upload(x, 0, elements),
                    Vectors::Single(x, _) => {
                        let singles: Vec<f32> = elements.par_iter().map(|&element| element as f32).collect();
                        graph.device().upload(x, 0, &singles)
                    }
                }
            })?;
            Run::timed(1, || self.recording.run())
        })
    }

    fn answer(&self) -> Result<Product> {
        let device = self.session.answered()?.device();
        Ok(match &self.vectors {
            Vectors::Single(_, y) => {
                let rows = device.download(y)?.into_iter().map(f64::from).collect();
                Product { rows, precision: Precision::Single }
            }
            Vectors::Double(_, y) => Product { rows: device.download(y)?, precision: Precision::Double },
        })
    }

    fn reference(graph: &Graph, x: &DenseVector, _: &SpmvConfig) -> Result<Vec<Bounded>> {
        Ok(product(&graph.csr, x.elements()))
    }

    fn check(found: &Product, expected: &Vec<Bounded>, _: &Graph, _: &DenseVector) -> Option<Mismatch> {
        let unit = match found.precision {
            Precision::Single => SINGLE,
            Precision::Double => DOUBLE,
        };
        first_mismatch(expected, &found.rows, unit)
    }

    fn summary(outcome: &Outcome<'_, Self>, show: &Show) -> Summary {
        let columns = outcome.answer.columns();
        let rows = &outcome.answer.rows;
        let biggest = largest(rows.len(), show.top, |row| Some(rows[row].abs()));
        let mut top = Listing::of_nodes("largest", &columns[0], biggest, &outcome.graph.ids);
        top.iter_mut().for_each(|top| top.columns[0] = "row");
        Summary { numbers: range(rows.iter().copied()), top, ..Summary::default() }
    }

    fn figures(outcome: &Outcome<'_, Self>) -> Figures {
        let csr = &outcome.graph.csr;
        let rate = Figure::gbytes_per_second(bytes_to_move(csr), outcome.seconds);
        Figures { edges: csr.edges().into(), list: vec![rate] }
    }
}

/// The norm, the smallest and the largest of the elements of a product.
pub(super) fn range(elements: impl Iterator<Item = f64>) -> Vec<Figure> {
    let (mut squares, mut lowest, mut highest) = (0.0f64, f64::INFINITY, f64::NEG_INFINITY);
    for element in elements {
        squares += element * element;
        (lowest, highest) = (lowest.min(element), highest.max(element));
    }
    if lowest > highest {
        return Vec::new();
    }
    let figure = |name, number: f64, text: &str| {
        Figure::new(name, Value::Double(number), "").in_line("product", format!("{text} {}", four_digits(number)))
    };
    vec![figure("norm", squares.sqrt(), "norm"), figure("min", lowest, "from"), figure("max", highest, "to")]
}

/// The bytes of each array once, four to an element: row offsets, x and y, columns and values.
fn bytes_to_move(csr: &Csr) -> u64 {
    let (rows, entries) = (u64::from(csr.nodes()), u64::from(csr.edges()));
    4 * ((rows + 1) + 2 * rows + 2 * entries)
}

impl Answer for Product {
    fn columns(&self) -> Vec<Column<'_>> {
        let values = match self.precision {
            Precision::Single => {
                Values::F32(self.rows.par_iter().map(|&value| value as f32).collect::<Vec<_>>().into())
            }
            Precision::Double => Values::F64((&self.rows).into()),
        };
        vec![Column::new("value", values)]
    }
}

fn plan<T: Pod>(csr: &Csr, schedule: Schedule) -> MemoryPlan {
    let extent = extent(csr);
    DeviceGraph::plan(csr)
        .with::<T>("values", extent.atoms)
        .with::<T>("x", extent.tiles)
        .with::<T>("y", extent.tiles)
        .and(ScratchSpace::<T>::plan_gather(schedule, extent))
}

/// A vector of numbers in [-1, 1), drawn by a seed.
pub fn random_vector(length: usize, seed: u64) -> Vec<f32> {
    // 24 bits: all that single precision holds.
    let draw = |index: usize| (mix(seed ^ index as u64) >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
    (0..length).into_par_iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_checked_to_their_own_bound() {
        let weights = Weights::F32(vec![0.5, 3.0, 1.0].into());
        let csr = Csr::new(vec![0, 2, 3], vec![0, 1, 1], weights).unwrap();
        assert_eq!(bytes_to_move(&csr), 12 + 2 * 8 + 2 * 12);
        let graph =
            Graph { name: "matrix".into(), csr, ids: crate::graph::NodeIds::Counted { first: 1 }, directed: true };
        let x = DenseVector::from(vec![2.0, 1.0]);
        let expected = Spmv::reference(&graph, &x, &SpmvConfig::default()).unwrap();
        let check_as = |found: [f64; 2], precision| {
            Spmv::check(&Product { rows: found.to_vec(), precision }, &expected, &graph, &x)
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

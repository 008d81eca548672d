//! Sparse matrix times dense vector, y = A x, in single or double precision, under any schedule. A graph is a matrix: a node is
//! a row, and its edges are the entries of the row. The matrix is kept by rows, which gather their sum; as a list of entries or by
//! columns, from which each entry adds its term to its row, by an atomic addition.

use super::{
    DenseVector, Precision, Reorder,
    prelude::*,
    reals::{Number, Reals},
    reorder,
};
use crate::{
    engine::{EdgeArrays, Layout, Order, Pass, Place, TileSet, TileSpaces, partitions_said, schedule::extent},
    graph::{Dimensions, NodeOrder, generate::random::mix, transform::transpose},
    oracle::spmv::{Bounded, DOUBLE, SINGLE, first_mismatch, product},
    phase,
};
use evenkeel_kernels::{
    algorithm::spmv::{self, EntryParams, ProductParams},
    launch::Launch,
    primitive::LengthParams,
    strategy::edge::EdgeSources,
};
use evenkeel_types::TileRange;
use rayon::prelude::*;
use std::sync::Arc;

/// What can be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpmvConfig {
    /// Who does which part.
    pub schedule: Configured<Spmv>,
    /// The numbers that the product is computed with; double needs a device that has them
    pub precision: Precision,
    /// How the matrix is kept; by entries or columns, a product adds atomically, in single precision
    pub layout: MatrixLayout,
    /// In which order the device keeps rows and columns; auto keeps them as they are, because a product is over sooner than a new order is found
    pub reorder: Reorder,
}

impl Settings for SpmvConfig {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let Self { schedule, precision, layout, reorder } = self;
        let mut keys = schedule.keys();
        let about = "The numbers that the product is computed with; double needs a device that has them";
        keys.push(Key::choice("precision", about, precision).placeholder("NAME"));
        let about = "How the matrix is kept; by entries or columns, a product adds atomically, in single precision";
        keys.push(Key::choice("layout", about, layout).placeholder("NAME"));
        let about = "In which order the device keeps rows and columns; auto keeps them as they are, because a product is over sooner \
                     than a new order is found";
        keys.push(Key::choice("reorder", about, reorder).placeholder("NAME"));
        keys
    }
}

impl SpmvConfig {
    /// The schedule, where it can be known without transposing the matrix; a layout by columns may need to.
    fn choose(&self, csr: &Csr, device: &DeviceInfo) -> Choice {
        match self.schedule.item() {
            // All tiles are alike: an entry each.
            RowSchedule::Auto if self.layout == MatrixLayout::Coo => Schedule::ThreadMapped.into(),
            schedule => schedule.choose(csr, device),
        }
    }

    /// Refuses a device that cannot do what is asked for, and a precision in which nothing can be added atomically.
    fn check(&self, device: &DeviceInfo) -> Result<()> {
        self.precision.check(device)?;
        let layout = self.layout.name();
        if !self.layout.adds_atomically() {
            return Ok(());
        }
        if self.precision == Precision::Double {
            return Err(Error::Usage(format!("layout {layout} adds atomically, which is in single precision alone")));
        }
        if !device.float_atomics {
            let lacks = "has no atomic additions to f32 (VK_EXT_shader_atomic_float)";
            return Err(Error::Unsupported(format!("{} {lacks}, which layout {layout} needs", device.name)));
        }
        Ok(())
    }

    /// Refuses a matrix of several partitions as a list of entries, and in numbers that make a partition larger than a buffer can be.
    fn check_partitions(&self, device: &DeviceInfo, csr: &Csr, kept: &Layout) -> Result<()> {
        let partitions = kept.partitions(csr);
        let (list, most) = (partitions.list(), device.max_buffer / self.precision.bytes() as u64);
        let said = || partitions_said(device, list.len());
        if self.layout.is_list() && list.len() > 1 {
            let layout = self.layout.name();
            return Err(Error::Unsupported(format!(
                "{}, and layout {layout} takes only one; take one of csr, csc",
                said()
            )));
        }
        if list.len() > 1 && list.iter().any(|part| u64::from(part.edge_count()) > most) {
            return Err(Error::Unsupported(format!(
                "{}, whose values exceed a buffer in double precision: take --precision single, or --partition-bytes {}",
                said(),
                device.max_buffer / 2
            )));
        }
        Ok(())
    }
}

/// How a matrix is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MatrixLayout {
    /// By rows: a tile is a row, which gathers its sum. The same answer each time.
    #[default]
    Csr,
    /// As a list of entries: a tile is an entry, which adds its term to its row. Sums are rounded in any order.
    Coo,
    /// As a list of entries sorted by rows: a tile is a row, which gathers its sum. The same answer each time.
    CooRows,
    /// By columns: a tile is a column, each of whose entries adds its term to its row. Sums are rounded in any order.
    Csc,
}

impl MatrixLayout {
    /// Whether the matrix is a list of entries.
    fn is_list(self) -> bool {
        matches!(self, Self::Coo | Self::CooRows)
    }

    /// Whether entries add their terms to rows, so that sums are rounded in any order.
    pub fn adds_atomically(self) -> bool {
        matches!(self, Self::Coo | Self::Csc)
    }
}

impl Choices for MatrixLayout {
    const CHOICES: &'static [(Self, NamedValue)] = &[
        (Self::Csr, named("csr", "By rows: a tile is a row, which gathers its sum. The same answer each time")),
        (
            Self::Coo,
            named(
                "coo",
                "As a list of entries: a tile is an entry, which adds its term to its row. Sums are rounded in any order",
            ),
        ),
        (
            Self::CooRows,
            named(
                "coo-rows",
                "As a list of entries sorted by rows: a tile is a row, which gathers its sum. The same answer each time",
            ),
        ),
        (
            Self::Csc,
            named(
                "csc",
                "By columns: a tile is a column, each of whose entries adds its term to its row. Sums are rounded in any order",
            ),
        ),
    ];
}

/// The option that draws the vector.
#[derive(Clone, Debug)]
pub struct VectorOptions {
    /// The seed of the vector, whose elements are drawn from -1 to 1.
    pub x_seed: u64,
}

impl Settings for VectorOptions {
    fn keys(&mut self) -> Vec<Key<'_>> {
        let about = "The seed of the vector, whose elements are drawn from -1 to 1";
        vec![Key::option("x-seed", about, &mut self.x_seed).placeholder("SEED")]
    }
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
    /// x and y.
    vectors: [Reals; 2],
    precision: Precision,
    /// The vector that is on the device.
    loaded: Option<DenseVector>,
    pass: Pass,
    /// The order of rows and columns on the device, where it is another than the graph's.
    order: Option<Arc<NodeOrder>>,
}

impl Algorithm for Spmv {
    const ABOUT: Description = Description {
        name: "spmv",
        summary: "sparse matrix times dense vector",
        help: "\
A graph is a matrix: its node is a row, its edges are the row's entries. An entry of a matrix without values is 1. The output is \
a line `id value` for each row of the product. An answer is right when each row is as close to a double-precision reference as \
rounding explains; where entries are whole, x has so few bits that sums are exact.

Examples:
  evenkeel spmv rmat:scale=20 --validate
  evenkeel spmv matrix.mtx --schedule group-mapped:8 --runs 20 --warmup 2
  evenkeel spmv matrix.mtx --precision double --validate
  evenkeel spmv matrix.mtx --layout coo --schedule merge-path
  evenkeel spmv grid:rows=1024,cols=1024 --weights random:1..64 --x-seed 5 --output product.txt",
        counted: true,
        takes_rectangles: true,
        weights: WeightUse::Optional,
        ..Description::DEFAULT
    };

    type Config = SpmvConfig;
    type Input = DenseVector;
    type Answer = Product;
    type Reference = Vec<Bounded>;

    fn build(graph: &SharedGraph, config: &SpmvConfig) -> Result<Self> {
        config.check(graph.device().info())?;
        let given = graph.csr();
        let (order, graph) = config.reorder.of_product(graph)?;
        let (session, info) = (Session::any(&graph), graph.device().info());
        let transposed = match config.layout {
            MatrixLayout::Csc => {
                let square = if given.is_square() { graph.csr() } else { given };
                let columns = || phase::during("transposing", || Ok(transpose(square)?.matrix()));
                Some(graph.once("columns", columns)?)
            }
            _ => None,
        };
        // What the tiles are made of, but for entries, which are tiles themselves.
        let csr = transposed.as_deref().unwrap_or(graph.csr());
        let choice = config.choose(csr, info);
        refuse_long_loops(info, || match config.layout {
            MatrixLayout::Coo => choice.rounds_of_entries(u32::try_from(csr.edges()).unwrap_or(u32::MAX)),
            _ => choice.rounds(csr),
        })?;
        let product = |graph: &SharedGraph, kept: &Layout| {
            ProductInputs { device: graph.device(), graph, csr, kept: *kept, choice }.product(config)
        };
        let kept = match config.layout {
            MatrixLayout::Coo | MatrixLayout::CooRows => Layout::resident(info, csr),
            _ => {
                let edge_bytes = size_of::<u32>() + config.precision.bytes();
                graph.layout(csr, edge_bytes, |graph, kept| product(graph, kept))?
            }
        };
        config.check_partitions(info, csr, &kept)?;
        let (vectors, pass) = product(&graph, &kept)?;
        let session =
            session.with_method(config.schedule.item().taken(choice)).with_order(reorder::name_of(order.as_deref()));
        Ok(Self { session, vectors, precision: config.precision, loaded: None, pass, order })
    }

    fn session(&self) -> &Session {
        &self.session
    }

    fn run(&mut self, x: &DenseVector) -> Result<Run> {
        self.session.run(|graph| {
            x.load_once(&mut self.loaded, |elements| {
                let (columns, length) = (graph.csr().dimensions().columns as usize, elements.len());
                if length != columns {
                    return Err(Error::Usage(format!("x has {length} elements, and the matrix {columns} columns")));
                }
                let reordered = self.order.as_ref().map(|order| order.apply(elements, 1));
                let elements = reordered.as_deref().unwrap_or(elements);
                self.vectors[0].upload(graph.device(), elements)
            })?;
            Run::of_pass(&mut self.pass)
        })
    }

    fn answer(&self) -> Result<Product> {
        let device = self.session.answered()?.device();
        let rows = self.vectors[1].download(device)?;
        let rows = match &self.order {
            Some(order) => order.undo(&rows, 1),
            None => rows,
        };
        Ok(Product { rows, precision: self.precision })
    }

    fn reference(graph: &Graph, x: &DenseVector, _: &SpmvConfig) -> Result<Vec<Bounded>> {
        Ok(product(&graph.csr.matrix(), x.elements()))
    }

    fn check(found: &Product, expected: &Vec<Bounded>, _: &Graph, _: &DenseVector) -> Option<Mismatch> {
        let unit = match found.precision {
            Precision::Single => SINGLE,
            Precision::Double => DOUBLE,
        };
        first_mismatch(expected, &found.rows, unit)
    }
}

impl FrontEnd for Spmv {
    type Alternative = RowSchedule;
    type InputOptions = VectorOptions;
    type Tables = ();

    fn choice(config: &mut SpmvConfig) -> &mut Configured<Self> {
        &mut config.schedule
    }

    fn input(options: &VectorOptions, graph: &Graph, _: &SpmvConfig) -> Result<DenseVector> {
        Ok(exact_vector(&graph.csr, graph.csr.dimensions().columns as usize, options.x_seed).into())
    }
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

/// What a product is recorded from. `csr` is the matrix as its tiles have it: transposed, where it is kept by columns.
struct ProductInputs<'a> {
    device: &'a Device,
    graph: &'a SharedGraph,
    csr: &'a Csr,
    kept: Layout,
    choice: Choice,
}

impl ProductInputs<'_> {
    /// The product that was asked for.
    fn product(&self, config: &SpmvConfig) -> Result<([Reals; 2], Pass)> {
        let Self { device, graph, csr, kept, .. } = self;
        match (config.layout, config.precision) {
            (MatrixLayout::Coo, _) => self.entries(),
            (MatrixLayout::Csc, _) => self.columns(),
            (_, Precision::Single) => self.gather::<f32>(config.layout, &graph.partition_values(kept)?),
            (_, Precision::Double) => {
                self.gather::<f64>(config.layout, &EdgeArrays::values(device, csr, kept, |value| value)?)
            }
        }
    }

    /// The product that gathers, in numbers of one kind.
    fn gather<T: Number>(&self, layout: MatrixLayout, values: &EdgeArrays) -> Result<([Reals; 2], Pass)>
    where
        for<'b> spmv::Spmv<'b, T>: Launch<Params = ProductParams>,
    {
        if layout.is_list() { self.sorted_entries(values) } else { self.rows(values) }
    }

    /// x and y.
    fn vectors<T: Number>(&self) -> Result<[Buffer<T>; 2]> {
        let Dimensions { rows, columns } = self.graph.csr().dimensions();
        Ok([self.device.buffer("x", columns as usize)?, self.device.buffer("y", rows as usize)?])
    }

    /// The product by rows.
    fn rows<T: Number>(&self, values: &EdgeArrays) -> Result<([Reals; 2], Pass)>
    where
        for<'b> spmv::Spmv<'b, T>: Launch<Params = ProductParams>,
    {
        let Self { device, choice, .. } = *self;
        let [x, y] = self.vectors()?;
        let spaces = TileSpaces::<T>::new(device, choice, self.graph.tiles(&self.kept)?)?;
        let part = |recorder: &mut Recorder, place| {
            let (part, space) = spaces.at(place);
            let (matrix, values, scratch) = (&part.graph, &values.at(place).cast(), &space.buffers);
            let launch = spmv::Spmv { schedule: choice.schedule, matrix, values, x: &x, y: &y, scratch };
            space.record_gather(recorder, &launch, |schedule| ProductParams { tiles: part.range, schedule });
        };
        let arrays = (&[spaces.columns(), values][..], Order::Ascending);
        let pass = Pass::record(device, &format!("spmv {choice}"), arrays, &|_| (), &part)?;
        Ok(([x, y].map(|vector| T::reals(&vector)), pass))
    }

    /// The matrix with the row of each entry, which is made on the device from where the rows begin.
    fn list(&self) -> Result<(&DeviceGraph, Buffer<u32>)> {
        let (device, matrix, entries) = (self.device, self.graph.rows()?, self.csr.narrow_edges()?);
        let rows = device.buffer("rows of entries", entries as usize)?;
        let find = EdgeSources { row_offsets: &matrix.row_offsets, sources: &rows };
        device.during("making the list of entries", || {
            let params = LengthParams { length: entries };
            device.record("rows of entries", |recorder| recorder.dispatch(&find, params, entries as usize))?.run()
        })?;
        Ok((matrix, rows))
    }

    /// The product by entries.
    fn entries(&self) -> Result<([Reals; 2], Pass)> {
        let Self { device, choice, .. } = *self;
        let [x, y] = self.vectors()?;
        let ((matrix, rows), values, entries) = (self.list()?, self.graph.values()?, self.csr.narrow_edges()?);
        let rows = &rows;
        let space = ScratchSpace::entries(device, choice, entries as usize)?;
        let (columns, scratch) = (&matrix.columns, &space.buffers);
        let launch = spmv::SpmvCoo { schedule: choice.schedule, rows, columns, values: &values, x: &x, y: &y, scratch };
        let all = |recorder: &mut Recorder| {
            recorder.fill(&y.cast(), 0);
            let params = ProductParams { tiles: TileRange::whole(entries), schedule: space.scatter_params() };
            recorder.dispatch(&launch, params, space.scatter_size());
        };
        let pass = Pass::record(device, &format!("spmv coo {choice}"), (&[], Order::Any), &all, &|_, _| ())?;
        Ok(([Reals::Single(x), Reals::Single(y)], pass))
    }

    /// The product by the rows of a sorted list of entries, in numbers of one kind. Where they begin is found on the device.
    fn sorted_entries<T: Number>(&self, values: &EdgeArrays) -> Result<([Reals; 2], Pass)>
    where
        for<'b> spmv::Spmv<'b, T>: Launch<Params = ProductParams>,
    {
        let Self { device, choice, csr, .. } = *self;
        let [x, y] = self.vectors()?;
        let ((matrix, rows), extent) = (self.list()?, extent(csr));
        let row_offsets = device.buffer("where rows begin", extent.tiles + 1)?;
        let find = spmv::EntryOffsets { rows: &rows, offsets: &row_offsets };
        let params = EntryParams { rows: extent.tiles as u32, entries: extent.atoms as u32 };
        device.record("where rows begin", |recorder| recorder.dispatch(&find, params, extent.tiles + 1))?.run()?;
        let space = ScratchSpace::<T>::gather(device, choice, &row_offsets, extent)?;
        let matrix = &DeviceGraph { row_offsets, columns: matrix.columns.clone() };
        let (values, scratch) = (&values.at(Place { partition: 0, slot: 0 }).cast(), &space.buffers);
        let launch = spmv::Spmv { schedule: choice.schedule, matrix, values, x: &x, y: &y, scratch };
        let tiles = TileRange::whole(extent.tiles as u32);
        let all = |recorder: &mut Recorder| {
            space.record_gather(recorder, &launch, |schedule| ProductParams { tiles, schedule })
        };
        let pass = Pass::record(device, &format!("spmv coo-rows {choice}"), (&[], Order::Any), &all, &|_, _| ())?;
        Ok(([x, y].map(|vector| T::reals(&vector)), pass))
    }

    /// The product by columns.
    fn columns(&self) -> Result<([Reals; 2], Pass)> {
        let Self { device, choice, csr, .. } = *self;
        let [x, y] = self.vectors()?;
        let (tiles, values) = device.during("uploading", || {
            let values = EdgeArrays::values(device, csr, &self.kept, |value| value as f32)?;
            Ok((TileSet::upload(device, csr, &self.kept)?, values))
        })?;
        let spaces = TileSpaces::<u32>::new(device, choice, tiles)?;
        let part = |recorder: &mut Recorder, place| {
            let (part, space) = spaces.at(place);
            let (matrix, values, scratch) = (&part.graph, &values.at(place).cast(), &space.buffers);
            let launch = spmv::SpmvCsc { schedule: choice.schedule, matrix, values, x: &x, y: &y, scratch };
            let params = ProductParams { tiles: part.range, schedule: space.scatter_params() };
            recorder.dispatch(&launch, params, space.scatter_size());
        };
        let arrays = (&[spaces.columns(), &values][..], Order::Any);
        let start = |recorder: &mut Recorder| recorder.fill(&y.cast(), 0);
        let pass = Pass::record(device, &format!("spmv csc {choice}"), arrays, &start, &part)?;
        Ok(([Reals::Single(x), Reals::Single(y)], pass))
    }
}

/// Numbers from -1 to 1 that are not 0, drawn by a seed.
pub fn random_vector(length: usize, seed: u64) -> Vec<f32> {
    drawn(length, MOST_BITS, seed)
}

/// Draws a vector for a product with this matrix, whose numbers have so few bits that rows of whole entries have an exact sum in single precision, as far as
/// that leaves 16 different numbers. What a row lacks is seen then, however long the row is.
pub fn exact_vector(csr: &Csr, length: usize, seed: u64) -> Vec<f32> {
    const FEWEST_BITS: f64 = 3.0;
    let size = |row: u32| csr.row(row).map(|edge| csr.weights().real(edge).abs()).sum::<f64>();
    let largest = match csr.weights() {
        Weights::None => csr.max_degree_node().map_or(0.0, |node| csr.degree(node).into()),
        _ => (0..csr.nodes()).into_par_iter().map(size).reduce(|| 0.0, f64::max),
    };
    let bits = f64::from(f32::MANTISSA_DIGITS) - largest.max(1.0).log2().ceil();
    drawn(length, bits.clamp(FEWEST_BITS, MOST_BITS.into()) as u32, seed)
}

/// The bits of a number below 1 in single precision that has a sign and is not 0.
const MOST_BITS: u32 = f32::MANTISSA_DIGITS - 1;

/// Multiples of 2^-bits.
fn drawn(length: usize, bits: u32, seed: u64) -> Vec<f32> {
    let stream = mix(seed);
    let draw = |index: usize| {
        let random = mix(stream.wrapping_add(index as u64));
        let size = ((random >> (u64::BITS - bits)) + 1) as f32 / (1u32 << bits) as f32;
        if random & 1 == 0 { size } else { -size }
    };
    (0..length).into_par_iter().map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_checked_to_their_own_bound() {
        let weights = Weights::F32(vec![0.5, 3.0, 1.0].into());
        let csr = Csr::new(vec![0, 2, 3], vec![0, 1, 1], weights).unwrap();
        let graph =
            Graph { name: "matrix".into(), csr, ids: crate::graph::NodeIds::Counted { first: 1 }, directed: true };
        let check_as = |x: [f64; 2], found: [f64; 2], precision| {
            let x = DenseVector::from(x.to_vec());
            let expected = Spmv::reference(&graph, &x, &SpmvConfig::default()).unwrap();
            let mismatch = Spmv::check(&Product { rows: found.to_vec(), precision }, &expected, &graph, &x);
            mismatch.map(|mismatch| mismatch.node)
        };
        let check = |x, found: [f32; 2]| check_as(x, found.map(f64::from), Precision::Single);
        let next = |value: f32| f32::from_bits(value.to_bits() + 1);
        // Sums that can be exact have to be.
        let whole = [2.0, 1.0];
        assert_eq!(check(whole, [4.0, 1.0]), None);
        assert_eq!(check(whole, [4.0, next(1.0)]), Some(1));
        assert_eq!(check(whole, [f32::NAN, 1.0]), Some(0));
        assert_eq!(check_as(whole, [4.0 + 1e-15, 1.0], Precision::Double), Some(0));
        let (tenth, sum) = (0.1f32, 1.0 + 3.0 * 0.1f32);
        let real = [2.0, tenth.into()];
        assert_eq!(check(real, [sum, tenth]), None);
        assert_eq!(check(real, [next(sum), tenth]), None);
        assert_eq!(check(real, [1.00001 * sum, tenth]), Some(0));
        assert_eq!(check_as(real, [sum.into(), tenth.into()], Precision::Double), Some(0));
    }
}

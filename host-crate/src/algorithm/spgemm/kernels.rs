//! Sparse products by kernels: blocks of rows one after another in the same memory. Of a block the number of products is known, and the first pass
//! finds how many entries they make: it expands the products, sorts them by column and then by row, and flags where an entry begins. Then the
//! gather is prepared that adds them up. A product of one block stays on the device; the entries of several are brought to the host after each.

use super::{Element, Matrices, Multiply, SparseProduct, SpgemmConfig, refuse_entries, reserve};
use crate::{
    Error, Result,
    algorithm::Run,
    device::{Buffer, Device, Launch, ReadBack, Recording},
    engine::{
        DeviceGraph, EdgeArrays, Layout, Place,
        loops::{longest_column, longest_row, refuse_long_loops, rounds_of_a_row},
        primitive::{Kind, Scan, Sort},
        schedule::{Choice, ScratchSpace, TileExtent},
    },
    graph::Csr,
};
use bytemuck::Pod;
use evenkeel_kernels::{
    algorithm::spgemm::{
        BlockParams, ExpandParams, SpgemmEntries, SpgemmExpand, SpgemmFlag, SpgemmLengths, SpgemmRowKeys, SpgemmSum,
        SumParams,
    },
    primitive::LengthParams,
    strategy::edge::EdgeSources,
};
use evenkeel_types::WORKGROUP;
use std::{
    iter,
    ops::Range,
    time::{Duration, Instant},
};

/// The most products that are formed at a time, unless another number is asked for: more of them gain nothing.
const MOST_PRODUCTS: u64 = 1 << 26;

/// Bytes of a product beside its value and that of its entry: its row and its column, those of its entry, the two lists that are sorted, and where
/// entries begin.
const PRODUCT_BYTES: u64 = 36;

/// The fewest invocations that share a long tile, where a schedule shares it.
const LEAST_SUBGROUP: u64 = 4;

/// Rows that are multiplied together.
#[derive(Clone)]
struct Block {
    rows: Range<u32>,
    entries: Range<u32>,
    products: u32,
}

/// How a product is cut, and the schedule of its kernels.
pub(super) struct Blocks {
    list: Vec<Block>,
    choice: Choice,
}

impl Blocks {
    /// Cuts a product so that each block has as many products as fit, but at least one row.
    ///
    /// # Errors
    /// When a row has more products than a buffer holds, or an invocation may need longer loops than the driver allows.
    pub fn plan(matrices: &Matrices<'_>, choice: Choice, config: &SpgemmConfig) -> Result<Self> {
        let (info, left, right) = (matrices.left.device().info(), matrices.left.csr(), matrices.right.csr());
        left.narrow_edges()?;
        right.narrow_edges()?;
        let value = config.precision.bytes() as u64;
        // A scan has a few words beside each block, and places are 32 bits.
        let possible = (info.max_buffer / value).min(u64::from(u32::MAX - (1 << 16)));
        if let Some((row, products)) = (0u32..).zip(&*matrices.products).find(|(_, products)| **products > possible) {
            return Err(Error::Unsupported(format!(
                "row {row} has {products} products, and kernels form at most {possible} of a row here; take --device cpu"
            )));
        }
        let default = (info.available() / 2 / (PRODUCT_BYTES + 2 * value)).clamp(1, MOST_PRODUCTS);
        let most = config.block_products.map_or(default, u64::from).min(possible);
        let (mut list, mut begin, mut sum) = (Vec::new(), 0, 0);
        let block = |rows: Range<u32>, products: u64| {
            let entries = left.offsets().at(rows.start as usize) as u32..left.offsets().at(rows.end as usize) as u32;
            Block { rows, entries, products: products as u32 }
        };
        for (row, products) in (0..).zip(&*matrices.products) {
            if sum + products > most && sum > 0 {
                list.push(block(begin..row, sum));
                (begin, sum) = (row, 0);
            }
            sum += products;
        }
        if sum > 0 {
            list.push(block(begin..left.nodes(), sum));
        }
        let longest = list.iter().map(|block| block.entries.len() as u64).max().unwrap_or(0);
        let most = list.iter().map(|block| u64::from(block.products)).max().unwrap_or(0);
        refuse_long_loops(info, || {
            // An entry of the product has at most a product for each entry of its row, and of the column.
            let of_entry = longest_row(left).min(longest_column(right)) * parallel(left).max(parallel(right));
            rounds(choice, longest_row(right), longest).max(rounds(choice, of_entry, most))
        })?;
        Ok(Self { list, choice })
    }

    /// The most entries, products and rows of a block.
    fn largest(&self) -> Block {
        let most = |of: fn(&Block) -> u32| self.list.iter().map(of).max().unwrap_or(0);
        Block {
            rows: 0..most(|block| block.rows.len() as u32),
            entries: 0..most(|block| block.entries.len() as u32),
            products: most(|block| block.products),
        }
    }
}

/// The most edges from one node to another.
fn parallel(csr: &Csr) -> u64 {
    let of_row = |row: u32| csr.neighbours(row).chunk_by(|a, b| a == b).map(<[u32]>::len).max().unwrap_or(0);
    (0..csr.nodes()).map(of_row).max().unwrap_or(0).max(1) as u64
}

/// The most rounds of an invocation's loops where the longest of `tiles` tiles has `longest` atoms.
fn rounds(choice: Choice, longest: u64, tiles: u64) -> u64 {
    if choice.schedule.implementation().shares_long_tiles() {
        return rounds_of_a_row(longest / LEAST_SUBGROUP + tiles / u64::from(WORKGROUP));
    }
    // A group searches for the tile of each atom.
    let group = choice.parameter.max(1);
    let each = if group > 1 { 4 + u64::from(group.ilog2()) } else { 1 };
    rounds_of_a_row(longest * each + u64::from(group))
}

/// The matrices on the device.
struct Operands<T: Element> {
    /// The row of each entry of the left matrix.
    left_rows: Buffer<u32>,
    left: DeviceGraph,
    left_values: Buffer<T>,
    right: DeviceGraph,
    right_values: Buffer<T>,
    width: u32,
}

impl<T: Element> Operands<T> {
    fn upload(matrices: &Matrices<'_>) -> Result<Self> {
        let Matrices { left, right, .. } = *matrices;
        let (device, entries) = (left.device(), left.csr().narrow_edges()?);
        let values = |csr: &Csr| -> Result<Buffer<T>> {
            let values = EdgeArrays::values(device, csr, &Layout::resident(device.info(), csr), T::of)?;
            Ok(values.at(Place { partition: 0, slot: 0 }).cast())
        };
        let is_same = std::ptr::eq(left.csr().columns(), right.csr().columns());
        let (left_graph, right_graph) = (left.rows()?.clone(), right.rows()?.clone());
        let left_values = values(left.csr())?;
        let right_values = if is_same { left_values.clone() } else { values(right.csr())? };
        let left_rows = device.buffer("rows of entries", entries as usize)?;
        let find = EdgeSources { row_offsets: &left_graph.row_offsets, sources: &left_rows };
        device.during("finding the rows of entries", || {
            let params = LengthParams { length: entries };
            device.record("rows of entries", |recorder| recorder.dispatch(&find, params, entries as usize))?.run()
        })?;
        let width = right.csr().nodes();
        Ok(Self { left_rows, left: left_graph, left_values, right: right_graph, right_values, width })
    }
}

/// The memory in which blocks are multiplied, of the largest one's size.
struct Workspace<T: Element> {
    lengths: Buffer<u32>,
    /// The prefix sums of the lengths.
    before: Buffer<u32>,
    lengths_scan: Scan,
    rows: Buffer<u32>,
    columns: Buffer<u32>,
    values: Buffer<T>,
    sort: Sort,
    flags_scan: Scan,
    starts: Buffer<u32>,
    count: Buffer<u32>,
    /// The rows and columns of entries.
    found: [Buffer<u32>; 2],
    sums: Buffer<T>,
}

impl<T: Element> Workspace<T> {
    fn new(device: &Device, largest: &Block) -> Result<Self> {
        let (products, entries) = (largest.products as usize, largest.entries.len());
        Ok(Self {
            lengths: device.buffer("products of entries", entries + 1)?,
            before: device.buffer("products before entries", entries + 1)?,
            lengths_scan: Scan::new(device, entries + 1)?,
            rows: device.buffer("product rows", products)?,
            columns: device.buffer("product columns", products)?,
            values: device.buffer("product values", products)?,
            sort: Sort::new(device, products)?,
            flags_scan: Scan::new(device, products)?,
            starts: device.buffer("first products", products + 1)?,
            count: device.buffer_from("number of entries", &[0])?,
            found: [device.buffer("found rows", products)?, device.buffer("found columns", products)?],
            sums: device.buffer("found values", products)?,
        })
    }
}

/// A block that is ready to be multiplied.
struct Prepared {
    first_pass: Recording,
    count: ReadBack<u32>,
    /// The list of pairs in which the products are sorted.
    sorted: usize,
    /// The second pass for so many entries.
    second_pass: Option<(u32, Recording)>,
}

/// A product that is ready to be computed.
struct Kernels<T: Element> {
    blocks: Blocks,
    operands: Operands<T>,
    space: Workspace<T>,
    /// The only block.
    only: Option<Prepared>,
    /// The entries of the only block, which are on the device.
    entries: usize,
    /// The entries of several blocks.
    host: SparseProduct,
}

/// Allocates the memory, and makes the only block ready.
pub(super) fn prepare<T: Element>(matrices: &Matrices<'_>, blocks: Blocks) -> Result<Box<dyn Multiply>>
where
    for<'b> SpgemmExpand<'b, T>: Launch<Params = ExpandParams>,
    for<'b> SpgemmSum<'b, T>: Launch<Params = SumParams>,
{
    let device = matrices.left.device();
    let largest = blocks.largest();
    let operands = Operands::upload(matrices)?;
    let space = Workspace::new(device, &largest)?;
    let host = SparseProduct {
        rows: Vec::new(),
        columns: Vec::new(),
        values: T::values(Vec::new()),
        products: matrices.products.iter().sum(),
    };
    let mut kernels = Kernels { blocks, operands, space, only: None, entries: 0, host };
    // Where there is one block it is the largest, from the first row on.
    let prepared = kernels.first_pass(device, &largest)?;
    // Upper bound of what the second pass needs, where each product is an entry: memory that is not there is missed here, and not in a run.
    let extent = TileExtent::new(largest.products as usize, largest.products as usize);
    device.record("no entries", |recorder| recorder.fill(&kernels.space.starts, 0))?.run()?;
    ScratchSpace::<T>::gather(device, kernels.blocks.choice, &kernels.space.starts, extent)?;
    kernels.only = (kernels.blocks.list.len() == 1).then_some(prepared);
    Ok(Box::new(kernels))
}

impl<T: Element> Kernels<T>
where
    for<'b> SpgemmExpand<'b, T>: Launch<Params = ExpandParams>,
    for<'b> SpgemmSum<'b, T>: Launch<Params = SumParams>,
{
    /// Finds what the schedule must know of a block, and records its first pass.
    fn first_pass(&self, device: &Device, block: &Block) -> Result<Prepared> {
        let Self { operands, space, blocks: Blocks { choice, .. }, .. } = self;
        let (entries, products) = (block.entries.len(), block.products as usize);
        let params = BlockParams {
            first_row: block.rows.start,
            first_entry: block.entries.start,
            entries: entries as u32,
            products: block.products,
        };
        let (left_columns, right) = (&operands.left.columns, &operands.right);
        let lengths = SpgemmLengths { left_columns, right_offsets: &right.row_offsets, lengths: &space.lengths };
        device
            .record("products of entries", |recorder| {
                recorder.dispatch(&lengths, params, entries + 1);
                space.lengths_scan.record(recorder, &space.lengths, &space.before, entries + 1, Kind::Exclusive);
            })?
            .run()?;
        let scratch = ScratchSpace::gather(device, *choice, &space.before, TileExtent::new(entries, products))?;
        let Workspace { rows, columns, before, sort, count, starts, .. } = space;
        let bits = |numbers: u32| u32::BITS - numbers.saturating_sub(1).leading_zeros();
        let (mut sorted, mut read_back) = (0, None);
        let first_pass = device.record(&format!("spgemm {choice}, first pass"), |recorder| {
            recorder.label("expand");
            let expand = SpgemmExpand {
                schedule: choice.schedule,
                left_rows: &operands.left_rows,
                left_columns,
                left_values: &operands.left_values,
                right,
                right_values: &operands.right_values,
                before,
                rows,
                columns,
                values: &space.values,
                keys: &sort.pairs[0].keys,
                order: &sort.pairs[0].payloads,
                scratch: &scratch.buffers,
            };
            let schedule = scratch.scatter_params();
            recorder.dispatch(&expand, ExpandParams { block: params, schedule }, scratch.scatter_size());
            recorder.label("sort");
            sorted = sort.record(recorder, 0, products, bits(operands.width));
            let pairs = &sort.pairs[sorted];
            let row_keys = SpgemmRowKeys { order: &pairs.payloads, rows, keys: &pairs.keys };
            recorder.dispatch(&row_keys, params, products);
            sorted = sort.record(recorder, sorted, products, bits(block.rows.len() as u32));
            recorder.label("compress");
            let (order, other) = (&sort.pairs[sorted].payloads, &sort.pairs[1 - sorted]);
            // The other list is free.
            let (flags, numbers) = (&other.keys, &other.payloads);
            recorder.dispatch(&SpgemmFlag { order, rows, columns, flags }, params, products);
            space.flags_scan.record(recorder, flags, numbers, products, Kind::Inclusive);
            let [entry_rows, entry_columns] = &space.found;
            let entries =
                SpgemmEntries { order, rows, columns, flags, numbers, starts, entry_rows, entry_columns, count };
            recorder.dispatch(&entries, params, products);
            read_back = Some(recorder.read_back(count));
        })?;
        let count = read_back.ok_or_else(|| Error::Device("the number of entries was not recorded".into()))?;
        Ok(Prepared { first_pass, count, sorted, second_pass: None })
    }

    /// Finds what the schedule must know of the entries, and records their sums.
    fn second_pass(&self, device: &Device, sorted: usize, entries: u32, products: u32) -> Result<Recording> {
        let (choice, space) = (self.blocks.choice, &self.space);
        let extent = TileExtent::new(entries as usize, products as usize);
        let scratch = ScratchSpace::<T>::gather(device, choice, &space.starts, extent)?;
        let sum = SpgemmSum {
            schedule: choice.schedule,
            starts: &space.starts,
            order: &space.sort.pairs[sorted].payloads,
            values: &space.values,
            sums: &space.sums,
            scratch: &scratch.buffers,
        };
        device.record(&format!("spgemm {choice}, second pass"), |recorder| {
            recorder.label("sum");
            scratch.record_gather(recorder, &sum, |schedule| SumParams { entries, schedule });
        })
    }

    /// Multiplies a block. Returns how long the device was busy, and the number of entries.
    fn multiply(&self, device: &Device, block: &Block, prepared: &mut Prepared) -> Result<(Duration, u32)> {
        let first = prepared.first_pass.run()?;
        let entries = prepared.first_pass.value(prepared.count);
        if prepared.second_pass.as_ref().is_none_or(|(count, _)| *count != entries) {
            prepared.second_pass = Some((entries, self.second_pass(device, prepared.sorted, entries, block.products)?));
        }
        let second = prepared.second_pass.iter_mut().map(|(_, recording)| recording.run()).sum::<Result<Duration>>()?;
        Ok((first + second, entries))
    }

    /// Brings the entries of a block to the host, behind those of others.
    fn bring(&self, device: &Device, product: &mut SparseProduct, entries: usize) -> Result<()> {
        let [rows, columns] = &self.space.found;
        let SparseProduct { rows: all_rows, columns: all_columns, values, .. } = product;
        append(device, rows, all_rows, entries)?;
        append(device, columns, all_columns, entries)?;
        match T::of_values(values) {
            Some(all) => append(device, &self.space.sums, all, entries),
            None => Err(Error::Device("the product is of another precision".into())),
        }
    }

    /// A product without entries yet.
    fn empty(&self) -> SparseProduct {
        let values = T::values(Vec::new());
        SparseProduct { rows: Vec::new(), columns: Vec::new(), values, products: self.host.products }
    }

    /// Multiplies all blocks. Returns how long the device was busy.
    fn all(&mut self, device: &Device) -> Result<Duration> {
        if let Some(mut only) = self.only.take() {
            let done = self.multiply(device, &self.blocks.list[0], &mut only);
            self.only = Some(only);
            let (busy, entries) = done?;
            self.entries = entries as usize;
            return Ok(busy);
        }
        let (mut host, mut busy) = (self.empty(), Duration::ZERO);
        for block in &self.blocks.list {
            let mut prepared = self.first_pass(device, block)?;
            let (time, entries) = self.multiply(device, block, &mut prepared)?;
            busy += time;
            refuse_entries(host.columns.len() as u64 + u64::from(entries))?;
            self.bring(device, &mut host, entries as usize)?;
        }
        self.host = host;
        Ok(busy)
    }
}

/// Appends the first elements of a buffer to a list.
fn append<T: Pod>(device: &Device, buffer: &Buffer<T>, list: &mut Vec<T>, count: usize) -> Result<()> {
    reserve(list, count)?;
    let begin = list.len();
    list.extend(iter::repeat_n(T::zeroed(), count));
    device.download_into(buffer, &mut list[begin..])
}

impl<T: Element> Multiply for Kernels<T>
where
    for<'b> SpgemmExpand<'b, T>: Launch<Params = ExpandParams>,
    for<'b> SpgemmSum<'b, T>: Launch<Params = SumParams>,
{
    fn run(&mut self, device: &Device) -> Result<Run> {
        let begin = Instant::now();
        let kernel = self.all(device)?;
        let iterations = self.blocks.list.len() as u32;
        Ok(Run { total: begin.elapsed(), kernel, iterations, streamed_bytes: 0 })
    }

    fn product(&self, device: &Device) -> Result<SparseProduct> {
        if self.only.is_none() {
            return Ok(self.host.clone());
        }
        let mut product = self.empty();
        self.bring(device, &mut product, self.entries)?;
        Ok(product)
    }
}

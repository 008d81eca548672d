//! Sparse products on the CPU device, by Gustavson's two passes. A thread adds up a row in a dense row of its own: the first pass counts the
//! entries, and the second one fills the memory that was then allocated. A piece of the work is some rows, or of a row with very many products some
//! columns, so that the longest row does not keep one thread while others wait. An entry is added up by one thread, in the order of the row.

use super::{Element, Matrices, Multiply, SparseProduct, refuse_entries, reserve};
use crate::{
    Error, Result,
    algorithm::Run,
    device::{Device, Member, Recording, Team, memory::Bytes},
    graph::Csr,
};
use std::{
    mem,
    ops::Range,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed},
    },
};

/// Pieces for each thread: enough that all end at about the same time.
const PIECES: u64 = 16;
/// The fewest products of a row that is cut, and of a piece of it: each has to find its columns in every row of the right matrix.
const LONG: u64 = 1 << 16;

/// Where the native step leaves the product.
type Found = Arc<Mutex<Option<Result<SparseProduct>>>>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A product that is ready to be computed.
struct Native {
    recording: Recording,
    found: Found,
}

/// Records the product as one step.
pub(super) fn prepare<T: Element>(matrices: &Matrices<'_>) -> Result<Box<dyn Multiply>> {
    let (device, left, right) = (matrices.left.device(), matrices.left.csr().clone(), matrices.right.csr().clone());
    let (threads, products) = (rayon::current_num_threads(), matrices.products.clone());
    device.count::<T>("dense rows", threads * right.nodes() as usize);
    device.count::<u32>("marks", threads * right.nodes() as usize);
    let most = device.info().available().saturating_sub(matrices.left.plan().bytes());
    let found = Found::default();
    let output = found.clone();
    let recording = device.record("spgemm gustavson-cpu", |recorder| {
        recorder.native("gustavson", &[], move |team, _| {
            let rows = RowProducts { left: &left, right: &right, products: &products };
            *lock(&output) = Some(rows.multiply::<T>(team, most));
        });
    })?;
    Ok(Box::new(Native { recording, found }))
}

impl Multiply for Native {
    fn run(&mut self, _: &Device) -> Result<Run> {
        // The memory of an earlier answer is free before this one needs its own.
        *lock(&self.found) = None;
        let run = Run::timed(1, || self.recording.run())?;
        let failed = lock(&self.found).take_if(|found| found.is_err());
        match failed {
            Some(Err(error)) => Err(error),
            _ => Ok(run),
        }
    }

    fn product(&self, _: &Device) -> Result<SparseProduct> {
        match &*lock(&self.found) {
            Some(Ok(product)) => Ok(product.clone()),
            _ => Err(Error::Usage("there is no product: it was not computed".into())),
        }
    }
}

/// Some rows, and some of their columns.
#[derive(Clone)]
struct Piece {
    rows: Range<u32>,
    columns: Range<u32>,
}

/// The memory of a piece's entries.
struct Output<'a, T> {
    rows: &'a mut [u32],
    columns: &'a mut [u32],
    values: &'a mut [T],
}

/// The matrices, as the threads see them.
struct RowProducts<'a> {
    left: &'a Csr,
    right: &'a Csr,
    products: &'a [u64],
}

impl RowProducts<'_> {
    /// Both passes; the entries may take so many bytes.
    fn multiply<T: Element>(&self, team: &mut Team, most: u64) -> Result<SparseProduct> {
        let pieces = self.pieces(team.threads() as u64);
        let counts: Vec<AtomicU64> = pieces.iter().map(|_| AtomicU64::new(0)).collect();
        self.each(team, &pieces, |row: &mut Dense<T>, place| {
            let mut count = 0;
            self.rows_of(row, &pieces[place], false, |_, row| count += row.touched.len() as u64);
            counts[place].store(count, Relaxed);
        });
        let counts: Vec<usize> = counts.into_iter().map(|count| count.into_inner() as usize).collect();
        let total: usize = counts.iter().sum();
        refuse_entries(total as u64)?;
        let bytes = (total * (2 * size_of::<u32>() + size_of::<T>())) as u64;
        if bytes > most {
            let (bytes, most) = (Bytes(bytes), Bytes(most));
            return Err(Error::Memory(format!(
                "the {total} entries of the product need {bytes}, and there are {most}"
            )));
        }
        let (mut rows, mut columns, mut values) = (zeros(total)?, zeros(total)?, zeros(total)?);
        let outputs = split::<T>(&counts, &mut rows, &mut columns, &mut values);
        self.each(team, &pieces, |dense: &mut Dense<T>, place| {
            let Some(output) = lock(&outputs[place]).take() else { return };
            let mut filled = 0;
            self.rows_of(dense, &pieces[place], true, |row, dense| {
                dense.touched.sort_unstable();
                for &column in &dense.touched {
                    output.rows[filled] = row;
                    output.columns[filled] = column;
                    output.values[filled] = dense.sums[column as usize];
                    filled += 1;
                }
            });
        });
        drop(outputs);
        let products = self.products.iter().sum();
        Ok(SparseProduct { rows, columns, values: T::values(values), products })
    }

    /// Cuts the work into pieces, in the order of their entries.
    fn pieces(&self, threads: u64) -> Vec<Piece> {
        let width = self.right.nodes();
        let work = |row: u32| 1 + self.products[row as usize] + u64::from(self.left.degree(row));
        let rows = self.left.nodes();
        let share = ((0..rows).map(work).sum::<u64>() / (threads * PIECES)).max(1);
        let (mut pieces, mut begin, mut sum) = (Vec::new(), 0, 0);
        let some_rows = |rows: Range<u32>| Piece { rows, columns: 0..width };
        for row in 0..rows {
            let parts = (self.products[row as usize] / share.max(LONG)).min(width.into());
            if parts > 1 {
                pieces.extend((begin < row).then(|| some_rows(begin..row)));
                let bound = |part: u64| (u64::from(width) * part / parts) as u32;
                pieces
                    .extend((0..parts).map(|part| Piece { rows: row..row + 1, columns: bound(part)..bound(part + 1) }));
                (begin, sum) = (row + 1, 0);
                continue;
            }
            sum += work(row);
            if sum >= share {
                pieces.push(some_rows(begin..row + 1));
                (begin, sum) = (row + 1, 0);
            }
        }
        pieces.extend((begin < rows).then(|| some_rows(begin..rows)));
        pieces
    }

    /// Calls `work` for each piece, by whichever thread is free, with a dense row of the thread.
    fn each<T: Element>(&self, team: &mut Team, pieces: &[Piece], work: impl Fn(&mut Dense<T>, usize) + Sync) {
        let taken = AtomicUsize::new(0);
        team.run(|_: Member| {
            let mut dense = Dense::new(self.right.nodes());
            loop {
                let place = taken.fetch_add(1, Relaxed);
                if place >= pieces.len() {
                    return;
                }
                work(&mut dense, place);
            }
        });
    }

    /// Adds up each row of a piece, if sums are asked for, and hands it to `done`.
    fn rows_of<T: Element>(
        &self,
        dense: &mut Dense<T>,
        piece: &Piece,
        with_sums: bool,
        mut done: impl FnMut(u32, &mut Dense<T>),
    ) {
        let all = 0..self.right.nodes();
        for row in piece.rows.clone() {
            dense.begin();
            for entry in self.left.row(row) {
                let middle = self.left.columns()[entry];
                let mut others = self.right.row(middle);
                if piece.columns != all {
                    let columns = &self.right.columns()[others.clone()];
                    let before = |bound: u32| columns.partition_point(|column| *column < bound);
                    let (begin, end) = (before(piece.columns.start), before(piece.columns.end));
                    others = others.start + begin..others.start + end;
                }
                if !with_sums {
                    self.right.columns()[others].iter().for_each(|column| _ = dense.touch(*column));
                    continue;
                }
                let value = T::of(self.left.weights().real(entry));
                for other in others {
                    dense.add(self.right.columns()[other], value * T::of(self.right.weights().real(other)));
                }
            }
            done(row, dense);
        }
    }
}

/// A row of a product that is being added up.
struct Dense<T> {
    sums: Vec<T>,
    /// The number of the row that last had an entry in a column.
    marks: Vec<u32>,
    number: u32,
    /// The columns of the row's entries.
    touched: Vec<u32>,
}

impl<T: Element> Dense<T> {
    fn new(width: u32) -> Self {
        Self { sums: vec![T::zeroed(); width as usize], marks: vec![0; width as usize], number: 0, touched: Vec::new() }
    }

    /// Begins another row.
    fn begin(&mut self) {
        self.touched.clear();
        self.number = self.number.wrapping_add(1);
        if self.number == 0 {
            self.marks.fill(0);
            self.number = 1;
        }
    }

    /// Returns whether the row had no entry in the column; it has one now.
    fn touch(&mut self, column: u32) -> bool {
        let is_new = mem::replace(&mut self.marks[column as usize], self.number) != self.number;
        if is_new {
            self.touched.push(column);
        }
        is_new
    }

    fn add(&mut self, column: u32, term: T) {
        let is_new = self.touch(column);
        let sum = &mut self.sums[column as usize];
        *sum = if is_new { term } else { *sum + term };
    }
}

fn zeros<T: bytemuck::Zeroable + Clone>(length: usize) -> Result<Vec<T>> {
    let mut list = Vec::new();
    reserve(&mut list, length)?;
    list.resize(length, T::zeroed());
    Ok(list)
}

/// The memory of each piece, whose entries are so many.
fn split<'a, T>(
    counts: &[usize],
    mut rows: &'a mut [u32],
    mut columns: &'a mut [u32],
    mut values: &'a mut [T],
) -> Vec<Mutex<Option<Output<'a, T>>>> {
    let of_piece = |count: &usize| {
        let output = Output {
            rows: rows.split_off_mut(..*count).unwrap_or_default(),
            columns: columns.split_off_mut(..*count).unwrap_or_default(),
            values: values.split_off_mut(..*count).unwrap_or_default(),
        };
        Mutex::new(Some(output))
    };
    counts.iter().map(of_piece).collect()
}

#[cfg(test)]
mod tests {
    use super::{super::products_of_rows, *};
    use crate::graph::generate::Generator;

    #[test]
    fn pieces_cover_every_row_and_column_once() {
        let csr = "star:nodes=3000".parse::<Generator>().unwrap().generate().unwrap().csr;
        let products = products_of_rows(&csr, &csr);
        // As if the hub had so many that it is cut.
        let mut heavy = products.clone();
        heavy[0] = 40 * LONG;
        for (products, cut) in [(products, false), (heavy, true)] {
            let pieces = RowProducts { left: &csr, right: &csr, products: &products }.pieces(4);
            let (mut next, mut is_cut) = ((0, 0), false);
            for Piece { rows, columns } in &pieces {
                assert_eq!((rows.start, columns.start), next);
                is_cut |= columns.end < csr.nodes();
                next = if columns.end == csr.nodes() { (rows.end, 0) } else { (rows.start, columns.end) };
            }
            assert_eq!((next, is_cut), ((csr.nodes(), 0), cut));
        }
    }
}

//! Compressed sparse rows: the graph as host and device hold it.

use crate::Storage;
use evenkeel_kernel_macro::Bundle;

/// The rows of a sparse matrix, or the edges of a graph by the node they leave.
#[derive(Bundle)]
pub struct Csr<S: Storage> {
    /// Where each row begins, and the number of entries.
    pub row_offsets: S::Read<u32>,
    /// The column of each entry: the node at the end of each edge.
    pub columns: S::Read<u32>,
}

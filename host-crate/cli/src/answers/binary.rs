//! All pairs for a program in the plainest form (`.bin`): [`AllPairs::MAGIC`], the number of nodes and the kind (0 whole, 1 real) as
//! 32-bit words, then all distances row by row, `u32` or `f32`; everything little-endian. What is not reached is the largest word, or
//! infinite.

use evenkeel::{
    algorithm::{AllPairs, Column, Values},
    graph::Graph,
};
use std::io::{self, Write};

pub fn write(columns: &[Column<'_>], graph: &Graph, writer: &mut (dyn Write + Send)) -> io::Result<()> {
    let values = columns.first().map(|column| &column.values);
    let (kind, bits): (u32, &dyn Fn(usize) -> u32) = match values {
        Some(Values::U32(all)) => (0, &|place| all[place]),
        Some(Values::F32(all)) => (1, &|place| all[place].to_bits()),
        _ => return Err(io::Error::other("the distances are not words of 32 bits")),
    };
    let nodes = graph.csr.nodes();
    writer.write_all(&AllPairs::MAGIC)?;
    writer.write_all(&[nodes.to_le_bytes(), kind.to_le_bytes()].concat())?;
    // A row at a time: enough to write in one go, and little to hold.
    (0..nodes as usize).try_for_each(|row| {
        let places = row * nodes as usize..(row + 1) * nodes as usize;
        writer.write_all(&places.flat_map(|place| bits(place).to_le_bytes()).collect::<Vec<u8>>())
    })
}

//! What a module needs after rust-gpu has compiled it.

mod capabilities;
mod numbering;
mod pointers;
mod shared_memory;

use anyhow::{Result, anyhow};
use rspirv::{
    binary::Assemble,
    dr::{Module, load_bytes},
};

/// The finished module of a compiled one.
pub fn finish(compiled: &[u8]) -> Result<Vec<u8>> {
    let mut module = parse(compiled)?;
    pointers::take_apart(&mut module);
    pointers::refuse_kept(&module)?;
    shared_memory::refuse_unwritten(&module)?;
    shared_memory::order(&mut module);
    capabilities::keep_used(&mut module);
    numbering::by_use(&mut module);
    Ok(module.assemble().into_iter().flat_map(u32::to_le_bytes).collect())
}

fn parse(module: &[u8]) -> Result<Module> {
    load_bytes(module).map_err(|state| anyhow!("not SPIR-V: {state}"))
}

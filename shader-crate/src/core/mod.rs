//! What every kernel is written in: who an invocation is, the memory it sees, numbers, and how the host launches it. These are the
//! only files that know where they run.

#[macro_use]
mod registry;

#[cfg(not(target_arch = "spirv"))]
mod access;
#[cfg(not(target_arch = "spirv"))]
pub mod balance;
pub mod lane;
#[cfg(not(target_arch = "spirv"))]
pub mod launch;
pub mod memory;
pub mod numbers;
pub mod ranges;
pub mod state;

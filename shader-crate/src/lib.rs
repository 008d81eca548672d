//! evenkeel's kernels, written once and run three ways: compiled to SPIR-V for a GPU, natively for the CPU device, and
//! described to the host so that it launches them with the right buffers.
//!
//! A kernel is a function under [`kernel`]. It sees who it is through a [`lane::Lane`] and its buffers through the views in
//! [`memory`]; the files of [`core`] are the only ones that know where they run.

#![cfg_attr(target_arch = "spirv", no_std)]
// `#[kernel]` writes full paths, so that it works in this crate and in a user's.
extern crate self as evenkeel_kernels;

// Registries first: a macro must stand before the modules that use it.
#[macro_use]
pub mod core;
#[macro_use]
pub mod operator;
#[macro_use]
pub mod schedule;

#[macro_use]
pub mod frontier;
#[macro_use]
pub mod strategy;

pub mod algorithm;
pub mod primitive;
pub mod rounds;
pub mod tiles;

#[cfg(not(target_arch = "spirv"))]
pub use crate::core::{balance, launch};
pub use crate::core::{lane, memory, numbers, ranges, state};
/// The bundles of buffers that kernels take as one argument, each with the macro by which `#[kernel]` knows its fields.
pub use evenkeel_types::{Csr, Worklist};
pub use schedule::Scratch;

pub use evenkeel_kernel_macro::{inline_all, kernel, kernel_answer};
// For what `#[kernel]` writes into a crate that need not know of it.
#[doc(hidden)]
pub use spirv_std;

/// What nearly every kernel is written with: of [`core`] and of what host and device share, nothing of the layers above.
pub mod prelude {
    pub use crate::memory::{Global, Read, Shared, Views};
    pub use crate::{inline_all, kernel, lane::Lane, ranges::step, state::State};
    pub use bytemuck::{Pod, Zeroable};
    pub use evenkeel_types::{
        Bundle, Csr, Field, Fields, LoopHeader, LoopState, RowRange, ScheduleParams, Storage, TileRange, UNREACHED,
        WORKGROUP, Worklist,
    };
}

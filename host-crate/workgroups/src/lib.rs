//! Runs the workgroups of kernels on a CPU, one on a thread. The CPU device of evenkeel is built on it; it is a crate of its own so that
//! it is optimised where the rest of the host is not: tests spend much of their time here.
//!
//! | module | question |
//! | --- | --- |
//! | `group` | how do the invocations of a workgroup run, in a loop or on fibres, and what if one fails? |
//! | `emulated` | what if they run as on a GPU, in subgroups and in an order that nobody promised? |

mod emulated;
mod group;

pub use emulated::Emulation;
pub use group::{Counts, Group, Reason, WorkgroupMemory, caught};

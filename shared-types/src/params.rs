//! What the host pushes with each dispatch, a struct a kernel family.

use bytemuck::{Pod, Zeroable};

/// Of kernels that need no more than a length.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LengthParams {
    /// How many elements there are.
    pub length: u32,
}

/// Of the prefix sum.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct ScanParams {
    /// How many elements there are.
    pub length: u32,
    /// 1 when an element's own value counts, 0 when only those before it do.
    pub inclusive: u32,
}

/// Of the traversals.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct TraversalParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// The most workgroups a dispatch may have; kernels stride over the rest.
    pub max_groups: u32,
}

//! What the kernels of colouring and their host share: parameters, and the words beside the control block.

use crate::{ScheduleParams, control::word};
use bytemuck::{Pod, Zeroable};
use core::mem::offset_of;

/// The colour of a node that has none yet.
pub const UNCOLORED: u32 = u32::MAX;

/// Set in a colour that is a guess: it holds only if no neighbour with the same guess comes first. [`UNCOLORED`] has it, too.
pub const TENTATIVE: u32 = 1 << 31;

/// Of the colourings that give out one colour an iteration.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LabelParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// The most workgroups a dispatch may have.
    pub max_groups: u32,
    /// Which random labels.
    pub seed: u32,
    /// The first iterations, as many as this, compare degrees; the others random labels.
    pub switch_at: u32,
    /// They compare degrees no longer once fewer nodes than this have got a colour in an iteration.
    pub switch_below: u32,
    /// How many queues there are, one for each workgroup; 0 where nobody steals.
    pub queues: u32,
    /// Nodes in an element of a queue.
    pub chunk: u32,
}

/// Of the largest label around each node, under a schedule.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct LabelGatherParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// Which random labels.
    pub seed: u32,
    /// The schedule's.
    pub schedule: ScheduleParams,
}

/// How far a colouring is that gives out one colour an iteration. Kernels address its fields as words, by the constants below.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct LabelState {
    /// The colour of this iteration.
    pub color: u32,
    /// Not 0 while degrees are compared, not random labels.
    pub by_degree: u32,
    /// Nodes that have got a colour in this iteration.
    pub colored: u32,
}

impl LabelState {
    /// The word of `color`.
    pub const COLOR: u32 = word(offset_of!(Self, color));
    /// The word of `by_degree`.
    pub const BY_DEGREE: u32 = word(offset_of!(Self, by_degree));
    /// The word of `colored`.
    pub const COLORED: u32 = word(offset_of!(Self, colored));
}

/// The most edges of a node that one invocation takes: the smallest free colour is then within one word of marks.
pub const LIGHT: u32 = 31;
/// The most edges of a node that a subgroup takes; a workgroup takes the nodes with more.
pub const MEDIUM: u32 = 511;

/// Of the colourings with a worklist of three sections: light nodes, medium ones and heavy ones.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct SectionParams {
    /// How many nodes there are.
    pub nodes: u32,
    /// Where the section of medium nodes begins: how many light ones there are.
    pub medium: u32,
    /// Where the section of heavy nodes begins.
    pub heavy: u32,
    /// The most workgroups a dispatch may have.
    pub max_groups: u32,
    /// Which random labels.
    pub seed: u32,
}

/// How many entries the sections of the worklists have. Kernels address its fields as words, by the constants below.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Sections {
    /// Light nodes in the worklist that is read.
    pub light: u32,
    /// Medium ones.
    pub medium: u32,
    /// Heavy ones.
    pub heavy: u32,
    /// Light nodes written so far to the next worklist.
    pub next_light: u32,
    /// Medium ones.
    pub next_medium: u32,
    /// Heavy ones.
    pub next_heavy: u32,
}

impl Sections {
    /// The word of `light`.
    pub const LIGHT: u32 = word(offset_of!(Self, light));
    /// The word of `medium`.
    pub const MEDIUM: u32 = word(offset_of!(Self, medium));
    /// The word of `heavy`.
    pub const HEAVY: u32 = word(offset_of!(Self, heavy));
    /// The word of `next_light`.
    pub const NEXT_LIGHT: u32 = word(offset_of!(Self, next_light));
    /// The word of `next_medium`.
    pub const NEXT_MEDIUM: u32 = word(offset_of!(Self, next_medium));
    /// The word of `next_heavy`.
    pub const NEXT_HEAVY: u32 = word(offset_of!(Self, next_heavy));
}

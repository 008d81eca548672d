//! What the host must know of a schedule, and do before it runs: how much scratch memory it needs, how the order of the tiles is
//! found, and how many invocations a kernel under it has.

use crate::launch::{Buffer, DispatchSize, Record};

/// The host's side of a schedule. The defaults are those of a schedule that gives each tile to one invocation.
pub trait Prepare: Sync {
    /// Says in a line what the schedule does.
    fn summary(&self) -> &'static str;

    /// Names the paper the schedule comes from.
    fn paper(&self) -> &'static str;

    /// Describes the number that a user may choose, which kernels read as `scratch.schedule.group`.
    fn parameter(&self) -> Option<Parameter> {
        None
    }

    /// Whether several invocations share every tile of more than a few atoms, so that no invocation adds up many values alone.
    fn shares_long_tiles(&self) -> bool {
        false
    }

    /// The scratch memory for gathers over tiles that stay the same.
    fn gather_layout(&self, _extent: TileExtent) -> ScratchLayout {
        ScratchLayout::default()
    }

    /// Records the kernels that fill [`OrderBuffers::order`] for such gathers, once for all of them.
    fn prepare_gather(&self, _recorder: &mut dyn Record, _buffers: &OrderBuffers, _extent: TileExtent) {}

    /// The invocations of a gather. `header` is the first [`ScratchLayout::header`] words of the order, after its preparation.
    fn gather_size(&self, extent: TileExtent, _header: &[u32]) -> GatherSize {
        GatherSize::one_pass(extent.tiles * extent.team as usize)
    }

    /// The scratch memory for scatters over a worklist of up to `tiles` tiles.
    fn scatter_layout(&self, _tiles: usize) -> ScratchLayout {
        ScratchLayout::default()
    }

    /// The most workgroups that a dispatch needs, however much there is to do.
    fn most_groups(&self) -> u32 {
        u32::MAX
    }

    /// Whether a scatter over a worklist needs the prefix sums of the tiles' sizes; it is then sized by atoms, not by tiles.
    fn needs_prefix_sums(&self) -> bool {
        false
    }

    /// Records the kernels that fill [`OrderBuffers::order`] before each scatter over a worklist, behind the prefix sums.
    fn prepare_scatter(&self, _recorder: &mut dyn Record, _buffers: &OrderBuffers) {}
}

/// How large a tile set is, and how many invocations act as one lane (see [`crate::lane::Lane::team`]).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileExtent {
    /// The number of tiles.
    pub tiles: usize,
    /// The number of atoms in all tiles together.
    pub atoms: usize,
    /// The number of invocations in a team.
    pub team: u32,
}

impl TileExtent {
    /// An extent in which each invocation is a lane of its own.
    pub fn new(tiles: usize, atoms: usize) -> Self {
        Self { tiles, atoms, team: 1 }
    }
}

/// The lengths of a schedule's buffers. Those it does not use are placeholders of one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchLayout {
    /// Words of `Scratch::order`.
    pub order: usize,
    /// Values in `Scratch::pieces`.
    pub pieces: usize,
    /// Words of `Scratch::queues`.
    pub queues: usize,
    /// Words of [`OrderBuffers::counters`].
    pub counters: usize,
    /// Words at the beginning of the order that the host reads once it is prepared, to size gathers.
    pub header: usize,
}

impl Default for ScratchLayout {
    fn default() -> Self {
        Self { order: 1, pieces: 1, queues: 1, counters: 1, header: 0 }
    }
}

/// The invocations of a gather, and of a scatter over the same tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatherSize {
    /// Invocations of the main pass.
    pub main: usize,
    /// Invocations of the pass that joins the pieces of tiles, where the schedule leaves any.
    pub finish: Option<usize>,
    /// Invocations of a scatter, which leaves nothing in pieces.
    pub scatter: usize,
}

impl GatherSize {
    /// As many invocations for a gather in one pass as for a scatter.
    pub fn one_pass(invocations: usize) -> Self {
        Self { main: invocations, finish: None, scatter: invocations }
    }
}

/// The buffers from which a schedule finds the order of its tiles.
pub struct OrderBuffers<'a> {
    /// How many atoms the tiles before each one have, and behind them how many all have.
    pub offsets: &'a Buffer<u32>,
    /// A buffer in which word `length_word` is the number of tiles, which for a worklist only the device knows.
    pub length: &'a Buffer<u32>,
    /// See `length`.
    pub length_word: u32,
    /// The size of a dispatch with an invocation for each tile.
    pub size: DispatchSize,
    /// The order to fill, of [`ScratchLayout::order`] words.
    pub order: &'a Buffer<u32>,
    /// Words for the preparation alone, [`ScratchLayout::counters`] of them.
    pub counters: &'a Buffer<u32>,
}

/// A number that a user may choose for a schedule, one of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name, as in `group-mapped:group=64`.
    pub name: &'static str,
    /// A line for the help text.
    pub about: &'static str,
    /// The value unless another is chosen.
    pub default: u32,
    /// The values that can be chosen.
    pub values: &'static [u32],
}

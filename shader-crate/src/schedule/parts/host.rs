//! What the host does for a schedule that cuts work into parts.

use super::{Cut, PartParams};
use crate::{
    launch::{Buffer, DispatchSize, Launch, Record},
    schedule::{GatherSize, OrderBuffers, Prepare, ScratchLayout, TileExtent},
};
use evenkeel_types::WORKGROUP;

/// Tiles with fewer atoms than this on average are short: their values lie in order mostly, and a part takes little longer than a
/// workgroup takes to begin.
const SHORT: usize = 6;
/// The number of parts from which a workgroup can take several while all of a GPU is still busy.
const MANY: usize = 1 << 14;
/// The number of parts that a workgroup takes then.
const PARTS_OF_MANY: usize = 4;

/// What the host must know of a schedule that cuts work into parts; the rest of its [`Prepare`] follows.
pub trait CutPreparation: Cut + Sync {
    /// Says in a line what the schedule does.
    const SUMMARY: &'static str;
    /// Names the paper the schedule comes from.
    const PAPER: &'static str;

    /// The schedule's kernel around [`super::find_bounds`].
    fn bounds<'b>(offsets: &'b Buffer<u32>, bounds: &'b Buffer<u32>) -> impl Launch<Params = PartParams>;
}

fn part_params<C: Cut>(extent: TileExtent) -> PartParams {
    let items = C::PART / extent.team;
    let total = C::items(extent.tiles as u32, extent.atoms as u32);
    PartParams { tiles: extent.tiles as u32, parts: total.div_ceil(items).max(1), items }
}

impl<C: CutPreparation> Prepare for C {
    fn summary(&self) -> &'static str {
        C::SUMMARY
    }

    fn paper(&self) -> &'static str {
        C::PAPER
    }

    fn shares_long_tiles(&self) -> bool {
        true
    }

    /// A part has two pieces of tiles, of the one that it only ends and of the one that it only begins, and of each piece
    /// every member of a team has its own share.
    fn gather_layout(&self, extent: TileExtent) -> ScratchLayout {
        let parts = part_params::<C>(extent).parts as usize;
        ScratchLayout { order: parts + 1, pieces: 2 * parts * extent.team as usize, ..ScratchLayout::default() }
    }

    fn prepare_gather(&self, recorder: &mut dyn Record, buffers: &OrderBuffers, extent: TileExtent) {
        let params = part_params::<C>(extent);
        let size = DispatchSize::Items(params.parts as usize + 1);
        // SAFETY: there is an offset behind the last tile, and a bound behind the last part.
        unsafe { recorder.dispatch(&C::bounds(buffers.offsets, buffers.order), params, size) };
    }

    /// The main pass has a workgroup for each part, or for several where each is soon done; the second has a lane.
    fn gather_size(&self, extent: TileExtent, _header: &[u32]) -> GatherSize {
        let parts = part_params::<C>(extent).parts as usize;
        let are_short = extent.atoms < SHORT * extent.tiles;
        let groups = if are_short && parts >= MANY { parts.div_ceil(PARTS_OF_MANY) } else { parts };
        let invocations = |groups: usize| groups * WORKGROUP as usize;
        GatherSize {
            main: invocations(groups),
            finish: Some(parts * extent.team as usize),
            scatter: invocations(parts),
        }
    }

    fn needs_prefix_sums(&self) -> bool {
        true
    }
}

//! A queue whose places are found by prefix sums: the third of the classic searches.

use super::{prelude::*, worklists::Worklists};
use evenkeel_kernels::{
    operator::Search,
    strategy::scan::{Places, SWEEP, ScanBlocksAgain, ScanCounts, ScanLayer, ScanPopulate, ScanSweep},
};
use evenkeel_types::{UNREACHED, WORKGROUP};

/// The strategy `scan`.
#[derive(Clone)]
pub(super) struct Scan;

impl Strategy for Scan {
    fn about(&self) -> About {
        About::new(
            "scan",
            "Pathak et al.; Blelloch",
            "a queue whose places are found by prefix sums instead of atomic additions",
        )
    }

    fn operators(&self) -> &'static [Operator] {
        &[Operator::Bfs]
    }

    fn record(&self, device: &Device, traversal: &Traversal, name: &str) -> Result<DeviceLoop> {
        let (Traversal { graph, data, .. }, nodes) = (traversal, traversal.nodes() as usize);
        let worklists: Worklists = Worklists::new(device, traversal, nodes)?;
        let (state, params, claims) = (&worklists.state, worklists.params, &device.buffer("claims", nodes)?);
        let places = &Places {
            counts: device.buffer("counts", nodes)?,
            sums: device.buffer("sums of counts", nodes.div_ceil(SWEEP as usize))?,
        };
        let start = |recorder: &mut Recorder| {
            // No edge has this number, so nobody has claimed anything.
            recorder.fill(claims, UNREACHED);
            worklists.start(recorder, traversal);
        };
        DeviceLoop::record(device, name, state, start, |recorder, odd| {
            let worklist = worklists.of_iteration(odd);
            let queue = &worklist.current;
            let layer = ScanLayer { search: Search::Bfs, graph, data, worklist, claims, state };
            recorder.dispatch_indirect(&layer, params, state, LoopHeader::GROUPS);
            let count = ScanCounts { graph, queue, claims, places, state };
            recorder.dispatch_indirect(&count, params, state, LoopHeader::GROUPS);
            recorder.dispatch_indirect(&ScanSweep { places, state }, params, state, LoopHeader::GROUPS);
            recorder.dispatch(&ScanBlocksAgain { places, state }, params, WORKGROUP as usize);
            let populate = ScanPopulate { graph, worklist, claims, places, state };
            recorder.dispatch_indirect(&populate, params, state, LoopHeader::GROUPS);
        })
    }
}

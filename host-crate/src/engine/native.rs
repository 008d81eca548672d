//! What functions for the threads of the CPU device are made of: a loop that is one native step, lists that threads write and share, numbers
//! that they join, and parts of arrays. The forms of strategies and algorithms for a CPU are written with these.

use super::DeviceLoop;
use crate::{
    Result,
    device::{Buffer, Device, Member, Padded, Recorder, Team},
    graph::{Csr, OffsetsView, offsets::for_width},
};
use evenkeel_types::{Field, LoopHeader, LoopState};
use std::{
    array,
    cell::UnsafeCell,
    mem,
    ops::Range,
    sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering::Relaxed},
};

/// Records a loop that is one native step. It is given the threads and the words of the buffers; it returns the number of iterations, and
/// the flags of the header.
pub(crate) fn record_native<const N: usize>(
    device: &Device,
    name: &str,
    step: &'static str,
    buffers: [&Buffer<u32>; N],
    run: impl Fn(&mut Team, [&[AtomicU32]; N]) -> (u32, u32) + Send + Clone + 'static,
) -> Result<DeviceLoop> {
    const FIELDS: [Field<LoopHeader>; 3] = [LoopHeader::FRONTIER, LoopHeader::ITERATION, LoopHeader::FLAGS];
    let state: Buffer<LoopHeader> = device.buffer("state", 1)?;
    let iteration = |recorder: &mut Recorder, _| {
        let run = run.clone();
        let all: Vec<_> = buffers.iter().map(|buffer| buffer.raw()).chain([state.raw()]).collect();
        recorder.native(step, &all, move |team, words| {
            let (iterations, flags) = run(team, array::from_fn(|buffer| words[buffer]));
            for (field, value) in FIELDS.into_iter().zip([0, iterations, flags]) {
                words[N][field.word() as usize].store(value, Relaxed);
            }
        });
    };
    DeviceLoop::record_in_batches(device, name, &state, &[1], |_| (), iteration)
}

/// The part of `0..length` that a member takes when all get as much.
pub(crate) fn part_of(member: Member, length: usize) -> Range<usize> {
    length * member.index / member.count..length * (member.index + 1) / member.count
}

/// Ranges of nodes that have as many edges and nodes each, as far as whole rows allow.
pub(crate) fn even_parts(csr: &Csr, count: usize) -> Vec<Range<usize>> {
    let (nodes, offsets) = (csr.nodes() as usize, csr.offsets());
    let work = |node: usize| offsets.at(node) + node;
    let bound = |part: usize| {
        let wanted = work(nodes) * part / count;
        let (mut low, mut high) = (0usize, nodes);
        while low < high {
            let middle = low.midpoint(high);
            if work(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        low
    };
    (0..count).map(|part| bound(part)..if part + 1 == count { nodes } else { bound(part + 1) }).collect()
}

/// Asks for the memory of an offset ahead of its use.
#[inline(always)]
pub(crate) fn prefetch_offset(offsets: OffsetsView<'_>, row: usize) {
    for_width!(offsets, offsets => prefetch(offsets, row));
}

/// Asks for the memory of an element ahead of its use. The index may lie outside: nothing is read.
#[inline(always)]
pub(crate) fn prefetch<T>(slice: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch has no effect but on the cache, and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(slice.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, index);
}

/// A list of nodes in parts: each thread writes one, without regard to the others, and then all share the nodes out. A lock for each part
/// would take longer than a short level of a search, so it is the members' barriers that keep writing and reading apart.
pub(crate) struct Parts {
    parts: Vec<Padded<UnsafeCell<Vec<u32>>>>,
    /// How many nodes have been taken.
    taken: Padded<AtomicUsize>,
}

// SAFETY: a part is written by one member while nobody reads, and read by all while nobody writes; see the functions.
unsafe impl Sync for Parts {}

impl Parts {
    /// The fewest and the most nodes that a thread takes at a time.
    const PIECE: [usize; 2] = [64, 4096];
    /// How many pieces there are for each thread, so that all end at about the same time.
    const PIECES: usize = 16;

    pub(crate) fn new(threads: usize) -> Self {
        Self { parts: (0..threads).map(|_| Padded::default()).collect(), taken: Padded::default() }
    }

    /// Replaces a member's part and leaves `nodes` empty.
    ///
    /// # Safety
    /// There is a barrier between this and every [`Parts::share`] of the list, before and after.
    pub(crate) unsafe fn publish(&self, member: Member, nodes: &mut Vec<u32>) {
        // SAFETY: nobody else has this number, and by the barriers nobody reads.
        let part = unsafe { &mut *self.parts[member.index].0.get() };
        mem::swap(part, nodes);
        nodes.clear();
        if member.index == 0 {
            self.taken.0.store(0, Relaxed);
        }
    }

    /// Calls `visit` with pieces of the list until none is left; all members together see each node once.
    ///
    /// # Safety
    /// There is a barrier between this and every [`Parts::publish`] of the list, before and after.
    pub(crate) unsafe fn share(&self, mut visit: impl FnMut(&[u32])) {
        // SAFETY: by the barriers nobody writes.
        let parts: Vec<&[u32]> = self.parts.iter().map(|part| unsafe { (*part.0.get()).as_slice() }).collect();
        let total: usize = parts.iter().map(|part| part.len()).sum();
        let [fewest, most] = Self::PIECE;
        let piece = (total / (parts.len() * Self::PIECES)).clamp(fewest, most);
        let (mut part, mut before) = (0, 0);
        loop {
            let mut begin = self.taken.0.fetch_add(piece, Relaxed);
            let end = total.min(begin + piece);
            if begin >= end {
                return;
            }
            while begin < end {
                while before + parts[part].len() <= begin {
                    before += parts[part].len();
                    part += 1;
                }
                let stop = end.min(before + parts[part].len());
                visit(&parts[part][begin - before..stop - before]);
                begin = stop;
            }
        }
    }
}

/// Numbers that members join in one phase and read in the next. Three sets are used in rotation, so that one can be cleared while another is
/// read and the third is written.
pub(crate) struct RoundCounters<const N: usize> {
    sets: [Padded<[AtomicU64; N]>; 3],
    /// What a set is before anything is joined.
    empty: u64,
}

impl<const N: usize> RoundCounters<N> {
    pub(crate) fn new(empty: u64) -> Self {
        let set = || Padded([const { AtomicU64::new(0) }; N].map(|_| AtomicU64::new(empty)));
        Self { sets: [set(), set(), set()], empty }
    }

    /// The numbers of the phase.
    pub(crate) fn of(&self, phase: usize) -> &[AtomicU64; N] {
        &self.sets[phase % 3].0
    }

    /// Waits for all members, begins the next phase, and returns the numbers of the one that ended.
    pub(crate) fn end(&self, member: Member, phase: &mut usize) -> [u64; N] {
        member.barrier();
        let numbers = self.of(*phase).each_ref().map(|number| number.load(Relaxed));
        *phase += 1;
        if member.index == 0 {
            // The set of the phase after this: all have read what was in it.
            self.of(*phase + 1).iter().for_each(|number| number.store(self.empty, Relaxed));
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{device::DeviceOptions, graph::generate::Generator};

    #[test]
    fn a_native_step_has_all_threads_and_ends_the_loop() {
        let device = Device::open("cpu", &DeviceOptions::default()).unwrap();
        let (source, values) = (device.buffer_from("source", &[7]).unwrap(), device.buffer("values", 5).unwrap());
        let run = |team: &mut Team, [source, values]: [&[AtomicU32]; 2]| {
            let source = source[0].load(Relaxed);
            let (list, rounds) = (Parts::new(team.threads()), RoundCounters::<1>::new(0));
            team.run(|member| {
                let mut phase = 0;
                let mut own = part_of(member, values.len()).map(|place| place as u32).collect();
                // SAFETY: the round ends in between.
                unsafe { list.publish(member, &mut own) };
                rounds.of(phase)[0].fetch_add(1, Relaxed);
                assert_eq!(rounds.end(member, &mut phase), [member.count as u64]);
                let visit = |nodes: &[u32]| {
                    nodes.iter().for_each(|node| values[*node as usize].store(source + node, Relaxed));
                };
                // SAFETY: as above.
                unsafe { list.share(visit) };
            });
            (3, 0)
        };
        let mut search = record_native(&device, "test", "test", [&source, &values], run).unwrap();
        let report = search.run().unwrap().report;
        assert_eq!((report.iteration, report.frontier, report.flags), (3, 0, 0));
        assert_eq!(device.download(&values).unwrap(), [7, 8, 9, 10, 11]);
    }

    #[test]
    fn parts_cover_all_nodes_once_and_share_the_edges() {
        for (generator, count) in
            [("rmat:scale=9", 7), ("star:nodes=50", 4), ("chain:nodes=3", 64), ("star:nodes=1", 2)]
        {
            let csr = generator.parse::<Generator>().unwrap().generate().unwrap().csr;
            let parts = even_parts(&csr, count);
            assert_eq!(parts.len(), count);
            assert!(parts.iter().cloned().flatten().eq(0..csr.nodes() as usize), "{generator}: {parts:?}");
            let work =
                |part: &Range<usize>| part.clone().map(|node| 1 + csr.degree(node as u32) as usize).sum::<usize>();
            let (fair, longest) =
                ((csr.nodes() as usize + csr.columns().len()) / count, csr.skew().highest as usize + 1);
            assert!(parts.iter().all(|part| work(part) <= fair + longest + 1), "{generator}");
        }
    }
}

//! How many distances a device can relax when nothing has to be loaded: what all-pairs shortest paths are held against. An
//! invocation has 64 in registers, as `blocked` does, and lowers each by its neighbour and a step, round after round.

use bytemuck::{Pod, Zeroable};
use evenkeel_kernels::{
    algorithm::apsp::Relax,
    for_each_length, kernel,
    lane::Lane,
    memory::{Global, UVec4},
};

/// What the host pushes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RoofParams {
    /// How often each distance is relaxed.
    pub rounds: u32,
    /// The bits of a length that is added each time; nobody but the host knows it.
    pub step: u32,
}

/// Distances that an invocation relaxes in each round.
pub const RELAXED: u32 = 64;

/// Sixteen of them.
#[derive(Clone, Copy)]
struct Sixteen {
    a: UVec4,
    b: UVec4,
    c: UVec4,
    d: UVec4,
}

impl Sixteen {
    #[inline(always)]
    fn from(first: u32) -> Self {
        let four = UVec4::new(first, first + 7, first + 21, first + 35);
        Self { a: four, b: four + 1, c: four + 2, d: four + 3 }
    }

    #[inline(always)]
    fn relax<L: Relax>(self, step: u32, others: Self) -> Self {
        Self {
            a: L::relax_four(self.a, step, others.b),
            b: L::relax_four(self.b, step, others.c),
            c: L::relax_four(self.c, step, others.d),
            d: L::relax_four(self.d, step, others.a),
        }
    }

    #[inline(always)]
    fn join(self) -> u32 {
        let four = self.a ^ self.b ^ self.c ^ self.d;
        four.x ^ four.y ^ four.z ^ four.w
    }
}

/// Relaxes, and writes one word so that none of it can be left out.
#[kernel(threads = 256, each(L in for_each_length))]
pub fn relax_roof<L: Relax>(lane: Lane, params: &RoofParams, mut words: Global<u32>) {
    let first = lane.global() << 8;
    let (mut p, mut q) = (Sixteen::from(first), Sixteen::from(first + 50));
    let (mut r, mut s) = (Sixteen::from(first + 100), Sixteen::from(first + 150));
    for _ in 0..params.rounds {
        p = p.relax::<L>(params.step, q);
        q = q.relax::<L>(params.step, r);
        r = r.relax::<L>(params.step, s);
        s = s.relax::<L>(params.step, p);
    }
    words.set(lane.global(), p.join() ^ q.join() ^ r.join() ^ s.join());
}

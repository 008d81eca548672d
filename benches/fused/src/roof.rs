//! The rate at which a device relaxes distances without memory access: the upper bound for all-pairs shortest paths. An invocation has
//! 64 distances in registers, like `blocked`, and relaxes each by its neighbour and a step in every round.

use bytemuck::{Pod, Zeroable};
use evenkeel_kernels::{
    algorithm::apsp::Relax,
    for_each_length, kernel,
    lane::Lane,
    memory::{Global, UVec4},
};

/// What the host pushes with each dispatch.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub struct RoofParams {
    /// The number of times that each distance is relaxed.
    pub rounds: u32,
    /// The bits of a length that is added each time; a parameter, so that the compiler cannot fold it.
    pub step: u32,
}

/// The number of distances that an invocation relaxes in each round.
pub const RELAXED: u32 = 64;

/// Sixteen distances.
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

/// Relaxes distances and writes one word that depends on all of them, so that the compiler cannot remove any.
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

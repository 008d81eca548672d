//! Peeling on the CPU device (Kabir and Madduri 2017, "PKC"). A thread looks through its own nodes for those of few neighbours, and goes
//! on with what it brings down to the level itself, so threads wait for each other once a level.

use super::super::prelude::*;
use crate::{
    device::{Member, Team},
    engine::native::{RoundCounters, even_parts, record_native},
};
use evenkeel_kernels::algorithm::kcore::NOT_PEELED;
use std::{
    ops::{Range, RangeInclusive},
    sync::atomic::{AtomicU32, Ordering::Relaxed},
};

/// Records all levels as one step.
pub(super) fn record(
    device: &Device,
    name: &str,
    csr: &Csr,
    cores: &Buffer<u32>,
    levels: RangeInclusive<u32>,
) -> Result<DeviceLoop> {
    let csr = csr.without_weights();
    let degrees = device.buffer("degrees", csr.nodes() as usize)?;
    // The threads' own lists.
    device.count::<u32>("nodes left", csr.nodes() as usize);
    record_native(device, name, "peel_cpu", [cores, &degrees], move |team, [cores, degrees]| {
        let parts = even_parts(&csr, team.threads());
        let peel = Peel { csr: &csr, cores, degrees, parts, levels: levels.clone(), rounds: RoundCounters::new(0) };
        (peel.run(team), 0)
    })
}

/// Core numbers that are being found: what the members share.
struct Peel<'a> {
    csr: &'a Csr,
    cores: &'a [AtomicU32],
    /// How many neighbours each node has that are not taken away.
    degrees: &'a [AtomicU32],
    parts: Vec<Range<usize>>,
    levels: RangeInclusive<u32>,
    /// Nodes that were found, nodes that are left, and how far the fewest neighbours of these are below the largest number.
    rounds: RoundCounters<3>,
}

impl Peel<'_> {
    fn run(&self, team: &mut Team) -> u32 {
        let rounds = AtomicU32::new(0);
        team.run(|member| rounds.store(self.take_part(member), Relaxed));
        rounds.into_inner()
    }

    fn take_part(&self, member: Member) -> u32 {
        let (mut phase, mut level, mut count) = (0, *self.levels.start(), 0);
        // There may be fewer members than parts were made for.
        let parts = self.parts.iter().skip(member.index).step_by(member.count);
        let mut left: Vec<u32> = parts.flat_map(|part| part.clone().map(|node| node as u32)).collect();
        for &node in &left {
            self.degrees[node as usize].store(self.csr.degree(node), Relaxed);
            self.cores[node as usize].store(NOT_PEELED, Relaxed);
        }
        self.rounds.end(member, &mut phase);
        let mut taken = Vec::new();
        loop {
            let (mut found, mut lowest) = (0, u32::MAX);
            left.retain(|&node| {
                if self.cores[node as usize].load(Relaxed) != NOT_PEELED {
                    return false;
                }
                let degree = self.degrees[node as usize].load(Relaxed);
                if degree <= level {
                    found += u64::from(self.take(node, level, &mut taken));
                    return false;
                }
                lowest = lowest.min(degree);
                true
            });
            while let Some(node) = taken.pop() {
                self.csr.neighbours(node).iter().for_each(|&neighbour| self.lower(neighbour, level, &mut taken));
            }
            let numbers = self.rounds.of(phase);
            numbers[0].fetch_add(found, Relaxed);
            numbers[1].fetch_add(left.len() as u64, Relaxed);
            numbers[2].fetch_max((u32::MAX - lowest).into(), Relaxed);
            let [found, all_left, below] = self.rounds.end(member, &mut phase);
            count += 1;
            // Where nothing was found nothing was lowered, and the fewest neighbours are right.
            level = if found == 0 { u32::MAX - below as u32 } else { level + 1 };
            if all_left == 0 || level > *self.levels.end() {
                return count;
            }
        }
    }

    /// Takes a node away if nobody has.
    fn take(&self, node: u32, level: u32, taken: &mut Vec<u32>) -> bool {
        let is_first = self.cores[node as usize].compare_exchange(NOT_PEELED, level, Relaxed, Relaxed).is_ok();
        if is_first {
            taken.push(node);
        }
        is_first
    }

    /// Lowers the count of a node's neighbours while it is above the level, and takes it away if it comes down to that.
    fn lower(&self, node: u32, level: u32, taken: &mut Vec<u32>) {
        let degree = &self.degrees[node as usize];
        if degree.load(Relaxed) <= level {
            return;
        }
        match degree.fetch_sub(1, Relaxed) {
            before if before == level + 1 => _ = self.take(node, level, taken),
            // Somebody else has brought it down meanwhile.
            before if before <= level => _ = degree.fetch_add(1, Relaxed),
            _ => {}
        }
    }
}

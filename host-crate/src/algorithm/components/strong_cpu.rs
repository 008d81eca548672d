//! Strongly connected components on the CPU device: the path-based depth-first search (Gabow 2000), by one thread. It looks at every edge
//! once, where the signatures of the kernels pass over all edges again and again.

use super::{super::prelude::*, ComponentInputs};
use crate::engine::native::record_native;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// In place of the number of a node that was not found yet, and of the component of one that is not known.
const NONE: u32 = u32::MAX;

/// Records it as one step.
pub(super) fn record(inputs: &ComponentInputs<'_>, name: &str) -> Result<DeviceLoop> {
    let &ComponentInputs { device, csr, labels, .. } = inputs;
    let (csr, numbers) = (csr.without_weights(), device.buffer("numbers", csr.nodes() as usize)?);
    // The stacks hold every node once at most.
    device.count::<[u32; 4]>("stacks", csr.nodes() as usize);
    record_native(device, name, "strong_cpu", [labels, &numbers], move |_, [labels, numbers]| {
        search(&csr, labels, numbers);
        (1, 0)
    })
}

fn search(csr: &Csr, labels: &[AtomicU32], numbers: &[AtomicU32]) {
    numbers.iter().chain(labels).for_each(|word| word.store(NONE, Relaxed));
    let number = |node: u32| numbers[node as usize].load(Relaxed);
    // Nodes whose component is not known, in the order they were found; of those, the first of each component so far; and the path from where
    // the search began, with the next edge of each node.
    let (mut open, mut firsts, mut path) = (Vec::new(), Vec::new(), Vec::new());
    let (offsets, mut found) = (csr.offsets(), 0);
    for begin in 0..csr.nodes() {
        let mut next = if number(begin) == NONE { Some(begin) } else { None };
        while let Some(node) = next.take() {
            numbers[node as usize].store(found, Relaxed);
            found += 1;
            open.push(node);
            firsts.push(node);
            path.push((node, offsets.at(node as usize)));
            // Goes on at the end of the path until there is another node to find.
            while next.is_none()
                && let Some((node, edge)) = path.last_mut()
            {
                if *edge == offsets.at(*node as usize + 1) {
                    close(*node, &mut open, &mut firsts, labels);
                    path.pop();
                    continue;
                }
                let target = csr.columns()[*edge];
                *edge += 1;
                if number(target) == NONE {
                    next = Some(target);
                } else if labels[target as usize].load(Relaxed) == NONE {
                    // The path from the target to here is a cycle: its nodes are one component.
                    while firsts.last().is_some_and(|first| number(*first) > number(target)) {
                        firsts.pop();
                    }
                }
            }
        }
    }
}

/// If no node that was found before is in the component of this one, those after it are.
fn close(node: u32, open: &mut Vec<u32>, firsts: &mut Vec<u32>, labels: &[AtomicU32]) {
    if firsts.last() != Some(&node) {
        return;
    }
    firsts.pop();
    let begin = open.iter().rposition(|other| *other == node).unwrap_or_default();
    let smallest = open[begin..].iter().copied().min().unwrap_or(node);
    open.drain(begin..).for_each(|member| labels[member as usize].store(smallest, Relaxed));
}

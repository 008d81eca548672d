//! Weak components on several workers. Each worker joins the nodes at both ends of its own edges in a forest whose roots are the smallest
//! nodes. What others can learn from it is which nodes with edges between two workers are connected, so that it sends each of these with
//! its root. The forests are joined in pairs, along a binary tree of workers up to worker 0 and back, so that it takes twice as many
//! exchanges as there are levels of the tree, whatever the graph.

use super::{
    Cluster,
    load::both_ways,
    on_device::components::ForestOnDevice,
    run::{Distributed, Found, Prepared, Step, iterate, refuse},
    share::Share,
    values_of,
};
use crate::{
    Result,
    algorithm::{ComponentLabels, Components, ComponentsConfig},
    device::{Device, DeviceOptions},
    graph::Csr,
};

/// The distributed form of [`Components`].
pub struct DistributedComponents;

impl Distributed for DistributedComponents {
    type Algorithm = Components;

    fn options(&self) -> &'static [&'static str] {
        &[]
    }

    fn check(&self, config: &ComponentsConfig) -> Result<()> {
        refuse(config.strong, "strong")
    }

    fn input(&self, _: &mut Cluster, _: &Share, (): &(), _: &ComponentsConfig) -> Result<()> {
        Ok(())
    }

    fn prepare<'a>(
        &self,
        cluster: &mut Cluster,
        share: &'a Share,
        _: &'a ComponentsConfig,
        device: Option<&Device>,
    ) -> Result<Box<dyn Prepared<Components> + 'a>> {
        // A worker has to know which of its nodes others have edges to.
        let csr = if share.graph.directed { both_ways(cluster, share)? } else { share.graph.csr.without_weights() };
        let ends = ends_of_crossing_edges(share, &csr);
        // The kernels are the fastest form on the CPU, too.
        let device =
            device.map_or_else(|| Device::open("cpu", &DeviceOptions::default()), |device| Ok(device.clone()))?;
        let watch = cluster.watch().clone();
        let part = watch.during(|| ForestOnDevice::new(&device, share, &csr))?;
        let (process, workers) = (cluster.process(), cluster.workers());
        let (border, is_border) = (Vec::new(), Vec::new());
        Ok(Box::new(Forest { share, process, workers, part, ends, border, is_border, rounds: 0 }))
    }
}

impl Prepared<Components> for Forest<'_> {
    fn run(&mut self, cluster: &mut Cluster, (): &()) -> Result<Found<ComponentLabels>> {
        self.rounds = 0;
        self.border.clear();
        self.is_border = vec![false; self.share.nodes() as usize];
        self.ends.clone().into_iter().for_each(|node| self.add_to_border(node));
        self.part.begin()?;
        let rounds = iterate(cluster, self)?;
        let labels = cluster.gather(&self.part.own_roots()?)?.concat();
        let answer = (cluster.process() == 0).then_some(ComponentLabels(labels));
        Ok(Found { answer, iterations: self.rounds, rounds, edges: self.share.edges })
    }
}

/// The nodes at the ends of edges between workers.
fn ends_of_crossing_edges(share: &Share, csr: &Csr) -> Vec<u32> {
    let mut is_end = vec![false; share.nodes() as usize];
    for node in share.rows.clone() {
        for other in csr.neighbours(node).iter().filter(|other| !share.rows.contains(other)) {
            is_end[node as usize] = true;
            is_end[*other as usize] = true;
        }
    }
    (0..share.nodes()).filter(|node| is_end[*node as usize]).collect()
}

/// The exchange, from level to level of the tree of workers.
struct Forest<'a> {
    share: &'a Share,
    process: usize,
    workers: usize,
    part: ForestOnDevice<'a>,
    /// The nodes at the ends of edges between workers.
    ends: Vec<u32>,
    /// The nodes that this worker can tell others something of: at first those.
    border: Vec<u32>,
    is_border: Vec<bool>,
    rounds: u32,
}

impl Forest<'_> {
    fn add_to_border(&mut self, node: u32) {
        if !std::mem::replace(&mut self.is_border[node as usize], true) {
            self.border.push(node);
        }
    }

    /// The nodes of the border, each with its root.
    fn facts(&mut self) -> Result<Vec<u8>> {
        let roots = self.part.roots(&self.border)?;
        let facts: Vec<[u32; 2]> = self.border.iter().zip(roots).map(|(node, root)| [*node, root]).collect();
        Ok(bytemuck::cast_slice(&facts).to_vec())
    }

    /// How many levels the tree of workers has.
    fn levels(&self) -> u32 {
        self.workers.next_power_of_two().ilog2()
    }
}

impl Step for Forest<'_> {
    fn step(&mut self, incoming: Vec<Vec<u8>>) -> Result<Option<Vec<Vec<u8>>>> {
        let mut facts: Vec<[u32; 2]> = incoming.iter().flat_map(|block| values_of(block)).collect();
        // A node that there is not could only be sent by mistake, and must not lead outside of an array.
        facts.retain(|fact| fact.iter().all(|node| *node < self.share.nodes()));
        self.part.join(&facts)?;
        facts.iter().for_each(|[node, _]| self.add_to_border(*node));
        let levels = self.levels();
        if self.rounds == 2 * levels {
            return Ok(None);
        }
        // On the way up each worker of the upper half of a pair tells the lower one; on the way down the other way round.
        let (goes_up, level) =
            if self.rounds < levels { (true, self.rounds) } else { (false, 2 * levels - 1 - self.rounds) };
        let (distance, within) = (1 << level, self.process % (2 << level));
        let mut blocks: Vec<Vec<u8>> = (0..self.workers).map(|_| Vec::new()).collect();
        if goes_up && within == distance {
            blocks[self.process - distance] = self.facts()?;
        } else if !goes_up && within == 0 && self.process + distance < self.workers {
            blocks[self.process + distance] = self.facts()?;
        }
        self.rounds += 1;
        Ok(Some(blocks))
    }
}

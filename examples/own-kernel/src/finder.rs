//! Launches the kernels: allocates their buffers and records them in order. The schedule is a value here, and nothing else
//! depends on it.

use evenkeel::{
    Result,
    device::{Buffer, Device, Recording},
    engine::{
        DeviceGraph, DeviceRows,
        schedule::{Choice, ScratchSpace, TileExtent},
    },
    graph::{Csr, Weights},
    strategy::refuse_unending_rows,
};
use kernels::{Climb, HeaviestNeighbour, HeaviestWeight, NOBODY, NodeParams, WeightedDegree};
use std::time::Duration;

/// The answers of the kernels, by node.
pub struct Facts {
    /// The sum of its edges' weights.
    pub degrees: Vec<f32>,
    /// The weight of its heaviest edge.
    pub heaviest: Vec<f32>,
    /// The neighbour at the end of that edge, or [`NOBODY`].
    pub neighbours: Vec<u32>,
    /// The number of edges to heaviest neighbours that grow heavier, from this node on.
    pub climbs: Vec<u32>,
}

/// The kernels with their memory, ready to run any number of times.
pub struct Finder {
    device: Device,
    degrees: Buffer<f32>,
    heaviest: Buffer<f32>,
    neighbours: Buffer<u32>,
    climbs: Buffer<u32>,
    recording: Recording,
}

impl Finder {
    /// Copies the graph to the device and records the kernels. What does not fit is refused with the numbers before anything is allocated.
    pub fn prepare(device: &Device, csr: &Csr, choice: Choice) -> Result<Self> {
        refuse_unending_rows(device, csr)?;
        device.prepare(|device| Self::build(device, csr, choice))
    }

    fn build(device: &Device, csr: &Csr, choice: Choice) -> Result<Self> {
        let (schedule, nodes) = (choice.schedule, csr.nodes() as usize);
        let extent = TileExtent::new(nodes, csr.columns().len());
        let graph = &DeviceGraph::upload(device, csr)?;
        let weights = &device.buffer_from("weights", &weights(csr))?;
        let degrees = device.buffer("degrees", nodes)?;
        let heaviest = device.buffer("heaviest", nodes)?;
        let neighbours = device.buffer("neighbours", nodes)?;
        let climbs = device.buffer("climbs", nodes)?;
        let reals = ScratchSpace::gather(device, choice, &graph.row_offsets, extent)?;
        let words = ScratchSpace::gather(device, choice, &graph.row_offsets, extent)?;

        let sum = WeightedDegree { schedule, graph, weights, degrees: &degrees, scratch: &reals.buffers };
        let largest = HeaviestWeight { schedule, graph, weights, heaviest: &heaviest, scratch: &reals.buffers };
        let end = HeaviestNeighbour {
            schedule,
            graph,
            weights,
            heaviest: &heaviest,
            neighbours: &neighbours,
            scratch: &words.buffers,
        };
        let climb = Climb { heaviest: &heaviest, neighbours: &neighbours, climbs: &climbs };
        let params = |schedule| NodeParams { nodes: csr.nodes(), schedule };
        let once = params(choice.params());
        // SAFETY: every buffer has an element for each node or each edge of the graph, as the kernels expect.
        let recording = device.record(&format!("own kernels, {choice}"), |recorder| unsafe {
            reals.launch_gather(recorder, &sum, params);
            reals.launch_gather(recorder, &largest, params);
            recorder.fill(&neighbours, NOBODY);
            recorder.launch(&end, once, extent.atoms);
            recorder.launch(&climb, once, nodes);
        })?;
        Ok(Self { device: device.clone(), degrees, heaviest, neighbours, climbs, recording })
    }

    /// Runs the kernels, and says how long the device was busy.
    pub fn run(&mut self) -> Result<Duration> {
        self.recording.run()
    }

    /// What the last run found out.
    pub fn facts(&self) -> Result<Facts> {
        let Self { device, degrees, heaviest, neighbours, climbs, .. } = self;
        let (degrees, heaviest) = (device.download(degrees)?, device.download(heaviest)?);
        Ok(Facts { degrees, heaviest, neighbours: device.download(neighbours)?, climbs: device.download(climbs)? })
    }
}

/// A weight for each edge, 1 where the graph has none.
fn weights(csr: &Csr) -> Vec<f32> {
    match csr.weights().to_f32() {
        Weights::F32(weights) => weights.to_vec(),
        _ => vec![1.0; csr.columns().len()],
    }
}

//! What worker 0 gathers of all workers after a run.

use evenkeel::{
    Result,
    algorithm::Value,
    cluster::{Cluster, exchange::RoundReport, run::Found, share::Share},
    device::Device,
    graph::{Csr, Graph, Weights},
    machine,
    report::{
        shown::Figures,
        workers::{IterationReport, WorkerReport},
    },
};

/// What each iteration exchanged, and what each worker has.
pub fn exchanged<T>(
    cluster: &mut Cluster,
    share: &Share,
    device: Option<&Device>,
    found: &Found<T>,
) -> Result<(Vec<IterationReport>, Vec<WorkerReport>)> {
    let own = cluster.exchange().rounds[found.rounds.clone()].iter();
    let own: Vec<u64> = own.flat_map(|RoundReport { bytes, time }| [*bytes, time.as_nanos() as u64]).collect();
    let all = cluster.gather(&own)?;
    let counts = [share.rows.len() as u64, share.graph.csr.edges(), cluster.exchange().bytes_on_the_wire()];
    let counts = cluster.gather(&counts)?;
    let name = device.map_or_else(machine::name, |device| device.info().name.clone());
    let names = cluster.gather(name.as_bytes())?;
    // Behind the last index there is none.
    let index = device.map_or(u64::MAX, |device| device.info().index.map_or(u64::MAX, |index| index as u64));
    let places = cluster.gather(&[index, device.is_some().into()])?;
    let iteration = |number: usize| {
        let of = |place: usize| all.iter().filter_map(move |own| own.get(2 * number + place).copied());
        let exchange_ms = of(1).max().unwrap_or(0) as f64 / 1e6;
        IterationReport { iteration: number as u32 + 1, bytes: of(0).sum(), exchange_ms }
    };
    let worker = |(process, counts): (usize, &Vec<u64>)| WorkerReport {
        address: cluster.address(process).to_owned(),
        rows: counts.first().copied().unwrap_or(0),
        edges: counts.get(1).copied().unwrap_or(0),
        bytes_sent: counts.get(2).copied().unwrap_or(0),
        device: String::from_utf8_lossy(&names[process]).into_owned(),
        device_index: places[process].first().filter(|index| **index != u64::MAX).copied(),
        on_device: places[process].get(1) == Some(&1),
    };
    Ok(((0..found.rounds.len()).map(iteration).collect(), counts.iter().enumerate().map(worker).collect()))
}

/// A graph with the names of the nodes and without edges.
pub fn names_of(share: &Share) -> Result<Graph> {
    let csr = Csr::new(vec![0; share.nodes() as usize + 1], Vec::new(), Weights::None)?;
    Ok(Graph { csr, ..share.graph.clone() })
}

/// Figures of a graph without edges, with the edges that the workers have counted.
pub fn with_edges(mut figures: Figures, edges: u64) -> Figures {
    figures.edges = edges;
    for figure in figures.list.iter_mut().filter(|figure| figure.name == "reached_edges") {
        figure.value = Value::Count(edges);
    }
    figures
}

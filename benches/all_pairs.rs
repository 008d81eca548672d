//! How long all-pairs shortest paths take when the graph is on the device: the dense strategies with whole and real weights on a
//! matrix of 2 to the power of `EVENKEEL_BENCH_SCALE` nodes, beside what the device can relax when nothing has to be loaded
//! (`roof`); and on a sparse graph all sources at once beside one after the other. Whole distances are checked before they are
//! timed, from a few nodes.
//!
//! The sparse graph is the file that `EVENKEEL_BENCH_GRAPH` names, with unit weights, or else a random one as large as
//! soc-sign-bitcoinotc would be at the scale.

use criterion::{Criterion, criterion_group, criterion_main};
use evenkeel::{
    algorithm::{Algorithm, Apsp, ApspConfig, Distances, Sssp, SsspConfig},
    device::Device,
    graph::{Csr, Graph, OpenOptions, open},
    oracle::dijkstra,
};
use evenkeel_benches::{Group, device, generate, group, measure, scale_or, weighted};
use evenkeel_fused::roof::{RELAXED, RelaxRoof, RoofParams};
use evenkeel_kernels::algorithm::apsp::Length;
use std::{env, path::Path};

/// 256 nodes.
const SCALE: u32 = 8;

fn prepared(device: &Device, csr: &Csr, strategy: &str) -> Apsp {
    let mut apsp = Apsp::prepare(device, csr, &ApspConfig { strategy: strategy.parse().expect("a strategy") })
        .expect("the graph fits");
    apsp.run(&()).expect("a run");
    let nodes = csr.nodes() as usize;
    if let Distances::U32(found) = apsp.answer().expect("distances").distances {
        for source in [0, nodes / 2, nodes - 1] {
            let expected = dijkstra::whole(csr, source as u32).expect("distances of 32 bits");
            assert!(found[source * nodes..][..nodes] == expected, "{strategy} is wrong from node {source}");
        }
    }
    apsp
}

fn bench(group: &mut Group<'_>, name: &str, device: &Device, csr: &Csr, strategy: &str) {
    let prepare = || prepared(device, csr, strategy);
    measure(group, name, prepare, |apsp| apsp.run(&()).expect("a run").total);
}

fn dense(criterion: &mut Criterion) {
    let device = device();
    let nodes = 1u64 << scale_or(SCALE);
    let graph = weighted(&format!("er:nodes={nodes},degree={}", nodes / 16));
    let real = graph.csr.with_weights(graph.csr.weights().to_f32()).unwrap();
    let mut group = group(criterion, &format!("dense, {nodes} nodes"), nodes * nodes * nodes);
    for strategy in ["floyd-warshall", "blocked"] {
        bench(&mut group, &format!("{strategy}/whole"), &device, &graph.csr, strategy);
        bench(&mut group, &format!("{strategy}/real"), &device, &real, strategy);
    }
    group.finish();
}

/// As many invocations as fill a GPU several times, and for a CPU few enough.
fn roof(criterion: &mut Criterion) {
    let device = device();
    let (invocations, rounds) = if device.info().kind.is_cpu() { (1 << 10, 1 << 10) } else { (1 << 20, 1 << 12) };
    let words = device.buffer::<u32>("words", invocations).expect("a buffer");
    let relaxations = invocations as u64 * rounds * u64::from(RELAXED);
    let mut group = group(criterion, "roof", relaxations);
    for (length, step) in [(Length::Short, 3), (Length::Whole, 3), (Length::Real, 1e-3f32.to_bits())] {
        let params = RoofParams { rounds: rounds as u32, step };
        let launch = RelaxRoof { length, words: &words };
        // SAFETY: each invocation writes one element of the result.
        let record = || device.record("roof", |recorder| unsafe { recorder.launch(&launch, params, invocations) });
        let prepare = || record().expect("a recording");
        measure(&mut group, length.name(), prepare, |recording| recording.run().expect("a run"));
    }
    group.finish();
}

fn sparse_graph() -> Graph {
    match env::var_os("EVENKEEL_BENCH_GRAPH") {
        Some(path) => {
            let mut graph = open(Path::new(&path), &OpenOptions::default()).expect("a graph").0;
            graph.csr = graph.csr.without_weights();
            graph
        }
        None => generate(&format!("er:nodes={},degree=7.3", (1u64 << scale_or(SCALE)) * 5881 / 8192)),
    }
}

fn sparse(criterion: &mut Criterion) {
    let (device, graph) = (device(), sparse_graph());
    let csr = &graph.csr;
    let relaxations = u64::from(csr.nodes()) * csr.edges();
    let mut group = group(criterion, &format!("sparse, {}", graph.name), relaxations);
    bench(&mut group, "all sources at once", &device, csr, "sssp");
    bench(&mut group, "blocked", &device, csr, "blocked");
    let prepare = || Sssp::prepare(&device, csr, &SsspConfig::default()).expect("the graph fits");
    measure(&mut group, "one source after the other", prepare, |sssp| {
        (0..csr.nodes()).map(|source| sssp.run(&source).expect("a run").total).sum()
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = evenkeel_benches::criterion();
    targets = dense, roof, sparse
}
criterion_main!(benches);

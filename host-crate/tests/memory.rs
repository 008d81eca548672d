//! What is planned is what is allocated, for every algorithm and each of its methods on each kind of device.

use crate::common;
use evenkeel::{
    Error,
    algorithm::{self, FrontEnd, Visitor, prepare_on},
    device::{Device, DeviceOptions, MemoryPlan},
    engine::SharedGraph,
    graph::{Graph, generate::Generator},
};

/// Prepares every algorithm by every method.
struct Prepare<'a> {
    device: &'a Device,
    graph: &'a Graph,
    prepared: usize,
}

impl Visitor for Prepare<'_> {
    fn visit<A: FrontEnd>(&mut self) {
        for alternative in A::alternatives() {
            let config = A::with_alternative(&A::Config::default(), alternative.about.name).unwrap();
            if A::is_undirected(&config) && self.graph.directed {
                continue;
            }
            let what =
                format!("{} by {} on {:?}, {}", A::ABOUT.name, alternative.about.name, self.device, self.graph.name);
            let counting = self.device.counting_memory();
            match prepare_on::<A>(&SharedGraph::new(&counting, &self.graph.csr), &config) {
                Ok(prepared) => {
                    self.prepared += 1;
                    compare(&what, prepared.session().memory(), &counting.counted_memory());
                }
                Err(Error::Unsupported(_) | Error::Usage(_)) => {}
                Err(other) => panic!("{what}: {other}"),
            }
        }
    }
}

fn compare(what: &str, planned: &MemoryPlan, allocated: &MemoryPlan) {
    assert!(allocated.bytes() > 0, "{what} allocates nothing");
    let sorted = |plan: &MemoryPlan| {
        let mut buffers = plan.buffers.clone();
        buffers.sort();
        buffers
    };
    assert_eq!(sorted(planned), sorted(allocated), "{what}");
}

#[test]
fn what_is_planned_is_what_is_allocated() {
    let cpu = ["cpu", "cpu:subgroup=8"].map(|name| Device::open(name, &DeviceOptions::default()).unwrap());
    let graphs = ["rmat:scale=7", "er:nodes=200,degree=6,directed=true", "road:nodes=150,lengths=true"]
        .map(|spec| Graph { name: spec.into(), ..spec.parse::<Generator>().unwrap().generate().unwrap() });
    for device in cpu.into_iter().chain(common::device()) {
        let mut prepared = 0;
        for graph in &graphs {
            let mut prepare = Prepare { device: &device, graph, prepared: 0 };
            algorithm::visit(&mut prepare);
            prepared += prepare.prepared;
        }
        assert!(prepared > 30, "{device:?}: {prepared}");
        common::finish(&device);
    }
}

//! The CPU device: what it computes, and what it catches that a GPU hides. Its kernels here are written out by hand, because
//! they do what no kernel should: leave a barrier to others, reach past an end.
//!
//! Miri runs the tests that need no fibres: `MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-ignore-leaks" cargo
//! +nightly miri test --test cpu_device`. Tree borrows because crossbeam, under rayon, needs them; rayon's threads are the leak.

use evenkeel::{
    Error, Result,
    algorithm::{
        Algorithm, Apsp, ApspConfig, Bfs, BfsConfig, Color, ColorConfig, DenseMatrix, DenseVector, Distances, FrontEnd,
        PageRank, PageRankConfig, Precision, Reorder, Seeds, Spmm, SpmmConfig, Spmv, SpmvConfig, Sssp, SsspConfig,
        color::names_with_schedules, spmv::random_vector,
    },
    device::{Buffer, Device, DeviceKind, DeviceOptions, Recording},
    engine::primitive::{Compact, Kind, Reduction, Scan, reduce},
    engine::schedule::Schedule,
    graph::{
        BuildOptions, Csr, EdgeList, EdgeWeights, Weights,
        generate::Generator,
        weights::{WeightSource, assign},
    },
    oracle,
    strategy::{self, Operator},
};
use evenkeel_kernels::{
    lane::Lane,
    launch::{Arguments, BufferArgument, Kernel, Launch, RawBuffer},
    memory::{Global, Read, Shared},
    primitive::LengthParams,
};
use evenkeel_types::{LoopHeader, LoopState};
use proptest::prelude::*;
use rayon::prelude::*;

fn device() -> Device {
    Device::open("cpu", &DeviceOptions::default()).unwrap()
}

/// Numbers below 1,024, so that two million of them have a sum.
fn words(count: usize) -> Vec<u32> {
    (0..count as u32).map(|index| index.wrapping_mul(2_654_435_761) >> 22).collect()
}

/// A kernel of `threads` invocations with the buffers `input` and `output`, and `shared` bytes of workgroup memory.
macro_rules! planted {
    ($name:literal, $threads:literal, $shared:expr, $body:expr) => {
        planted!($name, $threads, $shared, $body, any_width: false)
    };
    ($name:literal, $threads:literal, $shared:expr, $body:expr, any_width: $any_width:literal) => {{
        static KERNEL: Kernel = Kernel {
            name: $name,
            threads: $threads,
            any_width: $any_width,
            params_bytes: size_of::<LengthParams>(),
            buffers: &[
                BufferArgument { name: "input", element: "u32", writable: false },
                BufferArgument { name: "output", element: "u32", writable: true },
            ],
            shared_bytes: $shared,
            spirv: &[],
            counted: None,
            invocation: |arguments: &Arguments, lane: Lane| {
                let body: fn(Lane, u32, Read<u32>, Global<u32>, &Arguments) = $body;
                let length = arguments.params::<LengthParams>().length;
                let (input, output) = (arguments.buffer(0), arguments.buffer(1));
                // SAFETY: the device has bound these buffers for as long as the kernel runs.
                let (input, output) = unsafe { (Read::view(&KERNEL, input, 0), Global::view(&KERNEL, output, 1)) };
                body(lane, length, input, output, arguments)
            },
        };
        &KERNEL
    }};
}

mod emulated;

struct Planted<'b> {
    kernel: &'static Kernel,
    input: &'b Buffer<u32>,
    output: &'b Buffer<u32>,
}

impl Launch for Planted<'_> {
    type Params = LengthParams;

    fn kernel(&self) -> &'static Kernel {
        self.kernel
    }

    fn buffers(&self) -> Vec<RawBuffer> {
        vec![self.input.raw().clone(), self.output.raw().clone()]
    }
}

/// Records `kernel` with one invocation for each element of `input`.
fn record(device: &Device, kernel: &'static Kernel, input: &Buffer<u32>, output: &Buffer<u32>) -> Result<Recording> {
    let params = LengthParams { length: input.len() as u32 };
    // SAFETY: the kernels of these tests go wrong in ways that the device catches.
    device.record(kernel.name, |recorder| unsafe {
        recorder.launch(&Planted { kernel, input, output }, params, input.len());
    })
}

/// Runs `kernel` over `length` zeros, into as many.
fn run(kernel: &'static Kernel, length: usize) -> Result<Vec<u32>> {
    run_on(&device(), kernel, length)
}

fn run_on(device: &Device, kernel: &'static Kernel, length: usize) -> Result<Vec<u32>> {
    let (input, output) = (device.buffer("zeros", length)?, device.buffer("results", length)?);
    record(device, kernel, &input, &output)?.run()?;
    device.download(&output)
}

fn failure(kernel: &'static Kernel, length: usize) -> String {
    let error = run(kernel, length).unwrap_err();
    assert!(matches!(error, Error::Device(_)), "{error:?}");
    error.to_string()
}

#[test]
fn it_is_there_and_says_what_it_is() {
    let device = device();
    let info = device.info();
    assert_eq!((info.kind, info.subgroup_size), (DeviceKind::Cpu, 1));
    assert!(info.memory > 0 && info.missing.is_empty() && !info.name.is_empty(), "{info:?}");
    assert!(device.begin_capture().unwrap_err().to_string().contains("CPU device"));
}

#[test]
#[cfg_attr(miri, ignore = "Miri opens no Vulkan loader")]
fn it_is_the_last_of_the_list_and_can_be_selected_by_its_number() {
    let listed = Device::list();
    let last = listed.last().unwrap();
    assert_eq!((last.kind, last.index), (DeviceKind::Cpu, Some(listed.len() - 1)));
    let by_number = Device::open(&(listed.len() - 1).to_string(), &DeviceOptions::default()).unwrap();
    assert_eq!((by_number.info().kind, by_number.info().index), (DeviceKind::Cpu, last.index));
    let beyond = Device::open(&listed.len().to_string(), &DeviceOptions::default()).unwrap_err();
    // Where Vulkan is missing altogether the message is about that.
    assert!(beyond.to_string().contains("cpu") || listed.len() == 1, "{beyond}");
}

#[test]
fn a_loop_runs_every_invocation_of_every_workgroup_once() {
    let kernel = planted!("numbers", 64, &[], |lane, length, input, mut output, _| {
        for index in lane.grid_stride(length) {
            let seen = output.add(index, lane.global() + 1);
            assert_eq!((seen, input.get(index)), (0, 0));
        }
    });
    for length in [0, 1, 63, 64, 65, 1_000] {
        assert_eq!(run(kernel, length).unwrap(), (1..=length as u32).collect::<Vec<_>>(), "{length}");
    }
}

#[test]
fn a_kernel_of_any_width_is_one_invocation_wide_and_takes_neighbours() {
    let kernel = planted!(
        "wide",
        64,
        &[],
        |lane, length, _, mut output, _| {
            assert_eq!((lane.threads, lane.local), (1, 0));
            for index in lane.grid_stride(length) {
                assert_eq!(output.add(index, lane.group + 1), 0);
            }
        },
        any_width: true
    );
    for length in [0, 1, 63, 64, 65, 1_000] {
        let groups = run(kernel, length).unwrap();
        assert!(groups.is_sorted() && groups.first().is_none_or(|first| *first == 1), "{length}");
        assert!(groups.chunk_by(|one, other| one == other).all(|items| items.len() <= 64), "{length}");
    }
}

#[test]
fn threads_share_a_long_dispatch() {
    // Each invocation works long enough for the others to be called.
    let kernel = planted!("shared", 16, &[], |lane, length, _, mut output, _| {
        for index in lane.grid_stride(length) {
            for round in 0..300 {
                output.add((index + round * 7) % length, 1);
            }
        }
    });
    let length = if cfg!(miri) { 64 } else { 50_000 };
    assert_eq!(run(kernel, length).unwrap(), vec![300; length]);
}

#[test]
fn one_invocation_is_last_after_all_others() {
    let kernel = planted!("ticket", 32, &[], |lane, length, _, mut output, _| {
        for index in lane.grid_stride(length).filter(|index| *index > 0) {
            output.store(index, 1);
        }
        if lane.last(&mut output, 0) {
            let sum = (1..length).map(|index| output.load(index)).sum::<u32>();
            output.add(0, sum);
        }
    });
    let length = if cfg!(miri) { 100 } else { 100_000 };
    for _ in 0..if cfg!(miri) { 1 } else { 20 } {
        assert_eq!(run(kernel, length).unwrap()[0], length as u32 - 1);
    }
}

#[test]
fn last_takes_all_invocations_or_none() {
    let kernel = planted!("some_are_last", 8, &[], |lane, _, _, mut output, _| {
        if lane.local < 3 {
            lane.last(&mut output, 0);
        }
    });
    assert_eq!(failure(kernel, 8), "kernel some_are_last: 3 of 8 invocations called `last`, which takes all or none");
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn a_barrier_orders_the_workgroup() {
    // Each writes its place, then reads its neighbour's, round after round.
    let kernel = planted!("rotate", 128, &[512], |lane, length, _, mut output, arguments| {
        // SAFETY: the kernel declares 512 bytes of workgroup memory.
        let mut slots = unsafe { Shared::<u32, 128>::view(arguments.shared(&ROTATE, 0), "slots") };
        let mut value = lane.global();
        for _ in 0..5 {
            slots.set(lane.local, value);
            lane.barrier();
            value = slots.get((lane.local + 1) % 128);
            lane.barrier();
        }
        for index in lane.grid_stride(length) {
            output.set(index, value);
        }
    });
    static ROTATE: Kernel = Kernel {
        name: "rotate",
        threads: 128,
        any_width: false,
        params_bytes: 0,
        buffers: &[],
        shared_bytes: &[],
        spirv: &[],
        invocation: |_, _| (),
        counted: None,
    };
    let rotated: Vec<_> = (0..128 * 50).map(|index| index / 128 * 128 + (index + 5) % 128).collect();
    assert_eq!(run(kernel, rotated.len()).unwrap(), rotated);
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn a_barrier_that_not_all_reach_is_reported() {
    let kernel = planted!("divergent", 16, &[4], |lane, _, _, _, _| {
        if lane.local % 4 != 1 {
            lane.barrier();
        }
    });
    for _ in 0..3 {
        assert_eq!(failure(kernel, 100), "kernel divergent: 12 of 16 invocations wait at a barrier, but 4 have ended");
    }
    let later = planted!("divergent_later", 16, &[4], |lane, _, _, _, _| {
        lane.barrier();
        if lane.local == 15 {
            lane.barrier();
        }
    });
    assert!(failure(later, 16).contains("1 of 16 invocations wait at a barrier, but 15 have ended"));
    // The thread's stacks and the device are as good as before.
    a_barrier_orders_the_workgroup();
}

#[test]
fn a_barrier_without_workgroup_memory_is_reported() {
    let kernel = planted!("bare_barrier", 16, &[], |lane, _, _, _, _| lane.barrier());
    assert!(failure(kernel, 16).starts_with("kernel bare_barrier: it waits at a barrier but has no workgroup array"));
}

#[test]
#[cfg(debug_assertions)]
fn an_access_out_of_bounds_is_caught() {
    let kernel = planted!("past_the_end", 16, &[], |lane, length, input, mut output, _| {
        for index in lane.grid_stride(length) {
            output.set(index, input.get(index + 1));
        }
    });
    assert_eq!(failure(kernel, 100), "kernel past_the_end touches input[100], which has 100 elements");
}

#[test]
#[cfg(debug_assertions)]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn an_access_out_of_bounds_is_caught_on_a_fibre() {
    let kernel = planted!("far_past_the_end", 16, &[4], |lane, _, _, mut output, _| {
        lane.barrier();
        if lane.global() == 40 {
            output.add(1 << 20, 1);
        }
        lane.barrier();
    });
    assert_eq!(failure(kernel, 100), "kernel far_past_the_end touches output[1048576], which has 100 elements");
}

#[test]
fn a_buffer_is_not_read_and_written_under_two_names() {
    let device = device();
    let both = device.buffer("both", 4).unwrap();
    let kernel = planted!("aliased", 4, &[], |_, _, _, _, _| ());
    let error = record(&device, kernel, &both, &both).err().unwrap();
    let message = "kernel aliased: buffer 'both' is bound as input, which it reads, and as output, which it writes";
    assert_eq!(error.to_string(), message);
}

#[test]
fn an_indirect_dispatch_has_one_dimension() {
    let device = device();
    let (input, output) = (device.buffer("input", 8).unwrap(), device.buffer::<u32>("output", 8).unwrap());
    let state = device.buffer::<LoopHeader>("state", 1).unwrap();
    let kernel = planted!("counted", 4, &[], |_, _, _, mut output, _| {
        output.add(0, 1);
    });
    let planted = Planted { kernel, input: &input, output: &output };
    let mut recording = device
        .record("indirect", |recorder| {
            recorder.fill(&output, 0);
            // SAFETY: the kernel touches one element of the output for each invocation.
            unsafe { recorder.launch_indirect(&planted, LengthParams { length: 0 }, &state, LoopHeader::GROUPS) };
        })
        .unwrap();
    for (groups, invocations) in [([3, 1, 1], 12), ([0, 1, 1], 0), ([5, 0, 1], 0), ([1, 1, 1], 4)] {
        device.upload(&state, 0, &[LoopHeader { groups, ..LoopHeader::default() }]).unwrap();
        recording.run().unwrap();
        assert_eq!(device.download(&output).unwrap()[0], invocations, "{groups:?}");
    }
    for groups in [[1, 2, 1], [1 << 31, 1, 1]] {
        device.upload(&state, 0, &[LoopHeader { groups, ..LoopHeader::default() }]).unwrap();
        assert!(recording.run().unwrap_err().to_string().contains("workgroups are asked for"), "{groups:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn it_can_be_called_from_the_threads_it_runs_on() {
    let device = device();
    let sums: Vec<u32> = (0..64usize)
        .into_par_iter()
        .map(|number| {
            let input = device.buffer_from("ones", &vec![1; 10_000 + number]).unwrap();
            let sum = device.buffer("sum", 1).unwrap();
            let mut recording =
                device.record("sum", |recorder| reduce(recorder, Reduction::Sum, &input, &sum)).unwrap();
            for _ in 0..5 {
                recording.run().unwrap();
            }
            device.download(&sum).unwrap()[0]
        })
        .collect();
    assert_eq!(sums, (10_000..10_064).collect::<Vec<u32>>());
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn primitives_of_every_length() {
    let device = device();
    for length in (0..70).chain((70..5_000).step_by(if cfg!(debug_assertions) { 333 } else { 37 })).chain([1 << 21]) {
        let values = words(length);
        let flags: Vec<u32> = values.iter().map(|value| value % 3 / 2).collect();
        let [input, flagged] = [&values, &flags].map(|content| device.buffer_from("input", content).unwrap());
        let [inclusive, exclusive, kept] =
            ["inclusive", "exclusive", "kept"].map(|name| device.buffer(name, length).unwrap());
        let [count, sum, smallest, largest] = [(); 4].map(|()| device.buffer("result", 1).unwrap());
        let (scan, compact) = (Scan::new(&device, length).unwrap(), Compact::new(&device, length).unwrap());
        let recorded = device.record("primitives", |recorder| {
            scan.record(recorder, &input, &inclusive, length, Kind::Inclusive);
            scan.record(recorder, &input, &exclusive, length, Kind::Exclusive);
            // SAFETY: the flags are 0 or 1.
            unsafe { compact.record(recorder, &input, &flagged, &kept, &count) };
            reduce(recorder, Reduction::Sum, &input, &sum);
            reduce(recorder, Reduction::Smallest, &input, &smallest);
            reduce(recorder, Reduction::Largest, &input, &largest);
        });
        recorded.unwrap().run().unwrap();
        let one = |buffer: &Buffer<u32>| device.download(buffer).unwrap()[0];

        let (mut running, mut before, mut after) = (0u32, Vec::new(), Vec::new());
        for value in &values {
            before.push(running);
            running = running.wrapping_add(*value);
            after.push(running);
        }
        assert!(device.download(&exclusive).unwrap() == before, "{length}");
        assert!(device.download(&inclusive).unwrap() == after, "{length}");
        let expected: Vec<u32> =
            values.iter().zip(&flags).filter(|(_, flag)| **flag != 0).map(|(value, _)| *value).collect();
        assert_eq!(one(&count) as usize, expected.len(), "{length}");
        assert!(device.download(&kept).unwrap()[..expected.len()] == expected, "{length}");
        assert_eq!(one(&sum), running, "{length}");
        assert_eq!(one(&smallest), values.iter().copied().min().unwrap_or(u32::MAX), "{length}");
        assert_eq!(one(&largest), values.iter().copied().max().unwrap_or(0), "{length}");
    }
}

/// A graph of up to 300 nodes and 2,000 edges, self-loops and parallel ones included, with a weight for each and a source.
fn graphs() -> impl Strategy<Value = (Csr, u32)> {
    (1u32..300).prop_flat_map(|nodes| {
        let edges = prop::collection::vec((0..nodes, 0..nodes, 0u32..100), 0..2_000);
        (edges, 0..nodes).prop_map(move |(edges, source)| {
            let list = EdgeList {
                nodes,
                sources: edges.iter().map(|edge| edge.0).collect(),
                targets: edges.iter().map(|edge| edge.1).collect(),
                weights: EdgeWeights::U32(edges.iter().map(|edge| edge.2).collect()),
            };
            (Csr::from_edges(list, BuildOptions::default()).unwrap().0, source)
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if std::env::var_os("EVENKEEL_FULL").is_some() { 256 } else { 32 }))]

    #[test]
    #[cfg_attr(miri, ignore = "too long for Miri")]
    fn traversals_agree_with_the_oracles((csr, source) in graphs()) {
        let device = device();
        // A few nodes are no short list either, so that all kernels of the strategy have something to do.
        let rounds = "hierarchical:switch-below=8";
        let strategies = |operator| strategy::of(operator, device.info()).map(|strategy| strategy.name).chain([rounds]);
        for strategy in strategies(Operator::Bfs) {
            let config = BfsConfig { strategy: strategy.parse().unwrap(), parents: true, ..BfsConfig::default() };
            let mut bfs = Bfs::prepare(&device, &csr, &config).unwrap();
            bfs.run(&source).unwrap();
            prop_assert_eq!(&bfs.answer().unwrap().depths, &oracle::bfs::depths(&csr, source), "{}", strategy);
        }
        for strategy in strategies(Operator::SsspU32) {
            let config = SsspConfig { strategy: strategy.parse().unwrap(), ..SsspConfig::default() };
            let mut sssp = Sssp::prepare(&device, &csr, &config).unwrap();
            sssp.run(&source).unwrap();
            let expected = Distances::U32(oracle::dijkstra::whole(&csr, source).unwrap());
            prop_assert_eq!(sssp.answer().unwrap().distances, expected, "{}", strategy);
        }
    }
}

/// Buckets of distances that are kept apart are few, so an edge that is much longer than a bucket is wide leads past them all.
#[test]
#[cfg_attr(miri, ignore = "too long for Miri")]
fn long_edges_lead_to_far_buckets_in_their_order() {
    let ring = |weights| {
        let (sources, targets) = (vec![0, 0, 2, 1], vec![1, 2, 3, 4]);
        Csr::from_edges(EdgeList { nodes: 5, sources, targets, weights }, BuildOptions::default()).unwrap().0
    };
    let mut random = "rmat:scale=9".parse::<Generator>().unwrap().generate().unwrap();
    assign(&mut random, WeightSource::Random { low: 0, high: 1_000_000, seed: 5 }).unwrap();
    // A dense core, and paths of long edges that leave it.
    let mut edges: Vec<(u32, u32, u32)> = Vec::new();
    for node in 0..200u32 {
        edges.extend((0..20).map(|other| (node, (node * 7 + other * 31) % 200, 100 + (node * other) % 900)));
    }
    edges.extend((0..60).flat_map(|path| {
        let first = 200 + 3 * path;
        let length = |place: u32| 1000 + (path * 977 + place * 6151) % 19_000;
        [(path, first, length(0)), (first, first + 1, length(1)), (first + 1, first + 2, length(2))]
    }));
    let (sources, targets) = edges.iter().map(|edge| (edge.0, edge.1)).unzip();
    let weights = EdgeWeights::U32(edges.iter().map(|edge| edge.2).collect());
    let core = EdgeList { nodes: 380, sources, targets, weights };
    let core = Csr::from_edges(core, BuildOptions::default()).unwrap().0;
    let (whole, real) = (vec![1500, 600, 1000, 5], vec![1500.0, 600.0, 1000.0, 5.0]);
    for csr in [&ring(EdgeWeights::U32(whole)), &ring(EdgeWeights::F32(real)), &random.csr, &core] {
        let expected = match csr.weights() {
            Weights::F32(_) => Distances::F32(oracle::dijkstra::real(csr, 0).unwrap()),
            _ => Distances::U32(oracle::dijkstra::whole(csr, 0).unwrap()),
        };
        for strategy in
            ["delta-stepping", "delta-stepping:delta=0", "delta-stepping:delta=1", "delta-stepping:delta=1e9"]
        {
            let config = SsspConfig { strategy: strategy.parse().unwrap(), ..SsspConfig::default() };
            let mut sssp = Sssp::prepare(&device(), csr, &config).unwrap();
            sssp.run(&0).unwrap();
            assert_eq!(sssp.answer().unwrap().distances, expected, "{strategy}");
        }
    }
}

/// Two kernels that must be equally wide are, where atoms are counted too.
#[test]
#[cfg_attr(miri, ignore = "too long for Miri")]
fn counting_changes_no_answer() {
    let csr = "rmat:scale=8".parse::<Generator>().unwrap().generate().unwrap().csr;
    for strategy in Bfs::alternatives().into_iter().filter(|strategy| strategy.counted) {
        let (device, counters) = Device::counting(32);
        let config =
            BfsConfig { strategy: strategy.about.name.parse().unwrap(), parents: false, ..BfsConfig::default() };
        let mut bfs = Bfs::prepare(&device, &csr, &config).unwrap();
        bfs.run(&1).unwrap();
        assert_eq!(bfs.answer().unwrap().depths, oracle::bfs::depths(&csr, 1), "{}", strategy.about.name);
        assert!(counters.take().iter().map(|dispatch| dispatch.atoms).sum::<u64>() > 0, "{}", strategy.about.name);
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long for Miri")]
fn all_pairs_agree_with_the_oracle() {
    // One node more than two tiles of the matrix.
    let (sources, targets) = (0..129).flat_map(|node| [(node, (node * 7 + 1) % 129), (node, (node * 5) % 129)]).unzip();
    let edges = EdgeList { nodes: 129, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(edges, BuildOptions::default()).unwrap().0;
    let expected = Distances::U32(oracle::floyd_warshall::whole(&csr).unwrap());
    for strategy in Apsp::alternatives() {
        let mut apsp =
            Apsp::prepare(&device(), &csr, &ApspConfig { strategy: strategy.about.name.parse().unwrap() }).unwrap();
        apsp.run(&()).unwrap();
        assert_eq!(apsp.answer().unwrap().distances, expected, "{strategy:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long for Miri")]
fn ranks_agree_with_the_oracle_under_every_schedule() {
    // A hub with more edges than one invocation may add up, nodes that no edge leaves, and nodes without any.
    let (sources, targets) = (1..1500).flat_map(|node| [(node, 0), (0, node % 700)]).unzip();
    let edges = EdgeList { nodes: 1700, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(edges, BuildOptions::default()).unwrap().0;
    let expected = oracle::pagerank::ranks(&csr, 0.85, 3);
    for schedule in Schedule::ALL {
        let config =
            PageRankConfig { schedule: schedule.name().parse().unwrap(), iterations: 3, ..PageRankConfig::default() };
        let mut pagerank = PageRank::prepare(&device(), &csr, &config).unwrap();
        pagerank.run(&Seeds::default()).unwrap();
        let mismatch =
            oracle::pagerank::first_mismatch(&expected, &pagerank.answer().unwrap().ranks, oracle::pagerank::TOLERANCE);
        assert_eq!(mismatch, None, "{schedule:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long for Miri")]
fn products_agree_with_the_oracle_under_every_schedule() {
    // A row of several parts, a run of empty rows that has no room in workgroup memory, and rows of a few entries.
    let row = |row: u32, length: u32| (0..length).map(move |column| (row, column));
    let (sources, targets) = row(3, 5000).chain((4000..4900).flat_map(|line| row(line, line % 9))).unzip();
    let edges = EdgeList { nodes: 5000, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(edges, BuildOptions::default()).unwrap().0;
    let x = random_vector(5000, 1);
    let (expected, b) = (oracle::spmv::product(&csr, &x), random_vector(5000 * 6, 2));
    for schedule in Schedule::ALL.iter().map(|schedule| schedule.name().to_owned()) {
        for (precision, unit) in [(Precision::Single, oracle::spmv::SINGLE), (Precision::Double, oracle::spmv::DOUBLE)]
        {
            let config = SpmvConfig { schedule: schedule.parse().unwrap(), precision, ..SpmvConfig::default() };
            let mut spmv = Spmv::prepare(&device(), &csr, &config).unwrap();
            spmv.run(&DenseVector::from(x.as_slice())).unwrap();
            let mismatch = oracle::spmv::first_mismatch(&expected, &spmv.answer().unwrap().rows, unit);
            assert_eq!(mismatch, None, "{config:?}");
        }
        let config = SpmmConfig { schedule: schedule.parse().unwrap(), columns: 6, ..SpmmConfig::default() };
        let mut spmm = Spmm::prepare(&device(), &csr, &config).unwrap();
        spmm.run(&DenseMatrix::from(b.clone())).unwrap();
        let mismatch = oracle::spmv::first_mismatch_of_matrix(&csr, &b, &spmm.answer().unwrap().elements, 6);
        assert_eq!(mismatch, None, "{config:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "too long for Miri")]
fn colours_are_valid_with_every_strategy() {
    // A hub for a workgroup on a ring, and a clique for subgroups with more colours than a subgroup marks at a time.
    let ring = (1..=600).flat_map(|node| [(0, node), (node, 1 + node % 600)]);
    let clique = (601..740).flat_map(|node| (node + 1..740).map(move |other| (node, other)));
    let (sources, targets) = ring.chain(clique).unzip();
    let edges = EdgeList { nodes: 742, sources, targets, weights: EdgeWeights::None };
    let csr = Csr::from_edges(edges, BuildOptions { symmetrise: true, ..BuildOptions::default() }).unwrap().0;
    for strategy in names_with_schedules() {
        let config = ColorConfig { strategy: strategy.parse().unwrap(), ..ColorConfig::default() };
        let mut color = Color::prepare(&device(), &csr, &config).unwrap();
        color.run(&()).unwrap();
        assert_eq!(oracle::color::check(&csr, &color.answer().unwrap().0), Ok(()));
    }
}

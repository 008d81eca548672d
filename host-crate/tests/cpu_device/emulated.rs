//! The CPU device as a GPU: subgroups of any width, workgroups that wait for each other, orders drawn at random, and what it catches.

use super::*;

fn emulated(settings: &str) -> Device {
    Device::open(&format!("cpu:{settings}"), &DeviceOptions::default()).unwrap()
}

const WIDTHS: [u32; 7] = [2, 4, 8, 16, 32, 64, 128];

#[test]
fn it_says_what_it_is() {
    let device = emulated("subgroup=64");
    let info = device.info();
    assert_eq!((info.kind, info.subgroup_size), (DeviceKind::Virtual, 64));
    assert!(info.name.contains("emulating subgroups of 64"), "{info:?}");
    let error = Device::open("cpu:subgroup=7", &DeviceOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cpu:subgroup=7") && error.exit_status() == 2, "{error}");
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn values_pass_through_a_subgroup_of_every_width() {
    let kernel = planted!("exchange", 128, &[], |lane, _, _, mut output, _| {
        let sum = lane.inclusive_add(lane.subgroup_lane + 1);
        let before = lane.shuffle_up(lane.local, 1);
        let (most, least) = (lane.reduce_max(lane.local), lane.reduce_min(lane.local));
        let (some, first) = (lane.count(lane.local % 2 == 0), lane.of(0, lane.local));
        let number = lane.subgroup_lane;
        let is_right = sum == (number + 1) * (number + 2) / 2
            && (number == 0 || before == lane.local - 1)
            && (most, least) == (first + lane.subgroup_size - 1, first)
            && some == lane.subgroup_size / 2
            && lane.bits(number < 3) == if lane.subgroup_size == 2 { 3 } else { 7 };
        output.set(lane.global(), u32::from(is_right) + lane.subgroup_size);
    });
    for width in WIDTHS {
        let device = emulated(&format!("subgroup={width}"));
        assert_eq!(run_on(&device, kernel, 1024).unwrap(), vec![1 + width; 1024], "{width}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn places_are_reserved_once_by_those_that_are_there() {
    // Every third invocation takes as many places as its number in the subgroup says, and marks them.
    let kernel = planted!("reserve", 64, &[], |lane, length, _, mut output, _| {
        if lane.local % 3 == 1 && lane.group == 0 {
            let count = lane.subgroup_lane % 4;
            let first = lane.append(&mut output, length - 1, count);
            for place in first..first + count {
                output.add(place, 1);
            }
        }
    });
    for width in WIDTHS {
        let taken: u32 = (0..64).filter(|local| local % 3 == 1).map(|local| local % width % 4).sum();
        let found = run_on(&emulated(&format!("subgroup={width}")), kernel, 256).unwrap();
        let expected: Vec<u32> = (0..255).map(|place| u32::from(place < taken)).chain([taken]).collect();
        assert_eq!(found, expected, "{width}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn a_call_that_a_part_of_a_subgroup_makes_is_reported_with_its_place() {
    let kernel = planted!("half", 32, &[], |lane, _, _, mut output, _| {
        if lane.local < 5 {
            output.set(lane.global(), lane.reduce_add(1));
        }
    });
    let error = run_on(&emulated("subgroup=8"), kernel, 32).unwrap_err().to_string();
    assert!(error.contains("kernel half: 5 of the 8 invocations of a subgroup make the call at"), "{error}");
    assert!(error.contains("emulated.rs:") && error.ends_with("another has ended"), "{error}");
    // Where an invocation is a subgroup by itself, there is no other.
    assert!(run(kernel, 32).is_ok());
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn a_barrier_that_a_part_of_a_workgroup_reaches_is_reported() {
    let kernel = planted!("left", 32, &[4], |lane, _, _, _, _| {
        if lane.local < 20 {
            lane.barrier();
        }
    });
    let error = run_on(&emulated("subgroup=4"), kernel, 32).unwrap_err().to_string();
    assert!(error.contains("20 of 32 invocations wait at a barrier") && error.contains("12 have ended"), "{error}");
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn one_seed_has_one_order_and_another_has_another() {
    // The order in which invocations come by.
    let kernel = planted!("order", 64, &[], |lane, length, _, mut output, _| {
        if lane.global() < length - 1 {
            let place = output.add(length - 1, 1);
            output.set(place, lane.global());
        }
    });
    let order = |seed: u32| {
        let mut order = run_on(&emulated(&format!("subgroup=8,seed={seed}")), kernel, 257).unwrap();
        order.truncate(256);
        order
    };
    assert_eq!(order(1), order(1));
    assert_ne!(order(1), order(2));
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn an_update_in_two_steps_is_lost() {
    // What a race detector must find: another invocation comes between the load and the store.
    let kernel = planted!("race", 64, &[], |_, _, _, mut output, _| {
        let before = output.load(0);
        output.store(0, before + 1);
    });
    let counted = |accesses: u32| -> Vec<u32> {
        let device = |seed: u32| emulated(&format!("subgroup=8,seed={seed},accesses={accesses}"));
        (0..4).map(|seed| run_on(&device(seed), kernel, 256).unwrap()[0]).collect()
    };
    assert_eq!(counted(0), [256; 4]);
    if cfg!(debug_assertions) {
        assert!(counted(8).iter().all(|count| *count < 256), "{:?}", counted(8));
    } else {
        let refused = Device::open("cpu:subgroup=8,accesses=8", &DeviceOptions::default()).unwrap_err().to_string();
        assert!(refused.contains("accesses takes a build with debug assertions"), "{refused}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn workgroups_meet_if_they_are_under_way_and_give_up_if_not() {
    const STALLED: u32 = 1 << 31;
    let kernel = planted!("meet", 4, &[4], |lane, _, _, mut output, arguments| {
        // SAFETY: the kernel has one array of this size, which its workgroup alone uses.
        let mut note: Shared<u32, 1> = unsafe { Shared::view(arguments.shared(&MEET, 0), "note") };
        lane.meet(&mut output, (0, lane.groups), &mut note);
        if lane.local == 0 && output.load(0) < STALLED {
            output.add(1, 1);
        }
    });
    // What names the array in messages.
    static MEET: Kernel = Kernel {
        name: "meet",
        threads: 4,
        any_width: false,
        params_bytes: 0,
        buffers: &[],
        shared_bytes: &[],
        spirv: &[],
        invocation: |_, _| (),
        counted: None,
    };
    let together = run_on(&emulated("subgroup=4,resident=3"), kernel, 12).unwrap();
    assert_eq!(together[..2], [3, 3]);
    // The third waits until one of the others has ended, which waits for it.
    let apart = run_on(&emulated("subgroup=4,resident=2"), kernel, 12).unwrap();
    assert!(apart[0] >= STALLED, "{apart:?}");
}

#[test]
#[cfg_attr(miri, ignore = "Miri runs no fibres")]
fn answers_are_the_same_in_any_order_of_the_nodes() {
    // Two hubs far from each other, a ring, nodes without edges, and weights that belong to one edge each.
    let ring = (300..1100).map(|node| (node, 300 + (node - 299) % 800));
    let (sources, targets): (Vec<u32>, Vec<u32>) =
        ring.chain((0..900).flat_map(|node| [(node, 1250), (777, node)])).unzip();
    let weights = EdgeWeights::F32(random_vector(sources.len(), 3));
    let edges = EdgeList { nodes: 1400, sources, targets, weights };
    let csr = Csr::from_edges(edges, BuildOptions::default()).unwrap().0;
    let seeds = Seeds::new([(777, 3.0), (1399, 1.0), (5, 2.0)]).unwrap();
    let parts: Vec<f64> = (0..1400)
        .map(|node| match node {
            777 => 0.5,
            1399 => 1.0 / 6.0,
            5 => 1.0 / 3.0,
            _ => 0.0,
        })
        .collect();
    let ranks = oracle::pagerank::rounds(&csr, 0.85, &parts).nth(4).unwrap().0;
    let x = random_vector(1400, 1);
    let product = oracle::spmv::product(&csr, &x);
    for width in WIDTHS.into_iter().step_by(2) {
        let device = emulated(&format!("subgroup={width}"));
        for schedule in Schedule::ALL.iter().map(|schedule| schedule.name()) {
            let config = PageRankConfig {
                schedule: schedule.parse().unwrap(),
                iterations: 5,
                reorder: Reorder::Degree,
                ..PageRankConfig::default()
            };
            let mut pagerank = PageRank::prepare(&device, &csr, &config).unwrap();
            pagerank.run(&seeds).unwrap();
            let found = pagerank.answer().unwrap().ranks;
            let mismatch = oracle::pagerank::first_mismatch(&ranks, &found, oracle::pagerank::TOLERANCE);
            assert_eq!(mismatch, None, "{schedule}, {width}");
            let config =
                SpmvConfig { schedule: schedule.parse().unwrap(), reorder: Reorder::Degree, ..SpmvConfig::default() };
            let mut spmv = Spmv::prepare(&device, &csr, &config).unwrap();
            spmv.run(&DenseVector::from(x.as_slice())).unwrap();
            let mismatch = oracle::spmv::first_mismatch(&product, &spmv.answer().unwrap().rows, oracle::spmv::SINGLE);
            assert_eq!(mismatch, None, "{schedule}, {width}");
        }
    }
}

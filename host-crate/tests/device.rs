//! The device through its interface, on whatever Vulkan is here: data comes back as it went, steps see what earlier steps wrote,
//! limits are kept, time is told. The validation layer is silent throughout.

use crate::common::{device, device_with, finish};
use evenkeel::{
    Error,
    device::{
        Buffer, Device, DeviceOptions, MemoryPlan, Recorder,
        profile::{KernelTimes, write_trace},
    },
};
use evenkeel_kernels::primitive::{
    LengthParams,
    compact::CompactScatter,
    reduce::{ReduceAdd, ReduceMax},
    scan::ScanSums,
};
use evenkeel_types::{LoopHeader, LoopReport, LoopState, SCAN_BLOCK};
use std::{thread, time::Duration};

fn words(count: u32) -> Vec<u32> {
    (0..count).map(|index| index.wrapping_mul(2_654_435_761)).collect()
}

fn length<T: bytemuck::Pod>(buffer: &Buffer<T>) -> LengthParams {
    LengthParams { length: buffer.len() as u32 }
}

/// The state of a loop over so many entries, an invocation for each.
fn state_of(frontier: u32) -> LoopHeader {
    let report = LoopReport { frontier, ..LoopReport::default() };
    LoopHeader { report, groups: [frontier.div_ceil(256), 1, 1], ticket: 0 }
}

fn add(recorder: &mut Recorder, input: &Buffer<u32>, result: &Buffer<u32>) {
    // SAFETY: the parameters are the lengths of the buffers.
    unsafe { recorder.launch(&ReduceAdd { input, result }, length(input), input.len()) };
}

#[test]
fn the_open_device_is_listed() {
    let Some(device) = device() else { return };
    let listed = Device::list();
    // By name: the CPU, when it was asked for by name, does not know how many devices are listed before it.
    let found = listed.iter().position(|info| info.name == device.info().name).unwrap();
    assert_eq!(listed[found].index, Some(found));
    let by_index = Device::open(&found.to_string(), &DeviceOptions::default()).unwrap();
    assert_eq!(by_index.info().name, device.info().name);
    finish(&device);
}

#[test]
fn an_unknown_name_lists_the_devices() {
    let Some(device) = device() else { return };
    let error = Device::open("no such device", &DeviceOptions::default()).unwrap_err();
    assert!(matches!(error, Error::UnknownName { kind: "device", .. }));
    assert!(error.to_string().contains(&device.info().name), "{error}");
}

#[test]
fn data_larger_than_staging_comes_back_as_it_went() {
    // Pieces of 500 bytes: both directions take many, and the last is not a whole one.
    let Some(device) = device_with(DeviceOptions { staging_bytes: Some(1000), ..Default::default() }) else { return };
    let sent = words(10_003);
    let buffer = device.buffer_from("words", &sent).unwrap();
    assert_eq!(device.download(&buffer).unwrap(), sent);
    device.upload(&buffer, 5_000, &[7; 300]).unwrap();
    let received = device.download(&buffer).unwrap();
    assert_eq!(received[..5_000], sent[..5_000]);
    assert_eq!(received[5_000..5_300], [7; 300]);
    assert_eq!(received[5_300..], sent[5_300..]);
    let mut first = [0; 200];
    device.download_into(&buffer, &mut first).unwrap();
    assert_eq!(first, sent[..200]);
    assert!(device.download_into(&buffer, &mut vec![0; 10_004]).is_err());
    finish(&device);
}

#[test]
fn a_large_buffer_passes_through_the_ordinary_staging() {
    let Some(device) = device() else { return };
    let sent = words(20_000_000);
    let buffer = device.buffer_from("words", &sent).unwrap();
    assert!(device.download(&buffer).unwrap() == sent);
    finish(&device);
}

#[test]
fn empty_buffers_are_buffers() {
    let Some(device) = device() else { return };
    let empty = device.buffer_from::<u32>("empty", &[]).unwrap();
    let result = device.buffer::<u32>("result", 1).unwrap();
    assert!(device.download(&empty).unwrap().is_empty());
    let mut recording = device
        .record("nothing", |recorder| {
            recorder.fill(&empty, 1);
            recorder.fill(&result, 3);
            recorder.copy(&empty, &result);
            add(recorder, &empty, &result);
        })
        .unwrap();
    recording.run().unwrap();
    assert_eq!(device.download(&result).unwrap(), [3]);
    device.record("really nothing", |_| ()).unwrap().run().unwrap();
    finish(&device);
}

#[test]
fn reaching_past_the_end_is_an_error() {
    let Some(device) = device() else { return };
    let buffer = device.buffer::<u32>("short", 4).unwrap();
    for (offset, count) in [(0, 5), (4, 1), (usize::MAX, 1)] {
        assert!(device.upload(&buffer, offset, &vec![0; count]).is_err(), "{count} at {offset}");
    }
    finish(&device);
}

#[test]
fn fill_copy_and_read_back_happen_in_their_order() {
    let Some(device) = device() else { return };
    let (from, to) = (device.buffer::<u32>("from", 1_000).unwrap(), device.buffer::<u32>("to", 2_000).unwrap());
    let (mut early, mut late) = (None, None);
    let mut recording = device
        .record("fill and copy", |recorder| {
            recorder.label("first");
            recorder.fill(&to, 1);
            recorder.fill(&from, 2);
            early = Some(recorder.read_back(&to));
            recorder.label("second");
            recorder.copy(&from, &to);
            late = Some(recorder.read_back(&to));
        })
        .unwrap();
    let (early, late) = (early.unwrap(), late.unwrap());
    assert_eq!((recording.value(early), recording.value(late)), (0, 0), "nothing was read before the first run");
    recording.run().unwrap();
    assert_eq!((recording.value(early), recording.value(late)), (1, 2));
    let received = device.download(&to).unwrap();
    assert!(received[..1_000].iter().all(|&word| word == 2) && received[1_000..].iter().all(|&word| word == 1));
    finish(&device);
}

#[test]
fn dependent_dispatches_wait_for_each_other_every_run() {
    let Some(device) = device() else { return };
    let count = 4 * SCAN_BLOCK as usize + 5;
    let input = device.buffer_from("input", &vec![1u32; count]).unwrap();
    let sums = device.buffer::<u32>("sums", 5).unwrap();
    let totals = [(); 2].map(|()| device.buffer::<u32>("total", 1).unwrap());
    let mut seen = None;
    let mut recording = device
        .record("chain", |recorder| {
            // 1. blocks are summed, 2. the sums are summed and the largest found, 3. the sum is added to itself by a kernel
            // that reads it, 4. and read back.
            recorder.fill(&totals[0], 0);
            recorder.fill(&totals[1], 0);
            // SAFETY: the parameters are the lengths of the buffers.
            unsafe { recorder.launch(&ScanSums { input: &input, sums: &sums }, length(&input), input.len()) };
            add(recorder, &sums, &totals[0]);
            // SAFETY: the parameters are the lengths of the buffers.
            unsafe { recorder.launch(&ReduceMax { input: &sums, result: &totals[1] }, length(&sums), sums.len()) };
            add(recorder, &totals[1], &totals[0]);
            seen = Some(recorder.read_back(&totals[0]));
        })
        .unwrap();
    for _ in 0..20 {
        recording.run().unwrap();
        assert_eq!(recording.value(seen.unwrap()), count as u32 + SCAN_BLOCK);
    }
    finish(&device);
}

#[test]
fn a_recording_keeps_its_buffers_alive() {
    let Some(device) = device_with(DeviceOptions::default()) else { return };
    let result = device.buffer::<u32>("result", 1).unwrap();
    let mut recording = {
        let input = device.buffer_from("input", &words(1_000)).unwrap();
        device
            .record("sum", |recorder| {
                recorder.fill(&result, 0);
                add(recorder, &input, &result);
            })
            .unwrap()
    };
    recording.run().unwrap();
    let expected = words(1_000).into_iter().fold(0, u32::wrapping_add);
    assert_eq!(device.download(&result).unwrap(), [expected]);
    finish(&device);
    // The recording and the buffer outlive what the user calls the device.
    drop(device);
    recording.run().unwrap();
}

#[test]
fn the_device_says_how_large_an_indirect_dispatch_is() {
    let Some(device) = device() else { return };
    let (input, result) = (device.buffer_from("input", &[1u32; 600]).unwrap(), device.buffer("result", 1).unwrap());
    let state = device.buffer_from("state", &[state_of(0)]).unwrap();
    let mut recording = device
        .record("indirect", |recorder| {
            recorder.fill(&result, 0);
            let sum = ReduceAdd { input: &input, result: &result };
            // SAFETY: the parameters are the lengths of the buffers.
            unsafe { recorder.launch_indirect(&sum, length(&input), &state, LoopHeader::GROUPS) };
        })
        .unwrap();
    // No workgroups: nothing is added. The kernel strides, so any other number gives the whole sum.
    for (frontier, expected) in [(0, 0), (1, 600), (600, 600)] {
        device.upload(&state, 0, &[state_of(frontier)]).unwrap();
        recording.run().unwrap();
        assert_eq!(device.download(&result).unwrap(), [expected], "{frontier} entries");
    }
    finish(&device);
}

#[test]
fn an_indirect_dispatch_sees_the_size_that_a_kernel_wrote() {
    let Some(device) = device() else { return };
    let state = device.buffer_from("state", &[state_of(0)]).unwrap();
    let groups = state.cast::<u32>();
    let [one, place] = [("one", 1u32), ("place", LoopHeader::GROUPS.word())]
        .map(|(name, word)| device.buffer_from(name, &[word]).unwrap());
    let (input, result) = (device.buffer_from("input", &[1u32; 100]).unwrap(), device.buffer("result", 1).unwrap());
    let mut recording = device
        .record("grow, then run", |recorder| {
            recorder.fill(&result, 0);
            let grow = CompactScatter { values: &one, flags: &one, places: &place, output: &groups };
            // SAFETY: the parameters are the lengths of the buffers.
            unsafe { recorder.launch(&grow, length(&one), 1) };
            let sum = ReduceAdd { input: &input, result: &result };
            // SAFETY: the parameters are the lengths of the buffers.
            unsafe { recorder.launch_indirect(&sum, length(&input), &state, LoopHeader::GROUPS) };
        })
        .unwrap();
    recording.run().unwrap();
    assert_eq!(device.download(&result).unwrap(), [100]);
    finish(&device);
}

#[test]
fn a_buffer_above_the_limit_is_refused_with_both_numbers() {
    let Some(device) = device() else { return };
    let limit = device.info().max_buffer;
    let asked = limit / 4 + 1;
    let error = device.buffer::<u32>("too large", asked as usize).unwrap_err();
    assert!(matches!(error, Error::Memory(_)));
    for part in ["too large".to_owned(), (asked * 4).to_string(), limit.to_string()] {
        assert!(error.to_string().contains(&part), "{error}");
    }
    assert!(device.buffer::<u64>("absurd", usize::MAX).is_err());
    let plan = MemoryPlan::new().with::<u32>("too large", asked as usize);
    assert!(device.admit(&plan).unwrap_err().to_string().contains(&limit.to_string()));
    finish(&device);
}

#[test]
fn threads_share_a_device() {
    let Some(device) = device_with(DeviceOptions { staging_bytes: Some(4096), ..Default::default() }) else { return };
    thread::scope(|scope| {
        for thread in 0..4u32 {
            let device = &device;
            scope.spawn(move || {
                let (input, result) = (device.buffer("input", 3_000).unwrap(), device.buffer("result", 1).unwrap());
                let mut recording = device
                    .record("sum", |recorder| {
                        recorder.fill(&result, 0);
                        add(recorder, &input, &result);
                    })
                    .unwrap();
                for round in 0..10 {
                    device.upload(&input, 0, &[thread * 100 + round; 3_000]).unwrap();
                    recording.run().unwrap();
                    assert_eq!(device.download(&result).unwrap(), [3_000 * (thread * 100 + round)]);
                }
            });
        }
    });
    finish(&device);
}

#[test]
fn a_run_tells_the_time_that_the_device_was_busy() {
    let Some(device) = device() else { return };
    let (input, result) = (device.buffer_from("input", &words(1 << 20)).unwrap(), device.buffer("result", 1).unwrap());
    let record = |times: usize| {
        let recorded = device.record("sums", |recorder| (0..times).for_each(|_| add(recorder, &input, &result)));
        recorded.unwrap()
    };
    let best = |times| {
        let mut recording = record(times);
        (0..5).map(|_| recording.run().unwrap()).min().unwrap()
    };
    let (one, many) = (best(1), best(40));
    assert!(one > Duration::ZERO && many > 4 * one, "once {one:?}, forty times {many:?}");
    assert!(device.take_spans().is_empty(), "spans are kept only when asked for");
    finish(&device);
}

#[test]
fn a_profile_has_every_step_on_a_clock_that_host_and_device_share() {
    let Some(device) = device_with(DeviceOptions { profile: true, ..Default::default() }) else { return };
    let (input, result) = (device.buffer_from("input", &words(100_000)).unwrap(), device.buffer("result", 1).unwrap());
    let mut recording = device
        .record("sums", |recorder| {
            recorder.fill(&result, 0);
            recorder.label("twice");
            add(recorder, &input, &result);
            add(recorder, &input, &result);
        })
        .unwrap();
    let busy: Duration = (0..3).map(|_| recording.run().unwrap()).sum();
    let spans = device.take_spans();
    assert!(device.take_spans().is_empty());

    let times = KernelTimes::from_spans(&spans);
    let calls = |name: &str| times.kernels.iter().find(|kernel| kernel.name == name).map(|kernel| kernel.calls);
    assert_eq!((calls("reduce_add"), calls("fill")), (Some(6), Some(3)), "{times}");
    assert!(times.kernels.iter().map(|kernel| kernel.total).sum::<Duration>() <= busy);
    let labels: Vec<_> = spans.iter().filter(|span| span.on_device).map(|span| span.label.as_str()).collect();
    assert_eq!(labels[..3], ["sums", "twice", "twice"]);

    // Each run of the host has its three steps inside, give or take what reading two clocks costs.
    let slack = Duration::from_millis(2);
    let runs: Vec<_> = spans.iter().filter(|span| span.name == "run").collect();
    let steps: Vec<_> = spans.iter().filter(|span| span.on_device).collect();
    assert_eq!(runs.len(), 3);
    for (run, steps) in runs.iter().zip(steps.chunks(3)) {
        for step in steps {
            assert!(step.start + slack >= run.start, "{step:?} in {run:?}");
            assert!(step.start + step.duration <= run.start + run.duration + slack, "{step:?} in {run:?}");
        }
    }

    let mut json = Vec::new();
    write_trace(&mut json, &spans).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&json).unwrap();
    assert!(trace["traceEvents"].as_array().unwrap().len() > spans.len());
    finish(&device);
}
